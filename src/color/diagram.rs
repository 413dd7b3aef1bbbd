//! Diagrams to pixels: a density by its logarithm, and curves over it.
//!
//! Curves are linear coverage. Their colours tell periods: doublings stay close to where they come from.

use std::iter::StepBy;
use std::ops::Range;
use std::slice::IterMut;

use rayon::prelude::*;

use super::section;
use super::tone::Tone;
use crate::render::{Column, Diagram};

/// How a diagram is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiagramScheme {
    /// Chaos by its Lyapunov exponent, from blue at 0 to red at ln 2; cycles by their period.
    #[default]
    Lyapunov,
    /// Light ink on a dark ground, whatever the exponent or period.
    Ink,
    /// Dark ink on warm paper.
    Paper,
    /// White on black, as evenly as the eye sees it.
    Mono,
}

impl DiagramScheme {
    pub const ALL: [Self; 4] = [Self::Lyapunov, Self::Ink, Self::Paper, Self::Mono];

    pub fn key(self) -> &'static str {
        match self {
            Self::Lyapunov => "lyapunov",
            Self::Ink => "ink",
            Self::Paper => "paper",
            Self::Mono => "mono",
        }
    }

    /// Name in the window.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lyapunov => "Lyapunov exponent",
            Self::Ink => "ink",
            Self::Paper => "paper",
            Self::Mono => "white on black",
        }
    }

    /// Colours along the tone of a density, from nothing to thick; none where they depend on the exponent.
    pub(super) fn stops(self) -> Option<&'static [Rgb; 6]> {
        match self {
            Self::Lyapunov => None,
            Self::Ink => Some(&INK_STOPS),
            Self::Paper => Some(&PAPER_STOPS),
            Self::Mono => Some(&MONO_STOPS),
        }
    }

    /// Where there is nothing.
    pub(super) fn ground(self) -> Rgb {
        self.stops().map_or(GROUND, |stops| stops[0])
    }

    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.key() == key)
    }
}

pub(super) type Rgb = [f64; 3];

/// Rows that are coloured at once, each column of them in one go.
const ROWS: usize = 32;

/// Where there is nothing.
pub(super) const GROUND: Rgb = [0.012, 0.016, 0.036];
pub(super) const WHITE: Rgb = [1.0, 0.985, 0.95];
/// Along the Lyapunov exponent, from 0 to ln 2.
pub(super) const EXPONENT_STOPS: [Rgb; 6] = [
    [0.25, 0.40, 1.00],
    [0.13, 0.66, 0.98],
    [0.16, 0.83, 0.68],
    [0.62, 0.83, 0.33],
    [0.98, 0.68, 0.22],
    [1.00, 0.30, 0.20],
];
/// Along the tone of a density, from thin to thick.
pub(super) const INK_STOPS: [Rgb; 6] =
    [GROUND, [0.10, 0.14, 0.33], [0.17, 0.35, 0.60], [0.38, 0.62, 0.80], [0.74, 0.84, 0.88], WHITE];
pub(super) const PAPER_STOPS: [Rgb; 6] = [
    [0.965, 0.945, 0.895],
    [0.860, 0.815, 0.740],
    [0.640, 0.575, 0.510],
    [0.395, 0.345, 0.330],
    [0.190, 0.170, 0.200],
    [0.060, 0.060, 0.110],
];
pub(super) const MONO_STOPS: [Rgb; 6] = [[0.0; 3], [0.17; 3], [0.36; 3], [0.57; 3], [0.79; 3], [1.0; 3]];
/// Tone from where on colours turn towards white.
pub(super) const GLOW: f64 = 0.72;
/// How far they do at full tone.
pub(super) const GLOW_SHARE: f64 = 0.8;
/// Hues, in turns, of the periods 1, 3, 5 and 7.
pub(super) const HUES: [f64; 4] = [0.11, 0.50, 0.85, 0.36];
/// What each odd period beyond adds to the first hue: the golden ratio, which keeps hues apart.
pub(super) const ODD_HUE: f64 = 0.618_033_988_749_895;
/// What each doubling adds.
pub(super) const DOUBLING_HUE: f64 = 0.035;
/// How far colours of periods lie from white.
pub(super) const DEPTH: f64 = 0.68;

/// The pixels of a diagram, row by row, top row first. Each column is coloured by itself; `tone` is that of the picture
/// which these columns are of.
pub fn paint_diagram(diagram: &Diagram, scheme: DiagramScheme, tone: Tone) -> Vec<[u8; 4]> {
    if diagram.is_section() {
        return section::paint(diagram, scheme, tone);
    }
    let colors: Vec<_> = diagram.columns().iter().map(|column| ColumnColors::of(column, scheme)).collect();
    by_rows(diagram.size(), |x, rows, out| {
        let layers = diagram.density(x)[rows.clone()].iter().zip(diagram.coverage(x).skip(rows.start));
        for (pixel, (&hits, coverage)) in out.zip(layers) {
            *pixel = colors[x as usize].pixel(tone.value(hits), coverage);
        }
    })
}

/// Pixels, row by row, by all threads: `paint` gets a column, some of its rows, and their pixels.
pub(super) fn by_rows(
    [width, height]: [u32; 2],
    paint: impl Fn(u32, Range<usize>, StepBy<IterMut<'_, [u8; 4]>>) + Sync,
) -> Vec<[u8; 4]> {
    let columns = width as usize;
    let mut pixels = vec![[0; 4]; columns * height as usize];
    pixels.par_chunks_mut(columns * ROWS).enumerate().for_each(|(k, band)| {
        let rows = k * ROWS..k * ROWS + band.len() / columns;
        for x in 0..width {
            paint(x, rows.clone(), band[x as usize..].iter_mut().step_by(columns));
        }
    });
    pixels
}

/// What the pixels of a column have in common.
struct ColumnColors {
    scheme: DiagramScheme,
    chaos: Rgb,
    curve: Rgb,
}

impl ColumnColors {
    fn of(column: &Column, scheme: DiagramScheme) -> Self {
        let curve = scheme.stops().map_or_else(|| period_color(column.period), |stops| stops[5]);
        let chaos = at(&EXPONENT_STOPS, column.lyapunov() / std::f64::consts::LN_2);
        Self { scheme, chaos, curve }
    }

    fn pixel(&self, tone: f64, coverage: f64) -> [u8; 4] {
        let density = match self.scheme.stops() {
            Some(stops) => at(stops, tone),
            None => {
                let lit = mix(GROUND, self.chaos, (tone / GLOW).min(1.0));
                mix(lit, WHITE, GLOW_SHARE * ((tone - GLOW) / (1.0 - GLOW)).max(0.0))
            }
        };
        quantized(mix(density, self.curve, coverage.min(1.0)))
    }
}

pub(super) fn quantized(color: Rgb) -> [u8; 4] {
    let [r, g, b] = color.map(|v| (v * 255.0).round() as u8);
    [r, g, b, 255]
}

/// The colour of cycles of a period: a hue for its odd part, and a little on with each doubling.
pub fn period_color(period: u32) -> Rgb {
    let period = period.max(1);
    let doublings = period.trailing_zeros();
    let odd = period >> doublings;
    let hue = HUES.get(odd as usize / 2).copied().unwrap_or(HUES[0] + ODD_HUE * f64::from(odd));
    bright(hue + DOUBLING_HUE * f64::from(doublings))
}

/// A bright, soft colour of a hue in turns.
pub(super) fn bright(hue: f64) -> Rgb {
    [0.0, 2.0 / 3.0, 1.0 / 3.0].map(|shift| {
        let at = (hue + shift).rem_euclid(1.0) * 6.0;
        1.0 - DEPTH * (1.0 - ((at - 3.0).abs() - 1.0).clamp(0.0, 1.0))
    })
}

fn at(stops: &[Rgb; 6], share: f64) -> Rgb {
    let place = share.clamp(0.0, 1.0) * 5.0;
    let i = (place as usize).min(4);
    mix(stops[i], stops[i + 1], place - i as f64)
}

pub(super) fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_the_ground_and_full_curves_hide_it() {
        let mut column = Column::default();
        column.add_periodic(2, -0.5);
        for scheme in DiagramScheme::ALL {
            let colors = ColumnColors::of(&column, scheme);
            let [r, g, b] = scheme.ground().map(|v| (v * 255.0).round() as u8);
            assert_eq!(colors.pixel(0.0, 0.0), [r, g, b, 255]);
            assert_eq!(colors.pixel(0.0, 1.0), colors.pixel(1.0, 7.0));
            assert_eq!(DiagramScheme::from_key(scheme.key()), Some(scheme));
        }
    }

    #[test]
    fn periods_keep_their_colour_through_doublings() {
        let distance = |a: Rgb, b: Rgb| (0..3).map(|i| (a[i] - b[i]).abs()).sum::<f64>();
        for odd in [1, 3, 5, 7] {
            let doubled = distance(period_color(odd), period_color(2 * odd));
            assert!((0.05..0.5).contains(&doubled), "{odd}: {doubled}");
        }
        assert!(distance(period_color(1), period_color(3)) > 0.6);
    }
}
