//! Location files: every digit there and back, and words for what is wrong.

use cardioid::app::location::{Location, NamedPlace, PNG_KEYWORD, png_location};
use cardioid::fractal::FormulaId;
use cardioid::render::{Quality, Viewport};

fn parse(text: &str) -> Location {
    Location::parse("the text", text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn locations_survive_the_round_trip() {
    for (text, why) in [
        ("center = [\"-0.75\", \"0\"]\nheight = \"2.5\"", "the least that makes sense"),
        (
            "center = [\"-1.74907590236585820342840532016254345555222466456732178933449100000001\", \"1e-70\"]\nheight = \"4e-60\"",
            "more digits than any float",
        ),
        ("box = [-2.5, 1, -1.25, 1.25]\nstretch = true\nsize = [1000, 1000]\nmax_iterations = 100", "the talk's own"),
        (
            "version = 1\nname = \"a \\\"name\\\"\"\nrotation = 33.25\nbailout = 1e3\nengine = \"tiles\"\nquality = \"draft\"\n\
             supersample = 3\npalette = \"night-gold\"\ncurve = \"log\"\ndensity = 1.7\noffset = 0.1",
            "every other key",
        ),
        ("height = \"1\"\nfuture = [1, 2]\n[more]\nx = \"y\"", "keys of a later version"),
    ] {
        let location = parse(text);
        assert_eq!(parse(&location.to_toml()), location, "{why}:\n{}", location.to_toml());
    }
}

#[test]
fn one_line_holds_the_place_with_every_digit() {
    for text in [
        "center = [\"-0.743643887037158704752191506114774\", \"0.131825904205311970493132056385139\"]\nheight = \"1e-25\"\nmax_iterations = 50000",
        "box = [\"-2.5\", \"1\", \"-1.25\", \"1.25\"]\nstretch = true\nrotation = 12.5",
    ] {
        let location = parse(text);
        let line = location.one_line();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(parse(&line), location);
        assert_eq!(parse(&format!("  {{ {line} }}\n")), location, "in braces");
    }
}

#[test]
fn bare_points_are_centres_of_the_home_height() {
    let location = parse("-0.75+0.1i");
    assert_eq!(location, parse("center = [\"-0.75\", \"0.1\"]\nheight = \"2.5\""));
}

#[test]
fn numbers_without_quotes_keep_their_characters() {
    let location = parse("center = [-0.7436438870371587047521915061147, 0.1]\nheight = 1e-400");
    assert_eq!(location, parse("center = [\"-0.7436438870371587047521915061147\", \"0.1\"]\nheight = \"1e-400\""));
}

#[test]
fn what_is_wrong_is_said_with_its_key() {
    // (text, parts of the message)
    for (text, parts) in [
        ("", &["empty"][..]),
        ("height = ", &["line 1"]),
        ("a = 1\nb = [", &["line 2"]),
        ("hello", &["\"h\" at character 1"]),
        ("height = \"0\"", &["height = 0", "above 0"]),
        ("height = -2", &["height = -2", "above 0"]),
        ("height = nan", &["height = nan", "above 0"]),
        ("height = \"1e101\"", &["height", "1e100"]),
        ("height = \"\"", &["height = \"\""]),
        ("height = true", &["height = true"]),
        ("center = [1]", &["center = [1]", "[re, im]"]),
        ("center = \"0\"", &["center", "[re, im]"]),
        ("center = [0x10, 0]", &["center = [0x10, 0]", "[re, im]"]),
        ("center = [\"inf\", 0]", &["center = [\"inf\", 0]"]),
        ("center = [1e200, 0]", &["center", "1e100"]),
        ("box = [1, 0, 0, 1]", &["box", "xmin < xmax"]),
        ("box = [0, 1, 0, 1]\nheight = 1", &["height", "not both"]),
        ("stretch = true", &["stretch", "box"]),
        ("size = [0, 100]", &["size = [0, 100]", "1048576"]),
        ("size = [4294967295, 1]", &["size", "1048576"]),
        ("size = [-1, 5]", &["size = [-1, 5]"]),
        ("size = [1.5, 5]", &["size = [1.5, 5]"]),
        ("max_iterations = 0", &["max_iterations = 0", "from 1 to 2147483647"]),
        ("max_iterations = 99999999999", &["max_iterations", "2147483647"]),
        ("max_iterations = \"\"", &["max_iterations = \"\""]),
        ("bailout = 1.9", &["bailout = 1.9", "from 2"]),
        ("bailout = 1.99999999999999999999999999", &["bailout", "from 2"]),
        ("max_iterations = 5.00000000000000000000000001", &["max_iterations", "whole number"]),
        ("bailout = 1e300", &["bailout = 1e300", "1e9"]),
        ("rotation = inf", &["rotation = inf"]),
        ("quality = \"best\"", &["quality = \"best\"", "exact"]),
        ("formula = \"septic\"", &["formula = \"septic\"", "quadratic"]),
        ("supersample = 0", &["supersample = 0", "16"]),
        ("engine = 3", &["engine = 3", "quotes"]),
        ("density = -1", &["density = -1"]),
        ("curve = \"x\"", &["curve", "root, log, linear"]),
        ("version = \"one\"", &["version"]),
    ] {
        let error = Location::parse("places/x.toml", text).expect_err(text).to_string();
        for part in parts.iter().chain(&["places/x.toml"]) {
            assert!(error.contains(part), "{text:?}: {error:?} lacks {part:?}");
        }
        assert!(!error.contains('\n') && !error.ends_with('.'), "{error:?}");
    }
}

#[test]
fn unknown_keys_are_told_and_kept() {
    let location = parse("height = 1\nglow = 3\n[camera]\nyaw = 20");
    let warnings = location.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("\"glow\"") && warnings[0].contains("\"camera\""));
    assert!(location.to_toml().contains("glow = 3") && location.to_toml().contains("yaw = 20"));
}

#[test]
fn a_version_to_come_is_told_and_kept() {
    let location = parse("version = 2\nheight = 1");
    assert!(location.warnings()[0].contains("version 2"), "{:?}", location.warnings());
    assert_eq!(parse(&location.to_toml()), location);
    assert!(parse("version = 1").warnings().is_empty());
}

#[test]
fn a_picture_may_not_unpack_to_a_gigabyte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.png");
    let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 1, 1);
    let mut chunk = png::text_metadata::ITXtChunk::new(PNG_KEYWORD, "#".repeat(64 << 20));
    chunk.compressed = true;
    chunk.compress_text().unwrap();
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().unwrap();
    writer.write_text_chunk(&chunk).unwrap();
    writer.write_image_data(&[0]).unwrap();
    drop(writer);
    let error = png_location(&path).unwrap_err().to_string();
    assert!(error.contains("longer than 2097152 bytes") && error.contains("bomb.png"), "{error}");
}

#[test]
fn viewports_come_back_from_their_location() {
    let talk = parse("box = [-2.5, 1, -1.25, 1.25]\nstretch = true").viewport([1000, 1000]).unwrap();
    let turned = Location::home(FormulaId::Quadratic).viewport([640, 480]).unwrap().with_rotation(30.0).unwrap();
    for viewport in [talk, turned] {
        let back: Viewport = parse(&Location::from_viewport(FormulaId::Quadratic, &viewport).to_toml())
            .viewport(viewport.size())
            .unwrap();
        assert_eq!(back, viewport);
    }
}

#[test]
fn named_places_can_be_drawn() {
    for place in NamedPlace::all() {
        let location = &place.location;
        assert!(location.name.is_some() && location.unknown.is_empty(), "{}", place.key);
        location.job([96, 64]).unwrap_or_else(|e| panic!("{}: {e}", place.key));
        assert_eq!(location.quality.unwrap_or_default(), Quality::Exact);
    }
}
