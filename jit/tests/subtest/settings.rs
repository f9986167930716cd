//! What the first lines of a file below `wg`, `simd`, `legalize` or `codegen` say of the target and the launches for
//! which its kernel is compiled. All are optional:
//!
//! ```text
//! // target: avx512        v128, neon, avx2 or avx512, whatever the host has; `scalar` for no lanes
//! // width: 8              so many lanes, whatever they cost
//! // local: 64 1 1         for groups of exactly this size
//! // options: -cl-std=CL3.0
//! // images: RGBA,FLOAT    for images of this format
//! // values: n=64 m=-1     for launches that pass these integers
//! // disjoint              for launches whose buffers are different memory
//! // large                 for launches that fill more memory than the caches hold
//! ```

use clift_jit::image::{Fact, ImageFacts, format};
use clift_jit::launch::{ArgValues, LaneChoice};
use clift_jit::simd::Config;
use clift_jit::target::{Backend, Target};
use clift_jit::{ArgKind, KernelInfo, SpecKey};

pub struct Settings<'t> {
    /// The back end that the target is for.
    pub backend: Backend,
    pub target: &'static Target,
    /// None for scalar code.
    pub lanes: Option<Config>,
    pub options: &'t str,
    local_size: Option<[u32; 3]>,
    image: Fact,
    values: Vec<(&'t str, i64)>,
    is_disjoint: bool,
    is_large: bool,
    /// Of all arguments it is known that work-items have their bytes to themselves, and that all has been written.
    is_known: bool,
    /// Integer arguments of 64 bits are small.
    is_small: bool,
}

impl<'t> Settings<'t> {
    /// Reads the lines in front of the program.
    pub fn read(text: &'t str) -> Result<Self, String> {
        let directive = |name: &str| {
            let lines = text.lines().map_while(|line| line.strip_prefix("// "));
            lines.filter_map(|line| line.strip_prefix(name)).map(|rest| rest.trim_start_matches(':').trim()).next()
        };
        let (backend, target) = match directive("target").unwrap_or("avx512") {
            "avx512" => (Backend::Avx512, &Target::AVX512),
            "avx2" => (Backend::Avx2, &Target::AVX2),
            "neon" => (Backend::Cranelift, &Target::NEON),
            "v128" | "scalar" => (Backend::Cranelift, &Target::V128),
            other => return Err(format!("there is no target `{other}`")),
        };
        let width = directive("width").map(|n| n.parse().map_err(|e| format!("{n}: {e}"))).transpose()?;
        let lanes = match width {
            Some(width) => Some(Config { target, ..Config::always(width) }),
            None => (directive("target") != Some("scalar")).then(|| Config::new(target)),
        };
        let local_size = directive("local").map(|sizes| {
            let mut sizes = sizes.split_whitespace().map(|n| n.parse().unwrap_or(1));
            [(); 3].map(|()| sizes.next().unwrap_or(1))
        });
        let image = match directive("images").and_then(|format| format.split_once(',')) {
            Some((order, ty)) => {
                let find = |names: &[(&str, u32)], name: &str| names.iter().find(|row| row.0 == name).map(|row| row.1);
                let unknown = || format!("there is no format {order},{ty}");
                let order = find(format::order::NAMES, order).ok_or_else(unknown)?;
                Fact::image(order, find(format::data_type::NAMES, ty).ok_or_else(unknown)?, true)
            }
            None => Fact::default(),
        };
        let value = |text: &'t str| {
            let (name, value) = text.split_once('=').ok_or(format!("{text}: no value"))?;
            Ok((name, value.parse().map_err(|error| format!("{text}: {error}"))?))
        };
        let values = directive("values").unwrap_or("").split_whitespace().map(value).collect::<Result<_, String>>()?;
        let options = directive("options").unwrap_or("-cl-std=CL3.0");
        let (is_disjoint, is_large) = (directive("disjoint").is_some(), directive("large").is_some());
        let (is_known, is_small) = (directive("known").is_some(), directive("small").is_some());
        Ok(Self {
            backend,
            target,
            lanes,
            options,
            local_size,
            image,
            values,
            is_disjoint,
            is_large,
            is_known,
            is_small,
        })
    }

    /// What is known of a kernel's launches.
    pub fn key(&self, info: &KernelInfo) -> SpecKey {
        let mut images = ImageFacts::default();
        let opaque = info.args.iter().filter(|arg| arg.kind.is_opaque());
        let known = images.iter_mut().zip(opaque).filter(|(_, arg)| arg.kind != ArgKind::Sampler);
        known.for_each(|(fact, _)| *fact = self.image);
        let mut values = ArgValues::default();
        for &(name, value) in &self.values {
            assert!(values.learn(info, name, value), "`{}` asks for no integer `{name}`", info.name);
        }
        SpecKey {
            local_size: self.local_size,
            small_ids: true,
            aligned_ids: false,
            small_args: self.is_small,
            disjoint: if self.is_disjoint { info.pointers.separable } else { 0 },
            streams: if self.is_large { u64::MAX } else { 0 },
            images,
            values,
            written: if self.is_known { u64::MAX } else { 0 },
            apart: if self.is_known { u64::MAX } else { 0 },
            thorough: false,
            lanes: LaneChoice::Estimated,
        }
    }
}
