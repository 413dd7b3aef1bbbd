//! Diagrams on the device: orbits in f32, a thread each, and layers that they add to where the colour pass reads them.

mod kernel;
mod parts;
mod rule;

use std::collections::HashMap;
use std::sync::Arc;

use super::kernel::Program;
use super::pace::Pace;
use super::{SliceFigures, Totals, Work, slice_target, timed};
use crate::gpu::shader::{self, Checks};
use crate::gpu::{DiagramBuffer, Gpu, GpuError, PassClock, Pool};
use crate::render::{Beside, Columns, DeviceDiagram as _, DiagramShape, RenderError, Sink, Tile};
use kernel::Kernel;
use parts::Parts;
pub use rule::DeviceTask;
use rule::Rule;

/// What is kept from diagram to diagram.
#[derive(Default)]
pub struct Diagrams {
    programs: HashMap<Rule, Arc<Program>>,
    pool: Pool<DiagramBuffer>,
    pace: Option<Pace>,
}

impl Diagrams {
    /// Computes a diagram's columns, and puts them where the sink wants them.
    pub fn render(
        &mut self,
        work: &Work<'_>,
        columns: &Columns<'_, impl DeviceTask>,
        checks: Checks,
        slices: &mut SliceFigures,
        sink: &dyn Sink,
    ) -> Result<Totals, RenderError> {
        let (gpu, task) = (&work.gpu, columns.task);
        let shape = DiagramShape::of(work.job);
        let diagram = self.pool.take(|free| free.fits(shape), || DiagramBuffer::empty(gpu, shape))?;
        diagram.clear(shape, task.orbits().len() as u32)?;
        let mut totals = Totals::default();
        let program = self.program(gpu, task.rule(), checks, &mut totals.beside)?;
        let mut kernel = timed(&mut totals.beside.upload, || Kernel::new(gpu, &program, columns, &diagram))?;
        let target = slice_target(gpu);
        let pace = self.pace.get_or_insert_with(|| Pace::new(target));
        let mut parts = Parts::new(columns.size()[0], task.orbits().clone(), task.kept(), task.effort());
        while let Some(part) = parts.next(pace) {
            if work.latest.is_stale() {
                return Err(RenderError::Cancelled);
            }
            let tile = Tile::columns(part.columns.clone(), columns.size()[1]);
            sink.begin(tile);
            let (steps, took) = kernel.run(&part)?;
            sink.end(tile);
            pace.learn(parts.cost(&part), took.held());
            slices.add(took);
            totals.add_slice(steps, steps, took);
        }
        if sink.takes_device_fields() {
            sink.put_device_diagram(diagram);
        } else {
            let read = timed(&mut totals.beside.read_back, || diagram.read_back())?;
            sink.put_strip(read.strip());
        }
        Ok(totals)
    }

    /// The compiled pass of a rule.
    fn program(
        &mut self,
        gpu: &Gpu,
        rule: Rule,
        checks: Checks,
        beside: &mut Beside,
    ) -> Result<Arc<Program>, GpuError> {
        if let Some(program) = self.programs.get(&rule) {
            return Ok(program.clone());
        }
        let wgsl = rule.wgsl()?;
        let compile = || shader::compute_pipeline(gpu, "orbit_density", Some(&wgsl), checks);
        let pipeline = timed(&mut beside.compile, compile)?;
        let program = Arc::new(Program { pipeline, clock: PassClock::new(gpu) });
        self.programs.insert(rule, program.clone());
        Ok(program)
    }
}
