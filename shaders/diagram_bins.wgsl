//!include lib/tone

// How many densities of the columns that tell the tone fall into each bin. A workgroup counts a stretch of them by itself first.
@group(0) @binding(0) var<storage, read> density: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, COUNT_BINS>;
@group(0) @binding(2) var<uniform> measured: Measured;

// Every so many-th column from the first on, and the pixels of each.
struct Measured {
    first: u32,
    stride: u32,
    columns: u32,
    height: u32,
}

const LANES = 64u;
// Densities that a lane counts.
const COUNTED = 256u;

var<workgroup> own_bins: array<atomic<u32>, COUNT_BINS>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * LANES * COUNTED + lane;
    for (var i = 0u; i < COUNTED; i++) {
        let index = first + i * LANES;
        if index < measured.columns * measured.height {
            let column = measured.first + index / measured.height * measured.stride;
            let count = density[column * measured.height + index % measured.height];
            if count > 0u {
                atomicAdd(&own_bins[count_bin(count)], 1u);
            }
        }
    }
    workgroupBarrier();
    for (var bin = lane; bin < COUNT_BINS; bin += LANES) {
        let counted = atomicLoad(&own_bins[bin]);
        if counted > 0u {
            atomicAdd(&bins[bin], counted);
        }
    }
}
