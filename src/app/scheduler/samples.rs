//! Pictures of samples: from coarse to fine, no sample computed twice, and what an earlier picture has of them not at all.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::{Event, Worker};
use crate::app::drawing::Wish;
use crate::app::pass::{Held, Pass};
use crate::engine::{Choice, Precision, choose, is_mirrored, iterations};
use crate::gpu::{GpuError, SampleBuffer, Weave};
use crate::render::{
    DeviceField, Job, Latest, Lattice, Overlap, Preparation, Quality, RenderError, Sample, Sink, Span, Stats, Tile,
    Unheard, lacking, missing_blocks,
};

/// A first pass is as fine as an engine draws it within this time.
const FIRST_PASS: Duration = Duration::from_millis(25);
/// Strides of first passes, the finest first.
const FIRST_STRIDES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The first stride of an engine whose speed is not known yet.
const FIRST_STRIDE: u32 = 16;
/// A pass is so many times as fine as the one before it.
const REFINEMENT: u32 = 4;
/// What an earlier picture has is worth weaving in where it is at least one in so many samples.
const LEAST_SHARE: usize = 8;

/// The picture that was completed last: views near it have samples of it.
pub(super) struct Complete {
    pass: Held,
    /// Deltas are followed from the view's own centre: their last bits are the view's.
    precision: Precision,
    /// Who wishes for a picture anew wants all of it computed.
    redraws: u64,
}

/// The passes of one picture, while they are drawn.
struct Passes<'a> {
    request: u64,
    choice: &'a Choice,
    mark: &'a Latest,
    /// Samples that an earlier picture has.
    known: Option<Known>,
    /// Samples are rougher than they will be, and are computed anew.
    is_rough: bool,
    /// The pass before, whose samples are those of the present one.
    coarser: Option<Held>,
    /// Figures of the passes that the picture is made of.
    stats: Option<Stats>,
}

/// What an earlier picture has of a new one.
struct Known {
    pass: Arc<Pass>,
    overlap: Overlap,
    /// Samples that did not escape up to the earlier cap are not known.
    without_inside: bool,
}

impl Worker {
    /// Draws with one engine, and with another where that one fails. Gives the engine's key once the picture is settled;
    /// `job` has the cap that its view asks for then, where that is wished for.
    pub(super) fn draw_samples(
        &mut self,
        request: u64,
        job: &mut Job,
        choice: Choice,
        wish: Wish,
        mark: &Latest,
    ) -> Option<&'static str> {
        match self.passes(request, job, &choice, wish, mark) {
            Ok(()) => Some(choice.key),
            Err(RenderError::Cancelled) => None,
            Err(error) => {
                self.tell(Event::Failed { request, engine: choice.key, reason: error.to_string() });
                let instead = choose(&self.engines.engines, job, false).ok()?;
                let instead = Choice { why: "the engine chosen failed", ..instead };
                if choice.key == instead.key { None } else { self.draw_samples(request, job, instead, wish, mark) }
            }
        }
    }

    fn passes(
        &mut self,
        request: u64,
        job: &mut Job,
        choice: &Choice,
        wish: Wish,
        mark: &Latest,
    ) -> Result<(), RenderError> {
        let key = choice.key;
        let precision = self.engine(key).precision();
        let mut passes = Passes {
            request,
            choice,
            mark,
            known: self.known(job, key, wish),
            // Deltas of a picture in motion are followed beside any reference.
            is_rough: precision == Precision::Deltas && job.quality == Quality::Exact,
            coarser: None,
            stats: Some(Stats::default()),
        };
        let mut stride = self.first_stride(job, key, &passes, wish);
        if wish.automatic_iterations && !wish.full_resolution && passes.known.is_none() {
            // Something is to be seen before the view is asked for its cap.
            stride = stride.max(REFINEMENT);
        }
        if passes.is_rough || stride > 1 {
            let quality = if passes.is_rough { Quality::Moving } else { job.quality };
            let first = self.pass(&mut passes, &Job { quality, ..job.clone() }, stride)?;
            stride = (stride / REFINEMENT).max(1);
            passes.coarser = Some(first);
            passes.is_rough = false;
        }
        if wish.automatic_iterations {
            let cap = job.max_iterations();
            self.measure(request, job, mark, passes.coarser.as_deref().map(AsRef::as_ref))?;
            if job.max_iterations() != cap {
                passes.known = self.known(job, key, wish);
            }
        }
        let samples_count = |pass: &Held| pass.job.task == job.task && pass.job.quality == job.quality;
        // Rows that an engine copies from their mirror images are half the picture; lattices of it have no such rows.
        let is_halved = passes.known.is_none() && self.engine(key).mirrors() && is_mirrored(job);
        if is_halved || !passes.coarser.as_ref().is_some_and(samples_count) {
            passes.coarser = None;
            passes.stats = Some(Stats::default());
        }
        if is_halved {
            stride = 1;
        }
        loop {
            let pass = self.pass(&mut passes, job, stride)?;
            if stride == 1 {
                self.complete = Some(Complete { pass, precision, redraws: wish.redraws });
                return Ok(());
            }
            passes.coarser = Some(pass);
            stride = (stride / REFINEMENT).max(1);
        }
    }

    /// Draws one pass: the pixels of every `stride`-th column and row, but for those that are there.
    fn pass(&mut self, passes: &mut Passes<'_>, job: &Job, stride: u32) -> Result<Held, RenderError> {
        let Passes { request, mark, .. } = *passes;
        let &Choice { key, why } = passes.choice;
        let lattice = Lattice::every(stride);
        let focus = job.focus.map(|place| place / stride as f32);
        let pass_job = Job { lattice, focus, ..job.clone() };
        let pass = Arc::new(Pass::new(pass_job, key, self.engines.takes_device_fields, self.wake.clone()));
        let held = pass.held();
        let size = job.viewport.size();
        let coarser = passes.coarser.as_ref().map(|pass| pass.job.lattice.stride);
        let mut parts = lacking(size, stride, coarser, passes.known.as_ref().map(|known| known.overlap.lattice()));
        if let Some(coarser) = &passes.coarser {
            let spans = |stride: u32| coarser.spans().map(|span| span.among_every(stride));
            self.weaver.copy(coarser, spans(coarser.job.lattice.stride), &pass, spans(stride), &|sample| sample)?;
        }
        if let Some(known) = passes.known.as_ref().filter(|_| stride == 1) {
            parts.extend(self.weave_in(known, job, &pass)?);
        }
        self.tell(Event::Started { request, pass: pass.clone(), why });
        let mut stats: Option<Stats> = None;
        for part in parts {
            let part_job = Job { lattice: part, focus: part.place_of(job.focus), ..job.clone() };
            let samples = part_job.size().map(u64::from).iter().product::<u64>();
            let done = if part == lattice {
                self.render(key, &pass.job, mark, pass.as_ref())?
            } else {
                let weaver = self.weaver.clone();
                let sink = PartSink::new(&pass, part, &weaver);
                let done = self.render(key, &part_job, mark, &sink)?;
                sink.finish()?;
                done
            };
            self.note_pace(key, &done, samples);
            stats = Some(stats.map_or(done, |before| before.and(done)));
        }
        passes.stats = match (passes.stats, stats) {
            _ if passes.known.is_some() => None,
            (Some(before), Some(now)) if before != Stats::default() => Some(before.and(now)),
            (_, now) => now,
        };
        pass.complete();
        let settled = stride == 1 && !passes.is_rough;
        self.tell(Event::Finished { request, pass, stats: passes.stats, settled });
        Ok(held)
    }

    /// Puts what is known into a pass of all pixels; gives the lattices of what is not known after all.
    fn weave_in(&self, known: &Known, job: &Job, pass: &Pass) -> Result<Vec<Lattice>, RenderError> {
        let Known { pass: earlier, overlap, without_inside } = known;
        let cap = job.max_iterations();
        let (without_inside, mut missing) = (*without_inside, Vec::new());
        let told = |sample: Sample| match sample.iterations {
            0 if without_inside => Sample::MISSING,
            n if n > cap && !sample.is_missing() => Sample::INTERIOR,
            _ => sample,
        };
        self.weaver.copy(earlier, overlap.old(), pass, overlap.now(), &told)?;
        if without_inside {
            let [columns, rows] = overlap.now();
            let samples = pass.gathered(columns, rows);
            let at = |column: u32, row: u32| {
                let [i, j] = [columns.number_of(column), rows.number_of(row)];
                samples[j as usize * columns.count as usize + i as usize].is_missing()
            };
            missing = missing_blocks(job.viewport.size(), overlap.lattice(), at);
        }
        Ok(missing)
    }

    /// The samples that the picture completed last has of a job's.
    fn known(&self, job: &Job, key: &str, wish: Wish) -> Option<Known> {
        let Complete { pass, precision, redraws } = self.complete.as_ref()?;
        let earlier = &pass.job;
        let caps = [earlier.max_iterations(), job.max_iterations()];
        let is_alike = pass.engine == key
            && *redraws == wish.redraws
            && *precision != Precision::Deltas
            && *earlier
                == Job { viewport: earlier.viewport.clone(), focus: earlier.focus, ..job.clone() }
                    .with_max_iterations(caps[0]);
        // Samples on a device are not looked at, and neither are the periods of what is inside only by a lower cap.
        let caps_agree =
            caps[0] == caps[1] || (pass.device_field().is_none() && (caps[0] < caps[1] || !job.channels.periods));
        if !(is_alike && caps_agree) {
            return None;
        }
        let overlap = Overlap::of(earlier, job)?;
        let [width, height] = job.viewport.size().map(|pixels| pixels as usize);
        (overlap.count() * LEAST_SHARE >= width * height).then(|| Known {
            pass: Arc::clone(pass),
            overlap,
            without_inside: caps[0] < caps[1],
        })
    }

    /// The stride of a picture's first pass: the finest that shows something in time, by the speed of the engine's last one.
    fn first_stride(&self, job: &Job, key: &str, passes: &Passes<'_>, wish: Wish) -> u32 {
        if wish.full_resolution {
            return 1;
        }
        let Some(pace) = self.paces.get(key) else { return FIRST_STRIDE };
        let [width, height] = job.viewport.size().map(f64::from);
        let known = passes.known.as_ref().map_or(0, |known| known.overlap.count());
        let samples = width * height - known as f64;
        let in_time = |stride: u32| pace * samples / f64::from(stride * stride) <= FIRST_PASS.as_secs_f64();
        FIRST_STRIDES.into_iter().find(|&stride| in_time(stride)).unwrap_or(FIRST_STRIDES[FIRST_STRIDES.len() - 1])
    }

    /// Remembers how long an engine takes for a sample, in seconds.
    fn note_pace(&mut self, key: &'static str, stats: &Stats, samples: u64) {
        /// Fewer samples than these say more about starting than about drawing.
        const FEW: u64 = 1000;
        if samples >= FEW {
            let seconds = stats.compute.saturating_sub(stats.phases.preparation()).as_secs_f64();
            self.paces.insert(key, seconds / samples as f64);
        }
    }

    /// Gives the job the cap that its view asks for.
    fn measure(&mut self, request: u64, job: &mut Job, mark: &Latest, shown: Option<&Pass>) -> Result<(), RenderError> {
        let engines = &mut self.engines.engines;
        let news: &dyn Sink = shown.map_or(&Unheard, |pass| pass);
        let measured = catch_unwind(AssertUnwindSafe(|| iterations::measured(engines, job, mark, news)));
        if let Some(shown) = shown {
            shown.no_preparation();
        }
        match measured.unwrap_or(Err(RenderError::Bug)) {
            Ok(max_iterations) => {
                *job = job.clone().with_max_iterations(max_iterations);
                self.tell(Event::Measured { request, max_iterations });
            }
            Err(RenderError::Cancelled) => return Err(RenderError::Cancelled),
            // The engine at work will say itself what is wrong.
            Err(_) => {}
        }
        Ok(())
    }
}

/// Copies samples from pass to pass, where they are.
#[derive(Clone, Default)]
pub(super) struct Weaver(Arc<OnceLock<Result<Weave, GpuError>>>);

impl Weaver {
    fn weave(&self, samples: &SampleBuffer) -> Result<&Weave, GpuError> {
        self.0.get_or_init(|| Weave::new(samples.gpu())).as_ref().map_err(Clone::clone)
    }

    /// Copies the samples of some columns and rows of a pass to as many of another. Those of the host are `told` anew.
    fn copy(
        &self,
        from: &Pass,
        old: [Span; 2],
        to: &Pass,
        new: [Span; 2],
        told: &dyn Fn(Sample) -> Sample,
    ) -> Result<(), RenderError> {
        match from.device_samples() {
            Some(samples) => self.copy_on_device(&samples, old, to, new)?,
            None => {
                let samples: Vec<Sample> = from.gathered(old[0], old[1]).into_iter().map(told).collect();
                to.spread(new[0], new[1], &samples);
            }
        }
        Ok(())
    }

    fn copy_on_device(&self, from: &SampleBuffer, old: [Span; 2], to: &Pass, new: [Span; 2]) -> Result<(), GpuError> {
        let field = match to.device_samples() {
            Some(field) => field,
            None => Arc::new(SampleBuffer::missing(from.gpu(), to.job.size())?),
        };
        self.weave(from)?.copy((from, old), (&field, new))?;
        // It is another field now.
        to.put_device(field);
        Ok(())
    }
}

/// Takes some of a pass's samples.
struct PartSink<'a> {
    pass: &'a Pass,
    columns: Span,
    rows: Span,
    weaver: &'a Weaver,
    failure: Mutex<Option<GpuError>>,
}

impl<'a> PartSink<'a> {
    /// For a lattice of pixels that the pass has, too.
    fn new(pass: &'a Pass, part: Lattice, weaver: &'a Weaver) -> Self {
        let [width, height] = pass.job.viewport.size();
        let stride = pass.job.lattice.stride;
        let [columns, rows] = [part.columns(width), part.rows(height)].map(|span| span.among_every(stride));
        Self { pass, columns, rows, weaver, failure: Mutex::new(None) }
    }

    /// Says that the engine is done.
    fn finish(self) -> Result<(), RenderError> {
        let failure = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), |error| Err(error.into()))
    }
}

impl Sink for PartSink<'_> {
    fn put(&self, tile: Tile, samples: &[Sample]) {
        let (columns, rows) = (self.columns.part(tile.x, tile.width), self.rows.part(tile.y, tile.height));
        self.pass.spread(columns, rows, samples);
    }

    fn preparing(&self, preparation: Preparation) {
        self.pass.preparing(preparation);
    }

    fn takes_device_fields(&self) -> bool {
        // What is on the host already stays there.
        self.pass.takes_device_fields() && (self.pass.device_field().is_some() || self.pass.progress() == 0.0)
    }

    fn put_device(&self, field: Arc<dyn DeviceField>) {
        let Ok(samples) = field.as_any().downcast::<SampleBuffer>() else { return };
        let whole = samples.size().map(Span::all);
        if let Err(error) = self.weaver.copy_on_device(&samples, whole, self.pass, [self.columns, self.rows]) {
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::app::command::EngineChoice;
    use crate::app::scheduler::{Engines, Scheduler};
    use crate::engine::{Engine, Machine, Naive, all};
    use crate::gpu::Gpu;
    use crate::math::BigComplex;
    use crate::render::{Channels, EscapeTime, Field, HostSink, Plane, Task, Unsupported, Viewport};

    /// `naive`, and how many samples it was asked for.
    struct Counting(Arc<AtomicUsize>);

    impl Engine for Counting {
        fn key(&self) -> &'static str {
            Naive.key()
        }
        fn about(&self) -> &'static str {
            Naive.about()
        }
        fn describe(&self) -> String {
            Naive.describe()
        }
        fn precision(&self) -> Precision {
            Naive.precision()
        }
        fn supports(&self, job: &Job) -> Result<(), Unsupported> {
            Naive.supports(job)
        }
        fn render(&mut self, job: &Job, latest: &Latest, sink: &dyn Sink) -> Result<Stats, RenderError> {
            self.0.fetch_add(job.size().map(|count| count as usize).iter().product(), Ordering::SeqCst);
            Naive.render(job, latest, sink)
        }
    }

    const SIZE: [u32; 2] = [97, 65];
    const ALL: usize = 97 * 65;

    fn job(viewport: Viewport, max_iterations: u32) -> Job {
        let formula = crate::fractal::FormulaId::Quadratic;
        let task = EscapeTime { formula, plane: Plane::Parameter, max_iterations, bailout: 1000.0 };
        Job { channels: Channels { smooth: true, ..Channels::default() }, ..Job::new(viewport, Task::EscapeTime(task)) }
    }

    fn seahorses(height: &str) -> Viewport {
        let center = BigComplex::new("-0.7436438".parse().unwrap(), "0.1318259".parse().unwrap());
        Viewport::new(center, height.parse().unwrap(), SIZE).unwrap()
    }

    fn wish(key: &'static str) -> Wish {
        let choice = EngineChoice::Named(key);
        Wish { choice, redraws: 0, time_others: false, automatic_iterations: false, full_resolution: false }
    }

    /// The samples of a job once they are settled.
    fn settled(scheduler: &mut Scheduler, job: Job, wish: Wish) -> (Arc<Pass>, Option<Stats>) {
        let wanted = scheduler.draw(job, wish);
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            let finished = scheduler.events().find_map(|event| match event {
                Event::Finished { request, pass, stats, settled: true } if request == wanted => Some((pass, stats)),
                _ => None,
            });
            if let Some(finished) = finished {
                return finished;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("nothing was settled within a minute");
    }

    fn fresh(engine: &mut dyn Engine, job: &Job) -> Field {
        let mut field = Field::missing(job.size());
        engine.render(job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
        field
    }

    fn counting() -> (Scheduler, Arc<AtomicUsize>) {
        let count = Arc::new(AtomicUsize::new(0));
        let mut engines = all(&Machine::without_gpu(2).unwrap());
        engines[0] = Box::new(Counting(count.clone()));
        let engines = Engines { engines, hardware_gpu: false, takes_device_fields: false };
        (Scheduler::start(engines, Arc::new(|| {})).unwrap(), count)
    }

    #[test]
    fn passes_from_coarse_to_fine_compute_each_sample_once() {
        let (mut scheduler, count) = counting();
        let job = job(seahorses("0.1"), 500);
        let (pass, stats) = settled(&mut scheduler, job.clone(), wish("naive"));
        assert_eq!(count.load(Ordering::SeqCst), ALL);
        let field = fresh(&mut Naive, &job);
        assert_eq!(pass.samples().unwrap(), field);
        assert_eq!(stats.unwrap().steps, field.steps(500), "figures are those of the whole picture");
    }

    #[test]
    fn moved_pictures_compute_only_what_they_lack() {
        let home = seahorses("0.1");
        let [panned, shifted] = [home.panned([9.0, -4.0]), home.panned([-30.0, 0.0])];
        let [inner, outer] = [home.zoomed(2.0, [33.2, 40.9]), home.zoomed(0.5, [33.2, 40.9])];
        // (view, cap, most samples computed)
        for (viewport, cap, most) in [
            (panned, 500, ALL - 88 * 61),
            (shifted, 500, 30 * 65),
            (inner.clone(), 500, ALL - 48 * 32),
            (outer, 500, ALL - 48 * 32),
            (home.clone(), 500, 0),
            // A lower cap only makes more of them inside; a higher one asks again for those that did not escape.
            (home.panned([1.0, 0.0]), 400, 65),
            (home.panned([1.0, 0.0]), 600, ALL),
            (inner.clone(), 600, ALL),
            (home.zoomed(1.5, [3.0, 3.0]), 500, ALL),
        ] {
            let (mut scheduler, count) = counting();
            settled(&mut scheduler, job(home.clone(), 500), wish("naive"));
            let before = count.swap(0, Ordering::SeqCst);
            assert_eq!(before, ALL);
            let job = job(viewport, cap);
            let (pass, _) = settled(&mut scheduler, job.clone(), wish("naive"));
            let computed = count.load(Ordering::SeqCst);
            assert!(computed <= most, "{computed} samples, at most {most} are lacking: {:?}", job.viewport);
            assert_eq!(pass.samples().unwrap(), fresh(&mut Naive, &job), "{:?}", job.viewport);
        }
    }

    #[test]
    fn nothing_is_kept_where_it_might_differ() {
        let home = seahorses("0.1");
        let (mut scheduler, count) = counting();
        settled(&mut scheduler, job(home.clone(), 500), wish("naive"));
        let other = Job { channels: Channels::default(), ..job(home.clone(), 500) };
        for (job, wish) in [(job(home, 500), Wish { redraws: 1, ..wish("naive") }), (other, wish("naive"))] {
            count.store(0, Ordering::SeqCst);
            settled(&mut scheduler, job, wish);
            assert_eq!(count.load(Ordering::SeqCst), ALL);
        }
    }

    #[test]
    fn every_engine_that_is_woven_together_draws_what_it_draws_at_once() {
        let gpu = Gpu::headless().map_err(|e| e.to_string());
        let machine = Machine { gpu, ..Machine::without_gpu(2).unwrap() };
        for key in ["symmetric", "simd", "threads", "tiles", "gpu", "perturbation"] {
            let engines = Engines { engines: all(&machine), hardware_gpu: false, takes_device_fields: true };
            let mut scheduler = Scheduler::start(engines, Arc::new(|| {})).unwrap();
            let mut alone = all(&machine).into_iter().find(|engine| engine.key() == key).unwrap();
            let start = seahorses(if key == "perturbation" { "1e-6" } else { "0.1" });
            if alone.supports(&job(start.clone(), 500)).is_err() {
                continue;
            }
            let mut view = start.clone();
            for next in [start.panned([9.0, -4.0]), start.zoomed(2.0, [5.0, 60.0]), start.zoomed(0.5, [50.0, 0.0])] {
                for viewport in [std::mem::replace(&mut view, start.clone()), next] {
                    let job = job(viewport, 500);
                    let (pass, _) = settled(&mut scheduler, job.clone(), wish(key));
                    assert_eq!(pass.engine, key);
                    assert_eq!(pass.samples().unwrap(), fresh(alone.as_mut(), &job), "{key}: {:?}", job.viewport);
                }
            }
        }
    }
}
