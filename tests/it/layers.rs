//! The layers of ARCHITECTURE.md, read from the sources: a module names only modules to its left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From the numbers to the window. A folder that is not here yet has no files to check.
const LAYERS: [&str; 11] =
    ["math", "fractal", "render", "gpu", "color", "engine", "view", "app", "cluster", "ui", "cli"];

/// Names that only some files may use: (name, files that may, why).
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("egui", &["ui"], "export, bench and tests run without a window"),
    ("winit", &["ui"], "export, bench and tests run without a window"),
    ("dashu", &["math/big.rs"], "one file knows the big-number crate"),
];

/// What a layer does without: (layer, paths, why).
const ABSENT: &[(&str, &[&str], &str)] = &[
    ("math", SURROUNDINGS, "values in, values out"),
    ("fractal", SURROUNDINGS, "values in, values out"),
    ("engine", &["crate::color"], "engines know nothing of palettes"),
    ("view", &["crate::engine", "crate::gpu", "std::thread", "rayon", "wgpu"], "views know nothing of engines"),
];

const SURROUNDINGS: &[&str] = &[
    "std::thread",
    "std::time",
    "std::fs",
    "std::io",
    "std::env",
    "std::process",
    "std::net",
    "rayon",
    "wgpu",
    "println",
    "eprintln",
];

/// A source file: its place under `src`, and its text.
struct Source {
    /// Such as `engine/gpu/pace.rs`.
    name: String,
    text: String,
}

impl Source {
    fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut sources = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
                match path.extension() {
                    _ if path.is_dir() => folders.push(path),
                    Some(extension) if extension == "rs" => sources.push(Self::read(&root, path)),
                    _ => {}
                }
            }
        }
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        sources
    }

    fn read(root: &Path, path: PathBuf) -> Self {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        Self { name, text: std::fs::read_to_string(path).unwrap() }
    }

    /// The modules that lead to the file: `engine/gpu/mod.rs` and `engine/gpu.rs` are both `[engine, gpu]`.
    fn modules(&self) -> Vec<&str> {
        let mut parts: Vec<&str> = self.name.trim_end_matches(".rs").split('/').collect();
        if matches!(parts.last(), Some(&("mod" | "lib" | "main"))) {
            parts.pop();
        }
        parts
    }

    /// The layer of the file; `None` for the crate's roots, which name all.
    fn layer(&self) -> Option<usize> {
        let first = *self.modules().first()?;
        let place = LAYERS.iter().position(|layer| *layer == first);
        Some(place.unwrap_or_else(|| panic!("src/{}: {first} is not among the layers", self.name)))
    }

    /// Every path that the code names, from the root of this crate or of another, with its line.
    fn paths(&self) -> BTreeSet<(usize, String)> {
        Reader { tokens: tokens(&self.text), at: 0, modules: self.modules(), paths: BTreeSet::new() }.read()
    }

    /// What the file must not name, one line each.
    fn trespasses(&self) -> Vec<String> {
        let paths = self.paths();
        let mut wrong = Vec::new();
        let mut tell = |line: usize, path: &str, why: &str| {
            wrong.push(format!("src/{}:{line} names {path}: {why}", self.name));
        };
        for (line, path) in &paths {
            let first = path.split("::").next().unwrap_or_default();
            for (name, files, why) in RESERVED {
                let of_family = first == *name || first.starts_with(&format!("{name}_"));
                let allowed = files.iter().any(|f| self.name == *f || self.name.starts_with(&format!("{f}/")));
                if of_family && !allowed {
                    tell(*line, path, why);
                }
            }
            let Some(own) = self.layer() else { continue };
            let named = path.strip_prefix("crate::").and_then(|rest| rest.split("::").next());
            if let Some(other) = named.and_then(|name| LAYERS.iter().position(|layer| *layer == name))
                && other > own
            {
                tell(*line, path, &format!("{} stands to the left of {}", LAYERS[own], LAYERS[other]));
            }
            for (_, absent, why) in ABSENT.iter().filter(|(layer, ..)| *layer == LAYERS[own]) {
                if absent.iter().any(|a| path == a || path.starts_with(&format!("{a}::"))) {
                    tell(*line, path, why);
                }
            }
        }
        wrong
    }
}

/// A word or a sign of the code, with its line. Comments, strings and characters are left out.
#[derive(Clone, Debug, PartialEq)]
struct Token {
    line: usize,
    text: String,
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut line, mut tokens) = (0, 1, Vec::new());
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    while at < chars.len() {
        let rest = &chars[at..];
        let starts = |with: &str| rest.iter().copied().take(with.len()).eq(with.chars());
        let length = if starts("//") {
            rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
        } else if starts("/*") {
            block_comment(rest)
        } else if let Some(length) = raw_string(rest) {
            length
        } else if starts("\"") {
            quoted(rest, '"')
        } else if starts("'") && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
            quoted(rest, '\'')
        } else if starts("::") {
            2
        } else {
            rest.iter().position(|c| !is_word(c)).unwrap_or(rest.len()).max(1)
        };
        let part: String = rest[..length].iter().collect();
        let is_code = !(part.starts_with("//") || part.starts_with("/*") || part.contains(['"', '\'']));
        if is_code && !part.trim().is_empty() {
            tokens.push(Token { line, text: part.clone() });
        }
        line += part.matches('\n').count();
        at += length;
    }
    tokens
}

/// Length of a comment between `/*` and `*/`, which may hold others.
fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match (rest[at], rest.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

/// Length of `r"…"`, `r#"…"#`, `br"…"`, if that is what starts here.
fn raw_string(rest: &[char]) -> Option<usize> {
    let start = if rest[0] == 'b' { 1 } else { 0 };
    if rest.get(start) != Some(&'r') {
        return None;
    }
    let hashes = rest[start + 1..].iter().take_while(|c| **c == '#').count();
    let body = start + 1 + hashes;
    if rest.get(body) != Some(&'"') {
        return None;
    }
    let is_end = |at: &usize| rest[*at] == '"' && rest[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
    let end = (body + 1..rest.len()).find(is_end)?;
    Some(end + 1 + hashes)
}

/// Length of a quoted string or character.
fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// Collects paths, knowing in which module each stands.
struct Reader<'a> {
    tokens: Vec<Token>,
    at: usize,
    modules: Vec<&'a str>,
    paths: BTreeSet<(usize, String)>,
}

impl Reader<'_> {
    fn read(mut self) -> BTreeSet<(usize, String)> {
        // Depth of braces, and the depths at which inline modules were opened.
        let (mut depth, mut inline) = (0usize, Vec::new());
        while self.at < self.tokens.len() {
            match self.word(0) {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    inline.pop_if(|opened| *opened == depth);
                }
                "mod" if self.word(2) == "{" => {
                    inline.push(depth);
                    depth += 1;
                    self.at += 2;
                }
                _ if self.starts_path() => {
                    self.path(inline.len());
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.paths
    }

    fn word(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |t| &t.text)
    }

    /// A word that is not the later part of a path.
    fn starts_path(&self) -> bool {
        let is_word = self.word(0).starts_with(|c: char| c.is_alphabetic() || c == '_');
        is_word && (self.at == 0 || self.tokens[self.at - 1].text != "::")
    }

    /// Reads one path, with all branches of a `use` tree.
    fn path(&mut self, inline: usize) {
        let mut path = vec![self.word(0).to_owned()];
        self.at += 1;
        while self.word(0) == "::" && self.word(1).starts_with(|c: char| c.is_alphabetic() || c == '_') {
            path.push(self.word(1).to_owned());
            self.at += 2;
        }
        if self.word(0) == "::" && self.word(1) == "{" {
            self.at += 2;
            self.branches(&path, inline);
        } else {
            self.note(&path, inline);
        }
    }

    fn branches(&mut self, stem: &[String], inline: usize) {
        while !matches!(self.word(0), "}" | "") {
            let mut path = stem.to_vec();
            while !matches!(self.word(0), "}" | "," | "{" | "") {
                if self.word(0) == "as" {
                    self.at += 1;
                } else if self.word(0) != "::" {
                    path.push(self.word(0).to_owned());
                }
                self.at += 1;
            }
            if self.word(0) == "{" {
                self.at += 1;
                self.branches(&path, inline);
            } else {
                self.note(&path, inline);
            }
            if self.word(0) == "," {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    /// Writes a path down, `super` resolved where it leads out of the file's own layer.
    fn note(&mut self, path: &[String], inline: usize) {
        let line = self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].line;
        let ups = path.iter().take_while(|part| *part == "super").count();
        let depth = self.modules.len() + inline;
        let full = match path[0].as_str() {
            "super" if ups >= depth => std::iter::once("crate".to_owned()).chain(path[ups..].iter().cloned()).collect(),
            "super" | "self" | "Self" => return,
            _ => path.to_vec(),
        };
        self.paths.insert((line, full.join("::")));
    }
}

#[test]
fn modules_name_only_those_to_their_left() {
    let sources = Source::all();
    assert!(sources.len() > 50, "only {} files were found", sources.len());
    let wrong: Vec<String> = sources.iter().flat_map(Source::trespasses).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_of_the_crate_is_a_layer() {
    let root = Source::all().into_iter().find(|s| s.name == "lib.rs").unwrap();
    let words = tokens(&root.text);
    let modules = words.windows(2).filter(|w| w[0].text == "mod").map(|w| w[1].text.as_str());
    let places: Vec<usize> = modules
        .map(|module| LAYERS.iter().position(|l| *l == module).unwrap_or_else(|| panic!("{module} is no layer")))
        .collect();
    assert!(places.is_sorted(), "lib.rs lists its modules in reading order");
}

#[test]
fn the_reader_finds_what_stands_in_the_way() {
    // (file, text, lines that must be told of, why)
    for (name, text, expected, why) in [
        ("render/job.rs", "use crate::math::Complex;\nuse super::tile::Tile;", 0, "left and beside"),
        ("render/job.rs", "use crate::engine::all;", 1, "right"),
        ("render/job.rs", "fn f() -> crate::app::State { todo!() }", 1, "within code"),
        ("render/job.rs", "use crate::{math::{self, Big}, view::View as _, ui};", 2, "branches"),
        ("render/job.rs", "use super::super::engine::all;", 1, "by way of the parent"),
        ("engine/gpu/pace.rs", "use super::super::gpu::GpuEngine;", 0, "engine::gpu is not the layer gpu"),
        ("engine/gpu/pace.rs", "use super::super::super::view::View;", 1, "three up is the root"),
        ("engine/gpu/pace.rs", "mod tests { use super::super::super::view::V; }", 0, "that is engine::view here"),
        ("engine/mod.rs", "mod tests { mod deep { fn f() { super::super::super::ui::run() } } }", 1, "out of two"),
        ("render/job.rs", "// crate::engine\n/* crate::app /* x */ */ const A: &str = \"crate::ui\";", 0, "only words"),
        (
            "render/job.rs",
            "const A: &str = r#\"\" crate::ui\"#; const B: char = '\"'; use crate::ui;",
            1,
            "strings end",
        ),
        ("app/state.rs", "fn f<'a>(x: &'a egui::Context) {}", 1, "windows belong to ui"),
        ("cli/window.rs", "use egui_winit::State;", 1, "and their kin"),
        ("ui/window.rs", "use winit::window::Window;", 0, "in ui they may stand"),
        ("math/big.rs", "use dashu_int::IBig;", 0, "the one file"),
        ("math/real.rs", "use dashu_int::IBig;", 1, "not the one file"),
        ("fractal/smooth.rs", "use std::{fmt, time::Instant};\nfn f() { println!() }", 2, "no clock, no log"),
        ("view/mandelbrot.rs", "use crate::engine::Naive;", 1, "left, and yet not for views"),
        ("engine/naive.rs", "use crate::color::Palette;", 1, "left, and yet not for engines"),
    ] {
        let source = Source { name: name.into(), text: text.into() };
        let wrong = source.trespasses();
        assert_eq!(wrong.len(), expected, "{why}: {wrong:?}");
    }
}
