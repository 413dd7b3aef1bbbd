// Adds the light of a picture to that of others, and writes their mean: the twin of color/linear.rs, which says what is meant.
struct Added {
    // Pictures added, this one among them.
    count: u32,
    // Light of a step of the way back to sRGB, so many times.
    step: u32,
}

@group(0) @binding(0) var<uniform> added: Added;
@group(0) @binding(1) var picture: texture_2d<f32>;
// Red, green and blue of each pixel.
@group(0) @binding(2) var<storage, read_write> light: array<u32>;
@group(0) @binding(3) var<storage, read> light_of_byte: array<u32>;
// Four bytes a word.
@group(0) @binding(4) var<storage, read> byte_of_light: array<u32>;
@group(0) @binding(5) var average: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(picture);
    if id.x >= size.x || id.y >= size.y {
        return;
    }
    let bytes = pack4x8unorm(textureLoad(picture, id.xy, 0));
    let first = 3u * (id.y * size.x + id.x);
    var mean = 0xff000000u;
    for (var channel = 0u; channel < 3u; channel++) {
        let before = select(light[first + channel], 0u, added.count == 1u);
        let sum = before + light_of_byte[(bytes >> (8u * channel)) & 255u];
        light[first + channel] = sum;
        mean |= byte((sum + added.step / 2u) / added.step) << (8u * channel);
    }
    textureStore(average, id.xy, unpack4x8unorm(mean));
}

fn byte(steps: u32) -> u32 {
    return (byte_of_light[steps / 4u] >> (8u * (steps % 4u))) & 255u;
}
