//! `cardioid bench`: engines and other programs side by side, on named views.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cardioid::app::bench::{Bench, CHECKED_GPU, Contestant, External, Report, Scene, arguments, chart};
use cardioid::app::export::Destination;
use cardioid::cluster::{ClusterEngine, Remote};
use cardioid::engine::{Engine as _, Machine};
use cardioid::gpu::Gpu;
use cardioid::render::{Latest, Shortcuts};
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use indicatif::{ProgressBar, ProgressStyle};

use super::cluster::ClusterArgs;
use super::plan::cancelled_by_ctrl_c;
use super::render::{MOST_REPEATS, MOST_THREADS, shortcuts};
use super::{Failure, machine, print, say, values};

/// Most pixels of a view: counts of several engines are held at once.
const MOST_PIXELS: u64 = 1 << 26;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Times are compute times, after warm-up, in rounds that go through the engines forwards and backwards
in turn. An external program is started once a frame, without a shell. It prints seconds=…, the time
of its frame, and may write its counts to {out}: little-endian u32, top row first, min(n, max), and
max for the inside. Filled in are {xmin} {xmax} {ymin} {ymax} {width} {height} {max_iter} {threads} {out}.

Examples:
  cardioid bench --engines naive,simd,tiles --views home,spiral
  cardioid bench --shortcuts none --chart ladder.png
  cardioid bench --engines tiles,dask --cluster tcp://192.168.0.5:8786
  cardioid bench --external 'mine=./mine {xmin} {xmax} {ymin} {ymax} {width} {height} {max_iter} {out}'")]
pub struct Args {
    /// Engines, separated by commas [default: all of the CPU, and the GPU if it is no software]
    #[arg(long, value_name = "KEYS")]
    engines: Option<String>,
    /// Named places and location files, separated by commas, or one place as text; may be repeated
    #[arg(long, value_name = "VIEWS", default_value = Scene::DEFAULT, allow_hyphen_values = true)]
    views: Vec<String>,
    /// Size in pixels [default: the place's own, or 1000x1000]
    #[arg(long, value_name = "WxH", value_parser = values::size, allow_hyphen_values = true)]
    size: Option<[u32; 2]>,
    /// Timed runs of each engine on each view
    #[arg(long, value_name = "N", default_value = "7", value_parser = values::whole::<MOST_REPEATS>, allow_hyphen_values = true)]
    reps: u32,
    /// Threads to compute with [default: all]
    #[arg(long, value_name = "N", value_parser = values::whole::<MOST_THREADS>, allow_hyphen_values = true)]
    threads: Option<u32>,
    /// all, none, or some of bulbs,cycles,symmetry
    #[arg(long, value_name = "LIST", default_value = "all")]
    shortcuts: String,
    /// Longest frame in seconds: slower engines do fewer pixels, and their time is scaled and marked ~
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = |text: &str| values::number(text, 1e-3, 1e5), allow_hyphen_values = true)]
    cap: f64,
    /// Put another program in the tables; may be repeated
    #[arg(long, value_name = "NAME=COMMAND")]
    external: Vec<String>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    /// Draw a chart: FILE ends in .png or .svg
    #[arg(long, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(values::file), allow_hyphen_values = true)]
    chart: Option<PathBuf>,
    /// Write bench.json, bench.md, bench.png and bench.svg into a folder, made if it is not there
    #[arg(long, value_name = "DIR", value_parser = OsStringValueParser::new().try_map(values::file), allow_hyphen_values = true)]
    out: Option<PathBuf>,
    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    if cfg!(debug_assertions) {
        return Err(Failure::could_not("this is a debug build, whose times mean nothing; build with --release"));
    }
    // What can be refused is refused before any work.
    let mut bench = args.bench()?;
    let files = args.files()?;
    let latest = cancelled_by_ctrl_c();
    if let Some(remote) = args.cluster.remote()? {
        bench.contestants.push(connected(&remote, &bench.machine, &latest)?);
    }
    let bar = bar(bench.stages());
    let report = bench.run(&latest, |now| {
        bar.set_message(format!("{}: {}, {}", now.view, now.contestant, now.what));
        bar.inc(1);
    });
    bar.finish_and_clear();
    print(match (args.json, args.markdown) {
        (true, _) => format!("{:#}", report.to_json()),
        (_, true) => report.to_markdown(),
        _ => report.to_text(),
    })?;
    if !report.complete {
        return Err(Failure::could_not("interrupted; the table holds what was measured until then"));
    }
    if report.views.iter().flat_map(|view| &view.rows).all(|row| row.absent.is_some()) {
        return Err(Failure::could_not(
            "nothing could be measured, and the table says why; choose other views or engines",
        ));
    }
    files.into_iter().try_for_each(|(kind, destination)| kind.write(&report, destination))
}

/// A cluster as a contestant. Its start is told, and is in no figure.
fn connected(remote: &Remote, machine: &Machine, latest: &Latest) -> Result<Contestant, Failure> {
    let start = Instant::now();
    let engine = ClusterEngine::connect(remote, machine, latest)?;
    let (key, seconds) = (engine.key(), start.elapsed().as_secs_f64());
    say(format_args!("cardioid: {key} is {}; it took {seconds:.1} s to start", engine.describe()));
    Ok(Contestant::engine(Box::new(engine)))
}

/// A bar on stderr; indicatif draws nothing where that is no terminal.
fn bar(stages: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}  {elapsed}  {wide_msg}");
    let bar = ProgressBar::new(stages as u64).with_style(style.expect("the template is well formed"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Files that a report becomes.
#[derive(Clone, Copy)]
enum FileKind {
    Json,
    Markdown,
    Png,
    Svg,
}

impl FileKind {
    fn write(self, report: &Report, destination: Destination) -> Result<(), Failure> {
        let bytes = match self {
            Self::Json => format!("{:#}\n", report.to_json()).into_bytes(),
            Self::Markdown => report.to_markdown().into_bytes(),
            Self::Png => chart::png(report).map_err(Failure::could_not)?,
            Self::Svg => chart::svg(report).map_err(Failure::could_not)?.into_bytes(),
        };
        let path = destination.path().to_owned();
        destination.write(&bytes)?;
        say(format_args!("file={}", path.display()));
        Ok(())
    }
}

impl Args {
    fn bench(&self) -> Result<Bench, Failure> {
        let threads = self.threads.map_or_else(machine::all_threads, |n| n as usize);
        let allowed =
            shortcuts(&self.shortcuts).map_err(|e| Failure::asked_wrongly(format_args!("--shortcuts: {e}")))?;
        let scenes = self.scenes(allowed)?;
        let external = self.externals(threads)?;
        let (machine, mut contestants) = self.engines(threads)?;
        for external in external {
            let name = external.name();
            let is_cluster = self.cluster.is_given() && name == ClusterEngine::KEY;
            if is_cluster || contestants.iter().any(|other| other.name == name) {
                return Err(Failure::asked_wrongly(format_args!(
                    "--external: {name:?} is taken; give it another name"
                )));
            }
            contestants.push(Contestant::external(external));
        }
        let repetitions = self.reps;
        let shortcuts = self.shortcuts.clone();
        Ok(Bench { machine, scenes, contestants, repetitions, cap_seconds: self.cap, shortcuts })
    }

    fn scenes(&self, shortcuts: Shortcuts) -> Result<Vec<Scene>, Failure> {
        let named: Vec<_> = self.views.iter().flat_map(|text| arguments(text)).collect();
        if named.is_empty() {
            return Err(Failure::asked_wrongly("--views names none; give some of those that `--help` shows"));
        }
        named.into_iter().map(|view| self.scene(view, shortcuts)).collect()
    }

    fn scene(&self, view: &str, shortcuts: Shortcuts) -> Result<Scene, Failure> {
        let scene = Scene::open(view, self.size, shortcuts)?;
        let [width, height] = scene.job.viewport.size();
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(Failure::asked_wrongly(format_args!(
                "--size {width}x{height} is too large for a bench; {MOST_PIXELS} pixels are the most"
            )));
        }
        Ok(scene)
    }

    fn externals(&self, threads: usize) -> Result<Vec<External>, Failure> {
        let parse = |text: &String| External::parse(text, threads);
        let all = self.external.iter().map(parse).collect::<Result<Vec<_>, _>>();
        all.map_err(|e| Failure::asked_wrongly(format_args!("--external: {e}")))
    }

    /// The engines that were named, or all that can be expected to be fast; and the machine that they run on.
    fn engines(&self, threads: usize) -> Result<(Machine, Vec<Contestant>), Failure> {
        let named: Option<Vec<_>> = self.engines.as_deref().map(arguments);
        // A device takes a while to open: it is looked for only where it may take part.
        let gpu_wanted = named.as_ref().is_none_or(|keys| keys.iter().any(|key| key.starts_with("gpu")));
        let machine = machine::machine(threads, gpu_wanted)?;
        let hardware = machine.gpu.as_ref().is_ok_and(|gpu: &Gpu| !gpu.is_software());
        let mut all = Contestant::all(&machine);
        let Some(keys) = named else {
            all.retain(|c| c.name != CHECKED_GPU && (!c.name.starts_with("gpu") || hardware));
            return Ok((machine, all));
        };
        // Wherever there is a cluster it takes part, named or not.
        let cluster = self.cluster.is_given().then_some(ClusterEngine::KEY);
        let known: Vec<_> =
            all.iter().map(|contestant| contestant.name.as_str()).chain(cluster).map(String::from).collect();
        let unknown = keys.iter().find(|key| !known.iter().any(|known| known == *key));
        if keys.is_empty() || unknown.is_some() {
            let key = unknown.copied().unwrap_or_default();
            let known = known.join(", ");
            let message = match key {
                ClusterEngine::KEY => "--engines: dask is a cluster; say where it is (--cluster ADDRESS)".into(),
                _ => format!("--engines: there is no {key:?}; choose from: {known}"),
            };
            return Err(Failure::asked_wrongly(message));
        }
        all.retain(|contestant| keys.contains(&contestant.name.as_str()));
        Ok((machine, all))
    }

    /// The files to write, each looked at whether it can be.
    fn files(&self) -> Result<Vec<(FileKind, Destination)>, Failure> {
        let open = |(kind, path): (FileKind, PathBuf)| Ok((kind, Destination::open(&path, self.force)?));
        let chart = self.chart.as_ref().map(|path| Ok::<_, Failure>((chart_kind(path)?, path.clone()))).transpose()?;
        // A folder is made only after all that may fail without it.
        let mut files = chart.into_iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).map_err(|e| {
                Failure::could_not(format_args!("cannot make the folder ({e}); choose another: {}", folder.display()))
            })?;
            let kinds =
                [("json", FileKind::Json), ("md", FileKind::Markdown), ("png", FileKind::Png), ("svg", FileKind::Svg)];
            for (ending, kind) in kinds {
                let path = folder.join(format!("bench.{ending}"));
                if self.chart.as_ref() != Some(&path) {
                    files.push(open((kind, path))?);
                }
            }
        }
        Ok(files)
    }
}

/// The kind of chart that a name asks for.
fn chart_kind(path: &Path) -> Result<FileKind, Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("png") => Ok(FileKind::Png),
        Some("svg") => Ok(FileKind::Svg),
        _ => Err(Failure::asked_wrongly(format_args!("--chart: end the name in .png or .svg: {}", path.display()))),
    }
}
