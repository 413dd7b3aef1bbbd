// Light of points in space to pixels: the twin of `paint_exposure` in color/exposure.rs, which says what is meant.
struct Look {
    ground: vec4f,
    // With their opacity: the axes, and the real slice.
    axis: vec4f,
    slice: vec4f,
    gain: f32,
    slice_gain: f32,
    stroke_count: u32,
    padding: u32,
    strokes: array<Stroke, 9>,
}

// `Course` of color/stroke.rs.
struct Stroke {
    along: u32,
    low: f32,
    high: f32,
    slope: f32,
    offset: f32,
    thickness: f32,
    padding: vec2u,
}

@group(0) @binding(0) var<uniform> look: Look;
// Red, green, blue, and the real slice: row by row, top row first.
@group(0) @binding(1) var<storage, read> light: array<vec4u>;
@group(0) @binding(2) var picture: texture_storage_2d<rgba8unorm, write>;

// Strokes that touch the pixels of this workgroup, a bit each.
var<workgroup> near: atomic<u32>;

const SIDE = 16u;

@compute @workgroup_size(SIDE, SIDE)
fn main(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    if lane < look.stroke_count && touches(look.strokes[lane], vec2f(group.xy * SIDE)) {
        atomicOr(&near, 1u << lane);
    }
    workgroupBarrier();
    let size = textureDimensions(picture);
    if id.x < size.x && id.y < size.y {
        let shine = vec4f(light[id.y * size.x + id.x]);
        let saturated = 1.0 - exp(-shine * vec4f(vec3f(look.gain), look.slice_gain));
        let beneath = ground(vec2f(id.xy));
        let lit = beneath + (1.0 - beneath) * saturated.rgb;
        textureStore(picture, id.xy, vec4f(mix(lit, look.slice.rgb, look.slice.a * saturated.a), 1.0));
    }
}

// What lies beneath the light: the axes.
fn ground(at: vec2f) -> vec3f {
    var color = look.ground.rgb;
    for (var left = atomicLoad(&near); left != 0u; left &= left - 1u) {
        color = mix(color, look.axis.rgb, look.axis.a * coverage(look.strokes[firstTrailingBit(left)], at));
    }
    return color;
}

// Whether a stroke may cover any pixel of a workgroup.
fn touches(stroke: Stroke, corner: vec2f) -> bool {
    let first = select(corner, corner.yx, stroke.along == 1u);
    let ends = first + f32(SIDE);
    let middles = stroke.offset + stroke.slope * vec2f(first.x, ends.x);
    let reach = 2.0;
    return stroke.low < ends.x && stroke.high > first.x
        && min(middles.x, middles.y) < ends.y + reach && max(middles.x, middles.y) > first.y - reach;
}

// The share of a pixel that a stroke covers.
fn coverage(stroke: Stroke, at: vec2f) -> f32 {
    let place = select(at, at.yx, stroke.along == 1u);
    let share = min(place.x + 1.0, stroke.high) - max(place.x, stroke.low);
    let middle = stroke.offset + stroke.slope * place.x;
    let distance = abs(place.y + 0.5 - middle) / stroke.thickness;
    return clamp(1.0 - distance, 0.0, 1.0) * clamp(share, 0.0, 1.0);
}
