//! Palettes and places are found by folder at compile time: a new file there asks for a new build.

fn main() {
    println!("cargo::rerun-if-changed=assets");
}
