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
    // Number of the diagram's first column, counted from parameter 0 on, and how many the next one is farther on.
    column_number: u32,
    column_stride: u32,
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
    // Im c of a section.
    line: f32,
    // 1 where the second coordinate is the ordinate.
    shows_second: u32,
    // 1 where rows are counted from the lower edge upwards.
    upside_down: u32,
    // Points of the way that are left out at its beginning, and those that are drawn.
    fan_skip: u32,
    fan_steps: u32,
}

@group(0) @binding(0) var<uniform> slice: Slice;
// Parameter at the left edge of each column, a number of f32 and the rest; then the light of each point of the way.
@group(0) @binding(1) var<storage, read> table: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> columns: array<Column>;
// Column by column, each from the top down.
@group(0) @binding(3) var<storage, read_write> density: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> marks: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> coverage: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> fan: array<atomic<u32>>;
// Steps in 64 bits, the low word first.
@group(0) @binding(7) var<storage, read_write> tally: array<atomic<u32>, 2>;

// Orbits that share a column evenly; of as many columns a workgroup takes them.
const ROUND = 8u;
const LANES = 64u;

// Rows on either side that a curve reaches.
const REACH = 2.0;
// Most rows that a branch rises within a column.
const STEEPEST = 200.0;
// Most rows that a piece of the way covers.
const LONGEST = 16.0;
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
    if slice.fan_steps > 0u {
        add_way(column, p);
    }
    var orbit = attractor(vec2f(slice.seed, 0.0), p, slice.effort);
    if orbit.end == UNSETTLED {
        orbit.lyapunov = add_points(column, number, orbit);
        orbit.steps += slice.kept;
    }
    atomicAdd(&group_steps, orbit.steps);
    return orbit;
}

// Number of a column, counted from parameter 0 on.
fn column_number(column: u32) -> u32 {
    return slice.column_number + column * slice.column_stride;
}

// The parameter of an orbit, somewhere in its part of the column.
fn parameter(column: u32, number: u32) -> f32 {
    let part = reverseBits(number % ROUND) >> 29u;
    let words = philox(vec4u(column_number(column), part, number / ROUND, 0u), vec2u());
    let within = (f32(part) + unit(words.x)) / f32(ROUND);
    let edge = table[column];
    return edge.x + fma(within, slice.width, edge.y);
}

// Counts the next points of an orbit; gives the Lyapunov exponent along them.
fn add_points(column: u32, number: u32, orbit: Orbit) -> f32 {
    let range = map_range(orbit.p);
    var walk = new_walk(orbit.x);
    for (var n = 0u; n < slice.kept; n += 32u) {
        // Counters of parameters end in 0.
        let noise = philox(vec4u(column_number(column), number, n, 1u), vec2u());
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
        atomicAdd(&density[pixel(column, u32(height))], 1u);
    }
    return next;
}

// The height of a point, in rows below the upper edge, or above the lower one where that is upside down.
fn row_height(x: vec2f) -> f32 {
    return (slice.top - ordinate(x)) * slice.rows_per_unit;
}

fn ordinate(x: vec2f) -> f32 {
    return select(x.x, x.y, slice.shows_second != 0u);
}

// Where a pixel lies in the layers.
fn pixel(column: u32, row: u32) -> u32 {
    return column * slice.size.y + select(row, slice.size.y - 1u - row, slice.upside_down != 0u);
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
            atomicAdd(&marks[pixel(column, u32(height))], share + select(0u, 1u, n < more));
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
        let rise = min(abs(ordinate(slope)) * slice.width * slice.rows_per_unit, STEEPEST);
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
        atomicAdd(&coverage[pixel(column, row)], covered);
    }
}

// Adds what the orbits of a round are to what is known of their column.
fn add_round(index: u32, first_lane: u32) {
    var column = columns[index];
    for (var i = first_lane; i < first_lane + ROUND; i++) {
        let units = exponent_units(exponents[i]);
        if ends[i] == PERIODIC {
            column = both(column, Column(1u, 0u, periods[i], 0u, units, vec2u()));
        } else if ends[i] == UNSETTLED {
            column = both(column, Column(0u, 1u, 0u, 0u, vec2u(), units));
        }
    }
    columns[index] = column;
}

// Draws the way of an orbit, from its first step to where it escapes.
fn add_way(column: u32, p: f32) {
    var point = WayPoint(vec2f(slice.seed, 0.0), vec2f());
    for (var i = 0u; i < slice.fan_skip / 4u; i++) {
        point = way_on(way_on(way_on(way_on(point, p), p), p), p);
    }
    for (var i = 0u; i < slice.fan_skip % 4u; i++) {
        point = way_on(point, p);
    }
    for (var n = 0u; n < slice.fan_steps && !is_outside(point.x, slice.effort.escape_radius); n++) {
        point = way_on(point, p);
        if !is_outside(point.x, slice.effort.escape_radius) {
            add_light(column, n, row_height(point.x), ordinate(point.slope));
        }
    }
}

// A point, and how it moves with the parameter.
struct WayPoint {
    x: vec2f,
    slope: vec2f,
}

fn way_on(point: WayPoint, p: f32) -> WayPoint {
    let most = vec2f(HUGE);
    let slope = clamp(next_slope(point.x, p, point.slope), -most, most);
    return WayPoint(kept_step(point.x, p, slice.effort.escape_radius), slope);
}

// Lays the light of step `n` evenly over the piece of the arc across this orbit's part of the column.
fn add_light(column: u32, n: u32, height: f32, slope: f32) {
    let rows = f32(slice.size.y);
    let length = clamp(abs(slope) * slice.width * slice.rows_per_unit * slice.orbit_width, 1.0, LONGEST);
    let above = max(height - 0.5 * length, 0.0);
    let below = min(height + 0.5 * length, rows);
    let light = table[slice.size.x + n].x / length;
    // Out of view there is nothing between the two.
    for (var row = u32(above); f32(row) < below; row++) {
        let share = min(below, f32(row) + 1.0) - max(above, f32(row));
        atomicAdd(&fan[pixel(column, row)], u32(light * share + 0.5));
    }
}
