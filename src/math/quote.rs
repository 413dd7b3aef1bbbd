//! What people typed, at a length that a message can hold.

/// Most characters of a value that a message repeats.
const MOST_CHARS: usize = 120;

/// The text, or its beginning and `…`: a pasted page should not fill the screen again.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
