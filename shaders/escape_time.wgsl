//!include formula
//!include lib/bulbs
//!include lib/escape

// Escape time of one pixel a thread, some steps at a time: a slice takes every undecided pixel of
// some rows from `done` steps to `done + steps`. Samples lie row by row, top row first.
struct Slice {
    escape: Escape,
    // Width and height of the field.
    size: vec2u,
    // Rows of this slice; the first is a multiple of the workgroup's height.
    first_row: u32,
    end_row: u32,
    done: u32,
    steps: u32,
    max_iterations: u32,
    // 1 where z varies over the plane and c is the seed, 0 where c varies.
    dynamical: u32,
    seed: vec2f,
    // 1 where points of the bulbs need no iterating.
    bulbs: u32,
    // 1 in the first slice of each pixel: nothing is known of it yet.
    fresh: u32,
    // Workgroups along x; a wide field goes on where z is 1.
    groups_of_a_plane: u32,
}

// What the slice did: steps in 64 bits, pixels that were known without any, and for each row of
// workgroups the pixels still undecided.
struct Tally {
    steps_low: atomic<u32>,
    steps_high: atomic<u32>,
    known: atomic<u32>,
    undecided: array<atomic<u32>>,
}

@group(0) @binding(0) var<uniform> slice: Slice;
// (re, im) parts of each column, then of each row: a point is the sum of two.
@group(0) @binding(1) var<storage, read> axes: array<vec2f>;
// z of each undecided pixel.
@group(0) @binding(2) var<storage, read_write> orbits: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> samples: array<Sample>;
@group(0) @binding(4) var<storage, read_write> tally: Tally;

var<workgroup> group_steps: atomic<u32>;
var<workgroup> group_known: atomic<u32>;
var<workgroup> group_undecided: atomic<u32>;

@compute @workgroup_size(8, 8)
fn main(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    let at = vec2u(id.x + group.z * slice.groups_of_a_plane * 8u, slice.first_row + id.y);
    if at.x < slice.size.x && at.y < slice.end_row {
        advance(at);
    }
    workgroupBarrier();
    if lane == 0u {
        let steps = atomicLoad(&group_steps);
        if atomicAdd(&tally.steps_low, steps) > ~steps {
            atomicAdd(&tally.steps_high, 1u);
        }
        atomicAdd(&tally.known, atomicLoad(&group_known));
        atomicAdd(&tally.undecided[slice.first_row / 8u + group.y], atomicLoad(&group_undecided));
    }
}

fn advance(at: vec2u) {
    let index = at.y * slice.size.x + at.x;
    let fresh = slice.fresh != 0u;
    if !fresh && samples[index].iterations != MISSING {
        return;
    }
    let point = axes[at.x] + axes[slice.size.x + at.y];
    let c = select(point, slice.seed, slice.dynamical != 0u);
    var z = select(vec2f(), point, slice.dynamical != 0u);
    if !fresh {
        z = orbits[index];
    } else if slice.bulbs != 0u && in_bulbs(c) {
        samples[index] = Sample(INTERIOR, 0.0);
        atomicAdd(&group_known, 1u);
        return;
    }
    let steps = min(slice.steps, slice.max_iterations - slice.done);
    let bailout_sq = slice.escape.bailout_sq;
    var norm_sq = 0.0;
    var n = 0u;
    // Nothing but the orbit in here: a store or a uniform in the loop costs some drivers ten times as much.
    for (; n < steps && norm_sq <= bailout_sq; n++) {
        z = step(z, c);
        norm_sq = dot(z, z);
    }
    atomicAdd(&group_steps, n);
    if norm_sq > bailout_sq {
        samples[index] = escaped(slice.done + n, norm_sq, slice.max_iterations, slice.escape);
        return;
    }
    if slice.done + n == slice.max_iterations {
        samples[index] = Sample(INTERIOR, 0.0);
        return;
    }
    samples[index] = Sample(MISSING, 0.0);
    orbits[index] = z;
    atomicAdd(&group_undecided, 1u);
}
