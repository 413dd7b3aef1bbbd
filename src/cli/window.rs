//! The window, or, where there is none to be had, a picture instead.

use std::path::Path;

use cardioid::app::Location;
use cardioid::app::export::unused_name;
use cardioid::fractal::FormulaId;
use cardioid::ui::{self, WindowError};

use super::machine::window_threads;
use super::plan::Plan;
use super::{Failure, say};

/// Opens the window at a location; without a display the same view becomes `cardioid.png`.
pub fn open(argument: Option<&str>) -> Result<(), Failure> {
    let location = argument.map(Location::open).transpose()?;
    location.iter().flat_map(Location::warnings).for_each(|warning| say(format_args!("cardioid: {warning}")));
    match ui::run(location.clone(), window_threads()) {
        Ok(()) => Ok(()),
        Err(WindowError::NoDisplay(reason)) => without_display(location, &reason),
        Err(error) => Err(Failure::could_not(error)),
    }
}

fn without_display(location: Option<Location>, reason: &str) -> Result<(), Failure> {
    let what = if location.is_some() { "that view" } else { "the home view" };
    let location = location.unwrap_or_else(|| Location::home(FormulaId::Quadratic));
    let path = unused_name(Path::new("cardioid.png"));
    let undrawn = |failure: Failure| Failure {
        message: format!("no display here ({reason}), and no picture in its place: {}", failure.message),
        ..failure
    };
    Plan::picture(location, &path).draw().map_err(undrawn)?;
    say(format_args!(
        "no display here ({reason}): wrote {what} to {} instead; run `cardioid` in a desktop session (or over `ssh -X`) \
         to open the window",
        path.display()
    ));
    Ok(())
}
