//! Tables with columns of fixed width: figures change every frame and nothing moves.

use std::slice::Iter;

use egui::{Align, Rect, Response, RichText, Role, Sense, TextStyle, Ui, WidgetInfo, vec2};

use super::controls::line;
use crate::ui::theme;

const ROW: f32 = 18.0;

/// A column: its heading, what the heading means, and the room it has.
pub struct Column {
    pub title: &'static str,
    pub tip: &'static str,
    pub width: f32,
    pub align: Align,
}

/// A column of words.
pub const fn words(title: &'static str, width: f32, tip: &'static str) -> Column {
    Column { title, tip, width, align: Align::Min }
}

/// A column of figures, aligned at their last digit.
pub const fn figures(title: &'static str, width: f32, tip: &'static str) -> Column {
    Column { title, tip, width, align: Align::Max }
}

/// The width of a table whose columns are so far apart.
pub fn width(columns: &[Column], gap: f32) -> f32 {
    columns.iter().map(|column| column.width).sum::<f32>() + gap * (columns.len() - 1) as f32
}

/// The headings.
pub fn header(ui: &mut Ui, columns: &[Column]) {
    header_with(ui, columns, String::from);
}

/// The headings, each as `name` has it.
pub fn header_with(ui: &mut Ui, columns: &[Column], name: impl Fn(&'static str) -> String) {
    row(ui, columns, |cells| {
        for column in columns {
            let text = RichText::new(name(column.title)).text_style(TextStyle::Small).color(theme::WEAK);
            let response = cells.text(text);
            if !column.tip.is_empty() {
                response.on_hover_text(column.tip);
            }
        }
    });
}

/// One row; `fill` puts in its cells from left to right.
pub fn row(ui: &mut Ui, columns: &[Column], fill: impl FnOnce(&mut Cells)) {
    row_of_height(ui, columns, ROW, fill);
}

/// The same of a height of its own.
pub fn row_of_height(ui: &mut Ui, columns: &[Column], height: f32, fill: impl FnOnce(&mut Cells)) {
    ui.spacing_mut().interact_size.y = height;
    ui.horizontal(|ui| fill(&mut Cells { ui, columns: columns.iter(), height }));
}

/// The cells of a row that are still empty.
pub struct Cells<'a> {
    pub ui: &'a mut Ui,
    columns: Iter<'a, Column>,
    height: f32,
}

impl Cells<'_> {
    /// A figure in the next column.
    pub fn figure(&mut self, text: impl Into<String>, color: egui::Color32) -> Response {
        self.text(RichText::new(text).text_style(TextStyle::Monospace).color(color))
    }

    /// Words in the next column, cut where they are too long.
    pub fn text(&mut self, text: RichText) -> Response {
        match self.columns.next() {
            Some(column) => self.put(text, column.width, column.align),
            None => self.ui.label(text),
        }
    }

    /// Words across all columns that are left.
    pub fn rest(&mut self, text: RichText) -> Response {
        let gap = self.ui.spacing().item_spacing.x;
        let width: f32 = self.columns.by_ref().map(|c| c.width + gap).sum();
        self.put(text, width - gap, Align::Min)
    }

    /// A place to draw in the next column.
    pub fn place(&mut self) -> (Rect, Response) {
        let width = self.columns.next().map_or(0.0, |c| c.width);
        self.ui.allocate_exact_size(vec2(width, self.height), Sense::hover())
    }

    fn put(&mut self, text: RichText, width: f32, align: Align) -> Response {
        let (rect, response) = self.ui.allocate_exact_size(vec2(width, self.height), Sense::hover());
        let words = text.text().to_owned();
        let galley = line(self.ui, text, width);
        let left = if align == Align::Max { rect.right() - galley.size().x } else { rect.left() };
        let top = rect.center().y - galley.size().y / 2.0;
        self.ui.painter().galley(egui::pos2(left, top), galley, theme::TEXT);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
        response
    }
}
