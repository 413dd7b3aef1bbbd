//! Maps on the device: the same steps, tangents and ranges as on the host, up to f32.

use cardioid::fractal::{Map, MapId, MapVisitor};
use cardioid::gpu::{Gpu, read_buffer, storage_buffer};

use super::device;

const POINTS: u32 = 64 * 64;

/// For each (x, y, p): a step, the tangent along (0.6, 0.8), and the range.
const MAIN: &str = "
struct Answer {
    step: vec2f,
    tangent: vec2f,
    range: vec2f,
}

@group(0) @binding(0) var<storage, read> points: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> answers: array<Answer>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = points[id.x];
    let tangent = map_tangent(at.xy, at.z, vec2f(0.6, 0.8));
    answers[id.x] = Answer(map_step(at.xy, at.z), tangent, map_range(at.z));
}
";

/// What the device makes of points (x, y, p, 0).
fn answers(gpu: &Gpu, map: MapId, points: &[[f32; 4]]) -> Vec<[f32; 6]> {
    let text = map.wgsl().to_owned() + MAIN;
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(map.key()),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(map.key()),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let input = storage_buffer(gpu, "points", size_of_val(points) as u64, wgpu::BufferUsages::COPY_DST).unwrap();
    gpu.queue.write_buffer(&input, 0, bytemuck::cast_slice(points));
    let output = storage_buffer(gpu, "answers", points.len() as u64 * 24, wgpu::BufferUsages::COPY_SRC).unwrap();
    let entry = |binding, buffer: &wgpu::Buffer| (binding, buffer.clone());
    let buffers = [entry(0, &input), entry(1, &output)];
    let entries = buffers
        .each_ref()
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() });
    let layout = pipeline.get_bind_group_layout(0);
    let bind_group =
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bind_group, &[]);
    pass.dispatch_workgroups(POINTS / 64, 1, 1);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    let mut answers = Vec::new();
    read_buffer(gpu, &output, 0..output.size(), |bytes| {
        answers.extend(bytes.chunks_exact(24).map(bytemuck::pod_read_unaligned::<[f32; 6]>));
    })
    .unwrap();
    answers
}

/// What the host makes of one.
struct Expected([f32; 4]);

impl MapVisitor for Expected {
    type Output = [f64; 6];

    fn visit<const D: usize, M: Map<D>>(self) -> [f64; 6] {
        let [x, y, p, _] = self.0.map(f64::from);
        let cut = |pair: [f64; 2]| std::array::from_fn::<f64, D, _>(|i| pair[i]);
        let pair = |cut: [f64; D]| [cut[0], cut.get(1).copied().unwrap_or(0.0)];
        let [step, tangent] = [M::step(cut([x, y]), p), M::tangent(cut([x, y]), p, cut([0.6, 0.8]))].map(pair);
        let range = M::range(p);
        [step[0], step[1], tangent[0], tangent[1], range[0], range[1]]
    }
}

#[test]
fn the_device_has_the_same_maps() {
    let Some(gpu) = device() else { return };
    for &map in MapId::ALL {
        let home = map.home();
        let between = |[least, most]: [f64; 2], share: u32| (least + (most - least) * f64::from(share) / 63.0) as f32;
        let points: Vec<[f32; 4]> = (0..POINTS)
            .map(|i| {
                let (x, p) = (between(home.ordinate, i % 64), between(home.parameter, i / 64));
                [x, 0.3 * (i % 7) as f32 - 0.9, p, 0.0]
            })
            .map(|[x, y, p, _]| [x, if map == MapId::Henon { y } else { 0.0 }, p, 0.0])
            .collect();
        for (point, got) in points.iter().zip(answers(&gpu, map, &points)) {
            let expected = map.visit(Expected(*point));
            for (name, i) in [("step", 0), ("step y", 1), ("tangent", 2), ("tangent y", 3), ("least", 4), ("most", 5)] {
                let off = (f64::from(got[i]) - expected[i]).abs();
                assert!(off < 2e-6, "{}, {name} at {point:?}: {} for {}", map.key(), got[i], expected[i]);
            }
        }
    }
}
