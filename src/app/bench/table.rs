//! The report as tables: aligned for a terminal, or Markdown.

use super::facts::Adapter;
use super::report::{Ratio, Report, Row, ViewReport};

/// Columns before the last, which is for arithmetic and devices.
const COLUMNS: usize = 10;

impl Report {
    /// Tables for a terminal, one a view.
    pub fn to_text(&self) -> String {
        let mut text = self.heading().join("\n") + "\n";
        for view in &self.views {
            text += &format!("\n{}\n{}{}", view.heading(self.size), self.aligned(view), view.phases());
        }
        text + &self.notes()
    }

    /// The same as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# Cardioid bench\n\n- {}\n", self.heading().join("\n- "));
        for view in &self.views {
            text += &format!("\n## {}\n\n{}", view.heading(self.size), self.markdown(view));
            text += &view.phases().lines().map(|line| format!("\n- {line}")).collect::<String>();
        }
        text + &self.notes()
    }

    /// Machine, rules and bound, a line each.
    fn heading(&self) -> Vec<String> {
        let facts = &self.facts;
        let software = match &facts.adapter {
            Adapter::Used { software: true, .. } => "; a software GPU says nothing about real ones",
            _ => "",
        };
        let [width, height] = self.size;
        vec![
            format!("cardioid {} on {} ({})", env!("CARGO_PKG_VERSION"), facts.processor, facts.system),
            format!("{} threads, {} vectors; GPU: {}{software}", facts.threads, facts.simd, facts.adapter.label()),
            format!(
                "{width}×{height} pixels, {} runs after warm-up, interleaved; compute time only; shortcuts: {}",
                self.repetitions, self.shortcuts
            ),
            format!(
                "bound of one thread: {:.1} G operations a second ÷ (4 + 3/{}) = {:.2} Giter/s",
                facts.bound.operations_per_second / 1e9,
                facts.bound.steps_between_tests,
                facts.bound.steps_per_second() / 1e9
            ),
        ]
    }

    fn header(&self) -> [String; COLUMNS] {
        let times = format!("× {}", self.baseline_name());
        let columns = ["engine", "median ms", "min", "max", "Mpx/s", "Giter/s", "done Giter/s", "of bound"];
        let [a, b, c, d, e, f, g, h] = columns.map(String::from);
        [a, b, c, d, e, f, g, h, times, "counts ≠ naive".into()]
    }

    /// The cells of a contestant that was timed.
    fn cells(&self, view: &ViewReport, row: &Row) -> [String; COLUMNS] {
        let optional = |value: Option<f64>| value.map_or("–".into(), figure);
        let mark = if row.is_scaled() { "~" } else { "" };
        let ratio = match view.ratio(row) {
            Some(Ratio::Times(times)) => figure(times),
            Some(Ratio::Tie) => "tie".into(),
            None => "–".into(),
        };
        [
            row.name.clone(),
            format!("{mark}{}", optional(row.median())),
            optional(row.min()),
            optional(row.max()),
            optional(view.megapixels_per_second(row)),
            optional(view.giga_iterations_per_second(row)),
            optional(view.giga_steps_done_per_second(row)),
            self.share_of_bound(view, row).map_or("–".into(), |share| format!("{:.0} %", 100.0 * share)),
            ratio,
            if view.work.is_none() { "–".into() } else { differing(row) },
        ]
    }

    fn aligned(&self, view: &ViewReport) -> String {
        let rows: Vec<_> = view.rows.iter().map(|row| self.cells(view, row)).collect();
        let header = self.header();
        let width = |column: usize| {
            let timed = rows.iter().zip(&view.rows).filter(|(_, row)| row.absent.is_none() || column == 0);
            let cells = timed.map(|(cells, _)| &cells[column]).chain([&header[column]]);
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: [usize; COLUMNS] = std::array::from_fn(width);
        let line = |cells: &[String; COLUMNS]| {
            let padded = cells.iter().zip(widths).skip(1).map(|(cell, width)| format!("{cell:>width$}"));
            format!("{:<1$}  {2}", cells[0], widths[0], padded.collect::<Vec<_>>().join("  "))
        };
        let mut text = line(&header) + "  arithmetic\n";
        for (cells, row) in rows.iter().zip(&view.rows).filter(|(_, row)| row.absent.is_none()) {
            text += &format!("{}  {}\n", line(cells), row.arithmetic());
        }
        text + &view.absent()
    }

    fn markdown(&self, view: &ViewReport) -> String {
        let mut text =
            format!("| {} | arithmetic |\n|---|{}---|\n", self.header().join(" | "), "--:|".repeat(COLUMNS - 1));
        for row in &view.rows {
            text += &match &row.absent {
                Some(reason) => {
                    let reason = reason.replace('|', "\\|");
                    format!("| {} |{} {reason} |\n", row.name, " – |".repeat(COLUMNS - 1))
                }
                None => format!("| {} | {} |\n", self.cells(view, row).join(" | "), row.arithmetic()),
            };
        }
        text
    }

    fn notes(&self) -> String {
        let mut notes = String::new();
        if self.has_scaled_rows() {
            notes += "\n~ timed on one pixel of every few, and scaled by their steps (see --cap)\n";
        }
        if !self.complete {
            notes += "\nINCOMPLETE: given up before its end\n";
        }
        notes
    }
}

impl ViewReport {
    /// A line for each engine that prepares before it draws: `perturbation: reference 21.0 ms, table 8.21 ms, pixels 960 ms`.
    fn phases(&self) -> String {
        let line = |row: &Row| {
            let [reference, table, pixels] = row.median_phases()?.map(figure);
            Some(format!("{}: reference {reference} ms, table {table} ms, pixels {pixels} ms\n", row.name))
        };
        self.rows.iter().filter_map(line).collect()
    }

    /// Who took no part: a line for each reason.
    fn absent(&self) -> String {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in &self.rows {
            let Some(reason) = &row.absent else { continue };
            // Engines begin with their own name.
            let reason = reason.strip_prefix(&row.name).map_or(reason.as_str(), str::trim_start);
            match groups.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, names)) => names.push(&row.name),
                None => groups.push((reason, vec![&row.name])),
            }
        }
        groups.into_iter().map(|(reason, names)| format!("{} – {reason}\n", names.join(", "))).collect()
    }

    /// `home (Home): at most 1000 iterations, 0.268 G steps, 24.1 % inside`, and the size where it is not the `usual` one.
    fn heading(&self, usual: [u32; 2]) -> String {
        let title = self.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
        let [width, height] = self.size;
        let size = if self.size == usual { String::new() } else { format!(", {width}×{height} pixels") };
        let work = match self.work {
            Some(work) => {
                format!(", {} G steps, {:.1} % inside", figure(work.steps as f64 / 1e9), 100.0 * work.interior_share)
            }
            None => ", too deep for f64".into(),
        };
        format!("{}{title}{size}: at most {} iterations{work}", self.key, self.max_iterations)
    }
}

impl Row {
    /// Arithmetic, threads or device, and clock where it is not the processor's.
    fn arithmetic(&self) -> String {
        match self.threads {
            Some(0) => format!("{}, {}", self.describe, self.source.label()),
            _ => self.describe.clone(),
        }
    }
}

/// `0`, or count, share and largest difference.
fn differing(row: &Row) -> String {
    match row.differing {
        None => "not written".into(),
        Some(differing) if differing.count == 0 => "0".into(),
        Some(differing) => {
            format!("{} = {} % (≤ {})", differing.count, figure(100.0 * differing.share()), differing.largest)
        }
    }
}

/// Three digits, and no more zeros than needed.
pub(super) fn figure(value: f64) -> String {
    let whole_digits = value.abs().max(1e-9).log10().floor() as i32;
    let decimals = (2 - whole_digits).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        for (value, text) in
            [(1234.56, "1235"), (123.4, "123"), (12.34, "12.3"), (1.234, "1.23"), (0.1234, "0.123"), (0.01, "0.0100")]
        {
            assert_eq!(figure(value), text);
        }
    }
}
