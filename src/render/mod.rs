//! The words between app and engines, plain data all: what is asked ([`Job`]), of which part of the
//! plane ([`Viewport`]), and what comes back ([`Field`] of [`Sample`]s, through a [`Sink`]).

mod axis;
pub mod cap;
mod diagram;
mod exposure;
mod field;
mod grid;
mod jitter;
mod job;
mod latest;
mod overlap;
mod sample;
mod section;
mod sink;
mod slope;
mod space;
mod stats;
mod tile;
mod viewport;

pub use diagram::{Column, ColumnTask, Columns, Diagram, DiagramShape, DiagramSink, Line, Strip};
pub use exposure::{DeviceExposure, Exposure, ExposureSink};
pub use field::{DeviceDiagram, DeviceField, Field};
pub use grid::Grid;
pub use jitter::Jitter;
pub use job::{Channels, EscapeTime, Job, Lattice, OrbitDensity, Plane, Quality, Shortcuts, Span, Task};
pub use latest::{Latest, Newest};
pub use overlap::{Overlap, lacking, missing_blocks};
pub use sample::Sample;
pub use section::{Fan, Ordinate, Section};
pub use sink::{HostSink, Preparation, Sink, Unheard};
pub use slope::Slope;
pub use space::{Camera, Projected, Scene, Space, SpaceAxis, Tint, Tints};
pub use stats::{Beside, Phases, ReferenceFigures, RenderError, Stats, TimingSource, Unsupported};
pub use tile::Tile;
pub use viewport::{MOST_PIXELS, Viewport, ViewportError};
