// Far more than f32 rounds in the sums below, and far less than a pixel of any view that f32 draws well.
const BULBS_MARGIN = 2e-6;

// True only where c surely lies in the main cardioid or the period-2 disc of z² + c: no orbit escapes there.
fn in_bulbs(c: vec2f) -> bool {
    let y_sq = c.y * c.y;
    let x = c.x - 0.25;
    let q = x * x + y_sq;
    let cardioid = q * (q + x) - 0.25 * y_sq;
    let disc = (c.x + 1.0) * (c.x + 1.0) + y_sq - 0.0625;
    return min(cardioid, disc) < -BULBS_MARGIN;
}
