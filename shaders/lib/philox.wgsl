// Philox4x32-10: four random words for a counter and a key, equal bit for bit to `philox` of math/philox.rs.
//
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
fn philox(counter: vec4u, key: vec2u) -> vec4u {
    var x = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let p = wide_product(x.x, 0xd2511f53u);
        let q = wide_product(x.z, 0xcd9e8d57u);
        x = vec4u(q.y ^ x.y ^ k.x, q.x, p.y ^ x.w ^ k.y, p.x);
        k += vec2u(0x9e3779b9u, 0xbb67ae85u);
    }
    return x;
}

// a · b in 64 bits, the low word first, from halves of 16 bits.
fn wide_product(a: u32, b: u32) -> vec2u {
    let low = (a & 0xffffu) * (b & 0xffffu);
    // Each sum of a product of halves and a carry below 2¹⁶ fits into 32 bits.
    let cross = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (cross & 0xffffu);
    let high = (a >> 16u) * (b >> 16u) + (cross >> 16u) + (other >> 16u);
    return vec2u(a * b, high);
}

// The middle of one of 2²³ equal parts of the unit interval.
fn unit(word: u32) -> f32 {
    return (f32(word >> 9u) + 0.5) * 0x1p-23f;
}
