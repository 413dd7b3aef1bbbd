//! The real window: the built program on a screen of its own, moved by mouse and keys.
//!
//! What a test wants to know of the view it reads from pictures: the PNG that S saves holds the
//! whole location. Needs Xvfb and its kin (`tests/run` brings them) and `SLOW=1`; on failure the last
//! sight of the window lies in `target/window`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use cardioid::app::Location;
use cardioid::app::location::png_location;
use cardioid::render::Viewport;
use image::RgbImage;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cardioid");
/// Patience with a slow machine; nothing waits longer than it must.
const PATIENCE: Duration = Duration::from_secs(60);
const LEFT: &str = "1";
/// winit 0.30 takes both press and release of a wheel without axes, such as xdotool's, for a notch (winit#4386).
const NOTCHES_PER_CLICK: i32 = 2;

/// Polls until there is something.
fn until<T>(what: &str, mut get: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = get() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An X server without a screen, one at a time: windows of two tests would slow each other.
struct Screen {
    display: String,
    server: Child,
    manager: Option<Child>,
    _one_at_a_time: MutexGuard<'static, ()>,
}

impl Screen {
    /// Opens a screen; `None`, with a line, where this machine has none to give or no time for it.
    fn open(size: &str, managed: bool) -> Option<Self> {
        static ONE: Mutex<()> = Mutex::new(());
        if std::env::var_os("SLOW").is_none_or(|slow| slow == "0") {
            eprintln!("skipped: the window's tests take minutes; SLOW=1 runs them");
            return None;
        }
        for tool in ["Xvfb", "xdotool", "import", "wmctrl", "openbox"] {
            let found = Command::new("which").arg(tool).stdout(Stdio::null()).status().is_ok_and(|s| s.success());
            if !found {
                assert!(
                    std::env::var("CI").map_or(true, |ci| ci != "true"),
                    "{tool} is missing; tests/run installs it"
                );
                eprintln!("skipped: {tool} is missing; tests/run installs it on Debian");
                return None;
            }
        }
        let lock = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Without -noreset the server starts anew whenever its last client leaves, in the face of the next one.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", size])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is there");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let display = format!(":{}", number.trim());
        let manager = managed.then(|| {
            let mut openbox = Command::new("openbox");
            openbox.env("DISPLAY", &display).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        });
        let screen = Self { display, server, manager, _one_at_a_time: lock };
        if managed {
            until("the window manager", || screen.tool("wmctrl", &["-m"]).status.success().then_some(()));
        }
        Some(screen)
    }

    fn tool(&self, name: &str, args: &[&str]) -> Output {
        Command::new(name).args(args).env("DISPLAY", &self.display).output().unwrap()
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let output = self.tool("xdotool", args);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        for child in self.manager.iter_mut().chain([&mut self.server]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The program, with a home of its own.
fn program(home: &Path, display: Option<&str>) -> Command {
    let mut program = Command::new(PROGRAM);
    program.current_dir(home).env("HOME", home).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "WGPU_BACKEND", "VK_DRIVER_FILES"] {
        program.env_remove(name);
    }
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
        program.env(name, home);
    }
    program.envs(display.map(|d| ("DISPLAY", d)));
    program
}

/// The program's window, open on a screen.
struct Window<'a> {
    screen: &'a Screen,
    program: Child,
    id: String,
    home: TempDir,
    /// Time from the start of the program to a picture on the screen.
    opened_in: Duration,
}

impl<'a> Window<'a> {
    fn open(screen: &'a Screen, env: &[(&str, &str)], args: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        // Saved pictures have one sample a pixel, and so has what they are held against.
        fs::create_dir(home.path().join("cardioid")).unwrap();
        fs::write(home.path().join("cardioid/settings.toml"), "antialiasing = false\n").unwrap();
        let start = Instant::now();
        let program = program(home.path(), Some(&screen.display)).envs(env.iter().copied()).args(args).spawn().unwrap();
        let mut window = Self { screen, program, id: String::new(), home, opened_in: Duration::ZERO };
        window.id = until("a window", || {
            window.assert_alive();
            let ids = screen.xdotool(&["search", "--name", "^Cardioid$"]);
            ids.lines().next_back().map(str::to_owned)
        });
        until("the first picture", || {
            window.assert_alive();
            if window.sight().is_none() {
                // While openbox starts it may lose the request of a window to be shown.
                screen.xdotool(&["windowmap", &window.id]);
            }
            (window.colors() > 200).then_some(())
        });
        window.opened_in = start.elapsed();
        // With no window manager nobody gives the keyboard to a new window.
        let focus = if screen.manager.is_some() { "windowactivate" } else { "windowfocus" };
        screen.xdotool(&[focus, "--sync", &window.id]);
        window
    }

    fn assert_alive(&mut self) {
        if let Some(status) = self.program.try_wait().unwrap() {
            panic!("the program ended, {status}: {}", self.complaints());
        }
    }

    /// What the program wrote to stderr; only once it has ended.
    fn complaints(&mut self) -> String {
        let mut stderr = self.program.stderr.take().unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stderr, &mut text).unwrap();
        text
    }

    fn size(&self) -> [u32; 2] {
        let shell = self.screen.xdotool(&["getwindowgeometry", "--shell", &self.id]);
        ["WIDTH=", "HEIGHT="].map(|name| shell.lines().find_map(|l| l.strip_prefix(name)).unwrap().parse().unwrap())
    }

    fn resize(&self, [width, height]: [u32; 2]) {
        self.screen.xdotool(&["windowsize", &self.id, &width.to_string(), &height.to_string()]);
    }

    /// What the window shows.
    fn sight(&self) -> Option<RgbImage> {
        // Of a window that is gone, `import` would wait for ever.
        let ppm = self.screen.tool("timeout", &["20", "import", "-window", &self.id, "-depth", "8", "ppm:-"]).stdout;
        let mut parts = ppm.splitn(4, u8::is_ascii_whitespace);
        let (magic, width, height) = (parts.next()?, parts.next()?, parts.next()?);
        let pixels = parts.next()?.strip_prefix(b"255\n")?;
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok();
        assert_eq!(magic, b"P6");
        RgbImage::from_raw(number(width)?, number(height)?, pixels.to_vec())
    }

    /// Different colours in the middle of the window.
    fn colors(&self) -> usize {
        let Some(sight) = self.sight() else { return 0 };
        let (width, height) = sight.dimensions();
        let middle = image::imageops::crop_imm(&sight, width * 2 / 5, height / 4, width / 4, height / 2).to_image();
        middle.pixels().collect::<std::collections::HashSet<_>>().len()
    }

    fn key(&self, keys: &str) {
        self.screen.xdotool(&["key", "--delay", "60", keys]);
    }

    fn point(&self, at: [u32; 2]) {
        self.screen.xdotool(&["mousemove", "--window", &self.id, &at[0].to_string(), &at[1].to_string()]);
    }

    /// Turns the wheel at a place of the window, in pixels; gives the magnification that comes of it.
    fn wheel(&self, at: [u32; 2], clicks: i32) -> f64 {
        self.point(at);
        let button = if clicks > 0 { "4" } else { "5" };
        self.screen.xdotool(&["click", "--repeat", &clicks.abs().to_string(), "--delay", "30", button]);
        1.25f64.powi(clicks * NOTCHES_PER_CLICK)
    }

    /// Drags with the left button, and lets the hand rest before letting go, so that nothing is thrown.
    fn drag(&self, from: [u32; 2], by: [i32; 2]) {
        const STEPS: i32 = 8;
        self.point(from);
        let mut script: Vec<String> = ["mousedown", LEFT].map(String::from).to_vec();
        for _ in 0..STEPS {
            script.extend(["sleep", "0.03", "mousemove_relative", "--"].map(String::from));
            script.extend(by.map(|d| (d / STEPS).to_string()));
        }
        script.extend(["sleep", "0.3", "mouseup", LEFT].map(String::from));
        self.screen.xdotool(&script.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Saves the view by key, once it has come to rest, and reads where it is.
    fn save(&mut self) -> Saved {
        let mut before = self.save_now();
        for _ in 0..20 {
            let after = self.save_now();
            if after.viewport == before.viewport {
                return after;
            }
            before = after;
        }
        panic!("the view never comes to rest");
    }

    fn save_now(&mut self) -> Saved {
        let before = pictures(self.home.path());
        let mut asked = None::<Instant>;
        let path = until("a saved picture", || {
            self.assert_alive();
            // A second picture is refused while the window still hears of the first.
            if asked.is_none_or(|at| at.elapsed() > Duration::from_secs(5)) {
                self.key("s");
                asked = Some(Instant::now());
            }
            pictures(self.home.path()).into_iter().find(|p| !before.contains(p))
        });
        let location = png_location(&path).unwrap();
        let viewport = location.viewport(location.size.unwrap()).unwrap();
        let picture = image::open(&path).unwrap().into_rgb8();
        assert_eq!(location.size.unwrap(), [picture.width(), picture.height()]);
        Saved { location, viewport, picture, path }
    }

    /// Share of the canvas's pixels that are seen as they were saved, within a colour level.
    ///
    /// Where overlays lie is left out: `seen` holds the share of the canvas's height to look at.
    fn likeness(&self, saved: &Saved, seen: std::ops::Range<f64>) -> f64 {
        let Some(sight) = self.sight() else { return 0.0 };
        let [width, height] = [saved.picture.width(), saved.picture.height()];
        let Some(left) = sight.width().checked_sub(width).filter(|_| sight.height() == height) else { return 0.0 };
        let rows = (seen.start * f64::from(height)) as u32..(seen.end * f64::from(height)) as u32;
        let alike = |x: u32, y: u32| {
            let (seen, saved) = (sight.get_pixel(left + x, y), saved.picture.get_pixel(x, y));
            (0..3).all(|c| seen[c].abs_diff(saved[c]) <= 1)
        };
        let all = width as usize * rows.len();
        let count = rows.flat_map(|y| (0..width).map(move |x| (x, y))).filter(|&(x, y)| alike(x, y)).count();
        count as f64 / all as f64
    }

    /// Waits until the window shows what was saved.
    fn shows(&self, saved: &Saved, share: f64, what: &str) {
        let mut best = 0.0f64;
        let deadline = Instant::now() + PATIENCE;
        while best < share {
            assert!(Instant::now() < deadline, "{what}: only {:.2} % of the pixels are right", best * 100.0);
            best = best.max(self.likeness(saved, 0.4..0.75));
        }
    }

    /// Waits for the end, which must be a good one.
    fn ends_well(mut self) {
        let status = until("the end of the program", || self.program.try_wait().unwrap());
        let complaints = self.complaints();
        assert_eq!((status.code(), complaints.as_str()), (Some(0), ""));
    }

    /// A figure of `/proc/PID/status`, in megabytes.
    fn memory(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.program.id())).unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(":")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    }

    /// Processor time so far, in hundredths of a second.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.program.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let is_open = self.program.try_wait().is_ok_and(|ended| ended.is_none());
        if std::thread::panicking()
            && is_open
            && let Some(sight) = self.sight()
        {
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/window");
            let name = std::thread::current().name().unwrap_or("window").replace("::", "-");
            let path = folder.join(format!("{name}.png"));
            if fs::create_dir_all(folder).is_ok() && sight.save(&path).is_ok() {
                eprintln!("what the window showed: {}", path.display());
            }
        }
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A picture saved by the window, and the place written in it.
struct Saved {
    location: Location,
    viewport: Viewport,
    picture: RgbImage,
    path: PathBuf,
}

impl Saved {
    fn height(&self) -> f64 {
        self.viewport.height().to_f64()
    }

    /// How far a place of the canvas moved from this view to another, in pixels.
    fn drift(&self, later: &Self, at: [f64; 2]) -> [f64; 2] {
        let [x, y] = later.viewport.pixel_from_plane(&self.viewport.plane_from_pixel(at));
        [x - at[0], y - at[1]]
    }
}

fn pictures(folder: &Path) -> Vec<PathBuf> {
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "png")).collect()
}

#[test]
fn a_session_of_mouse_and_keys() {
    let Some(screen) = Screen::open("1600x1000x24", true) else { return };
    let mut window = Window::open(&screen, &[], &[]);
    println!("first picture on the screen after {:?}", window.opened_in);

    // Home, as it stands on the screen.
    let home = window.save_now();
    assert_eq!(home.viewport.center().re.to_string(), "-0.75");
    assert_eq!(home.height(), 2.5);
    let panel = window.size()[0] - home.picture.width();
    assert!((200..500).contains(&panel), "a panel of {panel} pixels");
    window.shows(&home, 0.999, "home");

    // Drag: the picture follows the hand.
    window.drag([800, 400], [-160, 80]);
    let dragged = window.save_now();
    let [dx, dy] = home.drift(&dragged, [300.0, 300.0]);
    assert!((dx + 160.0).abs() < 1.0 && (dy - 80.0).abs() < 1.0, "dragged by {dx}, {dy}");
    window.shows(&dragged, 0.999, "dragged");

    // Wheel: the point under the pointer stays, a notch magnifies by 1.25.
    let expected = window.wheel([panel + 420, 430], 2);
    let zoomed = window.save();
    let factor = dragged.height() / zoomed.height();
    assert!((factor / expected - 1.0).abs() < 1e-9, "magnified by {factor}, not {expected}");
    let [dx, dy] = dragged.drift(&zoomed, [420.0, 430.0]);
    assert!(dx.abs() < 0.5 && dy.abs() < 0.5, "the point under the pointer moved by {dx}, {dy}");
    window.shows(&zoomed, 0.999, "zoomed");

    // The saved picture is what the command line draws of the location in it.
    let elsewhere = tempfile::tempdir().unwrap();
    let again = elsewhere.path().join("again.png");
    let mut render = program(window.home.path(), None);
    let render = render.arg("render").arg(&zoomed.path).arg("--out").arg(&again).output().unwrap();
    assert!(render.status.success(), "{}", String::from_utf8_lossy(&render.stderr));
    assert!(image::open(&again).unwrap().into_rgb8() == zoomed.picture, "another picture than the window's");

    // Engines by key: each draws the same picture.
    for (key, engine, share) in [("3", "simd", 0.999), ("5", "tiles", 0.999), ("6", "gpu", 0.97), ("a", "auto", 0.999)]
    {
        window.key(key);
        window.key("F5");
        let saved = window.save_now();
        let asked = if engine == "gpu" || engine == "auto" { "tiles" } else { engine };
        assert_eq!(saved.location.engine.as_deref(), Some(asked), "files are drawn by f64 engines");
        assert!(saved.picture == zoomed.picture, "{engine} draws another picture");
        window.shows(&zoomed, share, engine);
    }

    // The palette by key, and back by undo.
    window.key("p");
    let other = window.save_now();
    assert_ne!(other.location.palette, zoomed.location.palette);
    window.shows(&other, 0.999, "another palette");
    window.key("ctrl+z");
    assert_eq!(window.save_now().location.palette, zoomed.location.palette);

    // Without panels the canvas is the window; the place stays.
    window.key("Tab");
    let whole = window.save();
    assert_eq!([whole.picture.width(), whole.picture.height()], window.size());
    assert_eq!(whole.viewport.center(), zoomed.viewport.center());
    window.shows(&whole, 0.999, "without panels");

    // Home by key; back through the history.
    window.key("Home");
    let again = window.save_now();
    assert_eq!(again.height(), 2.5);
    window.shows(&again, 0.999, "home again");
    window.key("BackSpace");
    assert_eq!(window.save_now().viewport, whole.viewport);

    window.assert_alive();
    assert!(screen.tool("wmctrl", &["-c", "Cardioid"]).status.success());
    window.ends_well();
}

#[test]
fn what_is_held_ends_with_the_hand_and_the_picture_turns() {
    let Some(screen) = Screen::open("1600x1000x24", true) else { return };
    let mut window = Window::open(&screen, &[], &[]);
    let home = window.save_now();
    let panel = window.size()[0] - home.picture.width();
    let hand = [panel + 330, 330];

    // Held, Z zooms in on the pointer.
    window.point(hand);
    screen.xdotool(&["keydown", "z", "sleep", "0.7", "keyup", "z"]);
    let zoomed = window.save();
    assert!((1.5..20.0).contains(&(home.height() / zoomed.height())), "{} from {}", zoomed.height(), home.height());
    let [dx, dy] = home.drift(&zoomed, [330.0, 330.0]);
    assert!(dx.abs() < 0.5 && dy.abs() < 0.5, "the point under the pointer moved by {dx}, {dy}");
    window.shows(&zoomed, 0.999, "after a held zoom");

    // The keyboard goes elsewhere in the middle of it.
    screen.xdotool(&["keydown", "z", "sleep", "0.3"]);
    screen.tool("wmctrl", &["-r", "Cardioid", "-b", "add,hidden"]);
    screen.xdotool(&["sleep", "0.3", "keyup", "z"]);
    screen.xdotool(&["windowactivate", "--sync", &window.id]);
    let left = window.save();
    assert_eq!(window.save_now().viewport, left.viewport, "nothing is held any more");

    // A tap and a drag turn the picture, which then pans with the hand.
    window.key("Home");
    window.key("q");
    let turned = window.save();
    assert_eq!((turned.height(), turned.viewport.rotation_degrees()), (2.5, 345.0));
    window.shows(&turned, 0.999, "turned");
    window.drag([panel + 400, 400], [-160, 80]);
    let dragged = window.save();
    let [dx, dy] = turned.drift(&dragged, [300.0, 300.0]);
    assert!((dx + 160.0).abs() < 1.0 && (dy - 80.0).abs() < 1.0, "dragged by {dx}, {dy}");
    screen.xdotool(&["keydown", "ctrl"]);
    window.drag([panel + 800, 400], [-80, -240]);
    screen.xdotool(&["keyup", "ctrl"]);
    let swept = window.save();
    assert_eq!(swept.viewport.center(), dragged.viewport.center());
    let rotation = swept.viewport.rotation_degrees();
    assert!((270.0..340.0).contains(&rotation), "{rotation}");
    window.shows(&swept, 0.999, "turned by hand");
    window.key("shift+q");
    assert_eq!(window.save().viewport.rotation_degrees(), 0.0);
    window.assert_alive();
}

#[test]
fn a_still_picture_costs_nothing() {
    let Some(screen) = Screen::open("2000x1200x24", true) else { return };
    let window = Window::open(&screen, &[], &[]);
    window.resize([1920, 1080]);
    until("the new size", || (window.size() == [1920, 1080]).then_some(()));
    // The engines are still being timed for a while.
    let mut before = window.ticks();
    let mut spent_in = |seconds| {
        std::thread::sleep(Duration::from_secs(seconds));
        let now = window.ticks();
        now - std::mem::replace(&mut before, now)
    };
    until("the program to fall asleep", || (spent_in(2) <= 1).then_some(()));
    let spent = spent_in(30);
    println!("{spent}0 ms of processor time in 30 s; {} MB resident", window.memory("VmRSS"));
    assert!(spent <= 30, "{spent} hundredths of a second in 30 s of a still picture");

    // Out of sight it costs nothing either, whatever is at work; and it is back at once.
    window.key("Home");
    screen.xdotool(&["windowminimize", "--sync", &window.id]);
    std::thread::sleep(Duration::from_secs(3));
    let hidden = spent_in(5);
    assert!(hidden <= 25, "{hidden} hundredths of a second in 5 s of a hidden window");
    let back = Instant::now();
    screen.xdotool(&["windowmap", &window.id]);
    until("the picture to be back", || (window.colors() > 200).then_some(()));
    println!("back on the screen after {:?}", back.elapsed());
    screen.xdotool(&["windowactivate", "--sync", &window.id]);
    let most = window.memory("VmHWM");
    assert!(most < 400, "{most} MB at 1920x1080");
    window.key("ctrl+q");
    window.ends_well();
}

#[test]
fn sizes_of_every_kind_are_survived() {
    // Nobody manages this screen, so that windows get the sizes they are told, however small.
    let Some(screen) = Screen::open("2000x2000x24", false) else { return };
    let mut window = Window::open(&screen, &[], &[]);
    for key in ["Tab", "o", "o", "2"] {
        window.key(key);
    }
    let mut random = 1u64;
    let mut next = |from: u32, to: u32| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (random >> 33) as u32 % (to - from + 1)
    };
    // Within one script, so that they come faster than frames do.
    for _ in 0..30 {
        let mut script = Vec::new();
        for _ in 0..10 {
            script.extend(["windowsize".to_owned(), window.id.clone()]);
            script.extend([next(64, 2000), next(64, 2000)].map(|n| n.to_string()));
            script.extend(["sleep".to_owned(), format!("0.0{}", next(0, 9))]);
        }
        screen.xdotool(&script.iter().map(String::as_str).collect::<Vec<_>>());
        window.assert_alive();
    }
    window.key("5");
    for size in [[1, 1], [1, 600], [700, 1], [3, 2], [641, 483], [64, 64], [9000, 500], [800, 600]] {
        window.resize(size);
        until("the new size", || (window.size() == size).then_some(()));
        std::thread::sleep(Duration::from_millis(100));
        window.assert_alive();
        if size[0] > 64 && size[1] > 64 {
            let saved = window.save();
            assert_eq!([saved.picture.width(), saved.picture.height()], size);
            assert_eq!(saved.height(), 2.5, "the view stays");
            if size[0] < 2000 {
                window.shows(&saved, 0.999, "the last picture");
            }
        }
    }
    window.key("ctrl+q");
    window.ends_well();
}

#[test]
fn memory_does_not_grow_with_resizes() {
    let Some(screen) = Screen::open("1400x1000x24", false) else { return };
    let mut window = Window::open(&screen, &[], &[]);
    let storm = |window: &Window, steps: u32| {
        for chunk in 0..steps / 10 {
            let mut script = Vec::new();
            for step in 0..10 {
                // The same sizes again and again, so that what is kept may be as large before as after.
                let i = (chunk * 10 + step) % 50;
                script.extend(["windowsize".to_owned(), window.id.clone()]);
                script.extend([600 + 13 * i, 400 + 11 * (i * 7 % 50)].map(|side| side.to_string()));
                script.extend(["sleep", "0.02"].map(String::from));
            }
            screen.xdotool(&script.iter().map(String::as_str).collect::<Vec<_>>());
        }
        std::thread::sleep(Duration::from_secs(1));
        window.memory("VmRSS")
    };
    // The film holds as much as it may, buffers of every size are there once, pools and fonts are warm.
    storm(&window, 500);
    // Memory goes up and down by some hundredths as pictures come and go.
    let round = || [(); 3].map(|()| storm(&window, 50));
    let before = round().into_iter().max().unwrap();
    storm(&window, 350);
    let after = round().into_iter().min().unwrap();
    println!("{before} MB before 500 resizes, {after} MB after");
    assert!(after as f64 <= before as f64 * 1.05, "{before} MB became {after} MB by 500 resizes");
    window.assert_alive();
    window.key("ctrl+q");
    window.ends_well();
}

#[test]
fn what_was_drawn_stays_in_its_place_while_the_window_grows() {
    let Some(screen) = Screen::open("1400x1000x24", false) else { return };
    let mut window = Window::open(&screen, &[], &["seahorse-valley"]);
    for key in ["Tab", "o", "o", "4"] {
        window.key(key);
    }
    window.resize([900, 600]);
    let before = window.save();
    window.shows(&before, 0.999, "before");
    // So slow that nothing new is there for a while: what is seen was drawn before.
    for _ in 0..6 {
        window.key("bracketright");
    }
    for step in (1..=10u32).chain((0..10).rev()) {
        let size = [900 - 20 * step, 600 - 12 * step];
        window.resize(size);
        until("the new size", || (window.size() == size).then_some(()));
        let edges =
            [(0, 0, size[0], 6), (0, size[1] - 6, size[0], 6), (0, 0, 6, size[1]), (size[0] - 6, 0, 6, size[1])];
        // Until the frame after it what is new of the window has the one colour that the screen gives it.
        let grown = Instant::now();
        until("a picture up to all edges", || {
            let sight = window.sight().filter(|sight| [sight.width(), sight.height()] == size)?;
            let covered = |(x, y, width, height)| {
                let edge = image::imageops::crop_imm(&sight, x, y, width, height).to_image();
                edge.pixels().collect::<std::collections::HashSet<_>>().len() > 8
            };
            edges.into_iter().all(covered).then_some(())
        });
        assert!(grown.elapsed() < Duration::from_secs(2), "{size:?} after {:?}", grown.elapsed());
    }
    window.key("Escape");
    window.key("a");
    for _ in 0..6 {
        window.key("bracketleft");
    }
    let after = window.save();
    assert_eq!((after.viewport.center(), after.height()), (before.viewport.center(), before.height()));
    window.key("ctrl+q");
    window.ends_well();
}

#[test]
fn a_script_is_played_in_the_window() {
    let Some(screen) = Screen::open("1400x1000x24", true) else { return };
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("script.txt");
    let lines = "wait-settled\nrepeat 20 every 0.05 zoom-at 300 300 1.25\nwait-settled\nsize 900 640\nwait-settled\n\
                 repeat 30 pan 5 3\nwait-settled\nexport end.png\n";
    fs::write(&script, lines).unwrap();
    let mut program = program(home.path(), Some(&screen.display));
    program.args(["drive", "script.txt", "--window", "--size", "1000x700", "--record", "out.json"]);
    let output = program.stdout(Stdio::piped()).output().unwrap();
    let (told, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{told}");
    assert_eq!((output.status.code(), errors.as_ref()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(home.path().join("out.json")).unwrap()).unwrap();
    assert_eq!((&json["mode"], &json["ended"]["how"]), (&"window".into(), &"complete".into()));
    assert_eq!((json["size"][0].as_u64(), json["size"][1].as_u64()), (Some(900), Some(640)));
    // Painting is a matter of the driver; what the main thread does beside it is ours. First frames read fonts.
    for step in json["steps"].as_array().unwrap().iter().filter(|step| step["frames"].as_u64() > Some(20)) {
        assert!(step["cpu_ms"]["p99"].as_f64().is_none_or(|millis| millis < 4.0), "{step}");
    }
    let saved = image::open(home.path().join("end.png")).unwrap();
    assert_eq!(saved.height(), 640);
}

#[test]
fn every_pixel_is_sharp_and_under_the_pointer_at_any_scale() {
    let Some(screen) = Screen::open("2700x1700x24", true) else { return };
    for (scale, expected) in [("1", [1280, 800]), ("1.25", [1600, 1000]), ("1.5", [1920, 1200]), ("2", [2560, 1600])] {
        let mut window = Window::open(&screen, &[("WINIT_X11_SCALE_FACTOR", scale)], &[]);
        until("the window's size", || (window.size() == expected).then_some(()));
        for key in ["o", "o"] {
            window.key(key);
        }
        // Smaller, so that saving is quick, and odd.
        let size = [1101, 703];
        window.resize(size);
        until("the new size", || (window.size() == size).then_some(()));
        let mut before = window.save();
        // The panel's edge may lie over a column of pixels.
        window.shows(&before, 0.998, scale);
        let canvas = before.picture.width();
        let panel = size[0] - canvas;
        for at in [[canvas / 2, size[1] / 2], [21, size[1] - 33]] {
            let factor = window.wheel([panel + at[0], at[1]], 1);
            let after = window.save();
            let [dx, dy] = before.drift(&after, at.map(f64::from));
            assert!(dx.abs() < 0.5 && dy.abs() < 0.5, "at scale {scale} the point moved by {dx}, {dy}");
            assert!((before.height() / after.height() - factor).abs() < 1e-9, "a notch is a notch at scale {scale}");
            before = after;
        }
        window.key("ctrl+q");
        window.ends_well();
    }
}

#[test]
fn a_machine_with_opengl_alone_gets_its_window() {
    let Some(screen) = Screen::open("1400x900x24", true) else { return };
    let mut window = Window::open(&screen, &[("WGPU_BACKEND", "gl")], &["seahorse-valley"]);
    let saved = window.save();
    window.shows(&saved, 0.999, "with OpenGL");
    window.key("ctrl+q");
    window.ends_well();
}

#[test]
fn a_screen_that_nothing_can_paint_on_is_one_clear_line() {
    let Some(screen) = Screen::open("800x600x24", false) else { return };
    let home = tempfile::tempdir().unwrap();
    let mut program = program(home.path(), Some(&screen.display));
    let output = program.envs([("WGPU_BACKEND", "vulkan"), ("VK_DRIVER_FILES", "/nonexistent")]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("install a Vulkan or OpenGL driver"), "{stderr}");
    assert_eq!(pictures(home.path()).len(), 0);
}
