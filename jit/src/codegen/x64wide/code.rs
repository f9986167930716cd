//! The instruction table: one constant per instruction or per family of four element types.

use super::encode::{Code, Enc};

const fn legacy(name: &'static str, pp: u8, map: u8, op: u8) -> Code {
    Code { name, enc: Enc::Legacy, pp, map, w: false, op, digit: None, byte: false, l1: false, is4: false, avx2: None }
}
/// With an 8-bit form one opcode below.
const fn sized(name: &'static str, map: u8, op: u8) -> Code {
    Code { byte: true, ..legacy(name, 0, map, op) }
}
const fn group(name: &'static str, op: u8, digit: u8) -> Code {
    Code { digit: Some(digit), ..sized(name, 0, op) }
}
const fn vector(name: &'static str, enc: Enc, pp: u8, map: u8, w: u8, op: u8) -> Code {
    Code { name, enc, pp, map, w: w != 0, op, digit: None, byte: false, l1: false, is4: false, avx2: None }
}
const fn digit(code: Code, digit: u8) -> Code {
    Code { digit: Some(digit), ..code }
}
/// A row whose place another instruction takes on a machine without EVEX.
const fn or(code: Code, avx2: &'static Code) -> Code {
    Code { avx2: Some(avx2), ..code }
}
/// An instruction that has only a VEX form: prefix, map, W, opcode.
const fn vex(name: &'static str, pp: u8, map: u8, w: u8, op: u8) -> Code {
    vector(name, Enc::Vex, pp, map, w, op)
}

// ---- general registers
pub const ADD: Code = sized("add", 0, 0x03);
pub const OR: Code = sized("or", 0, 0x0b);
pub const AND: Code = sized("and", 0, 0x23);
pub const SUB: Code = sized("sub", 0, 0x2b);
pub const XOR: Code = sized("xor", 0, 0x33);
pub const CMP: Code = sized("cmp", 0, 0x3b);
pub const TEST: Code = sized("test", 0, 0x85);
pub const TEST_IMM: Code = group("test", 0xf7, 0);
pub const MOV: Code = sized("mov", 0, 0x8b);
pub const MOV_STORE: Code = sized("mov", 0, 0x89);
pub const MOV_IMM: Code = group("mov", 0xc7, 0);
pub const LEA: Code = legacy("lea", 0, 0, 0x8d);
pub const IMUL: Code = legacy("imul", 0, 1, 0xaf);
pub const IMUL_IMM: Code = legacy("imul", 0, 0, 0x69);
pub const IMUL_IMM8: Code = legacy("imul", 0, 0, 0x6b);
/// Operations with an immediate of full size, of one byte: numbered as in `/digit`.
pub const ALU_IMM: [Code; 8] = [
    group("add", 0x81, 0),
    group("or", 0x81, 1),
    group("adc", 0x81, 2),
    group("sbb", 0x81, 3),
    group("and", 0x81, 4),
    group("sub", 0x81, 5),
    group("xor", 0x81, 6),
    group("cmp", 0x81, 7),
];
pub const SHL_IMM: Code = group("shl", 0xc1, 4);
pub const SHR_IMM: Code = group("shr", 0xc1, 5);
pub const SAR_IMM: Code = group("sar", 0xc1, 7);
pub const ROL_IMM: Code = group("rol", 0xc1, 0);
pub const ROL_CL: Code = group("rol", 0xd3, 0);
pub const NOT: Code = group("not", 0xf7, 2);
pub const NEG: Code = group("neg", 0xf7, 3);
pub const MUL: Code = group("mul", 0xf7, 4);
pub const IMUL1: Code = group("imul", 0xf7, 5);
pub const DIV: Code = group("div", 0xf7, 6);
pub const IDIV: Code = group("idiv", 0xf7, 7);
pub const PREFETCHT0: Code = digit(legacy("prefetcht0", 0, 1, 0x18), 1);
pub const MOVZX8: Code = legacy("movzx", 0, 1, 0xb6);
pub const MOVZX16: Code = legacy("movzx", 0, 1, 0xb7);
pub const MOVSX8: Code = legacy("movsx", 0, 1, 0xbe);
pub const MOVSX16: Code = legacy("movsx", 0, 1, 0xbf);
pub const MOVSXD: Code = legacy("movsxd", 0, 0, 0x63);
pub const BSWAP: Code = Code { enc: Enc::LegacyReg, ..legacy("bswap", 0, 1, 0xc8) };
pub const POPCNT: Code = legacy("popcnt", 2, 1, 0xb8);
pub const TZCNT: Code = legacy("tzcnt", 2, 1, 0xbc);
pub const LZCNT: Code = legacy("lzcnt", 2, 1, 0xbd);
pub const XCHG: Code = sized("xchg", 0, 0x87);
pub const XADD: Code = sized("xadd", 1, 0xc1);
pub const CMPXCHG: Code = sized("cmpxchg", 1, 0xb1);
pub const ADD_TO: Code = sized("add", 0, 0x01);
pub const OR_TO: Code = sized("or", 0, 0x09);
pub const AND_TO: Code = sized("and", 0, 0x21);
pub const SUB_TO: Code = sized("sub", 0, 0x29);
pub const XOR_TO: Code = sized("xor", 0, 0x31);
pub const SHLX: Code = vector("shlx", Enc::Vex, 1, 2, 0, 0xf7);
pub const SARX: Code = vector("sarx", Enc::Vex, 2, 2, 0, 0xf7);
pub const SHRX: Code = vector("shrx", Enc::Vex, 3, 2, 0, 0xf7);
pub const RORX: Code = vector("rorx", Enc::Vex, 3, 3, 0, 0xf0);

/// Condition codes as they stand in opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cc {
    B = 2,
    Ae = 3,
    E = 4,
    Ne = 5,
    Be = 6,
    A = 7,
    S = 8,
    Ns = 9,
    P = 10,
    Np = 11,
    L = 12,
    Ge = 13,
    Le = 14,
    G = 15,
}

impl Cc {
    /// The opposite condition.
    pub fn negate(self) -> Self {
        use Cc::*;
        match self {
            B => Ae,
            Ae => B,
            E => Ne,
            Ne => E,
            Be => A,
            A => Be,
            S => Ns,
            Ns => S,
            P => Np,
            Np => P,
            L => Ge,
            Ge => L,
            Le => G,
            G => Le,
        }
    }

    /// Its name in listings, by the opcode's order.
    pub fn name(self) -> &'static str {
        ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"][self as usize]
    }
}

const SETCC: [&str; 16] = [
    "seto", "setno", "setb", "setae", "sete", "setne", "setbe", "seta", "sets", "setns", "setp", "setnp", "setl",
    "setge", "setle", "setg",
];
const CMOVCC: [&str; 16] = [
    "cmovo", "cmovno", "cmovb", "cmovae", "cmove", "cmovne", "cmovbe", "cmova", "cmovs", "cmovns", "cmovp", "cmovnp",
    "cmovl", "cmovge", "cmovle", "cmovg",
];

/// `setcc` of a register's low byte.
pub const fn setcc(cc: Cc) -> Code {
    digit(legacy(SETCC[cc as usize], 0, 1, 0x90 + cc as u8), 0)
}
/// `cmovcc`.
pub const fn cmov(cc: Cc) -> Code {
    legacy(CMOVCC[cc as usize], 0, 1, 0x40 + cc as u8)
}

// ---- floating point: ps, pd, ss, sd
macro_rules! floats {
    ($name:literal, $op:literal) => {
        [
            vector(concat!($name, "ps"), Enc::BothWig, 0, 1, 0, $op),
            vector(concat!($name, "pd"), Enc::BothWig, 1, 1, 1, $op),
            vector(concat!($name, "ss"), Enc::BothWig, 2, 1, 0, $op),
            vector(concat!($name, "sd"), Enc::BothWig, 3, 1, 1, $op),
        ]
    };
}
/// ps, pd, ss, sd of a fused operation: the scalar opcode is one above.
macro_rules! fused {
    ($name:literal, $op:literal) => {
        [
            vector(concat!($name, "ps"), Enc::Both, 1, 2, 0, $op),
            vector(concat!($name, "pd"), Enc::Both, 1, 2, 1, $op),
            vector(concat!($name, "ss"), Enc::Both, 1, 2, 0, $op + 1),
            vector(concat!($name, "sd"), Enc::Both, 1, 2, 1, $op + 1),
        ]
    };
}
pub const VADD: [Code; 4] = floats!("vadd", 0x58);
pub const VMUL: [Code; 4] = floats!("vmul", 0x59);
pub const VSUB: [Code; 4] = floats!("vsub", 0x5c);
pub const VMIN: [Code; 4] = floats!("vmin", 0x5d);
pub const VDIV: [Code; 4] = floats!("vdiv", 0x5e);
pub const VMAX: [Code; 4] = floats!("vmax", 0x5f);
pub const VSQRT: [Code; 4] = floats!("vsqrt", 0x51);
/// Unordered comparison of scalars into the flags: f32, f64.
pub const VUCOMI: [Code; 2] =
    [vector("vucomiss", Enc::BothWig, 0, 1, 0, 0x2e), vector("vucomisd", Enc::BothWig, 1, 1, 1, 0x2e)];
/// Comparison into a mask register.
pub const VCMP: [Code; 4] = [
    vector("vcmpps", Enc::Evex, 0, 1, 0, 0xc2),
    vector("vcmppd", Enc::Evex, 1, 1, 1, 0xc2),
    vector("vcmpss", Enc::Evex, 2, 1, 0, 0xc2),
    vector("vcmpsd", Enc::Evex, 3, 1, 1, 0xc2),
];
/// To integral values, by an immediate that both instructions understand.
pub const VRNDSCALE: [Code; 4] = [
    or(vector("vrndscaleps", Enc::Evex, 1, 3, 0, 0x08), &vex("vroundps", 1, 3, 0, 0x08)),
    or(vector("vrndscalepd", Enc::Evex, 1, 3, 1, 0x09), &vex("vroundpd", 1, 3, 0, 0x09)),
    or(vector("vrndscaless", Enc::Evex, 1, 3, 0, 0x0a), &vex("vroundss", 1, 3, 0, 0x0a)),
    or(vector("vrndscalesd", Enc::Evex, 1, 3, 1, 0x0b), &vex("vroundsd", 1, 3, 0, 0x0b)),
];
pub const VFMADD213: [Code; 4] = fused!("vfmadd213", 0xa8);
pub const VFMADD231: [Code; 4] = fused!("vfmadd231", 0xb8);
pub const VFMSUB213: [Code; 4] = fused!("vfmsub213", 0xaa);
pub const VFMSUB231: [Code; 4] = fused!("vfmsub231", 0xba);
pub const VFNMADD213: [Code; 4] = fused!("vfnmadd213", 0xac);
pub const VFNMADD231: [Code; 4] = fused!("vfnmadd231", 0xbc);
/// Bitwise operations of the floats' part of the machine: f32, f64.
pub const VANDP: [Code; 2] =
    [vector("vandps", Enc::BothWig, 0, 1, 0, 0x54), vector("vandpd", Enc::BothWig, 1, 1, 1, 0x54)];
pub const VORP: [Code; 2] =
    [vector("vorps", Enc::BothWig, 0, 1, 0, 0x56), vector("vorpd", Enc::BothWig, 1, 1, 1, 0x56)];
pub const VXORP: [Code; 2] =
    [vector("vxorps", Enc::BothWig, 0, 1, 0, 0x57), vector("vxorpd", Enc::BothWig, 1, 1, 1, 0x57)];

// ---- moves
pub const VMOVAPS: Code = vector("vmovaps", Enc::BothWig, 0, 1, 0, 0x28);
pub const VMOVAPS_STORE: Code = vector("vmovaps", Enc::BothWig, 0, 1, 0, 0x29);
/// Scalar loads and stores: f32, f64.
pub const VMOVS: [Code; 2] =
    [vector("vmovss", Enc::BothWig, 2, 1, 0, 0x10), vector("vmovsd", Enc::BothWig, 3, 1, 1, 0x10)];
pub const VMOVS_STORE: [Code; 2] =
    [vector("vmovss", Enc::BothWig, 2, 1, 0, 0x11), vector("vmovsd", Enc::BothWig, 3, 1, 1, 0x11)];
/// Unaligned vector loads and stores: f32, f64.
pub const VMOVUP: [Code; 2] =
    [vector("vmovups", Enc::BothWig, 0, 1, 0, 0x10), vector("vmovupd", Enc::BothWig, 1, 1, 1, 0x10)];
pub const VMOVUP_STORE: [Code; 2] =
    [vector("vmovups", Enc::BothWig, 0, 1, 0, 0x11), vector("vmovupd", Enc::BothWig, 1, 1, 1, 0x11)];
/// Stores of whole registers past the caches, aligned.
pub const VMOVNTP_STORE: [Code; 2] =
    [vector("vmovntps", Enc::BothWig, 0, 1, 0, 0x2b), vector("vmovntpd", Enc::BothWig, 1, 1, 1, 0x2b)];
const VMOVDQ: Code = vex("vmovdqu", 2, 1, 0, 0x6f);
const VMOVDQ_STORE: Code = vex("vmovdqu", 2, 1, 0, 0x7f);
/// Vector loads by element size 1, 2, 4, 8, for masks.
pub const VMOVDQU: [Code; 4] = [
    or(vector("vmovdqu8", Enc::Evex, 3, 1, 0, 0x6f), &VMOVDQ),
    or(vector("vmovdqu16", Enc::Evex, 3, 1, 1, 0x6f), &VMOVDQ),
    or(vector("vmovdqu32", Enc::Evex, 2, 1, 0, 0x6f), &VMOVDQ),
    or(vector("vmovdqu64", Enc::Evex, 2, 1, 1, 0x6f), &VMOVDQ),
];
pub const VMOVDQU_STORE: [Code; 4] = [
    or(vector("vmovdqu8", Enc::Evex, 3, 1, 0, 0x7f), &VMOVDQ_STORE),
    or(vector("vmovdqu16", Enc::Evex, 3, 1, 1, 0x7f), &VMOVDQ_STORE),
    or(vector("vmovdqu32", Enc::Evex, 2, 1, 0, 0x7f), &VMOVDQ_STORE),
    or(vector("vmovdqu64", Enc::Evex, 2, 1, 1, 0x7f), &VMOVDQ_STORE),
];
/// General register (or memory) to vector register: 32, 64 bits.
pub const VMOV_IN: [Code; 2] = [vector("vmovd", Enc::Both, 1, 1, 0, 0x6e), vector("vmovq", Enc::Both, 1, 1, 1, 0x6e)];
/// Vector register to general register: 32, 64 bits.
pub const VMOV_OUT: [Code; 2] = [vector("vmovd", Enc::Both, 1, 1, 0, 0x7e), vector("vmovq", Enc::Both, 1, 1, 1, 0x7e)];
/// Aligned moves, for merging: f32, f64.
pub const VMOVAP: [Code; 2] = [VMOVAPS, vector("vmovapd", Enc::BothWig, 1, 1, 1, 0x28)];
pub const VFNMSUB213: [Code; 4] = fused!("vfnmsub213", 0xae);
pub const VFNMSUB231: [Code; 4] = fused!("vfnmsub231", 0xbe);
/// One element in all lanes, from memory or lane 0: 1, 2, 4, 8 bytes.
pub const VPBROADCAST: [Code; 4] = [
    vector("vpbroadcastb", Enc::Both, 1, 2, 0, 0x78),
    vector("vpbroadcastw", Enc::Both, 1, 2, 0, 0x79),
    vector("vpbroadcastd", Enc::Both, 1, 2, 0, 0x58),
    vector("vpbroadcastq", Enc::BothWig, 1, 2, 1, 0x59),
];

// ---- selection by masks
/// f32, f64.
pub const VBLENDMP: [Code; 2] =
    [vector("vblendmps", Enc::Evex, 1, 2, 0, 0x65), vector("vblendmpd", Enc::Evex, 1, 2, 1, 0x65)];
/// 1, 2, 4, 8 bytes.
pub const VPBLENDM: [Code; 4] = [
    vector("vpblendmb", Enc::Evex, 1, 2, 0, 0x66),
    vector("vpblendmw", Enc::Evex, 1, 2, 1, 0x66),
    vector("vpblendmd", Enc::Evex, 1, 2, 0, 0x64),
    vector("vpblendmq", Enc::Evex, 1, 2, 1, 0x64),
];
/// Any function of three bits: 4, 8 bytes (for masks).
pub const VPTERNLOG: [Code; 2] =
    [vector("vpternlogd", Enc::Evex, 1, 3, 0, 0x25), vector("vpternlogq", Enc::Evex, 1, 3, 1, 0x25)];
/// A mask as integers 0 and -1: 1, 2, 4, 8 bytes.
pub const VPMOVM2: [Code; 4] = [
    vector("vpmovm2b", Enc::Evex, 2, 2, 0, 0x28),
    vector("vpmovm2w", Enc::Evex, 2, 2, 1, 0x28),
    vector("vpmovm2d", Enc::Evex, 2, 2, 0, 0x38),
    vector("vpmovm2q", Enc::Evex, 2, 2, 1, 0x38),
];
/// Sign bits as a mask: 1, 2, 4, 8 bytes.
pub const VPMOV2M: [Code; 4] = [
    vector("vpmovb2m", Enc::Evex, 2, 2, 0, 0x29),
    vector("vpmovw2m", Enc::Evex, 2, 2, 1, 0x29),
    vector("vpmovd2m", Enc::Evex, 2, 2, 0, 0x39),
    vector("vpmovq2m", Enc::Evex, 2, 2, 1, 0x39),
];

// ---- mask registers: 8, 16, 32, 64 bits
const fn mask_op(name: &'static str, pp: u8, map: u8, w: u8, op: u8) -> Code {
    vector(name, Enc::Vex, pp, map, w, op)
}
/// The four sizes of a mask instruction with three operands.
macro_rules! masks {
    ($name:literal, $op:literal) => {
        [
            Code { l1: true, ..mask_op(concat!($name, "b"), 1, 1, 0, $op) },
            Code { l1: true, ..mask_op(concat!($name, "w"), 0, 1, 0, $op) },
            Code { l1: true, ..mask_op(concat!($name, "d"), 1, 1, 1, $op) },
            Code { l1: true, ..mask_op(concat!($name, "q"), 0, 1, 1, $op) },
        ]
    };
}
/// The four sizes of a mask instruction with two operands.
macro_rules! masks2 {
    ($name:literal, $op:literal) => {
        [
            mask_op(concat!($name, "b"), 1, 1, 0, $op),
            mask_op(concat!($name, "w"), 0, 1, 0, $op),
            mask_op(concat!($name, "d"), 1, 1, 1, $op),
            mask_op(concat!($name, "q"), 0, 1, 1, $op),
        ]
    };
}
pub const KAND: [Code; 4] = masks!("kand", 0x41);
pub const KANDN: [Code; 4] = masks!("kandn", 0x42);
pub const KOR: [Code; 4] = masks!("kor", 0x45);
pub const KXNORS: [Code; 4] = masks!("kxnor", 0x46);
pub const KXORS: [Code; 4] = masks!("kxor", 0x47);
pub const KNOT: [Code; 4] = masks2!("knot", 0x44);
pub const KORTEST: [Code; 4] = masks2!("kortest", 0x98);
/// Shifted down by an immediate.
pub const KSHIFTR: [Code; 4] = [
    mask_op("kshiftrb", 1, 3, 0, 0x30),
    mask_op("kshiftrw", 1, 3, 1, 0x30),
    mask_op("kshiftrd", 1, 3, 0, 0x31),
    mask_op("kshiftrq", 1, 3, 1, 0x31),
];
/// Two masks of 8, 16, 32 bits, the second one in the low half.
pub const KUNPCK: [Code; 3] = [
    Code { l1: true, ..mask_op("kunpckbw", 1, 1, 0, 0x4b) },
    Code { l1: true, ..mask_op("kunpckwd", 0, 1, 0, 0x4b) },
    Code { l1: true, ..mask_op("kunpckdq", 0, 1, 1, 0x4b) },
];
pub const KXOR: Code = KXORS[3];
pub const KXNOR: Code = KXNORS[3];
/// Copies and loads of 64 bits.
pub const KMOVQ: Code = mask_op("kmovq", 0, 1, 1, 0x90);
pub const KMOVQ_STORE: Code = mask_op("kmovq", 0, 1, 1, 0x91);
/// From a general register.
pub const KMOV_IN: [Code; 4] = [
    mask_op("kmovb", 1, 1, 0, 0x92),
    mask_op("kmovw", 0, 1, 0, 0x92),
    mask_op("kmovd", 3, 1, 0, 0x92),
    mask_op("kmovq", 3, 1, 1, 0x92),
];
/// To a general register.
pub const KMOV_OUT: [Code; 4] = [
    mask_op("kmovb", 1, 1, 0, 0x93),
    mask_op("kmovw", 0, 1, 0, 0x93),
    mask_op("kmovd", 3, 1, 0, 0x93),
    mask_op("kmovq", 3, 1, 1, 0x93),
];

// ---- conversions
pub const VCVTSD2SS: Code = vector("vcvtsd2ss", Enc::BothWig, 3, 1, 1, 0x5a);
pub const VCVTSS2SD: Code = vector("vcvtss2sd", Enc::BothWig, 2, 1, 0, 0x5a);
pub const VCVTPD2PS: Code = vector("vcvtpd2ps", Enc::BothWig, 1, 1, 1, 0x5a);
pub const VCVTPS2PD: Code = vector("vcvtps2pd", Enc::BothWig, 0, 1, 0, 0x5a);
pub const VCVTDQ2PS: Code = vector("vcvtdq2ps", Enc::BothWig, 0, 1, 0, 0x5b);
pub const VCVTUDQ2PS: Code = vector("vcvtudq2ps", Enc::Evex, 3, 1, 0, 0x7a);
pub const VCVTDQ2PD: Code = vector("vcvtdq2pd", Enc::BothWig, 2, 1, 0, 0xe6);
pub const VCVTUDQ2PD: Code = vector("vcvtudq2pd", Enc::Evex, 2, 1, 0, 0x7a);
pub const VCVTQQ2PS: Code = vector("vcvtqq2ps", Enc::Evex, 0, 1, 1, 0x5b);
pub const VCVTUQQ2PS: Code = vector("vcvtuqq2ps", Enc::Evex, 3, 1, 1, 0x7a);
pub const VCVTQQ2PD: Code = vector("vcvtqq2pd", Enc::Evex, 2, 1, 1, 0xe6);
pub const VCVTUQQ2PD: Code = vector("vcvtuqq2pd", Enc::Evex, 2, 1, 1, 0x7a);
pub const VCVTTPS2DQ: Code = vector("vcvttps2dq", Enc::BothWig, 2, 1, 0, 0x5b);
pub const VCVTTPS2UDQ: Code = vector("vcvttps2udq", Enc::Evex, 0, 1, 0, 0x78);
pub const VCVTTPS2QQ: Code = vector("vcvttps2qq", Enc::Evex, 1, 1, 0, 0x7a);
pub const VCVTTPS2UQQ: Code = vector("vcvttps2uqq", Enc::Evex, 1, 1, 0, 0x78);
pub const VCVTTPD2DQ: Code = vector("vcvttpd2dq", Enc::BothWig, 1, 1, 1, 0xe6);
pub const VCVTTPD2UDQ: Code = vector("vcvttpd2udq", Enc::Evex, 0, 1, 1, 0x78);
pub const VCVTTPD2QQ: Code = vector("vcvttpd2qq", Enc::Evex, 1, 1, 1, 0x7a);
pub const VCVTTPD2UQQ: Code = vector("vcvttpd2uqq", Enc::Evex, 1, 1, 1, 0x78);
pub const VPXORD: Code = or(vector("vpxord", Enc::Evex, 1, 1, 0, 0xef), &vex("vpxor", 1, 1, 0, 0xef));

/// True if the first register of an instruction is a mask register though its name does not begin with k.
pub fn to_mask(code: &Code) -> bool {
    let name = code.name;
    let compares = name.starts_with("vcmp") || name.starts_with("vpcmp") || name.starts_with("vptest");
    code.enc == Enc::Evex && (compares || name.ends_with("2m"))
}

/// True if the first register of an instruction on vectors is a general one.
pub fn to_gpr(code: &Code) -> bool {
    code.name.starts_with("vmovmsk") || code.name == "vpmovmskb" || code.name.ends_with("2si")
}

/// True if the register in the place of memory is a general one.
pub fn gpr_source(code: &Code) -> bool {
    let moves = matches!(code.name, "vmovd" | "vmovq") && code.map == 1 && matches!(code.op, 0x6e | 0x7e);
    let lanes = code.name.starts_with("vpinsr") || code.name.starts_with("vpextr") || code.name.starts_with("vcvtsi2");
    moves || lanes || (code.name.starts_with("vpbroadcast") && matches!(code.op, 0x7a..=0x7c))
}

/// True if a vector or mask instruction writes what may be in memory.
pub fn is_store(code: &Code) -> bool {
    match (code.map, code.op) {
        (1, 0x11 | 0x29 | 0x7f | 0x7e | 0x91) => true,
        (3, 0x14..=0x17 | 0x19 | 0x1b | 0x1d | 0x39 | 0x3b) => true,
        (2, 0x30..=0x35) => code.pp == 2,
        (2, 0x8e) => true,
        _ => false,
    }
}
// ---- vectors of integers: 1, 2, 4, 8 bytes
macro_rules! sizes {
    ($name:literal, $([$suffix:literal, $enc:ident, $pp:literal, $map:literal, $w:literal, $op:literal]),*) => {
        [$(vector(concat!($name, $suffix), Enc::$enc, $pp, $map, $w, $op)),*]
    };
}
pub const VPADD: [Code; 4] = sizes!(
    "vpadd",
    ["b", BothWig, 1, 1, 0, 0xfc],
    ["w", BothWig, 1, 1, 0, 0xfd],
    ["d", BothWig, 1, 1, 0, 0xfe],
    ["q", BothWig, 1, 1, 1, 0xd4]
);
pub const VPSUB: [Code; 4] = sizes!(
    "vpsub",
    ["b", BothWig, 1, 1, 0, 0xf8],
    ["w", BothWig, 1, 1, 0, 0xf9],
    ["d", BothWig, 1, 1, 0, 0xfa],
    ["q", BothWig, 1, 1, 1, 0xfb]
);
/// 2, 4, 8 bytes.
pub const VPMULL: [Code; 3] =
    sizes!("vpmull", ["w", BothWig, 1, 1, 0, 0xd5], ["d", BothWig, 1, 2, 0, 0x40], ["q", Evex, 1, 2, 1, 0x40]);
pub const VPMULHW: [Code; 2] =
    [vector("vpmulhw", Enc::BothWig, 1, 1, 0, 0xe5), vector("vpmulhuw", Enc::BothWig, 1, 1, 0, 0xe4)];
/// Products of signed words, added in pairs.
pub const VPMADDWD: Code = vector("vpmaddwd", Enc::BothWig, 1, 1, 0, 0xf5);
/// Products of unsigned bytes and signed ones, added in fours to the first register; beyond the baseline.
pub const VPDPBUSD: Code = or(vector("vpdpbusd", Enc::Evex, 1, 2, 0, 0x50), &vex("vpdpbusd", 1, 2, 0, 0x50));
/// Products of the even lanes of 32 bits: signed, unsigned.
pub const VPMULDQ: [Code; 2] =
    [vector("vpmuldq", Enc::BothWig, 1, 2, 1, 0x28), vector("vpmuludq", Enc::BothWig, 1, 1, 1, 0xf4)];
pub const VPMINS: [Code; 4] = sizes!(
    "vpmins",
    ["b", BothWig, 1, 2, 0, 0x38],
    ["w", BothWig, 1, 1, 0, 0xea],
    ["d", BothWig, 1, 2, 0, 0x39],
    ["q", Evex, 1, 2, 1, 0x39]
);
pub const VPMINU: [Code; 4] = sizes!(
    "vpminu",
    ["b", BothWig, 1, 1, 0, 0xda],
    ["w", BothWig, 1, 2, 0, 0x3a],
    ["d", BothWig, 1, 2, 0, 0x3b],
    ["q", Evex, 1, 2, 1, 0x3b]
);
pub const VPMAXS: [Code; 4] = sizes!(
    "vpmaxs",
    ["b", BothWig, 1, 2, 0, 0x3c],
    ["w", BothWig, 1, 1, 0, 0xee],
    ["d", BothWig, 1, 2, 0, 0x3d],
    ["q", Evex, 1, 2, 1, 0x3d]
);
pub const VPMAXU: [Code; 4] = sizes!(
    "vpmaxu",
    ["b", BothWig, 1, 1, 0, 0xde],
    ["w", BothWig, 1, 2, 0, 0x3e],
    ["d", BothWig, 1, 2, 0, 0x3f],
    ["q", Evex, 1, 2, 1, 0x3f]
);
pub const VPABS: [Code; 4] = sizes!(
    "vpabs",
    ["b", BothWig, 1, 2, 0, 0x1c],
    ["w", BothWig, 1, 2, 0, 0x1d],
    ["d", BothWig, 1, 2, 0, 0x1e],
    ["q", Evex, 1, 2, 1, 0x1f]
);
/// Saturating, 1 and 2 bytes: signed sum, unsigned sum, signed difference, unsigned difference.
pub const VSAT: [[Code; 2]; 4] = [
    [vector("vpaddsb", Enc::BothWig, 1, 1, 0, 0xec), vector("vpaddsw", Enc::BothWig, 1, 1, 0, 0xed)],
    [vector("vpaddusb", Enc::BothWig, 1, 1, 0, 0xdc), vector("vpaddusw", Enc::BothWig, 1, 1, 0, 0xdd)],
    [vector("vpsubsb", Enc::BothWig, 1, 1, 0, 0xe8), vector("vpsubsw", Enc::BothWig, 1, 1, 0, 0xe9)],
    [vector("vpsubusb", Enc::BothWig, 1, 1, 0, 0xd8), vector("vpsubusw", Enc::BothWig, 1, 1, 0, 0xd9)],
];
/// Rounded average, unsigned: 1 and 2 bytes.
pub const VPAVG: [Code; 2] =
    [vector("vpavgb", Enc::BothWig, 1, 1, 0, 0xe0), vector("vpavgw", Enc::BothWig, 1, 1, 0, 0xe3)];
/// Bitwise: 4, 8 bytes (for broadcasts).
pub const VPAND: [Code; 2] = [
    or(vector("vpandd", Enc::Evex, 1, 1, 0, 0xdb), &vex("vpand", 1, 1, 0, 0xdb)),
    or(vector("vpandq", Enc::Evex, 1, 1, 1, 0xdb), &vex("vpand", 1, 1, 0, 0xdb)),
];
/// The second operand without the bits of the first one: 4, 8 bytes.
pub const VPANDN: [Code; 2] = [
    or(vector("vpandnd", Enc::Evex, 1, 1, 0, 0xdf), &vex("vpandn", 1, 1, 0, 0xdf)),
    or(vector("vpandnq", Enc::Evex, 1, 1, 1, 0xdf), &vex("vpandn", 1, 1, 0, 0xdf)),
];
pub const VPOR: [Code; 2] = [
    or(vector("vpord", Enc::Evex, 1, 1, 0, 0xeb), &vex("vpor", 1, 1, 0, 0xeb)),
    or(vector("vporq", Enc::Evex, 1, 1, 1, 0xeb), &vex("vpor", 1, 1, 0, 0xeb)),
];
pub const VPXOR: [Code; 2] = [VPXORD, or(vector("vpxorq", Enc::Evex, 1, 1, 1, 0xef), &vex("vpxor", 1, 1, 0, 0xef))];
/// Shifts by one amount for all lanes in a vector register's low half: 2, 4, 8 bytes.
pub const VPSLL: [Code; 3] =
    sizes!("vpsll", ["w", BothWig, 1, 1, 0, 0xf1], ["d", BothWig, 1, 1, 0, 0xf2], ["q", BothWig, 1, 1, 1, 0xf3]);
pub const VPSRL: [Code; 3] =
    sizes!("vpsrl", ["w", BothWig, 1, 1, 0, 0xd1], ["d", BothWig, 1, 1, 0, 0xd2], ["q", BothWig, 1, 1, 1, 0xd3]);
pub const VPSRA: [Code; 3] =
    sizes!("vpsra", ["w", BothWig, 1, 1, 0, 0xe1], ["d", BothWig, 1, 1, 0, 0xe2], ["q", Evex, 1, 1, 1, 0xe2]);
/// Shifts by lane: 2, 4, 8 bytes.
pub const VPSLLV: [Code; 3] =
    sizes!("vpsllv", ["w", Evex, 1, 2, 1, 0x12], ["d", Both, 1, 2, 0, 0x47], ["q", Both, 1, 2, 1, 0x47]);
pub const VPSRLV: [Code; 3] =
    sizes!("vpsrlv", ["w", Evex, 1, 2, 1, 0x10], ["d", Both, 1, 2, 0, 0x45], ["q", Both, 1, 2, 1, 0x45]);
pub const VPSRAV: [Code; 3] =
    sizes!("vpsrav", ["w", Evex, 1, 2, 1, 0x11], ["d", Both, 1, 2, 0, 0x46], ["q", Evex, 1, 2, 1, 0x46]);
/// Shifts by an immediate: 2, 4, 8 bytes. Memory operands only with EVEX.
pub const VPSLL_IMM: [Code; 3] = [
    digit(vector("vpsllw", Enc::BothWig, 1, 1, 0, 0x71), 6),
    digit(vector("vpslld", Enc::BothWig, 1, 1, 0, 0x72), 6),
    digit(vector("vpsllq", Enc::BothWig, 1, 1, 1, 0x73), 6),
];
pub const VPSRL_IMM: [Code; 3] = [
    digit(vector("vpsrlw", Enc::BothWig, 1, 1, 0, 0x71), 2),
    digit(vector("vpsrld", Enc::BothWig, 1, 1, 0, 0x72), 2),
    digit(vector("vpsrlq", Enc::BothWig, 1, 1, 1, 0x73), 2),
];
pub const VPSRA_IMM: [Code; 3] = [
    digit(vector("vpsraw", Enc::BothWig, 1, 1, 0, 0x71), 4),
    digit(vector("vpsrad", Enc::BothWig, 1, 1, 0, 0x72), 4),
    digit(vector("vpsraq", Enc::Evex, 1, 1, 1, 0x72), 4),
];
/// Rotations: 4, 8 bytes.
pub const VPROLV: [Code; 2] =
    [vector("vprolvd", Enc::Evex, 1, 2, 0, 0x15), vector("vprolvq", Enc::Evex, 1, 2, 1, 0x15)];
pub const VPROL_IMM: [Code; 2] =
    [digit(vector("vprold", Enc::Evex, 1, 1, 0, 0x72), 1), digit(vector("vprolq", Enc::Evex, 1, 1, 1, 0x72), 1)];
pub const VPLZCNT: [Code; 2] =
    [vector("vplzcntd", Enc::Evex, 1, 2, 0, 0x44), vector("vplzcntq", Enc::Evex, 1, 2, 1, 0x44)];
/// Numbers of set bits; beyond the baseline.
pub const VPOPCNT: [Code; 4] = sizes!(
    "vpopcnt",
    ["b", Evex, 1, 2, 0, 0x54],
    ["w", Evex, 1, 2, 1, 0x54],
    ["d", Evex, 1, 2, 0, 0x55],
    ["q", Evex, 1, 2, 1, 0x55]
);
/// Comparisons into masks, signed.
pub const VPCMP: [Code; 4] = sizes!(
    "vpcmp",
    ["b", Evex, 1, 3, 0, 0x3f],
    ["w", Evex, 1, 3, 1, 0x3f],
    ["d", Evex, 1, 3, 0, 0x1f],
    ["q", Evex, 1, 3, 1, 0x1f]
);
/// Comparisons into masks, unsigned.
pub const VPCMPU: [Code; 4] = sizes!(
    "vpcmpu",
    ["b", Evex, 1, 3, 0, 0x3e],
    ["w", Evex, 1, 3, 1, 0x3e],
    ["d", Evex, 1, 3, 0, 0x1e],
    ["q", Evex, 1, 3, 1, 0x1e]
);
/// Mask of lanes whose bitwise and is not zero.
pub const VPTESTM: [Code; 4] = sizes!(
    "vptestm",
    ["b", Evex, 1, 2, 0, 0x26],
    ["w", Evex, 1, 2, 1, 0x26],
    ["d", Evex, 1, 2, 0, 0x27],
    ["q", Evex, 1, 2, 1, 0x27]
);
/// Mask of lanes whose bitwise and is zero.
pub const VPTESTNM: [Code; 4] = sizes!(
    "vptestnm",
    ["b", Evex, 2, 2, 0, 0x26],
    ["w", Evex, 2, 2, 1, 0x26],
    ["d", Evex, 2, 2, 0, 0x27],
    ["q", Evex, 2, 2, 1, 0x27]
);
/// From general registers into all lanes.
pub const VPBROADCAST_GPR: [Code; 4] = sizes!(
    "vpbroadcast",
    ["b", Evex, 1, 2, 0, 0x7a],
    ["w", Evex, 1, 2, 0, 0x7b],
    ["d", Evex, 1, 2, 0, 0x7c],
    ["q", Evex, 1, 2, 1, 0x7c]
);

// ---- conversions between vectors
/// Narrower integers; by log2 of bytes: from 2 to 1, 4 to 1, 8 to 1, 4 to 2, 8 to 2, 8 to 4.
pub fn narrow(from: u32, to: u32) -> Option<Code> {
    Some(match (from, to) {
        (2, 1) => vector("vpmovwb", Enc::Evex, 2, 2, 0, 0x30),
        (4, 1) => vector("vpmovdb", Enc::Evex, 2, 2, 0, 0x31),
        (8, 1) => vector("vpmovqb", Enc::Evex, 2, 2, 0, 0x32),
        (4, 2) => vector("vpmovdw", Enc::Evex, 2, 2, 0, 0x33),
        (8, 2) => vector("vpmovqw", Enc::Evex, 2, 2, 0, 0x34),
        (8, 4) => vector("vpmovqd", Enc::Evex, 2, 2, 0, 0x35),
        _ => return None,
    })
}
/// Wider integers.
pub fn widen(from: u32, to: u32, signed: bool) -> Option<Code> {
    let (unsigned_name, signed_name, low) = match (from, to) {
        (1, 2) => ("vpmovzxbw", "vpmovsxbw", 0),
        (1, 4) => ("vpmovzxbd", "vpmovsxbd", 1),
        (1, 8) => ("vpmovzxbq", "vpmovsxbq", 2),
        (2, 4) => ("vpmovzxwd", "vpmovsxwd", 3),
        (2, 8) => ("vpmovzxwq", "vpmovsxwq", 4),
        (4, 8) => ("vpmovzxdq", "vpmovsxdq", 5),
        _ => return None,
    };
    Some(match signed {
        true => vector(signed_name, Enc::BothWig, 1, 2, 0, 0x20 + low),
        false => vector(unsigned_name, Enc::BothWig, 1, 2, 0, 0x30 + low),
    })
}
pub const VCVTPH2PS: Code = vector("vcvtph2ps", Enc::Both, 1, 2, 0, 0x13);
pub const VCVTPS2PH: Code = vector("vcvtps2ph", Enc::Both, 1, 3, 0, 0x1d);

// ---- lanes
/// Lanes picked from one vector by indices: 1 (beyond the baseline), 2, 4, 8 bytes.
pub const VPERM: [Code; 4] = sizes!(
    "vperm",
    ["b", Evex, 1, 2, 0, 0x8d],
    ["w", Evex, 1, 2, 1, 0x8d],
    ["d", Both, 1, 2, 0, 0x36],
    ["q", Evex, 1, 2, 1, 0x36]
);
/// Lanes picked from two vectors, over the indices: 1 (beyond the baseline), 2, 4, 8 bytes.
pub const VPERMI2: [Code; 4] = sizes!(
    "vpermi2",
    ["b", Evex, 1, 2, 0, 0x75],
    ["w", Evex, 1, 2, 1, 0x75],
    ["d", Evex, 1, 2, 0, 0x76],
    ["q", Evex, 1, 2, 1, 0x76]
);
/// The lanes of two vectors one after the other, shifted down: 4, 8 bytes.
pub const VALIGN: [Code; 2] =
    [vector("valignd", Enc::Evex, 1, 3, 0, 0x03), vector("valignq", Enc::Evex, 1, 3, 1, 0x03)];
pub const VPSHUFD: Code = vector("vpshufd", Enc::BothWig, 1, 1, 0, 0x70);
/// 16 and 32 bytes out of and into longer vectors.
pub const VEXTRACT_X4: Code =
    or(vector("vextracti32x4", Enc::Evex, 1, 3, 0, 0x39), &vex("vextracti128", 1, 3, 0, 0x39));
pub const VEXTRACT_Y4: Code = vector("vextracti64x4", Enc::Evex, 1, 3, 1, 0x3b);
pub const VINSERT_X4: Code = or(vector("vinserti32x4", Enc::Evex, 1, 3, 0, 0x38), &vex("vinserti128", 1, 3, 0, 0x38));
pub const VINSERT_Y4: Code = vector("vinserti64x4", Enc::Evex, 1, 3, 1, 0x3a);
/// Lane of 16 bytes to general register: 1, 2, 4, 8 bytes.
pub const VPEXTR: [Code; 4] = sizes!(
    "vpextr",
    ["b", Both, 1, 3, 0, 0x14],
    ["w", Both, 1, 3, 0, 0x15],
    ["d", Both, 1, 3, 0, 0x16],
    ["q", Both, 1, 3, 1, 0x16]
);
pub const VPINSR: [Code; 4] = sizes!(
    "vpinsr",
    ["b", Both, 1, 3, 0, 0x20],
    ["w", Both, 1, 1, 0, 0xc4],
    ["d", Both, 1, 3, 0, 0x22],
    ["q", Both, 1, 3, 1, 0x22]
);
/// By index bytes (4, 8) and element bytes (4, 8).
pub const VPGATHER: [[Code; 2]; 2] = [
    [vector("vpgatherdd", Enc::Evex, 1, 2, 0, 0x90), vector("vpgatherdq", Enc::Evex, 1, 2, 1, 0x90)],
    [vector("vpgatherqd", Enc::Evex, 1, 2, 0, 0x91), vector("vpgatherqq", Enc::Evex, 1, 2, 1, 0x91)],
];
pub const VPSCATTER: [[Code; 2]; 2] = [
    [vector("vpscatterdd", Enc::Evex, 1, 2, 0, 0xa0), vector("vpscatterdq", Enc::Evex, 1, 2, 1, 0xa0)],
    [vector("vpscatterqd", Enc::Evex, 1, 2, 0, 0xa1), vector("vpscatterqq", Enc::Evex, 1, 2, 1, 0xa1)],
];

// ---- what takes the place of mask registers on AVX2: vectors of integers 0 and -1
/// Comparison of floats into integers of their size: ps, pd, ss, sd.
pub const VCMP_VECTOR: [Code; 4] = [
    vex("vcmpps", 0, 1, 0, 0xc2),
    vex("vcmppd", 1, 1, 0, 0xc2),
    vex("vcmpss", 2, 1, 0, 0xc2),
    vex("vcmpsd", 3, 1, 0, 0xc2),
];
/// Equal: 1, 2, 4, 8 bytes.
pub const VPCMPEQ: [Code; 4] = [
    vex("vpcmpeqb", 1, 1, 0, 0x74),
    vex("vpcmpeqw", 1, 1, 0, 0x75),
    vex("vpcmpeqd", 1, 1, 0, 0x76),
    vex("vpcmpeqq", 1, 2, 0, 0x29),
];
/// Greater, signed: 1, 2, 4, 8 bytes.
pub const VPCMPGT: [Code; 4] = [
    vex("vpcmpgtb", 1, 1, 0, 0x64),
    vex("vpcmpgtw", 1, 1, 0, 0x65),
    vex("vpcmpgtd", 1, 1, 0, 0x66),
    vex("vpcmpgtq", 1, 2, 0, 0x37),
];
/// Lanes of the second operand where the sign of the fourth is set: 1 (also for 2), 4, 8 bytes.
pub const VBLENDV: [Code; 3] = [
    Code { is4: true, ..vex("vpblendvb", 1, 3, 0, 0x4c) },
    Code { is4: true, ..vex("vblendvps", 1, 3, 0, 0x4a) },
    Code { is4: true, ..vex("vblendvpd", 1, 3, 0, 0x4b) },
];
/// Sign bits into a general register: 1, 4, 8 bytes.
pub const VMOVMSK: [Code; 3] =
    [vex("vpmovmskb", 1, 1, 0, 0xd7), vex("vmovmskps", 0, 1, 0, 0x50), vex("vmovmskpd", 1, 1, 0, 0x50)];
/// Flags: zero if the bitwise and is, carry if all bits of the second operand are in the first one.
pub const VPTEST: Code = vex("vptest", 1, 2, 0, 0x17);
/// Masked loads and stores: 4, 8 bytes.
pub const VPMASKMOV: [Code; 2] = [vex("vpmaskmovd", 1, 2, 0, 0x8c), vex("vpmaskmovq", 1, 2, 1, 0x8c)];
pub const VPMASKMOV_STORE: [Code; 2] = [vex("vpmaskmovd", 1, 2, 0, 0x8e), vex("vpmaskmovq", 1, 2, 1, 0x8e)];
/// As `VPGATHER`; the mask is the second register.
pub const VPGATHER_VECTOR: [[Code; 2]; 2] = [
    [vex("vpgatherdd", 1, 2, 0, 0x90), vex("vpgatherdq", 1, 2, 1, 0x90)],
    [vex("vpgatherqd", 1, 2, 0, 0x91), vex("vpgatherqq", 1, 2, 1, 0x91)],
];

// ---- what else has only VEX forms here
/// f32, f64: from a general register of 32 or 64 bits.
pub const VCVTSI2S: [Code; 2] = [vex("vcvtsi2ss", 2, 1, 0, 0x2a), vex("vcvtsi2sd", 3, 1, 0, 0x2a)];
/// f32, f64: to a general register, towards zero.
pub const VCVTTS2SI: [Code; 2] = [vex("vcvttss2si", 2, 1, 0, 0x2c), vex("vcvttsd2si", 3, 1, 0, 0x2c)];
/// Lanes of 4 bytes of two vectors where they are.
pub const VPBLENDD: Code = vex("vpblendd", 1, 3, 0, 0x02);
/// Lanes of 2 bytes of two vectors where they are, by one byte for both halves.
pub const VPBLENDW: Code = vex("vpblendw", 1, 3, 0, 0x0e);
/// Lanes of 8 bytes by an immediate, across halves.
pub const VPERMQ_IMM: Code = vex("vpermq", 1, 3, 1, 0x00);
/// Halves of two vectors.
pub const VPERM2I128: Code = vex("vperm2i128", 1, 3, 0, 0x46);
/// Bytes within halves by indices; zero where an index's sign is set.
pub const VPSHUFB: Code = vector("vpshufb", Enc::BothWig, 1, 2, 0, 0x00);
/// Two lanes of each operand within halves: 4, 8 bytes.
pub const VSHUFP: [Code; 2] = [vex("vshufps", 0, 1, 0, 0xc6), vex("vshufpd", 1, 1, 0, 0xc6)];
/// The lower lanes of halves interleaved: 1, 2, 4, 8 bytes.
pub const VPUNPCKL: [Code; 4] = [
    vex("vpunpcklbw", 1, 1, 0, 0x60),
    vex("vpunpcklwd", 1, 1, 0, 0x61),
    vex("vpunpckldq", 1, 1, 0, 0x62),
    vex("vpunpcklqdq", 1, 1, 0, 0x6c),
];
/// The upper lanes of halves interleaved: 1, 2, 4, 8 bytes.
pub const VPUNPCKH: [Code; 4] = [
    vex("vpunpckhbw", 1, 1, 0, 0x68),
    vex("vpunpckhwd", 1, 1, 0, 0x69),
    vex("vpunpckhdq", 1, 1, 0, 0x6a),
    vex("vpunpckhqdq", 1, 1, 0, 0x6d),
];
/// Two vectors as one with lanes of half the size, saturated as signed numbers: to 1, 2 bytes.
pub const VPACKSS: [Code; 2] = [vex("vpacksswb", 1, 1, 0, 0x63), vex("vpackssdw", 1, 1, 0, 0x6b)];
/// As `VPACKSS`, saturated to unsigned numbers.
pub const VPACKUS: [Code; 2] = [vex("vpackuswb", 1, 1, 0, 0x67), vex("vpackusdw", 1, 2, 0, 0x2b)];

// ---- vectors of f16; beyond the baseline
const fn half(name: &'static str, pp: u8, map: u8, op: u8) -> Code {
    vector(name, Enc::Evex, pp, map, 0, op)
}
pub const VADDPH: Code = half("vaddph", 0, 5, 0x58);
pub const VSUBPH: Code = half("vsubph", 0, 5, 0x5c);
pub const VMULPH: Code = half("vmulph", 0, 5, 0x59);
pub const VDIVPH: Code = half("vdivph", 0, 5, 0x5e);
pub const VSQRTPH: Code = half("vsqrtph", 0, 5, 0x51);
pub const VFMADD213PH: Code = half("vfmadd213ph", 1, 6, 0xa8);
