// What is known of one column beside its pixels: the same bytes as `Column` of render/diagram.rs.
struct Column {
    periodic: u32,
    unsettled: u32,
    period: u32,
    padding: u32,
    // Sums in units of 2⁻⁴⁰, in 64 bits of two's complement, the low word first.
    periodic_exponents: vec2u,
    unsettled_exponents: vec2u,
}

// Mean Lyapunov exponent of the unsettled orbits where there are any, else of the periodic ones.
fn lyapunov(column: Column) -> f32 {
    if column.unsettled > 0u {
        return mean(column.unsettled_exponents, column.unsettled);
    }
    return mean(column.periodic_exponents, max(column.periodic, 1u));
}

fn mean(sum: vec2u, count: u32) -> f32 {
    return (f32(bitcast<i32>(sum.y)) * 0x1p-8f + f32(sum.x) * 0x1p-40f) / f32(count);
}

// An exponent in the units of the sums.
fn exponent_units(exponent: f32) -> vec2u {
    let high = floor(clamp(exponent, -64.0, 64.0) * 0x1p8f);
    let low = clamp(exponent, -64.0, 64.0) * 0x1p8f - high;
    return vec2u(u32(low * 0x1p32f), bitcast<u32>(i32(high)));
}

// The sum of two numbers of 64 bits.
fn wide_sum(a: vec2u, b: vec2u) -> vec2u {
    let low = a.x + b.x;
    return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// The orbits of two columns as one's.
fn both(a: Column, b: Column) -> Column {
    return Column(
        a.periodic + b.periodic,
        a.unsettled + b.unsettled,
        select(min(a.period, b.period), max(a.period, b.period), min(a.period, b.period) == 0u),
        0u,
        wide_sum(a.periodic_exponents, b.periodic_exponents),
        wide_sum(a.unsettled_exponents, b.unsettled_exponents),
    );
}
