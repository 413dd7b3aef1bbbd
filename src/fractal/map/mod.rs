//! The maps whose bifurcation diagrams are drawn. One file a map; one line in `maps!` makes it known everywhere.
//!
//! A map acts on a line or on a plane ([`Map<1>`](Map), [`Map<2>`](Map)) and has one parameter, the diagram's
//! abscissa; the ordinate is the first coordinate. Steps and their derivatives are written in single roundings, for
//! scalars and vectors alike, without the library's sine or exponential: so all machines see the same orbits.

mod gauss;
mod henon;
mod logistic;
mod quadratic;
mod sine;
mod tent;

pub use gauss::Gauss;
pub use henon::Henon;
pub use logistic::Logistic;
pub use quadratic::Quadratic;
pub use sine::Sine;
pub use tent::Tent;

use crate::math::{BigComplex, Binary64};

/// A family of maps of the line (`D` = 1) or the plane (`D` = 2) with one parameter.
pub trait Map<const D: usize>: Copy + Send + Sync + 'static {
    /// Name in files and on the command line.
    const KEY: &'static str;
    /// The map as people write it.
    const NAME: &'static str;
    /// The letter of the parameter.
    const PARAMETER: &'static str;
    /// The part of the diagram that shows all of it.
    const HOME: DiagramBox;
    /// First coordinate of the point that orbits start from, the others being 0: a critical point where one is
    /// drawn to every attractor.
    const SEED: f64;
    /// Where seeds may lie instead.
    const SEEDS: [f64; 2];
    /// An orbit whose first coordinate is farther out than this has escaped.
    const ESCAPE_RADIUS: f64;
    /// Parameters that have names, in rising order.
    const NAMED: &'static [Named];
    /// Parameters where there may be something to draw: elsewhere orbits escape, or the map is not defined.
    const PARAMETERS: [f64; 2];
    /// Whether orbits stay in the map's range at all of these, rounding included.
    const BOUNDED: bool;
    /// `fn map_step(x: vec2f, p: f32) -> vec2f`, `fn map_tangent(x: vec2f, p: f32, v: vec2f) -> vec2f` and
    /// `fn map_range(p: f32) -> vec2f`: the same for shaders, where the line is y = 0.
    const WGSL: &'static str;

    /// One step.
    fn step<R: Binary64>(x: [R; D], parameter: R) -> [R; D];

    /// The derivative of a step at `x`, applied to `v`; from the left where the map has a corner.
    fn tangent<R: Binary64>(x: [R; D], parameter: R, v: [R; D]) -> [R; D];

    /// What is known of the orbits at a parameter beforehand.
    fn fate(parameter: f64) -> Fate {
        let [least, most] = Self::PARAMETERS;
        match (least..=most).contains(&parameter) {
            true if Self::BOUNDED => Fate::Bounded,
            true => Fate::Unknown,
            false => Fate::Empty,
        }
    }

    /// An interval of the ordinate that orbits from [`Self::SEED`] come to and never leave, at a parameter where they
    /// are bounded.
    fn range(_parameter: f64) -> [f64; 2] {
        Self::HOME.ordinate
    }

    /// The point where orbits start.
    #[inline(always)]
    fn start<R: Binary64>(seed: R) -> [R; D] {
        let mut x = [seed.same(0.0); D];
        x[0] = seed;
        x
    }
}

/// A part of a diagram: least and largest parameter, least and largest ordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagramBox {
    pub parameter: [f64; 2],
    pub ordinate: [f64; 2],
}

impl DiagramBox {
    /// The lower left and the upper right corner, as they are written and not as f64 has them.
    pub fn corners(&self) -> [BigComplex; 2] {
        let exact = |value: f64| value.to_string().parse().expect("the box is of numbers");
        [0, 1].map(|i| BigComplex::new(exact(self.parameter[i]), exact(self.ordinate[i])))
    }
}

/// A parameter with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Named {
    pub parameter: f64,
    pub label: &'static str,
}

/// What is known of orbits without iterating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They stay in the map's range, rounding included: no test is needed.
    Bounded,
    /// There is nothing to draw: they escape, or the map is not defined there.
    Empty,
    /// Only iterating tells.
    Unknown,
}

const fn named(parameter: f64, label: &'static str) -> Named {
    Named { parameter, label }
}

/// Code that works for any map, compiled once for each.
pub trait MapVisitor {
    type Output;
    fn visit<const D: usize, M: Map<D>>(self) -> Self::Output;
}

macro_rules! maps {
    ($($name:ident: $map:ty),* $(,)?) => {
        /// A map chosen at run time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum MapId {
            $($name),*
        }

        impl MapId {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Hands the map's type to generic code: once a strip, never once a step.
            pub fn visit<V: MapVisitor>(self, visitor: V) -> V::Output {
                match self {
                    $(Self::$name => visitor.visit::<_, $map>()),*
                }
            }

            pub fn key(self) -> &'static str {
                match self { $(Self::$name => <$map>::KEY),* }
            }

            pub fn name(self) -> &'static str {
                match self { $(Self::$name => <$map>::NAME),* }
            }

            pub fn parameter(self) -> &'static str {
                match self { $(Self::$name => <$map>::PARAMETER),* }
            }

            pub fn home(self) -> DiagramBox {
                match self { $(Self::$name => <$map>::HOME),* }
            }

            pub fn seed(self) -> f64 {
                match self { $(Self::$name => <$map>::SEED),* }
            }

            pub fn seeds(self) -> [f64; 2] {
                match self { $(Self::$name => <$map>::SEEDS),* }
            }

            pub fn named(self) -> &'static [Named] {
                match self { $(Self::$name => <$map>::NAMED),* }
            }

            pub fn parameters(self) -> [f64; 2] {
                match self { $(Self::$name => <$map>::PARAMETERS),* }
            }

            pub fn escape_radius(self) -> f64 {
                match self { $(Self::$name => <$map>::ESCAPE_RADIUS),* }
            }

            pub fn wgsl(self) -> &'static str {
                match self { $(Self::$name => <$map>::WGSL),* }
            }

            pub fn fate(self, parameter: f64) -> Fate {
                match self { $(Self::$name => <$map>::fate(parameter)),* }
            }

            pub fn range(self, parameter: f64) -> [f64; 2] {
                match self { $(Self::$name => <$map>::range(parameter)),* }
            }

            pub fn from_key(key: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|map| map.key() == key)
            }
        }
    };
}

maps! {
    Quadratic: Quadratic,
    Logistic: Logistic,
    Sine: Sine,
    Tent: Tent,
    Gauss: Gauss<62>,
    GaussNarrow: Gauss<49>,
    Henon: Henon,
}

#[cfg(test)]
mod tests;
