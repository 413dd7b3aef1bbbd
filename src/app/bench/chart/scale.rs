//! The logarithmic axis: where a time lies, and which times have a line of their own.

use crate::app::bench::table::figure;

/// Milliseconds on a line from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// From below the shortest time, so that its bar can be seen, to the longest.
    pub fn over(millis: impl Iterator<Item = f64>) -> Option<Self> {
        let ends = |(low, high): (f64, f64), time: f64| (low.min(time), high.max(time));
        let (low, high) = millis.fold((f64::INFINITY, 0.0), ends);
        (low > 0.0 && low.is_finite()).then(|| Self { low: low / 3.0, high: high.max(low * 3.0) })
    }

    /// The place of a time.
    pub fn place(&self, millis: f64) -> f64 {
        ((millis / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0)
    }

    /// Powers of ten within the scale, sparse enough for their labels.
    pub fn ticks(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        let every = if last - first > 4 { 2 } else { 1 };
        (first..=last).filter(|power| power.rem_euclid(every) == 0).map(|power| 10f64.powi(power)).collect()
    }
}

/// A time in the unit that suits it.
pub fn time_text(millis: f64) -> String {
    match millis {
        ..0.1 => format!("{} µs", figure(millis * 1e3)),
        1000.0.. => format!("{} s", figure(millis / 1e3)),
        _ => format!("{} ms", figure(millis)),
    }
}

/// A power of ten, without needless digits.
pub fn tick_text(millis: f64) -> String {
    match millis {
        ..0.99 => format!("{:.0} µs", millis * 1e3),
        999.0.. => format!("{:.0} s", millis / 1e3),
        _ => format!("{millis:.0} ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_lie_in_order_and_ticks_are_powers_of_ten() {
        let scale = Scale::over([0.5, 20.0, 3000.0].into_iter()).unwrap();
        assert_eq!(scale.place(3000.0), 1.0);
        assert!(scale.place(0.5) > 0.05 && scale.place(0.5) < scale.place(20.0));
        assert_eq!(scale.ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(Scale::over(std::iter::empty()), None);
        assert!(Scale::over([2.0].into_iter()).unwrap().place(2.0) > 0.2);
    }

    #[test]
    fn times_have_their_unit() {
        for (millis, time, tick) in [(0.01, "10.0 µs", "10 µs"), (1.0, "1.00 ms", "1 ms"), (1e4, "10.0 s", "10 s")] {
            assert_eq!((time_text(millis).as_str(), tick_text(millis).as_str()), (time, tick));
        }
    }
}
