//! Samples to colours.
