//! `cardioid locate`: the minibrot in a view, or the centre of its spiral, to the digits that looking at it needs.

use cardioid::app::location::Frame;
use cardioid::app::{Found, Landmark, Location};
use cardioid::fractal::FormulaId;
use cardioid::fractal::locate::{MOST_STEPS, NotFound, Watch};
use cardioid::math::{BigComplex, Decimal, FloatExp};
use cardioid::render::Viewport;
use cardioid::view::Mandelbrot;
use serde_json::{Value, json};

use super::plan::{DEFAULT_SIZE, cancelled_by_ctrl_c};
use super::progress::Spinner;
use super::{Failure, print, say, values};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A minibrot is told by its nucleus, whose orbit comes back to 0 after the period: the lowest period in view is found.
Its size is that of the whole set scaled down, and its rotation stands it upright. With --misiurewicz the centre of a
spiral is found, or a tip: its orbit ends on a repelling cycle, and about it the picture repeats itself.

What is printed can be given to render: --center, --height, --rotation. Sizes may be far below what f64 holds, so
--json gives them as text. docs/deep.md names the fields.")]
pub struct Args {
    /// A location file (.toml), a PNG that Cardioid wrote, a named place, or a point like -0.75+0.1i
    #[arg(default_value = "home")]
    location: String,
    /// Centre of the view to look in [default: the location's; -0.75,0 at home]
    #[arg(long, value_name = "RE,IM", value_parser = values::point, allow_hyphen_values = true)]
    center: Option<BigComplex>,
    /// Height of the view in plane units [default: the location's; 2.5 at home]
    #[arg(long, value_name = "H", value_parser = values::height, allow_hyphen_values = true)]
    height: Option<Decimal>,
    /// Find a Misiurewicz point: the centre of a spiral, or a tip
    #[arg(long)]
    misiurewicz: bool,
    /// Longest orbit to follow
    #[arg(long, value_name = "N", default_value_t = MOST_STEPS, value_parser = values::whole::<{ i32::MAX as u32 }>,
        allow_hyphen_values = true)]
    max_steps: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let viewport = args.viewport()?;
    let landmark = if args.misiurewicz { Landmark::Spiral } else { Landmark::Minibrot };
    let latest = cancelled_by_ctrl_c();
    let spinner = Spinner::new();
    let watch = Watch { goes_on: &|| !latest.is_stale(), tell: &|progress| spinner.say(progress) };
    let found = landmark.find(&viewport, None, args.max_steps, watch);
    drop(spinner);
    let found = found.map_err(|why| not_found(landmark, &viewport, why))?;
    if args.json {
        return print(format_args!("{:#}", as_json(&found, &viewport)));
    }
    as_text(&found, &viewport).iter().try_for_each(print)
}

impl Args {
    /// The view to look in.
    fn viewport(&self) -> Result<Viewport, Failure> {
        let opened = Location::open(&self.location)?;
        if opened.view != Mandelbrot::KEY || opened.formula != FormulaId::Quadratic {
            return Err(Failure::asked_wrongly(
                "minibrots and spirals are found in the Mandelbrot set of z^2 + c alone; name a place in it, or give \
                 --center and --height",
            ));
        }
        opened.warnings().iter().for_each(|warning| say(format_args!("cardioid: {warning}")));
        let size = opened.size.unwrap_or(DEFAULT_SIZE);
        if self.center.is_none() && self.height.is_none() {
            return Ok(opened.viewport(size)?);
        }
        let shown = opened.viewport(size)?;
        let center = self.center.clone().unwrap_or_else(|| shown.center().clone());
        let height = self.height.clone().unwrap_or_else(|| shown.height().clone());
        Ok(Location { frame: Frame::Height { center, height }, ..opened }.viewport(size)?)
    }
}

fn not_found(landmark: Landmark, viewport: &Viewport, why: NotFound) -> Failure {
    match why {
        NotFound::Cancelled => Failure::could_not("interrupted; nothing was found yet"),
        why => {
            let height = viewport.height().to_float_exp();
            Failure::could_not(format_args!("no {} in this view of height {height}: {why}", landmark.name()))
        }
    }
}

/// What to look at, in the words of `render`'s options.
fn place(found: &Found, viewport: &Viewport) -> [Decimal; 3] {
    let BigComplex { re, im } = found.center().clone();
    [re, im, found.height().unwrap_or_else(|| viewport.height().clone())]
}

/// Six digits at any exponent.
fn figure(x: FloatExp) -> String {
    format!("{x:.5}")
}

/// An angle to a thousandth of a degree, and no negative zero.
fn degrees(angle: f64) -> f64 {
    (angle * 1e3).round() / 1e3 + 0.0
}

fn as_json(found: &Found, viewport: &Viewport) -> Value {
    let [re, im, height] = place(found, viewport).map(|number| number.to_string());
    let mut all = json!({ "center": [re, im], "height": height });
    let told = match found {
        Found::Minibrot(nucleus) => json!({
            "kind": "minibrot",
            "period": nucleus.period,
            "rotation": degrees(nucleus.orientation_degrees()),
            "size": figure(nucleus.size.norm()),
            "atom_domain": nucleus.atom_domain.map(figure),
        }),
        Found::Spiral(point) => json!({
            "kind": "misiurewicz",
            "preperiod": point.preperiod,
            "period": point.period,
            "scale": figure(point.scale()),
            "turn_degrees": degrees(point.turn_degrees()),
        }),
    };
    if let (Some(all), Value::Object(told)) = (all.as_object_mut(), told) {
        all.extend(told);
    }
    all
}

fn as_text(found: &Found, viewport: &Viewport) -> Vec<String> {
    let [re, im, height] = place(found, viewport);
    let mut lines = match found {
        Found::Minibrot(nucleus) => {
            let mut lines = vec![format!("minibrot     period {}", nucleus.period)];
            lines.push(format!("size         {}", figure(nucleus.size.norm())));
            lines.extend(nucleus.atom_domain.map(|domain| format!("atom domain  {}", figure(domain))));
            lines
        }
        Found::Spiral(point) => vec![
            format!("spiral       preperiod {}, period {}", point.preperiod, point.period),
            format!("repeats      {} times as large", figure(point.scale())),
            format!("turning by   {} degrees", degrees(point.turn_degrees())),
        ],
    };
    lines.push(format!("--center     {re},{im}"));
    lines.push(format!("--height     {height}"));
    if let Found::Minibrot(nucleus) = found {
        lines.push(format!("--rotation   {}", degrees(nucleus.orientation_degrees())));
    }
    lines
}
