//! `clGetProgramInfo` and `clGetProgramBuildInfo`. Spec: "Program Object Queries".

use super::{Flag, InfoWriter, Written, info_rows};
use crate::error::Result;
use clift_runtime::object::Object;
use clift_runtime::program::Program;

info_rows! {
    /// Every program query. `CL_PROGRAM_BINARIES` says only how large the list of pointers is: the entry point fills
    /// the memory that they point to.
    ROWS: Object<Program>;
    CL_PROGRAM_REFERENCE_COUNT => |p, w| w.put(&p.reference_count());
    CL_PROGRAM_CONTEXT => |p, w| w.object(p.context());
    CL_PROGRAM_NUM_DEVICES => |p, w| w.put(&(p.devices().len() as u32));
    CL_PROGRAM_DEVICES => |p, w| w.put(&p.devices().iter().map(|d| d.handle_address()).collect::<Vec<usize>>()[..]);
    CL_PROGRAM_SOURCE => |p, w| w.text(p.source());
    CL_PROGRAM_IL => |p, w| w.put(p.il());
    CL_PROGRAM_BINARY_SIZES => |p, w| w.put(&vec![p.binary().len(); p.devices().len()][..]);
    CL_PROGRAM_BINARIES => |p, w| w.put(&vec![0usize; p.devices().len()][..]);
    CL_PROGRAM_NUM_KERNELS => |p, w| w.put(&p.kernel_names()?.len());
    CL_PROGRAM_KERNEL_NAMES => |p, w| w.text(p.kernel_names()?.join(";"));
    CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT => no_global_code;
    CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => no_global_code;
}

info_rows! {
    /// Every build query.
    BUILD_ROWS: Object<Program>;
    CL_PROGRAM_BUILD_STATUS => |p, w| w.put(&(p.build_status() as i32));
    CL_PROGRAM_BUILD_OPTIONS => |p, w| w.text(p.build_options());
    CL_PROGRAM_BUILD_LOG => |p, w| w.text(p.build_log());
    CL_PROGRAM_BINARY_TYPE => |p, w| w.put(&(p.binary_type() as u32));
    CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => |p, w| w.put(&p.global_variable_bytes());
}

/// Constructors and destructors of program-scope variables exist in no version of OpenCL C.
fn no_global_code(program: &Object<Program>, writer: &mut InfoWriter) -> Result<Written> {
    program.kernel_names()?;
    writer.flag(Flag::No)
}
