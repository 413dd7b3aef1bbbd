//! Sample coordinates, made once a frame and shared by tiles, mirrors and engines.

/// Coordinates of a grid of samples, in f64.
///
/// Sample (i, j), from the top left, lies at `re = re_x[i] + re_y[j]`, `im = im_y[j] + im_x[i]`.
/// Without rotation `re_y` and `im_x` are zero, and `re_x`, `im_y` are the exact values rounded once.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub re_x: Vec<f64>,
    pub im_x: Vec<f64>,
    pub re_y: Vec<f64>,
    pub im_y: Vec<f64>,
}

impl Grid {
    /// Width and height in samples.
    pub fn size(&self) -> [u32; 2] {
        [self.re_x.len() as u32, self.im_y.len() as u32]
    }

    /// The point of sample (i, j).
    #[inline]
    pub fn point(&self, i: usize, j: usize) -> crate::math::Complex {
        crate::math::Complex::new(self.re_x[i] + self.re_y[j], self.im_y[j] + self.im_x[i])
    }

    /// The same samples told by other units and from another origin: each coordinate times `scale`, and `shift` more.
    #[must_use]
    pub fn told_from(self, shift: crate::math::Complex, scale: f64) -> Self {
        let scaled = |all: Vec<f64>, shift: f64| all.into_iter().map(|v| v * scale + shift).collect();
        Self {
            re_x: scaled(self.re_x, shift.re),
            im_x: scaled(self.im_x, 0.0),
            re_y: scaled(self.re_y, 0.0),
            im_y: scaled(self.im_y, shift.im),
        }
    }

    /// True where columns and rows are parallel to the axes.
    pub fn is_upright(&self) -> bool {
        self.re_y.iter().chain(&self.im_x).all(|&v| v == 0.0)
    }

    /// The row that mirrors row `j` exactly about the real axis, where there is one.
    pub fn mirror_row(&self, j: usize) -> Option<usize> {
        // Rows fall evenly, so im_y[j] + im_y[k] = 0 has at most one candidate k near the mirrored index.
        let (first, last) = (*self.im_y.first()?, *self.im_y.last()?);
        let step = (first - last) / (self.im_y.len().max(2) - 1) as f64;
        let k = ((first + self.im_y[j]) / step).round();
        let k = (k >= 0.0 && k < self.im_y.len() as f64).then_some(k as usize)?;
        (self.im_y[k] == -self.im_y[j]).then_some(k)
    }
}
