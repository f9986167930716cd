//! Samplers: three settings, as the bits that kernels look at.

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

/// A sampler.
pub struct Sampler {
    context: Obj<Context>,
    coordinates: Coordinates,
    addressing: Addressing,
    filter: Filter,
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
    pub fn create(
        context: &Obj<Context>,
        coordinates: Coordinates,
        addressing: Addressing,
        filter: Filter,
        properties: Vec<u64>,
    ) -> Result<Obj<Self>> {
        let supports = context.devices().iter().any(|device| device.caps().image_support);
        let rule = "images are not supported by any device associated with context";
        ensure!(supports, Error::spec(Status::InvalidOperation, rule));
        Ok(Object::new(Self { context: Arc::clone(context), coordinates, addressing, filter, properties }))
    }

    /// `CL_SAMPLER_CONTEXT`.
    pub fn context(&self) -> &Obj<Context> {
        &self.context
    }

    /// `CL_SAMPLER_NORMALIZED_COORDS`.
    pub fn coordinates(&self) -> Coordinates {
        self.coordinates
    }

    /// `CL_SAMPLER_ADDRESSING_MODE`.
    pub fn addressing(&self) -> Addressing {
        self.addressing
    }

    /// `CL_SAMPLER_FILTER_MODE`.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// `CL_SAMPLER_PROPERTIES`.
    pub fn properties(&self) -> &[u64] {
        &self.properties
    }

    /// What a kernel's argument block holds.
    pub(crate) fn bits(&self) -> u32 {
        let coordinates = match self.coordinates {
            Coordinates::Texels => 0,
            Coordinates::Normalised => sampler::NORMALIZED,
        };
        let addressing = match self.addressing {
            Addressing::None => 0,
            Addressing::ClampToEdge => sampler::CLAMP_TO_EDGE,
            Addressing::Clamp => sampler::CLAMP,
            Addressing::Repeat => sampler::REPEAT,
            Addressing::MirroredRepeat => sampler::MIRRORED_REPEAT,
        };
        let filter = match self.filter {
            Filter::Nearest => sampler::NEAREST,
            Filter::Linear => sampler::LINEAR,
        };
        coordinates | addressing | filter
    }
}
