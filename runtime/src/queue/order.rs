//! What a command waits for because of its queue: order, markers, barriers. Pure, like `graph`.

use super::graph::{Edge, Graph, NodeId};
use smallvec::SmallVec;

/// How a command stands in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An ordinary command, or a marker with a wait list.
    Plain,
    /// A marker without a wait list: waits for everything before it.
    Marker,
    /// A barrier with a wait list: later commands wait for it.
    BarrierOnList,
    /// A barrier without a wait list: both.
    Barrier,
}

/// A queue's memory of what is not complete yet.
pub struct Order {
    in_order: bool,
    /// In-order queues: the last command. Out-of-order queues: the last barrier.
    last: NodeId,
    /// Out-of-order queues: commands that may not be complete; a marker or barrier that waits for all of them takes
    /// their place, so many markers cost no more than the commands between them.
    open: Vec<NodeId>,
    prune_at: usize,
}

/// Nodes in pieces.
pub type Pieces = SmallVec<[SmallVec<[NodeId; 4]>; 1]>;

const PRUNE_MIN: usize = 64;
/// Of so many nodes at most.
pub const PIECE: usize = 1024;

impl Order {
    /// For an in-order queue.
    pub const fn in_order() -> Self {
        Self { in_order: true, last: NodeId::NONE, open: Vec::new(), prune_at: PRUNE_MIN }
    }

    /// For an out-of-order queue.
    pub const fn out_of_order() -> Self {
        Self { in_order: false, last: NodeId::NONE, open: Vec::new(), prune_at: PRUNE_MIN }
    }

    /// Whether it is an in-order queue's.
    pub fn is_in_order(&self) -> bool {
        self.in_order
    }

    /// How many nodes `place` may link a new one to, with memory for it to be remembered; none if there is not so much.
    pub fn room_for(&mut self, role: Role) -> Option<usize> {
        if self.in_order {
            return Some(1);
        }
        self.open.try_reserve(1).ok()?;
        let takes_open = matches!(role, Role::Marker | Role::Barrier);
        Some(1 + if takes_open { self.open.len() } else { 0 })
    }

    /// Links a new node to what the queue demands, and remembers it.
    pub fn place<T>(&mut self, graph: &mut Graph<T>, id: NodeId, role: Role) {
        graph.link(self.last, id, Edge::Order);
        if self.in_order {
            self.last = id;
            return;
        }
        if matches!(role, Role::Marker | Role::Barrier) {
            for before in self.open.drain(..) {
                graph.link(before, id, Edge::Order);
            }
        }
        if matches!(role, Role::Barrier | Role::BarrierOnList) {
            self.last = id;
        }
        if self.open.len() >= self.prune_at {
            self.open.retain(|&open| graph.is_live(open));
            self.prune_at = (2 * self.open.len()).max(PRUNE_MIN);
        }
        self.open.push(id);
    }

    /// The nodes that are to be awaited for everything so far to be complete, in pieces that the reserve has memory for
    /// (`clift_jit::reserve`); none if that is used up, too.
    pub fn outstanding(&self) -> Option<Pieces> {
        let all = if self.in_order { std::slice::from_ref(&self.last) } else { &self.open };
        let mut pieces = Pieces::new();
        pieces.try_reserve(all.len().div_ceil(PIECE)).ok()?;
        for some in all.chunks(PIECE) {
            let mut piece = SmallVec::new();
            piece.try_reserve(some.len()).ok()?;
            piece.extend_from_slice(some);
            pieces.push(piece);
        }
        Some(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn add<T>(graph: &mut Graph<T>, payload: Option<T>) -> NodeId {
        let room = graph.room_for(0).expect("there is memory");
        graph.add(room, payload)
    }

    fn role() -> impl Strategy<Value = Role> {
        prop_oneof![
            6 => Just(Role::Plain),
            1 => Just(Role::Marker),
            1 => Just(Role::BarrierOnList),
            1 => Just(Role::Barrier),
        ]
    }

    proptest! {
        /// Commands with random roles, some completing between enqueues: each starts only after what the specification
        /// demands has completed, and `outstanding` covers everything.
        #[test]
        fn roles_are_kept(
            in_order in any::<bool>(),
            roles in prop::collection::vec((role(), any::<prop::sample::Index>(), 0u8..3), 1..150),
        ) {
            let mut graph = Graph::new();
            let mut order = if in_order { Order::in_order() } else { Order::out_of_order() };
            let mut ready: Vec<NodeId> = Vec::new();
            let mut done = Vec::new();
            let mut index_of = HashMap::new();
            let roles_only: Vec<Role> = roles.iter().map(|r| r.0).collect();
            let must_wait = |a: usize, b: usize| {
                let all_before = matches!(roles_only[b], Role::Marker | Role::Barrier);
                let barrier = matches!(roles_only[a], Role::Barrier | Role::BarrierOnList);
                a < b && (in_order || all_before || barrier)
            };
            type At = prop::sample::Index;
            let step = |graph: &mut Graph<usize>, ready: &mut Vec<NodeId>, done: &mut Vec<bool>, at: At| {
                if ready.is_empty() {
                    return Ok(());
                }
                let id = ready.swap_remove(at.index(ready.len()));
                let i = graph.start(id).0.expect("runs once");
                for (a, done) in done[..i].iter().enumerate() {
                    prop_assert!(!must_wait(a, i) || *done, "{} ran before {}", i, a);
                }
                done[i] = true;
                graph.complete(id, 0, |id| ready.push(id));
                Ok(())
            };
            for (i, &(role, at, steps)) in roles.iter().enumerate() {
                let id = add(&mut graph, Some(i));
                index_of.insert(id, i);
                done.push(false);
                order.place(&mut graph, id, role);
                if graph.is_ready(id) {
                    ready.push(id);
                }
                for _ in 0..steps {
                    step(&mut graph, &mut ready, &mut done, at)?;
                }
            }
            let outstanding = order.outstanding().expect("there is memory");
            while outstanding.iter().flatten().any(|&id| graph.is_live(id)) {
                prop_assert!(!ready.is_empty());
                step(&mut graph, &mut ready, &mut done, roles[0].1)?;
            }
            prop_assert!(done.iter().all(|&d| d));
        }
    }

    #[test]
    fn markers_do_not_cost_their_square() {
        let mut graph = Graph::new();
        let mut order = Order::out_of_order();
        let mut ready = Vec::new();
        for _ in 0..1000 {
            let id = add(&mut graph, Some(()));
            order.place(&mut graph, id, Role::Plain);
            ready.push(id);
        }
        for _ in 0..1000 {
            let id = add(&mut graph, Some(()));
            order.place(&mut graph, id, Role::Marker);
        }
        assert_eq!(order.outstanding().expect("there is memory").iter().flatten().count(), 1);
        let mut n = 0;
        while let Some(id) = ready.pop() {
            n += 1;
            graph.complete(id, 0, |id| ready.push(id));
        }
        assert_eq!(n, 2000);
    }
}
