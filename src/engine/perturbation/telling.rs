//! Orbits in big numbers take their time: a sink hears how far they have come.

use std::time::{Duration, Instant};

use crate::fractal::reference::Orbit;
use crate::math::FloatExp;
use crate::render::{Latest, Preparation, RenderError, Sink};

/// Time between two words about an orbit in the making.
const BETWEEN_WORDS: Duration = Duration::from_millis(30);

/// Takes an orbit as far as a view of half diagonal `radius` wants it, and says to `sink` how far it has come;
/// `begins_again` is the half diagonal of points that may begin again at 0.
///
/// # Errors
/// [`RenderError::Cancelled`] within a step after the job is stale; what there is of the orbit is kept.
pub fn follow(
    orbit: &mut Orbit,
    begins_again: FloatExp,
    radius: FloatExp,
    max_iterations: u32,
    latest: &Latest,
    sink: &dyn Sink,
) -> Result<(), RenderError> {
    // A look at the clock is worth some thousand products of limbs.
    let steps_per_look = (1 << 14) / (orbit.limbs() * orbit.limbs()).max(1) as u32 + 1;
    let mut said = Instant::now();
    let goes_on = |orbit: &Orbit| {
        if orbit.reference().last().is_multiple_of(steps_per_look) && said.elapsed() > BETWEEN_WORDS {
            said = Instant::now();
            let share = orbit.share(radius, max_iterations);
            sink.preparing(Preparation { what: "reference", share: Some(share) });
        }
        !latest.is_stale()
    };
    if orbit.follow(begins_again, max_iterations, goes_on) { Ok(()) } else { Err(RenderError::Cancelled) }
}
