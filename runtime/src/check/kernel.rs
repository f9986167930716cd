//! Listens to kernels that are compiled with checks: says what their arguments and other pointers may reach, and makes
//! reports of what they find. Knows nothing of code; what a check is about the compiler's program tells.

use super::known::Assumed;
use super::objects::{self, Object, What};
use super::{Item, Kind, Place, Report, Side, Site};
use crate::context::Context;
use crate::exec::geometry::Geometry;
use crate::exec::ndrange::Compiled;
use crate::memory::buffer::{Mem, MemFlags};
use crate::memory::image::Image;
use crate::object::Obj;
use crate::program::Program;
use crate::program::executable::Executable;
use clift_jit::Env;
use clift_jit::check::{Bounds, FIRST_ADDRESS, Finding, Kinds, Listener, within};
use clift_jit::interp::partial::Access;
use clift_jit::ir::LocalPlace;
use clift_jit::ir::check::{Checked, ObjectKind};
use clift_jit::launch::{AddrSpace, ArgKind, SpecKey};
use clift_jit::race::shadow;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// Addresses below this one are null pointers with an index.
const NULL_PAGE: u64 = 4096;

/// A pointer argument.
#[derive(Clone, Copy, Default)]
struct Arg {
    bounds: Bounds,
    /// The object's first byte, in local memory from its start; 0 for null.
    address: usize,
    /// How `objects` knows it; 0: not.
    key: usize,
    what: Option<What>,
    /// Bytes in front of the object that `bounds` has, too.
    front: u64,
    /// The object has been freed.
    is_freed: bool,
    /// Of an image, the address of its descriptor.
    desc: usize,
}

impl Arg {
    fn size(&self) -> usize {
        (self.bounds.readable.max(self.bounds.writable) - self.front) as usize
    }

    fn is_local(&self) -> bool {
        self.what == Some(What::Local)
    }

    /// It leads to this byte of global memory.
    fn leads_to(&self, address: u64) -> bool {
        let start = self.address as u64;
        let is_memory = self.what.is_some_and(|what| !matches!(what, What::Local | What::Image));
        is_memory && (start..start + self.size() as u64).contains(&address)
    }

    /// The object in global memory, with its argument's name. If it was made before anybody noted objects, another
    /// that is in the same memory is none of it.
    fn object(&self, name: &str) -> Option<Object> {
        let what = self.what.filter(|_| self.address != 0 && !self.is_local())?;
        if self.is_freed {
            return Some(Object { name: name.to_owned(), ..objects::freed_by_key(self.key)? });
        }
        let is_it = |object: &Object| (object.address, object.size) == (self.address, self.size());
        let listed = objects::by_key(self.key).or_else(|| objects::at(self.address).filter(is_it));
        let object = listed.unwrap_or_else(|| Object { address: self.address, ..Object::named(what, "", self.size()) });
        Some(Object { name: name.to_owned(), ..object })
    }
}

/// What a launch's checks ask and report.
pub struct Watch {
    executable: Arc<Executable>,
    context: Obj<Context>,
    pub(super) program: u32,
    pub(super) kernel: usize,
    local_size: [u64; 3],
    offset: [u64; 3],
    args: Vec<Arg>,
    assumed: Assumed,
}

impl Watch {
    /// For a launch; none if the program was built without checks and calls are not watched, either.
    pub(crate) fn new(
        executable: &Arc<Executable>,
        program: &Obj<Program>,
        kernel: usize,
        geometry: &Geometry,
    ) -> Option<Self> {
        let checks = executable.source().program()?.checks();
        (!checks.is_empty() || super::api::is_on()).then(|| Self {
            executable: Arc::clone(executable),
            context: Arc::clone(program.context()),
            program: program.number(),
            kernel,
            local_size: geometry.local,
            offset: geometry.offset,
            args: vec![Arg::default(); executable.source().kernels()[kernel].args.len()],
            assumed: Assumed { key: SpecKey::default(), copies: shadow::copies_of_unwritten() },
        })
    }

    /// The program was built with checks.
    pub(crate) fn is_checked(&self) -> bool {
        !self.checks().is_empty()
    }

    /// What the program was built to be checked for.
    fn checks(&self) -> Kinds {
        self.compiled().map_or(Kinds::empty(), clift_jit::Program::checks)
    }

    /// The argument is a buffer.
    pub(crate) fn buffer(&mut self, index: usize, buffer: &Obj<Mem>) {
        let flags = buffer.flags();
        let at = buffer.data_address();
        // Kernels may go from one part of an SVM allocation to another, be it as a sub-buffer that they got a pointer.
        let whole = buffer.parent().and_then(|_| self.context.svm_allocation(at));
        let what = match buffer.parent() {
            _ if buffer.image().is_some() => What::Image,
            Some(_) => What::SubBuffer,
            None => What::Buffer,
        };
        let (what, address, size, key) = match whole {
            Some(range) => (What::Svm, range.start, range.len() as u64, range.start),
            None => (what, at, buffer.size() as u64, buffer.handle_address()),
        };
        let unless = |flag: MemFlags| if flags.contains(flag) { 0 } else { size };
        let writable = if flags.contains(MemFlags::IMMUTABLE) { 0 } else { unless(MemFlags::READ_ONLY) };
        let bounds = Bounds { start: (at - address) as u64, readable: unless(MemFlags::WRITE_ONLY), writable };
        let desc = buffer.image().map_or(0, Image::desc_address);
        self.args[index] = Arg { bounds, address, key, what: Some(what), desc, ..Arg::default() };
    }

    /// The argument is an address; true if it leads to an SVM or USM allocation, which counts as written.
    pub(crate) fn address(&mut self, index: usize, address: usize) -> bool {
        let found = self.allocation(address);
        let is_allocation = found.is_some();
        let known = || {
            // Memory of a buffer that is gone may be the program's own by now.
            objects::whole_at(address).filter(|object| !object.is_freed || object.what.is_allocation())
        };
        let (what, range, key, is_freed) = match found {
            Some((what, range)) => (what, range.clone(), range.start, false),
            None => match known() {
                // A kernel that a kernel enqueues gets buffers so, too.
                Some(object) => {
                    (object.what, object.address..object.address + object.size, object.key, object.is_freed)
                }
                None => {
                    // As an offset from address 0.
                    let bounds = Bounds { start: address as u64, ..anywhere(address as u64) };
                    self.args[index] = Arg { bounds, ..Arg::default() };
                    return false;
                }
            },
        };
        let size = if is_freed { 0 } else { range.len() as u64 };
        // A pointer that a kernel hands on may be one behind the end of what lies in front.
        let front =
            if is_allocation || address != range.start { 0 } else { objects::bytes_in_front_of(address) as u64 };
        let start = front + (address - range.start) as u64;
        let bounds = Bounds { start, readable: front + size, writable: front + size };
        self.args[index] = Arg { bounds, front, address: range.start, key, what: Some(what), is_freed, desc: 0 };
        is_allocation
    }

    /// The argument is local memory, from so many bytes behind the start of the group's.
    pub(crate) fn local(&mut self, index: usize, start: usize, size: usize) {
        let bounds = Bounds { start: 0, readable: size as u64, writable: size as u64 };
        self.args[index] = Arg { bounds, address: start, what: Some(What::Local), ..Arg::default() };
    }

    /// The local variable or argument that has a byte of local memory, and where in that it is.
    pub(super) fn local_object(&self, locals: &[LocalPlace], at: u64) -> Option<(Object, i64)> {
        let variables = locals.iter().map(|local| (local.name.as_str(), local.start, local.size));
        let args = self.info().args.iter().zip(&self.args).filter(|(_, arg)| arg.is_local());
        let args = args.map(|(info, arg)| (info.name.as_str(), arg.address as u64, arg.size() as u64));
        let (name, start, size) =
            variables.chain(args).find(|&(_, start, size)| (start..start + size).contains(&at))?;
        Some((Object::named(What::Local, name, size as usize), (at - start) as i64))
    }

    /// The name of the argument whose memory an address is in, if there is one.
    pub(super) fn name_at(&self, address: u64) -> Option<&str> {
        let mut here = self.info().args.iter().zip(&self.args).filter(|(_, arg)| arg.leads_to(address));
        let (info, _) = here.next()?;
        here.next().is_none().then_some(info.name.as_str())
    }

    /// The launch is enqueued, with these arguments: for use while it runs, if its code has checks. If these are not of
    /// memory, bad accesses that are certain are reported now.
    pub(crate) fn ready(self: Arc<Self>, geometry: &Geometry, block: &[u8]) -> Option<Arc<Self>> {
        if super::api::is_on() && !self.checks().contains(Kinds::MEMORY) {
            super::ahead::look(&self, geometry, block);
        }
        self.is_checked().then_some(self)
    }

    /// True if an access leaves an argument's object, or is not permitted there.
    pub(super) fn is_bad(&self, access: &Access) -> bool {
        let Some(arg) = self.args.get(access.arg as usize).filter(|arg| arg.key != 0) else { return false };
        let at = i128::from(arg.bounds.start) + i128::from(access.offset);
        let limit = if access.writes { arg.bounds.writable } else { arg.bounds.readable };
        at < 0 || at + i128::from(access.bytes) > i128::from(limit)
    }

    /// What a report says of such an access, the object, and where in it.
    pub(super) fn bad_access(&self, access: &Access) -> (String, Option<Object>, i64) {
        let Some(arg) = self.args.get(access.arg as usize) else { return Default::default() };
        let object = arg.object(&self.info().args[access.arg as usize].name);
        let finding = Finding {
            site: 0,
            object: arg.address as u64,
            offset: (arg.bounds.start as i64).saturating_add(access.offset),
            limit: if access.writes { arg.bounds.writable } else { arg.bounds.readable },
            bytes: access.bytes.into(),
            local: [0; 3],
            group: [0; 3],
        };
        let message = self.access(&finding, access.writes, access.is_atomic, 1, object.as_ref());
        (message, object, finding.offset)
    }

    /// What of an argument's memory decides whether accesses are bad.
    pub(super) fn hash_arg(&self, index: usize, hasher: &mut impl Hasher) {
        let Bounds { start, readable, writable } = self.args[index].bounds;
        (start, readable, writable).hash(hasher);
    }

    /// Its code was chosen by this.
    pub(crate) fn assume(&mut self, key: SpecKey) {
        self.assumed.key = key;
    }

    /// The code to run now, if not that which was chosen; that one, too, if no other can be made.
    pub(crate) fn code_now(&self) -> Option<Arc<Compiled>> {
        let key = self.assumed.outdated()?;
        self.executable.code(self.kernel, key).ok()
    }

    /// Runs code of the launch with these checks.
    pub(crate) fn during<R>(&self, env: &Env, run: impl FnOnce() -> R) -> R {
        let range = |start: *mut u8, bytes: u64| start.addr() as u64..start.addr() as u64 + bytes;
        let running = Running {
            watch: self,
            local: range(env.local, env.local_bytes),
            scratch: range(env.scratch, env.scratch_bytes),
            frame: std::ptr::from_ref(env).addr() as u64,
        };
        within(&running, run)
    }

    /// The SVM or USM allocation that an address is in.
    fn allocation(&self, address: usize) -> Option<(What, Range<usize>)> {
        let svm = self.context.svm_allocation(address).map(|range| (What::Svm, range));
        svm.or_else(|| self.context.usm_allocation(address).map(|range| (What::Usm, range)))
    }

    /// What the kernel is.
    pub(super) fn info(&self) -> &clift_jit::KernelInfo {
        &self.executable.source().kernels()[self.kernel]
    }

    /// An argument's object, if it is in global memory, by this name.
    pub(super) fn arg_object(&self, index: usize, name: &str) -> Option<Object> {
        self.args.get(index)?.object(name)
    }

    /// Where its code comes from.
    pub(super) const fn executable(&self) -> &Arc<Executable> {
        &self.executable
    }

    /// The program, if it has been compiled.
    pub(super) fn compiled(&self) -> Option<&clift_jit::Program> {
        self.executable.source().program()
    }

    /// What may be done at an address of memory that launches share.
    fn shared(&self, address: u64) -> Bounds {
        let at = address as usize;
        let of = |start: usize, size: usize, writable: bool| Bounds {
            start: start as u64,
            readable: size as u64,
            writable: if writable { size as u64 } else { 0 },
        };
        if let Some(variable) = self.compiled().and_then(|program| program.variable_at(at)) {
            return of(variable.start, variable.size, variable.is_writable);
        }
        if let Some((_, range)) = self.allocation(at) {
            return of(range.start, range.len(), true);
        }
        match objects::whole_at(at) {
            Some(object) if object.is_freed => Bounds { start: address, readable: 0, writable: 0 },
            Some(object) => self.permitted(of(object.address, object.size, true), address),
            None => anywhere(address),
        }
    }

    /// Bounds of a buffer without what all arguments forbid that lead to an address in it.
    fn permitted(&self, bounds: Bounds, address: u64) -> Bounds {
        let here = self.info().args.iter().zip(&self.args).filter(|(_, arg)| arg.leads_to(address));
        let (mut is_argument, mut reads, mut writes) = (false, false, false);
        for (info, arg) in here {
            let is_constant = info.kind == ArgKind::Buffer { space: AddrSpace::Constant };
            is_argument = true;
            reads |= arg.bounds.readable > 0;
            writes |= arg.bounds.writable > 0 && !is_constant;
        }
        let unless = |permits: bool, bytes: u64| if is_argument && !permits { 0 } else { bytes };
        Bounds { readable: unless(reads, bounds.readable), writable: unless(writes, bounds.writable), ..bounds }
    }

    fn report(&self, finding: &Finding) -> Report {
        let front = self.arg_of(finding).map_or(0, |(_, arg)| arg.front);
        let finding = &Finding { offset: finding.offset.wrapping_sub_unsigned(front), ..*finding };
        let compiled = self.compiled();
        let site = compiled.and_then(|program| program.check_site(finding.site));
        let (what, places) = site.map_or((None, Vec::new()), |(what, places)| (Some(what), places));
        let object = match what {
            Some(Checked::Texel { .. }) => self.image(finding.object as usize),
            _ => self.object(finding),
        };
        let (kind, message) = match what {
            Some(Checked::Access { writes, is_atomic, align }) => {
                (Kind::Memory, self.access(finding, writes, is_atomic, align, object.as_ref()))
            }
            Some(Checked::Element { writes, count }) => {
                let what = if writes { "write" } else { "read" };
                let index = finding.limit as i64;
                (Kind::Memory, format!("{what} of the element with index {index} of an array of {count}"))
            }
            Some(Checked::Texel { writes, dims, object }) => {
                (Kind::Memory, self.texel(finding, writes, dims.into(), object))
            }
            Some(Checked::Unwritten) => {
                let name = object.as_ref().map_or_else(String::new, |object| format!(" `{}`", object.name));
                let is_part = object.as_ref().is_some_and(|object| finding.bytes < object.size as u64);
                let bytes = plural(finding.bytes);
                let message = match is_part {
                    true => format!("read of {bytes} of the private variable{name} that nothing has written"),
                    false => format!("read of the private variable{name}, which nothing has written"),
                };
                (Kind::Value, message)
            }
            Some(Checked::Conversion) => {
                (Kind::Value, "conversion of a float that is out of the integer type's range".to_owned())
            }
            Some(Checked::Printf) => {
                let wrong = clift_jit::printf::output::take_wrong().map_or_else(String::new, |wrong| wrong.0);
                (Kind::Value, format!("printf: {wrong}"))
            }
            Some(Checked::Nan) => (Kind::Value, "NaN made of numbers".to_owned()),
            Some(Checked::Shift { bits, is_vector: true }) => {
                (Kind::Value, format!("shift of components of {bits} bits by as many or more"))
            }
            Some(Checked::Shift { bits, .. }) => (Kind::Value, format!("shift of {bits} bits by {}", finding.offset)),
            Some(Checked::Division { is_remainder }) => {
                let what = if is_remainder { "remainder of a division" } else { "division" };
                let by = if finding.offset == 0 { "of the smallest number by -1" } else { "by zero" };
                (Kind::Value, format!("{what} {by}"))
            }
            None => (Kind::Memory, "a bad access".to_owned()),
        };
        let mut report = Report::new(kind, message);
        // OpenCL C cuts the amount.
        report.is_note = matches!(what, Some(Checked::Shift { .. }));
        report.kernel = self.executable.source().kernels()[self.kernel].name.clone();
        report.program = self.program;
        let items = self.item(finding).into_iter().collect();
        let places = places.into_iter().map(Place::from).collect();
        report.sides = vec![Side { places, items, ..Side::default() }];
        let is_part = |object: &Object| finding.bytes < object.size as u64;
        let is_unwritten = matches!(what, Some(Checked::Unwritten));
        let is_access = kind == Kind::Memory && !matches!(what, Some(Checked::Texel { .. }));
        let has_offset = object.as_ref().is_some_and(|of| is_access || is_unwritten && is_part(of));
        report.offset = has_offset.then_some(finding.offset);
        report.object = object;
        report
    }

    fn item(&self, finding: &Finding) -> Option<Item> {
        // In a function that is called, nobody knows.
        (finding.group[0] != u64::MAX).then(|| Item {
            global: std::array::from_fn(|d| finding.group[d] * self.local_size[d] + finding.local[d] + self.offset[d]),
            local: finding.local,
            group: finding.group,
        })
    }

    /// What a report says of a bad access.
    fn access(&self, finding: &Finding, writes: bool, is_atomic: bool, align: u64, object: Option<&Object>) -> String {
        let bytes = plural(finding.bytes);
        let what = match (writes, is_atomic) {
            (_, true) => format!("atomic access to {bytes}"),
            (true, _) => format!("write of {bytes}"),
            (false, _) => format!("read of {bytes}"),
        };
        let name = match object {
            Some(object) if !object.name.is_empty() => format!("`{}`", object.name),
            Some(object) => format!("the {}", object.what.word()),
            None => "its object".to_owned(),
        };
        let Some(object) = object else {
            return match self.is_null(finding) {
                true => format!("{what} through a null pointer"),
                false if finding.limit == u64::MAX => format!("{what} at an address that is no multiple of {align}"),
                false => format!("{what} where no object is"),
            };
        };
        if object.is_freed {
            return format!("{what} in {name}, which is freed");
        }
        let end = i128::from(finding.offset) + i128::from(finding.bytes);
        let size = object.size as i128;
        match i128::from(finding.offset) {
            ..0 if end <= 0 => format!("{what} in front of {name}"),
            ..0 => format!("{what} across the start of {name}"),
            at if at >= size => format!("{what} behind the end of {name}"),
            _ if end > size => format!("{what} across the end of {name}"),
            _ if finding.limit == 0 && writes => format!("{what} to {name}, which may only be read"),
            _ if finding.limit == 0 => format!("{what} from {name}, which may only be written"),
            _ => format!("{what} in {name} at an address that is no multiple of {align}"),
        }
    }

    /// What a report says of an access to an image.
    fn texel(&self, finding: &Finding, writes: bool, dims: usize, object: u32) -> String {
        let words = [finding.offset as u64, finding.limit, finding.bytes];
        let numbers: Vec<i32> = words.iter().flat_map(|&word| [word as i32, (word >> 32) as i32]).collect();
        let join =
            |numbers: &[i32], by: &str| numbers.iter().take(dims).map(i32::to_string).collect::<Vec<_>>().join(by);
        let name = self.compiled().and_then(|program| program.check_object(object.into()));
        let name =
            name.filter(|known| !known.name.is_empty()).map_or("an image".to_owned(), |of| format!("`{}`", of.name));
        let (what, at, size) =
            (if writes { "write" } else { "read" }, join(&numbers, ", "), join(&numbers[3..], " × "));
        if numbers[3] == 0 {
            return format!("{what} at ({at}) of a mip level that {name} does not have");
        }
        format!("{what} at ({at}), outside of {name} of {size} texels")
    }

    fn is_null(&self, finding: &Finding) -> bool {
        match self.arg_of(finding) {
            Some((_, arg)) => arg.address == 0 && !arg.is_local() && arg.bounds.readable == 0,
            None => finding.object == 0,
        }
    }

    /// The argument whose object it is.
    fn arg_of(&self, finding: &Finding) -> Option<(usize, Arg)> {
        if finding.object >= FIRST_ADDRESS {
            return None;
        }
        match self.compiled()?.check_object(finding.object)?.what {
            ObjectKind::Arg(n) => Some((n as usize, self.args.get(n as usize).copied()?)),
            _ => None,
        }
    }

    /// The image argument whose descriptor this is, with the argument's name.
    fn image(&self, desc: usize) -> Option<Object> {
        let args = self.info().args.iter().zip(&self.args);
        let (info, arg) = args.filter(|(_, arg)| arg.desc != 0).find(|(_, arg)| arg.desc == desc)?;
        Some(Object { name: info.name.clone(), ..objects::by_key(arg.key)? })
    }

    fn object(&self, finding: &Finding) -> Option<Object> {
        if finding.object >= FIRST_ADDRESS {
            let at = finding.object as usize;
            return match self.compiled()?.variable_at(at).filter(|variable| variable.start == at) {
                Some(variable) => Some(Object::named(What::Variable, variable.name, variable.size)),
                None => objects::at(at),
            };
        }
        let known = self.compiled()?.check_object(finding.object)?;
        let size = usize::try_from(known.size).unwrap_or(usize::MAX);
        let what = match known.what {
            ObjectKind::Null | ObjectKind::Image => return None,
            ObjectKind::Private => What::Private,
            ObjectKind::Local => What::Local,
            ObjectKind::Variable => What::Variable,
            ObjectKind::Arg(n) => {
                let arg = self.args.get(n as usize).copied().unwrap_or_default();
                if arg.is_local() {
                    return Some(Object::named(What::Local, known.name.clone(), arg.size()));
                }
                if known.size > 0 {
                    return Some(Object::named(What::Private, known.name.clone(), known.size as usize));
                }
                return arg.object(&known.name);
            }
        };
        Some(Object::named(what, known.name.clone(), size))
    }
}

fn plural(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// An address of which nobody knows anything: any memory of the host may be meant (system SVM), but for what only null
/// pointers lead to.
fn anywhere(address: u64) -> Bounds {
    match address {
        ..NULL_PAGE => Bounds::default(),
        _ => Bounds { start: 0, readable: u64::MAX, writable: u64::MAX },
    }
}

/// A launch on one thread.
struct Running<'w> {
    watch: &'w Watch,
    local: Range<u64>,
    scratch: Range<u64>,
    /// The work-items' frames are below.
    frame: u64,
}

impl Listener for Running<'_> {
    fn arg(&self, number: usize) -> Bounds {
        self.watch.args.get(number).map_or_else(Bounds::default, |arg| arg.bounds)
    }

    fn object(&self, address: u64, here: u64) -> Bounds {
        let own = [&self.local, &self.scratch, &(here..self.frame)];
        match own.into_iter().find(|range| range.contains(&address)) {
            Some(range) => {
                let size = range.end - range.start;
                Bounds { start: range.start, readable: size, writable: size }
            }
            None => self.watch.shared(address),
        }
    }

    fn found(&self, finding: &Finding) {
        let site = Site::of((self.watch.program, self.watch.kernel, finding.site));
        if !super::is_known(site) {
            super::report(site, || self.watch.report(finding));
        }
    }
}
