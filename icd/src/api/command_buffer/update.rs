//! Changes of recorded kernels, and queries of them. Spec: "Mutable Commands".

use crate::api::{kernel, svm};
use crate::error::{Result, Status, ensure};
use crate::ffi::{self, InfoOut};
use crate::{cl, handle, info};
use clift_runtime::command_buffer::CommandBuffer;
use clift_runtime::command_buffer::dispatch::{Dispatch, Update};
use clift_runtime::queue::command::WorkSizes;
use std::ffi::c_void;

/// The code for lists that are not there or have no length.
const INVALID: Status = Status::InvalidValue;

/// Spec: "Mutable Commands".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clUpdateMutableCommandsKHR(
    command_buffer: cl::cl_command_buffer_khr,
    num_configs: cl::cl_uint,
    config_types: *const cl::cl_uint,
    configs: *const *const c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clUpdateMutableCommandsKHR", || unsafe {
        let buffer = handle::share::<CommandBuffer>(command_buffer)?;
        let mut update = buffer.update()?;
        let types = ffi::list(config_types, num_configs, INVALID, "num_configs and config_types disagree")?;
        let configs = ffi::list(configs, num_configs, INVALID, "num_configs and configs disagree")?;
        for (&kind, &config) in types.iter().zip(configs) {
            ensure!(
                kind == cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR,
                InvalidValue,
                "an element of config_types is not a valid cl_command_buffer_update_type_khr"
            );
            ensure!(!config.is_null(), InvalidValue, "an element of configs is NULL");
            change(&mut update, &config.cast::<cl::cl_mutable_dispatch_config_khr>().read_unaligned())?;
        }
        update.commit()
    })
}

/// Drafts one kernel's changes.
///
/// # Safety
/// The pointers in `config` are as the specification says.
unsafe fn change(update: &mut Update, config: &cl::cl_mutable_dispatch_config_khr) -> Result {
    // SAFETY: the caller's promise.
    unsafe {
        let dispatch = handle::share::<Dispatch>(config.command)?;
        let draft = update.draft(&dispatch)?;
        let args = ffi::list(config.arg_list, config.num_args, INVALID, "num_args and arg_list disagree")?;
        let svm_args =
            ffi::list(config.arg_svm_list, config.num_svm_args, INVALID, "num_svm_args and arg_svm_list disagree")?;
        let infos = ffi::list(
            config.exec_info_list,
            config.num_exec_infos,
            INVALID,
            "num_exec_infos and exec_info_list disagree",
        )?;
        let dims = if config.work_dim == 0 { draft.dims() } else { config.work_dim };
        let n = WorkSizes::check_dims(dims)?;
        draft.set_sizes(WorkSizes {
            dims,
            offset: ffi::slice(config.global_work_offset, n),
            global: ffi::slice(config.global_work_size, n),
            local: ffi::slice(config.local_work_size, n),
        })?;
        for arg in args {
            kernel::set_arg(draft.kernel()?, arg.arg_index, arg.arg_size, arg.arg_value)?;
        }
        for arg in svm_args {
            draft.kernel()?.set_arg_svm(arg.arg_index, arg.arg_value.expose_provenance())?;
        }
        for info in infos {
            svm::exec_info(draft.exec_info()?, info.param_name, info.param_value_size, info.param_value)?;
        }
        Ok(())
    }
}

/// Spec: "Command-Buffer Queries".
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn clGetMutableCommandInfoKHR(
    command: cl::cl_mutable_command_khr,
    param_name: cl::cl_uint,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetMutableCommandInfoKHR", || unsafe {
        let dispatch = handle::borrow::<Dispatch>(command)?;
        out.store(info::query(info::command_buffer::COMMAND_ROWS, &dispatch, param_name)?.bytes())
    })
}
