//! The machine: module, memory, launches.

use super::group::Group;
use super::memory::{Fault, Kind, Memory};
use super::step::{Item, Stop};
use super::sub_group::Order;
use super::value::Lanes;
use super::watch::Watch;
use crate::check::{Bounds, Finding};
use crate::ir::entity::{Arena, Entity, FuncId, GlobalId};
use crate::ir::func::Func;
use crate::ir::module::Module;
use crate::ir::ty::Type;
use crate::launch::{AddrSpace, ArgKind, Env, KernelInfo};
use crate::target::sub_group_size;
use std::fmt;
use std::mem::{offset_of, size_of};

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The bytes of a value (a scalar, a vector or a struct), or the bits of a sampler.
    Value(Vec<u8>),
    /// An address, as `Machine::add_buffer` returns it.
    Buffer(u64),
    /// Bytes of local memory.
    Local(u64),
}

/// The geometry of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// 1, 2 or 3.
    pub work_dim: u32,
    /// Global size `[x, y, z]`.
    pub global_size: [u64; 3],
    /// Global offset.
    pub global_offset: [u64; 3],
    /// Local size; trailing groups may be smaller.
    pub local_size: [u64; 3],
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A memory access is outside its object or writes read-only memory.
    Memory(Fault),
    /// Work-items of a group did not meet at the same convergent operation.
    Divergence,
    /// Operands that must be the same for all work-items differ.
    NotUniform,
    /// The step limit was reached.
    Steps,
    /// `unreachable` was reached.
    Unreachable,
    /// A call of a function without a body.
    NoBody,
    /// An id, local variable or convergent operation outside a kernel.
    NoGroup,
    /// Calls nest too deep.
    Depth,
    /// The arguments or sizes do not fit the function.
    Launch,
    /// It enqueues a block or asks about queues and events, of which there are none here.
    Device,
}

/// An error and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What.
    pub kind: ErrorKind,
    /// The function and instruction, and details.
    pub at: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ErrorKind::Memory(Fault::OutOfBounds) => "access out of bounds",
            ErrorKind::Memory(Fault::ReadOnly) => "write to read-only memory",
            ErrorKind::Divergence => "work-items do not meet at one convergent operation",
            ErrorKind::NotUniform => "operands differ between work-items",
            ErrorKind::Steps => "step limit reached",
            ErrorKind::Unreachable => "unreachable code reached",
            ErrorKind::NoBody => "call of a function without a body",
            ErrorKind::NoGroup => "work-item operation outside a kernel",
            ErrorKind::Depth => "calls nest too deep",
            ErrorKind::Launch => "bad launch",
            ErrorKind::Device => "no device queues",
        };
        write!(f, "{what}: {}", self.at)
    }
}

impl std::error::Error for Error {}

/// A function's registers: where each value's lanes lie.
pub(super) struct Plan {
    pub offsets: Vec<u32>,
    pub n_regs: usize,
}

/// An interpreter for one module.
pub struct Machine<'m> {
    /// The module.
    pub module: &'m Module,
    /// All memory.
    pub memory: Memory,
    /// Instructions that may still run before `ErrorKind::Steps`; counts down.
    pub steps: u64,
    /// What `printf` has written.
    pub output: Vec<u8>,
    /// What checks have found.
    pub findings: Vec<Finding>,
    /// Who looks on.
    pub watch: Option<&'m mut dyn Watch>,
    /// See `Func::flushes_denormals`.
    pub(super) flushes: bool,
    /// What checks of the launch may know of its arguments.
    bounds: Vec<Bounds>,
    globals: Arena<GlobalId, u64>,
    plans: Vec<Option<Plan>>,
    /// Of each function, if the module has operations of sub-groups.
    orders: Vec<Option<Order>>,
}

impl Launch {
    /// A one-dimensional launch.
    pub fn linear(global: u64, local: u64) -> Self {
        Self { work_dim: 1, global_size: [global, 1, 1], global_offset: [0; 3], local_size: [local, 1, 1] }
    }
    /// Number of groups in each dimension.
    pub fn num_groups(&self) -> [u64; 3] {
        std::array::from_fn(|d| self.global_size[d].div_ceil(self.local_size[d].max(1)))
    }
}

impl<'m> Machine<'m> {
    /// A machine with the module's program-scope variables.
    pub fn new(module: &'m Module) -> Self {
        let mut memory = Memory::default();
        let mut globals: Arena<GlobalId, u64> = Arena::new();
        for global in module.globals.values() {
            let mut bytes = global.init.bytes.clone();
            bytes.resize(global.size as usize, 0);
            globals.push(memory.add(Kind::Global, bytes, true));
        }
        for (id, global) in module.globals.iter() {
            for (at, to, add) in &global.init.relocs {
                let address = globals[*to].wrapping_add(*add as u64);
                // Out of range only if the module is not verified; then the address is left out.
                let _ = memory.store(globals[id] + at, Type::I64, &[address]);
            }
        }
        for (id, global) in module.globals.iter() {
            if global.space == AddrSpace::Constant {
                memory.protect(globals[id]);
            }
        }
        let plans = module.funcs.keys().map(|_| None).collect();
        let meets = |func: &Func| func.live_insts().any(|(_, inst)| func.insts[inst].op.is_sub_group());
        let orders = match module.funcs.values().any(meets) {
            true => module.funcs.values().map(|func| func.has_body().then(|| Order::new(func))).collect(),
            false => Vec::new(),
        };
        Self {
            module,
            memory,
            steps: 50_000_000,
            output: Vec::new(),
            findings: Vec::new(),
            watch: None,
            flushes: module.funcs.values().any(|func| func.flushes_denormals),
            bounds: Vec::new(),
            globals,
            plans,
            orders,
        }
    }

    /// Adds a buffer and returns its address.
    pub fn add_buffer(&mut self, bytes: Vec<u8>) -> u64 {
        self.memory.add(Kind::Buffer, bytes, true)
    }
    /// A buffer's bytes; empty for an address that is none.
    pub fn buffer(&self, address: u64) -> &[u8] {
        self.memory.object(address).unwrap_or(&[])
    }
    /// The address of a program-scope variable.
    pub fn global(&self, id: GlobalId) -> u64 {
        self.globals[id]
    }

    /// Runs a kernel in kernel form over a whole NDRange, group by group in linear order.
    ///
    /// # Errors
    /// The first broken rule; memory is left as it then was.
    pub fn run_kernel(&mut self, kernel: FuncId, args: &[Arg], launch: &Launch) -> Result<(), Error> {
        let func = &self.module.funcs[kernel];
        check_launch(func, args, launch)?;
        let info = self.module.kernels.iter().find(|(_, id)| *id == kernel).map(|(info, _)| info);
        let (block, offsets) = self.arg_block(func, info, args, |_, _| 0)?;
        let sub_group = info.map_or_else(|| sub_group_size(&KernelInfo::default()), sub_group_size);
        let [nx, ny, nz] = launch.num_groups();
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let mut locals = Vec::new();
                    let mut values = Vec::with_capacity(args.len());
                    for ((arg, ty), offset) in args.iter().zip(&func.params).zip(&offsets) {
                        values.push(match arg {
                            Arg::Local(size) => {
                                let address = self.memory.add(Kind::Local, vec![0xa5; *size as usize], true);
                                locals.push(address);
                                Lanes::from_slice(&[address])
                            }
                            Arg::Value(_) if ty.is_ptr() => Lanes::from_slice(&[block + offset]),
                            _ => {
                                self.memory.load(block + offset, *ty).map_err(|_| bad_launch(func, "argument block"))?
                            }
                        });
                    }
                    let mut group = Group::new(launch, [x, y, z], sub_group.into());
                    let result = group.run(self, kernel, &values);
                    group.locals.values().chain(&locals).for_each(|a| self.memory.remove(*a));
                    result?;
                }
            }
        }
        self.memory.remove(block);
        Ok(())
    }

    /// Calls a plain function: no ids, local variables or convergent operations in it and its callees.
    ///
    /// # Errors
    /// The first broken rule.
    pub fn call(&mut self, func: FuncId, args: &[Lanes]) -> Result<Option<Lanes>, Error> {
        let mut item = Item::new(self, func, args)?;
        match item.run(self, None)? {
            Stop::Done(result) => Ok(result),
            Stop::Convergent => Err(item.error(self, ErrorKind::NoGroup)),
        }
    }

    /// Calls a work-group function `fn(args, env, g0, g1)` for all groups of a launch. `local_bytes` is the static part
    /// of local memory, `scratch_per_item` what `wg` asks for.
    ///
    /// # Errors
    /// The first broken rule.
    pub fn run_work_group_func(
        &mut self,
        func: FuncId,
        info: &KernelInfo,
        args: &[Arg],
        launch: &Launch,
        local_bytes: u64,
        scratch_per_item: u64,
    ) -> Result<(), Error> {
        let code = &self.module.funcs[func];
        let mut local = local_bytes.next_multiple_of(128);
        let (block, _) = self.arg_block(code, Some(info), args, |_, size| {
            let at = local;
            local = (local + size).next_multiple_of(128);
            at
        })?;
        let items: u64 = launch.local_size.iter().product();
        let (local_bytes, scratch_bytes) = (local, items * scratch_per_item);
        let local = self.memory.add(Kind::Local, vec![0xa5; local_bytes as usize + 256], true) + 128;
        let scratch = self.memory.add(Kind::Scratch, vec![0xa5; scratch_bytes as usize + 256], true) + 128;
        let mut env = vec![0u8; size_of::<Env>()];
        let mut put = |at: usize, v: u64| env[at..at + 8].copy_from_slice(&v.to_le_bytes());
        let groups = launch.num_groups();
        for (d, n) in groups.into_iter().enumerate() {
            put(offset_of!(Env, global_size) + 8 * d, launch.global_size[d]);
            put(offset_of!(Env, global_offset) + 8 * d, launch.global_offset[d]);
            put(offset_of!(Env, local_size) + 8 * d, launch.local_size[d]);
            put(offset_of!(Env, num_groups) + 8 * d, n);
        }
        put(offset_of!(Env, work_dim), u64::from(launch.work_dim));
        put(offset_of!(Env, local), local);
        put(offset_of!(Env, local_bytes), local_bytes);
        put(offset_of!(Env, scratch), scratch);
        put(offset_of!(Env, scratch_bytes), scratch_bytes);
        let env = self.memory.add(Kind::Args, env, false);
        let n: u64 = groups.iter().product();
        let result = self.call(func, &[block, env, 0, n].map(|v| Lanes::from_slice(&[v])));
        for address in [block, env, local, scratch] {
            self.memory.remove(address);
        }
        result.map(|_| ())
    }

    /// Builds the argument block; `place` gives the offset of a local argument from its number and size.
    fn arg_block(
        &mut self,
        func: &Func,
        info: Option<&KernelInfo>,
        args: &[Arg],
        mut place: impl FnMut(usize, u64) -> u64,
    ) -> Result<(u64, Vec<u64>), Error> {
        let bounds = |arg: &Arg| match arg {
            Arg::Value(_) => Bounds::default(),
            Arg::Buffer(address) => {
                let bounds = self.memory.bounds(*address);
                Bounds { start: address.wrapping_sub(bounds.start), ..bounds }
            }
            Arg::Local(size) => Bounds { start: 0, readable: *size, writable: *size },
        };
        self.bounds = args.iter().map(bounds).collect();
        let mut offsets = Vec::with_capacity(args.len());
        let mut bytes = vec![0u8; info.map_or(0, |i| i.arg_block_bytes)];
        for (n, arg) in args.iter().enumerate() {
            let data = match arg {
                Arg::Value(data) => data.clone(),
                Arg::Buffer(address) => address.to_le_bytes().to_vec(),
                Arg::Local(size) => place(n, *size).to_le_bytes().to_vec(),
            };
            let offset = match info.and_then(|i| i.args.get(n)) {
                Some(info) => {
                    let fits = match info.kind {
                        ArgKind::Value | ArgKind::Sampler | ArgKind::Queue => matches!(arg, Arg::Value(_)),
                        ArgKind::Local => matches!(arg, Arg::Local(_)),
                        _ => matches!(arg, Arg::Buffer(_)),
                    };
                    if !fits || data.len() > info.size {
                        return Err(bad_launch(func, &format!("argument {n}")));
                    }
                    info.offset
                }
                None => bytes.len().next_multiple_of(16),
            };
            if bytes.len() < offset + data.len() {
                bytes.resize(offset + data.len(), 0);
            }
            bytes[offset..offset + data.len()].copy_from_slice(&data);
            offsets.push(offset as u64);
        }
        Ok((self.memory.add(Kind::Args, bytes, false), offsets))
    }

    /// Makes sure that the register plan of a function exists.
    pub(super) fn prepare(&mut self, id: FuncId) {
        let slot = &mut self.plans[id.index()];
        if slot.is_none() {
            let mut offsets = Vec::new();
            let mut n_regs = 0;
            for v in self.module.funcs[id].values.values() {
                offsets.push(n_regs as u32);
                n_regs += usize::from(v.ty.lanes);
            }
            *slot = Some(Plan { offsets, n_regs });
        }
    }
    /// What `check.arg` gives.
    pub(super) fn arg_word(&self, number: u64, field: u64) -> u64 {
        self.bounds.get(number as usize).copied().unwrap_or_default().word(field)
    }
    /// What `check.object` gives.
    pub(super) fn object_word(&self, address: u64, field: u64) -> u64 {
        self.memory.bounds(address).word(field)
    }
    /// The order of a function's blocks, if that matters.
    pub(super) fn order(&self, id: FuncId) -> Option<&Order> {
        self.orders.get(id.index())?.as_ref()
    }
    /// The register plan of a function that is prepared.
    pub(super) fn plan(&self, id: FuncId) -> &Plan {
        self.plans[id.index()].as_ref().expect("frames prepare their function")
    }
}

fn bad_launch(func: &Func, what: &str) -> Error {
    Error { kind: ErrorKind::Launch, at: format!("@{}: {what}", func.name) }
}

fn check_launch(func: &Func, args: &[Arg], launch: &Launch) -> Result<(), Error> {
    if args.len() != func.params.len() {
        return Err(bad_launch(func, &format!("{} arguments for {} parameters", args.len(), func.params.len())));
    }
    for (n, (arg, ty)) in args.iter().zip(&func.params).enumerate() {
        let fits = match arg {
            Arg::Value(bytes) => ty.is_ptr() || bytes.len() >= ty.bytes() as usize,
            Arg::Buffer(_) | Arg::Local(_) => ty.is_ptr(),
        };
        if !fits {
            return Err(bad_launch(func, &format!("argument {n} is no {ty}")));
        }
    }
    if !matches!(launch.work_dim, 1..=3) || launch.local_size.contains(&0) {
        return Err(bad_launch(func, "sizes"));
    }
    Ok(())
}
