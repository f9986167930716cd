//! `clGetSVMPointerInfoKHR`. Spec: cl_khr_unified_svm.

use super::info_rows;
use clift_runtime::memory::svm_type::{SvmInfo, TYPES};

/// What is known of an address; nothing if it lies in no allocation.
pub type Found = Option<SvmInfo>;

info_rows! {
    /// Every query of shared virtual memory.
    ROWS: Found;
    CL_SVM_INFO_TYPE_INDEX_KHR => |a, w| w.put(&a.as_ref().map_or(u32::MAX, |a| a.type_index));
    CL_SVM_INFO_CAPABILITIES_KHR => |a, w| w.put(&a.as_ref().map_or(0, |a| TYPES[a.type_index as usize].bits()));
    CL_SVM_INFO_PROPERTIES_KHR => |a, w| w.put(a.as_ref().map_or(&[][..], |a| &a.properties.list));
    CL_SVM_INFO_ACCESS_FLAGS_KHR => |a, w| w.put(&a.as_ref().map_or(0, |a| a.properties.access));
    CL_SVM_INFO_BASE_PTR_KHR => |a, w| w.put(&a.as_ref().map_or(0, |a| a.start));
    CL_SVM_INFO_SIZE_KHR => |a, w| w.put(&a.as_ref().map_or(0, |a| a.size));
    CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => |a, w| match a.as_ref().and_then(|a| a.properties.device.as_ref()) {
        Some(device) => w.object(device),
        None => w.null(),
    };
}
