//! What engines rely on, for every map there is.

use super::*;

fn for_every_map(visitor: impl MapVisitor<Output = ()> + Copy) {
    MapId::ALL.iter().for_each(|id| id.visit(visitor));
}

/// Parameters from end to end of a map's home.
fn parameters<const D: usize, M: Map<D>>() -> impl Iterator<Item = f64> {
    let [least, most] = M::HOME.parameter;
    (0..=400).map(move |i| least + (most - least) * f64::from(i) / 400.0)
}

#[test]
fn tangents_are_derivatives() {
    #[derive(Clone, Copy)]
    struct Check;
    impl MapVisitor for Check {
        type Output = ();
        fn visit<const D: usize, M: Map<D>>(self) {
            for p in parameters::<D, M>().filter(|&p| M::fate(p) != Fate::Empty) {
                let x = M::step(M::start(0.3), p);
                for axis in 0..D {
                    let (mut left, mut right, mut unit) = (x, x, [0.0; D]);
                    (left[axis], right[axis], unit[axis]) = (left[axis] - 1e-6, right[axis] + 1e-6, 1.0);
                    let (left, right, tangent) = (M::step(left, p), M::step(right, p), M::tangent(x, p, unit));
                    for i in 0..D {
                        let slope = (right[i] - left[i]) / 2e-6;
                        assert!((tangent[i] - slope).abs() < 1e-7, "{}, {p}: {} for {slope}", M::KEY, tangent[i]);
                    }
                }
            }
        }
    }
    for_every_map(Check);
    assert_eq!([0.25, 0.5, 0.75].map(|x| Tent::tangent([x], 1.5, [1.0])), [[1.5], [1.5], [-1.5]], "at the corner");
}

#[test]
fn orbits_stay_in_their_range() {
    #[derive(Clone, Copy)]
    struct Check;
    impl MapVisitor for Check {
        type Output = ();
        fn visit<const D: usize, M: Map<D>>(self) {
            for p in parameters::<D, M>().filter(|&p| M::fate(p) == Fate::Bounded) {
                let [least, most] = M::range(p);
                let mut x = M::start(M::SEED);
                for n in 0..5000 {
                    x = M::step(x, p);
                    // A rounding beyond the edge is no escape; only x² + c has none.
                    let slack = if M::KEY == "quadratic" { 0.0 } else { 1e-15 };
                    let is_in = (least - slack..=most + slack).contains(&x[0]);
                    assert!(is_in || n < 3000, "{}, {p}: {} after {n} steps", M::KEY, x[0]);
                    assert!(x[0].abs() <= M::ESCAPE_RADIUS, "{}, {p}: {}", M::KEY, x[0]);
                }
            }
        }
    }
    for_every_map(Check);
}

#[test]
fn tables_are_in_order() {
    for &id in MapId::ALL {
        assert_eq!(MapId::from_key(id.key()), Some(id));
        assert!(id.named().windows(2).all(|pair| pair[0].parameter < pair[1].parameter), "{}", id.key());
        let ([least, most], seed) = (id.seeds(), id.seed());
        assert!((least..=most).contains(&seed), "{}", id.key());
    }
}

#[test]
fn shaders_have_the_same_maps() {
    for &id in MapId::ALL {
        let text = format!("{}\n@compute @workgroup_size(1) fn main() {{}}", id.wgsl());
        let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
        let names: Vec<_> = module.functions.iter().filter_map(|(_, function)| function.name.as_deref()).collect();
        assert_eq!(names, ["map_step", "map_tangent", "map_range"], "{}", id.key());
    }
}
