//!include lib/cycle

// Where an orbit ends up: `attractor` of fractal/attractor.rs in f32.
struct Orbit {
    p: f32,
    end: u32,
    // Where it is at the end of its transient.
    x: vec2f,
    cycle: Cycle,
    lyapunov: f32,
    // Steps of the definition.
    steps: u32,
}

const EMPTY = 0u;
const PERIODIC = 1u;
const UNSETTLED = 2u;

// How hard to look, and how far out there is nothing to look for.
struct Effort {
    transient: u32,
    most_period: u32,
    most_transient: u32,
    escape_radius: f32,
}

// Smallest |λ| of an orbit that is given up as chaotic.
const SLOW = 0.02;
// Doublings of the transient, more than there are numbers for.
const MOST_ATTEMPTS = 32u;

fn attractor(start: vec2f, p: f32, effort: Effort) -> Orbit {
    var orbit = Orbit(p, EMPTY, start, no_cycle(), 0.0, 0u);
    var until = effort.transient;
    for (var attempt = 0u; attempt < MOST_ATTEMPTS; attempt++) {
        let half = max(until / 2u, orbit.steps);
        let middle = walked(orbit.x, p, effort.escape_radius, half - orbit.steps);
        let walk = stretched(middle, p, effort.escape_radius, until - half);
        orbit.x = walk.x;
        orbit.steps = until;
        if is_outside(walk.x, effort.escape_radius) {
            return orbit;
        }
        orbit.lyapunov = exponent(walk, until - half);
        orbit.cycle = find_cycle(orbit.x, p, effort.most_period);
        if orbit.cycle.period > 0u {
            let size = max(length(orbit.cycle.multiplier), LEAST_SIZE);
            orbit.end = PERIODIC;
            orbit.lyapunov = log(size) / f32(orbit.cycle.period);
            // To a cycle, those of the first search count.
            orbit.steps = effort.transient;
            return orbit;
        }
        until = min(until + min(until, effort.most_transient), effort.most_transient);
        if until <= orbit.steps || abs(orbit.lyapunov) >= SLOW {
            break;
        }
    }
    orbit.end = UNSETTLED;
    return orbit;
}

fn is_outside(x: vec2f, escape_radius: f32) -> bool {
    return dot(x, x) > escape_radius * escape_radius;
}

// A step, unless the orbit has escaped: what is outside stays where it is, for soon it would be no number.
fn kept_step(x: vec2f, p: f32, escape_radius: f32) -> vec2f {
    return select(map_step(x, p), x, is_outside(x, escape_radius));
}

fn walked(start: vec2f, p: f32, escape_radius: f32, steps: u32) -> vec2f {
    var x = start;
    for (var i = 0u; i < steps / 8u; i++) {
        x = four_steps(four_steps(x, p, escape_radius), p, escape_radius);
    }
    for (var i = 0u; i < steps % 8u; i++) {
        x = kept_step(x, p, escape_radius);
    }
    return x;
}

fn four_steps(x: vec2f, p: f32, escape_radius: f32) -> vec2f {
    let middle = kept_step(kept_step(x, p, escape_radius), p, escape_radius);
    return kept_step(kept_step(middle, p, escape_radius), p, escape_radius);
}

// A point, and how far the steps to it stretch: the sum of logarithms, and a direction whose length is not in it yet.
struct Walk {
    x: vec2f,
    direction: vec2f,
    log2_size: f32,
}

// Size of what has shrunk to nothing.
const LEAST_SIZE = 0x1p-100;

fn new_walk(start: vec2f) -> Walk {
    return Walk(start, vec2f(1.0, 0.0), 0.0);
}

fn stretched(start: vec2f, p: f32, escape_radius: f32, steps: u32) -> Walk {
    var walk = new_walk(start);
    for (var i = 0u; i < steps / 8u; i++) {
        walk = folded(four_walks(four_walks(walk, p, escape_radius), p, escape_radius));
    }
    for (var i = 0u; i < steps % 8u; i++) {
        walk = walked_on(walk, p, escape_radius);
    }
    return folded(walk);
}

fn four_walks(walk: Walk, p: f32, escape_radius: f32) -> Walk {
    let middle = walked_on(walked_on(walk, p, escape_radius), p, escape_radius);
    return walked_on(walked_on(middle, p, escape_radius), p, escape_radius);
}

fn walked_on(walk: Walk, p: f32, escape_radius: f32) -> Walk {
    let outside = is_outside(walk.x, escape_radius);
    let direction = select(map_tangent(walk.x, p, walk.direction), walk.direction, outside);
    return Walk(kept_step(walk.x, p, escape_radius), direction, walk.log2_size);
}

// The same with a direction of length 1: due every eight steps, for so many factors of 4, or of 2⁻¹², stay within f32.
fn folded(walk: Walk) -> Walk {
    let size = abs(walk.direction.x) + abs(walk.direction.y);
    if size <= LEAST_SIZE {
        return Walk(walk.x, vec2f(1.0, 0.0), walk.log2_size + log2(LEAST_SIZE));
    }
    return Walk(walk.x, walk.direction / size, walk.log2_size + log2(size));
}

// The Lyapunov exponent over that many steps, all of them folded.
fn exponent(walk: Walk, steps: u32) -> f32 {
    return walk.log2_size * log(2.0) / f32(max(steps, 1u));
}
