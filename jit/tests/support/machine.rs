//! Compiles one function in KIR and runs it on buffers: a loop over items, or a plain one.
#![allow(dead_code, reason = "each test uses a part")]

use clift_jit::codegen::{Backend, Effort, ProgramData, Scratch, compile};
use clift_jit::ir::op::Flags;
use clift_jit::ir::{Attr, Builder, Func, IntPred, Module, Op, Rounding, Scalar, Term, Type, Value};
use clift_jit::launch::{AddrSpace, Env};
use clift_jit::target;

pub const WIDTHS: [u8; 6] = [1, 2, 3, 4, 8, 16];
pub const INTS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
pub const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];
pub const ROUNDINGS: [Rounding; 4] = [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn];

/// Loads and stores see booleans as bytes.
pub fn memory(ty: Type) -> Type {
    if ty.elem == Scalar::I1 { ty.with_elem(Scalar::I8) } else { ty }
}

/// A function `fn(args, env, g0, g1)` that runs `body` for each i in g0..g1 on operands read from arrays and stores the
/// result to the last array.
pub fn looped(name: &str, args: &[Type], ret: Type, body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value) -> Func {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(name, vec![ptr, ptr, Type::I64, Type::I64], None);
    let entry = func.entry();
    let params = func.blocks[entry].params.clone();
    let (head, work, exit) = (func.add_block(), func.add_block(), func.add_block());
    let i = func.add_param(head, Type::I64);
    let mut b = Builder::new(&mut func, entry);
    let invariant = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let arrays: Vec<Value> = (0..=args.len())
        .map(|n| {
            let at = b.ptr_off(params[0], 8 * n as i64);
            b.load(Type::ptr(AddrSpace::Global), at, invariant)
        })
        .collect();
    b.jump(head, &[params[2]]);
    b.enter(head);
    let more = b.icmp(IntPred::ULt, i, params[3]);
    b.branch(more, work, exit);
    b.enter(work);
    let operands: Vec<Value> = args
        .iter()
        .zip(&arrays)
        .map(|(&ty, &array)| {
            let at = b.ptr_add(array, i, memory(ty).bytes(), 0);
            let v = b.load(memory(ty), at, Attr::default());
            if ty.elem == Scalar::I1 { b.convert(Op::Trunci, ty, v) } else { v }
        })
        .collect();
    let result = body(&mut b, &operands);
    let result = if ret.elem == Scalar::I1 { b.convert(Op::Zext, memory(ret), result) } else { result };
    let at = b.ptr_add(arrays[args.len()], i, memory(ret).bytes(), 0);
    b.store(at, result, Attr::default());
    let one = b.i64(1);
    let next = b.op(Op::Add, &[i, one]);
    b.jump(head, &[next]);
    b.enter(exit);
    b.end(Term::Ret(None));
    func
}

pub fn write_lane(buffer: &mut Vec<u8>, kind: Scalar, bits: u64) {
    buffer.extend_from_slice(&bits.to_le_bytes()[..kind.bytes() as usize]);
}

pub fn read_lane(buffer: &[u8], kind: Scalar, n: usize) -> u64 {
    let size = kind.bytes() as usize;
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(&buffer[n * size..][..size]);
    u64::from_le_bytes(bytes)
}

pub fn env() -> Env {
    Env {
        global_size: [1; 3],
        global_offset: [0; 3],
        local_size: [1; 3],
        num_groups: [1; 3],
        work_dim: 1,
        local: std::ptr::null_mut(),
        local_bytes: 0,
        scratch: std::ptr::null_mut(),
        scratch_bytes: 0,
        races: std::ptr::null_mut(),
    }
}

/// Runs a compiled loop over `n` items.
pub fn run(module: &Module, func: &Func, inputs: &[Vec<u8>], out_bytes: usize, n: u64) -> Vec<u8> {
    run_by(Backend::Cranelift, module, func, inputs, out_bytes, n)
}

/// The back ends whose code this machine runs.
pub fn backends() -> Vec<Backend> {
    Backend::available().collect()
}

/// As `run`, by a given back end.
pub fn run_by(backend: Backend, module: &Module, func: &Func, inputs: &[Vec<u8>], out_bytes: usize, n: u64) -> Vec<u8> {
    let data = ProgramData::new(&module.globals).expect("no variables");
    let code = compile(backend, module, func, Scratch::default(), Effort::Quick)
        .and_then(|code| code.load(&data))
        .unwrap_or_else(|e| panic!("{}, {backend:?}: {}", func.name, e.message));
    let mut out = vec![0xa5u8; out_bytes + 64];
    let mut block: Vec<*const u8> = inputs.iter().map(|v| v.as_ptr()).collect();
    block.push(out.as_mut_ptr());
    // SAFETY: the arrays are as long as the loop needs.
    unsafe { code.run(block.as_ptr().cast(), &env(), 0..n) }
    assert!(out[out_bytes..].iter().all(|&b| b == 0xa5), "{}: wrote beyond the result", func.name);
    out.truncate(out_bytes);
    out
}

/// A function without loop: `fn(args, env, g0, g1)` whose body sees the pointers of the argument block.
pub fn plain(name: &str, pointers: &[AddrSpace], body: impl FnOnce(&mut Builder<'_>, &[Value])) -> Func {
    let ptr = Type::ptr(AddrSpace::Constant);
    let mut func = Func::new(name, vec![ptr, ptr, Type::I64, Type::I64], None);
    let entry = func.entry();
    let args = func.blocks[entry].params[0];
    let mut b = Builder::new(&mut func, entry);
    let invariant = Attr { flags: Flags::INVARIANT, ..Attr::default() };
    let loaded: Vec<Value> = pointers
        .iter()
        .enumerate()
        .map(|(n, &space)| {
            let at = b.ptr_off(args, 8 * n as i64);
            b.load(Type::ptr(space), at, invariant)
        })
        .collect();
    body(&mut b, &loaded);
    b.end(Term::Ret(None));
    func
}

/// Compiles and runs a function on these buffers: by our own generator, if there is one here and the function is one
/// that it covers, and by Cranelift, which must leave the same.
pub fn run_on(module: &Module, func: &Func, buffers: &mut [&mut [u8]]) {
    let data = ProgramData::new(&module.globals).expect("fits");
    let run = |backend, buffers: &mut [Vec<u8>]| {
        let code = compile(backend, module, func, Scratch::default(), Effort::Quick).and_then(|code| code.load(&data));
        let block: Vec<*mut u8> = buffers.iter_mut().map(|b| b.as_mut_ptr()).collect();
        // SAFETY: the callers' buffers are as long as their kernels need.
        code.map(|code| unsafe { code.run(block.as_ptr().cast(), &env(), 0..1) })
    };
    let before: Vec<Vec<u8>> = buffers.iter().map(|b| b.to_vec()).collect();
    let (mut own, mut theirs) = (before.clone(), before);
    run(Backend::Cranelift, &mut theirs).unwrap_or_else(|e| panic!("{}", e.message));
    if target::backend() != Backend::Cranelift && run(target::backend(), &mut own).is_ok() {
        assert_eq!(own, theirs, "{func}");
    }
    buffers.iter_mut().zip(&theirs).for_each(|(to, from)| to.copy_from_slice(from));
}
