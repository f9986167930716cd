//! KIR: the mid-level representation that every pass, the interpreter and the code generator share.
//!
//! **Values.** A function is a control-flow graph of basic blocks in SSA form. A block has parameters instead of phis;
//! a branch passes arguments to its target. Every value has one `Type`: a scalar or a vector of 2-16 scalars (an OpenCL
//! vector of one work-item). There are no aggregates: structs and arrays live in memory. There are no vectors of
//! pointers.
//!
//! **Total operations.** There is no poison and no undefined behaviour in an operation: integer division by zero gives
//! 0 for the quotient and the dividend for the remainder, `MIN / -1` gives `MIN` (remainder 0), shift amounts are taken
//! modulo the width, float → int conversions saturate with NaN → 0. So any pure operation may be executed anywhere.
//! Only memory operations, calls and loops need care. Attributes such as `nsw` are facts for analyses, never licence.
//!
//! **Memory.** Pointers are 64-bit addresses tagged with an address space. Private memory comes from function `Slot`s;
//! local memory from module-level `LocalVar`s (one copy per work-group); program-scope variables are `Global`s.
//! Vectors lie in memory element after element; a 3-vector in memory is accessed as exactly 3 elements by
//! `load`/`store` (the fourth is padding); booleans are never in memory (lowering stores them as i8), but that the
//! vectoriser's variables may be masks until `mem2reg` makes values of them.
//!
//! **Convergence.** Operations marked `CONVERGENT` in the op table are met by all work-items of a group together. No
//! pass may duplicate, merge, hoist or sink them or make them depend on new control flow. Nor those marked `SUB_GROUP`,
//! which the work-items of a sub-group that come there meet together; but one for each turn of a loop is as good.
//!
//! **Evaluation.** One function activation belongs to one work-item. The kernel form (ids, barriers) is turned by `wg`
//! into the work-group form: a plain function that loops over work-items and has no convergent or id operation left.
//!
//! Start with `op` (the table), then `func`. This folder must not know the AST, the HIR or Cranelift.

pub mod attr;
pub mod builder;
pub mod cfg;
pub mod check;
pub mod clone;
pub mod collective;
pub mod dom;
pub mod entity;
pub mod func;
pub mod module;
pub mod op;
pub mod origin;
pub mod softfloat;
pub mod text;
pub mod ty;
pub mod variable;
pub mod verify;

pub use builder::Builder;
pub use cfg::Cfg;
pub use clone::Copies;
pub use collective::CollectiveOp;
pub use dom::{Dominators, Frontiers, Loop, Loops};
pub use entity::{Block, EntitySet, FuncId, GlobalId, Inst, LocalVarId, SlotId, Value};
pub use func::{
    BlockData, FENCE_COPIES, FENCE_WAIT, Func, InstData, LocalPlace, Met, MetKind, Slot, Target, Term, Tracked,
    ValueDef,
};
pub use module::{Global, Init, LocalVar, Module};
pub use op::{Attr, Flags, FloatPred, Imm, IntPred, Op, Order, Rounding, Scope};
pub use origin::{CallSite, Origin, Origins, Site};
pub use ty::{Scalar, Type};
