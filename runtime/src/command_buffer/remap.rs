//! Copies of command-buffers for other queues.

use super::dispatch::Dispatch;
use super::order::{Order, deal};
use super::{CommandBuffer, Recorded, Step, is_in_order};
use crate::error::{Error, Result};
use crate::object::{Obj, Object};
use crate::queue::Queue;
use crate::status::Status;
use std::collections::HashMap;
use std::sync::Arc;

/// Who says which command goes to which queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// The caller: each queue takes the place of the one with its number.
    Explicit,
    /// This: see `order::deal`.
    Automatic,
}

impl Object<CommandBuffer> {
    /// `clRemapCommandBufferKHR`: a copy whose commands wait for each other as these do and run on `queues`, and the
    /// copies of those that `handles` name.
    ///
    /// # Errors
    /// `InvalidValue` ← the number of queues; a handle of another command-buffer; `ContextMismatch`;
    /// `InvalidCommandQueue` ← a queue on the device; those of recording a kernel.
    ///
    /// Spec: "Remapping Command-Buffers".
    pub fn remap(
        &self,
        mapping: Mapping,
        queues: &[Obj<Queue>],
        handles: &[Obj<Dispatch>],
    ) -> Result<(Obj<CommandBuffer>, Vec<Obj<Dispatch>>)> {
        let rule = "automatic is CL_FALSE and num_queues is not the number of queues used on creation";
        let fits = mapping == Mapping::Automatic || queues.len() == self.queues.len();
        ensure!(fits, Error::spec(Status::InvalidValue, rule));
        let ours = |queue: &Obj<Queue>| Arc::ptr_eq(queue.context(), self.context());
        ensure!(queues.iter().all(ours), Error::ContextMismatch);
        let copy = CommandBuffer::create(queues, self.flags, self.properties.clone())?;
        let mut copies = HashMap::new();
        {
            let recording = self.recording.lock();
            let steps = &recording.steps;
            let places = match mapping {
                Mapping::Explicit => steps.iter().map(|step| step.queue).collect(),
                Mapping::Automatic => deal(steps.iter().map(|step| &step.before), queues.len()),
            };
            let mut order = Order::new(queues.iter().map(is_in_order));
            let mut made = Vec::with_capacity(steps.len());
            for (step, queue) in steps.iter().zip(places) {
                let command = match &step.command {
                    Recorded::Nothing => Recorded::Nothing,
                    Recorded::Barrier => Recorded::Barrier,
                    Recorded::Transfer(transfer) => Recorded::Transfer(transfer.clone()),
                    Recorded::Dispatch(dispatch) => {
                        let new = dispatch.copy_for(&copy, queue)?;
                        copies.insert(Arc::as_ptr(dispatch), Arc::clone(&new));
                        Recorded::Dispatch(new)
                    }
                };
                order.note(queue, matches!(command, Recorded::Barrier));
                made.push(Step { command, queue, before: step.before.clone() });
            }
            let mut target = copy.recording.lock();
            (target.is_finalized, target.steps, target.order) = (recording.is_finalized, made, order);
        }
        let rule = "a handle in handles is not a valid command handle belonging to command_buffer";
        let of = |handle: &Obj<Dispatch>| copies.get(&Arc::as_ptr(handle)).map(Arc::clone);
        let handles = handles.iter().map(of).collect::<Option<Vec<_>>>();
        Ok((copy, handles.ok_or(Error::spec(Status::InvalidValue, rule))?))
    }
}
