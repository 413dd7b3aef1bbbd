//! Pictures into a window: each laid down by an affine map, back to front.

use bytemuck::{Pod, Zeroable};

use super::{Gpu, GpuError, Picture, shader};

/// How a picture is read between its pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// The pixel that a place lies in. Where pixels of picture and window coincide, colours come out exactly.
    #[default]
    Nearest,
    /// Between pixels: as the presenter's [`Between`] says.
    Smooth,
}

/// What is seen between the pixels of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Magnified, a sharp curve through the pixels around; made smaller, the average of those that fall together.
    Sharp,
    /// The four pixels around, blended.
    Plain,
}

/// One picture and its place in the window.
#[derive(Clone)]
pub struct Quad<'a> {
    pub picture: &'a Picture,
    /// Window pixels from picture pixels: `x = m[0][0]·u + m[0][1]·v + m[0][2]`, y likewise by `m[1]`.
    pub window_from_picture: [[f32; 3]; 2],
    /// 0 is invisible, 1 hides what lies below (where the picture has pixels).
    pub opacity: f32,
    pub filter: Filter,
    /// How far beyond its edges the picture goes on as it ends, in its pixels.
    pub margin: f32,
    /// Left, top, width and height of the part of the window that may be drawn to, in pixels.
    pub clip: Option<[u32; 4]>,
}

impl<'a> Quad<'a> {
    /// A picture whose pixels are window pixels, its top left corner at `left`, `top`.
    pub fn at(picture: &'a Picture, [left, top]: [i32; 2]) -> Self {
        let window_from_picture = [[1.0, 0.0, left as f32], [0.0, 1.0, top as f32]];
        Self { picture, window_from_picture, opacity: 1.0, filter: Filter::Nearest, margin: 0.0, clip: None }
    }
}

/// A quad's numbers; the shader reads the same bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct QuadUniform {
    window_from_picture_x: [f32; 4],
    window_from_picture_y: [f32; 4],
    picture_from_window_x: [f32; 4],
    picture_from_window_y: [f32; 4],
    window_size: [f32; 2],
    opacity: f32,
    linear_target: u32,
    margin: f32,
    padding: [f32; 3],
}

/// Draws pictures into render passes of one target format.
pub struct Presenter {
    gpu: Gpu,
    /// One layout for both pipelines, so that one bind group serves either.
    layout: wgpu::BindGroupLayout,
    nearest: wgpu::RenderPipeline,
    smooth: wgpu::RenderPipeline,
    linear_target: bool,
}

impl Presenter {
    /// For passes whose only attachment has that format. A software device shows what is plain between pixels: it takes its
    /// time from the engines.
    ///
    /// # Errors
    /// [`GpuError`] where the driver refuses the shader.
    pub fn new(gpu: &Gpu, target: wgpu::TextureFormat) -> Result<Self, GpuError> {
        Self::with(gpu, target, if gpu.is_software() { Between::Plain } else { Between::Sharp })
    }

    /// The same, whatever the device.
    ///
    /// # Errors
    /// As [`Presenter::new`].
    pub fn with(gpu: &Gpu, target: wgpu::TextureFormat, between: Between) -> Result<Self, GpuError> {
        let module = shader::module(gpu, "present", None, shader::Checks::Full)?;
        gpu.checked("the presenter", |device| {
            let layout = bind_group_layout(device);
            let pipeline = |filter| pipeline(device, &module, filter, target, &layout);
            let between = match between {
                Between::Sharp => "sharp_between",
                Between::Plain => "plain_between",
            };
            let (nearest, smooth) = (pipeline("nearest"), pipeline(between));
            Self { gpu: gpu.clone(), layout, nearest, smooth, linear_target: target.is_srgb() }
        })
    }

    /// Draws quads, the first at the back, into a pass over a window of that size in pixels.
    ///
    /// The scissor rectangle is the whole window afterwards.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, window: [u32; 2], quads: &[Quad<'_>]) {
        for quad in quads {
            let [left, top, width, height] = clipped(quad.clip, window);
            let Some(uniform) = self.uniform(quad, window).filter(|_| width > 0 && height > 0) else { continue };
            pass.set_pipeline(match quad.filter {
                Filter::Nearest => &self.nearest,
                Filter::Smooth => &self.smooth,
            });
            pass.set_bind_group(0, &self.bind_group(quad, &uniform), &[]);
            pass.set_scissor_rect(left, top, width, height);
            pass.draw(0..4, 0..1);
        }
        pass.set_scissor_rect(0, 0, window[0], window[1]);
    }

    /// A quad's numbers; none where its map has no inverse, for then it covers no pixel.
    fn uniform(&self, quad: &Quad<'_>, window: [u32; 2]) -> Option<QuadUniform> {
        let [x, y] = quad.window_from_picture;
        let [inverse_x, inverse_y] = inverse(quad.window_from_picture)?;
        let row = |[a, b, c]: [f32; 3]| [a, b, c, 0.0];
        Some(QuadUniform {
            window_from_picture_x: row(x),
            window_from_picture_y: row(y),
            picture_from_window_x: row(inverse_x),
            picture_from_window_y: row(inverse_y),
            window_size: window.map(|extent| extent as f32),
            opacity: quad.opacity.clamp(0.0, 1.0),
            linear_target: u32::from(self.linear_target),
            margin: quad.margin,
            padding: [0.0; 3],
        })
    }

    fn bind_group(&self, quad: &Quad<'_>, uniform: &QuadUniform) -> wgpu::BindGroup {
        let buffer = super::buffer::uniform_buffer(&self.gpu, bytemuck::bytes_of(uniform));
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("quad"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(quad.picture.view()) },
            ],
        })
    }
}

fn bind_group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    };
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let picture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: false },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let entries = [entry(0, uniform), entry(1, picture)];
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("quad"), entries: &entries })
}

/// The pipeline of a fragment entry point; each filter is one, for a branch a pixel is dear on software devices.
fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    fragment: &'static str,
    target: wgpu::TextureFormat,
    layout: &wgpu::BindGroupLayout,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("present"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(fragment),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("corner"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::TriangleStrip, ..Default::default() },
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: target,
                blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// The part of a clip rectangle that lies in the window: left, top, width, height.
fn clipped(clip: Option<[u32; 4]>, [window_width, window_height]: [u32; 2]) -> [u32; 4] {
    let [left, top, width, height] = clip.unwrap_or([0, 0, window_width, window_height]);
    let (left, top) = (left.min(window_width), top.min(window_height));
    [left, top, width.min(window_width - left), height.min(window_height - top)]
}

/// The inverse of an affine map, in f64 so that whole offsets stay whole.
fn inverse(map: [[f32; 3]; 2]) -> Option<[[f32; 3]; 2]> {
    let [[a, b, x], [c, d, y]] = map.map(|row| row.map(f64::from));
    let determinant = a * d - b * c;
    let inverse = [
        [d / determinant, -b / determinant, (b * y - d * x) / determinant],
        [-c / determinant, a / determinant, (c * x - a * y) / determinant],
    ];
    let inverse = inverse.map(|row| row.map(|v| v as f32));
    inverse.iter().flatten().all(|v| v.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn quads_lie_as_the_shader_reads_them() {
        let members = [
            ("window_from_picture_x", offset_of!(QuadUniform, window_from_picture_x)),
            ("window_from_picture_y", offset_of!(QuadUniform, window_from_picture_y)),
            ("picture_from_window_x", offset_of!(QuadUniform, picture_from_window_x)),
            ("picture_from_window_y", offset_of!(QuadUniform, picture_from_window_y)),
            ("window_size", offset_of!(QuadUniform, window_size)),
            ("opacity", offset_of!(QuadUniform, opacity)),
            ("linear_target", offset_of!(QuadUniform, linear_target)),
            ("margin", offset_of!(QuadUniform, margin)),
        ];
        shader::assert_layout("present", "Quad", size_of::<QuadUniform>(), &members);
    }

    #[test]
    fn whole_offsets_stay_whole_and_flat_maps_have_no_inverse() {
        assert_eq!(inverse([[1.0, 0.0, 17.0], [0.0, 1.0, -5.0]]), Some([[1.0, 0.0, -17.0], [0.0, 1.0, 5.0]]));
        assert_eq!(inverse([[0.0, -2.0, 6.0], [4.0, 0.0, 8.0]]), Some([[0.0, 0.25, -2.0], [-0.5, 0.0, 3.0]]));
        for flat in [[[0.0; 3]; 2], [[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]], [[f32::NAN, 0.0, 0.0], [0.0, 1.0, 0.0]]] {
            assert_eq!(inverse(flat), None);
        }
    }

    #[test]
    fn clips_stay_inside_the_window() {
        for (clip, expected) in [
            (None, [0, 0, 100, 50]),
            (Some([10, 20, 30, 20]), [10, 20, 30, 20]),
            (Some([90, 40, 30, 20]), [90, 40, 10, 10]),
            (Some([200, 0, 30, 20]), [100, 0, 0, 20]),
        ] {
            assert_eq!(clipped(clip, [100, 50]), expected);
        }
    }
}
