//! The next reference, computed ahead on a thread of its own while a view moves.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::store::{Needs, REACH};
use crate::fractal::reference::Orbit;
use crate::math::{BigComplex, FloatExp};
use crate::render::{Newest, Viewport};

/// How far from the point that a view narrows to an orbit may lie, in half diagonals: where a view narrows to is known to some
/// 10⁻⁸ of a pixel, so what was near enough is left behind some ten decades on.
const NEAR: f64 = 0.25;
/// Limbs more than the view needs: it may narrow 2⁶⁴-fold before the one after that is begun, and again until it is there.
const MORE_LIMBS: usize = 2;
/// log₂ of how much narrower a view it is followed for is.
const NARROWER_LOG2: i64 = -32;

/// What is being computed, and for whom.
#[derive(Default)]
pub struct Ahead {
    /// The view in motion that was drawn last.
    seen: Option<Viewport>,
    running: Option<Running>,
}

struct Running {
    center: BigComplex,
    limbs: usize,
    newest: Newest,
    result: Receiver<Orbit>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.newest.cancel();
    }
}

impl Ahead {
    /// What has come of it, once.
    pub fn take(&mut self) -> Option<Orbit> {
        match self.running.as_ref()?.result.try_recv() {
            Ok(orbit) => {
                self.running = None;
                Some(orbit)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.running = None;
                None
            }
        }
    }

    #[cfg(test)]
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// A view in motion is drawn, with what there is in `orbits`: begins on what it will want next.
    pub fn look(&mut self, viewport: &Viewport, needs: &Needs, orbits: &[Orbit]) {
        let Some(before) = self.seen.replace(viewport.clone()) else { return };
        let (point, limbs, reach) = match narrows_to(&before, viewport) {
            Some(point) => (point, needs.limbs() + 1, NEAR),
            None => (needs.center.clone(), needs.limbs(), REACH / 2.0),
        };
        let radius =
            if limbs > needs.limbs() { needs.radius.mul(FloatExp::new(1.0, NARROWER_LOG2)) } else { needs.radius };
        let there = Needs { center: point, ..needs.clone() };
        let will_do = |center: &BigComplex, has: usize| has >= limbs && there.is_within(center, has, reach);
        let is_there = orbits.iter().any(|orbit| will_do(orbit.center(), orbit.limbs()));
        if !is_there && !self.running.as_ref().is_some_and(|running| will_do(&running.center, running.limbs)) {
            self.running = start(there.center, needs.limbs() + MORE_LIMBS, radius, needs.max_iterations);
        }
    }
}

/// The point that stays where it is while the view goes from `before` to `now`, where that is narrower.
fn narrows_to(before: &Viewport, now: &Viewport) -> Option<BigComplex> {
    let ratio = before.height().to_float_exp().div(now.height().to_float_exp()).to_f64() - 1.0;
    if !(ratio > 1e-6 && ratio.is_finite() && before.size() == now.size()) {
        return None;
    }
    let [width, height] = now.size().map(f64::from);
    let middle = [width / 2.0, height / 2.0];
    let was = now.pixel_from_plane(before.center());
    let fixed = [0, 1].map(|i| middle[i] + (middle[i] - was[i]) / ratio);
    // After a jump there is none that a view of either would hold.
    let is_near = (0..2).all(|i| (fixed[i] - middle[i]).abs() <= 2.0 * middle[i]);
    is_near.then(|| now.plane_from_pixel(fixed))
}

fn start(center: BigComplex, limbs: usize, radius: FloatExp, max_iterations: u32) -> Option<Running> {
    let newest = Newest::default();
    let (sender, result) = channel();
    let (mark, begun) = (newest.next(), center.clone());
    let work = move || {
        let mut orbit = Orbit::new(begun, limbs);
        orbit.follow(radius, max_iterations, |_| !mark.is_stale());
        // Nobody may wait for it any more.
        let _ = sender.send(orbit);
    };
    // Without a thread the view computes its reference when it needs it.
    std::thread::Builder::new().name("reference".into()).spawn(work).ok()?;
    Some(Running { center, limbs, newest, result })
}
