//! Integration tests: one binary, one module a subject.

mod color;
mod locations;
mod ui;
