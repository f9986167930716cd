//! Calls of the functions for device-side enqueue: what takes a block, events and queues, ND-ranges. They have no rows
//! among the built-in functions, since blocks are no values. Spec: OpenCL C, "Enqueuing Kernels".

use super::Sema;
use super::block::Block;
use super::convert::Why;
use super::operand::OpKind;
use crate::ast;
use crate::device::{DeviceFn, RANGE_WORDS};
use crate::hir::{
    Builtin, Callee, ExprId, ExprKind, Field, OpaqueKind, PlaceKind, Quals, Record, Stmt, Ty, TyKind, Types,
};
use crate::launch::{AddrSpace, ArgKind};
use crate::options::OptionFlags;
use crate::source::Span;

/// `ndrange_1D` and its kin.
const RANGES: [&str; 3] = ["ndrange_1D", "ndrange_2D", "ndrange_3D"];

/// What a function is for, by its name.
enum Named {
    /// A descriptor of so many dimensions.
    Range(u32),
    /// A question to the launch.
    Asks(DeviceFn),
}

fn named(name: &str) -> Option<Named> {
    if let Some(n) = (1..).zip(RANGES).find_map(|(n, range)| (range == name).then_some(n)) {
        return Some(Named::Range(n));
    }
    asking().find(|what| what.name() == name).map(Named::Asks)
}

/// Questions that are functions by these names.
fn asking() -> impl Iterator<Item = DeviceFn> {
    DeviceFn::ALL.into_iter().filter(|what| what.is_for_enqueuing())
}

/// All names, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    RANGES.into_iter().chain(asking().map(DeviceFn::name))
}

/// Whether this is the name of such a function.
pub(super) fn is_device_function(name: &str) -> bool {
    named(name).is_some()
}

impl Sema<'_> {
    /// `ndrange_t`: dimensions, offset, global size, local size (see `crate::device`).
    pub(super) fn range_type(&mut self) -> Ty {
        if let Some(ty) = self.range {
            return ty;
        }
        let field = |n: u64| Field { name: format!(" {n}"), ty: Types::ULONG, quals: Quals::empty(), offset: 8 * n };
        let record = self.unit.types.records.push(Record {
            name: "ndrange_t".into(),
            is_union: false,
            fields: (0..RANGE_WORDS as u64).map(field).collect(),
            size: 8 * RANGE_WORDS as u64,
            align: 8,
            complete: true,
        });
        *self.range.insert(self.unit.types.intern(TyKind::Record(record)))
    }

    /// What an argument of a kernel is that is no pointer.
    pub(super) fn opaque_arg(&self, ty: Ty) -> ArgKind {
        match *self.kind(ty) {
            TyKind::Opaque(OpaqueKind::Sampler) => ArgKind::Sampler,
            TyKind::Opaque(OpaqueKind::Image(shape, access)) => ArgKind::Image { shape, access },
            TyKind::Opaque(OpaqueKind::Pipe(_, access)) => ArgKind::Pipe { access },
            TyKind::Opaque(OpaqueKind::Queue) => ArgKind::Queue,
            _ => ArgKind::Value,
        }
    }

    pub(super) fn call_device(&mut self, name: ast::Ident, args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let text = self.text(name.name).to_owned();
        if self.version() < 200 {
            self.err(name.span, format!("function '{text}' requires OpenCL C 3.0 (-cl-std=CL3.0)"));
            return None;
        }
        if !self.has_feature("__opencl_c_device_enqueue") {
            let text = format!("function '{text}' requires __opencl_c_device_enqueue, which is not supported");
            self.err(name.span, text);
            return None;
        }
        match named(&text)? {
            Named::Range(dims) => self.call_range(&text, dims, args, span),
            Named::Asks(what) => {
                if !self.in_function {
                    self.err(span, "function call is not a compile-time constant");
                    return None;
                }
                self.call_asking(what, args, span)
            }
        }
    }

    fn call_asking(&mut self, what: DeviceFn, args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let [queue, event] = [OpaqueKind::Queue, OpaqueKind::ClkEvent].map(TyKind::Opaque);
        let [queue, event] = [queue, event].map(|kind| self.unit.types.intern(kind));
        let list = self.unit.types.pointer(event, Quals::CONST, AddrSpace::Generic);
        let out = self.unit.types.pointer(event, Quals::empty(), AddrSpace::Generic);
        let anything = self.unit.types.pointer(Types::VOID, Quals::empty(), AddrSpace::Global);
        let (params, ret): (&[Ty], Ty) = match what {
            DeviceFn::Enqueue => return self.call_enqueue([queue, list, out], args, span),
            DeviceFn::WorkGroupSize | DeviceFn::PreferredMultiple => {
                return self.call_query(what, args, span);
            }
            DeviceFn::SubGroupCount | DeviceFn::MaxSubGroupSize => return self.call_query(what, args, span),
            DeviceFn::Marker => (&[queue, Types::UINT, list, out], Types::INT),
            DeviceFn::Retain | DeviceFn::Release => (&[event], Types::VOID),
            DeviceFn::CreateUserEvent => (&[], event),
            DeviceFn::IsValid => (&[event], Types::BOOL),
            DeviceFn::SetStatus => (&[event, Types::INT], Types::VOID),
            DeviceFn::Capture => (&[event, Types::INT, anything], Types::VOID),
            DeviceFn::DefaultQueue => (&[], queue),
            // Built-in functions with rows.
            DeviceFn::Meet | DeviceFn::CanMeet => return None,
        };
        let mut values = self.device_args(what.name(), params, args, span)?;
        if what == DeviceFn::Marker {
            values.push(self.tells_errors(span));
        }
        Some(self.ask(what, None, values, ret, span))
    }

    /// Checks and converts arguments.
    fn device_args(&mut self, name: &str, params: &[Ty], args: &[ast::ExprId], span: Span) -> Option<Vec<ExprId>> {
        let values: Vec<Option<ExprId>> = args.iter().map(|&arg| self.value(arg)).collect();
        let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
        if values.len() != params.len() {
            let how = if values.len() < params.len() { "few" } else { "many" };
            let text = format!(
                "too {how} arguments to function call '{name}', expected {}, have {}",
                params.len(),
                values.len()
            );
            self.err(span, text);
            return None;
        }
        let ast = self.ast;
        let converted: Vec<Option<ExprId>> = values
            .iter()
            .zip(params)
            .zip(args)
            .map(|((&value, &ty), &arg)| self.convert(value, ty, &Why::Arg, ast[arg].span))
            .collect();
        converted.into_iter().map(|value| Some(self.as_word(value?))).collect()
    }

    /// Numbers as words; other values stay what they are.
    fn as_word(&mut self, value: ExprId) -> ExprId {
        if !self.is_integer(self.ty_of(value)) {
            return value;
        }
        let signed = self.cast(value, if self.ty_of(value) == Types::UINT { Types::ULONG } else { Types::LONG });
        self.cast(signed, Types::ULONG)
    }

    /// 1 if the program is told why it could not enqueue: with `-g`.
    fn tells_errors(&mut self, span: Span) -> ExprId {
        let tells = self.session.options.flags.contains(OptionFlags::DEBUG_INFO);
        self.int_const(u64::from(tells), Types::ULONG, span)
    }

    fn ask(&mut self, what: DeviceFn, block: Option<&Block>, args: Vec<ExprId>, ret: Ty, span: Span) -> ExprId {
        let block = block.map(|block| block.func);
        self.push(ExprKind::Call(Callee::Builtin(Builtin::Device(what, block)), args), ret, span)
    }

    /// `enqueue_kernel(queue, flags, range, [number, events, event,] block, sizes…)`
    fn call_enqueue(&mut self, [queue, list, out]: [Ty; 3], args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let name = DeviceFn::Enqueue.name();
        let at = [3, 6].into_iter().find(|&n| args.get(n).is_some_and(|&arg| self.is_block(arg)));
        let Some(at) = at else {
            for &arg in args {
                if !self.is_block(arg) {
                    self.value(arg);
                }
            }
            self.err(span, "illegal call to 'enqueue_kernel': expected a block as argument 4 or 7");
            return None;
        };
        let range = self.range_type();
        let all = [queue, Types::INT, range, Types::UINT, list, out];
        let mut values = self.device_args(name, &all[..at], &args[..at], span)?;
        if at == 3 {
            values.push(self.int_const(0, Types::ULONG, span));
            values.extend([list, out].map(|ty| self.int_const(0, ty, span)));
        }
        values.push(self.tells_errors(span));
        let block = self.block(args[at])?;
        let n_locals = self.enqueued_block(name, &block, self.ast[args[at]].span)?;
        let sizes = &args[at + 1..];
        if sizes.len() != n_locals {
            let text = "mismatch in number of block parameters and local size arguments passed".to_owned();
            self.err_note(span, text, block.span, format!("the block has {n_locals} parameter(s)"));
            return None;
        }
        values.extend(self.capture_args(&block, span)?);
        for &size in sizes {
            let value = self.value(size)?;
            if !self.is_integer(self.ty_of(value)) {
                let text = "illegal call to 'enqueue_kernel': local memory sizes need to be specified as uint";
                self.err(self.ast[size].span, text);
                return None;
            }
            let value = self.cast(value, Types::UINT);
            values.push(self.as_word(value));
        }
        self.check_captures(&block, self.ast[args[at]].span);
        Some(self.ask(DeviceFn::Enqueue, Some(&block), values, Types::INT, span))
    }

    /// Functions that ask about a block, with an ND-range in front of it or not.
    fn call_query(&mut self, what: DeviceFn, args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let range = self.range_type();
        let takes_range = matches!(what, DeviceFn::SubGroupCount | DeviceFn::MaxSubGroupSize);
        let params = if takes_range { &[range][..] } else { &[] };
        let Some((&last, first)) = args.split_last().filter(|(last, _)| self.is_block(**last)) else {
            for &arg in args {
                self.value(arg);
            }
            self.err(span, format!("illegal call to '{}': expected a block argument", what.name()));
            return None;
        };
        let values = self.device_args(what.name(), params, first, span)?;
        let block = self.block(last)?;
        self.enqueued_block(what.name(), &block, self.ast[last].span)?;
        Some(self.ask(what, Some(&block), values, Types::UINT, span))
    }

    /// Makes sure that a block can be enqueued; the number of its local arguments.
    fn enqueued_block(&mut self, name: &str, block: &Block, span: Span) -> Option<usize> {
        let TyKind::Function { ret, params } = self.kind(block.ty).clone() else { return None };
        if ret != Types::VOID {
            self.err(span, format!("the block passed to '{name}' must return 'void', not '{}'", self.show(ret)));
            return None;
        }
        let any_type = self.has_feature("cl_khr_device_enqueue_local_arg_types");
        for &param in &params {
            let pointee = self.pointee(param).filter(|&(_, _, space)| space == AddrSpace::Local);
            if pointee.is_none_or(|(pointee, ..)| pointee != Types::VOID && !any_type) {
                let text = format!(
                    "the block passed to '{name}' must have parameters of type 'local void *', not '{}'",
                    self.show(param)
                );
                self.err(span, text);
                return None;
            }
        }
        self.block_kernel(block);
        Some(params.len())
    }

    /// `ndrange_nD([[offset,] global, [local]])`: an object that is filled.
    fn call_range(&mut self, name: &str, dims: u32, args: &[ast::ExprId], span: Span) -> Option<ExprId> {
        let ty = self.range_type();
        let number = if dims == 1 {
            Types::ULONG
        } else {
            self.unit.types.pointer(Types::ULONG, Quals::CONST, AddrSpace::Generic)
        };
        let n = args.len().clamp(1, 3);
        let ast = self.ast;
        let values: Vec<Option<ExprId>> = args.iter().map(|&arg| self.value(arg)).collect();
        let values: Vec<ExprId> = values.into_iter().collect::<Option<_>>()?;
        if values.len() != n {
            let text = format!("no matching function for call to '{name}': it takes 1 to 3 arguments");
            self.err(span, text);
            return None;
        }
        if !self.in_function {
            self.err(span, "function call is not a compile-time constant");
            return None;
        }
        let local = self.temp_local(ty, span);
        let object = self.push_place(PlaceKind::Local(local), ty, Quals::empty(), span);
        let mut stmts = vec![self.push_stmt(Stmt::Declare(local)), self.push_stmt(Stmt::Zero(object))];
        let init = |sema: &mut Self, field: usize, value: ExprId| {
            let place = sema.push_place(PlaceKind::Field(object, field as u32), Types::ULONG, Quals::empty(), span);
            sema.push_stmt(Stmt::Init(place, value))
        };
        let dimensions = self.int_const(u64::from(dims), Types::ULONG, span);
        stmts.push(init(self, 0, dimensions));
        // Three fields each for offset, global and local size.
        let first: &[usize] = match n {
            1 => &[4],
            2 => &[4, 7],
            _ => &[1, 4, 7],
        };
        let mut sources = Vec::new();
        for (&value, &arg) in values.iter().zip(args) {
            sources.push(self.convert(value, number, &Why::Arg, ast[arg].span)?);
        }
        for (&first, &source) in first.iter().zip(&sources) {
            if dims == 1 {
                stmts.push(init(self, first, source));
                continue;
            }
            // Evaluated once, read for each dimension.
            let kept = self.temp_local(number, span);
            let kept = self.push_place(PlaceKind::Local(kept), number, Quals::empty(), span);
            let keep = self.push_stmt(Stmt::Init(kept, source));
            stmts.push(keep);
            let base = self.push(ExprKind::Load(kept), number, span);
            for d in 0..dims as usize {
                let index = self.int_const(d as u64, Types::LONG, span);
                let at = self.push(ExprKind::PtrAdd(base, index), number, span);
                let element = self.push_place(PlaceKind::Deref(at), Types::ULONG, Quals::CONST, span);
                let value = self.push(ExprKind::Load(element), Types::ULONG, span);
                stmts.push(init(self, first + d, value));
            }
        }
        let block = self.push_stmt(Stmt::Block(stmts));
        let whole = self.filled_object(block, object, Quals::empty(), span)?;
        match whole.kind {
            OpKind::Place(place) => Some(self.push(ExprKind::Load(place), ty, span)),
            OpKind::Value(e) => Some(e),
        }
    }
}
