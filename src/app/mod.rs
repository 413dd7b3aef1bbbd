//! The program without its window: state and commands, the threads that draw, timings and history.
//!
//! Nothing here names egui or winit, so all of it runs in tests and on the command line.

mod agreement;
pub mod animation;
mod antialias;
mod autopilot;
pub mod bench;
mod bookmarks;
mod cluster;
mod command;
mod compare;
mod drawing;
mod explorer;
pub mod export;
mod film;
mod finder;
mod history;
mod inspector;
mod landmark;
pub mod location;
mod lookout;
mod motion;
mod pacing;
mod pass;
mod play;
mod race;
mod saver;
mod scheduler;
pub mod script;
mod settings;
mod sheet;
mod state;
mod tile_map;
mod timings;

pub use agreement::{Agreement, Differing};
pub use antialias::Subframes;
pub use autopilot::{Autopilot, Glance};
pub use bookmarks::{Bookmark, Bookmarks, Thumbnail};
pub use cluster::{Address, Cluster, ClusterProgress, ClusterWork, NoAddress, Order, Seen, Site, Trial};
pub use command::{Command, Effect, EngineChoice, Form, Ladder, NotUnderstood, OverlayMode, Table};
pub use compare::{Comparison, ComparisonRow, compare};
pub use drawing::{Drawing, EngineInfo, Status};
pub use explorer::Explorer;
pub use film::Film;
pub use finder::{Finder, Search};
pub use history::Timeline;
pub use inspector::{Inspector, Portrait, Question};
pub use landmark::{Found, Landmark};
pub use location::{Location, LocationError};
pub use motion::{Course, Motion};
pub use pacing::{Frame, Pacing};
pub use pass::{Light, Pass};
pub use play::Play;
pub use race::{Leg, Race, RaceResult, Standing};
pub use saver::{AnimationRequest, SaveRequest, Saved, Saver, default_animation_path, default_picture_path};
pub use scheduler::{Engines, Event, Scheduler};
pub use settings::{Hands, Settings, ZoomSpeed};
pub use sheet::{Cell, Format, Sheet};
pub use state::{Half, Notice, Stage, State};
pub use tile_map::{Board, CanvasFromPixel, TileMap, Trace, Worked, canvas_from_pixel};
pub use timings::{
    Conditions, Difference, EngineTimings, FEW, Part, REMEMBERED, Ratio, Shown, Summary, Timing, Timings, Verdict,
    parts,
};
