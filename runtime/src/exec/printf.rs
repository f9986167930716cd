//! Puts what the work-items of a launch print in the order of their groups, whichever thread ran them, as far as the
//! buffer reaches: text of groups that are ahead is held back until the groups before them have run, or there is too
//! much of it. Then it is written all the same, so that output of any size comes out. All is written when the last
//! groups have run, which is before the launch's event completes.

use crate::sync::{Mutex, Rank};
use clift_jit::printf::output;
use std::collections::BTreeMap;
use std::ops::Range;

/// The output of one launch.
pub struct Output {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// All groups before this one have run and been written.
    next: u64,
    /// Ends and texts of runs of groups that are ahead, by their first group.
    held: BTreeMap<u64, (u64, Vec<u8>)>,
    /// Bytes held.
    bytes: usize,
}

/// Nothing has run yet.
impl Default for Output {
    fn default() -> Self {
        Self { state: Mutex::new(Rank::Leaf, State::default()) }
    }
}

impl Output {
    /// Takes what this thread has printed while it ran `groups`, of so many groups in all. Every group is told once.
    pub fn end(&self, groups: Range<u64>, n_groups: u64) {
        let text = output::take();
        if groups == (0..n_groups) {
            output::write(&text);
        } else {
            self.state.lock().end(groups, text, &mut output::write);
        }
    }
}

impl State {
    fn end(&mut self, groups: Range<u64>, text: Vec<u8>, write: &mut dyn FnMut(&[u8])) {
        if groups.start != self.next {
            self.bytes += text.len();
            match self.held.range_mut(..groups.start).next_back() {
                Some((_, (end, before))) if *end == groups.start => {
                    *end = groups.end;
                    before.extend(text);
                }
                _ => _ = self.held.insert(groups.start, (groups.end, text)),
            }
            if self.bytes > output::BUFFER_BYTES {
                self.bytes = 0;
                self.held.values_mut().for_each(|(_, text)| write(&std::mem::take(text)));
            }
            return;
        }
        write(&text);
        self.next = groups.end;
        while let Some((end, text)) = self.held.remove(&self.next) {
            self.bytes -= text.len();
            write(&text);
            self.next = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_in_order_of_groups_unless_there_is_too_much() {
        let mut state = State::default();
        let mut written = Vec::new();
        let mut end = |groups, text: &str| {
            state.end(groups, text.into(), &mut |text| written.extend_from_slice(text));
            std::mem::take(&mut written)
        };
        assert_eq!(end(0..2, "a"), b"a");
        assert_eq!(end(4..5, "c"), b"");
        assert_eq!(end(5..9, ""), b"");
        assert_eq!(end(2..4, "b"), b"bc");
        let long = "x".repeat(output::BUFFER_BYTES);
        assert_eq!(end(12..13, "z"), b"");
        assert_eq!(end(10..12, &long).len(), long.len() + 1);
        assert_eq!(end(9..10, "y"), b"y");
        assert_eq!(end(13..14, "!"), b"!");
        (20..1000).for_each(|n| assert_eq!(end(n..n + 1, if n % 2 == 0 { "." } else { "" }), b""));
        assert_eq!(end(14..20, "?"), [b"?".as_slice(), b".".repeat(490).as_slice()].concat());
    }

    #[test]
    fn groups_that_follow_each_other_are_held_as_one() {
        let mut state = State::default();
        (1..1000).for_each(|n| state.end(2 * n..2 * n + 2, Vec::new(), &mut |_| {}));
        assert_eq!(state.held.len(), 1);
    }
}
