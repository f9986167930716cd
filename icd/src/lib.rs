//! Clift as an OpenCL driver: C in, typed values out, no policy.
//!
//! Reading order: `dispatch` (every function there is), `handle` and `ffi` (how C's pointers become objects and back),
//! then `api` (the functions), `convert` (numbers and property lists) and `info` (queries as tables). `cl` has the
//! C types, `error` what a failed call carries, `callback` the application's functions, `trace` the optional log. The
//! `clift` command-line tool (`cli`) is in the library too, so that the compiler is on a disk once; its program
//! (`main.rs`) opens the library and calls it. How anything works is the runtime's business.

pub mod api;
pub mod callback;
pub mod cl;
pub mod cli;
pub mod convert;
pub mod dispatch;
pub mod error;
pub mod ffi;
pub mod handle;
pub mod info;
pub mod trace;

/// See `clift_jit::reserve`.
#[global_allocator]
static HEAP: clift_jit::reserve::Heap = clift_jit::reserve::Heap;
