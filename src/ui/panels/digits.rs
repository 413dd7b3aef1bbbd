//! Numbers as people read them in a table: three digits, in a width that does not change.

/// Three significant digits in at most five characters: `0.012`, `1.23`, `12.3`, `123`, `12300`.
pub fn three(value: f64) -> String {
    // Bounds are where rounding to the digits of a row would carry into the next one.
    match value.abs() {
        v if !v.is_finite() => "–".into(),
        v if v < 0.9995 => format!("{value:.3}"),
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        v if v < 999.5 => format!("{value:.0}"),
        v if v < 99_950.0 => {
            let unit = 10f64.powf(v.log10().floor() - 2.0);
            format!("{:.0}", (value / unit).round() * unit)
        }
        _ => format!("{value:.0e}"),
    }
}

/// How many times as fast: `×12.3`.
pub fn times(ratio: f64) -> String {
    format!("×{}", three(ratio))
}

/// A count with thin spaces between its thousands: `33 177 600`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// A size of a file: `12 MB`.
pub fn bytes(count: f64) -> String {
    let (value, unit) = match count {
        c if c < 1e6 => (c / 1e3, "kB"),
        c if c < 1e9 => (c / 1e6, "MB"),
        c => (c / 1e9, "GB"),
    };
    let digits = usize::from(value < 9.95);
    format!("{value:.digits$} {unit}")
}

/// A time that is only an estimate: `42 s`, `12 min`, `3.4 h`.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 99.5 * 60.0 => format!("{:.0} min", s / 60.0),
        s if s < 99.5 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_never_need_more_than_five_places() {
        for (value, expected) in [
            (0.0, "0.000"),
            (0.01234, "0.012"),
            (0.9996, "1.00"),
            (1.234, "1.23"),
            (9.996, "10.0"),
            (12.34, "12.3"),
            (99.96, "100"),
            (123.4, "123"),
            (999.6, "1000"),
            (12_345.0, "12300"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(three(value), expected);
            assert!(three(value).chars().count() <= 5);
        }
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(33_177_600), "33\u{2009}177\u{2009}600");
        assert_eq!(bytes(2.44e6), "2.4 MB");
    }

    #[test]
    fn estimates_of_time_are_short() {
        for (seconds, expected) in [
            (0.2, "0 s"),
            (99.0, "99 s"),
            (100.0, "2 min"),
            (5400.0, "90 min"),
            (8640.0, "2.4 h"),
            (864_000.0, "10 days"),
        ] {
            assert_eq!(time(seconds), expected);
        }
    }
}
