//! What the launches of a family wait for: pure data, no threads. Children wait for events and for gates, which are
//! ends of launches and groups. Events are nodes; so is the head. A node counts itself until its own launch has ended,
//! and its descendants that are not complete; at 0 it is complete, which its waiters and its parent node learn.
//!
//! ```text
//! A child:  add        the last event or gate        take          end
//!           ───▶ waits ─────────────────────▶ ready ─────▶ runs ───────▶ gone (its node, if it has one, lives on)
//!             └─────── at once if there is none ─▲ └─ an event failed: never runs, its node fails
//! ```
//!
//! Descendants count at the nearest node that somebody can see: one with references, waiters, or a place that wants its
//! times. A node that has ended and that nobody sees hands its descendants to its parent (`lift`), so that chains and
//! trees of any depth are as large as what is not complete. Nothing recurses.
//!
//! For checks nodes know what has happened before they are complete, and children what before they run.

use clift_jit::race::before::Before;
use smallvec::SmallVec;

/// A place in a list.
type Index = u32;
const NIL: Index = Index::MAX;
/// The node of the launch from the host.
pub(super) const HEAD: Index = 0;
/// Bits of an event's handle: index plus one, generation, the family's tag.
const INDEX_BITS: u32 = 24;
const GENERATION_BITS: u32 = 20;

/// `NotSet` of a node's status.
const OPEN: i32 = 1;

struct Node {
    generation: u32,
    in_use: bool,
    is_user: bool,
    /// The program's references.
    refs: u32,
    /// 1 until its own launch has ended, and 1 for each descendant that counts here.
    pending: u32,
    has_ended: bool,
    parent: Index,
    /// `OPEN`, 0 or an error.
    status: i32,
    failure: i32,
    /// What has happened before it is complete, as far as that is known yet.
    after: Before,
    waiters: SmallVec<[Index; 1]>,
    /// Start and end of its launch, in ns.
    times: [u64; 2],
    /// Where its times are wanted.
    wanted_at: SmallVec<[u64; 1]>,
}

struct Child<T> {
    /// Events and gates that it waits for.
    waits: u32,
    failure: i32,
    /// What happened before, as far as that is known yet.
    before: Before,
    /// Its own node, or the one where it counts.
    node: Index,
    has_node: bool,
    /// What it runs; nothing for markers.
    launch: Option<T>,
}

/// What has to be done outside.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Times {
    /// Where two words go.
    pub(super) address: u64,
    /// What goes there: from start to end, and from start to complete, in ns.
    pub(super) words: [u64; 2],
}

/// A child that is to run.
pub(super) struct Taken<T> {
    pub(super) launch: T,
    /// What happened before.
    pub(super) before: Before,
    node: Index,
    has_node: bool,
}

impl<T> Taken<T> {
    /// The node where its children count.
    pub(super) fn node(&self) -> u32 {
        self.node
    }

    /// Whether that is its own.
    pub(super) fn has_node(&self) -> bool {
        self.has_node
    }
}

/// The graph; `T` is what a child runs.
pub(super) struct Graph<T> {
    tag: u64,
    nodes: Vec<Node>,
    free_nodes: Vec<Index>,
    children: Vec<Option<Child<T>>>,
    free_children: Vec<Index>,
    ready: std::collections::VecDeque<Index>,
    /// Nodes that have come to 0.
    completing: Vec<Index>,
    /// Children that will never run: what they held is given back outside.
    dropped: Vec<T>,
    due: Vec<Times>,
    running: usize,
}

impl<T> Graph<T> {
    /// The head runs. Events of other tags are none of this graph.
    pub(super) fn new(tag: u64) -> Self {
        let mut this = Self {
            tag: tag & ((1 << (64 - INDEX_BITS - GENERATION_BITS)) - 1),
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            children: Vec::new(),
            free_children: Vec::new(),
            ready: Default::default(),
            completing: Vec::new(),
            dropped: Vec::new(),
            due: Vec::new(),
            running: 0,
        };
        this.new_node(NIL, false);
        this
    }

    fn new_node(&mut self, parent: Index, is_user: bool) -> Index {
        let node = |generation| Node {
            generation,
            in_use: true,
            is_user,
            refs: 1,
            pending: 1,
            has_ended: false,
            parent,
            status: OPEN,
            failure: 0,
            after: Before::default(),
            waiters: SmallVec::new(),
            times: [0; 2],
            wanted_at: SmallVec::new(),
        };
        let index = match self.free_nodes.pop() {
            Some(index) => {
                let generation = (self.nodes[index as usize].generation + 1) & ((1 << GENERATION_BITS) - 1);
                self.nodes[index as usize] = node(generation);
                index
            }
            None => {
                self.nodes.push(node(0));
                self.nodes.len() as Index - 1
            }
        };
        if parent != NIL {
            self.nodes[parent as usize].pending += 1;
        }
        index
    }

    // ---- events

    /// Events in use.
    pub(super) fn n_events(&self) -> usize {
        self.nodes.len() - self.free_nodes.len() - 1
    }

    fn handle(&self, index: Index) -> u64 {
        let generation = u64::from(self.nodes[index as usize].generation);
        (self.tag << GENERATION_BITS | generation) << INDEX_BITS | u64::from(index + 1)
    }

    fn node(&self, event: u64) -> Option<Index> {
        let index = (event & ((1 << INDEX_BITS) - 1)).checked_sub(1)? as Index;
        let node = self.nodes.get(index as usize)?;
        (index != HEAD && node.in_use && node.refs > 0 && self.handle(index) == event).then_some(index)
    }

    /// Whether this is an event that the program has a reference to.
    pub(super) fn is_event(&self, event: u64) -> bool {
        self.node(event).is_some()
    }

    /// `create_user_event`
    pub(super) fn add_user(&mut self) -> u64 {
        let index = self.new_node(NIL, true);
        self.handle(index)
    }

    /// `retain_event`
    pub(super) fn retain(&mut self, event: u64) {
        if let Some(index) = self.node(event) {
            let refs = &mut self.nodes[index as usize].refs;
            *refs = refs.saturating_add(1);
        }
    }

    /// `release_event`
    pub(super) fn release(&mut self, event: u64) {
        if let Some(index) = self.node(event) {
            self.nodes[index as usize].refs -= 1;
            self.free_if_unseen(index);
        }
    }

    /// `set_user_event_status`, `before` which so much happened; without effect on what is no user event, or has been
    /// set.
    pub(super) fn set_user(&mut self, event: u64, status: i32, before: &Before) {
        let Some(index) = self.node(event) else { return };
        let node = &mut self.nodes[index as usize];
        if node.is_user && node.pending > 0 && status <= 0 {
            node.failure = status;
            node.after.join(before);
            self.drop_pending(index, 0);
            self.settle(0);
        }
    }

    /// `capture_event_profiling_info`; without effect on user events.
    pub(super) fn want_times(&mut self, event: u64, address: u64) {
        let Some(index) = self.node(event) else { return };
        let node = &mut self.nodes[index as usize];
        if node.is_user {
            return;
        }
        if node.status == OPEN {
            node.wanted_at.push(address);
        } else {
            let [start, end] = node.times;
            // The time of completion is kept behind the end.
            let complete = node.wanted_at.first().copied().unwrap_or(end);
            self.due.push(Times { address, words: words(start, end, complete) });
        }
    }

    // ---- children

    /// Adds a child of the launch that counts at `parent`, which waits for these events (all valid) and so many gates.
    /// The event, if one is wanted.
    pub(super) fn add(
        &mut self,
        (launch, before): (Option<T>, Before),
        parent: u32,
        waits: &[u64],
        gates: u32,
        wants_event: bool,
    ) -> (u32, Option<u64>) {
        let parent = self.seen(parent);
        let node = if wants_event {
            self.new_node(parent, false)
        } else {
            self.nodes[parent as usize].pending += 1;
            parent
        };
        let child = Child { waits: 1 + gates, failure: 0, before, node, has_node: wants_event, launch };
        let id = match self.free_children.pop() {
            Some(id) => {
                self.children[id as usize] = Some(child);
                id
            }
            None => {
                self.children.push(Some(child));
                self.children.len() as Index - 1
            }
        };
        for &event in waits {
            let Some(index) = self.node(event) else { continue };
            let before = &mut self.nodes[index as usize];
            let child = self.children[id as usize].as_mut().expect("just added");
            if before.status == OPEN {
                before.waiters.push(id);
                child.waits += 1;
                continue;
            }
            child.before.join(&before.after);
            if before.status < 0 && child.failure == 0 {
                child.failure = before.status;
            }
        }
        let event = wants_event.then(|| self.handle(node));
        // The one that was counted in advance.
        self.open(id);
        (id, event)
    }

    /// Opens a gate of a child.
    pub(super) fn open(&mut self, id: u32) {
        self.pass(id, 0, &Before::default());
        self.settle(0);
    }

    /// A child has one thing less to wait for, behind which so much happened.
    fn pass(&mut self, id: Index, status: i32, after: &Before) {
        let Some(child) = &mut self.children[id as usize] else { return };
        child.waits -= 1;
        child.before.join(after);
        if status < 0 && child.failure == 0 {
            child.failure = status;
        }
        if child.waits > 0 {
            return;
        }
        if child.failure == 0 && child.launch.is_some() {
            self.ready.push_back(id);
            return;
        }
        let Some(child) = self.children[id as usize].take() else { return };
        self.free_children.push(id);
        self.dropped.extend(child.launch);
        let node = &mut self.nodes[child.node as usize];
        node.after.join(&child.before);
        if child.has_node {
            node.has_ended = true;
        }
        self.drop_pending(child.node, child.failure);
    }

    /// Whether there is a child to run.
    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whether children are being run.
    pub(super) fn is_running(&self) -> bool {
        self.running > 0
    }

    /// Takes a child to run.
    pub(super) fn take(&mut self) -> Option<Taken<T>> {
        let id = self.ready.pop_front()?;
        let child = self.children[id as usize].take()?;
        self.free_children.push(id);
        self.running += 1;
        let Child { before, node, has_node, .. } = child;
        Some(Taken { launch: child.launch?, before, node, has_node })
    }

    /// A child's launch has ended, and what happened before with it. Times are in ns.
    pub(super) fn end(&mut self, node: u32, has_node: bool, status: i32, times: [u64; 2], after: &Before) {
        self.running -= 1;
        self.nodes[node as usize].after.join(after);
        self.end_launch(node, has_node, status, times);
    }

    /// The launch of the host has ended.
    pub(super) fn end_head(&mut self, status: i32) {
        self.end_launch(HEAD, true, status, [0; 2]);
    }

    fn end_launch(&mut self, index: Index, has_node: bool, status: i32, times: [u64; 2]) {
        if has_node {
            let parent = self.nodes[index as usize].parent;
            let node = &mut self.nodes[index as usize];
            (node.has_ended, node.times) = (true, times);
            // What it counts at may have become unseen meanwhile.
            if parent != NIL {
                self.nodes[index as usize].parent = self.lift(parent);
            }
        }
        self.drop_pending(index, status);
        self.settle(times[1]);
    }

    /// Whether all is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.nodes[HEAD as usize].pending == 0
    }

    /// The first error of the family, or 0.
    pub(super) fn failure(&self) -> i32 {
        self.nodes[HEAD as usize].failure
    }

    /// Nothing runs and nothing is ready, but not all is complete: user events that are not set fail with `status`, or,
    /// if there are none, the children that wait: for each other, as one that waits for a launch that it belongs to,
    /// or for the end of groups that failed. Nothing is added any more.
    pub(super) fn abandon(&mut self, status: i32) {
        let open = |node: &Node| node.in_use && node.is_user && node.pending > 0;
        let users: Vec<Index> = (0..).zip(&self.nodes).filter(|(_, node)| open(node)).map(|(index, _)| index).collect();
        for &index in &users {
            self.nodes[index as usize].failure = status;
            self.drop_pending(index, 0);
        }
        let waiting = if users.is_empty() { self.children.len() } else { 0 };
        for id in 0..waiting as Index {
            if let Some(child) = &mut self.children[id as usize] {
                child.waits = 1;
                self.pass(id, status, &Before::default());
            }
        }
        self.settle(0);
    }

    /// Times to be written, and launches that will not run, since the last call.
    pub(super) fn take_due(&mut self) -> (Vec<Times>, Vec<T>) {
        (std::mem::take(&mut self.due), std::mem::take(&mut self.dropped))
    }

    // ---- counting

    fn drop_pending(&mut self, index: Index, status: i32) {
        let node = &mut self.nodes[index as usize];
        if status < 0 && node.failure == 0 {
            node.failure = status;
        }
        node.pending -= 1;
        if node.pending == 0 {
            self.completing.push(index);
        }
    }

    /// Completes nodes that have come to 0, and those that come to 0 by that.
    fn settle(&mut self, now: u64) {
        while let Some(index) = self.completing.pop() {
            let node = &mut self.nodes[index as usize];
            node.status = node.failure;
            node.has_ended = true;
            let (status, parent, [start, end]) = (node.status, node.parent, node.times);
            let complete = end.max(now);
            for address in std::mem::take(&mut node.wanted_at) {
                self.due.push(Times { address, words: words(start, end, complete) });
            }
            node.wanted_at.push(complete);
            let (waiters, after) = (std::mem::take(&mut node.waiters), node.after.clone());
            node.parent = NIL;
            for id in waiters {
                self.pass(id, status, &after);
            }
            if parent != NIL {
                self.nodes[parent as usize].after.join(&after);
                self.drop_pending(parent, status);
            }
            self.free_if_unseen(index);
        }
    }

    fn free_if_unseen(&mut self, index: Index) {
        let node = &mut self.nodes[index as usize];
        if index != HEAD && node.in_use && node.refs == 0 && node.pending == 0 && node.waiters.is_empty() {
            node.in_use = false;
            node.wanted_at.clear();
            node.after = Before::default();
            self.free_nodes.push(index);
        }
    }

    /// The node where a new descendant of one counts.
    fn seen(&self, mut index: Index) -> Index {
        while self.is_unseen(index) {
            index = self.nodes[index as usize].parent;
        }
        index
    }

    fn is_unseen(&self, index: Index) -> bool {
        let node = &self.nodes[index as usize];
        let is_wanted = node.refs > 0 || !node.waiters.is_empty() || !node.wanted_at.is_empty();
        index != HEAD && node.has_ended && !is_wanted && node.parent != NIL
    }

    /// Moves what somebody counts at a node to the first one above it that is seen.
    fn lift(&mut self, from: Index) -> Index {
        let to = self.seen(from);
        if to != from {
            self.nodes[to as usize].pending += 1;
            self.drop_pending(from, 0);
        }
        to
    }
}

/// What `capture_event_profiling_info` tells; a time is not 0.
fn words(start: u64, end: u64, complete: u64) -> [u64; 2] {
    [end, complete].map(|time| time.saturating_sub(start).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(graph: &mut Graph<u32>) -> Option<(u32, u32, bool)> {
        graph.take().map(|taken| (taken.launch, taken.node, taken.has_node))
    }

    #[test]
    fn parents_wait_for_their_descendants() {
        let mut graph = Graph::new(1);
        let (_, event) = graph.add((Some(1), Before::default()), HEAD, &[], 0, true);
        let event = event.expect("wanted");
        graph.add((Some(2), Before::default()), HEAD, &[event], 0, false);
        graph.end_head(0);
        let (launch, node, has_node) = run(&mut graph).expect("ready");
        assert_eq!((launch, has_node), (1, true));
        graph.add((Some(3), Before::default()), node, &[], 0, false);
        graph.end(node, true, 0, [5, 9], &Before::default());
        assert!(!graph.is_complete());
        graph.want_times(event, 64);
        let (launch, at, has_node) = run(&mut graph).expect("the grandchild first");
        assert_eq!((launch, has_node), (3, false));
        assert!(run(&mut graph).is_none(), "the event is not complete before");
        graph.end(at, false, 0, [6, 20], &Before::default());
        assert_eq!(graph.take_due().0, [Times { address: 64, words: [4, 15] }]);
        let (launch, at, _) = run(&mut graph).expect("now");
        assert_eq!(launch, 2);
        graph.end(at, false, -7, [0; 2], &Before::default());
        assert!(graph.is_complete() && graph.is_event(event));
        assert_eq!(graph.failure(), -7);
        graph.release(event);
        assert!(!graph.is_event(event));
        assert_eq!(graph.n_events(), 0);
    }

    #[test]
    fn failures_and_abandoned_user_events_reach_what_waits() {
        let mut graph = Graph::new(2);
        let user = graph.add_user();
        let (_, event) = graph.add((Some(1), Before::default()), HEAD, &[user], 0, true);
        let (_, marker) = graph.add((None, Before::default()), HEAD, &[event.expect("wanted")], 0, true);
        graph.add((Some(2), Before::default()), HEAD, &[marker.expect("wanted")], 0, false);
        graph.end_head(0);
        assert!(!graph.has_ready() && !graph.is_complete());
        graph.abandon(-58);
        assert!(graph.is_complete());
        assert_eq!((graph.failure(), graph.take_due().1), (-58, vec![1, 2]));
    }

    #[test]
    fn children_that_wait_for_a_launch_that_they_belong_to_fail() {
        let mut graph = Graph::new(6);
        let (_, event) = graph.add((Some(1), Before::default()), HEAD, &[], 0, true);
        graph.end_head(0);
        let (_, node, _) = run(&mut graph).expect("ready");
        graph.add((Some(2), Before::default()), node, &[event.expect("wanted")], 0, false);
        graph.end(node, true, 0, [0; 2], &Before::default());
        assert!(!graph.has_ready() && !graph.is_complete());
        graph.abandon(-58);
        assert!(graph.is_complete());
        assert_eq!((graph.failure(), graph.take_due().1), (-58, vec![2]));
    }

    #[test]
    fn gates_and_bad_events() {
        let mut graph = Graph::new(3);
        let (id, _) = graph.add((Some(1), Before::default()), HEAD, &[], 1, false);
        assert!(!graph.has_ready());
        graph.open(id);
        assert!(graph.has_ready());
        let other = Graph::<u32>::new(4).add_user();
        let own = graph.add_user();
        for event in [0, 1, u64::MAX, other, own + 1, own ^ 1 << INDEX_BITS] {
            assert!(!graph.is_event(event), "{event:x}");
            graph.release(event);
            graph.retain(event);
            graph.set_user(event, 0, &Before::default());
            graph.want_times(event, 8);
        }
        assert!(graph.is_event(own));
        graph.set_user(own, 5, &Before::default());
        graph.set_user(own, -3, &Before::default());
        graph.set_user(own, 0, &Before::default());
        graph.add((Some(2), Before::default()), HEAD, &[own], 0, false);
        assert_eq!(graph.take_due().1, [2]);
    }

    #[test]
    fn chains_take_no_memory() {
        for releases in [false, true] {
            let mut graph = Graph::new(5);
            let mut parent = HEAD;
            let mut before = None;
            for n in 0..100_000 {
                let (_, event) = graph.add((Some(n), Before::default()), parent, &[], 0, releases);
                if let Some(event) = event {
                    graph.release(event);
                }
                match before {
                    None => graph.end_head(0),
                    Some((node, has_node)) => graph.end(node, has_node, 0, [0; 2], &Before::default()),
                }
                let (launch, node, has_node) = run(&mut graph).expect("ready");
                assert_eq!((launch, has_node), (n, releases));
                (parent, before) = (node, Some((node, has_node)));
            }
            let (node, has_node) = before.expect("the last");
            graph.end(node, has_node, 0, [0; 2], &Before::default());
            assert!(graph.is_complete());
            assert!(
                graph.nodes.len() < 8 && graph.children.len() < 4,
                "{} {}",
                graph.nodes.len(),
                graph.children.len()
            );
        }
    }
}
