//! Shader text: composed of the pieces in `shaders/`, and of the chosen formula or map.
//!
//! A line `//!include lib/escape` is replaced by `shaders/lib/escape.wgsl`, once however often it is
//! asked for; `//!include formula` and `//!include map` by the text of the one that is chosen. Release builds carry the folder inside;
//! debug builds read it from disk, so that an edit needs no rebuild.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::PathBuf;

use include_dir::{Dir, include_dir};

use super::{Gpu, GpuError, trusted};

static EMBEDDED: Dir = include_dir!("$CARGO_MANIFEST_DIR/shaders");

/// Why a shader could not be composed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShaderError {
    #[error("there is no shader {0:?} in shaders/")]
    NoSuchFile(String),
    #[error("shader {shader:?} asks for a {choice} and was given none")]
    NoChoice { shader: String, choice: &'static str },
}

/// Which checks the driver's code gets beside our own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checks {
    /// Every index clamped, every loop counted.
    #[default]
    Full,
    /// None: for this folder's shaders, whose loops are bounded and whose indices are tested.
    Trusted,
}

/// What a shader leaves open, to be chosen where it is composed.
const CHOICES: [&str; 2] = ["formula", "map"];

/// The whole text of shader `name`, with the text of the formula (its `fn step`) or map that is chosen where the shader
/// asks for one.
///
/// # Errors
/// [`ShaderError`] where a piece is missing.
pub fn compose(name: &str, chosen: Option<&str>) -> Result<String, ShaderError> {
    let mut text = String::new();
    include(name, chosen, &mut HashSet::new(), &mut text)?;
    Ok(text)
}

/// Names of the shaders that have an entry point: all but the pieces in `lib`.
pub fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.files().filter_map(|file| file.path().to_str()?.strip_suffix(".wgsl"))
}

/// Composes and compiles a shader.
///
/// # Errors
/// [`GpuError::Shader`] or [`GpuError::Refused`].
pub fn module(gpu: &Gpu, name: &str, chosen: Option<&str>, checks: Checks) -> Result<wgpu::ShaderModule, GpuError> {
    let text = compose(name, chosen)?;
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(name), source: wgpu::ShaderSource::Wgsl(text.into()) };
    gpu.checked("a shader", |device| match checks {
        Checks::Full => device.create_shader_module(descriptor),
        Checks::Trusted => trusted::shader_module(device, descriptor),
    })
}

/// A compute pipeline of a shader's entry point `main`, with the layout that its text implies.
///
/// # Errors
/// [`GpuError::Shader`] or [`GpuError::Refused`].
pub fn compute_pipeline(
    gpu: &Gpu,
    name: &str,
    chosen: Option<&str>,
    checks: Checks,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let module = module(gpu, name, chosen, checks)?;
    gpu.checked("a compute pipeline", |device| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        })
    })
}

/// Resources for a compute pipeline, bound in the order of their numbers.
pub fn bind_group(
    gpu: &Gpu,
    label: &str,
    pipeline: &wgpu::ComputePipeline,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    let layout = pipeline.get_bind_group_layout(0);
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout: &layout, entries: &entries })
}

fn include(
    name: &str,
    chosen: Option<&str>,
    included: &mut HashSet<String>,
    text: &mut String,
) -> Result<(), ShaderError> {
    if !included.insert(name.to_owned()) {
        return Ok(());
    }
    for line in read(name)?.lines() {
        let piece = line.strip_prefix("//!include ").map(|rest| rest.split_whitespace().next().unwrap_or_default());
        let choice = CHOICES.into_iter().find(|choice| piece == Some(choice));
        match (piece, choice) {
            (_, Some(choice)) => {
                text.push_str(chosen.ok_or_else(|| ShaderError::NoChoice { shader: name.to_owned(), choice })?);
            }
            (Some(piece), None) => include(piece, chosen, included, text)?,
            (None, None) => text.push_str(line),
        }
        text.push('\n');
    }
    Ok(())
}

fn read(name: &str) -> Result<Cow<'static, str>, ShaderError> {
    let file = format!("{name}.wgsl");
    if cfg!(debug_assertions) {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "shaders", &file].iter().collect();
        if let Ok(text) = std::fs::read_to_string(path) {
            return Ok(text.into());
        }
    }
    let embedded = EMBEDDED.get_file(&file).and_then(include_dir::File::contents_utf8);
    embedded.map(Cow::Borrowed).ok_or_else(|| ShaderError::NoSuchFile(name.to_owned()))
}

/// Lays a shader's struct beside a Rust one: size, and the offset of each member, in order.
#[cfg(test)]
pub(crate) fn assert_layout(shader: &str, name: &str, size: usize, members: &[(&str, usize)]) {
    use crate::fractal::{FormulaId, MapId};
    let chosen = match compose(shader, None) {
        Err(ShaderError::NoChoice { choice: "map", .. }) => MapId::ALL[0].wgsl(),
        _ => FormulaId::ALL[0].wgsl(),
    };
    let text = compose(shader, Some(chosen)).unwrap();
    let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (_, ty) = found.unwrap_or_else(|| panic!("{shader} has no struct {name}"));
    let naga::TypeInner::Struct { members: theirs, span } = &ty.inner else { panic!("{name} is no struct") };
    let theirs: Vec<_> = theirs.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
    assert_eq!(theirs, members, "{shader}: {name}");
    // Uniform buffers may be longer than the struct, up to whole vectors.
    assert_eq!(size, (*span as usize).next_multiple_of(16), "{shader}: size of {name}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_included_once_and_missing_ones_are_named() {
        let text = compose("escape_time", Some("// the formula\n")).unwrap();
        assert!(!text.contains("//!include"));
        assert_eq!(text.matches("// the formula").count(), 1);
        assert_eq!(text.matches("struct Sample").count(), 1);
        let no_formula = ShaderError::NoChoice { shader: "escape_time".into(), choice: "formula" };
        assert_eq!(compose("escape_time", None), Err(no_formula));
        assert_eq!(compose("no_such", None), Err(ShaderError::NoSuchFile("no_such".into())));
    }
}
