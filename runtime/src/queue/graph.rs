//! The dependency graph: pure data, no threads, no clock. Nodes are commands and user events that are not complete; an
//! edge says that one waits for another. Every operation costs time proportional to the edges it touches, nothing
//! recurses, and slots are reused, so chains of any length and any number of finished commands cost nothing.

use smallvec::SmallVec;
use std::collections::HashSet;

/// What a node waits for.
type Before = SmallVec<[NodeId; 2]>;

/// Names a node. Once the node is complete its id stays "not live" for good (a generation tells reuse apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId {
    index: u32,
    generation: u32,
}

impl NodeId {
    /// An id that was never live.
    pub const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };

    /// As one number, for atomics.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// The inverse of `to_bits`.
    pub fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, generation: (bits >> 32) as u32 }
    }
}

/// What an edge carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Order only: the successor runs even if the predecessor failed (queue order, barriers).
    Order,
    /// From a wait list: the successor fails if the predecessor did.
    Wait,
}

const NIL: u32 = u32::MAX;

struct Node<T> {
    generation: u32,
    live: bool,
    /// Made without a payload: nothing runs it, somebody ends it.
    is_user: bool,
    /// It was added with something to run.
    is_command: bool,
    /// Somebody sleeps until this node is complete.
    watched: bool,
    /// Predecessors that are not complete.
    waiting_for: u32,
    /// First edge to a successor; free nodes: the next free node.
    first: u32,
    /// Predecessors, of which some may be complete.
    before: Before,
    /// Status of the first failed predecessor on a `Wait` edge, else 0.
    failure: i32,
    payload: Option<T>,
}

#[derive(Clone, Copy)]
struct EdgeSlot {
    to: u32,
    /// Next edge of the same predecessor; free slots: next free slot.
    next: u32,
    kind: Edge,
}

/// The graph; `T` is what a node runs.
pub struct Graph<T> {
    nodes: Vec<Node<T>>,
    edges: Vec<EdgeSlot>,
    free_node: u32,
    free_edge: u32,
    n_free_edges: usize,
    n_live: usize,
}

/// Memory for a node and edges to it, which `Graph::room_for` has found.
pub struct Room(Before);

impl<T> Default for Graph<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// What `complete` says about a node that it made ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched(pub bool);

impl<T> Graph<T> {
    /// Empty.
    pub const fn new() -> Self {
        Self { nodes: Vec::new(), edges: Vec::new(), free_node: NIL, free_edge: NIL, n_free_edges: 0, n_live: 0 }
    }

    /// Nodes that are not complete.
    pub fn n_live(&self) -> usize {
        self.n_live
    }

    /// Whether the node is not complete yet.
    pub fn is_live(&self, id: NodeId) -> bool {
        self.nodes.get(id.index as usize).is_some_and(|n| n.live && n.generation == id.generation)
    }

    /// The nodes that are not complete and have, or had, something to run.
    pub fn live_commands(&self) -> Vec<NodeId> {
        let live = self.nodes.iter().zip(0..).filter(|(node, _)| node.live && node.is_command);
        live.map(|(node, index)| NodeId { index, generation: node.generation }).collect()
    }

    /// Room for a node that will have up to so many predecessors; none if there is no memory for it. With it, the next
    /// `add` and its `link`s take none.
    pub fn room_for(&mut self, n_edges: usize) -> Option<Room> {
        let mut before = Before::new();
        before.try_reserve(n_edges).ok()?;
        self.edges.try_reserve(n_edges.saturating_sub(self.n_free_edges)).ok()?;
        self.nodes.try_reserve(usize::from(self.free_node == NIL)).ok()?;
        Some(Room(before))
    }

    /// Adds a node with nothing to wait for; `link` adds its predecessors.
    pub fn add(&mut self, room: Room, payload: Option<T>) -> NodeId {
        self.n_live += 1;
        let is_user = payload.is_none();
        let fresh = |generation| Node {
            generation,
            live: true,
            is_user,
            is_command: payload.is_some(),
            watched: false,
            waiting_for: 0,
            first: NIL,
            before: room.0,
            failure: 0,
            payload,
        };
        if self.free_node == NIL {
            let index = self.nodes.len() as u32;
            self.nodes.push(fresh(0));
            return NodeId { index, generation: 0 };
        }
        let index = self.free_node;
        let slot = &mut self.nodes[index as usize];
        self.free_node = slot.first;
        let generation = slot.generation;
        *slot = fresh(generation);
        NodeId { index, generation }
    }

    /// Makes `id` wait for `before`, if that is not complete. To be called before anything runs `id`.
    pub fn link(&mut self, before: NodeId, id: NodeId, kind: Edge) {
        if !self.is_live(before) {
            return;
        }
        let next = self.nodes[before.index as usize].first;
        let slot = EdgeSlot { to: id.index, next, kind };
        let at = if self.free_edge == NIL {
            self.edges.push(slot);
            self.edges.len() as u32 - 1
        } else {
            let at = self.free_edge;
            self.n_free_edges -= 1;
            self.free_edge = self.edges[at as usize].next;
            self.edges[at as usize] = slot;
            at
        };
        self.nodes[before.index as usize].first = at;
        let node = &mut self.nodes[id.index as usize];
        node.waiting_for += 1;
        node.before.push(before);
    }

    /// Notes that something which `id` waited for has failed with this negative status.
    pub fn fail(&mut self, id: NodeId, status: i32) {
        let node = &mut self.nodes[id.index as usize];
        if node.failure == 0 {
            node.failure = status;
        }
    }

    /// Whether all predecessors are complete.
    pub fn is_ready(&self, id: NodeId) -> bool {
        self.nodes[id.index as usize].waiting_for == 0
    }

    /// Takes the payload of a ready node, to run it, and the failure it inherited (0: none).
    pub fn start(&mut self, id: NodeId) -> (Option<T>, i32) {
        let node = &mut self.nodes[id.index as usize];
        (node.payload.take(), node.failure)
    }

    /// Reads a node's payload.
    pub fn payload(&self, id: NodeId) -> Option<&T> {
        self.nodes.get(id.index as usize).and_then(|n| n.payload.as_ref())
    }

    /// As `payload`, to be changed.
    pub fn payload_mut(&mut self, id: NodeId) -> Option<&mut T> {
        self.nodes.get_mut(id.index as usize).and_then(|n| n.payload.as_mut())
    }

    /// What a node waited for when it was linked.
    pub fn before(&self, id: NodeId) -> &[NodeId] {
        self.nodes.get(id.index as usize).map_or(&[], |n| &n.before)
    }

    /// Makes everything fail with `status` that has not started, and gives the user nodes, which are to be completed.
    pub fn abandon(&mut self, status: i32) -> Vec<NodeId> {
        let live = self.nodes.iter_mut().enumerate().filter(|(_, node)| node.live);
        let mut users = Vec::new();
        for (index, node) in live {
            node.failure = status;
            if node.is_user {
                users.push(NodeId { index: index as u32, generation: node.generation });
            }
        }
        users
    }

    /// Makes these nodes, and what has them in its wait list, directly or not, fail with `status` where nothing has
    /// started it; gives those. They keep their places: what follows them in order still waits for what they do.
    pub fn cancel(&mut self, ids: impl IntoIterator<Item = NodeId>, status: i32) -> Vec<NodeId> {
        let mut found = HashSet::new();
        let mut work: Vec<NodeId> = ids.into_iter().collect();
        let mut cancelled = Vec::new();
        while let Some(id) = work.pop() {
            if !self.is_live(id) || self.payload(id).is_none() || !found.insert(id) {
                continue;
            }
            let node = &mut self.nodes[id.index as usize];
            node.failure = status;
            let mut edge = node.first;
            while edge != NIL {
                let slot = self.edges[edge as usize];
                if slot.kind == Edge::Wait {
                    work.push(NodeId { index: slot.to, generation: self.nodes[slot.to as usize].generation });
                }
                edge = slot.next;
            }
            cancelled.push(id);
        }
        cancelled
    }

    /// Of these nodes and all that they wait for, directly or not, those that are not complete; or some of them, if
    /// there is no memory for more.
    pub fn needed_for(&self, targets: impl IntoIterator<Item = NodeId>) -> HashSet<NodeId> {
        let mut found = HashSet::new();
        let mut work: Vec<NodeId> = targets.into_iter().collect();
        while let Some(id) = work.pop() {
            if !self.is_live(id) || found.contains(&id) {
                continue;
            }
            let before = &self.nodes[id.index as usize].before;
            if found.try_reserve(1).is_err() || work.try_reserve(before.len()).is_err() {
                break;
            }
            found.insert(id);
            work.extend(before);
        }
        found
    }

    /// Marks that somebody sleeps until `id` is complete.
    pub fn watch(&mut self, id: NodeId) {
        self.nodes[id.index as usize].watched = true;
    }

    /// Ends a node with `status` (negative: failed), tells `ready` of each node that has nothing left to wait for, and
    /// says whether somebody sleeps on it. Nodes become ready in the order in which they were linked.
    pub fn complete(&mut self, id: NodeId, status: i32, mut ready: impl FnMut(NodeId)) -> Watched {
        debug_assert!(self.is_live(id));
        let node = &mut self.nodes[id.index as usize];
        let watched = Watched(node.watched);
        let mut edge = node.first;
        node.live = false;
        node.payload = None;
        node.before = Before::new();
        node.generation = node.generation.wrapping_add(1);
        node.first = self.free_node;
        self.free_node = id.index;
        self.n_live -= 1;
        // Edges were pushed at the front: turn the list around.
        let mut forward = NIL;
        while edge != NIL {
            let next = std::mem::replace(&mut self.edges[edge as usize].next, forward);
            forward = edge;
            edge = next;
        }
        while forward != NIL {
            let slot = self.edges[forward as usize];
            self.edges[forward as usize].next = self.free_edge;
            self.free_edge = forward;
            self.n_free_edges += 1;
            forward = slot.next;
            let to = &mut self.nodes[slot.to as usize];
            if slot.kind == Edge::Wait && status < 0 && to.failure == 0 {
                to.failure = status;
            }
            to.waiting_for -= 1;
            if to.waiting_for == 0 {
                ready(NodeId { index: slot.to, generation: to.generation });
            }
        }
        watched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn add<T>(graph: &mut Graph<T>, payload: Option<T>) -> NodeId {
        let room = graph.room_for(0).expect("there is memory");
        graph.add(room, payload)
    }

    #[test]
    fn failures_travel_along_waits_only() {
        let mut graph = Graph::new();
        let a = add(&mut graph, Some('a'));
        let (waits, follows) = (add(&mut graph, Some('b')), add(&mut graph, Some('c')));
        graph.link(a, waits, Edge::Wait);
        graph.link(a, follows, Edge::Order);
        let mut ready = Vec::new();
        graph.complete(a, -5, |id| ready.push(id));
        assert_eq!(ready, [waits, follows]);
        assert_eq!(graph.start(waits), (Some('b'), -5));
        assert_eq!(graph.start(follows), (Some('c'), 0));
        assert!(!graph.is_live(a));
    }

    #[test]
    fn what_is_cancelled_keeps_its_place() {
        let mut graph = Graph::new();
        let user = add(&mut graph, None);
        let [started, a, waits, on_both, follows] = ["started", "a", "waits", "on both", "follows"].map(|n| {
            let id = add(&mut graph, Some(n));
            graph.link(user, id, Edge::Wait);
            id
        });
        let links = [(a, waits, Edge::Wait), (a, on_both, Edge::Wait), (waits, on_both, Edge::Wait)];
        for (before, id, kind) in links.into_iter().chain([(a, follows, Edge::Order)]) {
            graph.link(before, id, kind);
        }
        graph.start(started);
        let mut cancelled = graph.cancel([user, started, a, a, NodeId::NONE], -9);
        cancelled.sort_by_key(|id| id.index);
        assert_eq!(cancelled, [a, waits, on_both]);
        assert!(!graph.is_ready(a), "the user node has not ended");
        let mut ready = Vec::new();
        graph.complete(user, 0, |id| ready.push(id));
        assert_eq!((ready.contains(&a), ready.contains(&follows)), (true, false));
        assert_eq!(graph.start(a), (Some("a"), -9));
        graph.complete(a, -9, |id| ready.push(id));
        assert_eq!(graph.start(follows), (Some("follows"), 0));
        assert_eq!(graph.start(waits), (Some("waits"), -9));
    }

    #[test]
    fn a_place_may_be_used_ever_so_often() {
        let mut graph = Graph::new();
        for id in [add(&mut graph, Some('a')), add(&mut graph, Some('b'))] {
            graph.complete(id, 0, |_| {});
        }
        graph.nodes.iter_mut().for_each(|node| node.generation = u32::MAX - 1);
        for _ in 0..4 {
            let (a, b) = (add(&mut graph, Some('c')), add(&mut graph, Some('d')));
            graph.link(a, b, Edge::Wait);
            let mut ready = Vec::new();
            graph.complete(a, 0, |id| ready.push(id));
            assert_eq!(ready, [b]);
            assert!(!graph.is_live(a) && graph.is_live(b));
            graph.complete(b, 0, |_| {});
        }
        assert_eq!((graph.nodes.len(), graph.nodes[0].generation), (2, 2));
    }

    #[test]
    fn commands_are_live_until_they_are_complete() {
        let mut graph = Graph::new();
        let (a, user, b) = (add(&mut graph, Some('a')), add(&mut graph, None), add(&mut graph, Some('b')));
        assert_eq!(graph.live_commands(), [a, b]);
        graph.start(a);
        assert_eq!(graph.live_commands(), [a, b], "it runs");
        graph.complete(a, 0, |_| {});
        graph.complete(user, 0, |_| {});
        assert_eq!(graph.live_commands(), [b]);
    }

    #[test]
    fn what_a_node_needs() {
        let mut graph = Graph::new();
        let [a, b, c, d, stranger] = [(); 5].map(|()| add(&mut graph, Some(())));
        for (before, id) in [(a, b), (a, c), (b, d), (c, d), (a, stranger)] {
            graph.link(before, id, Edge::Order);
        }
        assert_eq!(graph.needed_for([d]), HashSet::from([a, b, c, d]));
        assert_eq!(graph.needed_for([b, stranger]), HashSet::from([a, b, stranger]));
        graph.complete(a, 0, |_| {});
        let reused = add(&mut graph, Some(()));
        assert_eq!(graph.needed_for([d]), HashSet::from([b, c, d]), "not what took the place of a node");
        assert_eq!(graph.needed_for([a, reused]), HashSet::from([reused]));
    }

    #[test]
    fn long_chains_neither_recurse_nor_grow() {
        let mut graph = Graph::new();
        let ids: Vec<_> = (0..100_000).map(|i| add(&mut graph, Some(i))).collect();
        for pair in ids.windows(2) {
            graph.link(pair[0], pair[1], Edge::Wait);
        }
        assert_eq!(graph.needed_for([ids[99_999]]).len(), 100_000);
        let mut next = Some(ids[0]);
        let mut n = 0;
        while let Some(id) = next.take() {
            assert_eq!(graph.start(id).0, Some(n));
            n += 1;
            graph.complete(id, 0, |id| next = Some(id));
        }
        assert_eq!((n, graph.n_live()), (100_000, 0));
        let capacity = graph.nodes.len();
        for i in 0..1000 {
            let id = add(&mut graph, Some(i));
            graph.complete(id, 0, |_| {});
        }
        assert_eq!(graph.nodes.len(), capacity);
    }

    proptest! {
        /// Random DAGs, completed in random order: a node becomes ready exactly once, after all its predecessors, and
        /// has a failure exactly if a predecessor on a wait edge failed.
        #[test]
        fn random_dags(
            n in 1usize..40,
            edges in prop::collection::vec((0usize..40, 0usize..40, any::<bool>()), 0..120),
            picks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 40),
        ) {
            let mut graph = Graph::new();
            let ids: Vec<_> = (0..n).map(|i| add(&mut graph, Some(i))).collect();
            let edges: Vec<_> = edges
                .into_iter()
                .filter(|e| e.0 < e.1 && e.1 < n)
                .map(|(a, b, wait)| (a, b, if wait { Edge::Wait } else { Edge::Order }))
                .collect();
            for &(a, b, kind) in &edges {
                graph.link(ids[a], ids[b], kind);
            }
            let mut ready: Vec<_> = ids.iter().copied().filter(|&id| graph.is_ready(id)).collect();
            let mut status: Vec<Option<i32>> = vec![None; n];
            for (pick, fails) in picks.into_iter().take(n) {
                let id = ready.swap_remove(pick.index(ready.len()));
                let (payload, failure) = graph.start(id);
                let i = payload.expect("each node runs once");
                let before: Vec<_> = edges.iter().filter(|e| e.1 == i).collect();
                prop_assert!(before.iter().all(|e| status[e.0].is_some()));
                let must_fail = before.iter().any(|e| e.2 == Edge::Wait && status[e.0] < Some(0));
                prop_assert_eq!(failure < 0, must_fail);
                let end = if failure < 0 { failure } else if fails { -(i as i32) - 1 } else { 0 };
                status[i] = Some(end);
                graph.complete(id, end, |id| ready.push(id));
                prop_assert!(!graph.is_live(id));
            }
            prop_assert!(ready.is_empty());
            prop_assert_eq!(graph.n_live(), 0);
        }
    }
}
