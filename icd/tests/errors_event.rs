//! Bad input to event calls, and events that end with an error.

#![allow(unsafe_code, reason = "calls the C API")]

mod common;

use common::*;

unsafe extern "C" fn ignore(_: cl::cl_event, _: cl::cl_int, _: *mut c_void) {}

#[test]
fn user_events() {
    let world = World::new();
    let event = world.user_event();
    let mut marker = null_mut();
    // SAFETY: pointers are null or valid.
    unsafe {
        assert_eq!(clEnqueueMarker(world.queue, &raw mut marker), 0);
        check(&[
            ("positive status", cl::CL_INVALID_VALUE, &|| clSetUserEventStatus(event, 1)),
            ("not a user event", cl::CL_INVALID_EVENT, &|| clSetUserEventStatus(marker, 0)),
            ("no callback", cl::CL_INVALID_VALUE, &|| clSetEventCallback(event, cl::CL_COMPLETE, None, null_mut())),
            ("callback when queued", cl::CL_INVALID_VALUE, &|| {
                clSetEventCallback(event, cl::CL_QUEUED, Some(ignore), null_mut())
            }),
            ("callback when never", cl::CL_INVALID_VALUE, &|| clSetEventCallback(event, -1, Some(ignore), null_mut())),
            ("wait for none", cl::CL_INVALID_VALUE, &|| clWaitForEvents(0, &raw const event)),
            ("wait for null", cl::CL_INVALID_VALUE, &|| clWaitForEvents(1, null())),
            ("set", 0, &|| clSetUserEventStatus(event, 0)),
            ("set again", cl::CL_INVALID_OPERATION, &|| clSetUserEventStatus(event, 0)),
            ("wait", 0, &|| clWaitForEvents(1, &raw const event)),
            ("marker without event", cl::CL_INVALID_VALUE, &|| clEnqueueMarker(world.queue, null_mut())),
            ("wait in queue for none", cl::CL_INVALID_VALUE, &|| clEnqueueWaitForEvents(world.queue, 0, null())),
            ("wait in queue for a queue", cl::CL_INVALID_EVENT, &|| {
                clEnqueueWaitForEvents(world.queue, 1, &raw const world.queue)
            }),
        ]);
        assert_eq!(clFinish(world.queue), 0);
        assert_eq!(clReleaseEvent(marker), 0);
        assert_eq!(clReleaseEvent(event), 0);
    }
}

#[test]
fn cancelling() {
    let world = World::new();
    let event = world.user_event();
    let list = [event, null_mut()];
    // SAFETY: pointers are null or valid.
    unsafe {
        check(&[
            ("none", 0, &|| cancel_commands(null(), 0)),
            ("no list", cl::CL_INVALID_VALUE, &|| cancel_commands(null(), 1)),
            ("no number", cl::CL_INVALID_VALUE, &|| cancel_commands(list.as_ptr(), 0)),
            ("more than memory has", cl::CL_INVALID_VALUE, &|| cancel_commands(list.as_ptr(), usize::MAX)),
            ("one is null", cl::CL_INVALID_EVENT, &|| cancel_commands(list.as_ptr(), 2)),
            ("a queue", cl::CL_INVALID_EVENT, &|| cancel_commands(&raw const world.queue, 1)),
            ("a user event, which has no command", 0, &|| cancel_commands(list.as_ptr(), 1)),
            ("which can be set", 0, &|| clSetUserEventStatus(event, 0)),
        ]);
        assert_eq!(clReleaseEvent(event), 0);
    }
}

#[test]
fn an_error_reaches_those_who_wait() {
    let (world, other) = (World::new(), World::new());
    let (event, foreign) = (world.user_event(), other.user_event());
    let mut marker = null_mut();
    // SAFETY: pointers are null or valid.
    unsafe {
        assert_eq!(clEnqueueMarkerWithWaitList(world.queue, 1, &raw const event, &raw mut marker), 0);
        let mixed = [event, foreign];
        assert_eq!(clWaitForEvents(2, mixed.as_ptr()), cl::CL_INVALID_CONTEXT);
        assert_eq!(clSetUserEventStatus(event, -42), 0);
        assert_eq!(clWaitForEvents(1, &raw const marker), cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        let mut status = 0i32;
        let name = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
        let place = (&raw mut status).cast();
        assert_eq!(clGetEventInfo(marker, name, size_of::<i32>(), place, null_mut()), 0);
        assert!(status < 0, "{status}");
        assert_eq!(clSetUserEventStatus(foreign, 0), 0);
        for event in [marker, event, foreign] {
            assert_eq!(clReleaseEvent(event), 0);
        }
    }
}
