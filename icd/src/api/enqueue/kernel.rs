//! Kernels: NDRanges, tasks, native functions. Spec: "Executing Kernels".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Result, Status, ensure, fail};
use crate::{callback, cl, ffi, handle};
use clift_runtime::kernel::Kernel;
use clift_runtime::memory::buffer::Mem;
use clift_runtime::object::Obj;
use clift_runtime::queue::Blocking;
use clift_runtime::queue::command::{Command, WorkSizes};
use std::ffi::c_void;

/// Work sizes as C passes them.
pub struct RawSizes {
    /// `work_dim`
    pub dims: cl::cl_uint,
    /// `global_work_offset`
    pub offset: *const usize,
    /// `global_work_size`
    pub global: *const usize,
    /// `local_work_size`
    pub local: *const usize,
}

impl RawSizes {
    /// The slices, after a look at the number of dimensions.
    ///
    /// # Safety
    /// Non-null pointers have `dims` elements.
    pub unsafe fn resolve<'a>(self) -> Result<WorkSizes<'a>> {
        let n = WorkSizes::check_dims(self.dims)?;
        // SAFETY: the caller's promise.
        unsafe {
            Ok(WorkSizes {
                dims: self.dims,
                offset: ffi::slice(self.offset, n),
                global: ffi::slice(self.global, n),
                local: ffi::slice(self.local, n),
            })
        }
    }
}

enqueuing! {
    /// Spec: "Executing Kernels".
    #[unsafe(no_mangle)]
    fn clEnqueueNDRangeKernel(
        kernel: cl::cl_kernel,
        work_dim: cl::cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize
    )
    let unsafe (kernel, sizes) = {
        let sizes =
            RawSizes { dims: work_dim, offset: global_work_offset, global: global_work_size, local: local_work_size };
        (handle::borrow::<Kernel>(kernel)?, sizes.resolve()?)
    };
    |target| {
        let command = Command::ndrange(&kernel, target.queue.device(), sizes)?;
        target.enqueue(command, Blocking::No)
    }

    /// Spec: "Executing Kernels".
    #[unsafe(no_mangle)]
    fn clEnqueueTask(kernel: cl::cl_kernel)
    let unsafe kernel = handle::borrow::<Kernel>(kernel)?;
    |target| {
        let command = Command::task(&kernel, target.queue.device())?;
        target.enqueue(command, Blocking::No)
    }

    /// A host function in the queue: its argument block is copied, and the memory objects in it are replaced by the
    /// addresses of their bytes. Spec: "Executing Kernels".
    #[unsafe(no_mangle)]
    fn clEnqueueNativeKernel(
        user_func: cl::native_kernel,
        args: *mut c_void,
        cb_args: usize,
        num_mem_objects: cl::cl_uint,
        mem_list: *const cl::cl_mem,
        args_mem_loc: *const *const c_void
    )
    let unsafe (function, block, mems) = {
        let n = num_mem_objects as usize;
        let Some(function) = user_func else {
            return fail(Status::InvalidValue, "user_func is NULL");
        };
        check_native(args, cb_args, n, mem_list.is_null(), args_mem_loc.is_null())?;
        let mems: Vec<Obj<Mem>> = handle::share_all(ffi::slice(mem_list, n).unwrap_or_default())?;
        // Once more when it runs, aligned.
        ffi::room(cb_args.saturating_mul(2))?;
        let mut block = ffi::slice(args.cast::<u8>(), cb_args).unwrap_or_default().to_vec();
        let places = ffi::slice(args_mem_loc, n).unwrap_or_default();
        for (place, mem) in places.iter().zip(&mems) {
            let at = place.addr().wrapping_sub(args.addr());
            let field = at.checked_add(size_of::<usize>()).and_then(|end| block.get_mut(at..end));
            ensure!(field.is_some(), InvalidValue, "args_mem_loc does not point into args");
            field.into_iter().for_each(|bytes| bytes.copy_from_slice(&mem.data_address().to_ne_bytes()));
        }
        (function, block, mems)
    };
    |target| {
        let has_args = !args.is_null();
        target.enqueue(Command::native(callback::native(function, has_args.then_some(block)), mems), Blocking::No)
    }
}

/// Spec: `clEnqueueNativeKernel`.
fn check_native(args: *mut c_void, size: usize, n_mems: usize, no_mems: bool, no_places: bool) -> Result {
    ensure!(!args.is_null() || size == 0, InvalidValue, "args is a NULL value and cb_args > 0");
    ensure!(!args.is_null() || n_mems == 0, InvalidValue, "args is a NULL value and num_mem_objects > 0");
    ensure!(args.is_null() || size > 0, InvalidValue, "args is not NULL and cb_args is 0");
    let is_short = n_mems > 0 && (no_mems || no_places);
    ensure!(!is_short, InvalidValue, "num_mem_objects > 0 and mem_list or args_mem_loc are NULL");
    let is_long = n_mems == 0 && !(no_mems && no_places);
    ensure!(!is_long, InvalidValue, "num_mem_objects = 0 and mem_list or args_mem_loc are not NULL");
    Ok(())
}
