//! The part of the plane that is searched.

use crate::math::{BigComplex, ComplexExp, Decimal, FloatExp};

/// A rectangle of any size, turned any way.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    center: BigComplex,
    /// From the centre to the middle of the right edge, and of the upper one.
    half_axes: [ComplexExp; 2],
}

impl Region {
    /// About `center`; the half axes are perpendicular to each other, and neither is 0.
    pub fn new(center: BigComplex, half_axes: [ComplexExp; 2]) -> Self {
        debug_assert!(!half_axes.contains(&ComplexExp::ZERO));
        Self { center, half_axes }
    }

    pub fn center(&self) -> &BigComplex {
        &self.center
    }

    /// From the centre to a corner.
    pub fn radius(&self) -> FloatExp {
        let [right, up] = self.half_axes;
        right.add(up).norm()
    }

    /// The point at `x` half widths to the right of the centre and `y` half heights above it, from the centre.
    pub fn offset(&self, [x, y]: [f64; 2]) -> ComplexExp {
        let [right, up] = self.half_axes;
        right.scaled(x.into()).add(up.scaled(y.into()))
    }

    /// The four quarters of the region.
    pub fn quarters(&self) -> [Self; 4] {
        [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]].map(|at| {
            let [dx, dy] = self.offset(at).parts().map(Decimal::from_float_exp);
            let center = BigComplex::new(&self.center.re + &dx, &self.center.im + &dy);
            Self::new(center, self.half_axes.map(|axis| axis.scaled(0.5.into())))
        })
    }

    /// Points round the edge, anticlockwise, from the centre: `4 · per_side` of them.
    pub fn edge(&self, per_side: u32) -> Vec<ComplexExp> {
        let along = |i: u32| 2.0 * f64::from(i) / f64::from(per_side) - 1.0;
        let side = |of: fn(f64) -> [f64; 2]| (0..per_side).map(move |i| self.offset(of(along(i))));
        let (bottom, right) = (side(|t| [t, -1.0]), side(|t| [1.0, t]));
        bottom.chain(right).chain(side(|t| [-t, 1.0])).chain(side(|t| [-1.0, -t])).collect()
    }

    /// Whether the point at `offset` from the centre lies within.
    pub fn contains(&self, offset: ComplexExp) -> bool {
        self.half_axes.iter().all(|axis| offset.div(*axis).parts()[0].abs() <= FloatExp::from(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Complex;

    #[test]
    fn regions_are_turned_rectangles() {
        let turned = |re, im| ComplexExp::new(Complex::new(re, im), -5000);
        // 4 wide and 2 high, turned by the angle of 3 + 4i.
        let region = Region::new(BigComplex::new(0.into(), 0.into()), [turned(1.2, 1.6), turned(-0.8, 0.6)]);
        assert!((region.radius().div(FloatExp::new(1.0, -5000)).to_f64() - 5f64.sqrt()).abs() < 1e-12);
        for ([x, y], within) in [([0.9, 0.9], true), ([-0.9, 0.9], true), ([1.1, 0.0], false), ([0.0, -1.1], false)] {
            assert_eq!(region.contains(region.offset([x, y])), within, "{x}, {y}");
        }
        for (quarter, x) in region.quarters().iter().zip([-1.0, 1.0, -1.0, 1.0]) {
            let to_middle = ComplexExp::from_parts(quarter.center.re.to_float_exp(), quarter.center.im.to_float_exp());
            assert!(region.contains(to_middle) && !quarter.contains(region.offset([-0.1 * x, 0.0]).sub(to_middle)));
            assert_eq!(quarter.radius(), region.radius().mul(0.5.into()));
        }
        let edge = region.edge(4);
        assert_eq!(edge.len(), 16);
        let turns = |a: ComplexExp, b: ComplexExp| b.div(a).to_complex();
        assert!((0..16).all(|i| turns(edge[i], edge[(i + 1) % 16]).im > 0.0), "anticlockwise");
        assert!(edge.iter().all(|&p| !region.contains(p.scaled(1.001.into()))));
    }
}
