//! `clGetPlatformInfo`. Spec: "Querying Platforms".

use super::info_rows;
use crate::cl;
use clift_runtime::memory::svm_type::TYPES;
use clift_runtime::object::Object;
use clift_runtime::platform::Platform;

info_rows! {
    /// Every platform query.
    ROWS: Object<Platform>;
    CL_PLATFORM_PROFILE => |p, w| w.text(p.profile());
    CL_PLATFORM_VERSION => |p, w| w.text(p.version());
    CL_PLATFORM_NUMERIC_VERSION => |p, w| w.put(&p.numeric_version());
    CL_PLATFORM_NAME => |p, w| w.text(p.name());
    CL_PLATFORM_VENDOR => |p, w| w.text(p.vendor());
    CL_PLATFORM_EXTENSIONS => |p, w| w.text(super::joined(p.extensions()));
    CL_PLATFORM_EXTENSIONS_WITH_VERSION => |p, w| w.names(p.extensions());
    CL_PLATFORM_HOST_TIMER_RESOLUTION => |p, w| w.put(&p.host_timer_resolution_ns());
    CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR => |_, w| {
        let (explicit, automatic) =
            (cl::CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR, cl::CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR);
        w.put(&(cl::CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR | explicit | automatic))
    };
    CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    CL_PLATFORM_SEMAPHORE_TYPES_KHR => |_, w| w.put(&cl::CL_SEMAPHORE_TYPE_BINARY_KHR);
    CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => |_, w| w.put(&super::MEMORY_HANDLES[..]);
    CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR => |_, w| w.put(&TYPES.map(|ty| ty.bits())[..]);
    CL_PLATFORM_ICD_SUFFIX_KHR => |p, w| w.text(p.icd_suffix());
}
