//! Tables of figures as text that others read: Markdown, JSON, CSV.

use serde_json::{Map, Value};

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Json,
    Csv,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Json, Self::Csv];

    pub fn label(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Json => "JSON",
            Self::Csv => "CSV",
        }
    }
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    Number(f64),
    Nothing,
}

impl From<Option<f64>> for Cell {
    /// Numbers that are none are left out.
    fn from(value: Option<f64>) -> Self {
        value.filter(|value| value.is_finite()).map_or(Self::Nothing, Self::Number)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Some(value).into()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        if text.is_empty() { Self::Nothing } else { Self::Text(text.into()) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

/// Facts that hold for all of a table, and its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// What was measured, by name.
    pub facts: Vec<(&'static str, Cell)>,
    /// The name of each column, with its unit: `median_ms`.
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
}

impl Sheet {
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Markdown => self.to_markdown(),
            Format::Json => self.to_json(),
            Format::Csv => self.to_csv(),
        }
    }

    fn to_markdown(&self) -> String {
        let escaped = |cell: &Cell| cell.to_text().replace('|', "\\|");
        let mut text: String = self.facts.iter().map(|(name, cell)| format!("- {name}: {}\n", escaped(cell))).collect();
        let headings: Vec<String> = self.columns.iter().map(|name| name.replace('_', " ")).collect();
        let marks: Vec<&str> =
            (0..self.columns.len()).map(|i| if self.is_of_numbers(i) { "--:" } else { "---" }).collect();
        text += &format!("\n| {} |\n|{}|\n", headings.join(" | "), marks.join("|"));
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(escaped).collect();
            text += &format!("| {} |\n", cells.join(" | "));
        }
        text
    }

    fn is_of_numbers(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row.get(column), Some(Cell::Number(_))))
    }

    fn to_json(&self) -> String {
        let facts = self.facts.iter().map(|(name, cell)| ((*name).to_owned(), cell.to_json()));
        let row = |row: &Vec<Cell>| {
            let named = self.columns.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), cell.to_json()));
            Value::Object(named.collect())
        };
        let rows = Value::Array(self.rows.iter().map(row).collect());
        let all: Map<String, Value> = facts.chain([("rows".to_owned(), rows)]).collect();
        format!("{:#}\n", Value::Object(all))
    }

    /// Facts are columns that are the same in every row: one table, and nothing that a reader of CSV stumbles over.
    fn to_csv(&self) -> String {
        let names = self.columns.iter().copied().chain(self.facts.iter().map(|(name, _)| *name));
        let mut text = names.collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            let cells = row.iter().chain(self.facts.iter().map(|(_, cell)| cell));
            text += &(cells.map(Cell::to_csv).collect::<Vec<_>>().join(",") + "\n");
        }
        text
    }
}

impl Cell {
    /// For people: four digits of a number.
    fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => four(*number),
            Self::Nothing => "–".into(),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Number(number) => (*number).into(),
            Self::Nothing => Value::Null,
        }
    }

    fn to_csv(&self) -> String {
        match self {
            Self::Text(text) if text.contains([',', '"', '\n']) => format!("\"{}\"", text.replace('"', "\"\"")),
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Nothing => String::new(),
        }
    }
}

/// A number to four digits, without zeros at its end.
fn four(number: f64) -> String {
    if number == 0.0 || number.fract() == 0.0 && number.abs() < 1e9 {
        return format!("{number}");
    }
    let places = (3 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.places$}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_is_written_in_three_ways() {
        let sheet = Sheet {
            facts: vec![("view", "centre -0.75, 0".into()), ("runs", 6.0.into())],
            columns: vec!["engine", "median_ms"],
            rows: vec![vec!["tiles".into(), 9.876_54.into()], vec!["a|b \"c\"".into(), None.into()]],
        };
        assert_eq!(
            sheet.write(Format::Markdown),
            "- view: centre -0.75, 0\n- runs: 6\n\n| engine | median ms |\n|---|--:|\n| tiles | 9.877 |\n\
             | a\\|b \"c\" | – |\n"
        );
        assert_eq!(
            sheet.write(Format::Csv),
            "engine,median_ms,view,runs\ntiles,9.87654,\"centre -0.75, 0\",6\n\"a|b \"\"c\"\"\",,\"centre -0.75, 0\",6\n"
        );
        let json: Value = serde_json::from_str(&sheet.write(Format::Json)).unwrap();
        assert_eq!(json["rows"][0]["median_ms"], 9.876_54);
        assert_eq!((&json["rows"][1]["median_ms"], &json["runs"]), (&Value::Null, &Value::from(6.0)));
    }

    #[test]
    fn four_digits_without_zeros_at_the_end() {
        for (number, expected) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (12345.678, "12346"),
            (0.001_234_56, "0.001235"),
            (100.0, "100"),
            (-2.25, "-2.25"),
        ] {
            assert_eq!(four(number), expected);
        }
    }
}
