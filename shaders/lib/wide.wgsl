// Complex numbers with an exponent that both parts share: w · 2^e. The twin of `ComplexExp`, in f32.
struct Wide {
    w: vec2f,
    e: i32,
}

// Of zero: below all others, and far from where sums of exponents overflow.
const ZERO_EXPONENT = -4194304;

// 2^i for i < 128, and 0 where that is below the range of f32.
fn power_of_two(i: i32) -> f32 {
    return select(0.0, bitcast<f32>(u32(i + 127) << 23u), i > -127);
}

// The larger of the parts' sizes.
fn size(w: vec2f) -> f32 {
    return max(abs(w.x), abs(w.y));
}

// With the larger part in 1 ≤ |x| < 2; parts must be below 2^127.
fn normalised(z: Wide) -> Wide {
    let exponent = i32(bitcast<u32>(size(z.w)) >> 23u) - 127;
    if exponent == -127 {
        return Wide(vec2f(), ZERO_EXPONENT);
    }
    return Wide(z.w * power_of_two(-exponent), max(z.e + exponent, ZERO_EXPONENT));
}

// A sum that is not normalised.
fn sum(a: Wide, b: Wide) -> Wide {
    let e = max(a.e, b.e);
    return Wide(a.w * power_of_two(a.e - e) + b.w * power_of_two(b.e - e), e);
}

// A product that is not normalised.
fn product(a: Wide, b: Wide) -> Wide {
    return Wide(vec2f(a.w.x * b.w.x - a.w.y * b.w.y, a.w.x * b.w.y + a.w.y * b.w.x), a.e + b.e);
}

// A whole number that grows with the size of a normalised number: 256 steps each time it doubles.
fn size_key(z: Wide) -> i32 {
    return z.e * 256 + i32(bitcast<u32>(size(z.w)) >> 15u);
}
