//! Cardioid: an interactive explorer of the Mandelbrot set and its kin, on GPU and CPU.
//!
//! Modules in reading order; each may name those before it, never those after
//! (`tests/it/layers.rs` checks). ARCHITECTURE.md has the bird's eye view.

pub mod math;

pub mod fractal;

pub mod render;

pub mod gpu;

pub mod color;

pub mod engine;

pub mod view;

pub mod app;

pub mod cluster;

pub mod ui;
