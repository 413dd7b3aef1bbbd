//! Philox on the device: equal to the one on the host, word for word.

use cardioid::gpu::{Gpu, read_buffer, shader, storage_buffer};
use cardioid::math::philox::{philox, unit_f32};

const COUNTERS: u32 = 64 * 256;

/// Four words of counter k = (k, k·k, ~k, 7) with the key (k / 3, 42), and the first of them as a number.
const MAIN: &str = "
struct Answer {
    words: vec4u,
    unit: f32,
}

@group(0) @binding(0) var<storage, read_write> answers: array<Answer>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let k = id.x;
    let words = philox(vec4u(k, k * k * 65537u, ~k, 7u), vec2u(k / 3u, 42u));
    answers[k] = Answer(words, unit(words.x));
}
";

fn counter(k: u32) -> [u32; 4] {
    [k, k.wrapping_mul(k).wrapping_mul(65537), !k, 7]
}

#[test]
fn the_device_draws_the_same_numbers() {
    let gpu = match Gpu::headless() {
        Ok(gpu) => gpu,
        Err(e) if std::env::var("CI").is_ok_and(|ci| ci == "true") => panic!("{e}"),
        Err(e) => return eprintln!("SKIP: {e}"),
    };
    let text = shader::compose("lib/philox", None).unwrap() + MAIN;
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("philox"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("philox"),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    // Four words and a number, laid out in two vectors.
    let stride = 32;
    let answers = storage_buffer(&gpu, "answers", u64::from(COUNTERS) * stride, wgpu::BufferUsages::COPY_SRC).unwrap();
    let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: answers.as_entire_binding() }],
    });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bind_group, &[]);
    pass.dispatch_workgroups(COUNTERS / 64, 1, 1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);

    let mut words = Vec::new();
    read_buffer(&gpu, &answers, 0..answers.size(), |bytes| {
        words.extend(bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())));
    })
    .unwrap();
    for (k, answer) in (0..COUNTERS).zip(words.chunks_exact(stride as usize / 4)) {
        let expected = philox(counter(k), [k / 3, 42]);
        assert_eq!(answer[..4], expected, "counter {k}");
        assert_eq!(f32::from_bits(answer[4]), unit_f32(expected[0]), "counter {k}");
    }
}
