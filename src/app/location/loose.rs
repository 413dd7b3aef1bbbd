//! Points as people paste them: `-0.75, 0.1`, `-0.75+0.1i`, `-0.75, 0.1i`, `(-0.75 0.1)`, `0.1i`, `0.1j`, `i`, `-2`.

use crate::math::{BigComplex, Decimal, ParseDecimalError};

/// Reads a point in any of the usual ways, every digit kept.
///
/// # Errors
/// What is wrong with the first part that is no number.
pub fn parse_point(text: &str) -> Result<BigComplex, ParseDecimalError> {
    // The minus of printed text, character for character.
    let text = text.replace('\u{2212}', "-");
    let body = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']).trim();
    if let Some(sum) = body.strip_suffix(['i', 'I', 'j', 'J']) {
        let sum = sum.trim_end().trim_end_matches('*');
        let (re, im) = sum.split_once([',', ';']).unwrap_or_else(|| split_sum(sum));
        return Ok(BigComplex::new(number(re)?, imaginary(im)?));
    }
    let parts = body.split_once([',', ';']).or_else(|| body.split_once(char::is_whitespace));
    let (re, im) = parts.unwrap_or((body, "0"));
    Ok(BigComplex::new(number(re)?, number(im)?))
}

/// Splits `a+b` or `a-b` before the last sign that is not an exponent's; `b` alone is imaginary.
fn split_sum(text: &str) -> (&str, &str) {
    let sign = text
        .char_indices()
        .rev()
        .find(|&(at, c)| matches!(c, '+' | '-') && at > 0 && !text[..at].ends_with(['e', 'E']));
    match sign {
        Some((at, _)) => text.split_at(at),
        None => ("0", text),
    }
}

/// What stands before `i`; there a bare sign is ±1, and nothing is 1.
fn imaginary(text: &str) -> Result<Decimal, ParseDecimalError> {
    match text.trim() {
        "" | "+" => Ok(Decimal::from(1)),
        "-" => Ok(Decimal::from(-1)),
        text => number(text),
    }
}

/// A decimal; blanks after its sign and quotes around it are allowed.
fn number(text: &str) -> Result<Decimal, ParseDecimalError> {
    let text = text.trim().trim_matches(['"', '\'']);
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    format!("{sign}{}", rest.trim_start()).parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_as_people_write_them() {
        for (text, re, im) in [
            ("-0.75, 0.1", "-0.75", "0.1"),
            ("-0.75,0.1", "-0.75", "0.1"),
            ("-0.75 0.1", "-0.75", "0.1"),
            ("-0.75+0.1i", "-0.75", "0.1"),
            ("-0.75 - 0.1i", "-0.75", "-0.1"),
            ("(-0.75; -1e-3)", "-0.75", "-0.001"),
            ("[\"-0.75\", \"0.1\"]", "-0.75", "0.1"),
            ("-1.5e-3-2e-5*i", "-0.0015", "-0.00002"),
            ("0.1i", "0", "0.1"),
            ("-0.75+1e-3j", "-0.75", "0.001"),
            ("-i", "0", "-1"),
            ("i", "0", "1"),
            ("-0.75,-0.1i", "-0.75", "-0.1"),
            ("0; j", "0", "1"),
            ("\u{2212}0.75 \u{2212} 1e\u{2212}3i", "-0.75", "-0.001"),
            ("1+i", "1", "1"),
            ("0.5 - i", "0.5", "-1"),
            (" -2 ", "-2", "0"),
            (
                "-1.7490000000000000000000000000000000000000000000000000000000001+1e-60i",
                "-1.7490000000000000000000000000000000000000000000000000000000001",
                "1e-60",
            ),
        ] {
            let point = parse_point(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!((point.re, point.im), (re.parse().unwrap(), im.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "x", "1,2,3", "1+2", "nan, 0", "0, inf", "--1,0", ",", "1,", "-", "+", "-,+", "0,-", "- 0", "+-i",
            "1,ii", "ii",
        ] {
            assert!(parse_point(text).is_err(), "{text:?} was read");
        }
    }
}
