//!include lib/column
//!include lib/period
//!include lib/tone

// A diagram's layers to pixels: the twin of `paint_diagram` in color/diagram.rs, which says what is meant.
struct Colors {
    // Along the Lyapunov exponent, and along the tone of a density.
    exponent_stops: array<vec4f, 6>,
    tone_stops: array<vec4f, 6>,
    ground: vec4f,
    white: vec4f,
    periods: Periods,
    // Tone from where on colours turn towards white, and how far they do.
    glow: f32,
    glow_share: f32,
    // Whether densities are coloured by the Lyapunov exponent and curves by their period; else by tone alone.
    by_exponent: u32,
    // Coverage that hides what is beneath.
    covered: f32,
}

@group(0) @binding(0) var<uniform> colors: Colors;
@group(0) @binding(1) var<storage, read> columns: array<Column>;
// Column by column, each from the top down.
@group(0) @binding(2) var<storage, read> density: array<u32>;
@group(0) @binding(3) var<storage, read> coverage: array<u32>;
@group(0) @binding(4) var<storage, read> median: u32;
@group(0) @binding(5) var picture: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(picture);
    // Neighbouring threads take neighbouring rows, as the layers lie.
    let at = id.yx;
    if at.x >= size.x || at.y >= size.y {
        return;
    }
    let index = at.x * size.y + at.y;
    var color = colors.ground.rgb;
    let count = density[index];
    if count > 0u {
        color = density_color(tone_value(count, median), columns[at.x]);
    }
    let covered = coverage[index];
    if covered > 0u {
        color = mix(color, curve_color(columns[at.x].period), min(f32(covered) / colors.covered, 1.0));
    }
    textureStore(picture, at, vec4f(color, 1.0));
}

fn density_color(tone: f32, column: Column) -> vec3f {
    if colors.by_exponent == 0u {
        return tone_color(tone);
    }
    let chaos = exponent_color(lyapunov(column) / log(2.0));
    let lit = mix(colors.ground.rgb, chaos, min(tone / colors.glow, 1.0));
    let glowing = colors.glow_share * max((tone - colors.glow) / (1.0 - colors.glow), 0.0);
    return mix(lit, colors.white.rgb, glowing);
}

fn exponent_color(share: f32) -> vec3f {
    let place = clamp(share, 0.0, 1.0) * 5.0;
    let i = min(u32(place), 4u);
    return mix(colors.exponent_stops[i].rgb, colors.exponent_stops[i + 1u].rgb, place - f32(i));
}

fn tone_color(share: f32) -> vec3f {
    let place = clamp(share, 0.0, 1.0) * 5.0;
    let i = min(u32(place), 4u);
    return mix(colors.tone_stops[i].rgb, colors.tone_stops[i + 1u].rgb, place - f32(i));
}

fn curve_color(period: u32) -> vec3f {
    if colors.by_exponent == 0u {
        return colors.tone_stops[5].rgb;
    }
    return period_color(period, colors.periods);
}
