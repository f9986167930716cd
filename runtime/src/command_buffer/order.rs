//! What a recorded command waits for: its sync-points, what its queue demands, barriers. Pure.

use smallvec::SmallVec;

/// Numbers of commands before one, in order of recording, each once.
pub(super) type Before = SmallVec<[u32; 2]>;

/// What of the commands so far later ones may have to wait for.
pub(super) struct Order {
    /// Whether a queue is in order, and its last command.
    queues: Vec<(bool, Option<u32>)>,
    barrier: Option<u32>,
    /// Commands since the last barrier that waited for all.
    open: Vec<u32>,
    n: u32,
}

impl Order {
    /// For queues of which some are in order.
    pub(super) fn new(in_order: impl IntoIterator<Item = bool>) -> Self {
        let queues = in_order.into_iter().map(|is_in_order| (is_in_order, None)).collect();
        Self { queues, barrier: None, open: Vec::new(), n: 0 }
    }

    /// What the next command waits for, which is on the queue of this number and waits for `points`. A barrier without
    /// points waits for all commands before it; all after a barrier wait for it, whatever their queues.
    pub(super) fn next(&mut self, queue: usize, is_barrier: bool, points: impl IntoIterator<Item = u32>) -> Before {
        let mut before: Before = points.into_iter().collect();
        let waits_for_all = is_barrier && before.is_empty();
        let (is_in_order, last) = self.queues[queue];
        before.extend(last.filter(|_| is_in_order));
        before.extend(self.barrier);
        if waits_for_all {
            before.extend(self.open.drain(..));
        }
        self.note(queue, is_barrier);
        before.sort_unstable();
        before.dedup();
        before
    }

    /// The next command is there, whatever it waits for.
    pub(super) fn note(&mut self, queue: usize, is_barrier: bool) {
        self.queues[queue].1 = Some(self.n);
        if is_barrier {
            self.barrier = Some(self.n);
        }
        self.open.push(self.n);
        self.n += 1;
    }
}

/// A queue, of so many, for each command, of which this is what it waits for: what waits for each other stays together,
/// and what does not is dealt out in turn.
pub(super) fn deal<'a>(commands: impl IntoIterator<Item = &'a Before>, n_queues: usize) -> Vec<usize> {
    let mut next = (0..n_queues).cycle();
    // The queue of each command, and whether another has followed it there.
    let mut dealt: Vec<(usize, bool)> = Vec::new();
    for before in commands {
        let free = before.iter().rev().map(|&at| at as usize).find(|&at| !dealt[at].1);
        let queue = match free {
            Some(at) => {
                dealt[at].1 = true;
                dealt[at].0
            }
            None => next.next().unwrap_or(0),
        };
        dealt.push((queue, false));
    }
    dealt.into_iter().map(|(queue, _)| queue).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_points_and_barriers() {
        let mut order = Order::new([true, false]);
        let mut next =
            |queue, is_barrier, points: &[u32]| order.next(queue, is_barrier, points.iter().copied()).to_vec();
        assert_eq!(next(0, false, &[]), []);
        assert_eq!(next(0, false, &[0, 0]), [0], "in order, and each once");
        assert_eq!(next(1, false, &[]), []);
        assert_eq!(next(1, false, &[1]), [1], "out of order");
        assert_eq!(next(1, true, &[]), [0, 1, 2, 3], "all, on whatever queue");
        assert_eq!(next(0, false, &[]), [1, 4]);
        assert_eq!(next(1, true, &[5]), [4, 5], "a barrier on its list");
        assert_eq!(next(1, false, &[]), [6]);
        assert_eq!(next(0, true, &[]), [4, 5, 6, 7], "all since the last that waited for all");
        assert_eq!(next(1, false, &[]), [8]);
    }

    #[test]
    fn many_barriers_wait_for_each_command_once() {
        let mut order = Order::new([false]);
        let n: usize = (0..1000).map(|i| order.next(0, i % 2 == 1, []).len()).sum();
        assert!(n < 3000, "{n}");
    }

    #[test]
    fn chains_stay_together() {
        let lists: [&[u32]; 7] = [&[], &[], &[0], &[1], &[2], &[2], &[3, 4]];
        let lists = lists.map(Before::from_slice);
        assert_eq!(deal(&lists, 2), [0, 1, 0, 1, 0, 0, 0]);
        assert_eq!(deal(&lists, 1), [0; 7]);
        assert_eq!(deal(&lists, 3)[5], 2, "the second that waits for one command goes elsewhere");
    }
}
