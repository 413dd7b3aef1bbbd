//! What a script measured, as JSON and as a table.

use serde_json::{Value, json};

use super::driver::Ended;
use crate::app::bench::Facts;
use crate::app::pacing::{Frame, millis};
use crate::app::timings::{Summary, summary};

/// What was measured of a whole script.
#[derive(Clone, Debug)]
pub struct Record {
    pub script: String,
    /// `window` or `headless`.
    pub mode: &'static str,
    /// Of the window, panels and all, in pixels.
    pub size: [u32; 2],
    pub scale: f64,
    pub ended: Ended,
    pub steps: Vec<StepRecord>,
    /// Most memory in use at the end of a step; `None` where the system does not tell.
    pub resident_bytes: Option<u64>,
}

/// What was measured of a command and the waits after it.
#[derive(Clone, Debug)]
pub struct StepRecord {
    pub line: usize,
    pub text: String,
    pub seconds: f64,
    pub frames: Taken,
    /// From the command to the first samples of a new picture on the screen; `None` where there was none.
    pub first_picture_ms: Option<f64>,
    /// From the command to the complete picture.
    pub settled_ms: Option<f64>,
    pub engine: Option<&'static str>,
    /// The location at its end, on one line.
    pub view: String,
    pub resident_bytes: Option<u64>,
}

/// The frames of a step, or of all.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    n: usize,
    gaps_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
}

impl Taken {
    pub(super) fn add(&mut self, frame: Frame) {
        self.n += 1;
        self.gaps_ms.extend(frame.gap.map(millis));
        self.cpu_ms.extend(frame.cpu.map(millis));
    }

    /// Number of frames.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Times between frames in motion, in milliseconds.
    pub fn gaps(&self) -> Option<Summary> {
        summary(self.gaps_ms.iter().copied())
    }

    /// Processor time of the main thread a frame, painting left out, in milliseconds.
    pub fn cpu(&self) -> Option<Summary> {
        summary(self.cpu_ms.iter().copied())
    }
}

impl Record {
    /// The frames of all steps.
    pub fn all(&self) -> Taken {
        self.steps.iter().fold(Taken::default(), |mut all, step| {
            all.n += step.frames.n;
            all.gaps_ms.extend(&step.frames.gaps_ms);
            all.cpu_ms.extend(&step.frames.cpu_ms);
            all
        })
    }

    /// All of it; `docs/drive.md` names the fields.
    pub fn json(&self, facts: &Facts) -> Value {
        let all = self.all();
        json!({
            "cardioid": env!("CARGO_PKG_VERSION"),
            "script": self.script,
            "mode": self.mode,
            "size": self.size,
            "scale": self.scale,
            "machine": {
                "processor": facts.processor,
                "system": facts.system,
                "threads": facts.threads,
                "simd": facts.simd,
                "adapter": facts.adapter.label(),
                "software_gpu": facts.adapter.is_software(),
            },
            "ended": ended(&self.ended),
            "frames": all.n,
            "gap_ms": figures(all.gaps()),
            "cpu_ms": figures(all.cpu()),
            "resident_bytes": self.resident_bytes,
            "steps": self.steps.iter().map(StepRecord::json).collect::<Vec<_>>(),
        })
    }

    /// Lines for people: a step each, then all together.
    pub fn table(&self) -> Vec<String> {
        let text = self.steps.iter().map(|step| step.text.chars().count()).max().unwrap_or(0).clamp(4, 40);
        let row = |line: &str, what: &str, figures: [String; 7], engine: &str| {
            let [frames, gap, gap99, cpu, cpu99, first, settled] = figures;
            let what: String = what.chars().take(text).collect();
            let row = format!(
                "{line:>4}  {what:<text$}  {frames:>6}  {gap:>7}  {gap99:>7}  {cpu:>7}  {cpu99:>7}  {first:>8}  \
                 {settled:>8}  {engine}"
            );
            row.trim_end().to_owned()
        };
        let heads = ["frames", "gap", "p99", "cpu", "p99", "first", "settled"].map(String::from);
        let mut lines = vec![row("line", "step", heads, "engine")];
        for step in &self.steps {
            let [gap, gap99] = middle_and_tail(step.frames.gaps());
            let [cpu, cpu99] = middle_and_tail(step.frames.cpu());
            let [first, settled] = [step.first_picture_ms, step.settled_ms].map(figure);
            let figures = [step.frames.n.to_string(), gap, gap99, cpu, cpu99, first, settled];
            lines.push(row(&step.line.to_string(), &step.text, figures, step.engine.unwrap_or("–")));
        }
        let all = self.all();
        let [gap, gap99] = middle_and_tail(all.gaps());
        let [cpu, cpu99] = middle_and_tail(all.cpu());
        lines.push(row("", "all", [all.n.to_string(), gap, gap99, cpu, cpu99, String::new(), String::new()], ""));
        let memory = self.resident_bytes.map_or(String::new(), |bytes| format!("; {} MB resident", bytes / 1_000_000));
        lines.push(format!(
            "milliseconds; gap: between frames in motion, median; cpu: of the main thread a frame without painting{memory}"
        ));
        lines
    }
}

impl StepRecord {
    fn json(&self) -> Value {
        json!({
            "line": self.line,
            "text": self.text,
            "seconds": rounded(self.seconds),
            "frames": self.frames.n,
            "gap_ms": figures(self.frames.gaps()),
            "cpu_ms": figures(self.frames.cpu()),
            "first_picture_ms": self.first_picture_ms.map(rounded),
            "settled_ms": self.settled_ms.map(rounded),
            "engine": self.engine,
            "view": self.view,
            "resident_bytes": self.resident_bytes,
        })
    }
}

fn ended(how: &Ended) -> Value {
    match how {
        Ended::Complete => json!({ "how": "complete" }),
        Ended::Interrupted => json!({ "how": "interrupted" }),
        Ended::Failed { line, why, .. } => json!({ "how": "failed", "line": line, "why": why }),
    }
}

fn figures(summary: Option<Summary>) -> Value {
    let Some(of) = summary else { return Value::Null };
    let [median, p95, p99, max] = [of.median, of.p95, of.p99, of.max].map(rounded);
    json!({ "n": of.n, "median": median, "p95": p95, "p99": p99, "max": max })
}

/// To a microsecond: more is noise.
fn rounded(millis: f64) -> f64 {
    (millis * 1e3).round() / 1e3
}

fn middle_and_tail(summary: Option<Summary>) -> [String; 2] {
    [summary.map(|of| of.median), summary.map(|of| of.p99)].map(figure)
}

fn figure(millis: Option<f64>) -> String {
    match millis {
        None => "–".into(),
        Some(millis) if millis < 10.0 => format!("{millis:.2}"),
        Some(millis) if millis < 100.0 => format!("{millis:.1}"),
        Some(millis) => format!("{millis:.0}"),
    }
}

/// Memory that the program holds now, in bytes; `None` where the system does not tell.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
