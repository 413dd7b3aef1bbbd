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
}

@group(0) @binding(0) var<uniform> quad: Quad;
@group(0) @binding(1) var picture: texture_2d<f32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let unit = vec2u(index & 1u, index >> 1u);
    let at = vec3f(vec2f(unit * textureDimensions(picture)), 1.0);
    let window = vec2f(dot(quad.window_from_picture_x.xyz, at), dot(quad.window_from_picture_y.xyz, at));
    return vec4f((window / quad.window_size * 2.0 - 1.0) * vec2f(1.0, -1.0), 0.0, 1.0);
}

// The pixel that a place lies in.
@fragment
fn nearest(@builtin(position) position: vec4f) -> @location(0) vec4f {
    return finished(premultiplied(vec2i(floor(picture_from_window(position)))));
}

// The four pixels around a place, blended; unknown ones weigh nothing.
@fragment
fn linear(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let at = picture_from_window(position) - 0.5;
    let corner = vec2i(floor(at));
    let share = at - floor(at);
    let top = mix(premultiplied(corner), premultiplied(corner + vec2i(1, 0)), share.x);
    let bottom = mix(premultiplied(corner + vec2i(0, 1)), premultiplied(corner + vec2i(1, 1)), share.x);
    return finished(mix(top, bottom, share.y));
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
