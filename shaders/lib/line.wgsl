// z² + c on a line Im c = `slice.line`, for p = Re c: what a section takes for its map.
fn map_step(z: vec2f, p: f32) -> vec2f {
    return vec2f(fma(z.x, z.x, fma(-z.y, z.y, p)), fma(z.x + z.x, z.y, slice.line));
}

fn map_tangent(z: vec2f, p: f32, v: vec2f) -> vec2f {
    return 2.0 * vec2f(z.x * v.x - z.y * v.y, z.x * v.y + z.y * v.x);
}

fn map_range(p: f32) -> vec2f {
    return vec2f(-2.0, 2.0);
}
