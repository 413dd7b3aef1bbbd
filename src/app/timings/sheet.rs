//! The table of the overlay as text: every column, absent engines with their reasons.

use super::{EngineTimings, FEW, Part, Timing, Timings, Verdict, parts};
use crate::app::compare::describe_view;
use crate::app::drawing::{EngineInfo, Status};
use crate::app::sheet::{Cell, Sheet};

impl Timing {
    /// What to know of it before it is believed.
    pub fn tags(&self) -> Vec<&'static str> {
        let told = [
            (cfg!(debug_assertions), "debug build: void"),
            (self.is_warm_up, "warm-up"),
            (!self.stats.beside.compile.is_zero(), "shader compile"),
            (self.is_hidden, "hidden"),
        ];
        told.into_iter().filter(|(holds, _)| *holds).map(|(_, tag)| tag).collect()
    }
}

impl Timings {
    /// A row an engine, and what holds for all: the view, and how long its picture took from the request on.
    pub fn sheet(&self, engines: &[EngineInfo], status: &Status) -> Sheet {
        let view = self.conditions().map(|conditions| describe_view(conditions.job()));
        let size = self.conditions().map(|conditions| conditions.job().viewport.size());
        let millis = |took: Option<std::time::Duration>| Cell::from(took.map(|took| took.as_secs_f64() * 1e3));
        Sheet {
            facts: vec![
                ("view", view.unwrap_or_default().into()),
                ("size", size.map_or(Cell::Nothing, |[width, height]| format!("{width}x{height}").into())),
                ("baseline", self.baseline().unwrap_or_default().into()),
                ("first_picture_ms", millis(status.first_picture)),
                ("final_picture_ms", millis(status.final_picture)),
            ],
            columns: COLUMNS.to_vec(),
            rows: engines.iter().map(|engine| self.row(engine)).collect(),
        }
    }

    fn row(&self, engine: &EngineInfo) -> Vec<Cell> {
        let timings = self.engine(engine.key);
        let last = timings.and_then(EngineTimings::last);
        let summary = timings.and_then(EngineTimings::summary);
        let tail = summary.filter(|summary| summary.n >= FEW);
        let ratio = self.ratio(engine.key);
        let differing = self.differing(engine.key);
        let timed = last.map(|timing| parts(&timing.stats, None)).unwrap_or_default();
        let part = |wanted: Part| Cell::from(timed.iter().find(|(part, _)| *part == wanted).map(|(_, millis)| *millis));
        let verdict = match ratio.map(|ratio| ratio.verdict) {
            None => self.difference(engine.key).map_or("", |difference| difference.label()),
            Some(Verdict::Clear) => "clear",
            Some(Verdict::Tie) => "tie",
            Some(Verdict::Struck) => "struck out",
        };
        let reduced = last.filter(|timing| timing.is_reduced());
        vec![
            engine.key.into(),
            engine.describe.as_str().into(),
            last.map_or("", |timing| timing.stats.source.label()).into(),
            summary.map(|summary| summary.last).into(),
            tail.map(|summary| summary.median).into(),
            tail.map(|summary| summary.p95).into(),
            tail.map(|summary| summary.p99).into(),
            tail.map(|summary| summary.max).into(),
            summary.map(|summary| summary.n as f64).into(),
            last.map(Timing::megapixels_per_second).into(),
            last.map(Timing::giga_iterations_per_second).into(),
            last.map(Timing::giga_steps_done_per_second).into(),
            ratio.filter(|ratio| ratio.verdict == Verdict::Clear).map(|ratio| ratio.times).into(),
            verdict.into(),
            differing.map(|differing| differing.share()).into(),
            differing.map_or("", |differing| differing.agreement().word()).into(),
            part(Part::Reference),
            part(Part::Table),
            part(Part::Compute),
            part(Part::Compile),
            part(Part::Upload),
            part(Part::ReadBack),
            reduced.map_or(Cell::Nothing, |timing| format!("{}x{}", timing.size[0], timing.size[1]).into()),
            last.map_or_else(String::new, |timing| timing.tags().join(", ")).into(),
            engine.absent.as_deref().unwrap_or_default().into(),
        ]
    }
}

const COLUMNS: [&str; 25] = [
    "engine",
    "arithmetic",
    "clock",
    "last_ms",
    "median_ms",
    "p95_ms",
    "p99_ms",
    "max_ms",
    "n",
    "mpx_per_s",
    "giter_per_s",
    "done_giter_per_s",
    "ratio",
    "verdict",
    "differing_share",
    "agreement",
    "reference_ms",
    "table_ms",
    "samples_ms",
    "compile_ms",
    "upload_ms",
    "read_back_ms",
    "timed_at",
    "tags",
    "reason",
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::app::State;
    use crate::app::sheet::Format;
    use crate::engine::{Machine, all};
    use crate::render::Stats;

    #[test]
    fn every_engine_has_a_row_and_few_frames_have_no_percentiles() {
        let engines = all(&Machine::without_gpu(1).unwrap());
        let engines: Vec<EngineInfo> = engines.iter().map(|engine| EngineInfo::of(engine.as_ref())).collect();
        let mut timings = Timings::new(engines.iter().map(|engine| engine.key));
        let job = State::new([40, 30]).job();
        let stats = |millis| Stats { compute: Duration::from_millis(millis), ..Stats::default() };
        timings.record("naive", &job, [[20, 15], [40, 30]], stats(30));
        for _ in 0..5 {
            timings.record("tiles", &job, [[40, 30]; 2], stats(12));
        }
        let status = Status { first_picture: Some(Duration::from_millis(9)), ..Status::default() };
        let sheet = timings.sheet(&engines, &status);
        assert!(sheet.rows.iter().all(|row| row.len() == sheet.columns.len()));
        let json: serde_json::Value = serde_json::from_str(&sheet.write(Format::Json)).unwrap();
        let row = |key: &str| json["rows"].as_array().unwrap().iter().find(|row| row["engine"] == key).unwrap().clone();
        assert_eq!((&row("naive")["last_ms"], &row("naive")["timed_at"]), (&120.0.into(), &"20x15".into()));
        assert!(row("naive")["median_ms"].is_null() && row("tiles")["median_ms"] == 12.0);
        assert_eq!((&row("tiles")["ratio"], &json["baseline"]), (&10.0.into(), &"naive".into()));
        assert_eq!((&row("tiles")["clock"], &json["first_picture_ms"]), (&"CPU clock".into(), &9.0.into()));
        assert!(row("gpu")["last_ms"].is_null());
    }
}
