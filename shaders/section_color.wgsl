//!include lib/column
//!include lib/period
//!include lib/tone

// A section's layers to pixels: the twin of `paint` in color/section.rs, which says what is meant.
struct Colors {
    ground: vec4f,
    // Of orbits that settle on no cycle.
    grey: vec4f,
    // Of curves and of the fan, where they tell neither period nor parameter.
    curve: vec4f,
    fan: vec4f,
    periods: Periods,
    tells: u32,
    // Hue of the fan in the first column, and what each column adds.
    first_hue: f32,
    column_hue: f32,
    // How soon arcs become bright, and the logarithm at full brightness.
    gain: f32,
    full: f32,
    // How bright the fan may become, and how far grey points hide it.
    fan_share: f32,
    grey_share: f32,
    // Light of a point of each orbit.
    light: f32,
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
// Without any pixels where no fan is drawn.
@group(0) @binding(6) var<storage, read> fan: array<u32>;

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
    if index < arrayLength(&fan) {
        color = lit(color, f32(fan[index]) / colors.light, at.x);
    }
    let count = density[index];
    if count > 0u {
        color = mix(color, colors.grey.rgb, colors.grey_share * tone_value(count, median));
    }
    let covered = coverage[index];
    if covered > 0u {
        color = mix(color, curve_color(columns[at.x].period), min(f32(covered) / colors.covered, 1.0));
    }
    textureStore(picture, at, vec4f(color, 1.0));
}

// A colour with so many points of each orbit on it.
fn lit(color: vec3f, light: f32, column: u32) -> vec3f {
    if light == 0.0 {
        return color;
    }
    let tone = min(log(1.0 + colors.gain * light) / colors.full, 1.0);
    let hue = colors.first_hue + f32(column) * colors.column_hue;
    let arc = select(colors.fan.rgb, bright(hue, colors.periods.depth), colors.tells != 0u);
    return mix(color, arc, colors.fan_share * tone);
}

fn curve_color(period: u32) -> vec3f {
    if colors.tells == 0u {
        return colors.curve.rgb;
    }
    return period_color(period, colors.periods);
}
