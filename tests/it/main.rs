//! Integration tests: one binary, one module a subject.

mod animate;
mod bench;
mod bifurcation;
mod cases;
mod cli;
mod color;
mod deep;
mod deep_formulas;
mod formulas;
mod golden;
mod gpu;
mod iterations;
mod known_values;
mod layers;
mod locations;
mod navigation;
mod orbit;
mod parity;
mod section;
mod shaders;
mod slopes;
mod space;
mod stage;
mod truth;
mod ui;
mod window;
