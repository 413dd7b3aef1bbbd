//! The parts of the screen beside and over the picture. One file a part; each reads the explorer
//! and says what it wants by pushing commands.

mod bookmarks;
pub mod compare;
pub mod context_menu;
pub mod export;
pub mod guides;
pub mod keys;
pub mod messages;
pub mod orbit;
pub mod race;
pub mod side;
pub mod status;
pub mod tile_map;

mod colours;
mod controls;
mod dialog;
pub mod digits;
mod engines;
mod hands;
mod number_field;
mod params;
mod place;
mod save;
pub mod table;

pub use bookmarks::BookmarkForm;
pub use colours::Strips;
pub use controls::{copy_buttons, hint, icon_button};
pub use export::ExportForm;
pub use guides::Handles;
pub use orbit::PointFields;
pub use params::PointForms;
pub use place::PlaceForm;
pub use race::button as race_button;
pub use save::told as cluster_told;
