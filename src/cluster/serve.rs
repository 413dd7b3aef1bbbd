//! Requests for tiles and frames, a line of JSON each, and their replies: what a worker's child understands.
//!
//! `{"v":1,"job":HASH,"tile":[x,y,width,height]}` asks for a tile of a picture, `{"v":1,"job":HASH,"frame":NUMBER}` for a frame
//! of an animation; the first request of a job says `"spec":TEXT` too. The engine, and with it a deep picture's reference
//! orbit, is kept from one request of a job to the next. Replies are [`tile`]s or [`frame`]s, or failures in their place;
//! after a failure the next request is answered as if nothing had been.

use std::io::{self, Write};
use std::path::Path;

use serde::Deserialize;

use super::paint::pixels;
use super::{Reel, Spec, SpecError, frame, tile};
use crate::app::animation::AnimationError;
use crate::app::export::ExportError;
use crate::engine::Engine;
use crate::render::{Job, Latest, RenderError, Tile};

/// Longest line that is read: a spec, and what quoting adds to it.
pub const MOST_LINE_BYTES: usize = 2 * Spec::MOST_BYTES;
/// Most pixels of a tile: a reply of 48 MiB.
const MOST_TILE_PIXELS: u64 = 1 << 24;
const VERSION: u32 = 1;

/// Finds the engine of a key, for a job; the text of a failure is for people.
pub type EngineOf = dyn Fn(&str, &Job) -> Result<Box<dyn Engine>, String>;

/// Answers requests; knows one job at a time.
pub struct Server {
    engine_of: Box<EngineOf>,
    current: Option<Current>,
}

/// The job of the last request.
struct Current {
    hash: String,
    subject: Subject,
    engine: Box<dyn Engine>,
}

/// What is drawn.
enum Subject {
    Picture(Box<Spec>),
    Animation(Reel),
}

/// What is answered.
enum Answer {
    Tile(Tile, Vec<u8>),
    Frame(Vec<u8>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    v: u32,
    job: String,
    tile: Option<[u32; 4]>,
    frame: Option<u32>,
    spec: Option<String>,
}

/// Why a request is not answered.
#[derive(Debug, thiserror::Error)]
enum RequestError {
    #[error("the line has more than {MOST_LINE_BYTES} bytes")]
    TooLong,
    #[error("this is no request: {0}")]
    Malformed(serde_json::Error),
    #[error("the request is of version {0}, this program knows {VERSION}")]
    Version(u32),
    #[error("the job is not known here; its first request carries its spec")]
    NoSpec,
    #[error("the spec is that of another job: its hash is {0}")]
    AnotherSpec(String),
    #[error("no tile of {width}x{height} pixels at {x},{y} is drawn of this picture",
        width = .0.width, height = .0.height, x = .0.x, y = .0.y)]
    NoTile(Tile),
    #[error("the job has no frame {0}")]
    NoFrame(u32),
    #[error("a request is for a tile of a picture, or for a frame of an animation")]
    Unclear,
    #[error("{0}")]
    NoEngine(String),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Animation(#[from] AnimationError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl Subject {
    fn from_text(text: &str) -> Result<Self, RequestError> {
        // Pictures are JSON, animations TOML.
        match text.starts_with('{') {
            true => Ok(Self::Picture(Spec::from_text(text)?.into())),
            false => Ok(Self::Animation(Reel::from_text(text)?)),
        }
    }

    fn hash(&self) -> String {
        match self {
            Self::Picture(spec) => spec.hash(),
            Self::Animation(reel) => reel.hash(),
        }
    }

    /// The engine that draws it, and a job that it must be able to do.
    fn needs(&self) -> (&str, Job) {
        match self {
            Self::Picture(spec) => (spec.engine(), spec.job()),
            Self::Animation(reel) => (reel.engine(), reel.job()),
        }
    }
}

impl Server {
    pub fn new(engine_of: Box<EngineOf>) -> Self {
        Self { engine_of, current: None }
    }

    /// Writes the reply to one line. Once `latest` is stale, work ends with a failure.
    ///
    /// # Errors
    /// What the writer fails with; whatever is wrong with the request is its reply.
    pub fn answer(&mut self, line: &[u8], latest: &Latest, to: &mut dyn Write) -> io::Result<()> {
        match self.answered(line, latest) {
            Ok(Answer::Tile(tile, pixels)) => tile::write(to, tile, &pixels)?,
            Ok(Answer::Frame(png)) => frame::write(to, &png)?,
            Err(error) => tile::write_failure(to, &error.to_string())?,
        }
        to.flush()
    }

    fn answered(&mut self, line: &[u8], latest: &Latest) -> Result<Answer, RequestError> {
        if line.len() > MOST_LINE_BYTES {
            return Err(RequestError::TooLong);
        }
        let request: Request = serde_json::from_slice(line).map_err(RequestError::Malformed)?;
        if request.v != VERSION {
            return Err(RequestError::Version(request.v));
        }
        let Current { subject, engine, .. } = self.job(request.job, request.spec)?;
        match (subject, request.tile, request.frame) {
            (Subject::Picture(spec), Some([x, y, width, height]), None) => {
                let tile = Tile { x, y, width, height };
                if !is_drawn(tile, spec.size()) {
                    return Err(RequestError::NoTile(tile));
                }
                Ok(Answer::Tile(tile, pixels(spec, engine.as_mut(), tile, latest)?))
            }
            (Subject::Animation(reel), None, Some(number)) if number < reel.animation().frames() => {
                let path = Path::new("(memory)");
                Ok(Answer::Frame(reel.animation().draw(number, engine.as_mut(), path, latest)?))
            }
            (_, None, Some(number)) => Err(RequestError::NoFrame(number)),
            _ => Err(RequestError::Unclear),
        }
    }

    /// The job of that hash: the last one, or the one whose spec has come.
    fn job(&mut self, hash: String, spec: Option<String>) -> Result<&mut Current, RequestError> {
        if self.current.as_ref().is_none_or(|current| current.hash != hash) {
            let subject = Subject::from_text(&spec.ok_or(RequestError::NoSpec)?)?;
            if subject.hash() != hash {
                return Err(RequestError::AnotherSpec(subject.hash()));
            }
            let (key, job) = subject.needs();
            let engine = (self.engine_of)(key, &job).map_err(RequestError::NoEngine)?;
            self.current = Some(Current { hash, subject, engine });
        }
        Ok(self.current.as_mut().expect("it is there, or was made"))
    }
}

/// True for tiles that lie within a picture of `size` and are of a size that is answered.
fn is_drawn(tile: Tile, size: [u32; 2]) -> bool {
    let within = |first: u32, count: u32, all: u32| count > 0 && first.checked_add(count).is_some_and(|end| end <= all);
    let pixels = u64::from(tile.width) * u64::from(tile.height);
    within(tile.x, tile.width, size[0]) && within(tile.y, tile.height, size[1]) && pixels <= MOST_TILE_PIXELS
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::app::animation::{Animation, Course, Detail, Pace};
    use crate::app::{Location, Play};
    use crate::engine::Naive;
    use crate::fractal::FormulaId;
    use crate::view::ComplexBifurcation;

    fn spec() -> Spec {
        let location = Location::home(FormulaId::Quadratic);
        let job = location.job([64, 48]).unwrap().with_max_iterations(100);
        Spec::of(&job, &location.complete(&job, Naive.key(), 2)).unwrap()
    }

    /// Three frames.
    fn reel() -> Reel {
        let view = Box::new(ComplexBifurcation::at_home([24, 18]));
        let detail = Detail { orbits: Some(2), samples: Some(50) };
        let (course, pace) = (Course::Round(Play::Section), Pace { seconds: 3.0, fps: 1 });
        let animation = Animation::new(vec![view], course, pace, [24, 18], detail).unwrap();
        Reel::from_text(&animation.to_text(Naive.key())).unwrap()
    }

    fn server() -> Server {
        Server::new(Box::new(|key, _| match key {
            "naive" => Ok(Box::new(Naive)),
            other => Err(format!("no {other} here")),
        }))
    }

    fn reply(server: &mut Server, line: &[u8]) -> Vec<u8> {
        let mut reply = Vec::new();
        server.answer(line, &Latest::forever(), &mut reply).unwrap();
        reply
    }

    #[test]
    fn tiles_are_parts_of_the_whole() {
        let (spec, mut server) = (spec(), server());
        let whole = pixels(&spec, &mut Naive, Tile::whole([64, 48]), &Latest::forever()).unwrap();
        for (n, [x, y, width, height]) in
            [[0, 0, 64, 48], [7, 5, 11, 3], [63, 47, 1, 1], [0, 20, 64, 1]].into_iter().enumerate()
        {
            let text = (n == 0).then(|| spec.text());
            let line = json!({"v": 1, "job": spec.hash(), "tile": [x, y, width, height], "spec": text}).to_string();
            let reply = reply(&mut server, line.as_bytes());
            let found = tile::from_reply(&reply, Tile { x, y, width, height }).unwrap();
            let rows = whole.chunks(3 * 64).skip(y as usize).take(height as usize);
            let expected = rows.flat_map(|row| &row[3 * x as usize..][..3 * width as usize]);
            assert!(found.iter().eq(expected), "{x},{y}");
        }
    }

    #[test]
    fn frames_are_those_of_one_machine_and_jobs_may_change_between() {
        let (reel, spec, mut server) = (reel(), spec(), server());
        let tile = json!({"v": 1, "job": spec.hash(), "tile": [3, 4, 5, 6], "spec": spec.text()}).to_string();
        for number in [2, 0, 1] {
            let expected = reel.animation().draw(number, &mut Naive, Path::new("f"), &Latest::forever()).unwrap();
            for text in [Some(reel.text()), None] {
                let line = json!({"v": 1, "job": reel.hash(), "frame": number, "spec": text}).to_string();
                let reply = reply(&mut server, line.as_bytes());
                assert!(frame::from_reply(&reply).unwrap() == expected, "{number}");
            }
            let reply = reply(&mut server, tile.as_bytes());
            assert!(tile::from_reply(&reply, Tile { x: 3, y: 4, width: 5, height: 6 }).is_ok());
        }
    }

    #[test]
    fn what_is_wrong_with_a_request_is_its_reply() {
        let spec = spec();
        let (hash, text) = (spec.hash(), spec.text());
        let reel = reel();
        let moving = reel.hash();
        for (request, expected) in [
            (json!({"v": 1, "job": "x", "tile": [0, 0, 8, 8]}), "its first request"),
            (json!({"v": 1, "job": "x", "tile": [0, 0, 8, 8], "spec": text}), "of another job"),
            (json!({"v": 1, "job": hash, "tile": [0, 0, 8, 8], "spec": "{}"}), "no picture's spec"),
            (json!({"v": 2, "job": hash, "tile": [0, 0, 8, 8], "spec": text}), "version 2"),
            (json!({"v": 1, "job": hash, "tile": [0, 0, 65, 8], "spec": text}), "no tile of 65x8"),
            (json!({"v": 1, "job": hash, "tile": [u32::MAX, 0, 2, 8], "spec": text}), "no tile"),
            (json!({"v": 1, "job": hash, "tile": [0, 0, 0, 8], "spec": text}), "no tile of 0x8"),
            (json!({"v": 1, "job": hash, "tile": [0, 0, 8], "spec": text}), "no request"),
            (json!({"v": 1, "job": hash, "tile": [0, 0, 8, 8], "more": 1}), "more"),
            (json!({"v": 1, "job": hash, "frame": 0, "spec": text}), "no frame 0"),
            (json!({"v": 1, "job": hash, "spec": text}), "for a tile of a picture"),
            (json!({"v": 1, "job": hash, "tile": [0, 0, 8, 8], "frame": 0, "spec": text}), "or for a frame"),
            (json!({"v": 1, "job": moving, "frame": 3, "spec": reel.text()}), "no frame 3"),
            (json!({"v": 1, "job": moving, "tile": [0, 0, 8, 8], "spec": reel.text()}), "or for a frame"),
            (json!({"v": 1, "job": hash, "frame": 0, "spec": reel.text()}), "of another job"),
            (json!({"v": 1, "job": hash, "frame": 0, "spec": "frames = 2"}), "no animation"),
        ] {
            let reply = reply(&mut server(), request.to_string().as_bytes());
            let error = tile::from_reply(&reply, Tile::whole([8, 8])).unwrap_err().to_string();
            assert!(error.contains(expected), "{request}: {error:?} lacks {expected:?}");
        }
    }

    #[test]
    fn no_line_breaks_the_server() {
        let (spec, reel, mut server) = (spec(), reel(), server());
        let good = json!({"v": 1, "job": spec.hash(), "tile": [1, 2, 3, 4], "spec": spec.text()}).to_string();
        let frame = json!({"v": 1, "job": reel.hash(), "frame": 1, "spec": reel.text()}).to_string();
        let wanted = Tile { x: 1, y: 2, width: 3, height: 4 };
        // A fixed sequence of pseudorandom numbers: Numerical Recipes' linear congruence.
        let mut seed = 1u32;
        for good in [&good, &frame].into_iter().cycle().take(4000) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut line = good.clone().into_bytes();
            let at = (seed >> 8) as usize % line.len();
            match seed >> 30 {
                0 => line.truncate(at),
                1 => line[at] ^= (seed as u8).max(1),
                2 => line.insert(at, seed as u8),
                _ => drop(line.remove(at)),
            }
            let reply = reply(&mut server, &line);
            let is_tile = tile::Header::read(&mut reply.as_slice()).is_ok();
            let is_frame = frame::from_reply(&reply).is_ok();
            assert!(is_tile || is_frame || reply.starts_with(b"CDE1"), "{:?}", String::from_utf8_lossy(&line));
        }
        assert!(tile::from_reply(&reply(&mut server, &vec![b'x'; MOST_LINE_BYTES + 1]), wanted).is_err());
        assert!(tile::from_reply(&reply(&mut server, good.as_bytes()), wanted).is_ok());
    }
}
