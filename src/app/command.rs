//! Everything that can be asked of the program, as values.
//!
//! Keys, menus, panels, the command line and scripts all send these; nothing else changes the
//! [`State`](super::State).

mod word;
mod words;

pub use words::{Form, NotUnderstood};

use super::cluster::Site;
use super::finder::Search;
use super::landmark::Landmark;
use super::motion::Course;
use super::saver::{AnimationRequest, SaveRequest};
use super::settings::Hands;
use super::sheet::Format;
use super::tile_map::TileMap;
use crate::math::BigComplex;
use crate::render::SpaceAxis;
use crate::view::ParamValue;

/// One request. Places and distances are in pixels of the canvas, from its top left corner.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Moves the picture with the hand.
    Pan {
        by_px: [f64; 2],
    },
    /// The same; where a hand turns the camera, it moves the camera.
    Shift {
        by_px: [f64; 2],
    },
    /// Looks at a scene in space along an axis.
    Look(SpaceAxis),
    /// Moves the picture smoothly.
    Glide {
        by_px: [f64; 2],
    },
    /// Moves smoothly by a share of the view: x to the right, y up.
    GlideBy {
        share: [f64; 2],
    },
    /// Lets the picture go with a speed, in pixels a second.
    Throw {
        velocity_px: [f64; 2],
    },
    /// Lets a zoom go on with a speed, in e-folds a second.
    ThrowZoom {
        speed: f64,
        about_px: [f64; 2],
    },
    /// Moves steadily from now on, until another course is asked for or a press ends it.
    Cruise(Course),
    /// Flies into the set by itself, until a hand takes over; or stops.
    ToggleAutopilot,
    /// Ends all motion: a press, or focus lost.
    Hold,
    /// Turns the picture smoothly about its middle, anticlockwise.
    Turn {
        degrees: f64,
    },
    /// Turns the picture with the hand, about its middle.
    DragTurn {
        from_px: [f64; 2],
        to_px: [f64; 2],
    },
    /// Turns the picture upright, smoothly.
    Upright,
    /// Magnifies smoothly about a place.
    Zoom {
        factor: f64,
        about_px: [f64; 2],
    },
    /// Magnifies at once: a pinch follows the fingers, and out and back returns exactly.
    ZoomNow {
        factor: f64,
        about_px: [f64; 2],
    },
    /// Magnifies smoothly about the centre.
    ZoomCentre {
        factor: f64,
    },
    /// Shows the box between two corners, grown to the shape of the canvas.
    ZoomToBox {
        from_px: [f64; 2],
        to_px: [f64; 2],
    },
    /// Magnifies the ordinate of a diagram at once.
    ZoomOrdinate {
        factor: f64,
        about_px: [f64; 2],
    },
    /// Chooses the ordinates that fit the parameters in view.
    FitOrdinate,
    /// A hand goes down at a place: that view gets the focus.
    Grasp {
        at_px: [f64; 2],
    },
    /// Takes the section along the line through a place of the set above.
    DragSection {
        at_px: [f64; 2],
    },
    /// Lets the section wander to and fro, or the camera fly over the set; or stand still.
    TogglePlay,
    /// Lets the camera go round, or stand still.
    ToggleSpin,
    /// Divides the canvas: the share of the upper of two views.
    SetSplit(f64),
    /// Shows the view with its companion below, or alone again.
    TogglePair,
    Home,
    Back,
    Forward,
    Undo,
    Redo,
    /// The canvas has a new size, in physical pixels.
    Resize {
        size: [u32; 2],
    },
    /// Where the pointer is; `None` outside the canvas.
    Point {
        at_px: Option<[f64; 2]>,
    },

    /// Shows another view, as it was left.
    SetView(&'static str),
    NextView,
    PreviousView,
    /// The Julia set of the point under the pointer; from a Julia set, back.
    JuliaHere,
    /// Shows or hides the orbit of the point under the pointer.
    ToggleOrbit,
    /// Pins a point of the parameter plane, wherever it is.
    Inspect(BigComplex),
    /// Shows the names of parameters in diagrams, or not.
    ToggleNames,
    /// Keeps to the orbit of the point at a place; `None` follows the pointer again.
    PinPoint {
        at_px: Option<[f64; 2]>,
    },

    SetEngine(EngineChoice),
    SetParam {
        key: &'static str,
        value: ParamValue,
    },
    MoreIterations,
    FewerIterations,
    AutomaticIterations,
    SetPalette(String),
    NextPalette,
    PreviousPalette,
    SetDensity(f32),
    SetOffset(f32),

    /// Looks for a landmark of the view, or of a place in it, and goes there.
    Find {
        landmark: Landmark,
        at_px: Option<[f64; 2]>,
    },
    CancelFind,

    /// Goes to a place given as text: a location, a line copied earlier, or "re, im".
    GoTo(String),
    /// Opens a location file, a PNG written here, or a named place.
    Open(String),
    SetCenter {
        re: String,
        im: String,
    },
    SetHeight(String),
    /// Of a diagram.
    SetWidth(String),
    /// In degrees.
    SetRotation(String),
    CopyLocation,
    /// Keeps the present place.
    AddBookmark,
    /// Goes to a place that was kept, the first being 1.
    GoToBookmark(usize),
    /// Names the bookmark of a number, or takes its name away.
    RenameBookmark {
        id: u32,
        name: String,
    },
    RemoveBookmark(u32),
    /// Puts the bookmark removed last back.
    RestoreBookmark,
    ToggleBookmarks,
    /// Asks the window for the clipboard's text, which comes back as [`Command::GoTo`].
    PasteLocation,

    QuickSave,
    ShowExport(bool),
    /// Draws the present view to a file at a size of its own.
    Export(SaveRequest),
    /// Draws what moves in the present views to files.
    ExportAnimation(AnimationRequest),
    CancelExport,
    /// Asks a cluster who is there.
    TestCluster(Site),
    /// Puts the address of the cluster's dashboard on the clipboard.
    CopyDashboard,
    /// Shows the dashboard in a browser.
    OpenDashboard,

    Recompute,
    /// Times every able engine on the present view.
    Compare,
    CloseCompare,
    ToggleLiveTimings,
    /// Times all able engines against each other on every view that settles, or no longer.
    ToggleRace,
    /// Shows who computes which tile, how long each took, or neither.
    SetTileMap(TileMap),
    NextTileMap,
    /// Puts a table of figures on the clipboard.
    CopyTable {
        table: Table,
        format: Format,
    },
    /// What the bars of the engine ladder show.
    SetLadder(Ladder),
    /// Pictures at rest are antialiased, or have one sample a pixel.
    ToggleAntialiasing,
    NextOverlay,
    SetOverlay(OverlayMode),
    TogglePanels,
    ToggleKeys,
    ToggleFullscreen,
    /// How hands move the view.
    SetHands(Hands),
    /// Cancels what is open or running, innermost first; never quits.
    Escape,
    DismissNotice,
    Quit,
}

impl Command {
    /// Whether a hand means something by it: where the pointer is, the size of the canvas and keys at rest come by themselves.
    pub fn is_by_hand(&self) -> bool {
        match self {
            Self::Point { .. } | Self::Resize { .. } => false,
            Self::Cruise(course) => !course.is_still(),
            _ => true,
        }
    }
}

/// What the state cannot do itself: the window or a thread does it.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Copy(String),
    CopyTable {
        table: Table,
        format: Format,
    },
    Paste,
    Fullscreen(bool),
    Export(SaveRequest),
    ExportAnimation(AnimationRequest),
    CancelExport,
    TestCluster(Site),
    CopyDashboard,
    OpenDashboard,
    /// Asks the window to show an address in a browser.
    Browse(String),
    Compare,
    CancelCompare,
    Find(Search),
    CancelFind,
    /// Brings a bookmark's file up to date.
    SaveBookmark(u32),
    /// Asks the window for the picture of a bookmark just added: that of the upper half.
    Illustrate(u32),
    Quit,
}

/// The engine asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// By hardware and by the precision that the view needs.
    #[default]
    Auto,
    Named(&'static str),
}

impl EngineChoice {
    pub fn key(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(key) => key,
        }
    }
}

/// Tables of figures that can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Timings,
    Comparison,
    Race,
}

/// What the bars of the engine ladder show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ladder {
    #[default]
    Millis,
    Megapixels,
}

impl Ladder {
    pub fn unit(self) -> &'static str {
        match self {
            Self::Millis => "ms",
            Self::Megapixels => "Mpx/s",
        }
    }
}

/// How much of the timing overlay is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverlayMode {
    Off,
    #[default]
    Compact,
    Full,
}

impl OverlayMode {
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Compact,
            Self::Compact => Self::Full,
            Self::Full => Self::Off,
        }
    }
}
