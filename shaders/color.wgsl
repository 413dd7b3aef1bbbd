//!include lib/limits

// Samples to pixels: the twin of `shade` in color/shade.rs, which says what is meant.
struct Shade {
    density: f32,
    offset: f32,
    mapping: u32,
    interior: u32,
}

const ROOT = 0u;
const LOG = 1u;

@group(0) @binding(0) var<uniform> shade: Shade;
@group(0) @binding(1) var<storage, read> samples: array<Sample>;
// One turn of the palette: sRGB-encoded RGBA, red in the lowest byte.
@group(0) @binding(2) var<storage, read> palette: array<u32>;
@group(0) @binding(3) var picture: texture_storage_2d<rgba8unorm, write>;
// Colours of the inside by period, encoded alike.
@group(0) @binding(4) var<storage, read> periods: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(picture);
    if id.x >= size.x || id.y >= size.y {
        return;
    }
    textureStore(picture, id.xy, unpack4x8unorm(color(samples[id.y * size.x + id.x])));
}

fn color(sample: Sample) -> u32 {
    switch sample.iterations {
        case MISSING: { return 0u; }
        case INTERIOR: { return inside(u32(sample.fraction)); }
        default: {
            let entries = arrayLength(&palette);
            let smooth_count = f32(sample.iterations) + sample.fraction;
            let place = shade.offset + shade.density * curve(1.0 + max(smooth_count, 0.0));
            return palette[u32(place * f32(entries)) % entries];
        }
    }
}

fn inside(period: u32) -> u32 {
    if period == 0u {
        return shade.interior;
    }
    return periods[min(period, arrayLength(&periods) - 1u)];
}

fn curve(x: f32) -> f32 {
    switch shade.mapping {
        case ROOT: { return sqrt(sqrt(x)); }
        case LOG: { return log2(x); }
        default: { return x; }
    }
}
