//! What is on the canvas: one view, or two above each other that share their abscissa.
//!
//! Whatever moves one of the two moves the other along. One of them has the focus: it is the one that panels, keys and
//! files are about, and the last that the hand was on.

use crate::math::Decimal;
use crate::render::Viewport;
use crate::view::{ParamError, ParamValue, View};

/// Pixels between the two.
const GAP: u32 = 2;
/// Least and largest share of the upper.
const SPLITS: std::ops::RangeInclusive<f64> = 0.15..=0.85;

/// Where on the canvas a view is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Half {
    /// The upper of two, or the only one.
    #[default]
    Upper,
    Lower,
}

/// The views that are shown.
pub struct Stage {
    upper: Box<dyn View>,
    lower: Option<Box<dyn View>>,
    focus: Half,
    /// Share of the height that the upper has where there are two.
    split: f64,
    /// Of the canvas, in pixels.
    size: [u32; 2],
}

impl Clone for Stage {
    fn clone(&self) -> Self {
        let (upper, lower) = (self.upper.boxed_clone(), self.lower.as_ref().map(|view| view.boxed_clone()));
        Self { upper, lower, ..*self }
    }
}

impl Stage {
    /// One view.
    pub fn new(view: Box<dyn View>, size: [u32; 2]) -> Self {
        Self { upper: view, lower: None, focus: Half::Upper, split: 0.5, size }
    }

    /// Size of the canvas in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The view with the focus.
    pub fn view(&self) -> &dyn View {
        self.at(self.focus)
    }

    pub fn upper(&self) -> &dyn View {
        self.upper.as_ref()
    }

    pub fn lower(&self) -> Option<&dyn View> {
        self.lower.as_deref()
    }

    pub fn focus(&self) -> Half {
        self.focus
    }

    /// What is shown, from the top down.
    pub fn shown(&self) -> impl Iterator<Item = (Half, &dyn View)> {
        let lower = self.lower.as_deref().map(|view| (Half::Lower, view));
        std::iter::once((Half::Upper, self.upper.as_ref())).chain(lower)
    }

    /// The view of a half; the only one where there are not two.
    pub fn at(&self, half: Half) -> &dyn View {
        match (half, &self.lower) {
            (Half::Lower, Some(lower)) => lower.as_ref(),
            _ => self.upper.as_ref(),
        }
    }

    fn at_mut(&mut self, half: Half) -> &mut dyn View {
        match (half, &mut self.lower) {
            (Half::Lower, Some(lower)) => lower.as_mut(),
            _ => self.upper.as_mut(),
        }
    }

    /// Gives the focus to a half, if it is there.
    pub fn focus_on(&mut self, half: Half) {
        self.focus = if self.lower.is_some() { half } else { Half::Upper };
    }

    /// Replaces the upper view, which gets the focus, and the lower.
    pub fn show(
        &mut self,
        upper: Box<dyn View>,
        lower: Option<Box<dyn View>>,
    ) -> (Box<dyn View>, Option<Box<dyn View>>) {
        let old = (std::mem::replace(&mut self.upper, upper), std::mem::replace(&mut self.lower, lower));
        self.focus = Half::Upper;
        self.fit();
        old
    }

    /// Puts a view below, or takes it away.
    pub fn set_lower(&mut self, lower: Option<Box<dyn View>>) -> Option<Box<dyn View>> {
        let old = std::mem::replace(&mut self.lower, lower);
        self.focus = Half::Upper;
        self.fit();
        old
    }

    /// Moves the view with the focus, and the other along.
    pub fn set_viewport(&mut self, viewport: Viewport) {
        self.at_mut(self.focus).set_viewport(viewport);
        self.link();
    }

    /// Shows the whole of both.
    pub fn go_home(&mut self) {
        for half in [Half::Lower, Half::Upper] {
            let view = self.at_mut(half);
            let home = view.home(view.viewport().size());
            view.set_viewport(home);
        }
        self.focus = Half::Upper;
        self.link();
    }

    /// Turns a knob of the view with the focus; what both have, they share.
    ///
    /// # Errors
    /// As [`View::set_param`].
    pub fn set_param(&mut self, key: &str, value: ParamValue) -> Result<(), ParamError> {
        self.at_mut(self.focus).set_param(key, value.clone())?;
        if self.lower.is_some() {
            let other = self.at_mut(self.focus.other());
            if other.shares(key) {
                other.set_param(key, value)?;
            }
            self.link();
        }
        Ok(())
    }

    /// The view of a half, at rest, asks for a cap.
    pub fn measured_iterations(&mut self, half: Half, cap: u32) {
        self.at_mut(half).measured_iterations(cap);
    }

    /// Im c of the sections that are shown.
    pub fn section(&self) -> Option<f64> {
        self.shown().find_map(|(_, view)| view.section())
    }

    /// Takes all sections that are shown along another line.
    ///
    /// # Errors
    /// As [`View::set_param`].
    pub fn set_section(&mut self, s: f64) -> Result<(), ParamError> {
        for half in [Half::Upper, Half::Lower] {
            let view = self.at_mut(half);
            if view.section().is_some() {
                view.set_param("section", ParamValue::Number(s))?;
            }
        }
        Ok(())
    }

    /// Lets the view with the focus take a gesture in its own way.
    pub fn steer(&mut self, steer: crate::view::Steer) -> bool {
        self.at_mut(self.focus).steer(steer)
    }

    /// The canvas has another size.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.size = size;
        self.fit();
    }

    /// Share of the height that the upper has where there are two.
    pub fn split(&self) -> f64 {
        self.split
    }

    /// Sets that share, within bounds.
    pub fn set_split(&mut self, split: f64) {
        if !split.is_nan() {
            self.split = split.clamp(*SPLITS.start(), *SPLITS.end());
        }
        self.fit();
    }

    /// Size of a half in pixels.
    pub fn size_of(&self, half: Half) -> [u32; 2] {
        let [width, height] = self.size;
        if self.lower.is_none() {
            return self.size;
        }
        let upper = (f64::from(height.saturating_sub(GAP)) * self.split).round().max(1.0) as u32;
        let rows = match half {
            Half::Upper => upper,
            Half::Lower => height.saturating_sub(GAP + upper).max(1),
        };
        [width, rows]
    }

    /// Where a half begins on the canvas, in pixels.
    pub fn origin_of(&self, half: Half) -> [u32; 2] {
        match half {
            Half::Upper => [0, 0],
            Half::Lower => [0, self.size_of(Half::Upper)[1] + GAP],
        }
    }

    /// The half at a place of the canvas, and the place in it.
    pub fn locate(&self, [x, y]: [f64; 2]) -> (Half, [f64; 2]) {
        let start = f64::from(self.origin_of(Half::Lower)[1]);
        if self.lower.is_some() && y >= start { (Half::Lower, [x, y - start]) } else { (Half::Upper, [x, y]) }
    }

    /// A place of the canvas in pixels of a half, inside it or not.
    pub fn within(&self, half: Half, [x, y]: [f64; 2]) -> [f64; 2] {
        [x, y - f64::from(self.origin_of(half)[1])]
    }

    /// Both views at their sizes.
    fn fit(&mut self) {
        for half in [Half::Upper, Half::Lower] {
            let size = self.size_of(half);
            let view = self.at_mut(half);
            if size != view.viewport().size()
                && let Ok(viewport) = view.viewport().with_size(size)
            {
                view.set_viewport(viewport);
            }
        }
        self.link();
    }

    /// Gives the view without the focus the abscissa of the other.
    fn link(&mut self) {
        if self.lower.is_none() {
            return;
        }
        for half in [Half::Upper, Half::Lower] {
            // Turned pictures share no abscissa.
            let viewport = self.at(half).viewport();
            if viewport.rotation_degrees() != 0.0
                && let Ok(upright) = viewport.clone().with_rotation(0.0)
            {
                self.at_mut(half).set_viewport(upright);
            }
        }
        let fixed = Decimal::from_f64(self.section().unwrap_or(0.0));
        let other = self.focus.other();
        let moved = self.at(other).viewport().with_abscissa_of(self.view().viewport(), &fixed);
        if moved != *self.at(other).viewport() {
            self.at_mut(other).set_viewport(moved);
        }
    }
}

impl Half {
    fn other(self) -> Self {
        match self {
            Self::Upper => Self::Lower,
            Self::Lower => Self::Upper,
        }
    }
}
