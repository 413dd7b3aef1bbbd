// Colours of periods and hues: the twins of `period_color` and `bright` in color/diagram.rs, which say what is meant.
struct Periods {
    // Hues of the odd periods 1, 3, 5, 7.
    hues: vec4f,
    // What each odd period beyond adds to the hue, and what each doubling.
    odd_hue: f32,
    doubling_hue: f32,
    // How far colours lie from white.
    depth: f32,
}

fn period_color(any_period: u32, periods: Periods) -> vec3f {
    let period = max(any_period, 1u);
    let doublings = countTrailingZeros(period);
    let odd = period >> doublings;
    let few = odd < 8u;
    let hue = select(periods.hues.x + periods.odd_hue * f32(odd), periods.hues[min(odd / 2u, 3u)], few);
    return bright(hue + periods.doubling_hue * f32(doublings), periods.depth);
}

// A bright, soft colour of a hue in turns.
fn bright(hue: f32, depth: f32) -> vec3f {
    let at = fract(hue + vec3f(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0;
    return 1.0 - depth * (1.0 - clamp(abs(at - 3.0) - 1.0, vec3f(0.0), vec3f(1.0)));
}
