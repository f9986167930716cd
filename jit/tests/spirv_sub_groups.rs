//! `SPV_INTEL_subgroups`: modules compute what the functions of `cl_intel_subgroups` in OpenCL C compute, for all types
//! that `cl_intel_spirv_subgroups` has.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/il.rs"]
mod il;
#[path = "support/kernel.rs"]
mod kernel;

use clift_jit::SpecKey;
use clift_jit::image::{ImageDesc, channel, fast};
use il::{Op, Writer, string};
use kernel::{Buffer, Program};

/// Work-items of a group, and of its sub-groups.
const SIZE: u64 = 24;
const SUB_GROUP: u32 = 8;

/// Texels of four bytes in an image.
const WIDTH: usize = 21;
const HEIGHT: usize = 19;

/// An element type: name in OpenCL C, instruction that declares it, bits.
struct Elem {
    name: &'static str,
    op: Op,
    bits: u32,
    /// End of the names of block functions.
    suffix: &'static str,
}

const UCHAR: Elem = Elem { name: "uchar", op: Op::TypeInt, bits: 8, suffix: "_uc" };
const USHORT: Elem = Elem { name: "ushort", op: Op::TypeInt, bits: 16, suffix: "_us" };
const UINT: Elem = Elem { name: "uint", op: Op::TypeInt, bits: 32, suffix: "" };
const ULONG: Elem = Elem { name: "ulong", op: Op::TypeInt, bits: 64, suffix: "_ul" };
const HALF: Elem = Elem { name: "half", op: Op::TypeFloat, bits: 16, suffix: "" };
const FLOAT: Elem = Elem { name: "float", op: Op::TypeFloat, bits: 32, suffix: "" };
const DOUBLE: Elem = Elem { name: "double", op: Op::TypeFloat, bits: 64, suffix: "" };

/// A module under construction with a kernel `k` of these parameters: its writer, and the ids that all modules want.
struct Module {
    w: Writer,
    void: u32,
    uint: u32,
    value: u32,
}

impl Module {
    /// Types, and a required size of sub-groups; `elem` of `n` components.
    fn new(elem: &Elem, n: u32, capability: u32) -> Self {
        let mut w = Writer::new();
        w.inst(Op::Capability, &[spirv::Capability::SubgroupDispatch as u32]);
        w.inst(Op::Capability, &[capability]);
        w.inst(Op::Capability, &[spirv::Capability::ImageBasic as u32]);
        w.inst(Op::Extension, &string("SPV_INTEL_subgroups"));
        let (main, void) = (w.id(), w.id());
        assert_eq!(main, 1);
        w.inst(Op::EntryPoint, &[&[6, main][..], &string("k")].concat());
        w.inst(Op::ExecutionMode, &[main, spirv::ExecutionMode::SubgroupSize as u32, SUB_GROUP]);
        w.inst(Op::TypeVoid, &[void]);
        let uint = w.result(Op::TypeInt, &[32, 0]);
        let elem = match (elem.op, elem.bits) {
            (Op::TypeInt, 32) => uint,
            (Op::TypeInt, bits) => w.result(Op::TypeInt, &[bits, 0]),
            (_, bits) => w.result(Op::TypeFloat, &[bits]),
        };
        let value = if n == 1 { elem } else { w.result(Op::TypeVector, &[elem, n]) };
        Self { w, void, uint, value }
    }

    /// Begins the kernel: its parameters.
    fn begin(&mut self, types: &[u32]) -> Vec<u32> {
        let ty = self.w.result(Op::TypeFunction, &[&[self.void], types].concat());
        self.w.inst(Op::Function, &[self.void, 1, 0, ty]);
        let params = types.iter().map(|&ty| self.w.value(Op::FunctionParameter, ty, &[])).collect();
        self.w.result(Op::Label, &[]);
        params
    }

    fn program(mut self) -> Program {
        self.w.inst(Op::Return, &[]);
        self.w.inst(Op::FunctionEnd, &[]);
        let built = clift_jit::build_il(&self.w.bytes(), &[], "");
        Program::from(built.program.unwrap_or_else(|_| panic!("{}", built.log)))
    }
}

/// The name of a type in OpenCL C.
fn type_name(elem: &Elem, n: u32) -> String {
    if n == 1 { elem.name.into() } else { format!("{}{n}", elem.name) }
}

fn source_of(body: &str) -> Program {
    let attribute = format!("__attribute__((intel_reqd_sub_group_size({SUB_GROUP})))");
    Program::new(&format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel {attribute} void k({body}"
    ))
}

/// Runs a program on one group; for one size, and for any.
fn run(program: &Program, args: &[u64], is_exact: bool) {
    let local_size = is_exact.then_some([SIZE as u32, 1, 1]);
    program.run_as("k", SpecKey { small_ids: true, local_size, ..SpecKey::default() }, [1, SIZE], args);
}

/// Bytes without a pattern.
fn noise(n: usize) -> Vec<u8> {
    (0..n).map(|i| (1 + i * 151 + i / 7 * 11 + i / 64) as u8).collect()
}

/// The descriptor of an image of four bytes a texel.
fn desc(texels: &Buffer) -> Buffer {
    let desc = ImageDesc {
        data: texels.address(),
        row_pitch: 4 * WIDTH as u64,
        slice_pitch: (4 * WIDTH * HEIGHT) as u64,
        width: WIDTH as i32,
        height: HEIGHT as i32,
        depth: 1,
        layers: 1,
        data_type: 0x10DA,
        order: 0x10B5,
        texel_bytes: 4,
        channels: 15 << channel::READ_SHIFT | 15 << channel::WRITE_SHIFT | channel::RGBA,
        offset: [0, 1, 2, 3],
        border_alpha: 0,
        fast: fast::NONE,
        levels: 1,
    };
    // SAFETY: the struct is plain numbers without padding.
    Buffer::new(unsafe { std::slice::from_raw_parts((&raw const desc).cast::<u8>(), std::mem::size_of::<ImageDesc>()) })
}

/// Reads a block of an image, keeps it and writes its complement into another image.
fn image_block_module(elem: &Elem, n: u32) -> Program {
    let mut m = Module::new(elem, n, spirv::Capability::SubgroupImageBlockIOINTEL as u32);
    let image = |m: &mut Module, access| m.w.result(Op::TypeImage, &[m.void, 1, 0, 0, 0, 0, 0, access]);
    let (read, write) = (image(&mut m, 0), image(&mut m, 1));
    let coords = m.w.result(Op::TypeVector, &[m.uint, 2]);
    let (to_coords, to_value) = (m.w.result(Op::TypePointer, &[5, coords]), m.w.result(Op::TypePointer, &[5, m.value]));
    let input = m.w.result(Op::TypePointer, &[1, m.uint]);
    let id = m.w.id();
    m.w.inst(Op::Decorate, &[id, spirv::Decoration::BuiltIn as u32, spirv::BuiltIn::LocalInvocationIndex as u32]);
    m.w.inst(Op::Variable, &[input, id, 1]);
    let params = m.begin(&[read, write, to_coords, to_value]);
    let (value_ty, uint) = (m.value, m.uint);
    let at = m.w.value(Op::Load, coords, &[params[2]]);
    let v = m.w.value(Op::SubgroupImageBlockReadINTEL, value_ty, &[params[0], at]);
    let not = m.w.value(Op::Not, value_ty, &[v]);
    m.w.inst(Op::SubgroupImageBlockWriteINTEL, &[params[1], at, not]);
    let item = m.w.value(Op::Load, uint, &[id]);
    let place = m.w.value(Op::InBoundsPtrAccessChain, to_value, &[params[3], item]);
    m.w.inst(Op::Store, &[place, v]);
    m.program()
}

#[test]
fn blocks_of_images() {
    let cases: [(&Elem, &[u32]); 4] =
        [(&UCHAR, &[1, 2, 4, 8, 16]), (&USHORT, &[1, 2, 4, 8, 16]), (&UINT, &[1, 2, 4, 8]), (&ULONG, &[1, 2, 4, 8])];
    for (elem, n) in cases.into_iter().flat_map(|(elem, widths)| widths.iter().map(move |&n| (elem, n))) {
        let ty = type_name(elem, n);
        let name = format!("{}{}", elem.suffix, if n == 1 { String::new() } else { n.to_string() });
        let source = source_of(&format!(
            "read_only image2d_t a, write_only image2d_t b, global int2 *at, global {ty} *out) {{
                {ty} v = intel_sub_group_block_read{name}(a, *at);
                intel_sub_group_block_write{name}(b, *at, ~v);
                out[get_local_linear_id()] = v;
            }}"
        ));
        let module = image_block_module(elem, n);
        for [x, y] in [[0, 0], [8, 3], [60, 2], [72, 17], [-8, -3], [120, 40]] {
            let outcome = |program: &Program, is_exact: bool| {
                let (from, to) = (Buffer::new(&noise(4 * WIDTH * HEIGHT)), Buffer::zeroed(4 * WIDTH * HEIGHT));
                let at = Buffer::new(&[x, y].map(i32::to_le_bytes).concat());
                let out = Buffer::zeroed(SIZE as usize * 128);
                let (a, b) = (desc(&from), desc(&to));
                run(program, &[&a, &b, &at, &out].map(Buffer::address), is_exact);
                (to.bytes(), out.bytes())
            };
            let expected = outcome(&source, true);
            assert!(expected.1.iter().any(|&byte| byte != 0));
            for is_exact in [true, false] {
                assert!(outcome(&module, is_exact) == expected, "{ty} at {x}, {y}");
            }
        }
    }
}

/// All shuffles of a value by what another buffer holds.
fn shuffle_module(elem: &Elem, n: u32) -> Program {
    let mut m = Module::new(elem, n, spirv::Capability::SubgroupShuffleINTEL as u32);
    let (to_uint, to_value) = (m.w.result(Op::TypePointer, &[5, m.uint]), m.w.result(Op::TypePointer, &[5, m.value]));
    let input = m.w.result(Op::TypePointer, &[1, m.uint]);
    let id = m.w.id();
    m.w.inst(Op::Decorate, &[id, spirv::Decoration::BuiltIn as u32, spirv::BuiltIn::LocalInvocationIndex as u32]);
    m.w.inst(Op::Variable, &[input, id, 1]);
    let (value_ty, uint) = (m.value, m.uint);
    let numbers: Vec<u32> = (0..4).map(|n| m.w.value(Op::Constant, uint, &[n])).collect();
    let size = m.w.value(Op::Constant, uint, &[SIZE as u32]);
    let params = m.begin(&[to_value, to_uint, to_value]);
    let item = m.w.value(Op::Load, uint, &[id]);
    let load = |m: &mut Module, pointer, ty, from| {
        let at = m.w.value(Op::InBoundsPtrAccessChain, pointer, &[from, item]);
        m.w.value(Op::Load, ty, &[at])
    };
    let v = load(&mut m, to_value, value_ty, params[0]);
    let by = load(&mut m, to_uint, uint, params[1]);
    let other = m.w.value(Op::SubgroupShuffleXorINTEL, value_ty, &[v, numbers[1]]);
    let results = [
        m.w.value(Op::SubgroupShuffleINTEL, value_ty, &[v, by]),
        m.w.value(Op::SubgroupShuffleDownINTEL, value_ty, &[v, other, by]),
        m.w.value(Op::SubgroupShuffleUpINTEL, value_ty, &[other, v, by]),
        m.w.value(Op::SubgroupShuffleXorINTEL, value_ty, &[v, by]),
    ];
    for (result, number) in results.into_iter().zip(numbers) {
        let first = m.w.value(Op::IMul, uint, &[number, size]);
        let at = m.w.value(Op::IAdd, uint, &[first, item]);
        let place = m.w.value(Op::InBoundsPtrAccessChain, to_value, &[params[2], at]);
        m.w.inst(Op::Store, &[place, result]);
    }
    m.program()
}

#[test]
fn shuffles() {
    let all: &[u32] = &[1, 2, 3, 4, 8, 16];
    let one: &[u32] = &[1];
    let cases = [(&UINT, all), (&FLOAT, all), (&USHORT, all), (&ULONG, one), (&HALF, one), (&DOUBLE, one)];
    for (elem, n) in cases.into_iter().flat_map(|(elem, widths)| widths.iter().map(move |&n| (elem, n))) {
        let ty = type_name(elem, n);
        let source = source_of(&format!(
            "global {ty} *in, global uint *by, global {ty} *out) {{
                uint i = get_local_linear_id(), n = {SIZE};
                {ty} v = in[i], other = intel_sub_group_shuffle_xor(v, 1);
                out[i] = intel_sub_group_shuffle(v, by[i]);
                out[n + i] = intel_sub_group_shuffle_down(v, other, by[i]);
                out[2 * n + i] = intel_sub_group_shuffle_up(other, v, by[i]);
                out[3 * n + i] = intel_sub_group_shuffle_xor(v, by[i]);
            }}"
        ));
        let module = shuffle_module(elem, n);
        let bytes = SIZE as usize * (elem.bits / 8 * n.next_power_of_two()) as usize;
        let outcome = |program: &Program, is_exact: bool| {
            let by: Vec<u8> = (0..SIZE as u32).flat_map(|n| (n * 5 % SUB_GROUP).to_le_bytes()).collect();
            // No NaN, whose bits might change.
            let input: Vec<u8> = noise(bytes).into_iter().map(|byte| byte & 0x3f).collect();
            let (input, by, out) = (Buffer::new(&input), Buffer::new(&by), Buffer::zeroed(4 * bytes));
            run(program, &[&input, &by, &out].map(Buffer::address), is_exact);
            out.bytes()
        };
        let expected = outcome(&source, true);
        for is_exact in [true, false] {
            let got = outcome(&module, is_exact);
            // The fourth component of three is nobody's.
            let part = (elem.bits / 8) as usize;
            let counts = |at: &usize| n != 3 || at / part % 4 != 3;
            assert!((0..4 * bytes).filter(counts).all(|at| got[at] == expected[at]), "{ty}");
        }
    }
}
