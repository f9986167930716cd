//! What a command touches, for the checks of commands that race: transfers to the byte, kernels by their buffers.

use super::command::{Command, MemoryCopy, MemoryFill, Transfer, Work};
use crate::check::commands::{About, Access, Change, rows};
use crate::memory::buffer::Mem;
use crate::memory::host::HostPtr;
use crate::memory::region::{Rect, Span};
use std::ops::Range;

/// What the checks want to know of a command.
pub(super) fn about(command: &Command) -> About {
    let mut about = About::default();
    work(&mut about, command.work());
    about
}

fn work(about: &mut About, work: &Work) {
    let add = &mut about.accesses;
    match work {
        Work::Nothing | Work::Native { .. } | Work::Migrate(_) => {}
        Work::Read { buffer, span, target } => {
            add.push(Access::of(bytes(buffer, *span), false));
            add.push(host(*target, span.size, true));
        }
        Work::Write { buffer, span, source } => {
            add.push(host(*source, span.size, false));
            add.push(Access::of(bytes(buffer, *span), true));
        }
        Work::ReadRect(job) => {
            rect(add, job.buffer.data_address(), &job.rect, false, false);
            rect(add, job.host.address(), &job.host_rect, true, true);
        }
        Work::WriteRect(job) => {
            rect(add, job.host.address(), &job.host_rect, false, true);
            rect(add, job.buffer.data_address(), &job.rect, true, false);
        }
        Work::Transfer(job) => transfer(add, job),
        Work::Launch(launch) => {
            let known = launch.about.as_deref().into_iter();
            known.for_each(|known| {
                about.kernel.clone_from(&known.kernel);
                about.program = known.program;
                about.arguments.clone_from(&known.arguments);
                about.accesses.extend_from_slice(&known.accesses);
            });
        }
        Work::Sequence(works) => {
            works.iter().for_each(|one| self::work(about, one));
            // Of several kernels none has its name to it.
            about.kernel.clear();
            about.accesses.iter_mut().for_each(|access| access.argument = None);
        }
        Work::Map { object, address, ranges, writes } => {
            let (key, address) = (object.handle_address(), *address);
            about.map = Some(Change::Map { key, address, ranges: ranges.clone(), writes: *writes });
        }
        Work::Unmap { object, address } => {
            about.map = Some(Change::Unmap { key: object.handle_address(), address: *address });
        }
        Work::MapAddress { address, size, writes } => {
            let range = *address..address.saturating_add(*size);
            about.map =
                Some(Change::Map { key: 0, address: *address, ranges: [range].into_iter().collect(), writes: *writes });
        }
        Work::UnmapAddress { address } => about.map = Some(Change::Unmap { key: 0, address: *address }),
    }
}

fn transfer(add: &mut Vec<Access>, job: &Transfer) {
    match job {
        Transfer::Copy { source, target, from, to } => {
            add.push(Access::of(bytes(source, *from), false));
            add.push(Access::of(bytes(target, *to), true));
        }
        Transfer::CopyRect(job) => {
            rect(add, job.source.data_address(), &job.from, false, false);
            rect(add, job.target.data_address(), &job.to, true, false);
        }
        Transfer::Fill(job) => add.push(Access::of(bytes(&job.buffer, job.span), true)),
        Transfer::FillRect(job) => rect(add, job.object.data_address(), &job.rect, true, false),
        // These have nothing but addresses: what they name is meant.
        Transfer::CopyMemory(MemoryCopy { source, target, size }) => {
            add.push(Access::of(span(*source, *size), false));
            add.push(Access::of(span(*target, *size), true));
        }
        Transfer::FillMemory(job) => {
            let MemoryFill { target, size, .. } = **job;
            add.push(Access::of(span(target, size), true));
        }
    }
}

fn bytes(mem: &Mem, span: Span) -> Range<usize> {
    let start = mem.data_address() + span.offset;
    start..start + span.size
}

fn span(pointer: HostPtr, size: usize) -> Range<usize> {
    pointer.address()..pointer.address().saturating_add(size)
}

fn host(pointer: HostPtr, size: usize, writes: bool) -> Access {
    Access { host: true, ..Access::of(span(pointer, size), writes) }
}

fn rect(add: &mut Vec<Access>, start: usize, rect: &Rect, writes: bool, host: bool) {
    add.extend(rows(rect, start).into_iter().map(|range| Access { host, ..Access::of(range, writes) }));
}
