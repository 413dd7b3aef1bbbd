//! A picture's pixels on the device.

use super::{Gpu, GpuError};

/// Pixels in sRGB encoding, alpha 0 where nothing is known: written by the colour pass, read by the presenter.
#[derive(Clone)]
pub struct Picture {
    size: [u32; 2],
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

impl Picture {
    /// Storage textures of this format exist on every device; its bytes are the sRGB-encoded colours as they are.
    pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

    /// A transparent picture.
    ///
    /// # Errors
    /// [`GpuError`] past the device's limits or memory, or where an extent is zero.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Result<Self, GpuError> {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        let longest = size[0].max(size[1]);
        if longest > limit {
            let (needed, limit) = (u64::from(longest) * 4, u64::from(limit) * 4);
            return Err(GpuError::TooLarge { what: "a row of the picture", needed, limit });
        }
        gpu.checked("a picture", |device| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some("picture"),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: Self::FORMAT,
                usage: wgpu::TextureUsages::STORAGE_BINDING
                    | wgpu::TextureUsages::TEXTURE_BINDING
                    | wgpu::TextureUsages::COPY_SRC
                    | wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            });
            let view = texture.create_view(&Default::default());
            Self { size, texture, view }
        })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    pub fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }

    pub fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    /// Writes pixels of the host: RGBA, row by row, top row first.
    pub fn write(&self, gpu: &Gpu, pixels: &[[u8; 4]]) {
        assert_eq!(pixels.len(), self.size[0] as usize * self.size[1] as usize);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * self.size[0]), rows_per_image: None };
        gpu.queue.write_texture(
            self.texture.as_image_copy(),
            bytemuck::cast_slice(pixels),
            layout,
            self.texture.size(),
        );
    }
}
