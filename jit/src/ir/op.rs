//! The op table: one row per operation, and its immediates. What else an instruction can carry is in `attr`.
//!
//! A row gives the text name, the number of operands, how the result type follows, the effects, and the meaning. A new
//! row makes rustc point at the verifier; `jit/docs/add-an-op.md` lists the other places that must follow.

pub use super::attr::{Attr, Flags};
use super::collective::CollectiveOp;
use super::entity::{FuncId, GlobalId, LocalVarId, SlotId};
use crate::device::DeviceFn;

/// How many operands an op takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this many.
    Fixed(u8),
    /// Any number, at least one.
    Variadic,
}

/// How the result type follows from operands; checked by the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRule {
    /// No result.
    None,
    /// All operands and the result have one type.
    Same,
    /// All operands have one type; the result is `i1` with as many lanes.
    Compare,
    /// The first operand is `i1` (scalar, or with the result's lanes); the other two have the result's type.
    Select,
    /// The result type is given; the op's own rule relates it to the operands' types.
    Explicit,
}

bitflags::bitflags! {
    /// What an op does besides computing its result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Effects: u8 {
        /// Reads memory.
        const READS = 1;
        /// Writes memory.
        const WRITES = 2;
        /// Must be met by all work-items of the group together.
        const CONVERGENT = 4;
        /// Must not be removed, duplicated or reordered with other ordered ops.
        const ORDERED = 8;
        /// Must be met together by those work-items of a sub-group that meet it at all.
        const SUB_GROUP = 16;
        /// Is there for the machine's sake only: may be moved, but not removed for want of a result.
        const HINT = 32;
    }
}

/// A row of the op table.
#[derive(Clone, Copy, Debug)]
pub struct OpRow {
    /// The op.
    pub op: Op,
    /// Name in text.
    pub name: &'static str,
    /// Number of operands.
    pub arity: Arity,
    /// Result-type rule.
    pub rule: TypeRule,
    /// Effects; empty = pure.
    pub effects: Effects,
}

macro_rules! ops {
    ($($(#[doc = $doc:literal])* $op:ident $name:literal $arity:tt $rule:ident $($eff:ident)|* ;)*) => {
        /// An operation. Each variant's documentation is its meaning; integer operands carry no sign, the op does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op { $($(#[doc = $doc])* $op,)* }

        /// All rows, indexed by `Op as usize`.
        pub const OPS: &[OpRow] = &[$(OpRow {
            op: Op::$op, name: $name, arity: ops!(@arity $arity), rule: TypeRule::$rule,
            effects: Effects::empty()$(.union(Effects::$eff))*,
        },)*];
    };
    (@arity *) => { Arity::Variadic };
    (@arity $n:literal) => { Arity::Fixed($n) };
}

ops! {
    // ---- constants and addresses
    /// Constant: `Imm::Bits`, low bits first; a vector constant is a splat. Integers, floats and null pointers (any
    /// address).
    Const "const" 0 Explicit;
    /// An arbitrary but fixed value (the code generator uses zero).
    Undef "undef" 0 Explicit;
    /// Address of a private slot (`Imm::Slot`).
    SlotAddr "slot.addr" 0 Explicit;
    /// Address of a local variable (`Imm::LocalVar`).
    LocalAddr "local.addr" 0 Explicit;
    /// Address of a program-scope variable (`Imm::Global`).
    GlobalAddr "global.addr" 0 Explicit;

    // ---- integer arithmetic (wraps)
    /// a + b.
    Add "add" 2 Same;
    /// a - b.
    Sub "sub" 2 Same;
    /// a * b, low half.
    Mul "mul" 2 Same;
    /// High half of the signed product.
    MulHiS "mulhi.s" 2 Same;
    /// High half of the unsigned product.
    MulHiU "mulhi.u" 2 Same;
    /// Signed quotient, truncated; x/0 = 0, MIN/-1 = MIN.
    DivS "div.s" 2 Same;
    /// Unsigned quotient; x/0 = 0.
    DivU "div.u" 2 Same;
    /// Signed remainder; x%0 = x, MIN%-1 = 0.
    RemS "rem.s" 2 Same;
    /// Unsigned remainder; x%0 = x.
    RemU "rem.u" 2 Same;
    /// Bitwise and; logical on i1.
    And "and" 2 Same;
    /// Bitwise or; logical on i1.
    Or "or" 2 Same;
    /// Bitwise exclusive or; logical on i1.
    Xor "xor" 2 Same;
    /// Bitwise complement; logical on i1.
    Not "not" 1 Same;
    /// Two's complement negation.
    Neg "neg" 1 Same;
    /// a << (b mod width).
    Shl "shl" 2 Same;
    /// Logical right shift by b mod width.
    Lshr "lshr" 2 Same;
    /// Arithmetic right shift by b mod width.
    Ashr "ashr" 2 Same;
    /// Rotate left by b mod width.
    Rotl "rotl" 2 Same;
    /// Leading zeros; width for 0.
    Clz "clz" 1 Same;
    /// Trailing zeros; width for 0.
    Ctz "ctz" 1 Same;
    /// Number of set bits.
    Popcnt "popcnt" 1 Same;
    /// Bits in reverse order.
    Bitrev "bitrev" 1 Same;
    /// Bytes in reverse order.
    Bswap "bswap" 1 Same;
    /// Signed minimum.
    MinS "min.s" 2 Same;
    /// Unsigned minimum.
    MinU "min.u" 2 Same;
    /// Signed maximum.
    MaxS "max.s" 2 Same;
    /// Unsigned maximum.
    MaxU "max.u" 2 Same;
    /// |a| of a signed a; MIN gives 2^(width-1) read unsigned.
    AbsS "abs.s" 1 Same;
    /// Signed saturating a + b.
    AddSatS "addsat.s" 2 Same;
    /// Unsigned saturating a + b.
    AddSatU "addsat.u" 2 Same;
    /// Signed saturating a - b.
    SubSatS "subsat.s" 2 Same;
    /// Unsigned saturating a - b.
    SubSatU "subsat.u" 2 Same;
    /// (a + b) >> 1 without overflow, signed.
    HaddS "hadd.s" 2 Same;
    /// (a + b) >> 1 without overflow, unsigned.
    HaddU "hadd.u" 2 Same;
    /// (a + b + 1) >> 1 without overflow, signed.
    RhaddS "rhadd.s" 2 Same;
    /// (a + b + 1) >> 1 without overflow, unsigned.
    RhaddU "rhadd.u" 2 Same;
    /// Of each lane, 32 bits: the sum modulo 2^32 of the products of their four bytes, unsigned by unsigned.
    Dot4Uu "dot4.uu" 2 Same;
    /// As `Dot4Uu`, signed bytes by signed ones.
    Dot4Ss "dot4.ss" 2 Same;
    /// As `Dot4Uu`, unsigned bytes of operand 0 by signed ones of operand 1.
    Dot4Us "dot4.us" 2 Same;
    /// Integer comparison by `Imm::IntPred`; also pointers.
    Icmp "icmp" 2 Compare;

    // ---- floating point; `Attr::rm` is honoured where Rounding is named
    /// a + b (Rounding).
    Fadd "fadd" 2 Same;
    /// a - b (Rounding).
    Fsub "fsub" 2 Same;
    /// a * b (Rounding).
    Fmul "fmul" 2 Same;
    /// a / b (Rounding).
    Fdiv "fdiv" 2 Same;
    /// a - trunc(a/b)*b, exact: C's fmod.
    Frem "frem" 2 Same;
    /// a*b + c rounded once (Rounding).
    Fma "fma" 3 Same;
    /// Sign flip; bitwise.
    Fneg "fneg" 1 Same;
    /// Sign clear; bitwise.
    Fabs "fabs" 1 Same;
    /// Magnitude of a, sign of b; bitwise.
    Copysign "copysign" 2 Same;
    /// a. What computes it and what it is used for are never merged into one operation; gone behind `pass::contract`.
    Apart "apart" 1 Same;
    /// Correctly rounded square root.
    Sqrt "sqrt" 1 Same;
    /// Towards +inf.
    Ceil "ceil" 1 Same;
    /// Towards -inf.
    Floor "floor" 1 Same;
    /// Towards zero.
    Trunc "trunc.f" 1 Same;
    /// To nearest, ties to even.
    Rint "rint" 1 Same;
    /// OpenCL fmin: the other operand if one is NaN; of equal ones (-0 and +0) the second.
    Fmin "fmin" 2 Same;
    /// OpenCL fmax: the other operand if one is NaN; of equal ones (-0 and +0) the second.
    Fmax "fmax" 2 Same;
    /// Float comparison by `Imm::FloatPred`.
    Fcmp "fcmp" 2 Compare;

    // ---- conversions, lane by lane
    /// Low bits of an integer; to i1: bit 0.
    Trunci "trunc" 1 Explicit;
    /// Sign extension; i1 gives 0 or -1.
    Sext "sext" 1 Explicit;
    /// Zero extension; i1 gives 0 or 1.
    Zext "zext" 1 Explicit;
    /// To a narrower float (Rounding).
    Fptrunc "fptrunc" 1 Explicit;
    /// To a wider float, exact.
    Fpext "fpext" 1 Explicit;
    /// To a signed integer of the result's width by Rounding (`rtz` unless a suffix says otherwise), saturating, NaN
    /// → 0.
    Fptosi "fptosi" 1 Explicit;
    /// To an unsigned integer by Rounding, saturating, NaN → 0.
    Fptoui "fptoui" 1 Explicit;
    /// Signed integer to float (Rounding).
    Sitofp "sitofp" 1 Explicit;
    /// Unsigned integer to float (Rounding).
    Uitofp "uitofp" 1 Explicit;
    /// Same bits, other type of the same total size; memory (little-endian) order of lanes. Not for i1 or pointers.
    Bitcast "bitcast" 1 Explicit;
    /// Pointer to i64.
    PtrToInt "ptrtoint" 1 Explicit;
    /// i64 to pointer.
    IntToPtr "inttoptr" 1 Explicit;
    /// Pointer to pointer of another address space, same address.
    AsCast "as.cast" 1 Explicit;
    /// Operand 0, which was made by indexing an array of operand 2 elements with operand 1, both i64: only in what is
    /// checked, until `pass::check` has put in that accesses by it want an index below.
    Element "element" 3 Explicit;

    // ---- selection and vectors
    /// operand 0 ? operand 1 : operand 2, lane by lane.
    Select "select" 3 Select;
    /// Vector from its lanes (scalars).
    Build "build" * Explicit;
    /// All lanes equal to the scalar operand.
    Splat "splat" 1 Explicit;
    /// Lane `Imm::Lane` of a vector.
    Extract "extract" 1 Explicit;
    /// Vector operand 0 with lane `Imm::Lane` replaced by scalar operand 1.
    Insert "insert" 2 Explicit;
    /// Lanes of operands 0 ++ 1 (one type) picked by `Imm::Lanes`.
    Shuffle "shuffle" 2 Explicit;
    /// Lane number operand 1 (i32, taken mod the lane count rounded up to a power of two; out of range: undef).
    ExtractDyn "extract.dyn" 2 Explicit;
    /// True if some lane of a vector of booleans is set.
    MaskAny "mask.any" 1 Explicit;
    /// True if all lanes of a vector of booleans are set.
    MaskAll "mask.all" 1 Explicit;

    // ---- lanes: only after vectorisation, where the lanes of a vector are work-items and `i1` vectors are masks
    /// Lane i holds i, an integer.
    Iota "iota" 0 Explicit;
    /// i64 whose bit i is lane i of a mask; other bits are 0.
    MaskBits "mask.bits" 1 Explicit;
    /// All lanes combined by `Imm::Collective` in order: ((l0 op l1) op l2) …; what comes first is the *left* operand.
    Reduce "reduce" 1 Explicit;
    /// All lanes, a power of two, combined by `Imm::Collective` in the order of a sub-group's reduction
    /// (`ir::collective`): the lower half takes in the upper one as *right* operand, until one lane is left.
    ReduceTree "reduce.tree" 1 Explicit;

    /// Lanes of operands 0 ++ 1 (one type, N lanes) picked by operand 2, at most N integers of the lanes' width taken
    /// mod 2N.
    Permute "permute" 3 Explicit;

    /// Bytes of operand 0, picked within blocks of 16 by the low four bits of operand 1's; 0 where its highest bit is
    /// set. Made by legalisation.
    Swizzle "swizzle" 2 Same;

    /// Both operands' integers narrowed to half their width with signed saturation, those of operand 0 first. Made by
    /// legalisation.
    Narrow "narrow" 2 Explicit;
    /// Of each lane, 32 bits: the sum modulo 2^32 of the products of their two signed halves. Made by legalisation.
    Dot2S "dot2.s" 2 Same;

    // ---- pointers
    /// operand 0 + operand 1 (i64) * `Imm::Scale{scale, disp}`.scale + disp.
    PtrAdd "ptr.add" 2 Explicit;
    /// operand 0 + `Imm::Disp`.
    PtrOff "ptr.off" 1 Explicit;
    /// Operand 0, where variable number `Imm::Disp` of the group's local memory starts, or what an argument leads to:
    /// nothing leads from it to what starts at another number. Of work-group functions, until legalisation.
    LocalBase "local.base" 1 Explicit;
    /// True if operand 0 points into the group's local memory. Work-group functions add their `Env` as operand 1.
    IsLocal "is.local" * Explicit;
    /// True if operand 0 points into private memory. Work-group functions add their `Env` as operand 1.
    IsPrivate "is.private" * Explicit;

    // ---- memory; `Attr::mem` holds alignment and facts
    /// Loads the result type from operand 0.
    Load "load" 1 Explicit READS;
    /// Stores operand 1 to operand 0.
    Store "store" 2 None WRITES;
    /// Pointer, mask, vector: lane i of memory where the mask is set, else of the vector. Other lanes' memory is not
    /// touched.
    LoadMasked "load.masked" 3 Explicit READS;
    /// Stores the lanes of operand 1 that mask operand 2 selects to operand 0. Other lanes' memory is not touched.
    StoreMasked "store.masked" 3 None WRITES;
    /// Base pointer, indices (i32 or i64), mask, vector: lane i loads base + sext(index) *
    /// `Imm::Scale{scale, disp}`.scale + disp where the mask is set, else it is that of the vector and touches nothing.
    Gather "gather" 4 Explicit READS;
    /// Base pointer, indices, values, mask: stores by increasing lane, addresses as `gather`.
    Scatter "scatter" 4 None WRITES;
    /// Copies operand 2 (i64) bytes from operand 1 to operand 0; regions are disjoint or equal.
    Memcpy "memcpy" 3 None READS | WRITES;
    /// Fills operand 2 (i64) bytes at operand 0 with byte operand 1 (i8).
    Memset "memset" 3 None WRITES;
    /// Atomic load.
    AtomicLoad "atomic.load" 1 Explicit READS | WRITES | ORDERED;
    /// Atomic store of operand 1.
    AtomicStore "atomic.store" 2 None READS | WRITES | ORDERED;
    /// Atomic read-modify-write by `Imm::Rmw`; result: old value.
    AtomicRmw "atomic.rmw" 2 Explicit READS | WRITES | ORDERED;
    /// Atomic compare-exchange: pointer, expected, desired; result: old value.
    AtomicCas "atomic.cas" 3 Explicit READS | WRITES | ORDERED;
    /// Memory fence (`Attr::order`, `Attr::scope`).
    Fence "fence" 0 None READS | WRITES | ORDERED;
    /// A hint, which changes no result: the line of memory there, which need not exist, is wanted soon.
    Prefetch "prefetch" 1 None HINT;

    // ---- work-item queries; `Imm::Dim` 0..2, result i64 unless said
    /// Local id.
    Lid "lid" 0 Explicit;
    /// Global id, offset included.
    Gid "gid" 0 Explicit;
    /// Group id.
    Grp "grp" 0 Explicit;
    /// Size of this (perhaps trailing) group.
    Lsz "lsz" 0 Explicit;
    /// Enqueued local size.
    Elsz "elsz" 0 Explicit;
    /// Global size.
    Gsz "gsz" 0 Explicit;
    /// Number of groups.
    Ngrp "ngrp" 0 Explicit;
    /// Global offset.
    Goff "goff" 0 Explicit;
    /// Work dimension (i32, no immediate).
    WorkDim "workdim" 0 Explicit;
    /// Work-items of this sub-group (i32, as are all queries of sub-groups; no immediate).
    SgSize "sg.size" 0 Explicit;
    /// Most work-items of a sub-group.
    SgMax "sg.max" 0 Explicit;
    /// Number of the work-item in its sub-group.
    SgLid "sg.lid" 0 Explicit;
    /// Number of the sub-group in its group.
    SgId "sg.id" 0 Explicit;
    /// Sub-groups of this (perhaps trailing) group.
    SgNum "sg.num" 0 Explicit;
    /// Sub-groups of a group of the enqueued size.
    SgEnum "sg.enum" 0 Explicit;

    // ---- convergent
    /// Work-group barrier (`Imm::FenceFlags`). In checked code one that waits for copies has their events (i64) as
    /// operands, or all ones for any.
    Barrier "barrier" * None READS | WRITES | CONVERGENT | ORDERED;
    /// True if operand 0 (i1) is true for all work-items.
    WgAll "wg.all" 1 Explicit CONVERGENT | ORDERED;
    /// True if operand 0 (i1) is true for any work-item.
    WgAny "wg.any" 1 Explicit CONVERGENT | ORDERED;
    /// Operand 0 of the work-item whose linear local id is operand 1 (i64).
    WgBroadcast "wg.bcast" 2 Explicit CONVERGENT | ORDERED;
    /// Reduction of operand 0 by `Imm::Collective`.
    WgReduce "wg.reduce" 1 Explicit CONVERGENT | ORDERED;
    /// Inclusive scan by increasing linear local id.
    WgScanInc "wg.scan.inc" 1 Explicit CONVERGENT | ORDERED;
    /// Exclusive scan by increasing linear local id.
    WgScanExc "wg.scan.exc" 1 Explicit CONVERGENT | ORDERED;
    /// Copies planes of lines between global and local memory once per group: dst, src; then as i64 the bytes of a
    /// line, lines of a plane, dst stride, src stride from line to line; planes, dst stride, src stride from plane to
    /// plane. Strides are in bytes. In checked code also its event (i64).
    AsyncCopy "async.copy" * None READS | WRITES | CONVERGENT | ORDERED;

    // ---- met by a sub-group's work-items; those that do are the *active* ones
    /// In checked code: all of them have to come here, with the same operand. Behind it `pass::track` puts a constant
    /// (`race::Meeting`), and work-group form `Env` and the work-item's number.
    SgMeet "sg.meet" * None ORDERED | SUB_GROUP;
    /// Sub-group barrier: what they did to memory comes before what they do then.
    SgBarrier "sg.barrier" 0 None READS | WRITES | ORDERED | SUB_GROUP;
    /// i64 whose bit i is operand 0 (i1) of work-item i; 0 for those that are not active.
    SgBallot "sg.ballot" 1 Explicit SUB_GROUP;
    /// Operand 0 of the work-item whose number is operand 1 (i32): anything if that is not active, or there is none.
    SgShuffle "sg.shuffle" 2 Explicit SUB_GROUP;
    /// Operand 0 of the cluster's or sub-group's active work-items by `Imm::Cluster` in the order of `ir::collective`.
    SgReduce "sg.reduce" 1 Explicit SUB_GROUP;
    /// Inclusive scan over the active work-items by increasing number.
    SgScanInc "sg.scan.inc" 1 Explicit SUB_GROUP;
    /// Exclusive scan over the active work-items by increasing number.
    SgScanExc "sg.scan.exc" 1 Explicit SUB_GROUP;

    // ---- calls
    /// Prints (`crate::printf`): format and list of types (bytes in constant memory), packed arguments; 0 or -1.
    Printf "printf" 3 Explicit READS | WRITES | ORDERED;
    /// Asks the launch for what `Imm::Device` says (see `crate::device`): words, events to wait for, where an event
    /// goes, a block's arguments; an i64.
    Device "device" 4 Explicit READS | WRITES | ORDERED;
    /// Nanoseconds of a clock that all threads share and that never goes back.
    Clock "clock" 0 Explicit READS | WRITES | ORDERED;
    /// What operand 1 (an i64 constant) says (`check::Field`) of pointer argument number operand 0 (one too).
    CheckArg "check.arg" 2 Explicit;
    /// What operand 1 (an i64 constant) says (`check::Field`) of the object that holds the address operand 0.
    CheckObject "check.object" 2 Explicit;
    /// i64, in checked code: the event of the next asynchronous copy, which is operand 0 unless that is 0.
    /// `pass::check` makes other code of it.
    AsyncEvent "async.event" 1 Explicit ORDERED;
    /// Reports a mistake: i64s, a check's number (a constant, see `ir::check::Site`) and what `check::Finding` says.
    CheckReport "check.report" * None ORDERED;
    /// An access to memory happens next (see `crate::race`).
    Track "track" * None ORDERED;
    /// Work-items meet, or enqueue a kernel next, or a group begins (likewise).
    Meet "meet" * None ORDERED;
    /// Calls `Imm::Func`; operands are the arguments. At most one result.
    Call "call" * Explicit READS | WRITES | ORDERED;
}

impl Op {
    /// The op's row.
    pub fn row(self) -> &'static OpRow {
        &OPS[self as usize]
    }
    /// True if the op only computes its result.
    pub fn is_pure(self) -> bool {
        self.row().effects.is_empty()
    }
    /// True if it does the same with each lane of its operands, and could do it with vectors where those are scalars.
    pub fn is_elementwise(self) -> bool {
        use Op::{Fpext, Fptosi, Fptoui, Fptrunc, Sext, Sitofp, Trunci, Uitofp, Zext};
        let converts = matches!(self, Trunci | Sext | Zext | Fptrunc | Fpext | Fptosi | Fptoui | Sitofp | Uitofp);
        let is_ruled = matches!(self.row().rule, TypeRule::Same | TypeRule::Compare | TypeRule::Select);
        self.is_pure() && (converts || is_ruled)
    }
    /// True if all work-items of a group meet it together.
    pub fn is_convergent(self) -> bool {
        self.row().effects.contains(Effects::CONVERGENT)
    }
    /// True if work-items of a sub-group meet it together.
    pub fn is_sub_group(self) -> bool {
        self.row().effects.contains(Effects::SUB_GROUP)
    }
}

/// Which immediate an op takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named like the variants of `Imm`")]
pub enum ImmKind {
    None,
    Bits,
    Slot,
    LocalVar,
    Global,
    Func,
    Device,
    IntPred,
    FloatPred,
    Lane,
    Lanes,
    Scale,
    Disp,
    Dim,
    Rmw,
    Collective,
    Cluster,
    FenceFlags,
}

impl Op {
    /// The kind of immediate the op takes.
    pub fn imm_kind(self) -> ImmKind {
        match self {
            Self::Const => ImmKind::Bits,
            Self::SlotAddr => ImmKind::Slot,
            Self::LocalAddr => ImmKind::LocalVar,
            Self::GlobalAddr => ImmKind::Global,
            Self::Icmp => ImmKind::IntPred,
            Self::Fcmp => ImmKind::FloatPred,
            Self::Extract | Self::Insert => ImmKind::Lane,
            Self::Shuffle => ImmKind::Lanes,
            Self::PtrAdd | Self::Gather | Self::Scatter => ImmKind::Scale,
            Self::PtrOff | Self::LocalBase => ImmKind::Disp,
            Self::AtomicRmw => ImmKind::Rmw,
            Self::Lid | Self::Gid | Self::Grp | Self::Lsz | Self::Elsz | Self::Gsz | Self::Ngrp | Self::Goff => {
                ImmKind::Dim
            }
            Self::Barrier => ImmKind::FenceFlags,
            Self::WgReduce | Self::WgScanInc | Self::WgScanExc | Self::SgScanInc | Self::SgScanExc => {
                ImmKind::Collective
            }
            Self::Reduce | Self::ReduceTree => ImmKind::Collective,
            Self::SgReduce => ImmKind::Cluster,
            Self::Call => ImmKind::Func,
            Self::Device => ImmKind::Device,
            _ => ImmKind::None,
        }
    }
    /// True for ops that only vectorisation and legalisation make.
    pub fn is_lane_op(self) -> bool {
        matches!(
            self,
            Self::Iota
                | Self::MaskBits
                | Self::Reduce
                | Self::ReduceTree
                | Self::Permute
                | Self::Swizzle
                | Self::Narrow
                | Self::Dot2S
                | Self::LoadMasked
                | Self::StoreMasked
                | Self::Gather
                | Self::Scatter
                | Self::Prefetch
        )
    }
    /// True for work-item queries: `Lid` to `SgEnum`.
    pub fn is_query(self) -> bool {
        self >= Self::Lid && self <= Self::SgEnum
    }
    /// True for those about sub-groups.
    pub fn is_sub_group_query(self) -> bool {
        self >= Self::SgSize && self <= Self::SgEnum
    }
    /// True if swapping operands 0 and 1 changes nothing.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Mul
                | Self::MulHiS
                | Self::MulHiU
                | Self::And
                | Self::Or
                | Self::Xor
                | Self::MinS
                | Self::MinU
                | Self::MaxS
                | Self::MaxU
                | Self::AddSatS
                | Self::AddSatU
                | Self::HaddS
                | Self::HaddU
                | Self::RhaddS
                | Self::RhaddU
                | Self::Dot4Uu
                | Self::Dot4Ss
                | Self::Dot2S
                | Self::Fadd
                | Self::Fmul
                | Self::Fma
        )
    }
}

impl Imm {
    /// The kind of this immediate.
    pub fn kind(&self) -> ImmKind {
        match self {
            Self::None => ImmKind::None,
            Self::Bits(_) => ImmKind::Bits,
            Self::Slot(_) => ImmKind::Slot,
            Self::LocalVar(_) => ImmKind::LocalVar,
            Self::Global(_) => ImmKind::Global,
            Self::Func(_) => ImmKind::Func,
            Self::Device(..) => ImmKind::Device,
            Self::IntPred(_) => ImmKind::IntPred,
            Self::FloatPred(_) => ImmKind::FloatPred,
            Self::Lane(_) => ImmKind::Lane,
            Self::Lanes(_) => ImmKind::Lanes,
            Self::Scale { .. } => ImmKind::Scale,
            Self::Disp(_) => ImmKind::Disp,
            Self::Dim(_) => ImmKind::Dim,
            Self::Rmw(_) => ImmKind::Rmw,
            Self::Collective(_) => ImmKind::Collective,
            Self::Cluster(..) => ImmKind::Cluster,
            Self::FenceFlags(_) => ImmKind::FenceFlags,
        }
    }
}

/// Integer and pointer comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual names")]
pub enum IntPred {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
}

impl IntPred {
    /// True for an order of signed numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::SLt | Self::SLe | Self::SGt | Self::SGe)
    }
    /// The predicate for swapped operands.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::SLt => Self::SGt,
            Self::SLe => Self::SGe,
            Self::SGt => Self::SLt,
            Self::SGe => Self::SLe,
            Self::ULt => Self::UGt,
            Self::ULe => Self::UGe,
            Self::UGt => Self::ULt,
            Self::UGe => Self::ULe,
        }
    }
    /// The predicate that holds where this one does not.
    #[must_use]
    pub fn inverted(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::SLt => Self::SGe,
            Self::SLe => Self::SGt,
            Self::SGt => Self::SLe,
            Self::SGe => Self::SLt,
            Self::ULt => Self::UGe,
            Self::ULe => Self::UGt,
            Self::UGt => Self::ULe,
            Self::UGe => Self::ULt,
        }
    }
}

/// Float comparisons: `O` = false if unordered, `U` = true if unordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual names")]
pub enum FloatPred {
    OEq,
    ONe,
    OLt,
    OLe,
    OGt,
    OGe,
    Ord,
    UEq,
    UNe,
    ULt,
    ULe,
    UGt,
    UGe,
    Uno,
}

impl FloatPred {
    /// The predicate that holds where this one does not.
    #[must_use]
    pub fn inverted(self) -> Self {
        match self {
            Self::OEq => Self::UNe,
            Self::ONe => Self::UEq,
            Self::OLt => Self::UGe,
            Self::OLe => Self::UGt,
            Self::OGt => Self::ULe,
            Self::OGe => Self::ULt,
            Self::Ord => Self::Uno,
            Self::UEq => Self::ONe,
            Self::UNe => Self::OEq,
            Self::ULt => Self::OGe,
            Self::ULe => Self::OGt,
            Self::UGt => Self::OLe,
            Self::UGe => Self::OLt,
            Self::Uno => Self::Ord,
        }
    }
}

/// Rounding of one operation. Spec: cl_khr_select_fprounding_mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Rte,
    /// Towards zero.
    Rtz,
    /// Towards +inf.
    Rtp,
    /// Towards -inf.
    Rtn,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual names")]
pub enum RmwOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Xchg,
    MinS,
    MinU,
    MaxS,
    MaxU,
    /// Float addition.
    Fadd,
}

/// Memory orders. Spec: OpenCL C, "Order and Consistency".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual names")]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    #[default]
    SeqCst,
}

/// Memory scopes. Spec: OpenCL C, "Memory Scope".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the usual names")]
pub enum Scope {
    WorkItem,
    SubGroup,
    WorkGroup,
    #[default]
    Device,
    AllDevices,
}

/// The immediate operand of an op.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Imm {
    /// None.
    None,
    /// Constant bits, zero-extended.
    Bits(u64),
    /// Private slot.
    Slot(SlotId),
    /// Local variable.
    LocalVar(LocalVarId),
    /// Program-scope variable.
    Global(GlobalId),
    /// Callee.
    Func(FuncId),
    /// What is asked for, and which of the module's kernels it is about, if any.
    Device(DeviceFn, u32),
    /// Integer predicate.
    IntPred(IntPred),
    /// Float predicate.
    FloatPred(FloatPred),
    /// One lane.
    Lane(u8),
    /// Shuffle lanes.
    Lanes(Box<[u8]>),
    /// Address arithmetic: index scale and displacement in bytes.
    Scale {
        /// Bytes per index.
        scale: u32,
        /// Constant bytes.
        disp: i64,
    },
    /// Displacement in bytes.
    Disp(i64),
    /// Dimension 0..2.
    Dim(u8),
    /// Read-modify-write operation.
    Rmw(RmwOp),
    /// Collective operation.
    Collective(CollectiveOp),
    /// Collective operation over clusters of so many work-items, a power of two; 0 for the sub-group.
    Cluster(CollectiveOp, u8),
    /// Memory regions of a barrier: 1 local, 2 global, 4 image; 8: it waits for copies (`FENCE_WAIT`);
    /// 16: copies in front of it come before those behind it (`FENCE_COPIES`).
    FenceFlags(u8),
}
