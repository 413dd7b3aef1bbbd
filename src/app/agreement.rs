//! Whether two engines drew the same: how many counts differ, and how that is to be read.

/// What an engine's samples, or columns of a diagram, have not in common with another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Engine that this one was held against.
    pub against: &'static str,
    pub count: usize,
    /// Of so many.
    pub of: usize,
    /// Largest difference.
    pub most: u64,
    /// Both round every operation alike: nothing may differ.
    pub same_arithmetic: bool,
}

/// How a share of differing counts is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    Equal,
    /// Different arithmetic, at most 0.1 %.
    Close,
    /// Different arithmetic, at most 5 %.
    Loose,
    /// Too far apart for the times to be compared, or the same arithmetic and not equal.
    Broken,
}

impl Agreement {
    /// Of engines whose counts differ in a share of 0 to 1.
    pub fn of(share: f64, same_arithmetic: bool) -> Self {
        match share {
            0.0 => Self::Equal,
            _ if same_arithmetic => Self::Broken,
            s if s <= 0.001 => Self::Close,
            s if s <= 0.05 => Self::Loose,
            _ => Self::Broken,
        }
    }

    /// In a word, for tables that people copy.
    pub fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Close => "close",
            Self::Loose => "loose",
            Self::Broken => "broken",
        }
    }
}

impl Differing {
    /// 0 to 1.
    pub fn share(&self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }

    pub fn agreement(&self) -> Agreement {
        Agreement::of(self.share(), self.same_arithmetic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_arithmetic_must_be_equal_and_other_arithmetic_close() {
        for (count, same_arithmetic, expected) in [
            (0, true, Agreement::Equal),
            (1, true, Agreement::Broken),
            (0, false, Agreement::Equal),
            (10, false, Agreement::Close),
            (11, false, Agreement::Loose),
            (500, false, Agreement::Loose),
            (501, false, Agreement::Broken),
        ] {
            let differing = Differing { against: "naive", count, of: 10_000, most: 1, same_arithmetic };
            assert_eq!(differing.agreement(), expected, "{count} of 10 000");
        }
    }
}
