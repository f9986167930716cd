//! Samplers: settings, as the bits that kernels look at.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{Body, Kind, Obj, Object};
use crate::status::Status;
use clift_jit::image::sampler;
use std::sync::Arc;

/// `cl_addressing_mode`; the discriminant is the API's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "the CL_ADDRESS_ names")]
pub enum Addressing {
    None = 0x1130,
    ClampToEdge = 0x1131,
    Clamp = 0x1132,
    Repeat = 0x1133,
    MirroredRepeat = 0x1134,
}

/// `cl_filter_mode`; the discriminant is the API's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "the CL_FILTER_ names")]
pub enum Filter {
    Nearest = 0x1140,
    Linear = 0x1141,
}

/// Whether coordinates count image sizes or texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// From 0 to the size in texels.
    Texels,
    /// From 0 to 1.
    Normalised,
}

/// What a sampler does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// `CL_SAMPLER_NORMALIZED_COORDS`
    pub coordinates: Coordinates,
    /// `CL_SAMPLER_ADDRESSING_MODE`
    pub addressing: Addressing,
    /// `CL_SAMPLER_FILTER_MODE`
    pub filter: Filter,
    /// `CL_SAMPLER_MIP_FILTER_MODE_KHR`
    pub mip_filter: Filter,
    /// `CL_SAMPLER_LOD_MIN_KHR` and `CL_SAMPLER_LOD_MAX_KHR`, no NaN. Kernels see them in steps of 1/256.
    pub lod: [f32; 2],
}

impl Default for Settings {
    /// What holds for properties that are not given.
    fn default() -> Self {
        Self {
            coordinates: Coordinates::Normalised,
            addressing: Addressing::Clamp,
            filter: Filter::Nearest,
            mip_filter: Filter::Nearest,
            lod: [0.0, f32::MAX],
        }
    }
}

/// A sampler.
pub struct Sampler {
    context: Obj<Context>,
    settings: Settings,
    properties: Vec<u64>,
}

impl Body for Sampler {
    const KIND: Kind = Kind::Sampler;
}

impl Sampler {
    /// `clCreateSampler` and `clCreateSamplerWithProperties`; `properties` is the caller's list with its terminator,
    /// empty if none was given.
    ///
    /// # Errors
    /// `InvalidOperation` ← no device supports images.
    ///
    /// Spec: OpenCL API, "Creating Sampler Objects".
    pub fn create(context: &Obj<Context>, settings: Settings, properties: Vec<u64>) -> Result<Obj<Self>> {
        let supports = context.devices().iter().any(|device| device.caps().image_support);
        let rule = "images are not supported by any device associated with context";
        ensure!(supports, Error::spec(Status::InvalidOperation, rule));
        Ok(Object::new(Self { context: Arc::clone(context), settings, properties }))
    }

    /// `CL_SAMPLER_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// Its settings.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// `CL_SAMPLER_PROPERTIES`.
    pub fn properties(&self) -> &[u64] {
        &self.properties
    }

    /// What a kernel's argument block holds.
    pub(crate) fn bits(&self) -> u32 {
        let coordinates = match self.settings.coordinates {
            Coordinates::Texels => 0,
            Coordinates::Normalised => sampler::NORMALIZED,
        };
        let addressing = match self.settings.addressing {
            Addressing::None => 0,
            Addressing::ClampToEdge => sampler::CLAMP_TO_EDGE,
            Addressing::Clamp => sampler::CLAMP,
            Addressing::Repeat => sampler::REPEAT,
            Addressing::MirroredRepeat => sampler::MIRRORED_REPEAT,
        };
        let filter = match self.settings.filter {
            Filter::Nearest => sampler::NEAREST,
            Filter::Linear => sampler::LINEAR,
        };
        let mip_filter = match self.settings.mip_filter {
            Filter::Nearest => 0,
            Filter::Linear => sampler::MIP_LINEAR,
        };
        let steps = |lod: f32| ((lod * sampler::LOD_STEPS as f32).round() as u32).min(sampler::LOD_TOP);
        let [low, high] = self.settings.lod.map(steps);
        let limits = low << sampler::LOD_MIN_SHIFT | (sampler::LOD_TOP - high) << sampler::LOD_MAX_SHIFT;
        coordinates | addressing | filter | mip_filter | limits
    }
}
