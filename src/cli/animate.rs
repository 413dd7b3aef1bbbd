//! `cardioid animate`: what moves, frame by frame, as numbered pictures or a film.

use std::path::PathBuf;
use std::time::Instant;

use cardioid::app::Play;
use cardioid::app::animation::{Animation, Course, Detail, FilmKind, Pace, Recording, has_ffmpeg};
use cardioid::color::DiagramScheme;
use cardioid::render::{Camera, Fan, OrbitDensity, Ordinate, Section, Space, Viewport};
use cardioid::view::{ComplexBifurcation, ParamValue, Spatial, View};
use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::cluster::ClusterArgs;
use super::plan::{DEFAULT_SIZE, cancelled_by_ctrl_c, engine_named};
use super::progress::{Bar, TileBar};
use super::render::{DEFAULT_ORBITS, DEFAULT_SAMPLES, MOST_THREADS};
use super::values::{self, Corners};
use super::{Failure, machine, say};

const DEFAULT_FPS: u32 = 30;
const LONGEST_SECONDS: f64 = 1e6;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
OUT is a folder for 00001.png, 00002.png ..., or a film that ends in .mp4 or .webm: its frames go to NAME.frames beside
it, and ffmpeg makes the film of them. Each frame is the picture that `cardioid render` draws of its section or camera.

With --cluster the workers draw whole frames, and their files are those that this machine draws.

Stopped by Ctrl+C, or by anything else, the same command goes on where it was: it draws only frames that are missing.

--play section takes the section through the set, to and fro, or once --from one Im c --to another; --play fly leads the
camera from above the set to its side and back; --play spin once round the scene. All but --from --to end where they
began, so that films can be shown over and over.")]
pub struct Args {
    /// What to show
    #[arg(long, value_name = "VIEW", value_parser = [ComplexBifurcation::KEY, Spatial::KEY])]
    view: String,
    /// What moves: section, fly or spin; the last two are of bifurcation-3d
    #[arg(long, value_name = "WHAT", default_value = "section", value_parser = Play::ALL.map(Play::key))]
    play: String,
    /// Im c of the first frame
    #[arg(long, value_name = "S", value_parser = im_c, allow_hyphen_values = true, requires = "to")]
    from: Option<f64>,
    /// Im c of the last frame
    #[arg(long, value_name = "S", value_parser = im_c, allow_hyphen_values = true, requires = "from")]
    to: Option<f64>,
    /// How long it takes
    #[arg(long, value_name = "S", default_value = "12", value_parser = |text: &str| values::number(text, 0.0, LONGEST_SECONDS),
        allow_hyphen_values = true)]
    seconds: f64,
    /// Frames a second [default: 30]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ Pace::MOST_FPS }>, allow_hyphen_values = true)]
    fps: Option<u32>,
    /// Size in pixels, even for films [default: 1920x1080]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    size: Option<[u32; 2]>,
    /// Folder for the frames, or a film: .mp4 or .webm
    #[arg(long, value_name = "OUT", value_parser = OsStringValueParser::new().try_map(values::file),
        allow_hyphen_values = true)]
    out: PathBuf,
    /// Engine, see `cardioid engines`; auto takes a CPU engine, so that frames do not depend on the GPU
    #[arg(long, value_name = "KEY")]
    engine: Option<String>,
    /// Threads to compute with [default: all]
    #[arg(long, value_name = "N", value_parser = values::whole::<MOST_THREADS>, conflicts_with = "cluster",
        allow_hyphen_values = true)]
    threads: Option<u32>,
    /// Replace a film, or frames of another animation, that are there already
    #[arg(long)]
    force: bool,
    /// What is upwards in a complex bifurcation diagram: re, im, or both above each other [default: both]
    #[arg(long, value_name = "AXIS", value_parser = ["re", "im", "both"])]
    ordinate: Option<String>,
    /// The part of the diagram, mapped exactly [default: the whole]
    #[arg(long = "box", value_name = "XMIN,XMAX,YMIN,YMAX", value_parser = values::corners, allow_hyphen_values = true)]
    corners: Option<Corners>,
    /// First points of each orbit to leave out of the fan [default: 0]
    #[arg(long, value_name = "N", value_parser = skip, allow_hyphen_values = true)]
    skip: Option<u32>,
    /// Draw attractors alone, without the fan of the ways that orbits take
    #[arg(long)]
    no_fan: bool,
    /// Colours of a diagram [default: lyapunov]
    #[arg(long, value_name = "SCHEME", value_parser = DiagramScheme::ALL.map(|s| s.key()))]
    scheme: Option<String>,
    /// Orbits in each column of a diagram [default: 64]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ OrbitDensity::MOST_ORBITS }>, allow_hyphen_values = true)]
    orbits: Option<u32>,
    /// Points that each orbit of a diagram adds to its column [default: 2000]; of a scene in space, all points
    /// [default: 5000000]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ Space::MOST_POINTS }>, allow_hyphen_values = true)]
    samples: Option<u32>,
    /// Scene in space: section or set [default: section; set with --play fly]
    #[arg(long, value_name = "SCENE", value_parser = ["section", "set"])]
    scene: Option<String>,
    /// Im c of a section that stands still [default: 0.1]
    #[arg(long, value_name = "S", value_parser = im_c, allow_hyphen_values = true)]
    section: Option<f64>,
    /// Show the real diagram beside a section in space
    #[arg(long)]
    ghost: bool,
    /// Turn of the camera about the upright axis, in radians [default: 0.55]
    #[arg(long, value_name = "R", value_parser = |text: &str| values::number(text, -3.15, 3.15), allow_hyphen_values = true)]
    yaw: Option<f64>,
    /// Height of the camera, in radians: 0 at the side, 1.5708 above [default: 0.3]
    #[arg(long, value_name = "R", value_parser = |text: &str| values::number(text, -1.6, 1.6), allow_hyphen_values = true)]
    pitch: Option<f64>,
    /// Distance of the camera from the middle of the scene [default: 5.6]
    #[arg(long, value_name = "D", value_parser = |text: &str| values::number(text, Camera::DISTANCES[0], Camera::DISTANCES[1]),
        allow_hyphen_values = true)]
    distance: Option<f64>,
    #[command(flatten)]
    cluster: ClusterArgs,
}

fn im_c(text: &str) -> Result<f64, String> {
    values::number(text, -Section::MOST, Section::MOST)
}

fn skip(text: &str) -> Result<u32, String> {
    values::whole_from(0, Fan::MOST_SKIP, text)
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let start = Instant::now();
    let animation = args.animation()?;
    let remote = args.cluster.remote()?;
    let threads = args.threads.map_or_else(machine::all_threads, |n| n as usize);
    let mut engine = engine_named(args.engine.as_deref().unwrap_or("auto"), threads, &animation.jobs(0)[0])?;
    let [width, height] = animation.size();
    let recording = Recording::open(animation, &args.out, engine.key(), args.force)?;
    let is_film = FilmKind::of(&args.out).is_some();
    if is_film && !has_ffmpeg() {
        say("cardioid: there is no ffmpeg here: the frames will be drawn, and wait for one to make a film of them");
    }
    let latest = cancelled_by_ctrl_c();
    let [frames, missing] = recording.frames();
    let (done, describe) = match remote {
        Some(remote) => {
            let bar = TileBar::of("frames");
            let done = remote.record(recording, &latest, &mut |progress| bar.show(progress))?;
            (done, format!("Dask at {}", remote.address))
        }
        None => {
            let bar = Bar::new(missing.into(), format!("{} of {frames} frames were there", frames - missing));
            (recording.run(engine.as_mut(), &latest, &|progress| bar.show(progress))?, engine.describe())
        }
    };
    let (drawn, seconds) = (done.drawn, start.elapsed().as_secs_f64());
    let (engine, kind, path) = (engine.key(), if is_film { "file" } else { "folder" }, done.path.display());
    say(format_args!(
        "{frames} frames of {width}x{height}, {drawn} drawn now by {engine} ({describe}): seconds={seconds:.3} \
         {kind}={path}"
    ));
    Ok(())
}

impl Args {
    fn animation(&self) -> Result<Animation, Failure> {
        let play = Play::from_key(&self.play).expect("clap lets no other pass");
        let course = match (play, self.from.zip(self.to)) {
            (_, None) => Course::Round(play),
            (Play::Section, Some((from, to))) => Course::Sweep { from, to },
            _ => return Err(Failure::asked_wrongly("--from and --to are ends of a section; add --play section")),
        };
        let pace = Pace { seconds: self.seconds, fps: self.fps.unwrap_or(DEFAULT_FPS) };
        let is_space = self.view == Spatial::KEY;
        let panels = if is_space { vec![self.space(play)?] } else { self.diagrams()? };
        let detail = match is_space {
            true => Detail { orbits: None, samples: self.samples },
            false => {
                Detail { orbits: self.orbits.or(Some(DEFAULT_ORBITS)), samples: self.samples.or(Some(DEFAULT_SAMPLES)) }
            }
        };
        Ok(Animation::new(panels, course, pace, self.size.unwrap_or(DEFAULT_SIZE), detail)?)
    }

    /// Re z above Im z, or one of them.
    fn diagrams(&self) -> Result<Vec<Box<dyn View>>, Failure> {
        refuse_options_of(
            "bifurcation-3d",
            &[
                ("--scene", self.scene.is_some()),
                ("--section", self.section.is_some()),
                ("--ghost", self.ghost),
                ("--yaw", self.yaw.is_some()),
                ("--pitch", self.pitch.is_some()),
                ("--distance", self.distance.is_some()),
            ],
        )?;
        let ordinates: &[Ordinate] = match self.ordinate.as_deref() {
            Some("re") => &[Ordinate::Re],
            Some("im") => &[Ordinate::Im],
            _ => &Ordinate::ALL,
        };
        let knobs = [
            ("fan", Some(ParamValue::Switch(!self.no_fan))),
            ("skip", self.skip.map(ParamValue::Count)),
            ("scheme", self.scheme.clone().map(ParamValue::Choice)),
        ];
        let panel = |&ordinate: &Ordinate| {
            let mut view: Box<dyn View> = Box::new(ComplexBifurcation::of(ordinate, 0.0, [1, 1]));
            if let Some(Corners { low, high }) = &self.corners {
                view.set_viewport(Viewport::from_box(low, high, [1, 1])?);
            }
            turn(view.as_mut(), &knobs)?;
            Ok(view)
        };
        ordinates.iter().map(panel).collect()
    }

    /// A scene in space.
    fn space(&self, play: Play) -> Result<Box<dyn View>, Failure> {
        refuse_options_of(
            "bifurcation-complex",
            &[
                ("--ordinate", self.ordinate.is_some()),
                ("--box", self.corners.is_some()),
                ("--skip", self.skip.is_some()),
                ("--no-fan", self.no_fan),
                ("--scheme", self.scheme.is_some()),
                ("--orbits", self.orbits.is_some()),
            ],
        )?;
        let is_set = self.scene.as_deref().map_or(play == Play::Fly && self.section.is_none(), |key| key == "set");
        let of_set = is_set.then_some("the whole set has none");
        let of_section = of_set.or((play == Play::Section).then_some("it is what moves"));
        let of_flight = (play == Play::Fly).then_some("the flight has its own");
        let refused = [
            ("--section", self.section.is_some(), of_section),
            ("--ghost", self.ghost, of_set),
            ("--yaw", self.yaw.is_some(), of_flight),
            ("--pitch", self.pitch.is_some(), of_flight),
            ("--distance", self.distance.is_some(), of_flight),
        ];
        if let Some((option, _, Some(why))) = refused.into_iter().find(|(_, given, why)| *given && why.is_some()) {
            return Err(Failure::asked_wrongly(format_args!("{option} means nothing here: {why}; leave it out")));
        }
        let mut view: Box<dyn View> = Box::new(Spatial::at_home([1, 1]));
        let scene = if is_set { "set" } else { "section" };
        turn(view.as_mut(), &[("scene", Some(ParamValue::Choice(scene.into())))])?;
        let ghost = (!is_set).then_some(ParamValue::Switch(self.ghost));
        let number = |value: Option<f64>| value.map(ParamValue::Number);
        turn(
            view.as_mut(),
            &[
                ("ghost", ghost),
                ("section", number(self.section)),
                ("yaw", number(self.yaw)),
                ("pitch", number(self.pitch)),
                ("distance", number(self.distance)),
            ],
        )?;
        Ok(view)
    }
}

fn refuse_options_of(view: &str, options: &[(&str, bool)]) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            Err(Failure::asked_wrongly(format_args!("{option} is of --view {view}; leave one of them out")))
        }
    }
}

/// Turns the knobs that are given.
fn turn(view: &mut dyn View, knobs: &[(&str, Option<ParamValue>)]) -> Result<(), Failure> {
    for (key, value) in knobs {
        if let Some(value) = value {
            view.set_param(key, value.clone()).map_err(Failure::asked_wrongly)?;
        }
    }
    Ok(())
}
