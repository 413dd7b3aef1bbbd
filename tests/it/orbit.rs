//! `cardioid orbit`, with the numbers that talks about the set begin with.

use std::process::{Command, Output};

use serde_json::Value;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardioid")).arg("orbit").args(args).output().unwrap()
}

/// What must succeed prints on stdout.
fn text(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&text(&[args, &["--json"]].concat())).unwrap()
}

#[test]
fn the_first_points_and_what_becomes_of_them() {
    // (c, z_1 to z_4, verdict, period, |multiplier|)
    for (c, points, verdict, period, modulus) in [
        ("0", [0.0, 0.0, 0.0, 0.0], "converges to 0", Some(1), 0.0),
        ("1", [1.0, 2.0, 5.0, 26.0], "escapes", None, 0.0),
        ("0.5", [0.5, 0.75, 1.0625, 1.62890625], "escapes", None, 0.0),
        ("0.25", [0.25, 0.3125, 0.34765625, 0.3708648681640625], "neutral", Some(1), 1.0),
        (
            "0.125",
            [0.125, 0.140625, 0.144775390625, 0.14595991373062134],
            "converges to 0.14644660940",
            Some(1),
            0.292893,
        ),
        ("-0.5", [-0.5, -0.25, -0.4375, -0.30859375], "converges to -0.36602540378", Some(1), 0.732051),
        ("-1", [-1.0, 0.0, -1.0, 0.0], "period 2", Some(2), 0.0),
        ("-1.5", [-1.5, 0.75, -0.9375, -0.62109375], "chaotic", None, 0.0),
        ("-2", [-2.0, 2.0, 2.0, 2.0], "lands on 2", Some(1), 4.0),
        ("-2.5", [-2.5, 3.75, 11.5625, 131.19140625], "escapes at n = 1", None, 0.0),
    ] {
        let seen = json(&[c, "--steps", "4"]);
        let lines = seen["steps"].as_array().unwrap();
        assert_eq!(lines.len(), 4, "{c}");
        for (line, expected) in lines.iter().zip(points) {
            assert_eq!(line["z"], serde_json::json!([expected, 0.0]), "{c}");
            assert_eq!(line["abs"], serde_json::json!(f64::abs(expected)), "{c}");
        }
        assert!(seen["verdict"].as_str().unwrap().contains(verdict), "{c}: {}", seen["verdict"]);
        assert_eq!(seen.get("period").and_then(Value::as_u64), period, "{c}");
        let multiplier = seen.get("multiplier").map(|m| m[0].as_f64().unwrap().hypot(m[1].as_f64().unwrap()));
        assert_eq!(multiplier.is_some(), period.is_some(), "{c}");
        assert!((multiplier.unwrap_or(0.0) - modulus).abs() < 1e-6, "{c}: {multiplier:?}");
    }
    let chaos = json(&["-2"])["lyapunov"].as_f64().unwrap();
    assert!((chaos - 2f64.ln()).abs() < 1e-4, "{chaos}");
}

#[test]
fn the_verdict_does_not_depend_on_the_lines() {
    for c in ["-1.25,0.02", "0.2500001", "-1.5", "-0.1225,0.7448"] {
        let [short, long] = ["1", "500"].map(|steps| json(&[c, "--steps", steps]));
        assert_eq!((short["steps"].as_array().unwrap().len(), &short["verdict"]), (1, &long["verdict"]), "{c}");
        assert_eq!(short.get("multiplier"), long.get("multiplier"), "{c}");
    }
}

#[test]
fn the_table_is_aligned_and_the_verdict_stands_below() {
    let table = "\
n    z_n            |z_n|
1   -2.5            2.5
2    3.75           3.75
3   11.5625        11.5625
4  131.19140625   131.19140625";
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let printed = text(&["-2.5", "--steps", "4"]);
    assert_eq!(squeezed(printed.split("\n\n").next().unwrap()), squeezed(table));
    let points: Vec<_> = printed.lines().skip(1).take(4).map(|line| line.find('.')).collect();
    assert!(points.iter().all(|at| *at == points[0]), "{printed}");
    assert!(printed.contains("\n\nescapes at n = 1\n"), "{printed}");
    let complex = text(&["-2,0.5"]);
    assert!(complex.contains("Im z_n") && complex.contains("escapes"), "{complex}");
}

#[test]
fn nonsense_is_refused() {
    for args in [
        &["1", "--steps", "0"][..],
        &["1", "--steps", "1e12"],
        &["1", "--steps", "-3"],
        &["one"],
        &["NaN"],
        &["1,2,3"],
        &[],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
}
