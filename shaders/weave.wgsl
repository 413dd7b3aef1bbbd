// Copies samples of one field to their places in another, those that are known.
struct Weave {
    // The first column and row in either field, and the way to the next.
    first_from: vec2u,
    stride_from: vec2u,
    first_to: vec2u,
    stride_to: vec2u,
    count: vec2u,
    width_from: u32,
    width_to: u32,
}

@group(0) @binding(0) var<uniform> weave: Weave;
// Iterations, and the bits of the fraction.
@group(0) @binding(1) var<storage, read> source: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> woven: array<vec2u>;

const LANES = 64u;
const MISSING = 0xffffffffu;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= weave.count.x || id.y >= weave.count.y {
        return;
    }
    let before = weave.first_from + id.xy * weave.stride_from;
    let after = weave.first_to + id.xy * weave.stride_to;
    let sample = source[before.y * weave.width_from + before.x];
    if sample.x != MISSING {
        woven[after.y * weave.width_to + after.x] = sample;
    }
}
