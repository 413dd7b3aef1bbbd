//! Pictures in parts: whatever is cut, the file is the one that a single machine writes.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::cli::Place;

/// Draws all parts of a picture, and names their files.
fn drawn(place: &Place, options: &str, of: u32) -> String {
    let names: Vec<_> = (1..=of)
        .map(|number| {
            let name = format!("part-{number}-of-{of}.cdt");
            place.done(&format!("render {options} --force --part {number}/{of} --out {name}"));
            name
        })
        .collect();
    names.join(" ")
}

#[test]
fn assembled_parts_are_the_file_of_one_machine() {
    let place = Place::new();
    place.done("render --view bifurcation --box -1.5,-1.3,-2,2 --size 40x30 --orbits 4 --samples 70 --out diagram.png");
    // (options, numbers of parts)
    for (options, counts) in [
        ("home --size 120x90", &[1, 2, 7, 90][..]),
        ("home --size 97x53 --supersample 3 --palette glacier --curve log --density 1.7", &[5]),
        ("seahorse-valley --size 90x60 --rotation 31 --engine simd --shortcuts none", &[4]),
        ("--view julia --c -0.8,0.156 --size 80x81 --engine threads", &[2]),
        ("--formula burning-ship --size 64x48 --engine naive --max-iterations 300", &[3]),
        ("--box -2,1,-1,1 --stretch --size 64x64 --engine symmetric", &[3]),
        ("deep-spiral --size 64x40", &[3]),
        ("--center -1.7548776662466927,0 --height 1e-20 --size 60x40 --supersample 2", &[4]),
        ("--view bifurcation --size 60x31 --orbits 9 --samples 100", &[1, 3, 60]),
        // More columns than tell the tone.
        ("--view bifurcation --size 1100x23 --orbits 2 --samples 60 --engine naive", &[4]),
        (
            "--view bifurcation --map logistic --box 3.4,4,0,1 --scheme ink --quality draft --size 530x40 --orbits 3",
            &[3],
        ),
        (
            "--view bifurcation --box -1.75487766624669290,-1.75487766624669250,-2.3e-8,2.3e-8 --size 70x20 --orbits 2",
            &[2],
        ),
        ("--view bifurcation-complex --section -0.1 --size 600x41 --orbits 2 --samples 50", &[4]),
        ("--view bifurcation-complex --section 0 --size 77x30 --orbits 3 --samples 50 --skip 3", &[5]),
        (
            "--view bifurcation-complex --section 0.3 --ordinate im --no-fan --scheme paper --size 64x30 --orbits 3",
            &[2],
        ),
        ("diagram.png --size 520x20", &[3]),
    ] {
        place.done(&format!("render {options} --force --out whole.png"));
        let whole = fs::read(place.path("whole.png")).unwrap();
        for &of in counts {
            let names = drawn(&place, options, of);
            // In any order.
            let names: Vec<_> = names.split(' ').rev().collect();
            let told = place.done(&format!("assemble {} --force --out big.png", names.join(" ")));
            assert!(fs::read(place.path("big.png")).unwrap() == whole, "{options} in {of}");
            assert!(told.contains("seconds=") && told.contains("file=big.png"), "{told}");
        }
    }
}

#[test]
fn parts_of_different_cuts_fit_where_their_rows_do() {
    let place = Place::new();
    place.done("render home --size 40x48 --out whole.png");
    drawn(&place, "home --size 40x48", 2);
    drawn(&place, "home --size 40x48", 4);
    place.done("assemble part-1-of-2.cdt part-3-of-4.cdt part-4-of-4.cdt --out big.png");
    assert!(fs::read(place.path("whole.png")).unwrap() == fs::read(place.path("big.png")).unwrap());
    place.refused("assemble part-1-of-2.cdt part-4-of-4.cdt --out x.png", 2, &["rows 25 to 36 of 48"]);
}

#[test]
fn numbers_come_in_parts_as_well() {
    let place = Place::new();
    // (options, ending, channel of the parts)
    for (options, ending, channel) in [
        ("home --size 61x40", "npy", "iterations"),
        ("home --size 61x40 --max-iterations 77", "u32", "iterations"),
        ("seahorse-valley --size 50x33 --bailout 20", "npy", "smooth"),
        ("home --size 40x30 --engine simd", "npy", "distance"),
    ] {
        let whole = if ending == "u32" { String::new() } else { format!("--channel {channel}") };
        place.done(&format!("render {options} {whole} --force --out whole.{ending}"));
        let parts = drawn(&place, &format!("{options} --channel {channel}"), 3);
        place.done(&format!("assemble {parts} --force --out big.{ending}"));
        let [whole, big] = ["whole", "big"].map(|name| fs::read(place.path(&format!("{name}.{ending}"))).unwrap());
        assert!(whole == big, "{options}");
    }
    let parts = "part-1-of-3.cdt part-2-of-3.cdt part-3-of-3.cdt";
    place.refused(&format!("assemble {parts} --out x.png"), 2, &["are numbers (distance)", ".npy"]);
    place.refused(&format!("assemble {parts} --out x.u32"), 2, &["distance", ".npy"]);
    place.done("render --size 40x30 --part 1/1 --out colours.cdt");
    place.refused("assemble colours.cdt --out x.npy", 2, &["are colours", ".png"]);
    let mixed = "part-1-of-3.cdt part-2-of-3.cdt colours.cdt";
    place.refused(&format!("assemble {mixed} --out x.npy"), 2, &["two pictures", "colours.cdt"]);
}

#[test]
fn diagrams_are_cut_into_columns() {
    let place = Place::new();
    drawn(&place, "--view bifurcation --size 48x20 --orbits 1 --samples 10", 4);
    place.refused(
        "assemble part-1-of-4.cdt part-2-of-4.cdt part-4-of-4.cdt --out x.png",
        2,
        &["columns 25 to 36 of 48", "--part 3/4"],
    );
    place.refused("assemble part-1-of-4.cdt part-1-of-4.cdt --out x.png", 2, &["columns 1 to 12 are in both"]);
    let few = "render --view bifurcation --size 4x20 --part 1/5 --out x.cdt";
    place.refused(few, 2, &["4 columns has no 5 parts", "at most 4"]);
}

#[test]
fn what_is_not_the_whole_of_one_picture_is_refused_by_name() {
    let place = Place::new();
    drawn(&place, "home --size 40x48", 4);
    place.done("render home --size 40x49 --part 4/4 --out taller.cdt");
    place.done("render home --size 40x48 --palette ink --part 4/4 --out inked.cdt");
    place.done("render home --size 40x48 --shortcuts none --part 4/4 --out plain.cdt");
    place.done("render home --size 40x48 --out picture.png");
    let bytes = fs::read(place.path("part-4-of-4.cdt")).unwrap();
    fs::write(place.path("short.cdt"), &bytes[..bytes.len() - 1]).unwrap();
    fs::write(place.path("header.cdt"), &bytes[..20]).unwrap();
    fs::write(place.path("empty.cdt"), "").unwrap();
    fs::write(place.path("long.cdt"), [bytes.as_slice(), b"x"].concat()).unwrap();
    let mut changed = bytes;
    changed[100] ^= 1;
    fs::write(place.path("changed.cdt"), changed).unwrap();
    let three = "part-1-of-4.cdt part-2-of-4.cdt part-3-of-4.cdt";
    for (args, code, parts) in [
        (three.to_owned(), 2, &["rows 37 to 48 of 48", "--part 4/4"][..]),
        ("part-2-of-4.cdt".into(), 2, &["rows 1 to 12 of 48", "--part 1/4, 3/4, 4/4"]),
        (format!("{three} part-4-of-4.cdt part-2-of-4.cdt"), 2, &["rows 13 to 24", "part-2-of-4.cdt", "leave one"]),
        (format!("{three} taller.cdt"), 2, &["two pictures", "size = [40, 48] and size = [40, 49]", "taller.cdt"]),
        (format!("{three} inked.cdt"), 2, &["two pictures", "palette", "inked.cdt"]),
        (format!("{three} plain.cdt"), 2, &["two pictures", "plain.cdt"]),
        (format!("{three} picture.png"), 2, &["no part of a picture", "picture.png"]),
        (format!("{three} nowhere.cdt"), 1, &["cannot read the part", "nowhere.cdt"]),
        (format!("{three} short.cdt"), 1, &["ends too early", "short.cdt"]),
        (format!("{three} header.cdt"), 1, &["ends too early", "header.cdt"]),
        (format!("{three} empty.cdt"), 1, &["ends too early", "empty.cdt"]),
        (format!("{three} long.cdt"), 1, &["changed on the way", "long.cdt"]),
        (format!("{three} changed.cdt"), 1, &["changed on the way", "changed.cdt"]),
    ] {
        place.refused(&format!("assemble {args} --out x.png"), code, parts);
    }
    let all = format!("{three} part-4-of-4.cdt");
    place.refused(&format!("assemble {all} --out picture.png"), 1, &["picture.png", "there already", "--force"]);
    place.refused(&format!("assemble {all} --out x.npy"), 2, &["are colours", "end the file's name in .png"]);
    place.refused("assemble --out x.png", 2, &["PART"]);
}

#[test]
fn parts_that_make_no_sense_are_refused() {
    let place = Place::new();
    for (args, parts) in [
        ("--part 0/4 --out x.cdt", &["--part", "1/8"][..]),
        ("--part 5/4 --out x.cdt", &["--part", "1/8"]),
        ("--part -1/4 --out x.cdt", &["--part", "1/8"]),
        ("--part 1/100 --size 50x40 --out x.cdt", &["40 rows", "at most 40"]),
        ("--part 1/4 --out x.png", &[".cdt"]),
        ("--out x.cdt", &["--part 1/8"]),
        ("--part 1/4 --channel smooth --supersample 2 --out x.cdt", &["--supersample"]),
        ("--part 1/4 --view bifurcation --channel smooth --out x.cdt", &["--channel", "bifurcation"]),
        ("--part 1/4 --view bifurcation --out x.png", &[".cdt"]),
        ("--part 1/4 --repeat 3 --out x.cdt", &["--repeat"]),
        ("--part 1/4 --view bifurcation-3d --out x.cdt", &["bifurcation-3d", "may fall anywhere"]),
    ] {
        place.refused(&format!("render {args}"), 2, parts);
    }
    place.done("render --size 40x30 --part 1/4 --out x.cdt");
    place.refused("render --size 40x30 --part 1/4 --out x.cdt", 1, &["x.cdt", "there already", "--force"]);
}

#[test]
fn large_pictures_are_estimated_first_and_an_interrupt_leaves_nothing() {
    let place = Place::new();
    for args in ["--out big.png", "--part 2/3 --out part.cdt"] {
        let mut program = place.program();
        program.args("render home --size 60000x60000".split(' ')).args(args.split(' '));
        let child = program.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(3));
        assert_eq!(place.listing().len(), 1, "a temporary file, and no other");
        let begun = Instant::now();
        #[cfg(unix)]
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        let bytes = if args.contains("part") { "3.6 GB" } else { "10.8 GB" };
        let told = [bytes, "take about", "with tiles", "interrupted; no file was written"];
        assert!(told.iter().all(|part| stderr.contains(part)), "{stderr}");
        assert!(place.listing().is_empty(), "{:?}", place.listing());
    }
}
