//! Diagrams on the device: layers that are uploaded, and the colour pass against the CPU's painting.

use cardioid::color::{DiagramPass, DiagramScheme, Tone, paint_diagram};
use cardioid::engine::{Engine as _, Machine, Tiles};
use cardioid::fractal::MapId;
use cardioid::fractal::attractor::Effort;
use cardioid::gpu::{DiagramBuffer, DiagramSum, Gpu, GpuError, Picture};
use cardioid::math::BigComplex;
use cardioid::render::{
    Channels, Column, DeviceDiagram as _, Diagram, DiagramShape, DiagramSink, Fan, Job, Latest, Lattice, OrbitDensity,
    Ordinate, Quality, Section, Shortcuts, Strip, Task, Viewport,
};

use super::device;

/// A job over a box of x² + c: least and largest c, then x.
fn job([c0, c1, x0, x1]: [&str; 4], size: [u32; 2], orbits: u32) -> Job {
    let corner = |c: &str, x: &str| BigComplex::new(c.parse().unwrap(), x.parse().unwrap());
    let task = OrbitDensity { map: MapId::Quadratic, orbits: 0..orbits, kept: 300, effort: Effort::MOVING };
    Job {
        viewport: Viewport::from_box(&corner(c0, x0), &corner(c1, x1), size).unwrap(),
        lattice: Lattice::FULL,
        task: Task::OrbitDensity(task),
        channels: Channels::default(),
        quality: Quality::Exact,
        shortcuts: Shortcuts::ALL,
        focus: [0.0; 2],
    }
}

/// A section of some box, with or without the fan.
fn section(s: f64, ordinate: Ordinate, fan: Option<Fan>, size: [u32; 2]) -> Job {
    let task = Section { s, ordinate, orbits: 0..5, kept: 200, effort: Section::MOVING, fan };
    Job { task: Task::Section(task), ..job(["-1.7", "0.5", "-1.5", "1.6"], size, 1) }
}

fn computed(job: &Job) -> Diagram {
    let sink = DiagramSink::new(job);
    Tiles::new(Machine::without_gpu(2).unwrap().pool).render(job, &Latest::forever(), &sink).unwrap();
    sink.into_diagram()
}

/// Every count from 0 to the largest there is, every period, and exponents on both sides of their range.
fn synthetic(size: [u32; 2], scale: u32) -> Diagram {
    let mut strip = Strip::empty(0..size[0], size[1]);
    let hash = |i: u32| i.wrapping_mul(2_654_435_761);
    for (i, (density, coverage)) in (0..).zip(strip.density.iter_mut().zip(&mut strip.coverage)) {
        let magnitude = hash(i) % 24;
        *density = if i % 3 == 0 { 0 } else { (hash(i + 1) >> (8 + magnitude)) * scale };
        *coverage = if i % 5 == 0 { hash(i + 2) >> 18 } else { 0 };
    }
    for (i, column) in (0..).zip(&mut strip.columns) {
        let exponent = f64::from(hash(i) >> 8) / f64::from(1 << 23) - 1.0;
        if i % 4 != 1 {
            column.add_periodic(1 + i, exponent);
        }
        if i % 4 != 0 {
            column.add_unsettled(exponent);
            column.add_unsettled(0.9 * exponent);
        }
    }
    for x in 0..strip.columns.len() {
        let (column, pixels) = (strip.columns[x], strip.pixels(x));
        strip.density[pixels.clone()].iter_mut().for_each(|count| *count *= u32::from(column.unsettled > 0));
        strip.coverage[pixels].iter_mut().for_each(|count| *count *= u32::from(column.periodic > 0));
    }
    Diagram::from_strip(DiagramShape::plain(size), 3, strip)
}

fn painted(gpu: &Gpu, pass: &DiagramPass, scheme: DiagramScheme, buffer: &DiagramBuffer) -> Vec<[u8; 4]> {
    let picture = Picture::new(gpu, buffer.size()).unwrap();
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    pass.paint(&mut encoder, scheme, buffer, &picture).unwrap();
    gpu.queue.submit([encoder.finish()]);
    picture.read_back(gpu).unwrap()
}

#[test]
fn the_pass_paints_what_the_definition_says() {
    let Some(gpu) = device() else { return };
    let pass = DiagramPass::new(&gpu).unwrap();
    for (diagram, why) in [
        (computed(&job(["-2.02", "0.27", "-2.05", "2.05"], [320, 180], 8)), "all of it"),
        (computed(&job(["-1.8", "-1.7", "-0.3", "0.4"], [200, 333], 5)), "about the window of period 3"),
        (computed(&job(["0.3", "0.4", "-2", "2"], [64, 64], 4)), "nothing at all"),
        (computed(&section(0.1, Ordinate::Re, Some(Fan::DEFAULT), [200, 160])), "a section"),
        (computed(&section(-0.5, Ordinate::Im, None, [160, 111])), "a section without its fan"),
        (computed(&section(0.0, Ordinate::Re, Some(Fan::DEFAULT), [160, 111])), "one with chaos"),
        (synthetic([1021, 67], 1), "all sizes of counts"),
        (synthetic([67, 1021], 255), "large counts"),
    ] {
        let buffer = DiagramBuffer::empty(&gpu, diagram.shape()).unwrap();
        buffer.upload(&diagram, 0..diagram.size()[0]).unwrap();
        for scheme in DiagramScheme::ALL {
            let expected = paint_diagram(&diagram, scheme, Tone::of(&diagram));
            let got = painted(&gpu, &pass, scheme, &buffer);
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                // Arithmetic in f32 against f64.
                let off = got.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
                assert!(off <= 1, "{why}, {scheme:?}: pixel {i} is {got:?}, expected {expected:?}");
            }
        }
    }
}

#[test]
fn columns_arrive_where_they_belong_and_come_back() {
    let Some(gpu) = device() else { return };
    let diagram = synthetic([100, 37], 1);
    let buffer = DiagramBuffer::empty(&gpu, diagram.shape()).unwrap();
    assert!(buffer.read_back().unwrap() == Diagram::empty([100, 37]));
    buffer.upload(&diagram, 60..100).unwrap();
    let half = buffer.read_back().unwrap();
    assert_eq!((half.orbits(), half.columns()[59]), (3, Column::default()));
    assert_eq!(half.density(60), diagram.density(60));
    buffer.upload(&diagram, 0..60).unwrap();
    assert!(buffer.read_back().unwrap() == diagram);
}

#[test]
fn too_large_a_diagram_is_an_error() {
    let Some(gpu) = device() else { return };
    let Err(error) = DiagramBuffer::empty(&gpu, DiagramShape::plain([65535, 65535])) else {
        panic!("there is room for 17 GB")
    };
    assert!(matches!(error, GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }), "{error}");
}

#[test]
fn sums_are_those_of_the_host() {
    let Some(gpu) = device() else { return };
    let sum = DiagramSum::new(&gpu).unwrap();
    let (whole, part) = (synthetic([100, 37], 1), synthetic([80, 37], 1));
    let uploaded = |diagram: &Diagram| {
        let buffer = DiagramBuffer::empty(&gpu, diagram.shape()).unwrap();
        buffer.upload(diagram, 0..diagram.size()[0]).unwrap();
        buffer
    };
    let there = uploaded(&part);
    for at in [-90, -80, -79, -3, 0, 7, 20, 21, 99, 100, i64::MAX / 2] {
        let mut expected = whole.clone();
        expected.add_columns(&part, at);
        let got = uploaded(&whole);
        sum.add_columns(&got, &there, at).unwrap();
        assert!(got.read_back().unwrap() == expected, "at column {at}");
        assert!(sum.moved(&there, at).unwrap().read_back().unwrap() == part.moved(at), "moved by {at}");
    }
    let (mut expected, got) = (whole.clone(), uploaded(&whole));
    expected.add(&whole);
    sum.add(&got, &uploaded(&whole)).unwrap();
    assert!(got.read_back().unwrap() == expected);
}
