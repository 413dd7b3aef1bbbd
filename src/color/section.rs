//! Sections to pixels: attractors by their period, bright, over the dim fan of all that orbits go through.
//!
//! The fan's hue tells Re c, so that each arc can be followed from panel to panel. Its light is counted in points that
//! each orbit adds, whatever their number: a picture gets finer with more orbits and not brighter.

use super::diagram::{DiagramScheme, Rgb, bright, by_rows, mix, period_color, quantized};
use super::tone::Tone;
use crate::render::{Column, Diagram};

/// Of orbits that settle on no cycle: at the edges of components, not chaos.
pub(super) const GREY: Rgb = [0.56, 0.58, 0.64];
/// How soon arcs become bright: of light that is much less than 1/30 of a point of each orbit little is seen.
pub(super) const GAIN: f64 = 30.0;
/// Light at full brightness: of a cycle of period 1 it is 88.
pub(super) const FULL: f64 = 40.0;
/// How bright the fan may become beside the attractor.
pub(super) const FAN_SHARE: f64 = 0.8;
/// How far grey points hide the fan.
pub(super) const GREY_SHARE: f64 = 0.45;

/// The pixels of a section's diagram, row by row, top row first; `unsettled` is the tone of the picture's densities.
pub(super) fn paint(diagram: &Diagram, scheme: DiagramScheme, unsettled: Tone) -> Vec<[u8; 4]> {
    let ground = scheme.ground();
    let colors = |(x, column): (u32, &Column)| match scheme.stops() {
        None => (fan_color(diagram.section_parameter(x)), period_color(column.period)),
        Some(stops) => (stops[3], stops[5]),
    };
    let colors: Vec<_> = (0..).zip(diagram.columns()).map(colors).collect();
    by_rows(diagram.size(), |x, rows, out| {
        let (fan, curve) = colors[x as usize];
        let light = diagram.fan(x).skip(rows.start).chain(std::iter::repeat(0.0));
        let layers = diagram.density(x)[rows.clone()].iter().zip(diagram.coverage(x).skip(rows.start)).zip(light);
        for (pixel, ((&hits, coverage), light)) in out.zip(layers) {
            let under = mix(ground, fan, FAN_SHARE * tone(light));
            let under = mix(under, GREY, GREY_SHARE * unsettled.value(hits));
            *pixel = quantized(mix(under, curve, coverage.min(1.0)));
        }
    })
}

/// The colour of Re c: a table of contents, from red at -2 to violet at 1/2.
pub fn fan_color(re: f64) -> Rgb {
    bright(fan_hue(re))
}

/// Its hue, in turns.
pub(super) fn fan_hue(re: f64) -> f64 {
    0.02 + 0.82 * (re + 2.0) / 2.5
}

/// Brightness of light in points of each orbit: 0 for none, 1 for many.
fn tone(light: f64) -> f64 {
    ((GAIN * light).ln_1p() / (GAIN * FULL).ln_1p()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fans_are_dim_beside_attractors_and_arcs_brighter_than_their_surroundings() {
        assert_eq!(tone(0.0), 0.0);
        // An arc that lies flat on two rows, one that rises 20 rows a column, and a cycle of period 1.
        let [flat, steep, cycle] = [0.5, 0.05, 88.0].map(tone);
        assert!(steep > 0.1 && flat > 2.0 * steep && cycle == 1.0, "{flat} {steep} {cycle}");
        let light = |color: Rgb| color.iter().sum::<f64>();
        for re in [-2.0, -1.0, 0.0, 0.5] {
            let fan = fan_color(re).map(|v| v * FAN_SHARE * flat);
            assert!(light(fan) < 0.4 * light(period_color(1)), "{re}: {fan:?}");
        }
    }
}
