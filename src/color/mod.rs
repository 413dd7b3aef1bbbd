//! Samples to colours: palettes, and the shading that turns a [`Sample`](crate::render::Sample) into a pixel.
//!
//! [`Palette`] is the look, [`Coloring`] says how counts run through it, and [`shade`] does so on the
//! CPU. A shader does the same from the same two things: [`Palette::table`] and [`ShadeParams`].

mod average_pass;
mod diagram;
mod diagram_pass;
mod exposure;
mod exposure_pass;
mod gradient;
mod linear;
mod palette;
mod pass;
mod section;
mod shade;
mod stroke;
mod tone;

pub use average_pass::{Average, AveragePass};
pub use diagram::{DiagramScheme, paint_diagram, period_color};
pub use diagram_pass::DiagramPass;
pub use exposure::{paint_exposure, space_tints};
pub use exposure_pass::ExposurePass;
pub use gradient::Gradient;
pub use linear::{add_light, average_light};
pub use palette::{Palette, PaletteError, TABLE_LEN, Table};
pub use pass::ColorPass;
pub use section::fan_color;
pub use shade::{Coloring, Curve, ShadeParams, period_table, shade, shade_row};
pub use tone::{COUNT_BINS, Tone, bin_count, count_bin, median_count, tone_lattice};
