//! A whole animation as text: everything that decides a byte of its frames.

use super::spec::hash_of;
use crate::app::animation::{Animation, AnimationError};
use crate::render::Job;

/// An animation whose frames can be drawn anywhere, one by one.
///
/// Its text is that of the animation, as a folder of frames has it: TOML, with the engine that draws it.
pub struct Reel {
    animation: Animation,
    engine: String,
    text: String,
}

impl Reel {
    /// # Errors
    /// [`AnimationError`] where the text describes no animation.
    pub fn from_text(text: &str) -> Result<Self, AnimationError> {
        let (animation, engine) = Animation::from_text(text)?;
        Ok(Self { animation, engine, text: text.to_owned() })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the text, as 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        hash_of(&self.text)
    }

    /// Key of the engine that draws it, wherever that is.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    pub fn animation(&self) -> &Animation {
        &self.animation
    }

    /// A job like those of all frames.
    pub fn job(&self) -> Job {
        self.animation.jobs(0).swap_remove(0)
    }
}
