//! One view's bars, each with its engine's name before it and its time behind it.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{PathElement, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, RGBColor, TextStyle};

use super::scale::{Scale, tick_text, time_text};
use super::{ChartError, FAINT_INK, INK, PAPER, text, width_of};
use crate::app::bench::report::{Ratio, Report, Row, ViewReport};
use crate::app::bench::table::figure;

/// Heights of the panel's title and of the axis below the bars.
const TITLE: i32 = 88;
const AXIS: i32 = 54;
/// Least and most height of a bar with its space.
const LEAST_BAR: i32 = 58;
const MOST_BAR: i32 = 170;
/// Largest text beside a bar.
const MOST_TEXT: f64 = 64.0;
/// Space between a bar and its texts.
const PAD: i32 = 20;

const LINE: RGBColor = RGBColor(222, 225, 230);

/// Where and what a panel draws.
pub struct Panel<'a> {
    pub report: &'a Report,
    pub view: &'a ViewReport,
    pub scale: &'a Scale,
    /// Top left.
    pub corner: (i32, i32),
    pub size: (i32, i32),
}

/// Measures of a panel's parts.
struct Layout {
    /// From where to where bars run.
    left: i32,
    right: i32,
    /// Top of the first bar's band.
    top: i32,
    band: i32,
    label: TextStyle<'static>,
}

impl Panel<'_> {
    /// The least height of a panel with so many bars.
    pub fn least_height(bars: usize) -> i32 {
        TITLE + AXIS + bars as i32 * LEAST_BAR
    }

    pub fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), ChartError>
    where
        B::ErrorType: 'static,
    {
        self.title(area)?;
        let layout = self.layout(area)?;
        let bottom = layout.top + layout.band * self.view.rows.len() as i32;
        for tick in self.scale.ticks() {
            let x = layout.x(self.scale.place(tick));
            area.draw(&PathElement::new([(x, layout.top), (x, bottom)], LINE.stroke_width(3)))?;
            let style = text(38.0, FAINT_INK).pos(Pos::new(HPos::Center, VPos::Top));
            area.draw_text(&tick_text(tick), &style, (x, bottom + 10))?;
        }
        for (index, row) in self.view.rows.iter().enumerate() {
            self.bar(area, &layout, layout.top + index as i32 * layout.band, row)?;
        }
        Ok(())
    }

    fn title<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), ChartError>
    where
        B::ErrorType: 'static,
    {
        let ((x, y), style) = (self.corner, text(62.0, INK));
        let name = fitted(area, &style, &self.view.key, self.size.0)?;
        area.draw_text(&name, &style, (x, y))?;
        let behind = width_of(area, &style, &name)? + 2 * PAD;
        let inside = self.view.work.map(|work| format!(", {:.0} % inside", 100.0 * work.interior_share));
        let about = format!("≤ {} iterations{}", self.view.max_iterations, inside.unwrap_or_default());
        let small = text(44.0, FAINT_INK);
        if behind + width_of(area, &small, &about)? <= self.size.0 {
            area.draw_text(&about, &small, (x + behind, y + 14))?;
        }
        Ok(())
    }

    /// Names and times take the room they need, bars the rest. All panels have the same names, and so the same axis.
    fn layout<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<Layout, ChartError>
    where
        B::ErrorType: 'static,
    {
        let bars = self.view.rows.len().max(1) as i32;
        let band = ((self.size.1 - TITLE - AXIS) / bars).min(MOST_BAR);
        let label = text((f64::from(band) * 0.74).min(MOST_TEXT), INK);
        let mut names = 0;
        for row in &self.view.rows {
            names = names.max(width_of(area, &label, &row.name)?);
        }
        let mut values = 0;
        for view in &self.report.views {
            for row in &view.rows {
                values = values.max(width_of(area, &label, &value_text(view, row))?);
            }
        }
        let left = self.corner.0 + names.min(self.size.0 / 3) + PAD;
        let right = (self.corner.0 + self.size.0 - values - PAD).max(left + self.size.0 / 4);
        Ok(Layout { left, right, top: self.corner.1 + TITLE, band, label })
    }

    fn bar<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        layout: &Layout,
        top: i32,
        row: &Row,
    ) -> Result<(), ChartError>
    where
        B::ErrorType: 'static,
    {
        let style = &layout.label;
        // Digits have no descenders: their middle lies below that of the line.
        let text_top = top + (f64::from(layout.band) - 0.68 * style.font.get_size()) as i32 / 2;
        let name = fitted(area, style, &row.name, layout.left - PAD - self.corner.0)?;
        let to_the_left = style.pos(Pos::new(HPos::Right, VPos::Top));
        area.draw_text(&name, &to_the_left, (layout.left - PAD, text_top))?;
        let Some(median) = row.median() else {
            let room = self.corner.0 + self.size.0 - layout.left;
            let reason = fitted(area, style, row.absent.as_deref().unwrap_or("not run"), room)?;
            area.draw_text(&reason, &style.color(&FAINT_INK), (layout.left, text_top))?;
            return Ok(());
        };
        let place = |millis| layout.x(self.scale.place(millis));
        let (inset, middle) = ((layout.band / 7).max(4), top + layout.band / 2);
        let corners = [(layout.left, top + inset), (place(median), top + layout.band - inset)];
        area.draw(&Rectangle::new(corners, color_of(&row.name).filled()))?;
        let (fastest, slowest) = (place(row.min().unwrap_or(median)), place(row.max().unwrap_or(median)));
        area.draw(&PathElement::new([(fastest, middle), (slowest, middle)], INK.stroke_width(4)))?;
        let behind = slowest.max(place(median)) + PAD;
        let value = value_text(self.view, row);
        // Lines of the axis stop at the text.
        let end = behind + width_of(area, style, &value)? + PAD / 2;
        let blank = [(behind - PAD / 2, top + inset), (end, top + layout.band - inset)];
        area.draw(&Rectangle::new(blank, PAPER.filled()))?;
        area.draw_text(&value, style, (behind, text_top))?;
        Ok(())
    }
}

impl Layout {
    fn x(&self, place: f64) -> i32 {
        self.left + (f64::from(self.right - self.left) * place).round() as i32
    }
}

/// `~3.41 ms  ×412`; no ratio to itself.
fn value_text(view: &ViewReport, row: &Row) -> String {
    let Some(median) = row.median() else { return String::new() };
    let mark = if row.is_scaled() { "~" } else { "" };
    let is_baseline = view.baseline().is_some_and(|base| base.name == row.name);
    let ratio = match view.ratio(row).filter(|_| !is_baseline) {
        Some(Ratio::Times(times)) => format!("  ×{}", figure(times)),
        Some(Ratio::Tie) => "  tie".into(),
        None => String::new(),
    };
    format!("{mark}{}{ratio}", time_text(median))
}

/// As much of a text as `room` pixels hold.
fn fitted<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    style: &TextStyle,
    whole: &str,
    room: i32,
) -> Result<String, ChartError>
where
    B::ErrorType: 'static,
{
    let mut text = whole.to_owned();
    let mut kept = whole.chars().count();
    while kept > 0 && width_of(area, style, &text)? > room {
        kept -= 1;
        text = whole.chars().take(kept).chain(['…']).collect();
    }
    Ok(text)
}

/// An engine has the same colour in every chart; colours are told apart by the colour-blind too.
///
/// Source: Okabe and Ito, "Color Universal Design", 2008.
fn color_of(engine: &str) -> RGBColor {
    match engine {
        "naive" => RGBColor(150, 154, 160),
        "symmetric" => RGBColor(240, 228, 66),
        "simd" => RGBColor(86, 180, 233),
        "threads" => RGBColor(230, 159, 0),
        "tiles" => RGBColor(0, 114, 178),
        "gpu" | "gpu-checked" => RGBColor(0, 158, 115),
        "gpu-perturbation" => RGBColor(213, 94, 0),
        _ => RGBColor(204, 121, 167),
    }
}
