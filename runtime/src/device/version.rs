//! Version strings, extension and feature lists. The rows themselves stand in `clift_jit::features`, beside the macros.

use clift_jit::features::{FEATURES, FeatureKind, VERSION};
use clift_jit::spirv::MAX_MINOR_VERSION;

/// `CL_PLATFORM_VENDOR`, and `CL_DEVICE_VENDOR` where the CPU does not tell its maker's.
pub const VENDOR: &str = "Clift";
/// The version of OpenCL as `cl_version`.
pub const API_VERSION: u32 = pack(VERSION.0, VERSION.1, 0);
/// Whether a local argument may have no bytes: from OpenCL 3.1 on.
pub const EMPTY_LOCAL_ARGS: bool = API_VERSION >= pack(3, 1, 0);
/// `CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED`: never submitted.
pub const CONFORMANCE: &str = "v0000-01-01-00";

/// `CL_MAKE_VERSION`.
pub const fn pack(major: u32, minor: u32, patch: u32) -> u32 {
    (major << 22) | (minor << 12) | patch
}

/// `CL_DEVICE_VERSION` and `CL_PLATFORM_VERSION`.
pub fn api_version_string() -> String {
    format!("OpenCL {}.{} Clift {}", VERSION.0, VERSION.1, driver_version())
}

/// `CL_DRIVER_VERSION`.
pub fn driver_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// `CL_DEVICE_OPENCL_C_VERSION`.
pub fn c_version_string() -> String {
    "OpenCL C 1.2 Clift".to_owned()
}

/// `CL_DEVICE_OPENCL_C_ALL_VERSIONS`: those of which nothing is missing. The compiler takes 3.1 without what the
/// device's version does not ask for.
pub fn c_versions() -> Vec<(&'static str, u32)> {
    let versions = [(1, 0), (1, 1), (1, 2), (2, 0), (3, 0), (3, 1)].into_iter().filter(|version| *version <= VERSION);
    versions.map(|(major, minor)| ("OpenCL C", pack(major, minor, 0))).collect()
}

/// `CL_DEVICE_ILS_WITH_VERSION`: SPIR-V from 1.0 on.
pub fn ils() -> Vec<(&'static str, u32)> {
    (0..=u32::from(MAX_MINOR_VERSION)).map(|minor| ("SPIR-V", pack(1, minor, 0))).collect()
}

/// Extensions of the device: name and packed version, no duplicates.
pub fn extensions() -> Vec<(&'static str, u32)> {
    rows(FeatureKind::is_reported_extension)
}

/// `CL_DEVICE_OPENCL_C_FEATURES`: name and packed version.
pub fn features() -> Vec<(&'static str, u32)> {
    rows(|kind| kind == FeatureKind::Feature)
}

fn rows(wanted: impl Fn(FeatureKind) -> bool) -> Vec<(&'static str, u32)> {
    let version = |(major, minor, patch)| pack(major, minor, patch);
    FEATURES.iter().filter(|row| wanted(row.kind)).map(|row| (row.name, version(row.version))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_well_formed() {
        let all: Vec<_> = extensions().into_iter().chain(features()).collect();
        let names: BTreeSet<_> = all.iter().map(|r| r.0).collect();
        assert_eq!(names.len(), all.len());
        assert!(extensions().iter().all(|r| r.0.starts_with("cl_") && r.1 > 0));
        assert!(features().iter().all(|r| r.0.starts_with("__opencl_c_") && r.1 > 0));
        assert!(c_versions().iter().any(|v| v.1 == API_VERSION), "ALL_VERSIONS has the device's version");
    }

    /// "The following Khronos extension names must be returned by all devices that support OpenCL 3.1 or newer", and of
    /// OpenCL C 3.1 what has a name. Spec: "Required Extensions".
    #[test]
    fn extensions_are_those_that_the_version_requires() {
        let missing: Vec<&str> = [
            "cl_khr_device_uuid",
            "cl_khr_extended_bit_ops",
            "cl_khr_integer_dot_product",
            "cl_khr_spirv_queries",
            "cl_khr_subgroup_extended_types",
            "cl_khr_subgroup_rotate",
            "cl_khr_subgroup_shuffle",
            "cl_khr_subgroup_shuffle_relative",
            "cl_khr_suggested_local_work_size",
            "__opencl_c_subgroups",
            "__opencl_c_integer_dot_product_input_4x8bit_packed",
        ]
        .into_iter()
        .filter(|name| clift_jit::features::feature(name).is_none())
        .collect();
        assert!(VERSION < (3, 1) || missing.is_empty(), "{missing:?}");
    }
}
