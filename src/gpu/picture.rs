//! A picture's pixels on the device.

use super::{Gpu, GpuError, map_and_read};

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

    /// Copies the pixels to the host: for files and tests, never for the live picture.
    ///
    /// # Errors
    /// [`GpuError`] when the device is gone or out of memory.
    pub fn read_back(&self, gpu: &Gpu) -> Result<Vec<[u8; 4]>, GpuError> {
        read_texture(gpu, &self.texture)
    }
}

/// The texels of a texture of four bytes a texel, row by row without padding, top row first.
///
/// # Errors
/// [`GpuError`] when the device is gone or out of memory.
pub fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<[u8; 4]>, GpuError> {
    let row_len = 4 * texture.width();
    // Copies of textures have rows of whole multiples of 256 bytes.
    let padded_len = row_len.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let (staging, submission) = gpu.checked("a read-back", |device| {
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read-back"),
            size: u64::from(padded_len) * u64::from(texture.height()),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded_len), rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        let submission = gpu.queue.submit([encoder.finish()]);
        (staging, submission)
    })?;
    map_and_read(gpu, &staging, submission, |bytes| {
        let rows = bytes.chunks_exact(padded_len as usize);
        rows.flat_map(|row| row[..row_len as usize].as_chunks().0).copied().collect()
    })
}
