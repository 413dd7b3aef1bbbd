// Points in space onto pixels: the twin of `Lens::splat` and `Splat::add` in engine/space/splat.rs, which say what is
// meant.
struct Lens {
    // Rows of the projection.
    across: vec4f,
    down: vec4f,
    depth: vec4f,
    // Fade is the first less depth times the second, from the third to the fourth.
    fade: vec4f,
    // Beyond these places, in pixels, a point leaves no light.
    ends: vec2f,
    size: vec2u,
    nearest: f32,
    // Amount of light in a unit of weight.
    amount: f32,
    // Bits of the parts of a pixel, and of what light is counted in beyond its unit.
    fraction: u32,
    shift: u32,
    // What the number of a point is multiplied by for its dither.
    dither: u32,
    // Points of this slice, and the number of point 0 in its layer.
    first: u32,
    end: u32,
    number: u32,
    // Red, green, blue, and the light of the real slice, red in the lowest byte.
    tints: array<vec4u, 64>,
}

struct Point {
    place: vec3f,
    // Tint in the lower 8 bits, weight above them.
    paint: u32,
}

@group(0) @binding(0) var<uniform> lens: Lens;
@group(0) @binding(1) var<storage, read> points: array<Point>;
// Four a pixel, row by row, top row first.
@group(0) @binding(2) var<storage, read_write> light: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = lens.first + id.x;
    if i >= lens.end {
        return;
    }
    let point = points[i];
    let depth = projected(lens.depth, point.place);
    if depth < lens.nearest {
        return;
    }
    let at = vec2f(projected(lens.across, point.place), projected(lens.down, point.place)) / depth;
    if any(at <= vec2f(-0.5)) || any(at >= lens.ends) {
        return;
    }
    let fade = clamp(lens.fade.x - lens.fade.y * depth, lens.fade.z, lens.fade.w);
    let amount = u32(f32(point.paint >> 8u) * lens.amount * fade);
    let dither = ((lens.number + i) * lens.dither) >> (32u - lens.shift);
    spread(at, tint(point.paint & 0xffu) * amount, dither);
}

fn projected(row: vec4f, place: vec3f) -> f32 {
    return (row.x * place.x + row.y * place.y) + (row.z * place.z + row.w);
}

fn tint(number: u32) -> vec4u {
    return (vec4u(lens.tints[number / 4u][number % 4u]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
}

// Adds light to the four pixels about a place, by its distance from their middles.
fn spread(at: vec2f, amount: vec4u, dither: u32) {
    let parts = 1u << lens.fraction;
    // Counted from the pixel before the first.
    let place = vec2u((at + 0.5) * f32(parts));
    let corner = place >> vec2u(lens.fraction);
    let within = place % parts;
    let both = (within.x * within.y) >> lens.fraction;
    add(corner, amount, parts - within.x - within.y + both, dither);
    add(corner + vec2u(1u, 0u), amount, within.x - both, dither);
    add(corner + vec2u(0u, 1u), amount, within.y - both, dither);
    add(corner + vec2u(1u, 1u), amount, both, dither);
}

// Adds a share, in parts of a pixel, of some light to a pixel, counted from the one before the first.
fn add(pixel: vec2u, amount: vec4u, share: u32, dither: u32) {
    if any(pixel == vec2u(0u)) || any(pixel > lens.size) {
        return;
    }
    let first = 4u * ((pixel.y - 1u) * lens.size.x + pixel.x - 1u);
    let units = (amount * share + dither) >> vec4u(lens.shift);
    for (var layer = 0u; layer < 4u; layer++) {
        if units[layer] > 0u {
            atomicAdd(&light[first + layer], units[layer]);
        }
    }
}
