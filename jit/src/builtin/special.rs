//! Builtins that are no single operation of KIR and have no body in OpenCL C: the front ends and `lower` make them.
//! Knows nothing of signatures.

use crate::ir::CollectiveOp;
use crate::ir::op::{FloatPred, IntPred, Op, RmwOp, Rounding};
use crate::launch::AddrSpace;

/// Builtins that no single op and no OpenCL C body expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// The result is the argument (bit for bit).
    Identity,
    /// `mul24(x, y)`, `mad24(x, y, z)`
    Mul24,
    /// Work-item query by KIR op (`Gid`, `Lsz` …) with a `uint` dimension that need not be constant; for a dimension
    /// outside `0..3` sizes are 1 and ids are 0.
    WorkItem(Op),
    /// `get_global_linear_id()`
    GlobalLinearId,
    /// `get_local_linear_id()`
    LocalLinearId,
    /// Compare two floats: result 0/1 for scalars, 0/-1 for vector components.
    Relational(FloatPred),
    /// `any`: 1 if the most significant bit of any component is set, else 0.
    Any,
    /// `all`: 1 if the most significant bit of every component is set, else 0.
    All,
    /// `select(a, b, c)`: scalar: `c ? b : a`; vector, per component: most significant bit of `c` set ? `b` : `a`.
    Select,
    /// `bitselect(a, b, c)` on the bits of any type: a bit of `b` where `c` has 1, else of `a`.
    Bitselect,
    /// `vloadn(offset, p)`
    Vload,
    /// `vstoren(data, offset, p)`
    Vstore,
    /// `vload_half`, `vload_halfn`, `vloada_halfn`.
    VloadHalf {
        /// `vloada_`: a 3-vector has stride 4 and the address is a multiple of the vector's size.
        aligned: bool,
    },
    /// `vstore_half…` and `vstorea_half…`.
    VstoreHalf {
        /// As in `VloadHalf`.
        aligned: bool,
        /// Suffix; `None` = the rounding mode of the place of the call.
        rounding: Option<Rounding>,
    },
    /// `shuffle(x, mask)`: result component i is component `mask[i] mod n` of `x`.
    Shuffle,
    /// `shuffle2(x, y, mask)`: the same over the concatenation of `x` and `y`.
    Shuffle2,
    /// `barrier(flags)`, `work_group_barrier(flags[, scope])`.
    Barrier,
    /// `mem_fence`, `read_mem_fence`, `write_mem_fence`: `(flags)`; `atomic_work_item_fence(flags, order, scope)`.
    Fence,
    /// `intel_work_group_barrier_arrive(flags[, scope])`
    Arrive,
    /// `intel_device_barrier(flags[, scope])`
    DeviceBarrier,
    /// `intel_is_device_barrier_valid()`
    IsDeviceBarrierValid,
    /// OpenCL 1.x atomic: relaxed, device scope. First parameter the address, second the operand; without one it is 1.
    /// Result: the old value.
    AtomicRmw(RmwOp),
    /// `atomic_cmpxchg(p, expected, new)`
    AtomicCas,
    /// Function of the OpenCL C 2.0 atomics on an atomic object; memory orders and scope, where given, come last.
    Atomic(AtomicFn),
    /// `to_global`, `to_local`, `to_private`: the pointer if it points into this space, else null.
    ToSpace(AddrSpace),
    /// `get_fence`: the fence flags of the space that the pointer points into.
    GetFence,
    /// `async_work_group_copy(dst, src, n, event)`
    AsyncCopy,
    /// `async_work_group_strided_copy(dst, src, n, stride, event)`; the stride (in elements) belongs to the global
    /// pointer.
    AsyncStridedCopy,
    /// `async_work_group_copy_2D2D`, or with planes `async_work_group_copy_3D3D`.
    AsyncCopyLines {
        /// 3D.
        planes: bool,
    },
    /// `wait_group_events(n, events)`
    WaitGroupEvents,
    /// `clock_read_…`: the clock, as `ulong` or `uint2`.
    Clock,
    /// The `bfloat16` nearest to a `float`, ties to even, as `ushort`.
    ToBfloat16,
    /// The `float` that is a `bfloat16`, given as `ushort`.
    FromBfloat16,
    /// Arguments are evaluated, nothing else needs to happen: `prefetch(p, n)`, `async_work_group_copy_fence(flags)`.
    Nothing,
    /// `async_work_group_copy_fence`: copies happen one by one, in the order of the program.
    CopyFence,
    /// `work_group_broadcast`, `work_group_reduce_*`, `work_group_scan_*`: op, and the operation where there is one.
    Collective(Op, Option<CollectiveOp>),
    /// The same over truth values, `int` in and out: `work_group_all`, `work_group_any`, `…_logical_*`.
    Vote(Op, Option<CollectiveOp>),
    /// Function of sub-groups that no single op is.
    SubGroup(SubGroupFn),
    /// Function on pipes and their reservations.
    Pipe(PipeFn),
    /// `printf`
    Printf,
}

/// Functions of sub-groups. Spec: OpenCL C, "Subgroup Functions"; `cl_intel_subgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubGroupFn {
    /// `(flags[, scope])`
    Barrier,
    /// Whether the predicate holds for all active work-items.
    All,
    /// For any of them.
    Any,
    /// Whether they have the same value.
    AllEqual,
    /// Whether this is the first of them.
    Elect,
    /// `(value, number of the work-item that has it)`
    Shuffle,
    /// The value of the first active work-item.
    BroadcastFirst,
    /// `(value, mask of the number)`
    ShuffleXor,
    /// `([previous, ]value, delta)`
    ShuffleUp,
    /// `(value[, next], delta)`
    ShuffleDown,
    /// `(value, delta[, size of clusters])`
    Rotate,
    /// Bits of a predicate.
    Ballot,
    /// This work-item's bit.
    InverseBallot,
    /// `(ballot, number of the bit)`
    BitExtract,
    /// Number of bits, of all work-items or of those whose number compares so with this one's.
    BitCount(Option<IntPred>),
    /// Number of the lowest bit.
    FindLsb,
    /// Number of the highest bit.
    FindMsb,
    /// Bits of the work-items whose number compares so with this one's.
    Mask(IntPred),
    /// `(value[, size of clusters])`: reduction or scan by an op.
    Arithmetic(Op, CollectiveOp),
    /// The same over truth values, `int` in and out.
    Logical(Op, CollectiveOp),
    /// Reads side by side: `(pointer)`.
    BlockRead,
    /// Writes side by side: `(pointer, value)`.
    BlockWrite,
}

impl SubGroupFn {
    /// Whether the last of so many arguments is the size of clusters.
    pub fn has_cluster(self, n_args: usize) -> bool {
        match self {
            Self::Arithmetic(..) | Self::Logical(..) => n_args == 2,
            Self::Rotate => n_args == 3,
            _ => false,
        }
    }
}

/// Functions on pipes. Spec: OpenCL C, "Pipe Functions".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeFn {
    /// `read_pipe`, `write_pipe`: `(pipe, pointer)`.
    Move(PipeEnd),
    /// The same, of a packet that is reserved: `(pipe, id, index, pointer)`.
    MoveReserved(PipeEnd),
    /// `…reserve_…_pipe(pipe, n)`
    Reserve(PipeEnd, PipeBy),
    /// `…commit_…_pipe(pipe, id)`
    Commit(PipeEnd, PipeBy),
    /// `is_valid_reserve_id(id)`
    IsValid,
    /// `get_pipe_num_packets(pipe)`
    NumPackets,
    /// `get_pipe_max_packets(pipe)`
    MaxPackets,
}

impl PipeFn {
    /// The file of the bodies that they share.
    pub const FILE: &str = "pipe/pipe.cl";
}

/// The end of a pipe that a function works at, as numbered in `builtins/pipe/pipe.cl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeEnd {
    /// Packets go in.
    Write = 0,
    /// Packets come out.
    Read = 1,
}

/// Who makes or ends a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeBy {
    /// Each work-item its own.
    Item,
    /// All of a group one.
    WorkGroup,
    /// All of a sub-group one.
    SubGroup,
}

impl PipeBy {
    /// What the functions' names start with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Item => "",
            Self::WorkGroup => "work_group_",
            Self::SubGroup => "sub_group_",
        }
    }
}

/// Functions on atomic objects; the object comes first. Spec: OpenCL C, "Atomic Functions".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicFn {
    /// `atomic_init(object, value)`: not atomic.
    Init,
    /// `atomic_load(object)`
    Load,
    /// `atomic_store(object, value)`
    Store,
    /// `atomic_exchange(object, value)`, `atomic_fetch_…(object, operand)`
    Rmw(RmwOp),
    /// `atomic_compare_exchange_…(object, expected, desired)`; two orders. The weak form never fails without reason.
    CompareExchange,
    /// `atomic_fetch_sub(object, operand)` of floats.
    FloatSub,
    /// `atomic_fetch_min`, `atomic_fetch_max` of floats: `Fmin` or `Fmax`.
    FloatMinMax(Op),
    /// `atomic_flag_test_and_set(object)`
    TestAndSet,
    /// `atomic_flag_clear(object)`
    Clear,
}

impl AtomicFn {
    /// Operands before the memory orders.
    pub const fn n_operands(self) -> usize {
        match self {
            Self::Load | Self::TestAndSet | Self::Clear => 1,
            Self::Init | Self::Store | Self::Rmw(_) | Self::FloatSub | Self::FloatMinMax(_) => 2,
            Self::CompareExchange => 3,
        }
    }
    /// Memory orders that the explicit form takes.
    pub const fn n_orders(self) -> usize {
        match self {
            Self::Init => 0,
            Self::CompareExchange => 2,
            _ => 1,
        }
    }
}
