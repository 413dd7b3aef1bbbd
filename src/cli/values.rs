//! Values of options: read from their text, and refused with what would do.

use std::ffi::OsString;
use std::path::PathBuf;

use cardioid::app::Location;
use cardioid::app::location::parse_point;
use cardioid::fractal::map::DiagramBox;
use cardioid::math::{BigComplex, Decimal};
use cardioid::render::{EscapeTime, MOST_PIXELS};

/// Opposite corners of a box.
#[derive(Clone, Debug)]
pub struct Corners {
    pub low: BigComplex,
    pub high: BigComplex,
}

impl Corners {
    pub fn of(home: &DiagramBox) -> Self {
        let [low, high] = home.corners();
        Self { low, high }
    }
}

/// Puts a blank before bare points such as `-0.75+0.1i`, so that their minus does not look like a flag's.
///
/// Numbers of options are left alone: those options take a minus sign, and values are trimmed anyway.
pub fn with_bare_points(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let is_point = |text: &str| {
        let begins = |rest: &str| {
            rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || ["i", "I", "j", "J"].contains(&rest)
        };
        text.strip_prefix('-').is_some_and(begins) && text.chars().all(|c| "0123456789.,;eEiIjJ+-* ".contains(c))
    };
    let mut after_option = false;
    let mut blanked = |arg: OsString| {
        let Some(text) = arg.to_str() else { return arg };
        let bare = !after_option && is_point(text);
        after_option = text.starts_with("--")
            && !text.contains('=')
            && !["--force", "--ghost", "--json", "--misiurewicz", "--no-fan", "--stretch"].contains(&text);
        if bare { format!(" {text}").into() } else { arg }
    };
    args.map(&mut blanked).collect()
}

/// Name of a file to write. It may begin with one minus; with two it is an option whose file was forgotten.
pub fn file(text: OsString) -> Result<PathBuf, String> {
    if text.to_string_lossy().starts_with("--") {
        return Err("a file is wanted here, not an option; write ./--name for a file of such a name".into());
    }
    Ok(text.into())
}

pub fn point(text: &str) -> Result<BigComplex, String> {
    let point = parse_point(text).map_err(|e| format!("{e}; a centre is RE,IM such as -0.75,0.1"))?;
    [&point.re, &point.im].into_iter().try_for_each(within_sight)?;
    Ok(point)
}

pub fn height(text: &str) -> Result<Decimal, String> {
    let height = text.parse::<Decimal>().map_err(|e| e.to_string())?;
    if !height.is_positive() {
        return Err("a view needs a height above 0, such as 2.5".into());
    }
    within_sight(&height)?;
    Ok(height)
}

pub fn corners(text: &str) -> Result<Corners, String> {
    let edges = text.split(',').map(|part| part.parse::<Decimal>().map_err(|e| e.to_string()));
    let edges = edges.collect::<Result<Vec<_>, _>>()?;
    edges.iter().try_for_each(within_sight)?;
    let Ok([xmin, xmax, ymin, ymax]) = <[Decimal; 4]>::try_from(edges) else {
        return Err("a box is XMIN,XMAX,YMIN,YMAX, four numbers".into());
    };
    if xmin >= xmax || ymin >= ymax {
        return Err("a box needs XMIN below XMAX and YMIN below YMAX".into());
    }
    Ok(Corners { low: BigComplex::new(xmin, ymin), high: BigComplex::new(xmax, ymax) })
}

fn within_sight(number: &Decimal) -> Result<(), String> {
    let most: Decimal = Location::MOST_EXTENT.parse().expect("a number");
    let within = *number <= most && *number >= -&most;
    within.then_some(()).ok_or_else(|| format!("numbers of the plane lie within ±{most} here"))
}

pub fn size(text: &str) -> Result<[u32; 2], String> {
    let wanted = || format!("a size is WIDTHxHEIGHT, each from 1 to {MOST_PIXELS}, such as 1920x1080");
    let (width, height) = text.trim().split_once(['x', 'X', '×']).ok_or_else(wanted)?;
    let side = |text: &str| text.parse().ok().filter(|side| (1..=MOST_PIXELS).contains(side)).ok_or_else(wanted);
    Ok([side(width)?, side(height)?])
}

/// A whole number from 1 to `MOST`; `2e6` will do too.
pub fn whole<const MOST: u32>(text: &str) -> Result<u32, String> {
    whole_from(1, MOST, text)
}

/// A whole number from `least` to `most`.
pub fn whole_from(least: u32, most: u32, text: &str) -> Result<u32, String> {
    let wanted = || format!("a whole number from {least} to {most} is wanted");
    let value = text.parse::<Decimal>().map_err(|e| format!("{e}; {}", wanted()))?;
    value.to_u32().filter(|value| (least..=most).contains(value)).ok_or_else(wanted)
}

pub fn bailout(text: &str) -> Result<f64, String> {
    let (least, most) = (EscapeTime::LEAST_BAILOUT, EscapeTime::MOST_BAILOUT);
    let value = text.parse::<Decimal>().map_err(|e| e.to_string())?;
    if value < Decimal::from_f64(least) {
        return Err("a bailout radius is 2 or more: points that leave a smaller disc may come back".into());
    }
    if value > Decimal::from_f64(most) {
        return Err(format!("a bailout radius is at most {most:e}"));
    }
    Ok(value.to_f64())
}

/// A finite number within `±most`, at least `least`.
pub fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let value = text.parse::<Decimal>().map_err(|e| e.to_string())?.to_f64();
    let good = (least..=most).contains(&value);
    good.then_some(value).ok_or_else(|| format!("a number from {least} to {most} is wanted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_points_get_a_blank_and_nothing_else_does() {
        // (arguments, as clap sees them)
        for (given, expected) in [
            ("-0.75+0.1i", " -0.75+0.1i"),
            ("render -2 --out x.png", "render| -2|--out|x.png"),
            ("--center -0.75,0.1", "--center|-0.75,0.1"),
            ("--force -.5", "--force| -.5"),
            ("--out -5.png", "--out|-5.png"),
            ("render -i", "render| -i"),
            ("render -0.75-1e-3j", "render| -0.75-1e-3j"),
            ("-in --center -i", "-in|--center|-i"),
            ("-x --nonsense", "-x|--nonsense"),
        ] {
            let args = given.split(' ').map(OsString::from);
            let seen: Vec<_> = with_bare_points(args).into_iter().map(|a| a.into_string().unwrap()).collect();
            assert_eq!(seen.join("|"), expected, "{given}");
        }
    }
}
