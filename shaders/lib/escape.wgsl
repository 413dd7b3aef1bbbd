//!include lib/limits

// When an orbit has escaped, and what its sample says then.
struct Escape {
    // R², or less where f32 could not hold the square of the step after it.
    bailout_sq: f32,
    // log2(log2 R²), for the R that was asked for.
    log_log_bailout_sq: f32,
    // 1 / log2 of the formula's degree.
    inverse_log_degree: f32,
    // 1 where the fraction is wanted.
    smooth_counts: u32,
}

// The sample of an orbit that was first found outside after n steps, at |z|² = norm_sq.
fn escaped(n: u32, norm_sq: f32, max_iterations: u32, escape: Escape) -> Sample {
    // Out here each step takes |z| to |z|^d, so log_d(ln|z| / ln R) grows by one a step. It is
    // below zero only where bailout_sq had to be less than R²; the missing steps are counted on.
    var beyond = (log2(log2(norm_sq)) - escape.log_log_bailout_sq) * escape.inverse_log_degree;
    let short = select(0.0, ceil(-beyond), beyond < -1e-4);
    let iterations = n + u32(short);
    if iterations > max_iterations {
        return Sample(INTERIOR, 0.0);
    }
    beyond += short;
    return Sample(iterations, select(0.0, 1.0 - beyond, escape.smooth_counts != 0u));
}
