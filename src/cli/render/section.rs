//! `cardioid render --view bifurcation-complex`: panels of the complex bifurcation diagram.

use cardioid::app::export::{Panels, Stack};
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::render::{Fan, OrbitDensity, Ordinate, Section, Task};
use cardioid::view::ComplexBifurcation;

use super::Args;
use super::diagram;
use crate::cli::Failure;
use crate::cli::plan::Content;
use crate::cli::values::Corners;

pub const KEY: &str = ComplexBifurcation::KEY;
const DEFAULT: f64 = 0.1;

/// The panels that are asked for: Re z above Im z, or one of them.
pub fn panels(args: &Args, content: Content) -> Result<Panels, Failure> {
    let ordinates: &[Ordinate] = match args.ordinate.as_deref() {
        Some("re") => &[Ordinate::Re],
        Some("im") => &[Ordinate::Im],
        _ => &Ordinate::ALL,
    };
    let [width, height] = diagram::size(args);
    let Stack { rows, gap } = stack(height, ordinates.len() as u32, content)?;
    let size = [width, rows];
    let corners = args.corners.clone().unwrap_or_else(|| Corners::of(&Section::HOME));
    let jobs = ordinates.iter().map(|&ordinate| diagram::job(args, task(args, ordinate)?, &corners, size));
    Ok(Panels { jobs: jobs.collect::<Result<_, _>>()?, gap })
}

/// Rows of the panels: in pictures a thin line parts them, and nothing does between counts.
fn stack(height: u32, panels: u32, content: Content) -> Result<Stack, Failure> {
    match content {
        Content::Picture | Content::Part(..) => Ok(Stack::of(height, panels)?),
        Content::Numbers(_) if height.is_multiple_of(panels) => Ok(Stack { rows: height / panels, gap: 0 }),
        Content::Numbers(_) => Err(Failure::asked_wrongly(format_args!(
            "two panels do not fit into {height} rows; choose an even height, or one panel (--ordinate re or im)"
        ))),
    }
}

fn task(args: &Args, ordinate: Ordinate) -> Result<Task, Failure> {
    let s = args.section.unwrap_or(DEFAULT);
    let is_draft = args.quality.as_deref() == Some("draft");
    let (orbits, kept) = (0..diagram::orbits(args), diagram::kept(args)?);
    if s == 0.0 && ordinate == Ordinate::Re {
        // The real diagram, which has chaos to show.
        let effort = if is_draft { Effort::MOVING } else { Effort::STILL };
        return Ok(Task::OrbitDensity(OrbitDensity { map: MapId::Quadratic, orbits, kept, effort }));
    }
    let fan = Fan { skip: args.skip.unwrap_or(Fan::DEFAULT.skip), ..Fan::DEFAULT };
    let effort = if is_draft { Section::MOVING } else { Section::STILL };
    Ok(Task::Section(Section { s, ordinate, orbits, kept, effort, fan: (!args.no_fan).then_some(fan) }))
}
