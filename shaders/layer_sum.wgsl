// Adds a stretch of one layer of a diagram to a stretch of another's.
struct Stretch {
    // Where the stretch begins in either, and its length.
    first_to: u32,
    first_from: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> stretch: Stretch;
@group(0) @binding(1) var<storage, read> part: array<u32>;
@group(0) @binding(2) var<storage, read_write> sum: array<u32>;

const LANES = 64u;
// Pixels that a lane adds.
const ADDED = 64u;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * LANES * ADDED + lane;
    for (var i = 0u; i < ADDED; i++) {
        let at = first + i * LANES;
        if at < stretch.count {
            sum[stretch.first_to + at] += part[stretch.first_from + at];
        }
    }
}
