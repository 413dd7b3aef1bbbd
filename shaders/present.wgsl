//!include lib/srgb

// One picture, laid into the window by an affine map; transparent pixels let what lies below through.
struct Quad {
    // Rows of the 2×3 matrices between pixels of the picture and of the window; w is unused.
    window_from_picture_x: vec4f,
    window_from_picture_y: vec4f,
    picture_from_window_x: vec4f,
    picture_from_window_y: vec4f,
    window_size: vec2f,
    opacity: f32,
    // 1 where the target turns linear light into sRGB by itself.
    linear_target: u32,
    // How far beyond its edges the picture goes on as it ends, in its pixels.
    margin: f32,
}

@group(0) @binding(0) var<uniform> quad: Quad;
@group(0) @binding(1) var picture: texture_2d<f32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let unit = vec2f(vec2u(index & 1u, index >> 1u));
    let place = mix(vec2f(-quad.margin), vec2f(textureDimensions(picture)) + quad.margin, unit);
    let at = vec3f(place, 1.0);
    let window = vec2f(dot(quad.window_from_picture_x.xyz, at), dot(quad.window_from_picture_y.xyz, at));
    return vec4f((window / quad.window_size * 2.0 - 1.0) * vec2f(1.0, -1.0), 0.0, 1.0);
}

// The pixel that a place lies in.
@fragment
fn nearest(@builtin(position) position: vec4f) -> @location(0) vec4f {
    return finished(premultiplied(vec2i(floor(picture_from_window(position)))));
}

// A place between pixels: a sharp curve through them where the picture is magnified, their average where it is made smaller.
@fragment
fn sharp_between(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let across = quad.picture_from_window_x.xy;
    let down = quad.picture_from_window_y.xy;
    let footprint = max(length(vec2f(across.x, down.x)), length(vec2f(across.y, down.y)));
    if footprint <= 1.0 {
        return finished(sharp(picture_from_window(position)));
    }
    // Places evenly spread over the window's pixel.
    let count = min(i32(ceil(footprint)), MOST_PLACES);
    var sum = vec4f();
    for (var j = 0; j < count; j++) {
        for (var i = 0; i < count; i++) {
            let offset = (vec2f(vec2i(i, j)) + 0.5) / f32(count) - 0.5;
            sum += blended(picture_from_window(vec4f(position.xy + offset, position.zw)));
        }
    }
    return finished(sum / f32(count * count));
}

// The same in a quarter of the time, or less: for devices whose frames are the processor's work.
@fragment
fn plain_between(@builtin(position) position: vec4f) -> @location(0) vec4f {
    return finished(blended(picture_from_window(position)));
}

// Places along a side of a window's pixel that are looked at, at most.
const MOST_PLACES = 4;

// The four pixels around a place, blended; unknown ones weigh nothing.
fn blended(at: vec2f) -> vec4f {
    let corner = vec2i(floor(at - 0.5));
    let share = fract(at - 0.5);
    let top = mix(premultiplied(corner), premultiplied(corner + vec2i(1, 0)), share.x);
    let bottom = mix(premultiplied(corner + vec2i(0, 1)), premultiplied(corner + vec2i(1, 1)), share.x);
    return mix(top, bottom, share.y);
}

// Catmull and Rom's curve through the sixteen pixels around a place, no brighter or darker than the four nearest.
// Beside unknown pixels the four are blended.
fn sharp(at: vec2f) -> vec4f {
    let corner = vec2i(floor(at - 0.5));
    let share = fract(at - 0.5);
    let across = weights(share.x);
    let down = weights(share.y);
    var sum = vec4f();
    var least = vec4f(1.0);
    var most = vec4f();
    var known = 1.0;
    for (var j = 0; j < 4; j++) {
        for (var i = 0; i < 4; i++) {
            let color = premultiplied(corner + vec2i(i - 1, j - 1));
            sum += across[i] * down[j] * color;
            known = min(known, color.a);
            if (i == 1 || i == 2) && (j == 1 || j == 2) {
                least = min(least, color);
                most = max(most, color);
            }
        }
    }
    if known < 1.0 {
        return blended(at);
    }
    return clamp(sum, least, most);
}

// The weights of four pixels in a row for a place `t` of the way from the second to the third.
fn weights(t: f32) -> vec4f {
    let t2 = t * t;
    let t3 = t2 * t;
    return vec4f(2.0 * t2 - t - t3, 2.0 - 5.0 * t2 + 3.0 * t3, t + 4.0 * t2 - 3.0 * t3, t3 - t2) * 0.5;
}

fn picture_from_window(position: vec4f) -> vec2f {
    let window = vec3f(position.xy, 1.0);
    return vec2f(dot(quad.picture_from_window_x.xyz, window), dot(quad.picture_from_window_y.xyz, window));
}

fn premultiplied(at: vec2i) -> vec4f {
    let edge = vec2i(textureDimensions(picture)) - 1;
    let color = textureLoad(picture, clamp(at, vec2i(), edge), 0);
    return vec4f(color.rgb * color.a, color.a);
}

fn finished(color: vec4f) -> vec4f {
    if quad.linear_target != 0u && color.a > 0.0 {
        return vec4f(linear_from_srgb(color.rgb / color.a) * color.a, color.a) * quad.opacity;
    }
    return color * quad.opacity;
}
