//! `cardioid orbit`: the orbit of 0 under z² + c, as a table, and what becomes of it.

use cardioid::fractal::orbit::{self, Inspection, OrbitPoint};
use cardioid::math::{BigComplex, Complex};
use serde_json::{Value, json};

use super::{Failure, print, values};

/// Most lines of a table.
const MOST_STEPS: u32 = 1_000_000;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The point c: RE,IM, or RE alone for a real one
    #[arg(value_name = "RE,IM", value_parser = values::point)]
    c: BigComplex,
    /// Lines of the table; the verdict looks as far as it must, whatever is listed
    #[arg(long, value_name = "N", default_value = "20", value_parser = values::whole::<MOST_STEPS>)]
    steps: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let c = args.c.to_f64();
    let points: Vec<OrbitPoint> = orbit::points(c).take(args.steps as usize).collect();
    let seen = orbit::inspect(c);
    if args.json {
        return print(format_args!("{:#}", as_json(&points, &seen)));
    }
    for line in table(&points, c.im == 0.0) {
        print(line)?;
    }
    print("")?;
    for line in words(&seen) {
        print(line)?;
    }
    Ok(())
}

fn as_json(points: &[OrbitPoint], seen: &Inspection) -> Value {
    let pair = |z: Complex| json!([z.re, z.im]);
    let steps: Vec<_> = points.iter().map(|p| json!({ "n": p.n, "z": pair(p.z), "abs": p.norm })).collect();
    let mut all = json!({ "c": pair(seen.c), "verdict": ascii(&seen.verdict.to_string()), "steps": steps });
    if let Some((cycle, points)) = seen.verdict.cycle() {
        all["period"] = json!(cycle.period);
        all["multiplier"] = pair(cycle.multiplier);
        all["cycle"] = points.iter().map(|&z| pair(z)).collect();
    }
    // JSON has no −∞, which is that of a cycle through 0.
    if let Some(lyapunov) = seen.lyapunov.filter(|l| l.is_finite()) {
        all["lyapunov"] = json!(lyapunov);
    }
    all
}

/// The table, its columns aligned at the decimal point; real orbits need no imaginary parts.
fn table(points: &[OrbitPoint], is_real: bool) -> Vec<String> {
    let column = |head: &str, of: &dyn Fn(&OrbitPoint) -> f64| aligned(head, points.iter().map(of));
    let counts = std::iter::once("n".to_owned()).chain(points.iter().map(|p| p.n.to_string())).collect::<Vec<_>>();
    let width = counts.iter().map(String::len).max().unwrap_or(1);
    let mut columns = vec![counts.iter().map(|n| format!("{n:>width$}")).collect()];
    if is_real {
        columns.push(column("z_n", &|p| p.z.re));
    } else {
        columns.push(column("Re z_n", &|p| p.z.re));
        columns.push(column("Im z_n", &|p| p.z.im));
    }
    columns.push(column("|z_n|", &|p| p.norm));
    let row = |i: usize| columns.iter().map(|c| c[i].as_str()).collect::<Vec<_>>().join("   ");
    (0..=points.len()).map(|i| row(i).trim_end().to_owned()).collect()
}

/// A heading and its numbers, all of one width, their decimal points below each other.
fn aligned(head: &str, numbers: impl Iterator<Item = f64>) -> Vec<String> {
    let texts: Vec<String> = numbers.map(figure).collect();
    let whole = |text: &str| text.find(['.', 'e']).unwrap_or(text.len());
    let before = texts.iter().map(|t| whole(t)).max().unwrap_or(0);
    let shifted = texts.iter().map(|t| format!("{:1$}{t}", "", before - whole(t)));
    let cells: Vec<String> = std::iter::once(format!("{:1$}{head}", "", before.min(1))).chain(shifted).collect();
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    cells.iter().map(|cell| format!("{cell:width$}")).collect()
}

/// Up to twelve decimals, and no zeros that say nothing.
fn figure(x: f64) -> String {
    if x != 0.0 && !(1e-9..1e9).contains(&x.abs()) {
        return format!("{x:.6e}");
    }
    let text = format!("{x:.12}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn words(seen: &Inspection) -> Vec<String> {
    let mut lines = vec![ascii(&seen.verdict.to_string())];
    if let Some((cycle, _)) = seen.verdict.cycle() {
        let Complex { re, im } = cycle.multiplier;
        let sign = if im < 0.0 { '-' } else { '+' };
        let multiplier = if im == 0.0 { figure(re) } else { format!("{} {sign} {}i", figure(re), figure(im.abs())) };
        lines.push(format!("period {}, multiplier {multiplier}, modulus {}", cycle.period, figure(re.hypot(im))));
    }
    if let Some(lyapunov) = seen.lyapunov {
        lines
            .push(format!("Lyapunov exponent {}", if lyapunov.is_finite() { figure(lyapunov) } else { "-inf".into() }));
    }
    lines
}

/// With the minus sign that other programs read.
fn ascii(text: &str) -> String {
    text.replace('−', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_aligned() {
        for (x, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-0.5, "-0.5"),
            (1.0 / 3.0, "0.333333333333"),
            (677.0, "677"),
            (1e-20, "1.000000e-20"),
            (-2.5e12, "-2.500000e12"),
        ] {
            assert_eq!(figure(x), expected);
        }
        let column = aligned("z", [0.25, -12.5, 3.0].into_iter());
        assert_eq!(column, [" z    ", "  0.25", "-12.5 ", "  3   "]);
    }
}
