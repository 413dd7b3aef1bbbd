//! The command line as its users meet it: exit codes, messages, files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cardioid::app::Location;
use cardioid::app::location::png_location;
use cardioid::engine::{self, Engine as _, Naive};
use cardioid::render::{Channels, Field, HostSink, Job, Latest, Lattice, Task};
use tempfile::TempDir;

/// A folder of its own, and the program run in it.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_cardioid"));
        program.current_dir(self.0.path()).stdin(Stdio::null());
        for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            program.env_remove(display);
        }
        program
    }

    /// Runs with arguments parted by single blanks; `~` stands for a blank within one, `^` for none at all.
    pub fn run(&self, args: &str) -> Output {
        let args = args.split(' ').filter(|a| !a.is_empty()).map(|a| a.replace('~', " ").replace('^', ""));
        self.program().args(args).output().unwrap()
    }

    /// Runs what must succeed, and returns stderr.
    pub fn done(&self, args: &str) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args}: {stderr}");
        stderr
    }

    /// Runs what must fail with `code` and a message that holds `parts`, and leaves no file behind.
    pub fn refused(&self, args: &str, code: i32, parts: &[&str]) {
        let before = self.listing();
        let output = self.run(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args}: {stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{args}: {stderr:?} lacks {part:?}");
        }
        assert!(!stderr.contains("panicked") && !stderr.contains("seconds="), "{args}: {stderr}");
        assert!(output.stdout.is_empty(), "{args}: something on stdout");
        assert_eq!(self.listing(), before, "{args}: a file was left");
    }

    pub fn listing(&self) -> Vec<String> {
        let mut names: Vec<_> =
            self.0.path().read_dir().unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// The counts of the definition, straight from the plain engine.
fn naive(job: &Job) -> Field {
    let mut field = Field::missing(job.size());
    Naive.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field
}

fn counts_job(location: &Location, size: [u32; 2]) -> Job {
    let task = Task::EscapeTime(location.task(Location::COUNT_BAILOUT));
    Job { task, channels: Channels::default(), ..location.job(size).unwrap() }
}

fn u32s(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

pub fn pixels(path: &Path) -> image::RgbImage {
    image::load_from_memory(&std::fs::read(path).unwrap()).unwrap().into_rgb8()
}

#[test]
fn nonsense_is_refused_as_asked_wrongly() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::write(place.path("bad.toml"), "center = [\"0\", \"0\"]\nheight = \"-1\"").unwrap();
    std::fs::write(place.path("broken.toml"), "height = \"1\"\ncenter = [").unwrap();
    std::fs::write(place.path("empty.toml"), "").unwrap();
    std::fs::write(place.path("noise.toml"), b"\xff\xfe\x00\x01").unwrap();
    image::RgbImage::new(2, 2).save(place.path("foreign.png")).unwrap();
    // (arguments of render besides --out, parts of the message)
    for (args, parts) in [
        ("--height ^", &["--height", "empty"][..]),
        ("--height nan", &["--height", "not finite"]),
        ("--height -inf", &["--height", "not finite"]),
        ("--height -1", &["--height", "above 0"]),
        ("--height 0", &["--height", "above 0"]),
        ("--height 1e101", &["--height", "1e100"]),
        ("--height 1e99999999999999999999", &["--height", "exponent"]),
        ("--height 1,5", &["--height", "\",\""]),
        ("--height 2.5x", &["--height", "\"x\""]),
        ("--center ^", &["--center", "empty"]),
        ("--center 1,2,3", &["--center", "RE,IM"]),
        ("--center 1,2x5", &["--center", "\"x\" at character 2"]),
        ("--center -0.75+0.1k", &["--center", "\"+\" at character 6"]),
        ("--center -,+", &["--center", "RE,IM"]),
        ("--center 0,-", &["--center", "RE,IM"]),
        ("--center nan,0", &["--center", "not finite"]),
        ("--center 1e200,0", &["--center", "1e100"]),
        ("--size ^", &["--size", "1920x1080"]),
        ("--size 0x100", &["--size", "from 1 to 1048576"]),
        ("--size 100x0", &["--size", "from 1 to 1048576"]),
        ("--size -1x5", &["--size", "from 1 to 1048576"]),
        ("--size 4294967295x1", &["--size", "from 1 to 1048576"]),
        ("--size 99999999999x1", &["--size", "from 1 to 1048576"]),
        ("--size 100", &["--size", "WIDTHxHEIGHT"]),
        ("--size 1e3x5", &["--size", "WIDTHxHEIGHT"]),
        ("--size 1048576x1048576", &["1048576x1048576", "TB", "smaller size"]),
        ("--max-iterations ^", &["--max-iterations", "whole number"]),
        ("--max-iterations 0", &["--max-iterations", "from 1 to 2147483647"]),
        ("--max-iterations -5", &["--max-iterations", "from 1 to 2147483647"]),
        ("--max-iterations 1.5", &["--max-iterations", "whole number"]),
        ("--max-iterations 5.00000000000000000000000000001", &["--max-iterations", "whole number"]),
        ("--max-iterations 1e300", &["--max-iterations", "from 1 to 2147483647"]),
        ("--max-iterations NaN", &["--max-iterations", "whole number"]),
        ("--max-iterations 99999999999", &["--max-iterations", "from 1 to 2147483647"]),
        ("--bailout 1.99", &["--bailout", "2 or more"]),
        ("--bailout 1.9999999999999999999999999", &["--bailout", "2 or more"]),
        ("--bailout -3", &["--bailout", "2 or more"]),
        ("--bailout inf", &["--bailout", "not finite"]),
        ("--bailout 1e300", &["--bailout", "at most 1e9"]),
        ("--threads 0", &["--threads", "from 1 to 1024"]),
        ("--threads -2", &["--threads", "from 1 to 1024"]),
        ("--threads 99999999", &["--threads", "from 1 to 1024"]),
        ("--repeat 0", &["--repeat", "from 1 to 1000"]),
        ("--supersample 17", &["--supersample", "from 1 to 16"]),
        ("--density -1", &["--density", "from 0"]),
        ("--rotation inf", &["--rotation", "not finite"]),
        ("--engine warp", &["\"warp\"", "naive", "tiles", "auto"]),
        ("--palette beige", &["\"beige\"", "night-gold"]),
        ("--quality best", &["--quality", "exact"]),
        ("--shortcuts some", &["--shortcuts", "bulbs,cycles,symmetry"]),
        ("--box 0,1,0", &["--box", "four numbers"]),
        ("--box 1,0,0,1", &["--box", "XMIN below XMAX"]),
        ("--box 0,0,0,1", &["--box", "XMIN below XMAX"]),
        ("--box 0,1,0,1 --height 2", &["--box", "--height"]),
        ("--stretch", &["--box"]),
        ("--stretch --height 2", &["--box"]),
        ("talk-base --height 2", &["--height", "--center"]),
        ("--c 0,1", &["--c", "--view julia"]),
        ("--bogus", &["--bogus"]),
        ("home away", &["away"]),
        ("nowhere", &["\"nowhere\"", "seahorse-valley"]),
        ("-", &["\"-\"", "seahorse-valley"]),
        ("bad.toml", &["bad.toml", "height = -1", "above 0"]),
        ("broken.toml", &["broken.toml", "line 2"]),
        ("empty.toml", &["empty.toml", "empty"]),
        ("foreign.png", &["foreign.png", "holds no location"]),
    ] {
        place.refused(&format!("render {args} --out x.png"), 2, parts);
    }
    place.refused("render", 2, &["--out"]);
    place.refused("render --out --force", 2, &["--out", "not an option"]);
    place.refused("render --out x.jpg", 2, &[".jpg", ".png, .npy or .u32"]);
    place.refused("render --supersample 2 --out x.npy", 2, &["--supersample"]);
    place.refused("render --channel slope --out x.npy", 2, &["--channel", "iterations, smooth, distance"]);
    place.refused("render --channel smooth --out x.u32", 2, &[".u32", "whole numbers", ".npy"]);
    place.refused("render --channel distance --out x.png", 2, &["colours", ".npy", "--channel"]);
    place.refused("render --view bifurcation --channel smooth --out x.npy", 2, &["--channel", "bifurcation"]);
    place.refused("paint", 2, &["\"paint\""]);
}

#[test]
fn what_cannot_be_done_is_said_with_path_and_reason() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    std::fs::write(place.path("file"), "mine").unwrap();
    std::fs::write(place.path("taken.png"), "mine").unwrap();
    std::fs::write(place.path("noise.toml"), b"\xff\xfe\x00\x01").unwrap();
    std::fs::File::create(place.path("long.toml")).unwrap().set_len(1 << 32).unwrap();
    std::fs::write(place.path("cut.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    for (args, parts) in [
        ("--out taken.png", &["taken.png", "there already", "--force"][..]),
        ("--out folder", &["folder", "directory"]),
        ("--out folder/", &["folder", "directory"]),
        ("--out missing/", &["missing", "directory"]),
        ("--out missing/x.png", &["missing", "no directory"]),
        ("--out file/x.png", &["file", "no directory"]),
        ("--out /proc/x.png", &["/proc/x.png", "cannot write"]),
        ("--out folder --force", &["folder", "directory"]),
        ("gone.toml --out x.png", &["gone.toml", "no such file"]),
        ("folder --out x.png", &["folder", "directory"]),
        ("noise.toml --out x.png", &["noise.toml", "neither text nor a PNG"]),
        ("long.toml --out x.png", &["long.toml", "2097152 bytes"]),
        ("cut.png --out x.png", &["cut.png", "cannot read"]),
        ("--engine gpu --out x.png", &["gpu", "CPU engine"]),
        ("--height 1e-90000 --out x.png", &["e-9000", "bits", "a step", "of memory", "zoom out"]),
        (
            "--height 1e-100000 --out x.png",
            &["e-10000", "332352 bits", "3 days", "16777216 steps", "268 MB of memory", "zoom out"],
        ),
        ("--height 1e-60 --engine tiles --out x.png", &["e-6", "choose perturbation"]),
        ("--view julia --c 20,0 --height 1e-60 --out x.png", &["e-6", "|c| up to 16", "zoom out"]),
        (&format!("--out {}.png", "n".repeat(300)), &["nnn.png", "cannot write"]),
    ] {
        // Where a GPU is at hand, naming it works: that is another test's subject.
        if args.starts_with("--engine gpu") && place.run("engines").stdout.windows(8).any(|w| w == b"software") {
            continue;
        }
        place.refused(&format!("render --size 8x8 {args}"), 1, parts);
    }
    assert_eq!(std::fs::read(place.path("taken.png")).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_neither_written_nor_waited_for() {
    let place = Place::new();
    std::fs::write(place.path("bare"), "mine").unwrap();
    std::os::unix::fs::symlink("round", place.path("round")).unwrap();
    std::os::unix::fs::symlink("/dev/null", place.path("null.png")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("pipe.png")).status().unwrap().success());
    for (args, code, parts) in [
        ("/dev/zero --out x.png", 1, &["/dev/zero", "2097152 bytes"][..]),
        ("--out /dev/null", 1, &["/dev/null", "neither a file"]),
        ("--out /dev/null --force", 1, &["/dev/null", "neither a file"]),
        ("--out null.png --force", 1, &["null.png", "neither a file"]),
        ("--out pipe.png --force", 1, &["pipe.png", "neither a file"]),
        ("--out bare", 2, &["bare", "no ending"]),
        // A link to itself stands for all that the system does not let us look at.
        ("--out round/x.png", 1, &["round/x.png", "symbolic links"]),
        ("round/x.toml --out x.png", 1, &["round/x.toml", "symbolic links"]),
    ] {
        place.refused(&format!("render --size 8x8 {args}"), code, parts);
    }
    assert!(!Path::new("/dev/null.png").exists());
}

#[cfg(unix)]
#[test]
fn locations_come_through_pipes() {
    let place = Place::new();
    std::fs::write(place.path("l.toml"), "height = 1\nsize = [8, 6]").unwrap();
    place.done("render l.toml --out l.png");
    let program = env!("CARGO_BIN_EXE_cardioid");
    for (n, file) in ["l.toml", "l.png"].iter().enumerate() {
        let script = format!("cat {file} | {program} render /dev/stdin --out {n}.png");
        let output = Command::new("sh").args(["-c", &script]).current_dir(place.0.path()).output().unwrap();
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(pixels(&place.path(&format!("{n}.png"))), pixels(&place.path("l.png")), "{file}");
    }
}

#[test]
fn messages_stay_short_whatever_was_given() {
    let place = Place::new();
    let page = "x".repeat(100_000);
    std::fs::write(place.path("keys.toml"), (0..10_000).map(|k| format!("k{k} = 1\n")).collect::<String>()).unwrap();
    for (args, end) in [
        (format!("--height {page}"), "like -0.75 or 4e-30"),
        (format!("--size {page}"), "1920x1080"),
        (format!("--quality {page}"), "exact"),
        (format!("--engine {page}"), "auto"),
        (format!("--palette {page}"), "night-gold"),
        (page.clone(), "spiral"),
        (format!("{page}.toml"), ".toml"),
        ("keys.toml --engine warp".into(), "10000 keys"),
    ] {
        let stderr = String::from_utf8(place.run(&format!("render {args} --out x.png")).stderr).unwrap();
        assert!(stderr.len() < 3000 && stderr.contains(end), "{end}: {} bytes", stderr.len());
    }
    let stderr = String::from_utf8(place.run(&format!("render --out {page}.png")).stderr).unwrap();
    assert!(stderr.len() < 3000 && stderr.contains("too long"), "{} bytes", stderr.len());
}

#[cfg(target_os = "linux")]
#[test]
fn figures_that_cannot_be_printed_leave_the_file_and_say_so() {
    let place = Place::new();
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = place.program().args("render --size 8x8 --json --out a.png".split(' ')).stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && stderr.contains("there all the same: a.png"), "{stderr}");
    assert_eq!(place.listing(), ["a.png"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_file() {
    let place = Place::new();
    // A limit on file size fails as a full disk does: in the middle of a write.
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec {} render --size 400x400 --out big.u32",
        env!("CARGO_BIN_EXE_cardioid")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.0.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("writing failed") && stderr.contains("big.u32"), "{stderr}");
    assert_eq!(place.listing(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_file() {
    let place = Place::new();
    let long =
        ["render", "interior", "--max-iterations", "2e6", "--shortcuts", "none", "--engine", "naive", "--out", "x.png"];
    let child = place.program().args(long).stderr(Stdio::piped()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while place.listing().is_empty() && begun.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("interrupted"), "{stderr}");
    assert_eq!(place.listing(), [""; 0]);
}

#[test]
fn counts_are_those_of_the_definition() {
    let place = Place::new();
    let location =
        Location::parse("here", "center = [\"-0.75\", \"0.1\"]\nheight = \"0.4\"\nmax_iterations = 300").unwrap();
    std::fs::write(place.path("here.toml"), location.to_toml()).unwrap();
    for size in [[1, 7], [63, 5], [64, 4], [65, 3], [1001, 2]] {
        let [width, height] = size;
        let expected: Vec<_> = naive(&counts_job(&location, size)).samples().iter().map(|s| s.iterations).collect();
        place.done(&format!("render here.toml --size {width}x{height} --force --out c.npy"));
        place.done(&format!("render here.toml --size {width}x{height} --force --out c.u32"));

        let npy = std::fs::read(place.path("c.npy")).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
        let header = std::str::from_utf8(&npy[10..start]).unwrap();
        assert_eq!((&npy[..8], start % 64), (&b"\x93NUMPY\x01\x00"[..], 0));
        assert!(
            header.starts_with(&format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({height}, {width}), }}"))
        );
        assert_eq!(u32s(&npy[start..]), expected, "{size:?}");

        let capped: Vec<_> = expected.iter().map(|&n| if n == 0 { 300 } else { n }).collect();
        assert_eq!(u32s(&std::fs::read(place.path("c.u32")).unwrap()), capped, "{size:?}");
    }
}

#[test]
fn options_say_the_same_as_files() {
    let place = Place::new();
    std::fs::write(place.path("box.toml"), "box = [-2, 1, -1, 1]").unwrap();
    std::fs::write(place.path("julia.toml"), "view = \"julia\"\nc = [-0.7, 0.2]").unwrap();
    // (options, the same as a location)
    for (options, text) in [
        (
            "--center -0.75,0.1 --height .5 --max-iterations 99",
            "center = [-0.75, 0.1]\nheight = 0.5\nmax_iterations = 99",
        ),
        ("-0.75+0.1i --height 5e-1 --bailout 4", "center = [-0.75, 0.1]\nheight = 0.5\nbailout = 4"),
        ("--box=-2.5,1,-1.25,1.25 --stretch", "box = [-2.5, 1, -1.25, 1.25]\nstretch = true"),
        ("--box -2,1,-1,1", "box = [-2, 1, -1, 1]"),
        ("talk-base --center -0.75,0 --height 2", "center = [-0.75, 0]\nheight = 2\nmax_iterations = 100"),
        ("talk-base --center -1,.5", "box = [-2.75, 0.75, -0.75, 1.75]\nstretch = true\nmax_iterations = 100"),
        ("box.toml --stretch", "box = [-2, 1, -1, 1]\nstretch = true"),
        ("julia.toml --view mandelbrot", "height = 2.5"),
        ("-i --height 1", "center = [0, -1]\nheight = 1"),
        ("--rotation -30", "rotation = 330"),
        ("--shortcuts none --engine naive --quality draft", "engine = \"naive\""),
    ] {
        place.done(&format!("render {options} --size 40x30 --force --out o.npy"));
        std::fs::write(place.path("l.toml"), text).unwrap();
        place.done("render l.toml --size 40x30 --force --out l.npy");
        let read = |name| std::fs::read(place.path(name)).unwrap();
        assert_eq!(read("o.npy"), read("l.npy"), "{options}");
    }
}

#[test]
fn a_locations_engine_is_a_wish_and_an_options_is_an_order() {
    let place = Place::new();
    std::fs::write(place.path("l.toml"), "engine = \"warp\"\nsize = [8, 8]").unwrap();
    let stderr = place.done("render l.toml --out a.png");
    assert!(stderr.contains("\"warp\"") && stderr.contains("auto"), "{stderr}");
    place.refused("render l.toml --engine warp --out b.png", 2, &["\"warp\""]);
    place.done("render l.toml --engine naive --out c.png");
}

#[test]
fn pictures_lead_back_to_themselves() {
    let place = Place::new();
    for options in [
        "seahorse-valley --size 64x48 --palette ember --density 1.5 --offset 0.2",
        "--size 33x65 --supersample 3 --curve log --rotation 20",
        "talk-slight --size 50x20",
        "--center -0.74364388703715904752191506114774,0.1318259042053119704931320563851 --height 1e-9 --size 31x17",
    ] {
        place.done(&format!("render {options} --force --out first.png"));
        // The name and all else may change; what is inside counts.
        std::fs::rename(place.path("first.png"), place.path("moved")).unwrap();
        place.done("render moved --force --out second.png");
        assert_eq!(pixels(&place.path("moved")), pixels(&place.path("second.png")), "{options}");
    }
    let told = png_location(&place.path("second.png")).unwrap().to_toml();
    assert!(
        told.contains("\"-0.74364388703715904752191506114774\"") && told.contains("engine = \"perturbation\""),
        "{told}"
    );
}

#[test]
fn pictures_say_that_they_are_srgb() {
    let place = Place::new();
    place.done("render --size 9x7 --out a.png");
    let bytes = std::fs::read(place.path("a.png")).unwrap();
    let info = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap().info().clone();
    assert!(info.srgb.is_some() && info.icc_profile.is_none());
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
}

#[test]
fn bands_do_not_show() {
    let place = Place::new();
    // More samples than one band holds, and an odd number of rows in the last.
    place.done("render --size 3001x2801 --max-iterations 20 --out many.u32");
    let counts = u32s(&std::fs::read(place.path("many.u32")).unwrap());
    let location = Location::parse("here", "max_iterations = 20").unwrap();
    let field = naive(&counts_job(&location, [3001, 2801]));
    assert!(field.samples().iter().zip(counts).all(|(s, n)| n == if s.iterations == 0 { 20 } else { s.iterations }));
    // The same of distances, in the rows where one band ends and the next begins.
    place.done("render --size 3001x2801 --max-iterations 20 --channel distance --out many.npy");
    let job = Job { lattice: Lattice::band(2780, 21), ..channel_job(&location, [3001, 2801]) };
    let expected: Vec<_> = slopes(&job).slopes().unwrap().iter().map(|slope| slope.distance).collect();
    let (numpy_type, bytes) = npy(&place, "many.npy");
    assert_eq!((numpy_type.as_str(), bytes.len()), ("<f4", 4 * 3001 * 2801));
    assert!(f32s(&bytes[4 * 3001 * 2780..]) == expected);
}

/// Smooth counts and distances of a location, as files have them.
fn channel_job(location: &Location, size: [u32; 2]) -> Job {
    let channels = Channels { smooth: true, periods: false, distance: true };
    Job { channels, ..location.job(size).unwrap() }
}

fn slopes(job: &Job) -> Field {
    let mut field = Field::of_job(job);
    engine::render(&mut Naive, job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    field
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn channels_are_those_of_the_definition() {
    let place = Place::new();
    for (options, text) in [
        ("--center=-0.7436,0.1318 --height 0.001", "center = [\"-0.7436\", \"0.1318\"]\nheight = \"0.001\""),
        (
            "--formula burning-ship --bailout 50 --rotation 20",
            "formula = \"burning-ship\"\nbailout = 50\nrotation = 20",
        ),
        ("--view julia --c -0.12,0.74", "view = \"julia\"\nc = [\"-0.12\", \"0.74\"]"),
    ] {
        let location = Location::parse("here", text).unwrap();
        std::fs::write(place.path("here.toml"), text).unwrap();
        let field = slopes(&channel_job(&location, [40, 30]));
        for (channel, numpy_type) in [("smooth", "<f8"), ("distance", "<f4")] {
            for given in [options, "here.toml"] {
                place.done(&format!("render {given} --size 40x30 --channel {channel} --force --out c.npy"));
                let (got_type, bytes) = npy(&place, "c.npy");
                assert_eq!(got_type, numpy_type, "{given}");
                if channel == "smooth" {
                    let got = bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
                    let expected: Vec<_> = field.samples().iter().map(|sample| sample.smooth()).collect();
                    assert_eq!(got.collect::<Vec<_>>(), expected, "{given}");
                } else {
                    let expected: Vec<_> = field.slopes().unwrap().iter().map(|slope| slope.distance).collect();
                    assert_eq!(f32s(&bytes), expected, "{given}");
                }
            }
        }
        place.done(&format!("render {options} --size 40x30 --force --out without.npy"));
        place.done(&format!("render {options} --size 40x30 --channel iterations --force --out with.npy"));
        assert_eq!(npy(&place, "without.npy"), npy(&place, "with.npy"), "{options}");
    }
}

#[test]
fn figures_come_last_and_as_json() {
    let place = Place::new();
    let stderr = place.done("render --size 16x16 --repeat 3 --out a");
    let last = stderr.trim_end().lines().last().unwrap();
    let seconds = last.split("seconds=").nth(1).unwrap().split(' ').next().unwrap();
    assert!(seconds.parse::<f64>().unwrap() > 0.0, "{last}");
    assert_eq!(place.listing(), ["a.png"], "a name without an ending gets one");
    place.done("render --size 8x8 --out -5.png");
    assert_eq!(place.listing(), ["-5.png", "a.png"], "a name may begin with a minus");

    let output = place.run("render --size 16x8 --json --threads 1 --out b.npy");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for (key, value) in [("width", 16), ("height", 8), ("max_iterations", 1000), ("threads", 1)] {
        assert_eq!(json[key], value, "{key}");
    }
    assert_eq!(json["engine"], "tiles");
    for key in ["compute_seconds", "total_seconds", "steps", "steps_done"] {
        assert!(json[key].as_f64().unwrap() > 0.0, "{key}");
    }
}

#[test]
fn engines_are_listed() {
    let place = Place::new();
    let output = place.run("engines --json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let tiles = json["engines"].as_array().unwrap().iter().find(|e| e["key"] == "tiles").unwrap();
    assert_eq!(tiles["available"], true);
    let text = String::from_utf8(place.run("engines").stdout).unwrap();
    assert!(["naive", "tiles", "gpu", "auto"].iter().all(|key| text.contains(key)), "{text}");
}

#[cfg(unix)]
#[test]
fn readers_that_go_away_are_no_error() {
    let place = Place::new();
    for args in ["engines", "engines --json", "--help", "render --help"] {
        let script = format!("{} {args} | true; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_cardioid"));
        let output = Command::new("bash").args(["-c", &script]).current_dir(place.0.path()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !stderr.contains("panicked"), "{args}: {:?} {stderr}", output.status);
    }
}

#[test]
fn without_a_display_the_home_view_becomes_a_picture() {
    let place = Place::new();
    std::fs::write(place.path("cardioid.png"), "mine").unwrap();
    std::fs::write(place.path("small.toml"), "size = [20, 10]").unwrap();
    let stderr = place.done("small.toml");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("display") && stderr.contains("cardioid-1.png"), "{stderr}");
    assert!(!stderr.contains(".rs:"), "a place in someone's sources: {stderr}");
    assert_eq!(std::fs::read(place.path("cardioid.png")).unwrap(), b"mine");
    assert_eq!(pixels(&place.path("cardioid-1.png")).dimensions(), (20, 10));
    std::fs::write(place.path("deep.toml"), "height = 1e-90000").unwrap();
    place.refused("deep.toml", 1, &["no display here", "zoom out"]);
}

#[test]
fn diagrams_are_pictures_or_hits_of_an_exact_box() {
    let place = Place::new();
    let hits = "render --view bifurcation --box -1.9,0.2,-2.05,2.05 --size 50x40 --orbits 4 --samples 100";
    place.done(&format!("{hits} --out hits.npy"));
    let bytes = std::fs::read(place.path("hits.npy")).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'shape': (40, 50)"));
    let hits: Vec<u32> =
        bytes[bytes.len() - 4 * 2000..].chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    for x in 0..50 {
        assert_eq!((0..40).map(|y| hits[y * 50 + x]).sum::<u32>(), 400, "column {x}");
    }
    place.done("render --view bifurcation --size 64x48 --samples 50 --quality draft --scheme ink --out a.png");
    assert_eq!(image::image_dimensions(place.path("a.png")).unwrap(), (64, 48));
    for (args, code, part) in [
        ("--view bifurcation --samples 0", 2, "whole number"),
        ("--view bifurcation --samples 1e12", 2, "whole number"),
        ("--view bifurcation --box 1,1,0,1", 2, "XMIN below XMAX"),
        ("--view bifurcation --palette fire", 2, "--palette means nothing"),
        ("--view bifurcation --size 200000x200000", 2, "more than can be written"),
        ("--view bifurcation --engine simd", 1, "choose one of: naive, tiles"),
        ("--view bifurcation --map tent --box 1.5,1.5000000000000001,0,1", 1, "only of x² + c"),
        ("--samples 5", 2, "add --view bifurcation"),
    ] {
        place.refused(&format!("render {args} --out no.png"), code, &[part]);
    }
}

/// The type of the numbers of a `.npy` file, and their bytes.
fn npy(place: &Place, name: &str) -> (String, Vec<u8>) {
    let mut bytes = std::fs::read(place.path(name)).unwrap();
    let numbers = bytes.split_off(10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]])));
    let header = String::from_utf8_lossy(&bytes[10..]).into_owned();
    (header.split('\'').nth(3).unwrap().into(), numbers)
}

/// The numbers of a `.npy` file of counts.
fn npy_counts(place: &Place, name: &str) -> Vec<u32> {
    let (numpy_type, bytes) = npy(place, name);
    assert_eq!(numpy_type, "<u4");
    u32s(&bytes)
}

#[test]
fn complex_diagrams_are_panels_of_a_line() {
    let place = Place::new();
    let draw = |args: &str, name: &str| {
        place.done(&format!("render --view {args} --orbits 4 --samples 101 --size 50x40 --force --out {name}"));
    };
    let line = "bifurcation-complex --section";
    draw(&format!("{line} 0.1 --box -1.2,-0.8,-2,2"), "both.npy");
    let both = npy_counts(&place, "both.npy");
    for (panel, ordinate) in both.chunks(50 * 20).zip(["re", "im"]) {
        place.done(&format!(
            "render --view {line} 0.1 --box -1.2,-0.8,-2,2 --ordinate {ordinate} --orbits 4 --samples 101 --size 50x20 \
             --force --out one.npy"
        ));
        assert_eq!(npy_counts(&place, "one.npy"), panel, "{ordinate}");
        for x in 0..50 {
            // Two points, of which one has 51 hits of each orbit and the other 50.
            let mut hits: Vec<u32> = (0..20).map(|y| panel[y * 50 + x]).filter(|&hits| hits > 0).collect();
            hits.sort_unstable();
            assert_eq!(hits.iter().sum::<u32>(), 404, "{ordinate}, column {x}");
            assert!(hits == [200, 204] || hits == [404] || hits.len() > 2, "{ordinate}, column {x}: {hits:?}");
        }
    }
    draw(&format!("{line} -0.1 --ordinate im --box -1.2,-0.8,-2,2"), "below.npy");
    draw(&format!("{line} 0.1 --ordinate im --box -1.2,-0.8,-2,2"), "above.npy");
    let flipped: Vec<u32> = npy_counts(&place, "above.npy").chunks(50).rev().flatten().copied().collect();
    assert_eq!(npy_counts(&place, "below.npy"), flipped);
    for name in ["png", "npy"] {
        draw(&format!("{line} 0 --ordinate re --box -2,0.25,-2,2"), &format!("line.{name}"));
        draw("bifurcation --box -2,0.25,-2,2", &format!("real.{name}"));
        let read = |of: &str| std::fs::read(place.path(&format!("{of}.{name}"))).unwrap();
        assert_eq!(read("line"), read("real"), "{name}");
    }
    for (size, options) in [("64x48", "--skip 5000 --scheme ink"), ("33x31", "--no-fan"), ("1x3", "--quality draft")] {
        place.done(&format!("render --view {line} 0.25 {options} --orbits 1 --size {size} --force --out a.png"));
        let [width, height] = <[u32; 2]>::from(image::image_dimensions(place.path("a.png")).unwrap());
        assert_eq!(format!("{width}x{height}"), size);
    }
    place.done(&format!("render --view {line} 0.2 --ordinate im --skip 5 --size 40x30 --out told.png"));
    place.done("render told.png --out again.png");
    assert_eq!(pixels(&place.path("told.png")), pixels(&place.path("again.png")), "a picture leads back to itself");
    for (args, code, part) in [
        ("--section NaN", 2, "NaN"),
        ("--section 1e10", 2, "from -2 to 2"),
        ("--section ^", 2, "empty"),
        ("--section 0.1 --box 0,0,-1,1", 2, "XMIN below XMAX"),
        ("--section 0.1 --box 0,1,1,-1", 2, "YMIN below YMAX"),
        ("--section 0.1 --samples 0", 2, "whole number"),
        ("--section 0.1 --samples 1e12", 2, "whole number"),
        ("--section 0.1 --samples 2e6", 2, "too many"),
        ("--section 0.1 --orbits 0", 2, "from 1 to 4096"),
        ("--section 0.1 --skip -1", 2, "from 0 to 10000"),
        ("--section 0.1 --skip 10001", 2, "from 0 to 10000"),
        ("--section 0.1 --ordinate abs", 2, "re, im, both"),
        ("--section 0.1 --size 10x2", 2, "larger height"),
        ("--section 0.1 --map tent", 2, "add --view bifurcation, "),
        ("--section 0.1 --yaw 1", 2, "add --view bifurcation-3d"),
        ("--section 0.1 --max-iterations 9", 2, "means nothing"),
        ("--section 0.1 --size 200000x200000", 2, "more than can be written"),
        ("--section 0.1 --engine simd", 1, "choose one of: naive, tiles"),
        ("--section 0.1 --box -1.5,-1.4999999999999999,0,1", 1, "zoom out"),
    ] {
        place.refused(&format!("render --view bifurcation-complex {args} --out no.png"), code, &[part]);
    }
    place.refused("render --view bifurcation-complex --size 10x11 --out no.npy", 2, &["even height"]);
    place.refused("render --view bifurcation --skip 5 --out no.png", 2, &["add --view bifurcation-complex"]);
}

#[test]
fn scenes_in_space_are_pictures_from_any_side() {
    let place = Place::new();
    for (args, name) in [
        ("--section -0.3 --ghost --yaw 1 --pitch -0.2 --distance 4", "section.png"),
        ("--scene set", "set.png"),
        ("--fly 0.5 --quality draft", "fly.png"),
        ("--section 0.1 --fly 1 --engine naive", "side.png"),
    ] {
        place.done(&format!("render --view bifurcation-3d {args} --samples 20000 --size 64x48 --out {name}"));
        assert_eq!(image::image_dimensions(place.path(name)).unwrap(), (64, 48), "{args}");
    }
    for (args, code, part) in [
        ("--view bifurcation-3d --section NaN", 2, "NaN"),
        ("--view bifurcation-3d --section 2.5", 2, "from -2 to 2"),
        ("--view bifurcation-3d --distance 0", 2, "a number from 0.05"),
        ("--view bifurcation-3d --distance -1", 2, "a number from 0.05"),
        ("--view bifurcation-3d --pitch 2", 2, "a number from -1.6"),
        ("--view bifurcation-3d --fly 1.5", 2, "a number from 0 to 1"),
        ("--view bifurcation-3d --fly 0.5 --yaw 1", 2, "--yaw"),
        ("--view bifurcation-3d --samples 0", 2, "whole number"),
        ("--view bifurcation-3d --samples 1e12", 2, "whole number"),
        ("--view bifurcation-3d --samples 10", 2, "too few"),
        ("--view bifurcation-3d --scene tree", 2, "section, set"),
        ("--view bifurcation-3d --scene set --section 0.1", 2, "--section is of --scene section"),
        ("--view bifurcation-3d --palette fire", 2, "--palette means nothing"),
        ("--view bifurcation-3d --size 100000x100000", 2, "too large"),
        ("--view bifurcation-3d --engine simd", 1, "choose one of: naive, tiles"),
        ("--view bifurcation --samples 2e6", 2, "too many"),
        ("--view bifurcation --yaw 1", 2, "add --view bifurcation-3d"),
        ("--section 0.1", 2, "add --view bifurcation-complex or bifurcation-3d"),
        ("--view bifurcation-3d --skip 1", 2, "add --view bifurcation-complex"),
    ] {
        place.refused(&format!("render {args} --out no.png"), code, &[part]);
    }
    place.refused("render --view bifurcation-3d --out no.npy", 2, &["end the file's name in .png"]);
}
