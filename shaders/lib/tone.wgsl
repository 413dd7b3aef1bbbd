// How bright a count is beside the others in view: the twin of color/tone.rs, which says what is meant.

const COUNT_BINS = 1728u;
const OCTAVE_BITS = 6u;

fn count_bin(count: u32) -> u32 {
    let dropped = u32(max(i32(31u - OCTAVE_BITS) - i32(countLeadingZeros(count)), 0));
    return (dropped << OCTAVE_BITS) + (count >> dropped);
}

fn bin_count(bin: u32) -> u32 {
    let dropped = u32(max(i32(bin >> OCTAVE_BITS) - 1, 0));
    return ((bin - (dropped << OCTAVE_BITS)) << dropped) + ((1u << dropped) >> 1u);
}

// 0 for none, and 1 for 24 times the median or more.
fn tone_value(count: u32, median: u32) -> f32 {
    return min(log(1.0 + 3.0 * f32(count) / f32(median)) / log(73.0), 1.0);
}
