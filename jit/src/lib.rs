//! OpenCL C to machine code: preprocessor, parser, semantic analysis, KIR, passes, work-group transformation,
//! Cranelift.
//!
//! Reading order: `program` (the pipeline), `launch` (what comes out), then the modules in the order of who uses whom.
//! A module may use what stands to its left or above it; `kernels-test/tests/tidy.rs` reads this list and checks it.
//!
//! ```text
//! clock  control  env  files  reserve  check  device  error  image  intern  parallel  phases  printf  stack
//! source  places  diag  options  session  own  launch
//! ir  target  features  race
//! lex  pp  ast  parse
//! builtin  hir  sema  lower  spirv  link
//! interp  analysis  loops  pass  wg  simd
//! legalize  pipeline  claims  codegen
//! fallback  program
//! ```
//!
//! Knows nothing of OpenCL objects, queues or C handles. `jit/docs/overview.md` follows a kernel through the stages.

pub mod analysis;
pub mod ast;
pub mod builtin;
pub mod check;
pub mod claims;
pub mod clock;
pub mod codegen;
pub mod control;
pub mod device;
pub mod diag;
pub mod env;
pub mod error;
pub mod fallback;
pub mod features;
pub mod files;
pub mod hir;
pub mod image;
pub mod intern;
pub mod interp;
pub mod ir;
pub mod launch;
pub mod legalize;
pub mod lex;
pub mod link;
pub mod loops;
pub mod lower;
pub mod options;
pub mod own;
pub mod parallel;
pub mod parse;
pub mod pass;
pub mod phases;
pub mod pipeline;
pub mod places;
pub mod pp;
pub mod printf;
pub mod program;
pub mod race;
pub mod reserve;
pub mod sema;
pub mod session;
pub mod simd;
pub mod source;
pub mod spirv;
pub mod stack;
pub mod target;
pub mod wg;

pub use codegen::CodeObject;
pub use error::CodeError;
pub use launch::{AddrSpace, ArgInfo, ArgKind, Env, KernelCode, KernelInfo, SpecKey};
pub use link::Object;
pub use program::{
    Build, BuildError, Compile, Emit, Program, build, build_il, build_styled, changes, check_library, compile,
    compile_il, identity, includes, link, lowered, lowered_il, parse_options,
};
pub use source::{Header, HeaderKind};
