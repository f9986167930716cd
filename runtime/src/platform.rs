//! The one platform and its root device. Making them starts no thread and allocates no memory to speak of.

use crate::config::Config;
use crate::device::{Device, version};
use crate::fork;
use crate::leaks;
use crate::object::{Body, Kind, Obj, Object};
use crate::trace;
use std::sync::OnceLock;

/// The platform: name, version, devices.
pub struct Platform {
    devices: Vec<Obj<Device>>,
}

impl Body for Platform {
    const KIND: Kind = Kind::Platform;
}

impl Platform {
    /// The platform of this process, probed at the first call. `object::set_dispatch_word` must come before it.
    pub fn get() -> &'static Obj<Self> {
        static PLATFORM: OnceLock<Obj<Platform>> = OnceLock::new();
        PLATFORM.get_or_init(|| {
            fork::watch();
            if Config::get().logs("leaks") {
                leaks::report_at_exit();
            }
            trace::start();
            Object::new(Self { devices: vec![Object::new(Device::root())] })
        })
    }

    /// Its root devices: one CPU device.
    pub fn devices(&self) -> &[Obj<Device>] {
        &self.devices
    }

    /// `CL_PLATFORM_NAME`.
    pub fn name(&self) -> &'static str {
        "Clift"
    }

    /// `CL_PLATFORM_VENDOR`.
    pub fn vendor(&self) -> &'static str {
        version::VENDOR
    }

    /// `CL_PLATFORM_VERSION`, with the mandatory prefix.
    pub fn version(&self) -> String {
        version::api_version_string()
    }

    /// `CL_PLATFORM_NUMERIC_VERSION`.
    pub fn numeric_version(&self) -> u32 {
        version::API_VERSION
    }

    /// `CL_PLATFORM_PROFILE`.
    pub fn profile(&self) -> &'static str {
        "FULL_PROFILE"
    }

    /// Extensions of the platform (those that all its devices have, and cl_khr_icd): name and packed version.
    pub fn extensions(&self) -> Vec<(&'static str, u32)> {
        version::extensions()
    }

    /// `CL_PLATFORM_ICD_SUFFIX_KHR`.
    pub fn icd_suffix(&self) -> &'static str {
        "CLIFT"
    }

    /// `CL_PLATFORM_HOST_TIMER_RESOLUTION` in nanoseconds.
    pub fn host_timer_resolution_ns(&self) -> u64 {
        self.devices[0].caps().host_timer_resolution_ns
    }
}
