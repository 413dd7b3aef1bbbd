//! The report for other programs: the fields of the timing overlay, names with their units.

use serde_json::{Value, json};

use super::facts::Adapter;
use super::report::{Ratio, Report, Row, ViewReport};
use crate::app::timings::FEW;
use crate::engine::Precision;

impl Report {
    /// Everything as JSON. What is not known is null.
    pub fn to_json(&self) -> Value {
        let facts = &self.facts;
        json!({
            "cardioid": env!("CARGO_PKG_VERSION"),
            "complete": self.complete,
            "machine": {
                "processor": facts.processor,
                "system": facts.system,
                "threads": facts.threads,
                "simd": facts.simd,
                "adapter": match &facts.adapter { Adapter::Used { label, .. } => Some(label), Adapter::None(_) => None },
                "software_gpu": facts.adapter.is_software(),
                "operations_per_second": facts.bound.operations_per_second,
                "steps_between_tests": facts.bound.steps_between_tests,
                "bound_giter_per_second": facts.bound.steps_per_second() / 1e9,
            },
            "width": self.size[0],
            "height": self.size[1],
            "repetitions": self.repetitions,
            "shortcuts": self.shortcuts,
            "views": self.views.iter().map(|view| self.view_json(view)).collect::<Vec<_>>(),
        })
    }

    fn view_json(&self, view: &ViewReport) -> Value {
        json!({
            "view": view.key,
            "name": view.title,
            "width": view.size[0],
            "height": view.size[1],
            "max_iterations": view.max_iterations,
            "steps": view.work.map(|work| work.steps),
            "interior_share": view.work.map(|work| work.interior_share),
            "baseline": view.baseline().map(|row| &row.name),
            "engines": view.rows.iter().map(|row| self.row_json(view, row)).collect::<Vec<_>>(),
        })
    }

    fn row_json(&self, view: &ViewReport, row: &Row) -> Value {
        // Fewer runs have no percentiles.
        let tail = |share| row.quantile(share).filter(|_| row.millis.len() >= FEW);
        let ratio = view.ratio(row);
        json!({
            "engine": row.name,
            "external": row.external,
            "describe": row.describe,
            "precision": row.precision.map(Precision::label),
            "threads": row.threads,
            "reason": row.absent,
            "n": row.millis.len(),
            "scaled": row.is_scaled(),
            "stride": row.stride,
            "millis": row.millis,
            "last_ms": row.millis.last(),
            "median_ms": row.median(),
            "min_ms": row.min(),
            "max_ms": row.max(),
            "p95_ms": tail(0.95),
            "p99_ms": tail(0.99),
            "source": row.median().map(|_| row.source.label()),
            "mpx_per_second": view.megapixels_per_second(row),
            "giter_per_second": view.giga_iterations_per_second(row),
            "giter_done_per_second": view.giga_steps_done_per_second(row),
            "steps_done": row.steps_done,
            "reference_ms": row.median_phases().map(|[reference, ..]| reference),
            "table_ms": row.median_phases().map(|[_, table, _]| table),
            "pixels_ms": row.median_phases().map(|[.., pixels]| pixels),
            "share_of_bound": self.share_of_bound(view, row),
            "ratio": match ratio { Some(Ratio::Times(times)) => Some(times), _ => None },
            "tie": ratio.map(|ratio| ratio == Ratio::Tie),
            "differing": row.differing.map(|differing| differing.count),
            "differing_share": row.differing.map(|differing| differing.share()),
            "largest_difference": row.differing.map(|differing| differing.largest),
        })
    }
}
