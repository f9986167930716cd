//! Events. Spec: "Event Objects", "Profiling Operations on Memory Objects and Kernels".

#![allow(unsafe_code, reason = "C entry points")]

use crate::error::{Status, fail};
use crate::ffi::{self, InfoOut};
use crate::{callback, cl, handle, info};
use clift_runtime::event::{Event, State};
use std::ffi::c_void;

/// Spec: "Event Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateUserEvent(context: cl::cl_context, errcode_ret: *mut cl::cl_int) -> cl::cl_event {
    // SAFETY: the caller's promise.
    unsafe {
        ffi::create("clCreateUserEvent", errcode_ret, || {
            let context = handle::context(context)?;
            Ok(handle::give(Event::create_user(&context)?))
        })
    }
}

/// Spec: "Event Objects".
///
/// # Safety
/// `event` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetUserEventStatus(event: cl::cl_event, execution_status: cl::cl_int) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetUserEventStatus", || unsafe { handle::share::<Event>(event)?.set_user_status(execution_status) })
}

/// Spec: "Event Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clWaitForEvents(num_events: cl::cl_uint, event_list: *const cl::cl_event) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clWaitForEvents", || unsafe {
        let list = ffi::elements(event_list, num_events, "num_events is zero or event_list is NULL")?;
        let events = handle::share_all(list)?;
        Event::wait_all(&events)
    })
}

/// Spec: "Event Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetEventInfo(
    event: cl::cl_event,
    param_name: cl::cl_event_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetEventInfo", || unsafe {
        let event = handle::borrow::<Event>(event)?;
        out.store(info::query(info::event::ROWS, &event, param_name)?.bytes())
    })
}

/// Spec: "Event Objects".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clSetEventCallback(
    event: cl::cl_event,
    command_exec_callback_type: cl::cl_int,
    pfn_notify: cl::event_notify,
    user_data: *mut c_void,
) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clSetEventCallback", || unsafe {
        let event = handle::share::<Event>(event)?;
        let function = callback::required(pfn_notify)?;
        let state = match command_exec_callback_type {
            cl::CL_SUBMITTED => State::Submitted,
            cl::CL_RUNNING => State::Running,
            cl::CL_COMPLETE => State::Complete,
            _ => {
                let rule = "command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING, or CL_COMPLETE";
                return fail(Status::InvalidValue, rule);
            }
        };
        event.on_state(state, callback::event_notify(function, &event, user_data))
    })
}

/// Spec: "Event Objects".
///
/// # Safety
/// `event` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainEvent(event: cl::cl_event) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clRetainEvent", || unsafe { handle::retain::<Event>(event) })
}

/// Spec: "Event Objects".
///
/// # Safety
/// `event` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseEvent(event: cl::cl_event) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clReleaseEvent", || unsafe { handle::release::<Event>(event) })
}

/// `clCancelCommandsIMG`. Spec: cl_img_cancel_command.
///
/// # Safety
/// Pointers are null or as the specification says.
pub unsafe extern "C" fn cancel_commands(event_list: *const cl::cl_event, num_events_in_list: usize) -> cl::cl_int {
    // SAFETY: the caller's promise.
    ffi::call("clCancelCommandsIMG", || unsafe {
        let list = match ffi::slice(event_list, num_events_in_list) {
            None if event_list.is_null() && num_events_in_list == 0 => &[],
            Some(list) if !list.is_empty() => list,
            _ => return fail(Status::InvalidValue, "event_list is NULL and num_events_in_list > 0, or the reverse"),
        };
        Event::cancel_all(&handle::share_all(list)?);
        Ok(())
    })
}

/// Spec: "Profiling Operations on Memory Objects and Kernels".
///
/// # Safety
/// Pointers are null or as the specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetEventProfilingInfo(
    event: cl::cl_event,
    param_name: cl::cl_profiling_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl::cl_int {
    let out = InfoOut { size: param_value_size, value: param_value, size_ret: param_value_size_ret };
    // SAFETY: the caller's promise.
    ffi::call("clGetEventProfilingInfo", || unsafe {
        let event = handle::borrow::<Event>(event)?;
        out.store(info::query(info::event::PROFILING_ROWS, &event, param_name)?.bytes())
    })
}
