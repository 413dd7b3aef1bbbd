//! One picture from many machines, byte for byte the one that a single machine writes.
//!
//! A [`Spec`] is the whole picture as text, with its hash; whoever has it can draw any rectangle of it. What is drawn
//! travels as a tile in the CDT1 form ([`tile`]), whatever carries it: a pipe, a network, or a file.

mod pixels;
pub mod serve;
mod spec;
pub mod tile;

pub use spec::{Spec, SpecError};
