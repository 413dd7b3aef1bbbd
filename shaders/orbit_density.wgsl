//!include lib/orbit
//!include lib/philox
//!include lib/column

// What orbits leave in some columns of a diagram, added to its layers: engine/diagram of the CPU says what is meant. A
// workgroup takes eight columns, and of each eight orbits at a time.
struct Slice {
    effort: Effort,
    // Least and largest parameter where there may be something to draw.
    parameters: vec2f,
    // Width and height of the diagram.
    size: vec2u,
    // Points that an orbit adds.
    kept: u32,
    // Columns and orbits of this slice: a round of orbits at most.
    first_column: u32,
    end_column: u32,
    first_orbit: u32,
    end_orbit: u32,
    // Number of the diagram's first column, counted from parameter 0 on.
    column_number: u32,
    seed: f32,
    // Parameter per column.
    width: f32,
    // Ordinate of the upper edge.
    top: f32,
    rows_per_unit: f32,
    // Share of a column's width that an orbit stands for.
    orbit_width: f32,
    // Width of the noise that keeps orbits from falling into cycles that are rounding's.
    dither: f32,
}

@group(0) @binding(0) var<uniform> slice: Slice;
// Parameter at the left edge of each column: a number of f32 and the rest.
@group(0) @binding(1) var<storage, read> edges: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> columns: array<Column>;
// Column by column, each from the top down.
@group(0) @binding(3) var<storage, read_write> density: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> coverage: array<atomic<u32>>;
// Steps in 64 bits, the low word first.
@group(0) @binding(6) var<storage, read_write> tally: array<atomic<u32>, 2>;

// Orbits that share a column evenly; of as many columns a workgroup takes them.
const ROUND = 8u;
const LANES = 64u;

// Rows on either side that a curve reaches.
const REACH = 2.0;
// Most rows that a branch rises within a column.
const STEEPEST = 200.0;
// Longest period drawn at full weight.
const FULL_PERIOD = 64.0;
// Step of the parameter over which maps are differentiated: they are linear in it, so that a long one loses nothing.
const PARAMETER_STEP = 0.0625;
// Coverage that hides what is beneath.
const COVERED = 4096.0;

// What the orbits of the workgroup ended as.
var<workgroup> ends: array<u32, LANES>;
var<workgroup> periods: array<u32, LANES>;
var<workgroup> exponents: array<f32, LANES>;
var<workgroup> group_steps: atomic<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let column = slice.first_column + group.x * (LANES / ROUND) + lane / ROUND;
    let place = lane % ROUND;
    let first_lane = lane - place;
    var orbit = Orbit(0.0, EMPTY, vec2f(), no_cycle(), 0.0, 0u);
    if column < slice.end_column && slice.first_orbit + place < slice.end_orbit {
        orbit = follow(column, slice.first_orbit + place);
    }
    ends[lane] = orbit.end;
    periods[lane] = orbit.cycle.period;
    exponents[lane] = orbit.lyapunov;
    workgroupBarrier();
    if orbit.end == PERIODIC {
        add_marks(column, orbit);
        add_curve(column, orbit, shape_of_round(first_lane));
    }
    if column < slice.end_column && place == 0u {
        add_round(column, first_lane);
    }
    if lane == 0u {
        let steps = atomicLoad(&group_steps);
        if atomicAdd(&tally[0], steps) > ~steps {
            atomicAdd(&tally[1], 1u);
        }
    }
}

// Where an orbit ends; one that never settles adds its points.
fn follow(column: u32, number: u32) -> Orbit {
    let p = parameter(column, number);
    if p < slice.parameters.x || p > slice.parameters.y {
        return Orbit(p, EMPTY, vec2f(), no_cycle(), 0.0, 0u);
    }
    var orbit = attractor(vec2f(slice.seed, 0.0), p, slice.effort);
    if orbit.end == UNSETTLED {
        orbit.lyapunov = add_points(column, number, orbit);
        orbit.steps += slice.kept;
    }
    atomicAdd(&group_steps, orbit.steps);
    return orbit;
}

// The parameter of an orbit, somewhere in its part of the column.
fn parameter(column: u32, number: u32) -> f32 {
    let part = reverseBits(number % ROUND) >> 29u;
    let words = philox(vec4u(slice.column_number + column, part, number / ROUND, 0u), vec2u());
    let within = (f32(part) + unit(words.x)) / f32(ROUND);
    let edge = edges[column];
    return edge.x + fma(within, slice.width, edge.y);
}

// Counts the next points of an orbit; gives the Lyapunov exponent along them.
fn add_points(column: u32, number: u32, orbit: Orbit) -> f32 {
    let range = map_range(orbit.p);
    var walk = new_walk(orbit.x);
    for (var n = 0u; n < slice.kept; n += 32u) {
        // Counters of parameters end in 0.
        let noise = philox(vec4u(slice.column_number + column, number, n, 1u), vec2u());
        walk = added(walk, column, orbit.p, range, noise.x, n);
        walk = added(walk, column, orbit.p, range, noise.y, n + 8u);
        walk = added(walk, column, orbit.p, range, noise.z, n + 16u);
        walk = added(walk, column, orbit.p, range, noise.w, n + 24u);
    }
    return exponent(walk, slice.kept);
}

// Counts the points from the `n`-th on, eight at most, after a little noise.
fn added(walk: Walk, column: u32, p: f32, range: vec2f, noise: u32, n: u32) -> Walk {
    var noisy = walk;
    noisy.x.x = clamp(walk.x.x + (unit(noise) - 0.5) * slice.dither, range.x, range.y);
    return folded(four_counted(four_counted(noisy, column, p, n), column, p, n + 4u));
}

fn four_counted(walk: Walk, column: u32, p: f32, n: u32) -> Walk {
    let middle = counted(counted(walk, column, p, n), column, p, n + 1u);
    return counted(counted(middle, column, p, n + 2u), column, p, n + 3u);
}

// A step, and the point that it leads to counted if it is the `n`-th of those kept, from 0 on.
fn counted(walk: Walk, column: u32, p: f32, n: u32) -> Walk {
    if n >= slice.kept {
        return walk;
    }
    let next = walked_on(walk, p, slice.effort.escape_radius);
    let height = row_height(next.x);
    if is_in_view(height) && !is_outside(next.x, slice.effort.escape_radius) {
        atomicAdd(&density[column * slice.size.y + u32(height)], 1u);
    }
    return next;
}

// The height of a point, in rows below the upper edge.
fn row_height(x: vec2f) -> f32 {
    return (slice.top - x.x) * slice.rows_per_unit;
}

fn is_in_view(height: f32) -> bool {
    return height >= 0.0 && height < f32(slice.size.y);
}

// As many points of a cycle as an unsettled orbit adds: the same share for each, and one more for the first ones.
fn add_marks(column: u32, orbit: Orbit) {
    let share = slice.kept / orbit.cycle.period;
    let more = slice.kept % orbit.cycle.period;
    var x = orbit.cycle.point;
    for (var n = 0u; n < orbit.cycle.period; n++) {
        let height = row_height(x);
        if is_in_view(height) {
            atomicAdd(&marks[column * slice.size.y + u32(height)], share + select(0u, 1u, n < more));
        }
        x = map_step(x, orbit.p);
    }
}

// How the curves of a round are drawn.
struct Shape {
    // Whether pieces of branches are drawn, or points alone.
    follows: bool,
    // What coverage is multiplied by: the share of orbits on cycles.
    weight: f32,
}

fn shape_of_round(first_lane: u32) -> Shape {
    var least = 0xffffffffu;
    var periodic = 0u;
    var unsettled = 0u;
    for (var i = first_lane; i < first_lane + ROUND; i++) {
        if ends[i] == PERIODIC {
            periodic++;
            least = min(least, periods[i]);
        }
        unsettled += select(0u, 1u, ends[i] == UNSETTLED);
    }
    // Of one branch, or one that forks, slopes hold for the column.
    var follows = unsettled == 0u;
    for (var i = first_lane; i < first_lane + ROUND; i++) {
        let is_fork = periods[i] % least == 0u && countOneBits(periods[i] / least) == 1u;
        follows = follows && (is_fork || ends[i] != PERIODIC);
    }
    return Shape(follows, f32(periodic) / f32(max(periodic + unsettled, 1u)));
}

// The piece of each branch over this orbit's part of the column.
fn add_curve(column: u32, orbit: Orbit, shape: Shape) {
    let weight = shape.weight * min(FULL_PERIOD / f32(orbit.cycle.period), 1.0);
    var slope = vec2f();
    if shape.follows {
        slope = slope_at_start(orbit);
    }
    var x = orbit.cycle.point;
    for (var n = 0u; n < orbit.cycle.period; n++) {
        let rise = min(abs(slope.x) * slice.width * slice.rows_per_unit, STEEPEST);
        let piece = rise * slice.orbit_width;
        let dots = max(ceil(piece), 1.0);
        let dot_weight = weight * sqrt(fma(rise, rise, 1.0)) / dots;
        for (var i = 0u; i < u32(dots); i++) {
            let along = (f32(i) + 0.5) / dots - 0.5;
            add_dot(column, row_height(x) + along * piece, dot_weight);
        }
        if shape.follows {
            slope = next_slope(x, orbit.p, slope);
        }
        x = map_step(x, orbit.p);
    }
}

// dx/dp of a cycle's first point, from how one turn moves.
fn slope_at_start(orbit: Orbit) -> vec2f {
    let turn = turned(orbit.cycle.point, orbit.p, orbit.cycle.period);
    var moved = vec2f();
    var x = orbit.cycle.point;
    for (var n = 0u; n < orbit.cycle.period; n++) {
        moved = next_slope(x, orbit.p, moved);
        x = map_step(x, orbit.p);
    }
    return way_to_root(moved, turn.linear);
}

// dx/dp a step on.
fn next_slope(x: vec2f, p: f32, slope: vec2f) -> vec2f {
    let change = map_step(x, p + PARAMETER_STEP) - map_step(x, p - PARAMETER_STEP);
    return map_tangent(x, p, slope) + change / (2.0 * PARAMETER_STEP);
}

// A dot with soft edges: (1 − d²/4)⁵ at d rows from its middle.
fn add_dot(column: u32, height: f32, weight: f32) {
    let rows = f32(slice.size.y);
    if height <= -REACH || height >= rows + REACH {
        return;
    }
    let first = u32(max(height - REACH, 0.0));
    let end = min(u32(min(height + REACH, rows)) + 1u, slice.size.y);
    for (var row = first; row < end; row++) {
        let off = (f32(row) + 0.5 - height) / REACH;
        let nearness = max(1.0 - off * off, 0.0);
        let square = nearness * nearness;
        let covered = u32(weight * square * square * nearness * COVERED + 0.5);
        atomicAdd(&coverage[column * slice.size.y + row], covered);
    }
}

// Adds what the orbits of a round are to what is known of their column.
fn add_round(index: u32, first_lane: u32) {
    var column = columns[index];
    for (var i = first_lane; i < first_lane + ROUND; i++) {
        let units = exponent_units(exponents[i]);
        if ends[i] == PERIODIC {
            column.periodic++;
            column.period = select(min(column.period, periods[i]), periods[i], column.period == 0u);
            column.periodic_exponents = wide_sum(column.periodic_exponents, units);
        } else if ends[i] == UNSETTLED {
            column.unsettled++;
            column.unsettled_exponents = wide_sum(column.unsettled_exponents, units);
        }
    }
    columns[index] = column;
}
