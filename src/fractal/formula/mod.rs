//! The maps that are iterated. One file a formula; one line in `formulas!` makes it known everywhere.

mod burning_ship;
mod deltas;
mod powers;
mod quadratic;
mod tricorn;

pub use burning_ship::BurningShip;
pub use deltas::Followed;
pub use powers::{Cubic, Quartic, Quintic, Sextic};
pub use quadratic::Quadratic;
pub use tricorn::Tricorn;

use crate::math::{Complex, Real};

/// A map z ↦ f(z, c) of the plane, with c as its parameter and 0 as its critical point.
pub trait Formula: Copy + Send + Sync + 'static {
    /// Name in files and on the command line.
    const KEY: &'static str;
    /// The map as people write it.
    const NAME: &'static str;
    /// Degree d: |f(z)| grows like |z|^d.
    const DEGREE: f64;
    /// True where f(z̄, c̄) is the conjugate of f(z, c), rounding included: the set mirrors about the real axis.
    const CONJUGATE_SYMMETRIC: bool;
    /// True where the main cardioid and the period-2 disc of z² + c are this set's too.
    const QUADRATIC_BULBS: bool;
    /// `fn step(z: vec2f, c: vec2f) -> vec2f`: the same map for shaders.
    const WGSL: &'static str;
    /// Centre and height of the view that shows the whole set, as text.
    const HOME: ([&'static str; 2], &'static str);

    /// One step, in scalars or vectors, each operation rounded once and in this order.
    fn step<R: Real>(z: Complex<R>, c: Complex<R>) -> Complex<R>;

    /// The differential of a step at `z`, applied to `d`: as z moves by a small `d`, its image moves by that much.
    ///
    /// Linear over the real numbers, and over the complex ones where the map has a complex derivative.
    fn differential(z: Complex, d: Complex) -> Complex;
}

/// Code that works for any formula, compiled once for each.
pub trait FormulaVisitor {
    type Output;
    fn visit<F: Formula>(self) -> Self::Output;
}

/// The same for formulas that can be followed to any depth.
pub trait FollowedVisitor {
    type Output;
    fn visit<F: Followed>(self) -> Self::Output;
}

macro_rules! formulas {
    ($($name:ident: $reach:ident),* $(,)?) => {
        /// A formula chosen at run time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FormulaId {
            $($name),*
        }

        impl FormulaId {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Hands the formula's type to generic code: once a tile, never once a pixel.
            pub fn visit<V: FormulaVisitor>(self, visitor: V) -> V::Output {
                match self {
                    $(Self::$name => visitor.visit::<$name>()),*
                }
            }

            /// The same where it can be followed to any depth; none where it cannot.
            pub fn visit_followed<V: FollowedVisitor>(self, visitor: V) -> Option<V::Output> {
                match self {
                    $(Self::$name => reach!($reach, visitor.visit::<$name>())),*
                }
            }

            pub fn key(self) -> &'static str {
                match self { $(Self::$name => $name::KEY),* }
            }

            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $name::NAME),* }
            }

            pub fn degree(self) -> f64 {
                match self { $(Self::$name => $name::DEGREE),* }
            }

            pub fn wgsl(self) -> &'static str {
                match self { $(Self::$name => $name::WGSL),* }
            }

            pub fn home(self) -> ([&'static str; 2], &'static str) {
                match self { $(Self::$name => $name::HOME),* }
            }

            pub fn from_key(key: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|f| f.key() == key)
            }
        }
    };
}

/// What becomes of a visit where a formula is `deep`, for it says how it is followed, and where it is `shallow`.
macro_rules! reach {
    (deep, $visit:expr) => {
        Some($visit)
    };
    (shallow, $visit:expr) => {
        None
    };
}

formulas! {
    Quadratic: deep,
    Cubic: deep,
    Quartic: deep,
    Quintic: deep,
    Sextic: deep,
    BurningShip: deep,
    Tricorn: deep,
}

impl FormulaId {
    /// Whether its views may be of any depth.
    pub fn is_followed(self) -> bool {
        struct Nothing;
        impl FollowedVisitor for Nothing {
            type Output = ();
            fn visit<F: Followed>(self) {}
        }
        self.visit_followed(Nothing).is_some()
    }
}

#[cfg(test)]
mod tests;
