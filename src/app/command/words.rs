//! Commands as lines of text, both ways: `pan 120 0`, `zoom-at 640 400 1.25`, `engine tiles`.
//!
//! One table has every command with its name and its arguments; a command without a row does not compile.

use std::fmt::Display;
use std::str::FromStr;

use super::word::{Word, Words};
use super::{Command, OverlayMode};

/// How a command is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub name: &'static str,
    /// Such as `X Y FACTOR`; what may be left out stands in brackets.
    pub arguments: &'static str,
    pub about: &'static str,
}

macro_rules! commands {
    ($($name:literal $arguments:literal $variant:ident $({ $($field:ident),* })? $(($value:ident))? $about:literal)*) => {
        impl Command {
            /// Every command in words, in the order of the list in `docs/drive.md`.
            pub const FORMS: &'static [Form] =
                &[$(Form { name: $name, arguments: $arguments, about: $about }),*];

            /// The command as a line that [`Command::from_str`] reads back.
            pub fn line(&self) -> String {
                let mut line = vec![];
                match self {
                    $(Self::$variant $({ $($field),* })? $(($value))? => {
                        line.push($name.to_owned());
                        $($($field.write(&mut line);)*)?
                        $($value.write(&mut line);)?
                    })*
                }
                shlex::try_join(line.iter().map(String::as_str)).unwrap_or_else(|_| line.join(" "))
            }

            fn read(words: &mut Words) -> Result<Self, NotUnderstood> {
                match words.name {
                    $($name => {
                        $($(let $field = Word::read(words)?;)*)?
                        $(let $value = Word::read(words)?;)?
                        Ok(Self::$variant $({ $($field),* })? $(($value))?)
                    })*
                    name => Err(NotUnderstood::unknown("command", name, Self::FORMS.iter().map(|form| form.name))),
                }
            }
        }
    };
}

commands! {
    "pan" "DX DY" Pan { by_px } "moves the picture by a distance in pixels"
    "shift" "DX DY" Shift { by_px } "the same; in space it moves the camera, where pan turns it"
    "glide" "DX DY" Glide { by_px } "moves it smoothly, in pixels"
    "glide-by" "SHARE-X SHARE-Y" GlideBy { share } "moves the view smoothly by a share of it: to the right, and up"
    "throw" "VX VY" Throw { velocity_px } "lets it go with a speed, in pixels a second"
    "throw-zoom" "X Y SPEED" ThrowZoom { about_px, speed } "lets a zoom go on with a speed, in e-folds a second"
    "cruise" "PAN-X PAN-Y ZOOM TURN [X Y]" Cruise(course) "moves steadily: views and e-folds a second, degrees a second"
    "autopilot" "" ToggleAutopilot "flies into the set by itself, or stops"
    "turn" "DEGREES" Turn { degrees } "turns the picture smoothly, anticlockwise"
    "drag-turn" "X0 Y0 X1 Y1" DragTurn { from_px, to_px } "turns it with the hand about its middle"
    "upright" "" Upright "turns it upright"
    "hold" "" Hold "ends all motion"
    "zoom-at" "X Y FACTOR" Zoom { about_px, factor } "magnifies smoothly about a place"
    "zoom-now" "X Y FACTOR" ZoomNow { about_px, factor } "magnifies at once about a place, as a pinch does"
    "zoom" "FACTOR" ZoomCentre { factor } "magnifies smoothly about the centre"
    "zoom-to-box" "X0 Y0 X1 Y1" ZoomToBox { from_px, to_px } "shows the box between two corners"
    "zoom-ordinate" "X Y FACTOR" ZoomOrdinate { about_px, factor } "magnifies the ordinates of a diagram alone"
    "fit-ordinate" "" FitOrdinate "chooses the ordinates that fit"
    "grasp" "X Y" Grasp { at_px } "puts a hand down at a place: that view gets the focus"
    "drag-section" "X Y" DragSection { at_px } "takes the section along the line through a place of the set above"
    "look" "x|y|z" Look(axis) "looks at a scene in space along an axis"
    "play" "" TogglePlay "lets the section wander or the camera fly, or ends that"
    "spin" "" ToggleSpin "turns a scene in space, or ends that"
    "split" "SHARE" SetSplit(share) "gives the upper of two views a share of the canvas"
    "pair" "" TogglePair "shows a view and its companion, or one alone again"
    "home" "" Home "shows the whole"
    "back" "" Back "goes to the view before"
    "forward" "" Forward "goes to the view after"
    "undo" "" Undo "takes back the last change"
    "redo" "" Redo "takes that back"
    "canvas" "WIDTHxHEIGHT" Resize { size } "gives the canvas a size; the window's panels decide it again in the next frame"
    "point" "[X Y]" Point { at_px } "points at a place of the canvas, or at none"

    "view" "KEY" SetView(key) "shows another view"
    "next-view" "" NextView "shows the next view"
    "previous-view" "" PreviousView "shows the view before in the list"
    "julia" "" JuliaHere "shows the Julia set of the point under the pointer, and leads back"
    "orbit" "" ToggleOrbit "shows the orbit of the point under the pointer, or not"
    "inspect" "RE,IM" Inspect(point) "pins a point of the parameter plane"
    "names" "" ToggleNames "shows the names of parameters in diagrams, or not"
    "pin" "[X Y]" PinPoint { at_px } "keeps to the orbit of a place, or follows the pointer again"

    "engine" "KEY" SetEngine(choice) "draws with an engine, or with the best: auto"
    "param" "KEY VALUE" SetParam { key, value } "turns a knob of the view, such as max_iterations 5000"
    "more-iterations" "" MoreIterations "doubles the cap"
    "fewer-iterations" "" FewerIterations "halves the cap"
    "automatic-iterations" "" AutomaticIterations "lets the view say the cap"
    "palette" "KEY" SetPalette(key) "colours with a palette"
    "next-palette" "" NextPalette "takes the next palette"
    "previous-palette" "" PreviousPalette "takes the palette before"
    "density" "NUMBER" SetDensity(density) "repeats the palette so many times as densely"
    "offset" "NUMBER" SetOffset(offset) "moves the palette along"

    "find" "minibrot|spiral [X Y]" Find { landmark, at_px } "looks for a landmark, in view or about a place, and goes there"
    "cancel-find" "" CancelFind "gives that up"
    "go-to" "TEXT" GoTo(text) "goes to a location as text, or to a point RE,IM"
    "open" "PLACE" Open(place) "opens a named place, a location file or a picture"
    "center" "RE IM" SetCenter { re, im } "takes another centre"
    "height" "H" SetHeight(height) "takes another height, in plane units"
    "width" "W" SetWidth(width) "takes another width of a diagram"
    "rotation" "DEGREES" SetRotation(degrees) "takes another rotation"
    "copy-location" "" CopyLocation "copies where it is"
    "paste-location" "" PasteLocation "goes to what was copied"

    "bookmark" "" AddBookmark "keeps the present place"
    "go-to-bookmark" "N" GoToBookmark(place) "goes to a place that was kept, counted from 1"
    "rename-bookmark" "ID NAME" RenameBookmark { id, name } "names the bookmark whose file has that number"
    "remove-bookmark" "ID" RemoveBookmark(id) "takes it from the list"
    "restore-bookmark" "" RestoreBookmark "puts the one removed last back"
    "bookmarks" "" ToggleBookmarks "opens or closes their list"

    "save" "" QuickSave "saves a PNG under a new name where pictures are kept"
    "show-export" "on|off" ShowExport(shown) "opens or closes the dialog for saving"
    "export" "FILE [WIDTHxHEIGHT] [supersample N] [CHANNEL] [overwrite] [cluster ADDRESS [tls DIR]] [resume]" Export(request) "draws the view to a file, at the canvas's size or another, here or on a cluster"
    "export-animation" "PATH section|fly|spin SECONDS FPS WIDTHxHEIGHT [overwrite] [cluster ADDRESS [tls DIR]]" ExportAnimation(request) "draws what moves to files, here or on a cluster"
    "cancel-export" "" CancelExport "gives up what is being saved"
    "test-cluster" "ADDRESS [tls DIR]" TestCluster(site) "asks a cluster who is there"
    "copy-dashboard" "" CopyDashboard "copies the address of the cluster's dashboard"
    "open-dashboard" "" OpenDashboard "shows it in a browser"

    "recompute" "" Recompute "draws again"
    "compare" "" Compare "times every able engine on the view"
    "close-compare" "" CloseCompare "closes that"
    "live-timings" "" ToggleLiveTimings "times the other engines whenever a view settles, or not"
    "race" "" ToggleRace "times all able engines against each other on every view that settles, or no longer"
    "tile-map" "off|live|heat" SetTileMap(map) "shows who computes which tile, or how long each took"
    "next-tile-map" "" NextTileMap "off, live, heat"
    "copy-table" "timings|comparison|race markdown|json|csv" CopyTable { table, format } "copies figures as text"
    "ladder" "ms|mpx" SetLadder(ladder) "shows milliseconds or megapixels a second in the engine ladder"
    "antialiasing" "" ToggleAntialiasing "antialiases pictures at rest, or not"
    "next-overlay" "" NextOverlay "off, compact, full"
    "overlay" "off|compact|full" SetOverlay(mode) "shows so much of the timings"
    "panels" "" TogglePanels "hides or shows the panels"
    "keys" "" ToggleKeys "shows or hides the key sheet"
    "fullscreen" "" ToggleFullscreen "fills the screen, or not"
    "hands" "drag|zoom slow|normal|fast full|reduced some|every" SetHands(hands) "says what held buttons do, how fast zooms are, whether anything is eased, and which pixels pictures in motion have"
    "escape" "" Escape "cancels what is open or running, innermost first"
    "dismiss-notice" "" DismissNotice "closes the line of news"
    "quit" "" Quit "closes the window"
}

/// Why a line is no command: what was wrong, and what would do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotUnderstood(String);

impl NotUnderstood {
    pub(crate) fn new(why: impl Display) -> Self {
        Self(why.to_string())
    }

    /// `given` is none of the `known`: the nearest of them is named, or all where they are few.
    pub(crate) fn unknown(what: &str, given: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let nearest = known.iter().max_by(|a, b| likeness(given, a).total_cmp(&likeness(given, b)));
        let given = crate::math::shortened(given);
        Self(match nearest {
            _ if known.len() <= 12 => format!("there is no {what} {given:?}; choose one of {}", known.join(", ")),
            Some(nearest) => format!("there is no {what} {given:?}; the nearest is {nearest:?}"),
            None => format!("there is no {what} {given:?}"),
        })
    }
}

fn likeness(given: &str, known: &str) -> f64 {
    strsim::jaro_winkler(&given.to_lowercase(), known)
}

impl FromStr for Command {
    type Err = NotUnderstood;

    /// Reads one line; quotes and backslashes are those of a shell.
    fn from_str(line: &str) -> Result<Self, NotUnderstood> {
        let words = shlex::split(line).ok_or_else(|| NotUnderstood::new("a quote is not closed"))?;
        Self::from_words(&words)
    }
}

impl Command {
    /// Reads a name and its arguments.
    ///
    /// # Errors
    /// [`NotUnderstood`] says which word is wrong and what would do.
    pub fn from_words(words: &[String]) -> Result<Self, NotUnderstood> {
        let (name, arguments) = words.split_first().ok_or_else(|| NotUnderstood::new("a command is wanted here"))?;
        let mut rest = Words::new(name, arguments);
        let read = Self::read(&mut rest);
        let form = Self::FORMS.iter().find(|form| form.name == name);
        let read = read.map_err(|why| match form {
            Some(form) if !form.arguments.is_empty() => {
                NotUnderstood(format!("{why}; it is {name} {}", form.arguments))
            }
            _ => why,
        })?;
        match rest.next() {
            Some(more) => Err(NotUnderstood(format!("{name} ends before {:?}", crate::math::shortened(more)))),
            None => Ok(read),
        }
    }
}

impl OverlayMode {
    pub(super) const ALL: [Self; 3] = [Self::Off, Self::Compact, Self::Full];

    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Compact => "compact",
            Self::Full => "full",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_read_back_as_it_was_written() {
        // One of each, with arguments that must not be lost.
        let lines = [
            "pan 120 -0.5",
            "shift 1e-9 3",
            "glide 0.1 2",
            "glide-by -0.1 0.01",
            "throw 1000 -30",
            "hold",
            "throw-zoom 3 4 0.5",
            "cruise 0.1 0 -1 5",
            "cruise 0 0 1 0 30 40",
            "autopilot",
            "turn 15",
            "drag-turn 1 2 3 4",
            "upright",
            "rotation 30.5",
            "hands zoom fast reduced every",
            "hands drag normal full some",
            "zoom-at 640 400.25 1.25",
            "zoom-now 1 2 0.8",
            "zoom 4",
            "zoom-to-box 1 2 3 4",
            "zoom-ordinate 1 2 3",
            "fit-ordinate",
            "grasp 3 4",
            "drag-section 5 6",
            "look y",
            "play",
            "spin",
            "split 0.25",
            "pair",
            "home",
            "back",
            "forward",
            "undo",
            "redo",
            "canvas 640x400",
            "point 3 4",
            "point",
            "view julia",
            "next-view",
            "previous-view",
            "julia",
            "orbit",
            "inspect -0.75,1e-60",
            "names",
            "pin 1 2",
            "pin",
            "engine auto",
            "engine tiles",
            "param max_iterations 5000",
            "param bailout 50",
            "param automatic_iterations off",
            "param formula burning-ship",
            "more-iterations",
            "fewer-iterations",
            "automatic-iterations",
            "palette ember",
            "next-palette",
            "previous-palette",
            "density 3",
            "offset 0.3",
            "find minibrot",
            "find spiral 3 4",
            "cancel-find",
            "go-to '-0.75, 0.1'",
            "open 'a place.toml'",
            "center -0.75 0.1",
            "height 1e-300",
            "width 0.5",
            "bookmark",
            "go-to-bookmark 3",
            "rename-bookmark 2 'west of here'",
            "remove-bookmark 2",
            "restore-bookmark",
            "bookmarks",
            "antialiasing",
            "copy-location",
            "paste-location",
            "save",
            "show-export on",
            "export a.png",
            "export 'my file.npy' 640x400 supersample 3 smooth overwrite",
            "export a.png 640x400 cluster tcp://127.0.0.1:8786 resume",
            "export a.png cluster tls://host:1 tls 'my keys' supersample 2",
            "test-cluster local",
            "test-cluster tls://host:1 tls keys",
            "copy-dashboard",
            "open-dashboard",
            "export-animation out.mp4 fly 8 30 640x400 overwrite",
            "export-animation frames section 8 30 640x400 cluster tls://host:1 tls keys",
            "cancel-export",
            "recompute",
            "compare",
            "close-compare",
            "live-timings",
            "race",
            "tile-map heat",
            "next-tile-map",
            "copy-table race csv",
            "ladder mpx",
            "next-overlay",
            "overlay full",
            "panels",
            "keys",
            "fullscreen",
            "escape",
            "dismiss-notice",
            "quit",
        ];
        for line in lines {
            let command: Command = line.parse().unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(command.line().parse(), Ok(command.clone()), "{line} became {}", command.line());
        }
        let written = |form: &Form| lines.iter().any(|line| line.split(' ').next() == Some(form.name));
        let unwritten: Vec<_> = Command::FORMS.iter().filter(|form| !written(form)).map(|form| form.name).collect();
        assert!(unwritten.is_empty(), "no line here for {unwritten:?}");
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_do() {
        // (line, parts of the message, why)
        for (line, parts, why) in [
            ("zom-at 1 2 3", &["\"zom-at\"", "\"zoom-at\""][..], "a slip of the finger"),
            ("pan 12", &["a number is missing", "pan DX DY"], "too few"),
            ("pan 1 2 3", &["pan ends before \"3\""], "too many"),
            ("pan left 2", &["\"left\" is no number", "pan DX DY"], "a word for a number"),
            ("engine turbo", &["\"turbo\"", "tiles", "perturbation"], "engines are listed"),
            ("view plane", &["\"plane\"", "julia"], "and so are views"),
            ("param max_iteration 5", &["\"max_iteration\"", "\"max_iterations\""], "and knobs"),
            ("param max_iterations many", &["\"many\"", "whole number"], "a knob's own kind"),
            ("overlay half", &["off, compact, full"], "choices"),
            ("canvas 0x3", &["WIDTHxHEIGHT"], "no size"),
            ("export", &["a file is missing"], "where to?"),
            ("export a.png 3x", &["\"3x\"", "supersample"], "what may follow a file"),
            ("export a.png cluster here", &["\"here\"", "local, tcp://HOST:PORT"], "no address"),
            ("test-cluster tcp://host", &["local, tcp://HOST:PORT", "test-cluster ADDRESS"], "no port"),
            ("test-cluster tls://host:1 tls", &["a folder is missing"], "of certificates"),
            ("open 'x", &["quote"], "an open end"),
            ("", &["a command is wanted"], "nothing at all"),
        ] {
            let said = line.parse::<Command>().expect_err(line).to_string();
            for part in parts {
                assert!(said.contains(part), "{why}: {said}");
            }
        }
    }
}
