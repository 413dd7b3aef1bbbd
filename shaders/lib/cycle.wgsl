//!include map

// Loops take several steps at a time: some drivers end whatever has gone round some ten thousand times.

// Cycles of a map in f32, by Newton's method on f^p(x) − x: the search of fractal/cycle.rs, which says what is meant,
// within the bounds of f32.
struct Cycle {
    // 0 where none was found.
    period: u32,
    point: vec2f,
    // Derivative of `period` steps: the eigenvalue of largest modulus, a complex number.
    multiplier: vec2f,
}

// Some steps from a point, and their derivative.
struct Turn {
    to: vec2f,
    linear: mat2x2f,
}

// Distance at which a return is worth a closer look.
const CLOSE = 1e-2;
// Distance after a part of such a turn at which the part is worth a look, too.
const NEAR = 0.2;
// Farthest that one step of Newton's method may lead.
const STRAY = 0.15;
const MOST_NEWTON_STEPS = 12u;
// Stretch from which on a return is chance: that of a cycle's whole neighbourhood is a few times 1.
const WILD = 16.0;
// Steps of Newton's method below this may be noise, if they are more than a share of the last.
const SMALL = 1e-5;
const LINEAR = 0.25;
// Largest |f^p(x) − x| of a cycle.
const RESIDUAL = 1e-6;
// What |multiplier| = 1 may be missed by at a simple root.
const NEUTRAL = 2e-6;
// Most that a multiplier is taken to be off by.
const MOST_UNCERTAIN = 0.05;
// A rounding or two.
const ROUNDING = 0x1p-23;
// Way over which multipliers are differenced.
const PROBE = 0x1p-10;
// No orbit that matters is farther out, and no derivative larger: what strays stays finite.
const FAR = 1e4;
const HUGE = 1e15;

fn no_cycle() -> Cycle {
    return Cycle(0u, vec2f(), vec2f());
}

// The attracting or neutral cycle that the orbit of x is close to, of least period up to `most_period`. Only the closest
// return is looked at: an orbit near a cycle has it after the cycle's period, or a multiple.
fn find_cycle(x: vec2f, p: f32, most_period: u32) -> Cycle {
    var closest = CLOSE;
    var period = 0u;
    var y = x;
    for (var n = 1u; n <= most_period; n++) {
        y = map_step(y, p);
        if distance(x, y) < closest {
            closest = distance(x, y);
            period = n;
        }
    }
    if period == 0u {
        return no_cycle();
    }
    return cycle_near(x, p, period);
}

// The cycle close to x with a point every `period` steps, or every few where that is true as well, unless it repels.
fn cycle_near(x: vec2f, p: f32, period: u32) -> Cycle {
    var found = no_cycle();
    var at = x;
    var whole = period;
    // Parts of the period first; from the cycle itself, once more, they tell its true period.
    for (var look = 0u; look < 2u; look++) {
        var y = at;
        var part_found = no_cycle();
        for (var part = 1u; part <= whole && part_found.period == 0u; part++) {
            y = map_step(y, p);
            let divides = whole % part == 0u && (part < whole || look == 0u);
            if divides && distance(at, y) < NEAR {
                part_found = refined(at, p, part);
            }
        }
        if part_found.period == 0u {
            return found;
        }
        found = part_found;
        at = found.point;
        whole = found.period;
    }
    return found;
}

// The cycle close to x with a point every `period` steps, unless it repels.
fn refined(x: vec2f, p: f32, period: u32) -> Cycle {
    var at = x;
    var turn = Turn(x, mat2x2f());
    var way = STRAY;
    var settled = false;
    for (var i = 0u; i <= MOST_NEWTON_STEPS && !settled; i++) {
        turn = turned(at, p, period);
        let step = way_to_root(turn.to - at, turn.linear);
        let last_way = way;
        way = length(step);
        if is_wild(turn) || way > STRAY {
            return no_cycle();
        }
        // Down among the roundings steps no longer shrink.
        let is_noise = last_way < SMALL && way > LINEAR * last_way;
        settled = is_noise || distance(at, turn.to) <= ROUNDING * (1.0 + length(at)) || i == MOST_NEWTON_STEPS;
        at += select(step, vec2f(), settled);
    }
    if distance(at, turn.to) > RESIDUAL {
        return no_cycle();
    }
    let found = Cycle(period, at, eigenvalue(turn.linear));
    if length(found.multiplier) - 1.0 > NEUTRAL + 2.0 * uncertainty(found, p) {
        return no_cycle();
    }
    return found;
}

fn turned(at: vec2f, p: f32, period: u32) -> Turn {
    var turn = Turn(at, mat2x2f(1.0, 0.0, 0.0, 1.0));
    for (var i = 0u; i < period / 8u; i++) {
        turn = four_on(four_on(turn, p), p);
    }
    for (var i = 0u; i < period % 8u; i++) {
        turn = step_on(turn, p);
    }
    return turn;
}

fn four_on(turn: Turn, p: f32) -> Turn {
    return step_on(step_on(step_on(step_on(turn, p), p), p), p);
}

fn step_on(turn: Turn, p: f32) -> Turn {
    let first = map_tangent(turn.to, p, turn.linear[0]);
    let second = map_tangent(turn.to, p, turn.linear[1]);
    let most = vec2f(HUGE);
    return Turn(
        clamp(map_step(turn.to, p), vec2f(-FAR), vec2f(FAR)),
        mat2x2f(clamp(first, -most, most), clamp(second, -most, most)),
    );
}

fn is_wild(turn: Turn) -> bool {
    return max(length(turn.linear[0]), length(turn.linear[1])) >= WILD;
}

// (1 − L)⁻¹ · gap: the way from a point to the fixed point that its gap and derivative foretell; far where there is none.
fn way_to_root(gap: vec2f, linear: mat2x2f) -> vec2f {
    let a = 1.0 - linear[0].x;
    let b = -linear[1].x;
    let c = -linear[0].y;
    let d = 1.0 - linear[1].y;
    let determinant = a * d - b * c;
    let way = vec2f(gap.x * d - b * gap.y, a * gap.y - gap.x * c);
    let least = 1e-12;
    return way / select(determinant, select(-least, least, determinant >= 0.0), abs(determinant) < least);
}

// The eigenvalue of largest modulus, a complex number.
fn eigenvalue(linear: mat2x2f) -> vec2f {
    let half_trace = 0.5 * (linear[0].x + linear[1].y);
    let determinant = linear[0].x * linear[1].y - linear[1].x * linear[0].y;
    let square = half_trace * half_trace - determinant;
    let root = sqrt(abs(square));
    return select(vec2f(half_trace, root), vec2f(half_trace + select(-root, root, half_trace >= 0.0), 0.0), square >= 0.0);
}

// How far off the multiplier of a cycle may be: where cycles meet, their points are known but to half as many digits.
fn uncertainty(cycle: Cycle, p: f32) -> f32 {
    let beside = turned(cycle.point + vec2f(PROBE, 0.0), p, cycle.period);
    let slope = distance(eigenvalue(beside.linear), cycle.multiplier) / PROBE;
    let rounding = ROUNDING * (1.0 + length(cycle.point));
    let from_one = distance(cycle.multiplier, vec2f(1.0, 0.0));
    return min(slope * min(rounding / max(from_one, rounding), sqrt(rounding)), MOST_UNCERTAIN);
}
