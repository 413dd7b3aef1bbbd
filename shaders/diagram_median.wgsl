//!include lib/tone

// The median of the densities above zero, from their histogram; 1 where there are none. One workgroup.
@group(0) @binding(0) var<storage, read> bins: array<u32, COUNT_BINS>;
@group(0) @binding(1) var<storage, read_write> median: u32;

const LANES = 64u;
// Bins of a lane.
const SHARE = COUNT_BINS / LANES;

var<workgroup> sums: array<u32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    let first = lane * SHARE;
    var sum = 0u;
    for (var i = 0u; i < SHARE; i++) {
        sum += counted(first + i);
    }
    sums[lane] = sum;
    workgroupBarrier();

    var all = 0u;
    var before = 0u;
    for (var other = 0u; other < LANES; other++) {
        before += select(0u, sums[other], other < lane);
        all += sums[other];
    }
    // The lane whose bins hold the middle one writes; the first where there is none.
    if all == 0u && lane == 0u {
        median = 1u;
    }
    let middle = all / 2u;
    if middle < before || middle >= before + sum {
        return;
    }
    for (var i = 0u; i < SHARE; i++) {
        before += counted(first + i);
        if middle < before {
            median = bin_count(first + i);
            return;
        }
    }
}

fn counted(bin: u32) -> u32 {
    return select(0u, bins[bin], bin > 0u);
}
