//! An execution of a command-buffer on several queues: each recorded command is one of its queue and waits for the
//! events of those before it; one more ends with all of them, and has the event that the program gets.

use super::order::Before;
use crate::error::Result;
use crate::event::Event;
use crate::object::Obj;
use crate::queue::command::{Command, Work};
use crate::queue::{Queue, WantEvent};
use std::collections::HashSet;
use std::sync::Arc;

/// A command to run: the number of its queue, what it does, and the numbers of those that it waits for.
pub(super) type Part = (usize, Work, Before);

/// Enqueues them; those that wait for none of the others wait for `waits`.
///
/// # Errors
/// Those of `Queue::check_takes`; `OutOfHostMemory` ← there is no room for all of them: those that have not started by
/// then do nothing.
pub(super) fn enqueue(
    queues: &[Obj<Queue>],
    parts: Vec<Part>,
    waits: &[Obj<Event>],
    want: WantEvent,
) -> Result<Option<Obj<Event>>> {
    queues.iter().try_for_each(|queue| queue.check_takes(waits))?;
    let whole = Event::for_queues(queues);
    let mut events: Vec<Obj<Event>> = Vec::with_capacity(parts.len());
    let placed = place(queues, parts, waits, &whole, &mut events);
    if placed.is_err() {
        Event::cancel_all(&events);
    }
    placed.map(|()| (want == WantEvent::Yes).then_some(whole))
}

/// Puts all of them into their queues; `events` gets those of the commands that are there.
fn place(
    queues: &[Obj<Queue>],
    parts: Vec<Part>,
    waits: &[Obj<Event>],
    whole: &Obj<Event>,
    events: &mut Vec<Obj<Event>>,
) -> Result<()> {
    let context = queues[0].context();
    let mut is_last = vec![true; parts.len()];
    for (queue, work, before) in parts {
        let event = Event::part_of(&queues[queue], whole);
        let before = before.iter().map(|&at| at as usize);
        before.clone().for_each(|at| is_last[at] = false);
        let mut list: Vec<Obj<Event>> = before.map(|at| Arc::clone(&events[at])).collect();
        if list.is_empty() {
            list = waits.to_vec();
        }
        queues[queue].submit(Command::recorded(context, work), &list, Some(&event))?;
        events.push(event);
    }
    whole.set_parts(events.iter().map(|event| event.node()).collect());
    let last = events.iter().zip(is_last).filter(|(_, is_last)| *is_last);
    let mut last: Vec<Obj<Event>> = last.map(|(event, _)| Arc::clone(event)).collect();
    if last.is_empty() {
        last = waits.to_vec();
    }
    queues[0].submit(Command::sequence(context, Vec::new()), &last, Some(whole))?;
    // On every queue what comes later, and `clFinish`, finds all of it ended.
    let mut told = HashSet::from([Arc::as_ptr(&queues[0])]);
    for queue in queues.iter().filter(|queue| told.insert(Arc::as_ptr(queue))) {
        queue.submit(Command::marker(), std::slice::from_ref(whole), None)?;
    }
    Ok(())
}
