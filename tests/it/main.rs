//! Integration tests: one binary, one module a subject.

mod color;
mod gpu;
mod locations;
mod shaders;
mod ui;
