//! Expressions, places and statements of HIR.

use super::ty::Ty;
use super::{FnId, LabelId, LocalId, VarId, WgVarId};
use crate::builtin::{Attrs, Body, Elem, Row, Special};
use crate::ir::CollectiveOp;
use crate::ir::op::{Attr, Flags, Imm, Op, Rounding};
use crate::options::Precision;
use crate::source::Span;

super::ids! {
    /// An expression of one function.
    ExprId;
    /// A place of one function.
    PlaceId;
    /// A statement of one function.
    StmtId;
}

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type, never a function or array type.
    pub ty: Ty,
    /// Where it stands.
    pub span: Span,
}

/// Memory.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Type of the object.
    pub ty: Ty,
    /// Access must happen exactly as written.
    pub volatile: bool,
    /// Where it stands.
    pub span: Span,
}

/// Rounding and permissions in force where an operator is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FpAttr {
    /// Rounding mode of the lexical region or of a suffix.
    pub rm: Rounding,
    /// `CONTRACT`, `ARCP`, `NNAN` and `NSZ` where they are permitted.
    pub flags: Flags,
}

/// Kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A parameter or private variable.
    Local(LocalId),
    /// A program-scope variable.
    Var(VarId),
    /// A `__local` variable.
    WgVar(WgVarId),
    /// What a pointer points to.
    Deref(ExprId),
    /// Field number `.1` of a record place.
    Field(PlaceId, u32),
    /// Element of an array place; the index has type `LONG` or `ULONG` or narrower and is converted by sign.
    Index(PlaceId, ExprId),
    /// Lanes of a vector place, distinct when written to; one lane gives the element type.
    Lanes(PlaceId, Vec<u8>),
    /// A temporary holding a struct value, so that its fields can be read.
    Temp(ExprId),
}

/// Kinds of values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Const(ConstValue),
    /// An undefined value (e.g. `w` of a widened 3-vector).
    Undef,
    /// Contents of a place.
    Load(PlaceId),
    /// Address of a place.
    AddrOf(PlaceId),
    /// Address of the first element of an array place.
    Decay(PlaceId),
    /// Operator on one operand.
    Unary(UnOp, ExprId),
    /// Operator on two operands of the result's type (for shifts of scalars too: converted to the left operand's type;
    /// the amount is taken modulo the width).
    Binary(BinOp, FpAttr, ExprId, ExprId),
    /// Comparison of two operands of one type: scalar → `int` 0/1; vector → integer vector 0/-1.
    Compare(CmpOp, ExprId, ExprId),
    /// `!x`: scalar → `int` 0/1; vector → integer vector 0/-1.
    LogicalNot(ExprId),
    /// `a && b` on scalars, short-circuit → `int`.
    LogicalAnd(ExprId, ExprId),
    /// `a || b` on scalars, short-circuit → `int`.
    LogicalOr(ExprId, ExprId),
    /// `a && b`, `a || b` (true = or) on vectors, no short circuit → 0/-1.
    LogicalVector(BinOp, ExprId, ExprId),
    /// `c ? a : b` with scalar condition; only one side is evaluated.
    Cond(ExprId, ExprId, ExprId),
    /// `c ? a : b` with a vector condition: per lane the sign bit of c.
    VectorCond(ExprId, ExprId, ExprId),
    /// Stores a value and gives it back.
    Assign(PlaceId, ExprId),
    /// `place op= rhs`: loads, converts to `compute`, operates, converts back to the place's type, stores; value: what
    /// was stored.
    CompoundAssign {
        /// Read once, written once.
        place: PlaceId,
        /// Operator.
        op: BinOp,
        /// Attributes.
        fp: FpAttr,
        /// Right operand, of type `compute`; for pointers, of integer type.
        rhs: ExprId,
        /// Type of the operation.
        compute: Ty,
    },
    /// `++`/`--`: pre- gives the new, post- the old value. Pointers move by one element.
    IncDec {
        /// The operand.
        place: PlaceId,
        /// +1 or -1.
        delta: i8,
        /// True for `x++`.
        post: bool,
        /// Attributes for floats.
        fp: FpAttr,
    },
    /// Conversion to the expression's type.
    Convert(ConvKind, ExprId),
    /// `as_type`: same bits; sizes are equal (3-vectors count as 4; a missing lane is undefined).
    AsType(ExprId),
    /// Vector from scalars and vectors, lanes concatenated.
    Build(Vec<ExprId>),
    /// Lanes of a vector value picked in order; one lane gives the element type. 3-vectors may name lane 3 (undefined).
    Swizzle(ExprId, Vec<u8>),
    /// pointer + integer * sizeof(pointee).
    PtrAdd(ExprId, ExprId),
    /// pointer - integer * sizeof(pointee).
    PtrSub(ExprId, ExprId),
    /// (a - b) / sizeof(pointee), `ptrdiff_t`.
    PtrDiff(ExprId, ExprId),
    /// Call; arguments have the parameters' types.
    Call(Callee, Vec<ExprId>),
    /// Evaluates the first for its effects, gives the second.
    Comma(ExprId, ExprId),
    /// Fills a local from its initialiser, then gives the place's value: compound literals.
    InitLoad(StmtId, PlaceId),
}

/// Constants.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstValue {
    /// Integer, bool, enum or pointer bits, zero-extended from the type's width.
    Int(u64),
    /// IEEE bits of the type's width, zero-extended.
    Float(u64),
    /// Lanes of a vector, each as above.
    Vector(Vec<u64>),
}

/// Operators on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// Arithmetic negation, integer or float.
    Neg,
    /// Bitwise complement.
    Not,
}

/// Operators on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the language's names")]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Comparisons; signedness follows the operands' type, `Ne` on floats is true for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the language's names")]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvKind {
    /// Between arithmetic scalars, or vectors of equal lane counts, lane by lane: int↔int, int↔float, float↔float; from
    /// bool. `sat`: integer targets saturate. `rm` rounds (float → int defaults to Rtz).
    Arith {
        /// `_sat`.
        sat: bool,
        /// Rounding.
        rm: Rounding,
    },
    /// Scalar to bool: != 0.
    ToBool,
    /// Scalar to all lanes of a vector of its type.
    Splat,
    /// Pointer to pointer, any pointee and address space.
    Pointer,
    /// Integer to pointer or back.
    PointerInt,
    /// To void.
    Void,
}

/// Who is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function of this unit.
    User(FnId),
    /// A builtin.
    Builtin(Builtin),
}

/// Builtins as sema resolves them.
#[derive(Clone, Debug)]
pub enum Builtin {
    /// A KIR op on the arguments as they are (scalars or vectors), with immediate and attributes.
    Op(Op, Imm, Attr),
    /// A function of the builtin library (`symbol` in `file`), applied lane by lane if `elementwise` and the result is
    /// a vector: vector arguments are split, scalars are passed to every lane, and pointer arguments advance by one
    /// element per lane.
    Library {
        /// File below `jit/builtins`, e.g. `math/exp.cl`.
        file: &'static str,
        /// Mangled name, see `builtin::mangle`.
        symbol: String,
        /// Scalar body for a vector call.
        elementwise: bool,
    },
    /// `mul24(x, y)`, `mad24(x, y, z)`: the low 32 bits, also of operands that have more than 24 bits, whose product is
    /// for the implementation to define. Spec: OpenCL C, "Integer Functions".
    Mul24 {
        /// `int`, not `uint`.
        signed: bool,
    },
    /// `vloadn(offset, p)`: loads lanes with element alignment at p + offset * lanes.
    Vload,
    /// `vstoren(data, offset, p)`.
    Vstore,
    /// `vload_half`, `vload_halfn` (stride n), `vloada_halfn` (`aligned`: stride 4 for n = 3). Result float lanes.
    VloadHalf {
        /// `vloada_`.
        aligned: bool,
    },
    /// `vstore_half…`; data float or double.
    VstoreHalf {
        /// `vstorea_`.
        aligned: bool,
        /// Rounding suffix or the region's mode.
        rm: Rounding,
    },
    /// `get_global_id` and the like with an argument that may be any value; out-of-range dimensions give the spec's
    /// default.
    WorkItem(Op),
    /// `get_global_linear_id`.
    GlobalLinearId,
    /// `get_local_linear_id`.
    LocalLinearId,
    /// `barrier(flags)`: the argument, constant or not, is ignored but for its effects.
    Barrier,
    /// `mem_fence` and the like: ordering for the compiler only.
    Fence,
    /// The first half of a split barrier.
    Arrive,
    /// A barrier of all groups.
    DeviceBarrier,
    /// Whether there can be one.
    IsDeviceBarrierValid,
    /// `work_group_*` collectives: op, and `Imm::Collective` operation where there is one.
    Collective(Op, Option<CollectiveOp>),
    /// The same over truth values: `work_group_all`, `work_group_any`, `…_logical_*`.
    Vote(Op, Option<CollectiveOp>),
    /// `async_work_group_copy(dst, src, n, event)`.
    AsyncCopy,
    /// `async_work_group_strided_copy`; the stride belongs to the global pointer.
    AsyncStridedCopy,
    /// `async_work_group_copy_2D2D`, or with planes `async_work_group_copy_3D3D`.
    AsyncCopyLines {
        /// 3D.
        planes: bool,
    },
    /// `wait_group_events(n, list)`.
    WaitGroupEvents,
    /// The `bfloat16` nearest to a `float`, ties to even, as `ushort`.
    ToBfloat16,
    /// The `float` that is a `bfloat16`.
    FromBfloat16,
    /// `prefetch` and the like: evaluates its arguments.
    Nothing,
    /// `async_work_group_copy_fence`.
    CopyFence,
    /// Atomic read-modify-write on pointer and value (value missing: constant 1): result old value.
    AtomicRmw(crate::ir::op::RmwOp),
    /// `atomic_cmpxchg(p, cmp, val)`.
    AtomicCas,
    /// A function on an atomic object: operands, then memory orders and scope where given.
    Atomic(crate::builtin::AtomicFn),
    /// `to_global` and its kin on a pointer.
    ToSpace(crate::launch::AddrSpace),
    /// `get_fence` on a pointer.
    GetFence,
    /// `shuffle(x, mask)` with run-time mask.
    Shuffle,
    /// `shuffle2(x, y, mask)` with run-time mask.
    Shuffle2,
    /// `any(x)` (true = all): sign bits of lanes → int.
    AnyAll {
        /// `all`.
        all: bool,
    },
    /// `select(a, b, c)`: per lane b where c's sign bit (scalar: c != 0) is set, else a.
    Select,
    /// `bitselect(a, b, c)`.
    Bitselect,
    /// The clock as `ulong`, or as `uint2` with the lower half first.
    Clock,
    /// A function of sub-groups.
    SubGroup {
        /// What it does.
        f: crate::builtin::SubGroupFn,
        /// The size of clusters where it has such: a power of two, 0 for whole sub-groups.
        cluster: u8,
        /// All work-items of the sub-group have to reach it.
        together: bool,
    },
    /// A function on pipes, and the bytes of a packet; 0 where there is no pipe among the arguments.
    Pipe(crate::builtin::PipeFn, u32),
    /// A function of `crate::device`, and the block that it is about. Of `enqueue_kernel` the arguments are queue,
    /// flags, ND-range, number of events, events, where the event goes, whether errors are told apart; then what the
    /// block captures and the sizes of its local arguments. Of `enqueue_marker` they are queue, number, events, event,
    /// whether errors are told apart.
    Device(crate::device::DeviceFn, Option<FnId>),
    /// `printf`: format, list of types (see `crate::printf`), promoted arguments.
    Printf,
    /// A relational function: comparison by KIR op giving `int` 0/1 for scalars, 0/-1 lanes for vectors.
    Relational(crate::ir::op::FloatPred),
}

impl Builtin {
    /// What a row means for an element type and a width. `fp` is for operations on floats; `precision` is what
    /// the options want. `None` for the rows that are no call of a function.
    pub fn of(row: &Row, elem: Elem, width: u8, fp: FpAttr, precision: Precision) -> Option<Self> {
        Some(match row.body {
            Body::Op(op) => Self::Op(op, Imm::None, Attr { flags: fp.flags, ..Attr::default() }),
            Body::Cl { .. } => {
                let (file, symbol) = row.with_precision(elem, precision).symbol(elem, width)?;
                let elementwise = row.attrs.contains(Attrs::ELEMENTWISE);
                Self::Library { file, symbol, elementwise }
            }
            Body::Special(special) => match special {
                Special::Mul24 => Self::Mul24 { signed: elem.is_signed_int() },
                Special::WorkItem(op) => Self::WorkItem(op),
                Special::GlobalLinearId => Self::GlobalLinearId,
                Special::LocalLinearId => Self::LocalLinearId,
                Special::Relational(pred) => Self::Relational(pred),
                Special::Any => Self::AnyAll { all: false },
                Special::All => Self::AnyAll { all: true },
                Special::Select => Self::Select,
                Special::Bitselect => Self::Bitselect,
                Special::Vload => Self::Vload,
                Special::Vstore => Self::Vstore,
                Special::VloadHalf { aligned } => Self::VloadHalf { aligned },
                Special::VstoreHalf { aligned, rounding } => {
                    Self::VstoreHalf { aligned, rm: rounding.unwrap_or(fp.rm) }
                }
                Special::Shuffle => Self::Shuffle,
                Special::Shuffle2 => Self::Shuffle2,
                Special::Barrier => Self::Barrier,
                Special::Fence => Self::Fence,
                Special::Arrive => Self::Arrive,
                Special::DeviceBarrier => Self::DeviceBarrier,
                Special::IsDeviceBarrierValid => Self::IsDeviceBarrierValid,
                Special::AtomicRmw(op) => Self::AtomicRmw(op),
                Special::AtomicCas => Self::AtomicCas,
                Special::Atomic(what) => Self::Atomic(what),
                Special::ToSpace(space) => Self::ToSpace(space),
                Special::GetFence => Self::GetFence,
                Special::AsyncCopy => Self::AsyncCopy,
                Special::AsyncStridedCopy => Self::AsyncStridedCopy,
                Special::WaitGroupEvents => Self::WaitGroupEvents,
                Special::Clock => Self::Clock,
                Special::AsyncCopyLines { planes } => Self::AsyncCopyLines { planes },
                Special::ToBfloat16 => Self::ToBfloat16,
                Special::FromBfloat16 => Self::FromBfloat16,
                Special::Nothing => Self::Nothing,
                Special::CopyFence => Self::CopyFence,
                Special::Collective(op, kind) => Self::Collective(op, kind),
                Special::Vote(op, kind) => Self::Vote(op, kind),
                Special::SubGroup(f) => {
                    let together = row.attrs.contains(crate::builtin::Attrs::TOGETHER);
                    Self::SubGroup { f, cluster: 0, together }
                }
                Special::Pipe(f) => Self::Pipe(f, 0),
                // A value, and a call with a format to check.
                Special::Identity | Special::Printf => return None,
            },
        })
    }
}

/// Statements.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Several in order.
    Block(Vec<StmtId>),
    /// Evaluates an expression.
    Expr(ExprId),
    /// A declaration is reached: the local's value is undefined from here (fresh in each iteration).
    Declare(LocalId),
    /// Zero-fills a place (before partial initialisers).
    Zero(PlaceId),
    /// Stores an initial value.
    Init(PlaceId, ExprId),
    /// `if`; the condition is a scalar of any arithmetic or pointer type, true if != 0.
    If(ExprId, StmtId, Option<StmtId>),
    /// `while`, `for` (init precedes it; `step` runs on continue).
    While {
        /// Missing = true.
        cond: Option<ExprId>,
        /// Runs after the body and on `continue`.
        step: Option<ExprId>,
        /// Body.
        body: StmtId,
    },
    /// `do … while`.
    DoWhile {
        /// Body.
        body: StmtId,
        /// Condition.
        cond: ExprId,
    },
    /// `switch`; `Case` and `Default` statements lie anywhere inside the body.
    Switch {
        /// Integer after promotion.
        value: ExprId,
        /// Body.
        body: StmtId,
    },
    /// `case` label: bits zero-extended from the promoted width; falls through to the next statement.
    Case(u64),
    /// `default` label.
    Default,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<ExprId>),
    /// A label.
    Label(LabelId),
    /// `goto`.
    Goto(LabelId),
    /// Nothing.
    Empty,
}
