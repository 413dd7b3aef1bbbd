//! `cardioid render`: a picture or counts, without a window.

mod diagram;
mod section;
mod space;
mod whole;

pub use diagram::{DEFAULT_ORBITS, DEFAULT_SAMPLES};

use std::path::PathBuf;

use cardioid::app::Location;
use cardioid::app::export::{Channel, FileKind, Numbers};
use cardioid::app::location::Frame;
use cardioid::cluster::part::ENDING;
use cardioid::cluster::{Begin, Part, PartError, SpecError};
use cardioid::color::{Curve, DiagramScheme};
use cardioid::fractal::{FormulaId, MapId};
use cardioid::math::{BigComplex, Decimal};
use cardioid::render::{Camera, Fan, OrbitDensity, Quality, Section, Shortcuts, Space};
use cardioid::view::{Julia, Mandelbrot};
use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::cluster::{self, ClusterArgs};
use super::plan::{Content, DEFAULT_SIZE, Plan};
use super::values::{self, Corners};
use super::{Failure, machine, print, say};

pub const MOST_THREADS: u32 = 1024;
pub const MOST_REPEATS: u32 = 1000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
FILE ends in .png (a picture), .npy (iteration counts for NumPy), .u32 (the same, raw) or, with --part, .cdt.
A count is the least n with |z_n| > bailout, where z_1 = c. Where there is none up to the cap,
.npy holds 0 and .u32 the cap. Numbers of the place may have any number of digits.

--channel chooses what a .npy holds of each pixel, as an array of shape (height, width), 0 inside:
  iterations  n, as u32
  smooth      n + 1 - log_d(ln|z_n| / ln R), as f64, with R the bailout and d the degree of the map
  distance    |z_n| ln|z_n| / |dz_n/dpixel|, as f32: the distance to the set in pixels, right to a factor of 2

A bifurcation diagram has its parameter across and x upwards; its box maps exactly. Its .npy and .u32 hold hits:
each orbit that stays adds --samples of them to its column, those out of view not counted.

bifurcation-complex follows c along the line Im c = --section: Re c is across, Re z upwards in one panel and Im z in
the other. Behind the attractors lies a fan, the way that orbits take, escaping or not.

bifurcation-3d shows orbits in space, as .png alone: --scene section has Re c, Im z and Re z for all c with
Im c = --section; --scene set has Re c, Im c and Re z over the whole Mandelbrot set. --fly leads from above the set,
which is the Mandelbrot set, to its side, which is the bifurcation diagram.")]
pub struct Args {
    /// A location file (.toml), a PNG that Cardioid wrote, a named place, or a point like -0.75+0.1i
    #[arg(default_value = "home")]
    location: String,
    /// File to write: .png, .npy, .u32, or .cdt for a part
    #[arg(long, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(values::file),
        allow_hyphen_values = true)]
    out: PathBuf,
    /// What a .npy holds of each pixel [default: iterations]
    #[arg(long, value_name = "CHANNEL", value_parser = Channel::ALL.map(|channel| channel.key()))]
    channel: Option<String>,
    /// What to draw: mandelbrot, julia, bifurcation, bifurcation-complex or bifurcation-3d [default: the location's,
    /// or mandelbrot]
    #[arg(long, value_name = "VIEW",
        value_parser = [Mandelbrot::KEY, Julia::KEY, diagram::KEY, section::KEY, space::KEY])]
    view: Option<String>,
    /// Map to iterate, by key [default: the location's, or quadratic]
    #[arg(long, value_name = "KEY", value_parser = FormulaId::ALL.iter().map(|f| f.key()).collect::<Vec<_>>())]
    formula: Option<String>,
    /// Parameter of a Julia set [default: the location's]
    #[arg(long, value_name = "RE,IM", value_parser = values::point, allow_hyphen_values = true)]
    c: Option<BigComplex>,
    /// Centre of the view [default: the location's; -0.75,0 at home]
    #[arg(long, value_name = "RE,IM", value_parser = values::point, allow_hyphen_values = true)]
    center: Option<BigComplex>,
    /// Height of the view in plane units [default: the location's; 2.5 at home]
    #[arg(long, value_name = "H", value_parser = values::height, allow_hyphen_values = true)]
    height: Option<Decimal>,
    /// The view as a box, grown until pixels are square
    #[arg(long = "box", value_name = "XMIN,XMAX,YMIN,YMAX", value_parser = values::corners,
        allow_hyphen_values = true, conflicts_with_all = ["center", "height"])]
    corners: Option<Corners>,
    /// Map the box exactly, --box or the location's, each axis at its own scale
    #[arg(long)]
    stretch: bool,
    /// Turn the view, degrees anticlockwise
    #[arg(long, value_name = "DEGREES", value_parser = |text: &str| values::number(text, -1e6, 1e6),
        allow_hyphen_values = true)]
    rotation: Option<f64>,
    /// Size in pixels [default: the location's, or 1920x1080]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    size: Option<[u32; 2]>,
    /// Cap on iterations [default: the location's, or what the view asks for, measured on a few of its points]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ i32::MAX as u32 }>, allow_hyphen_values = true)]
    max_iterations: Option<u32>,
    /// Bailout radius, 2 or more [default: the location's; 2 for counts, 1000 for pictures, smooth counts and distances]
    #[arg(long, value_name = "R", value_parser = values::bailout, allow_hyphen_values = true)]
    bailout: Option<f64>,
    /// Engine, see `cardioid engines`; auto takes a CPU engine, so that files do not depend on the GPU
    #[arg(long, value_name = "KEY")]
    engine: Option<String>,
    /// exact is f64 or better; draft may trade accuracy for speed [default: the location's, or exact; draft for an
    /// engine of f32 named by --engine]
    #[arg(long, value_name = "QUALITY", value_parser = ["draft", "exact"])]
    quality: Option<String>,
    /// Ways of not iterating; none of them changes a count: all, none, or some of bulbs,cycles,symmetry
    #[arg(long, value_name = "LIST", default_value = "all", value_parser = shortcuts)]
    shortcuts: Shortcuts,
    /// Palette by name [default: the location's, or night-gold]
    #[arg(long, value_name = "NAME")]
    palette: Option<String>,
    /// How counts run through the palette: root, log or linear
    #[arg(long, value_name = "CURVE", value_parser = ["root", "log", "linear"])]
    curve: Option<String>,
    /// How fast colours change, 1 being usual
    #[arg(long, value_name = "X", value_parser = |text: &str| values::number(text, 0.0, 1e4), allow_hyphen_values = true)]
    density: Option<f64>,
    /// Where the palette begins, in turns
    #[arg(long, value_name = "X", value_parser = |text: &str| values::number(text, -1e4, 1e4), allow_hyphen_values = true)]
    offset: Option<f64>,
    /// N×N samples a pixel, averaged in linear light
    #[arg(long, value_name = "N", value_parser = values::whole::<{ Location::MOST_SUPERSAMPLE }>, allow_hyphen_values = true)]
    supersample: Option<u32>,
    /// Map of a bifurcation diagram, by key [default: quadratic]
    #[arg(long, value_name = "KEY", value_parser = MapId::ALL.iter().map(|m| m.key()).collect::<Vec<_>>())]
    map: Option<String>,
    /// Points that each orbit of a bifurcation diagram adds to its column [default: 2000]; of a scene in space, all
    /// points [default: 5000000]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ Space::MOST_POINTS }>, allow_hyphen_values = true)]
    samples: Option<u32>,
    /// Orbits in each column of a bifurcation diagram [default: 64]
    #[arg(long, value_name = "N", value_parser = values::whole::<{ OrbitDensity::MOST_ORBITS }>, allow_hyphen_values = true)]
    orbits: Option<u32>,
    /// Colours of a bifurcation diagram [default: lyapunov]
    #[arg(long, value_name = "SCHEME", value_parser = DiagramScheme::ALL.map(|s| s.key()))]
    scheme: Option<String>,
    /// Im c of a complex bifurcation diagram [default: 0.1], or of a section in space [default: 0]; at 0 lies the real
    /// diagram
    #[arg(long, value_name = "S", value_parser = |text: &str| values::number(text, -Section::MOST, Section::MOST),
        allow_hyphen_values = true)]
    section: Option<f64>,
    /// What is upwards in a complex bifurcation diagram: re, im, or both above each other [default: both]
    #[arg(long, value_name = "AXIS", value_parser = ["re", "im", "both"])]
    ordinate: Option<String>,
    /// First points of each orbit to leave out of the fan [default: 0]
    #[arg(long, value_name = "N", value_parser = |text: &str| values::whole_from(0, Fan::MOST_SKIP, text),
        allow_hyphen_values = true)]
    skip: Option<u32>,
    /// Draw attractors alone, without the fan of the ways that orbits take
    #[arg(long)]
    no_fan: bool,
    /// Scene in space: section or set [default: section; set with --fly]
    #[arg(long, value_name = "SCENE", value_parser = space::SCENES)]
    scene: Option<String>,
    /// Show the real diagram beside a section in space
    #[arg(long)]
    ghost: bool,
    /// Turn of the camera about the upright axis, in radians [default: 0.55]
    #[arg(long, value_name = "R", value_parser = |text: &str| values::number(text, -1e3, 1e3), allow_hyphen_values = true)]
    yaw: Option<f64>,
    /// Height of the camera, in radians: 0 at the side, 1.5708 above [default: 0.3]
    #[arg(long, value_name = "R", value_parser = |text: &str| values::number(text, -1.6, 1.6),
        allow_hyphen_values = true)]
    pitch: Option<f64>,
    /// Distance of the camera from the middle of the scene [default: 5.6]
    #[arg(long, value_name = "D", value_parser = |text: &str| values::number(text, Camera::DISTANCES[0], Camera::DISTANCES[1]),
        allow_hyphen_values = true)]
    distance: Option<f64>,
    /// Camera at that share of the flight from above (0) to the side (1)
    #[arg(long, value_name = "T", value_parser = |text: &str| values::number(text, 0.0, 1.0), allow_hyphen_values = true,
        conflicts_with_all = ["yaw", "pitch", "distance"])]
    fly: Option<f64>,
    /// Threads to compute with [default: all]
    #[arg(long, value_name = "N", value_parser = values::whole::<MOST_THREADS>, allow_hyphen_values = true,
        conflicts_with = "cluster")]
    threads: Option<u32>,
    /// Render N times after a warm-up, and report the median time
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::whole::<MOST_REPEATS>, allow_hyphen_values = true,
        conflicts_with = "cluster")]
    repeat: u32,
    /// Draw one of N bands of a picture's rows, or of a diagram's columns, to be put together by `cardioid assemble`: 1/N, 2/N
    /// … N/N. With --channel it holds numbers
    #[arg(long, value_name = "I/N", value_parser = <Part as std::str::FromStr>::from_str, conflicts_with_all = ["repeat", "cluster"],
        allow_hyphen_values = true)]
    part: Option<Part>,
    /// Replace FILE where it is there already
    #[arg(long)]
    force: bool,
    /// Print figures as JSON on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Pixels along a side of a tile, which is a task [default: so that one takes about a second, 256 to 2048]
    #[arg(long, value_name = "N", requires = "cluster", value_parser = |text: &str| values::whole_from(16, 4096, text),
        help_heading = cluster::HEADING)]
    tile: Option<u32>,
    /// Draw only what is missing of a picture that was begun; its tiles are in FILE.partial
    #[arg(long, requires = "cluster", help_heading = cluster::HEADING)]
    resume: bool,
}

pub fn shortcuts(text: &str) -> Result<Shortcuts, String> {
    let mut chosen = match text {
        "all" => return Ok(Shortcuts::ALL),
        "none" => return Ok(Shortcuts::NONE),
        _ => Shortcuts::NONE,
    };
    for name in text.split(',').map(str::trim) {
        match name {
            "bulbs" => chosen.bulbs = true,
            "cycles" => chosen.cycles = true,
            "symmetry" => chosen.symmetry = true,
            _ => return Err(format!("{name:?} is no shortcut; say all, none, or some of bulbs,cycles,symmetry")),
        }
    }
    Ok(chosen)
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (figures, path) = match args.view.as_deref() {
        Some(space::KEY) if args.part.is_some() || args.cluster.is_given() => return Err(uncut(space::KEY)),
        Some(diagram::KEY | section::KEY) => diagram::draw(args)?,
        Some(space::KEY) => space::draw(args)?,
        view => {
            let opened = Location::open(&args.location)?;
            if view.is_none() && whole::is_whole(&opened) {
                whole::draw(args, &opened)?
            } else {
                let plan = args.plan(opened)?;
                let figures = match args.cluster.remote()? {
                    Some(remote) => plan.draw_on(&remote, args.tile, args.begin())?,
                    None => plan.draw()?,
                };
                (figures, plan.path)
            }
        }
    };
    if args.json {
        let told = |Failure { message, .. }| {
            Failure::could_not(format_args!("{message}; the file is there all the same: {}", path.display()))
        };
        print(figures.json()).map_err(told)?;
    }
    let cut = figures.stats.reference.and_then(|reference| reference.caution(figures.max_iterations));
    cut.into_iter().for_each(|cut| say(format_args!("cardioid: {cut}")));
    say(figures.line(&path));
    Ok(())
}

/// What is said where somebody asks for a part of such a picture, or for a cluster to draw it.
fn uncut(view: &str) -> Failure {
    PartError::from(SpecError::Whole(view.into())).into()
}

impl Args {
    /// What is done about tiles of a picture that was begun.
    fn begin(&self) -> Begin {
        match (self.resume, self.force) {
            (true, _) => Begin::Resume,
            (false, true) => Begin::Anew,
            (false, false) => Begin::New,
        }
    }

    /// What is asked for, with the location's word where no option is given, and defaults where neither speaks.
    fn plan(&self, opened: Location) -> Result<Plan, Failure> {
        self.refuse_options_of_other_views()?;
        let (content, path) = self.content_and_path()?;
        opened.warnings().iter().for_each(|warning| say(format_args!("cardioid: {warning}")));
        let size = self.size.or(opened.size).unwrap_or(DEFAULT_SIZE);
        Ok(Plan {
            location: self.applied_to(opened, size)?,
            engine_ordered: self.engine.is_some(),
            size,
            content,
            path,
            replace: self.force,
            shortcuts: self.shortcuts,
            threads: self.threads.map_or_else(machine::all_threads, |n| n as usize),
            repeat: self.repeat,
        })
    }

    /// What the file is to hold, and where it is.
    fn content_and_path(&self) -> Result<(Content, PathBuf), Failure> {
        let is_part = self.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING));
        match self.part {
            Some(part) if is_part => {
                let channel = self.channel.as_deref().and_then(Channel::from_key);
                if channel.is_some() {
                    self.refuse_supersample()?;
                }
                Ok((Content::Part(part, channel), self.out.clone()))
            }
            Some(_) => {
                Err(Failure::asked_wrongly("a part is a .cdt file; end the file's name in .cdt, or leave --part out"))
            }
            None if is_part => Err(Failure::asked_wrongly(
                "a .cdt file is a part of a picture; say which, such as --part 1/8, or end the file's name in .png",
            )),
            None => {
                let (kind, path) = FileKind::of(&self.out)?;
                Ok((self.content(kind)?, path))
            }
        }
    }

    /// What a file of that kind is to hold.
    fn content(&self, kind: FileKind) -> Result<Content, Failure> {
        let channel = self.channel.as_deref().and_then(Channel::from_key);
        match (kind, channel) {
            (FileKind::Picture, None) => Ok(Content::Picture),
            (FileKind::Picture, Some(_)) => Err(Failure::asked_wrongly(
                "a picture holds colours; end the file's name in .npy, or leave --channel out",
            )),
            (FileKind::Counts(format), channel) => {
                self.refuse_supersample()?;
                Ok(Content::Numbers(Numbers::of(format, channel.unwrap_or_default())?))
            }
        }
    }

    /// Refuses what means nothing where numbers are written.
    fn refuse_supersample(&self) -> Result<(), Failure> {
        match self.supersample {
            None | Some(1) => Ok(()),
            Some(_) => {
                Err(Failure::asked_wrongly("numbers are not averaged; leave --supersample out, or write a .png"))
            }
        }
    }

    /// Options of the sets' place and look, and whether they are given.
    fn options_of_sets(&self) -> [(&'static str, bool); 15] {
        [
            ("--channel", self.channel.is_some()),
            ("--formula", self.formula.is_some()),
            ("--c", self.c.is_some()),
            ("--center", self.center.is_some()),
            ("--height", self.height.is_some()),
            ("--box", self.corners.is_some()),
            ("--stretch", self.stretch),
            ("--rotation", self.rotation.is_some()),
            ("--max-iterations", self.max_iterations.is_some()),
            ("--bailout", self.bailout.is_some()),
            ("--palette", self.palette.is_some()),
            ("--curve", self.curve.is_some()),
            ("--density", self.density.is_some()),
            ("--offset", self.offset.is_some()),
            ("--supersample", self.supersample.is_some()),
        ]
    }

    /// Refuses whatever would change the place or the look that a location says.
    fn refuse_all_but_size(&self) -> Result<(), Failure> {
        let mut given = self.options_of_sets().into_iter().chain([
            ("--map", self.map.is_some()),
            ("--samples", self.samples.is_some()),
            ("--orbits", self.orbits.is_some()),
            ("--scheme", self.scheme.is_some()),
        ]);
        if let Some((option, _)) = given.find(|(_, given)| *given) {
            return Err(Failure::asked_wrongly(format_args!(
                "{option} cannot change a location of this view; take it with --size, --engine and --threads alone, or \
                 write the view with --view and its options"
            )));
        }
        self.refuse_options_of_other_views()
    }

    /// Refuses options that only diagrams have which are not to be drawn.
    fn refuse_options_of_other_views(&self) -> Result<(), Failure> {
        let asked = self.view.as_deref().unwrap_or_default();
        let flat: &[&str] = &[diagram::KEY, section::KEY];
        // (option, whether it is given, views that have it)
        let options = [
            ("--map", self.map.is_some(), &[diagram::KEY][..]),
            ("--samples", self.samples.is_some(), &[diagram::KEY, section::KEY, space::KEY]),
            ("--orbits", self.orbits.is_some(), flat),
            ("--scheme", self.scheme.is_some(), flat),
            ("--section", self.section.is_some(), &[section::KEY, space::KEY]),
            ("--ordinate", self.ordinate.is_some(), &[section::KEY]),
            ("--skip", self.skip.is_some(), &[section::KEY]),
            ("--no-fan", self.no_fan, &[section::KEY]),
            ("--scene", self.scene.is_some(), &[space::KEY]),
            ("--ghost", self.ghost, &[space::KEY]),
            ("--yaw", self.yaw.is_some(), &[space::KEY]),
            ("--pitch", self.pitch.is_some(), &[space::KEY]),
            ("--distance", self.distance.is_some(), &[space::KEY]),
            ("--fly", self.fly.is_some(), &[space::KEY]),
        ];
        match options.into_iter().find(|(_, given, views)| *given && !views.contains(&asked)) {
            None => Ok(()),
            Some((option, _, views)) => Err(Failure::asked_wrongly(format_args!(
                "{option} belongs to another view; add --view {}, or leave it out",
                views.join(" or ")
            ))),
        }
    }

    /// The location with what the options say instead.
    fn applied_to(&self, opened: Location, size: [u32; 2]) -> Result<Location, Failure> {
        let mut location = self.with_view(opened)?;
        if let Some(frame) = self.frame(&location, size)? {
            // Another place has another name.
            location = Location { frame, name: None, about: None, ..location };
        }
        let coloring = &mut location.coloring;
        coloring.curve = self.curve.as_deref().and_then(Curve::from_key).unwrap_or(coloring.curve);
        coloring.density = self.density.map_or(coloring.density, |d| d as f32);
        coloring.offset = self.offset.map_or(coloring.offset, |o| o as f32);
        let quality = self.quality.as_deref().map(|key| if key == "draft" { Quality::Draft } else { Quality::Exact });
        Ok(Location {
            rotation: self.rotation.unwrap_or(location.rotation),
            max_iterations: self.max_iterations.or(location.max_iterations),
            bailout: self.bailout.or(location.bailout),
            engine: self.engine.clone().or(location.engine),
            quality: quality.or(location.quality),
            supersample: self.supersample.or(location.supersample),
            palette: self.palette.clone().or(location.palette),
            ..location
        })
    }

    /// The location in the view and formula that the options ask for: at home where that is another one.
    fn with_view(&self, opened: Location) -> Result<Location, Failure> {
        let view = self.view.clone().unwrap_or_else(|| opened.view.clone());
        let formula = self.formula.as_deref().and_then(FormulaId::from_key).unwrap_or(opened.formula);
        let c = self.c.clone().or_else(|| opened.c.clone()).filter(|_| view == Julia::KEY);
        if self.c.is_some() && c.is_none() {
            return Err(Failure::asked_wrongly("--c is the parameter of a Julia set; add --view julia"));
        }
        if view == opened.view && formula == opened.formula {
            return Ok(Location { c, ..opened });
        }
        Ok(Location { frame: Frame::home(&view, formula), view, formula, c, name: None, about: None, ..opened })
    }

    /// The frame that the options ask for; what they leave out is the location's.
    fn frame(&self, location: &Location, size: [u32; 2]) -> Result<Option<Frame>, Failure> {
        if let Some(Corners { low, high }) = self.corners.clone() {
            return Ok(Some(Frame::Box { low, high, stretch: self.stretch }));
        }
        if let Frame::Box { low, high, stretch } = &location.frame
            && (*stretch || self.stretch)
            && (self.center.is_none() || self.height.is_none())
            && (self.stretch || self.center.is_some() || self.height.is_some())
        {
            return self.stretched(low, high);
        }
        if self.stretch {
            return Err(Failure::asked_wrongly("--stretch maps a box; give one (--box), or a location that has one"));
        }
        if self.center.is_none() && self.height.is_none() {
            return Ok(None);
        }
        let shown = location.viewport(size)?;
        let center = self.center.clone().unwrap_or_else(|| shown.center().clone());
        let height = self.height.clone().unwrap_or_else(|| shown.height().clone());
        Ok(Some(Frame::Height { center, height }))
    }

    /// The location's box mapped exactly, moved to where the options say.
    fn stretched(&self, low: &BigComplex, high: &BigComplex) -> Result<Option<Frame>, Failure> {
        if self.height.is_some() {
            return Err(Failure::asked_wrongly(
                "--height leaves the width of the location's stretched box open; add --center for square pixels, or \
                 give a box (--box)",
            ));
        }
        let shift = |low: &Decimal, high: &Decimal, center: &Decimal| {
            let half = (high - low).half();
            (center - &half, center + &half)
        };
        let (low, high) = match &self.center {
            None => (low.clone(), high.clone()),
            Some(center) => {
                let (left, right) = shift(&low.re, &high.re, &center.re);
                let (bottom, top) = shift(&low.im, &high.im, &center.im);
                (BigComplex::new(left, bottom), BigComplex::new(right, top))
            }
        };
        Ok(Some(Frame::Box { low, high, stretch: true }))
    }
}
