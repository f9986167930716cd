//! The list of functions: order, completeness, lookup by name, and what a loader does with it.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use clift::dispatch::{DISPATCH, ENTRIES, N_SLOTS, lookup};
use common::*;
use std::collections::HashSet;

/// Functions with their index in `struct _cl_icd_dispatch`, spread over the versions.
const PLACES: &[(usize, &str)] = &[
    (0, "clGetPlatformIDs"),
    (9, "clCreateCommandQueue"),
    (31, "clUnloadCompiler"),
    (47, "clFinish"),
    (59, "clEnqueueNDRangeKernel"),
    (65, "clGetExtensionFunctionAddress"),
    (66, "clCreateFromGLBuffer"),
    (81, "clSetEventCallback"),
    (93, "clCreateSubDevices"),
    (109, "clGetDeviceIDsFromD3D11KHR"),
    (119, "clCreateFromEGLImageKHR"),
    (123, "clCreateCommandQueueWithProperties"),
    (136, "clGetKernelSubGroupInfoKHR"),
    (137, "clCloneKernel"),
    (144, "clSetProgramReleaseCallback"),
    (146, "clCreateBufferWithProperties"),
    (148, "clSetContextDestructorCallback"),
    (149, "clGetKernelSuggestedLocalWorkSize"),
];

#[test]
fn functions_stand_in_icd_order() {
    for &(idx, name) in PLACES {
        assert_eq!(ENTRIES[idx].name, name, "slot {idx}");
    }
    assert_eq!(N_SLOTS, 150);
    let names: HashSet<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), ENTRIES.len(), "a name stands twice");
}

#[test]
fn every_core_function_is_supported_and_only_windows_slots_are_empty() {
    for entry in ENTRIES {
        let is_sharing = ["GL", "EGL", "D3D10", "D3D11", "DX9"].iter().any(|api| entry.name.contains(api));
        let is_core = !is_sharing && !entry.name.ends_with("KHR") && !entry.name.ends_with("EXT");
        assert!(!is_core || entry.is_supported, "{}", entry.name);
        let is_windows = entry.name.contains("D3D1") || entry.name.contains("DX9");
        assert_eq!(entry.address.is_null(), is_windows, "{}", entry.name);
    }
}

#[test]
fn the_table_holds_the_functions_and_the_icd_2_tags() {
    for (idx, entry) in ENTRIES[..N_SLOTS].iter().enumerate() {
        let want = match entry.name {
            "clGetPlatformIDs" | "clUnloadCompiler" => 0x4F50_454E_434C_3331,
            _ if entry.is_supported => entry.address.addr(),
            // Functions that are not exported may have several addresses in an optimised build.
            _ => {
                assert_eq!(DISPATCH.slot(idx).is_null(), entry.address.is_null(), "{}", entry.name);
                continue;
            }
        };
        assert_eq!(DISPATCH.slot(idx).addr(), want, "{}", entry.name);
    }
}

#[test]
fn lookup_finds_supported_functions_only() {
    assert_eq!(lookup(b"clFinish"), clFinish as *const ());
    assert_eq!(lookup(b"clIcdGetPlatformIDsKHR"), clIcdGetPlatformIDsKHR as *const ());
    assert!(lookup(b"clCreateFromGLBuffer").is_null());
    assert!(lookup(b"clFinish2").is_null());
    assert!(lookup(b"").is_null());
    // SAFETY: null and zero-terminated names are allowed.
    unsafe {
        assert!(clGetExtensionFunctionAddress(null()).is_null());
        let world = World::new();
        let name = c"clIcdSetPlatformDispatchDataKHR".as_ptr();
        assert!(!clGetExtensionFunctionAddressForPlatform(world.platform, name).is_null());
        assert!(!clIcdGetFunctionAddressForPlatformKHR(world.platform, name).is_null());
        assert!(clGetExtensionFunctionAddressForPlatform(null_mut(), name).is_null());
    }
}

#[test]
fn the_loaders_word_reaches_platform_device_and_new_objects() {
    let mut mark = 7u32;
    let word: *mut c_void = (&raw mut mark).cast();
    // SAFETY: live handles; objects begin with two words.
    unsafe {
        let first = World::new();
        assert_eq!(clIcdSetPlatformDispatchDataKHR(first.platform, word), 0);
        let world = World::new();
        for object in [world.platform, world.device, world.context, world.queue] {
            assert_eq!(object.cast::<*mut c_void>().add(1).read(), word);
        }
        assert_eq!(clIcdSetPlatformDispatchDataKHR(first.platform, null_mut()), 0);
        assert_eq!(clIcdSetPlatformDispatchDataKHR(null_mut(), word), cl::CL_INVALID_PLATFORM);
    }
}
