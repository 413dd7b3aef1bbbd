//! Orbits in space: against the plain engine, and against what is known of the Mandelbrot set.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use cardioid::color::{paint_exposure, space_tints};
use cardioid::engine::{self, Engine, Machine, Naive, Tiles};
use cardioid::fractal::FormulaId;
use cardioid::math::{BigComplex, Decimal};
use cardioid::render::{
    Camera, EscapeTime, Exposure, ExposureSink, Field, HostSink, Job, Latest, Newest, Plane, RenderError, Scene, Space,
    SpaceAxis, Task, Viewport,
};

use crate::cases::assert_looked_at;

const SECTION: Scene = Scene::Section { s: 0.1 };

fn space(scene: Scene, points: u32, camera: Camera) -> Space {
    Space { scene, ghost: scene != Scene::Set, points, camera, tints: Arc::new(space_tints(scene)) }
}

fn tiles(threads: usize) -> Tiles {
    Tiles::new(Machine::without_gpu(threads).unwrap().pool)
}

fn exposure(engine: &mut dyn Engine, task: &Space, size: [u32; 2]) -> Exposure {
    let sink = ExposureSink::default();
    engine.render(&task.clone().job(size).unwrap(), &Latest::forever(), &sink).unwrap();
    sink.into_exposure()
}

#[test]
fn threads_cameras_and_what_was_drawn_before_change_nothing() {
    let size = [150, 97];
    let mut engines = [1, 3].map(tiles);
    // In this order the cloud grows, holds too much, and is thrown away.
    for (scene, points, camera, why) in [
        (SECTION, 20_000, Camera::HOME, "the usual view"),
        (SECTION, 60_000, Camera::HOME, "more points"),
        (SECTION, 30_000, Camera::along(SpaceAxis::X), "fewer again, from elsewhere"),
        (SECTION, 30_000, Camera { distance: 0.4, ..Camera::HOME }, "from within"),
        (Scene::Section { s: 0.0 }, 50_000, Camera::along(SpaceAxis::Y), "another section, chaos too"),
        (Scene::Set, 50_000, Camera::flight(0.5), "another scene"),
    ] {
        let task = space(scene, points, camera);
        let expected = exposure(&mut Naive, &task, size);
        assert!(expected.light.iter().filter(|pixel| pixel[0] > 0).count() > 100, "{why}: there is light");
        for engine in &mut engines {
            assert!(exposure(engine, &task, size) == expected, "{why}, {}", engine.describe());
        }
    }
}

#[test]
fn brightness_does_not_depend_on_the_number_of_points() {
    for (scene, bound) in [(SECTION, 0.03), (Scene::Set, 0.03)] {
        let means = [100_000, 800_000].map(|points| {
            let exposure = exposure(&mut tiles(2), &space(scene, points, Camera::HOME), [96, 64]);
            let sum: u64 = exposure.light.iter().map(|pixel| u64::from(pixel[0])).sum();
            sum as f64 * f64::from(exposure.gain[0])
        });
        assert!((means[0] / means[1] - 1.0).abs() < bound, "{scene:?}: {means:?}");
    }
}

/// For each sample of `side` × `side` a pixel, whether its orbit stays for 3000 steps: row by row, over a view of the
/// plane of c that is `height` high.
fn interior(height: &str, [width, rows]: [u32; 2], side: u32) -> Vec<bool> {
    let center = BigComplex::new("-0.75".parse::<Decimal>().unwrap(), "0".parse().unwrap());
    let size = [width * side, rows * side];
    let escape =
        EscapeTime { formula: FormulaId::Quadratic, plane: Plane::Parameter, max_iterations: 3000, bailout: 2.0 };
    let job = Job {
        viewport: Viewport::new(center, height.parse().unwrap(), size).unwrap(),
        task: Task::EscapeTime(escape),
        ..space(Scene::Set, 0, Camera::HOME).job(size).unwrap()
    };
    let mut field = Field::missing(size);
    tiles(2).render(&job, &Latest::forever(), &HostSink::new(&mut field)).unwrap();
    (0..size[1]).flat_map(|y| field.row(y).iter().map(|sample| sample.iterations == 0).collect::<Vec<_>>()).collect()
}

#[test]
fn from_above_the_whole_set_is_the_mandelbrot_set() {
    let (size, side) = ([180, 156], 4);
    // So far away, and with so narrow a view, that heights move nothing: 2.6 is as high as the picture.
    let distance = 1e4;
    let camera = Camera { yaw: 0.0, pitch: FRAC_PI_2, distance, fov: 2.0 * (1.3 / distance).atan(), ..Camera::HOME };
    let exposure = exposure(&mut tiles(2), &space(Scene::Set, 4_000_000, camera), size);
    let interior = interior("2.6", size, side);
    let stays = |x: i64, y: i64| {
        let inside = |at: i64, axis: usize| (0..i64::from(size[axis] * side)).contains(&at);
        inside(x, 0) && inside(y, 1) && interior[y as usize * (size[0] * side) as usize + x as usize]
    };
    let side = i64::from(side);
    let mut occupied = 0;
    for (i, pixel) in exposure.light.iter().enumerate() {
        let (x, y) = (i as i64 % i64::from(size[0]), i as i64 / i64::from(size[0]));
        // The samples of the pixel and of those about it.
        let near = (-side..2 * side).flat_map(|dy| (-side..2 * side).map(move |dx| (dx, dy)));
        let near: Vec<bool> = near.map(|(dx, dy)| stays(x * side + dx, y * side + dy)).collect();
        // A whole sheet of any colour has more than 0.8; a speck may be smaller than samples show.
        let light = f64::from(pixel[..3].iter().sum::<u32>()) * f64::from(exposure.gain[0]);
        let is_occupied = light > 0.6;
        assert!(!is_occupied || near.contains(&true), "pixel {x}, {y} has light {light} outside the set");
        assert!(is_occupied || near.contains(&false), "pixel {x}, {y} is dark inside the set: {light}");
        occupied += u32::from(is_occupied);
    }
    // Area of the set 1.5066 (Förstemann, by counting pixels), in pixels.
    let area = 1.5066 * (156.0_f64 / 2.6).powi(2);
    assert!((f64::from(occupied) / area - 1.0).abs() < 0.1, "{occupied} pixels of {area}");
}

#[test]
fn stale_jobs_stop_and_other_engines_say_what_they_lack() {
    let job = space(SECTION, 20_000, Camera::HOME).job([64, 48]).unwrap();
    let (newest, sink) = (Newest::default(), ExposureSink::default());
    let stale = newest.next();
    newest.cancel();
    for engine in engine::all(&Machine::without_gpu(2).unwrap()).iter_mut() {
        match engine.key() {
            "naive" | "tiles" => {
                assert_eq!(engine.render(&job, &stale, &sink), Err(RenderError::Cancelled), "{}", engine.key());
            }
            "gpu" => assert!(engine.supports(&job).is_err()),
            key => {
                let message = engine.supports(&job).unwrap_err().to_string();
                assert!(message.contains("orbits in space") && message.contains("tiles"), "{key}: {message}");
            }
        }
    }
}

#[test]
fn the_pictures_are_those_that_were_looked_at() {
    let size = [240, 160];
    for (name, scene, camera) in
        [("space_section", Scene::Section { s: 0.3 }, Camera::HOME), ("space_set", Scene::Set, Camera::flight(0.5))]
    {
        let task = space(scene, 400_000, camera);
        let pixels = paint_exposure(&exposure(&mut tiles(2), &task, size), &task);
        // Sines of the system's library may differ in their last place, and points at the edge of a 256th pixel with them.
        assert_looked_at(name, size, &pixels, 3);
    }
}
