//! `cardioid engines`: what can compute here.

use cardioid::app::Location;
use cardioid::engine::{self, Engine};
use cardioid::fractal::FormulaId;
use cardioid::gpu::Gpu;
use cardioid::render::Job;
use fearless_simd::Level;
use serde_json::{Value, json};

use super::{Failure, machine, print};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let machine = machine::machine(machine::all_threads(), true)?;
    let job = Location::home(FormulaId::Quadratic).job([1920, 1080])?;
    let engines = engine::all(&machine);
    let adapter = machine.gpu.as_ref().map(Gpu::label);
    if args.json {
        let rows: Vec<_> = engines.iter().map(|engine| as_json(engine.as_ref(), &job)).collect();
        let all = json!({
            "threads": machine.threads(), "simd": simd_name(), "adapter": adapter.ok(), "engines": rows,
        });
        return print(format_args!("{all:#}"));
    }
    for engine in &engines {
        print(as_text(engine.as_ref(), &job))?;
    }
    print("auto             picks by hardware and by the precision that the view needs")?;
    let adapter = adapter.unwrap_or_else(|reason| format!("none ({reason})"));
    print(format_args!("\n{} threads, {} vectors, GPU: {adapter}", machine.threads(), simd_name()))
}

fn as_text(engine: &dyn Engine, job: &Job) -> String {
    let state = match engine.supports(job) {
        Ok(()) => engine.describe(),
        Err(lacks) => format!("not available: {lacks}"),
    };
    format!("{:<17}{}\n{:<17}  {state}", engine.key(), engine.about(), "")
}

fn as_json(engine: &dyn Engine, job: &Job) -> Value {
    let lacks = engine.supports(job).err().map(|lacks| lacks.to_string());
    json!({
        "key": engine.key(), "about": engine.about(), "describe": engine.describe(),
        "available": lacks.is_none(), "reason": lacks,
    })
}

/// Name of the widest vector instructions of this processor.
fn simd_name() -> String {
    let level = format!("{:?}", Level::new());
    level.split('(').next().unwrap_or_default().to_owned()
}
