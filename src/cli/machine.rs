//! The machine that a command runs on.

use cardioid::engine::Machine;
use cardioid::gpu::Gpu;

use super::Failure;

/// Threads used unless told otherwise: all that the system gives.
pub fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Threads of the window's engines: one core is the window's own, where there are more than two.
pub fn window_threads() -> usize {
    match all_threads() {
        threads @ 0..=2 => threads,
        threads => threads - 1,
    }
}

/// The engines' machine; a GPU is looked for only where it is asked for, so that files do not depend on it.
pub fn machine(threads: usize, gpu: bool) -> Result<Machine, Failure> {
    let refused = |e| Failure::could_not(format_args!("the system gives no {threads} threads ({e}); ask for fewer"));
    let machine = Machine::without_gpu(threads).map_err(refused)?;
    if !gpu {
        return Ok(machine);
    }
    Ok(Machine { gpu: Gpu::headless().map_err(|e| e.to_string()), ..machine })
}
