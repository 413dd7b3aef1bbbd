//!include lib/column

// Adds what is known of some columns of a diagram to another's.
struct Stretch {
    // Where the stretch begins in either, and its length.
    first_to: u32,
    first_from: u32,
    count: u32,
}

@group(0) @binding(0) var<uniform> stretch: Stretch;
@group(0) @binding(1) var<storage, read> part: array<Column>;
@group(0) @binding(2) var<storage, read_write> sum: array<Column>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < stretch.count {
        let to = stretch.first_to + id.x;
        sum[to] = both(sum[to], part[stretch.first_from + id.x]);
    }
}
