//! Version strings, extension and feature rows. The rows themselves come from the compiler, which defines the macros.

/// `CL_DEVICE_VENDOR` and `CL_PLATFORM_VENDOR`.
pub const VENDOR: &str = "Clift";
/// OpenCL 3.0 as `cl_version`.
pub const API_VERSION: u32 = pack(3, 0, 0);
/// `CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED`: never submitted.
pub const CONFORMANCE: &str = "v0000-01-01-00";

/// `CL_MAKE_VERSION`.
pub const fn pack(major: u32, minor: u32, patch: u32) -> u32 {
    (major << 22) | (minor << 12) | patch
}

/// `CL_DEVICE_VERSION` and `CL_PLATFORM_VERSION`.
pub fn api_version_string() -> String {
    format!("OpenCL 3.0 Clift {}", driver_version())
}

/// `CL_DRIVER_VERSION`.
pub fn driver_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// `CL_DEVICE_OPENCL_C_VERSION`.
pub fn c_version_string() -> String {
    "OpenCL C 1.2 Clift".to_owned()
}

/// `CL_DEVICE_OPENCL_C_ALL_VERSIONS`.
pub fn c_versions() -> Vec<(&'static str, u32)> {
    [(1, 0), (1, 1), (1, 2), (3, 0)].map(|(major, minor)| ("OpenCL C", pack(major, minor, 0))).to_vec()
}

/// Extensions of the device: name and packed version, no duplicates.
pub fn extensions() -> Vec<(&'static str, u32)> {
    vec![
        ("cl_khr_icd", pack(2, 0, 0)),
        ("cl_khr_byte_addressable_store", pack(1, 0, 0)),
        ("cl_khr_global_int32_base_atomics", pack(1, 0, 0)),
        ("cl_khr_global_int32_extended_atomics", pack(1, 0, 0)),
        ("cl_khr_local_int32_base_atomics", pack(1, 0, 0)),
        ("cl_khr_local_int32_extended_atomics", pack(1, 0, 0)),
        ("cl_khr_fp64", pack(1, 0, 0)),
        ("cl_khr_extended_versioning", pack(1, 0, 0)),
    ]
}

/// `CL_DEVICE_OPENCL_C_FEATURES`: name and packed version.
pub fn features() -> Vec<(&'static str, u32)> {
    vec![("__opencl_c_fp64", API_VERSION), ("__opencl_c_int64", API_VERSION)]
}
