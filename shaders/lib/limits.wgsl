// One pixel's iteration data, and the counts that are no counts.
struct Sample {
    iterations: u32,
    fraction: f32,
}

const INTERIOR = 0u;
const MISSING = 0xffffffffu;
