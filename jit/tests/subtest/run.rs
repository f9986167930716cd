//! `run`: runs kernels in the interpreter and prints the buffers and what `printf` wrote, or the error. Each program is
//! also run after `PROGRAM` and as a work-group function (before and after the passes, and in lanes), and as machine
//! code of each back end; all must agree.
//!
//! ```text
//! ; launch @kernel global 8 [1 [1]] [local 4 [1 [1]]] [offset 0 [0 [0]]]
//! ; arg buffer f32 1.0 2.0 …     or  buffer i32 iota 8, buffer i8 zero 16
//! ; arg value i32 7
//! ; arg local 64                 bytes
//! ```

use clift_jit::codegen::{Backend, Effort, ProgramData, Scratch, compile};
use clift_jit::interp::{Arg, Error, Launch, Machine};
use clift_jit::ir::entity::Entity;
use clift_jit::ir::{FuncId, Module};
use clift_jit::launch::{AddrSpace, ArgInfo, ArgKind, Env, KernelInfo, SpecKey};
use clift_jit::pipeline::{FORM, GROUP, Runner, Unit};
use clift_jit::{printf, simd, wg};

/// An argument as the directive gives it.
enum Given {
    Buffer(String, Vec<u8>),
    Value(Vec<u8>),
    Local(u64),
}

pub fn run(input: &str, mut module: Module) -> Result<String, String> {
    crate::must_verify(&module, "input")?;
    let mut out = String::new();
    let mut launches: Vec<(FuncId, Launch, Vec<Given>)> = Vec::new();
    for line in input.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [";", "launch", name, ref rest @ ..] => {
                let name = name.trim_start_matches('@');
                let id = module.funcs.iter().find(|(_, f)| f.name == name).map(|(id, _)| id);
                launches.push((id.ok_or(format!("no function {name}"))?, launch(rest)?, Vec::new()));
            }
            [";", "arg", ref rest @ ..] => {
                let (_, _, args) = launches.last_mut().ok_or("`arg` before `launch`")?;
                args.push(given(rest)?);
            }
            _ => {}
        }
    }
    if launches.is_empty() {
        return Err("no `launch`".into());
    }
    for (id, launch, args) in &launches {
        if !module.kernels.iter().any(|(_, k)| k == id) {
            let info = info(&module, *id, args);
            module.kernels.push((info, *id));
        }
        let plain = kernel(&module, *id, launch, args);
        let mut optimised = module.clone();
        Runner::default().program(&mut optimised);
        crate::must_verify(&optimised, "after `PROGRAM`")?;
        same(&plain, &kernel(&optimised, *id, launch, args), "`PROGRAM`")?;
        if plain.is_ok() {
            let number = optimised.kernels.iter().position(|(_, k)| k == id).ok_or("no kernel")?;
            let exact = launch.local_size.map(|n| n as u32);
            let uniform = (0..3).all(|d| launch.global_size[d] % launch.local_size[d] == 0);
            for local_size in [None, uniform.then_some(exact)] {
                // Each buffer has memory of its own.
                let disjoint = if local_size.is_some() { u64::MAX } else { 0 };
                let key = SpecKey { local_size, disjoint, ..SpecKey::of_ids(launch.global_offset, launch.global_size) };
                let mut unit = Unit::of_kernel(&optimised, number, key, wg::Sharing::Auto);
                let locals = wg::local_layout(&optimised, *id).bytes;
                let mut whole = optimised.clone();
                let wg_id = whole.funcs.push(optimised.funcs[*id].clone());
                if wg::sub_group(&optimised.funcs[*id], &optimised.kernels[number].0).is_some() {
                    // Lanes only: in between there is no work-item by itself.
                    let group = Runner::verifying().kernel(&optimised, number, key, wg::Sharing::Auto, None).0;
                    let scratch = Scratch { fixed: 0, per_item: group.scratch_per_item };
                    whole.funcs[wg_id] = group.func;
                    whole.funcs[wg_id].name = "work-group function".into();
                    crate::must_verify(&whole, "sub-groups")?;
                    let found = work_group(&whole, wg_id, number, launch, args, locals, group.scratch_per_item as u64);
                    same(&plain, &found, "sub-groups")?;
                    for backend in Backend::available() {
                        let found = native(backend, &whole, wg_id, number, launch, args, (locals as usize, scratch))
                            .map_err(|e| format!("{backend:?}: {e}"))?;
                        same(&plain, &Ok(found), &format!("machine code by {backend:?}"))?;
                    }
                    continue;
                }
                for (stage, phase) in [("work-group function", FORM), ("optimised work-group function", GROUP)] {
                    Runner::verifying().run(phase, &mut unit).map_err(|e| e.message)?;
                    unit.func.name = "work-group function".into();
                    whole.funcs[wg_id] = unit.func.clone();
                    crate::must_verify(&whole, stage)?;
                    let found = work_group(&whole, wg_id, number, launch, args, locals, unit.scratch_per_item as u64);
                    same(&plain, &found, stage)?;
                }
                let scratch = Scratch { fixed: 0, per_item: unit.scratch_per_item };
                let compiled = |module: &Module, form: &str| -> Result<(), String> {
                    for backend in Backend::available() {
                        let what = format!("machine code of {form} by {backend:?}");
                        let found = native(backend, module, wg_id, number, launch, args, (locals as usize, scratch))
                            .map_err(|e| format!("{what}: {e}"))?;
                        same(&plain, &Ok(found), &what)?;
                    }
                    Ok(())
                };
                compiled(&whole, "scalars")?;
                use simd::Tails::{Last, Masked, Scalar};
                for (width, tails) in [(4, Scalar), (8, Scalar), (8, Masked), (4, Last)] {
                    let mut lanes = whole.clone();
                    let mut func = lanes.funcs[wg_id].clone();
                    Runner::default().lanes(&lanes, &mut func, simd::Config { tails, ..simd::Config::always(width) });
                    lanes.funcs[wg_id] = func;
                    crate::must_verify(&lanes, "lanes")?;
                    let found = work_group(&lanes, wg_id, number, launch, args, locals, unit.scratch_per_item as u64);
                    same(&plain, &found, "lanes")?;
                    compiled(&lanes, &format!("{width} lanes"))?;
                }
            }
        }
        out += &format!("@{}:\n", module.funcs[*id].name);
        match plain {
            Err(error) => out += &format!("error: {error}\n"),
            Ok(buffers) => {
                for (n, (arg, bytes)) in args.iter().zip(&buffers).enumerate() {
                    if let Given::Buffer(ty, _) = arg {
                        out += &format!("arg {n}: {ty}{}\n", show(ty, bytes));
                    }
                }
                if let Some(printed) = buffers.last().filter(|text| !text.is_empty()) {
                    out += &format!("printed: {:?}\n", String::from_utf8_lossy(printed));
                }
            }
        }
    }
    Ok(out)
}

/// What the arguments' buffers hold (nothing for other arguments), and at the end what was printed.
type Outcome = Result<Vec<Vec<u8>>, Error>;

fn same(want: &Outcome, got: &Outcome, what: &str) -> Result<(), String> {
    match (want, got) {
        (Ok(a), Ok(b)) if a == b => Ok(()),
        // What work-items print between two barriers may interleave in any way.
        (Ok(a), Ok(b)) if ordered(a) == ordered(b) => Ok(()),
        (Err(a), Err(b)) if a.kind == b.kind => Ok(()),
        (Err(a), _) if a.kind == clift_jit::interp::ErrorKind::Steps => Ok(()),
        _ => Err(format!("the {what} differs:\n{want:?}\n{got:?}")),
    }
}

/// The outcome with the printed bytes in ascending order.
fn ordered(outcome: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut outcome = outcome.to_vec();
    if let Some(printed) = outcome.last_mut() {
        printed.sort_unstable();
    }
    outcome
}

fn arguments(machine: &mut Machine<'_>, args: &[Given]) -> Vec<Arg> {
    let one = |arg: &Given| match arg {
        Given::Buffer(_, bytes) => Arg::Buffer(machine.add_buffer(bytes.clone())),
        Given::Value(bytes) => Arg::Value(bytes.clone()),
        Given::Local(size) => Arg::Local(*size),
    };
    args.iter().map(one).collect()
}

fn contents(machine: &Machine<'_>, args: &[Arg]) -> Vec<Vec<u8>> {
    let one = |arg: &Arg| match arg {
        Arg::Buffer(address) => machine.buffer(*address).to_vec(),
        _ => Vec::new(),
    };
    args.iter().map(one).chain([machine.output.clone()]).collect()
}

fn kernel(module: &Module, id: FuncId, launch: &Launch, args: &[Given]) -> Outcome {
    let mut machine = Machine::new(module);
    machine.steps = 2_000_000;
    let args = arguments(&mut machine, args);
    machine.run_kernel(id, &args, launch)?;
    Ok(contents(&machine, &args))
}

fn work_group(
    module: &Module,
    func: FuncId,
    kernel: usize,
    launch: &Launch,
    args: &[Given],
    locals: u64,
    scratch: u64,
) -> Outcome {
    let mut machine = Machine::new(module);
    let args = arguments(&mut machine, args);
    machine.run_work_group_func(func, &module.kernels[kernel].0, &args, launch, locals, scratch)?;
    Ok(contents(&machine, &args))
}

/// Runs a work-group function's machine code in this process.
#[allow(unsafe_code, reason = "runs generated code on buffers made here")]
fn native(
    backend: Backend,
    module: &Module,
    func: FuncId,
    kernel: usize,
    launch: &Launch,
    args: &[Given],
    (locals, scratch): (usize, Scratch),
) -> Result<Vec<Vec<u8>>, String> {
    let data = ProgramData::new(&module.globals).map_err(|e| e.message)?;
    let code = compile(backend, module, &module.funcs[func], scratch, Effort::Quick)
        .and_then(|code| code.load(&data))
        .map_err(|e| e.message)?;
    let info = &module.kernels[kernel].0;
    let mut block = vec![0u64; info.arg_block_bytes.div_ceil(8) + 1];
    let mut buffers = Vec::new();
    let mut local_bytes = locals.next_multiple_of(128);
    for (arg, place) in args.iter().zip(&info.args) {
        let bytes = match arg {
            Given::Buffer(_, bytes) => {
                let mut buffer = bytes.clone();
                let address = buffer.as_mut_ptr() as u64;
                buffers.push(buffer);
                address.to_le_bytes().to_vec()
            }
            Given::Value(bytes) => {
                buffers.push(Vec::new());
                bytes.clone()
            }
            Given::Local(size) => {
                buffers.push(Vec::new());
                let at = local_bytes as u64;
                local_bytes += (*size as usize).next_multiple_of(128);
                at.to_le_bytes().to_vec()
            }
        };
        for (n, byte) in bytes.iter().enumerate() {
            let at = place.offset + n;
            block[at / 8] |= u64::from(*byte) << (at % 8 * 8);
        }
    }
    let items = launch.local_size.iter().product();
    let arena = |bytes: usize| vec![0u128; bytes / 16 + 32];
    let (mut local, mut memory) = (arena(local_bytes), arena(code.scratch_bytes(items)));
    // 128-byte aligned with 128 bytes before and behind.
    let aligned = |arena: &mut Vec<u128>| ((arena.as_mut_ptr() as usize + 128).next_multiple_of(128)) as *mut u8;
    let num_groups = launch.num_groups();
    let env = Env {
        global_size: launch.global_size,
        global_offset: launch.global_offset,
        local_size: launch.local_size,
        num_groups,
        work_dim: u64::from(launch.work_dim),
        local: aligned(&mut local),
        local_bytes: local_bytes as u64,
        scratch: aligned(&mut memory),
        scratch_bytes: code.scratch_bytes(items) as u64,
        races: std::ptr::null_mut(),
    };
    printf::output::take();
    let groups = num_groups.iter().product::<u64>();
    // In two parts, as two workers would.
    // SAFETY: the interpreter has run the same function on the same arguments without an error.
    unsafe {
        code.run(block.as_ptr().cast(), &env, 0..groups / 2);
        code.run(block.as_ptr().cast(), &env, groups / 2..groups);
    }
    buffers.push(printf::output::take());
    Ok(buffers)
}

fn info(module: &Module, id: FuncId, args: &[Given]) -> KernelInfo {
    let mut at = 0usize;
    let mut infos = Vec::new();
    for (n, arg) in args.iter().enumerate() {
        let (kind, size) = match arg {
            Given::Buffer(..) => (ArgKind::Buffer { space: AddrSpace::Global }, 8),
            Given::Value(bytes) => (ArgKind::Value, bytes.len()),
            Given::Local(_) => (ArgKind::Local, 8),
        };
        at = at.next_multiple_of(16);
        infos.push(ArgInfo {
            name: format!("a{n}"),
            type_name: String::new(),
            kind,
            offset: at,
            size,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
            streamed_bytes: 0,
        });
        at += size;
    }
    assert!(id.index() < module.funcs.len());
    KernelInfo { name: module.funcs[id].name.clone(), args: infos, arg_block_bytes: at, ..KernelInfo::default() }
}

fn launch(words: &[&str]) -> Result<Launch, String> {
    let mut launch = Launch { work_dim: 1, global_size: [1; 3], global_offset: [0; 3], local_size: [1; 3] };
    let (mut field, mut d) = ("", 0);
    for word in words {
        match word.parse::<u64>() {
            Err(_) => (field, d) = (word, 0),
            Ok(n) if d < 3 => {
                match field {
                    "global" => {
                        launch.global_size[d] = n;
                        launch.work_dim = d as u32 + 1;
                    }
                    "local" => launch.local_size[d] = n,
                    "offset" => launch.global_offset[d] = n,
                    _ => return Err(format!("unknown `{field}`")),
                }
                d += 1;
            }
            Ok(_) => return Err("too many sizes".into()),
        }
    }
    Ok(launch)
}

fn given(words: &[&str]) -> Result<Given, String> {
    Ok(match words {
        ["buffer", ty, "zero", n] => {
            Given::Buffer((*ty).into(), vec![0; n.parse::<usize>().map_err(|e| e.to_string())? * size(ty)?])
        }
        ["buffer", ty, "iota", n] => {
            let n: usize = n.parse().map_err(|_| "bad count")?;
            let bytes = (0..n).map(|i| element(ty, &i.to_string())).collect::<Result<Vec<_>, _>>()?;
            Given::Buffer((*ty).into(), bytes.concat())
        }
        ["buffer", ty, rest @ ..] => {
            Given::Buffer((*ty).into(), rest.iter().map(|w| element(ty, w)).collect::<Result<Vec<_>, _>>()?.concat())
        }
        ["value", ty, rest @ ..] => {
            Given::Value(rest.iter().map(|w| element(ty, w)).collect::<Result<Vec<_>, _>>()?.concat())
        }
        ["local", n] => Given::Local(n.parse().map_err(|_| "bad size")?),
        _ => return Err(format!("bad argument {words:?}")),
    })
}

fn size(ty: &str) -> Result<usize, String> {
    match ty {
        "i8" => Ok(1),
        "i16" | "f16" => Ok(2),
        "i32" | "f32" => Ok(4),
        "i64" | "f64" => Ok(8),
        _ => Err(format!("unknown type {ty}")),
    }
}

fn element(ty: &str, word: &str) -> Result<Vec<u8>, String> {
    let n = size(ty)?;
    let bad = || format!("bad {ty} `{word}`");
    let bits = match (word.strip_prefix("0x"), ty) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).map_err(|_| bad())?,
        (None, "f16") => u64::from(half::f16::from_f64(word.parse().map_err(|_| bad())?).to_bits()),
        (None, "f32") => u64::from(word.parse::<f32>().map_err(|_| bad())?.to_bits()),
        (None, "f64") => word.parse::<f64>().map_err(|_| bad())?.to_bits(),
        _ => word.parse::<i128>().map_err(|_| bad())? as u64,
    };
    Ok(bits.to_le_bytes()[..n].to_vec())
}

fn show(ty: &str, bytes: &[u8]) -> String {
    let n = size(ty).unwrap_or(1);
    let mut out = String::new();
    for chunk in bytes.chunks_exact(n) {
        let mut wide = [0; 8];
        wide[..n].copy_from_slice(chunk);
        let bits = u64::from_le_bytes(wide);
        out += &match ty {
            "i8" => format!(" {}", bits as i8),
            "i16" => format!(" {}", bits as i16),
            "i32" => format!(" {}", bits as i32),
            "f16" => format!(" {}", half::f16::from_bits(bits as u16)),
            "f32" => format!(" {:?}", f32::from_bits(bits as u32)),
            "f64" => format!(" {:?}", f64::from_bits(bits)),
            _ => format!(" {}", bits as i64),
        };
    }
    out
}
