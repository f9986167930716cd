//! Layouts of the structs and first words that C programs and loaders share with us.

mod common;

use clift::cl;
use std::mem::{offset_of, size_of};

#[test]
fn structs_have_the_layout_of_c() {
    assert_eq!(size_of::<cl::cl_image_format>(), 8);
    assert_eq!(offset_of!(cl::cl_image_format, image_channel_data_type), 4);
    assert_eq!(size_of::<cl::cl_image_desc>(), 72);
    assert_eq!(offset_of!(cl::cl_image_desc, image_width), 8);
    assert_eq!(offset_of!(cl::cl_image_desc, num_mip_levels), 56);
    assert_eq!(offset_of!(cl::cl_image_desc, buffer), 64);
    assert_eq!(size_of::<cl::cl_buffer_region>(), 16);
    assert_eq!(offset_of!(cl::cl_buffer_region, size), 8);
    assert_eq!(size_of::<cl::cl_name_version>(), 68);
    assert_eq!(offset_of!(cl::cl_name_version, name), 4);
}

#[test]
fn versions_are_packed_as_cl_make_version_does() {
    assert_eq!(cl::make_version(3, 0, 0), 0x00c0_0000);
    assert_eq!(cl::make_version(1, 2, 3), 0x0040_2003);
}

/// What a loader reads of every object: the dispatch table, then its own word.
#[test]
#[allow(unsafe_code, reason = "reads an object as a loader does")]
fn objects_begin_with_the_dispatch_table() {
    let world = common::World::new();
    let table = &raw const clift::dispatch::DISPATCH;
    for object in [world.platform, world.device, world.context, world.queue] {
        // SAFETY: live objects begin with two words.
        let first = unsafe { object.cast::<*const clift::dispatch::Dispatch>().read() };
        assert_eq!(first, table);
    }
}
