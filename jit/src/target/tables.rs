//! The targets: one table for each back end, of what it has beyond another. A new one is a table here, a row in
//! `Backend`, and what it takes of the processor in `host`.

use super::{Costs, Host, LaneOps, Latency, Memory, Rate, ScalarOps, Target};
use crate::ir::FloatPred::{self, *};
use Rate::{PerLane, PerRegister};

/// All predicates.
const ALL: &[FloatPred] = &[OEq, ONe, OLt, OLe, OGt, OGe, Ord, UEq, UNe, ULt, ULe, UGt, UGe, Uno];

impl Target {
    /// Cranelift, on x86-64: 128 bits.
    pub const V128: Target = Target {
        register_bytes: 16,
        vector_registers: 16,
        scalar_registers: 13,
        masks: false,
        min_lanes: 2,
        max_lanes: 8,
        max_insts: usize::MAX,
        masked_memory: 0,
        broadcast_loads: false,
        gather: false,
        prefetch: false,
        gathers_by_loads: false,
        scatter: false,
        lane_shifts: 0,
        lane_rotates: false,
        popcounts: 0,
        leading_zeros: false,
        wide_integers: false,
        int_compares: false,
        high_products: false,
        byte_dots: false,
        narrows: false,
        fma: false,
        float_compares: &[OEq, OLt, OLe, OGt, OGe, Ord, UNe, ULt, ULe, UGt, UGe, Uno],
        directed: false,
        half_conversions: false,
        half_arithmetic: false,
        blends: false,
        byte_permutes: false,
        swizzles: false,
        costs: V128_COSTS,
    };

    /// Cranelift, on AArch64: 128 bits, and what is there besides. What a comparison with NaN gives is always false.
    pub const NEON: Target = Target {
        vector_registers: 32,
        scalar_registers: 25,
        int_compares: true,
        fma: true,
        float_compares: &[OEq, OLt, OLe, OGt, OGe],
        swizzles: true,
        ..Target::V128
    };

    /// Our own code generator on AVX2, with FMA, F16C and BMI.
    pub const AVX2: Target = Target {
        register_bytes: 32,
        min_lanes: 4,
        // With many more, frames of code that is made in a hurry are too large for a thread's stack.
        max_insts: 130_000,
        masked_memory: 32,
        broadcast_loads: true,
        gather: true,
        prefetch: true,
        lane_shifts: 32,
        high_products: true,
        fma: true,
        float_compares: ALL,
        half_conversions: true,
        blends: true,
        costs: AVX2_COSTS,
        ..Target::V128
    };

    /// Our own code generator on AVX-512, without what is beyond its baseline.
    pub const AVX512: Target = Target {
        register_bytes: 64,
        vector_registers: 32,
        masks: true,
        max_lanes: 16,
        masked_memory: 8,
        scatter: true,
        lane_shifts: 16,
        lane_rotates: true,
        leading_zeros: true,
        wide_integers: true,
        int_compares: true,
        narrows: true,
        directed: true,
        costs: AVX512_COSTS,
        ..Target::AVX2
    };

    /// The same with gathers of all lanes by loads, or not.
    pub fn with_gathers(self, by_loads: bool) -> Self {
        let memory = Memory { gather_of_all: 1.3, quick_gather_bytes: 0, ..self.costs.memory };
        let memory = if by_loads { memory } else { self.costs.memory };
        Self { gathers_by_loads: by_loads, costs: Costs { memory, ..self.costs }, ..self }
    }

    /// The same on a host that may have more than the table's baseline.
    pub(super) fn on(self, cpu: &Host) -> Self {
        let (gather, walk, walk_on_pages) = (2.8, 3.0, 6.0);
        let (gather_of_all, scatter, quick_gather_bytes) = (gather, gather, 0);
        let slow =
            Memory { gather, gather_of_all, scatter, quick_gather_bytes, walk, walk_on_pages, ..self.costs.memory };
        let memory = if cpu.slow_gathers { slow } else { self.costs.memory };
        let popcounts = match (cpu.avx512vpopcntdq, cpu.avx512bitalg) {
            (true, true) => 8,
            (true, false) => 32,
            (false, _) => 0,
        };
        // Each has a form of its own.
        let byte_dots = self.register_bytes > 16 && if self.masks { cpu.avx512vnni } else { cpu.avxvnni };
        let byte_dot = if byte_dots { PerRegister(4.0) } else { self.costs.lanes.byte_dot };
        Self {
            byte_dots,
            fma: self.fma || cpu.avx && cpu.fma,
            blends: self.blends || cpu.sse41,
            popcounts: if self.masks { popcounts } else { self.popcounts },
            half_arithmetic: self.masks && cpu.avx512fp16,
            byte_permutes: self.masks && cpu.avx512vbmi,
            swizzles: self.swizzles || cpu.ssse3,
            costs: Costs { memory, lanes: LaneOps { byte_dot, ..self.costs.lanes }, ..self.costs },
            ..self
        }
    }
}

const V128_COSTS: Costs = Costs {
    issue_width: 2.0,
    window: 256.0,
    scalar: ScalarOps {
        simple: 1.0,
        convert: 0.5,
        round: 2.0,
        float_divide: 4.0,
        divide: 8.0,
        byte_dot: 12.0,
        float_remainder: 40.0,
        half: 8.0,
    },
    lanes: LaneOps {
        simple: PerRegister(1.0),
        compare: PerRegister(1.5),
        extremum: PerRegister(3.0),
        shift: PerLane(2.5),
        byte_multiply: PerRegister(6.0),
        byte_dot: PerRegister(8.0),
        long_multiply: PerRegister(4.0),
        divide: PerLane(3.0),
        divide_by_one: PerLane(1.0),
        long_divide: PerLane(12.0),
        float_divide: PerRegister(5.0),
        double_divide: PerRegister(8.0),
        float_remainder: PerLane(44.0),
        count_bits: PerLane(3.0),
        extract: PerRegister(6.0),
        half: PerRegister(12.0),
        branch: 4.0,
        shuffle: 1.5,
        deinterleave: [3.0, 2.0],
    },
    latency: Latency {
        simple: 1.0,
        float: 4.0,
        half: 16.0,
        float_convert: 7.0,
        float_divide: 15.0,
        short_multiply: 5.0,
        multiply: 10.0,
    },
    memory: Memory {
        reload: 0.5,
        spill: 1.0,
        gather: 0.8,
        scatter: 2.0,
        gather_of_all: 0.8,
        paired_gather: 1.6,
        quick_gather_bytes: 32,
        walk: 5.0,
        walk_on_pages: 10.0,
        row_byte: 0.3,
        taken_out: 2.0,
        way_bytes: 4096,
        steep_scatter: 4.0,
        masked_group: 4.0,
        masked_store: 8.0,
        no_forwarding: [40.0, 10.0],
    },
};

const AVX2_COSTS: Costs = Costs {
    lanes: LaneOps {
        shift: PerRegister(1.0),
        count_bits: PerRegister(3.0),
        half: PerRegister(5.0),
        branch: 2.0,
        ..V128_COSTS.lanes
    },
    ..V128_COSTS
};

const AVX512_COSTS: Costs = Costs {
    lanes: LaneOps { deinterleave: [1.0, 1.0], long_divide: PerRegister(30.0), ..AVX2_COSTS.lanes },
    ..AVX2_COSTS
};
