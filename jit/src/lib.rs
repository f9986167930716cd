//! OpenCL C to machine code: preprocessor, parser, semantic analysis, KIR, passes, work-group transformation, Cranelift.
//!
//! Reading order: `program` (the pipeline), `launch` (what comes out), then the stages from left to right:
//! `source`/`diag`/`options` → `lex` → `pp` → `ast`/`parse` → `sema`/`hir` → `lower` → `link` → `ir` → `pass` → `wg` →
//! `codegen`.
//! A stage may import what stands to its left. Knows nothing of OpenCL objects, queues or C handles.

pub mod ast;
pub mod builtin;
pub mod claims;
pub mod clock;
pub mod codegen;
pub mod diag;
pub mod env;
pub mod error;
pub mod features;
pub mod hir;
pub mod image;
pub mod intern;
pub mod interp;
pub mod ir;
pub mod launch;
pub mod legalize;
pub mod lex;
pub mod link;
pub mod lower;
pub mod options;
pub mod parse;
pub mod pass;
pub mod pp;
pub mod printf;
pub mod program;
pub mod sema;
pub mod session;
pub mod simd;
pub mod softfloat;
pub mod source;
pub mod stack;
pub mod wg;

pub use error::CodeError;
pub use launch::{AddrSpace, ArgInfo, ArgKind, Env, KernelCode, KernelInfo, SpecKey};
pub use link::Object;
pub use program::{
    Build, BuildError, Compile, Emit, Program, build, build_styled, check_library, compile, link, lowered,
    parse_options,
};
pub use source::Header;
