//!include lib/escape
//!include lib/wide

// Escape times beside a reference orbit, some turns at a time: each thread takes one undecided pixel of a batch, and
// follows its difference δ from the reference, a step or a block of steps a turn. The pixels that are undecided still
// go to a list, close together, for the next round.
struct Slice {
    escape: Escape,
    // Width and height of the field, and its pixel at which the batch begins.
    size: vec2u,
    first_pixel: u32,
    // Places of the list that this slice takes, counted from `list`.
    first: u32,
    end: u32,
    list: u32,
    // Where the list of the next round goes on.
    next_list: u32,
    // 1 in the first round: the list is not written yet, and holds all pixels of the batch.
    fresh: u32,
    turns: u32,
    max_iterations: u32,
    // Steps after which an orbit is given up: the cap, or what f32 can do.
    limit: u32,
    // Index of the reference's last point, and what comes after it.
    last: u32,
    end_kind: u32,
    period: u32,
    levels: u32,
    // A pixel step is unit · 2^unit_exponent.
    unit: f32,
    unit_exponent: i32,
    // First block of each level, four to a vector, and behind the last one.
    starts: array<vec4u, 8>,
}

// A point of the reference, normalised.
struct Point {
    z: vec2f,
    exponent: i32,
}

// δ ← a·δ + b·δc, for δ of a size key below `radius_key`.
struct Block {
    a: vec2f,
    b: vec2f,
    a_exponent: i32,
    b_exponent: i32,
    radius_key: i32,
}

struct Orbit {
    delta: vec2f,
    exponent: i32,
    // Index of the reference's point beside it.
    m: u32,
    // Steps done.
    n: u32,
}

// What the slice did: turns and steps of escaped pixels in 64 bits each, pixels found inside, pixels given up, and
// pixels still undecided.
struct Tally {
    turns_low: atomic<u32>,
    turns_high: atomic<u32>,
    steps_low: atomic<u32>,
    steps_high: atomic<u32>,
    inside: atomic<u32>,
    given_up: atomic<u32>,
    undecided: atomic<u32>,
}

// What comes after the reference's last point.
const REBASE = 0u;
const CYCLE = 1u;
const STOP = 2u;

// What is known of a pixel.
const UNDECIDED = 0u;
const ESCAPED = 1u;
const AT_LIMIT = 2u;

const NO_BLOCK = 0xffffffffu;

@group(0) @binding(0) var<uniform> slice: Slice;
// Offsets from the reference in pixel steps, of each column, then of each row: a pixel's is the sum of two.
@group(0) @binding(1) var<storage, read> axes: array<vec2f>;
@group(0) @binding(2) var<storage, read> reference: array<Point>;
// Level by level: those of 8 steps from index 1, 9, 17, … on, then of 16, and so on.
@group(0) @binding(3) var<storage, read> blocks: array<Block>;
// Of each pixel of the batch.
@group(0) @binding(4) var<storage, read_write> orbits: array<Orbit>;
// Undecided pixels, by their places in the batch: of this round and of the next.
@group(0) @binding(5) var<storage, read_write> lists: array<u32>;
@group(0) @binding(6) var<storage, read_write> samples: array<Sample>;
@group(0) @binding(7) var<storage, read_write> tally: Tally;

var<workgroup> group_turns: atomic<u32>;
var<workgroup> group_steps: atomic<u32>;
var<workgroup> group_undecided: atomic<u32>;
var<workgroup> group_place: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    let at = slice.first + id.x;
    var number = at;
    var place = 0u;
    var is_undecided = false;
    if at < slice.end {
        if slice.fresh == 0u {
            number = lists[slice.list + at];
        }
        is_undecided = advance(number);
    }
    if is_undecided {
        place = atomicAdd(&group_undecided, 1u);
    }
    workgroupBarrier();
    if lane == 0u {
        let turns = atomicLoad(&group_turns);
        if atomicAdd(&tally.turns_low, turns) > ~turns {
            atomicAdd(&tally.turns_high, 1u);
        }
        let steps = atomicLoad(&group_steps);
        if atomicAdd(&tally.steps_low, steps) > ~steps {
            atomicAdd(&tally.steps_high, 1u);
        }
        group_place = slice.next_list + atomicAdd(&tally.undecided, atomicLoad(&group_undecided));
    }
    workgroupBarrier();
    if is_undecided {
        lists[group_place + place] = number;
    }
}

// Follows a pixel of the batch for some turns; true where it is undecided still.
fn advance(number: u32) -> bool {
    let pixel = slice.first_pixel + number;
    let offset = axes[pixel % slice.size.x] + axes[slice.size.x + pixel / slice.size.x];
    let c = normalised(Wide(offset * slice.unit, slice.unit_exponent));
    var orbit = Orbit(vec2f(), ZERO_EXPONENT, 0u, 0u);
    if slice.fresh == 0u {
        orbit = orbits[number];
    }
    let bailout_sq = slice.escape.bailout_sq;
    let limit = slice.limit;
    let last = slice.last;
    var delta = Wide(orbit.delta, orbit.exponent);
    var m = orbit.m;
    var n = orbit.n;
    var norm_sq = 0.0;
    var known = UNDECIDED;
    var turn = 0u;
    for (; turn < slice.turns && known == UNDECIDED; turn++) {
        let skip = longest_block(m, size_key(delta));
        if skip.index == NO_BLOCK {
            let z = reference[m];
            let twice = Wide(z.z, z.exponent + 1);
            delta = normalised(sum(product(sum(twice, delta), delta), c));
        } else {
            let block = blocks[skip.index];
            let linear = product(Wide(block.a, block.a_exponent), delta);
            delta = normalised(sum(linear, product(Wide(block.b, block.b_exponent), c)));
        }
        m += skip.steps;
        n += skip.steps;
        if n > limit {
            known = AT_LIMIT;
            continue;
        }
        let beside = reference[m];
        let e = max(beside.exponent, delta.e);
        let aligned = delta.w * power_of_two(delta.e - e);
        let z = beside.z * power_of_two(beside.exponent - e) + aligned;
        let plain = z * power_of_two(e);
        norm_sq = dot(plain, plain);
        if norm_sq > bailout_sq {
            known = ESCAPED;
        } else if size(z) < size(aligned) || (m == last && slice.end_kind == REBASE) {
            delta = normalised(Wide(z, e));
            m = 0u;
        } else if m == last {
            known = select(UNDECIDED, AT_LIMIT, slice.end_kind == STOP);
            m -= slice.period;
        }
    }
    atomicAdd(&group_turns, turn);
    if known == UNDECIDED {
        samples[pixel] = Sample(MISSING, 0.0);
        orbits[number] = Orbit(delta.w, delta.e, m, n);
        return true;
    }
    if known == ESCAPED {
        samples[pixel] = escaped(n, norm_sq, slice.max_iterations, slice.escape);
        atomicAdd(&group_steps, n);
    } else if limit == slice.max_iterations {
        samples[pixel] = Sample(INTERIOR, 0.0);
        atomicAdd(&tally.inside, 1u);
    } else {
        samples[pixel] = Sample(MISSING, 0.0);
        atomicAdd(&tally.given_up, 1u);
    }
    return false;
}

// A block, or none, and the steps that a turn takes with it.
struct Skip {
    index: u32,
    steps: u32,
}

// The longest block from index m on that holds for deltas of a size key.
fn longest_block(m: u32, key: i32) -> Skip {
    var skip = Skip(NO_BLOCK, 1u);
    var index = (m - 1u) >> 3u;
    var is_aligned = ((m - 1u) & 7u) == 0u;
    for (var level = 0u; level < slice.levels && is_aligned; level++) {
        let at = first_block(level) + index;
        // Radii shrink from level to level, so the first that does not hold ends the search.
        if at >= first_block(level + 1u) || key >= blocks[at].radius_key {
            break;
        }
        skip = Skip(at, 8u << level);
        is_aligned = (index & 1u) == 0u;
        index >>= 1u;
    }
    return skip;
}

fn first_block(level: u32) -> u32 {
    return slice.starts[level / 4u][level % 4u];
}
