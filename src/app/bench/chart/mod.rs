//! The report as a slide: a panel a view, a bar an engine, time on one logarithmic axis for all.
//!
//! The same drawing goes to pixels or to SVG. Text is measured with the font that the window uses too.

mod panel;
mod scale;

use std::sync::Once;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _};
use plotters::prelude::{BitMapBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontStyle, IntoFont as _, RGBColor, TextStyle, register_font};

use super::report::{Report, Row};
use panel::Panel;
use scale::Scale;

/// Width of the slide, and its height unless the bars need more.
const WIDTH: u32 = 3840;
const LEAST_HEIGHT: u32 = 2160;
const MARGIN: i32 = 100;
/// Heights of what stands above and below the panels.
const HEAD: i32 = 330;
const FOOT: i32 = 120;
/// Space between panels.
const GAP: i32 = 76;

const INK: RGBColor = RGBColor(32, 36, 44);
const FAINT_INK: RGBColor = RGBColor(96, 102, 112);
const PAPER: RGBColor = RGBColor(255, 255, 255);

/// Why there is no chart.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    #[error("nothing was timed, so there is nothing to draw")]
    Nothing,
    #[error("the chart cannot be drawn: {0}")]
    Draw(String),
    #[error("the chart cannot be encoded: {0}")]
    Encode(#[from] png::EncodingError),
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for ChartError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Draw(error.to_string())
    }
}

/// The chart as a PNG file.
///
/// # Errors
/// [`ChartError`], where no engine was timed.
pub fn png(report: &Report) -> Result<Vec<u8>, ChartError> {
    let page = Page::of(report)?;
    let (width, height) = page.size;
    let mut pixels = vec![0; width as usize * height as usize * 3];
    page.draw(BitMapBackend::with_buffer(&mut pixels, page.size).into_drawing_area())?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(file)
}

/// The chart as an SVG file.
///
/// # Errors
/// [`ChartError`], where no engine was timed.
pub fn svg(report: &Report) -> Result<String, ChartError> {
    let page = Page::of(report)?;
    let mut text = String::new();
    page.draw(SVGBackend::with_string(&mut text, page.size).into_drawing_area())?;
    Ok(text)
}

/// A report with the measures of its slide.
struct Page<'a> {
    report: &'a Report,
    scale: Scale,
    columns: usize,
    size: (u32, u32),
}

impl<'a> Page<'a> {
    fn of(report: &'a Report) -> Result<Self, ChartError> {
        load_font();
        let times = report.views.iter().flat_map(|view| &view.rows).filter_map(Row::median);
        let scale = Scale::over(times).ok_or(ChartError::Nothing)?;
        let views = report.views.len();
        let columns = match views {
            0..=3 => views,
            4 => 2,
            5..=9 => 3,
            _ => 4,
        };
        let rows = views.div_ceil(columns) as i32;
        let tallest = report.views.iter().map(|view| Panel::least_height(view.rows.len())).max().unwrap_or(0);
        let needed = HEAD + FOOT + rows * (tallest + GAP);
        Ok(Self { report, scale, columns, size: (WIDTH, LEAST_HEIGHT.max(needed as u32)) })
    }

    fn draw<B: DrawingBackend>(&self, area: DrawingArea<B, Shift>) -> Result<(), ChartError>
    where
        B::ErrorType: 'static,
    {
        area.fill(&PAPER)?;
        area.draw_text(
            "Cardioid: time for one frame (logarithmic, shorter is better)",
            &text(104.0, INK),
            (MARGIN, 76),
        )?;
        area.draw_text(&self.machine(), &text(60.0, FAINT_INK), (MARGIN, 206))?;
        area.draw_text(&self.rules(), &text(46.0, FAINT_INK), (MARGIN, self.size.1 as i32 - FOOT + 24))?;
        let rows = self.report.views.len().div_ceil(self.columns) as i32;
        let width = (self.size.0 as i32 - 2 * MARGIN + GAP) / self.columns as i32 - GAP;
        let height = (self.size.1 as i32 - HEAD - FOOT) / rows - GAP;
        for (index, view) in self.report.views.iter().enumerate() {
            let (column, row) = ((index % self.columns) as i32, (index / self.columns) as i32);
            let corner = (MARGIN + column * (width + GAP), HEAD + row * (height + GAP));
            Panel { report: self.report, view, scale: &self.scale, corner, size: (width, height) }.draw(&area)?;
        }
        area.present()?;
        Ok(())
    }

    fn machine(&self) -> String {
        let facts = &self.report.facts;
        let [width, height] = self.report.size;
        let gpu_took_part = self.report.views.iter().flat_map(|view| &view.rows).any(|row| row.threads == Some(0));
        let gpu = if gpu_took_part { format!("  ·  GPU: {}", facts.adapter.label()) } else { String::new() };
        format!("{width}×{height}  ·  {}  ·  {} threads, {}{gpu}", facts.processor, facts.threads, facts.simd)
    }

    fn rules(&self) -> String {
        let report = self.report;
        let scaled = if report.has_scaled_rows() { "; ~ timed on fewer pixels and scaled" } else { "" };
        let incomplete = if report.complete { "" } else { "; INCOMPLETE" };
        format!(
            "Median of {} interleaved runs; thin line: fastest to slowest; shortcuts: {}; ×: speed against {}{scaled}{incomplete}",
            report.repetitions,
            report.shortcuts,
            report.baseline_name()
        )
    }
}

/// Text of `size` pixels, placed by its top left corner.
fn text(size: f64, color: RGBColor) -> TextStyle<'static> {
    let pos = Pos::new(HPos::Left, VPos::Top);
    TextStyle { font: (FAMILY, size).into_font(), color: color.to_backend_color(), pos }
}

/// Width of a text in pixels.
fn width_of<B: DrawingBackend>(area: &DrawingArea<B, Shift>, style: &TextStyle, text: &str) -> Result<i32, ChartError>
where
    B::ErrorType: 'static,
{
    Ok(area.estimate_text_size(text, style)?.0 as i32)
}

/// The family's name in SVG files, where the reader's own font takes its place.
const FAMILY: &str = "sans-serif";

/// Registers the font once.
fn load_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It is part of the program: were it broken, every chart would say so.
        let _ = register_font(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
}
