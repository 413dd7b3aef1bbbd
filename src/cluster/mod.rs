//! One picture from many machines, byte for byte the one that a single machine writes.
//!
//! A [`Spec`] is the whole picture as text, with its hash; whoever has it can [`paint`] any rectangle of it. What is
//! painted travels as a tile in the CDT1 form ([`tile`]), whatever carries it: a pipe, a network, or a file. [`part`] has
//! the files, and an [`Assembly`] makes the picture of them. A [`Remote`] is a Dask cluster that draws; a [`Session`] is such a
//! cluster at work, with `cardioid_dask` as its client, and [`serve`] is what workers answer. Animations travel as a
//! [`Reel`], and their frames ([`frame`]) as finished files. [`Dask`] is what the window asks, and a [`ClusterEngine`] stands
//! beside the engines of this machine.

mod assemble;
mod cut;
mod diagrams;
mod engine;
pub mod frame;
mod paint;
pub mod part;
mod partial;
mod record;
mod reel;
mod remote;
mod rows;
mod saving;
pub mod serve;
mod session;
mod spec;
pub mod tile;
mod trial;

pub use assemble::Assembly;
pub use diagrams::Diagrams;
pub use engine::ClusterEngine;
pub use paint::paint;
pub use part::{Axis, Part, PartError, PartFile, write_part};
pub use partial::{Begin, Kept, Partial, PartialError};
pub use reel::Reel;
pub use remote::{Remote, RemoteError, RemotePicture, this_platform};
pub use saving::Dask;
pub use session::{FailedTask, RemoteProgress, RemoteTask, Session};
pub use spec::{Content, Spec, SpecError};
