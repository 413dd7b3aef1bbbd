//! Every shader, with every formula or map: it composes, validates, and translates for every platform.

use cardioid::fractal::{FormulaId, MapId};
use cardioid::gpu::shader::{ShaderError, compose, names};
use naga::back::{glsl, hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Every shader with all that can be chosen for it, as (label, text).
fn all() -> impl Iterator<Item = (String, String)> {
    names().flat_map(|name| {
        choices(name).into_iter().map(move |(key, chosen)| {
            let label = format!("{name} with {key}");
            let text = compose(name, Some(&chosen)).unwrap_or_else(|e| panic!("{label}: {e}"));
            (label, text)
        })
    })
}

/// The formulas, maps or nothing that a shader asks for, as (key, text); a line of complex parameters is a map, too.
fn choices(name: &str) -> Vec<(&'static str, String)> {
    match compose(name, None) {
        Ok(_) => vec![("nothing chosen", String::new())],
        Err(ShaderError::NoChoice { choice: "map", .. }) => {
            let line = ("a line", compose("lib/line", None).unwrap());
            MapId::ALL.iter().map(|map| (map.key(), map.wgsl().to_owned())).chain([line]).collect()
        }
        Err(ShaderError::NoChoice { .. }) => FormulaId::ALL.iter().map(|f| (f.key(), f.wgsl().to_owned())).collect(),
        Err(error) => panic!("{name}: {error}"),
    }
}

fn validated(label: &str, text: &str) -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{label}: {}", e.emit_to_string(text)));
    // No capabilities: what every device has.
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    let info = info.unwrap_or_else(|e| panic!("{label}: {}", e.emit_to_string(text)));
    (module, info)
}

#[test]
fn shaders_translate_for_every_platform() {
    assert!(names().count() >= 3);
    for (label, text) in all() {
        let (module, info) = validated(&label, &text);
        assert!(!module.entry_points.is_empty(), "{label} has no entry point");

        let options = msl::Options { lang_version: (2, 4), fake_missing_bindings: true, ..Default::default() };
        let translated = msl::write_string(&module, &info, &options, &Default::default());
        translated.unwrap_or_else(|e| panic!("{label} to Metal: {e}"));

        let options = hlsl::Options { fake_missing_bindings: true, ..Default::default() };
        let mut out = String::new();
        let translated = hlsl::Writer::new(&mut out, &options, &Default::default()).write(&module, &info, None);
        translated.unwrap_or_else(|e| panic!("{label} to Direct3D: {e}"));

        let translated = spv::write_vec(&module, &info, &Default::default(), None);
        translated.unwrap_or_else(|e| panic!("{label} to Vulkan: {e}"));

        for entry in &module.entry_points {
            let options = glsl::Options { version: glsl::Version::Desktop(430), ..Default::default() };
            let stage =
                glsl::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone(), multiview: None };
            let mut out = String::new();
            let writer = glsl::Writer::new(&mut out, &module, &info, &options, &stage, Default::default());
            let translated = writer.and_then(|mut writer| writer.write());
            translated.unwrap_or_else(|e| panic!("{label}, {} to OpenGL: {e}", entry.name));
        }
    }
}

#[test]
fn loops_are_bounded_by_a_counter() {
    for (label, text) in all() {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let words: Vec<_> = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
        // The text of gpu/trusted.rs relies on this.
        assert!(!words.contains(&"loop") && !words.contains(&"while"), "{label} has a loop without a counter");
    }
}

#[test]
fn constants_of_shaders_are_those_of_the_program() {
    use cardioid::color::{COUNT_BINS, ShadeParams};
    use cardioid::render::Sample;
    // (shader, constant, value)
    for (shader, constant, expected) in [
        ("escape_time", "INTERIOR", Sample::INTERIOR.iterations),
        ("escape_time", "MISSING", Sample::MISSING.iterations),
        ("color", "ROOT", ShadeParams::ROOT),
        ("color", "LOG", ShadeParams::LOG),
        ("diagram_bins", "COUNT_BINS", COUNT_BINS as u32),
    ] {
        let text = compose(shader, Some(&choices(shader)[0].1)).unwrap();
        let (module, _) = validated(shader, &text);
        let found = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(constant));
        let (_, found) = found.unwrap_or_else(|| panic!("{shader} has no {constant}"));
        let value = &module.global_expressions[found.init];
        assert_eq!(value, &naga::Expression::Literal(naga::Literal::U32(expected)), "{shader}: {constant}");
    }
}
