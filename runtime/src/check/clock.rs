//! What happened before what among commands: vector clocks (Mattern 1989, Fidge 1988) over chains. A chain is a
//! sequence of commands each of which happened before the next: an in-order queue is one; what else there is finds a
//! place at the end of any chain whose last command happened before it, as in EventRacer (Raychev, Vechev, Sridharan,
//! "Effective race detection for event-driven programs", 2013). So a clock has as many components as there have been
//! commands at a time that nothing orders, however many there are in all.

/// A command: its chain, and its place there from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    pub chain: u32,
    pub time: u32,
}

/// For each chain, up to which place it happened before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock(Vec<u32>);

impl Clock {
    /// Whether a command happened before.
    pub fn knows(&self, epoch: Epoch) -> bool {
        self.time(epoch.chain) >= epoch.time
    }

    /// What happened before `other` happened before this too.
    pub fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    fn time(&self, chain: u32) -> u32 {
        self.0.get(chain as usize).copied().unwrap_or(0)
    }

    /// A command happened before.
    pub fn set(&mut self, epoch: Epoch) {
        let at = epoch.chain as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = self.0[at].max(epoch.time);
    }
}

/// Chains that there may be; commands beyond that are not checked.
const MAX_CHAINS: usize = 1024;

/// All chains: how long each is, and whether it is a queue's own.
#[derive(Debug, Default)]
pub(super) struct Chains(Vec<(u32, bool)>);

impl Chains {
    /// A chain for an in-order queue that knows what this clock knows.
    pub fn own(&mut self, clock: &Clock) -> Option<u32> {
        let chain = self.find(clock)?;
        self.0[chain as usize].1 = true;
        Some(chain)
    }

    /// The queue with this chain is gone.
    pub fn disown(&mut self, chain: u32) {
        self.0[chain as usize].1 = false;
    }

    /// The next command of a chain, which a clock knows from now on.
    pub fn next(&mut self, chain: u32, clock: &mut Clock) -> Epoch {
        let (length, _) = &mut self.0[chain as usize];
        *length += 1;
        let epoch = Epoch { chain, time: *length };
        clock.set(epoch);
        epoch
    }

    /// A chain that nobody owns and whose last command this clock knows.
    pub fn find(&mut self, clock: &Clock) -> Option<u32> {
        let is_free = |(&(time, is_own), chain): (&(u32, bool), u32)| {
            (!is_own && clock.knows(Epoch { chain, time })).then_some(chain)
        };
        if let Some(chain) = self.0.iter().zip(0..).find_map(is_free) {
            return Some(chain);
        }
        if self.0.len() == MAX_CHAINS {
            return None;
        }
        self.0.push((0, false));
        Some(self.0.len() as u32 - 1)
    }

    /// A clock that knows all commands so far.
    pub fn all(&self) -> Clock {
        Clock(self.0.iter().map(|chain| chain.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chains_are_reused_once_their_end_is_known() {
        let mut chains = Chains::default();
        let mut host = Clock::default();
        for _ in 0..100 {
            let chain = chains.find(&host).expect("room");
            let mut clock = host.clone();
            chains.next(chain, &mut clock);
            host.join(&clock);
        }
        assert_eq!(chains.0.len(), 1);
        let clocks: Vec<Clock> = (0..3)
            .map(|_| {
                let mut clock = host.clone();
                let chain = chains.find(&clock).expect("room");
                chains.next(chain, &mut clock);
                clock
            })
            .collect();
        assert_eq!(chains.0.len(), 3, "nothing orders them");
        assert_ne!(clocks[0], clocks[1]);
    }

    proptest! {
        /// Random graphs of commands: a clock knows a command exactly if a path leads from there.
        #[test]
        fn clocks_know_what_paths_lead_from(
            edges in prop::collection::vec(prop::collection::vec(0usize..30, 0..4), 1..30),
        ) {
            let mut chains = Chains::default();
            let mut done: Vec<(Epoch, Clock, Vec<bool>)> = Vec::new();
            for before in edges {
                let before: Vec<usize> = before.into_iter().filter(|&b| b < done.len()).collect();
                let mut clock = Clock::default();
                let mut reached = vec![false; done.len()];
                for b in before {
                    clock.join(&done[b].1);
                    reached[b] = true;
                    done[b].2.iter().enumerate().for_each(|(n, &is)| reached[n] |= is);
                }
                for (n, (epoch, ..)) in done.iter().enumerate() {
                    prop_assert_eq!(clock.knows(*epoch), reached[n]);
                }
                let chain = chains.find(&clock).expect("room");
                let epoch = chains.next(chain, &mut clock);
                done.push((epoch, clock, reached));
            }
        }
    }
}
