// sRGB-encoded colour to linear light.
//
// Source: IEC 61966-2-1.
fn linear_from_srgb(color: vec3f) -> vec3f {
    let bright = pow((color + 0.055) / 1.055, vec3f(2.4));
    return select(bright, color / 12.92, color <= vec3f(0.04045));
}
