//! Which CPUs this process may use and what they share: NUMA nodes and caches. Read from /proc and /sys at the first
//! question, since most programs never ask.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// What CPUs can share, from the outside in: the order in which "next partitionable" looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Memory of a node.
    Numa,
    /// A level 4 cache.
    L4,
    /// A level 3 cache.
    L3,
    /// A level 2 cache.
    L2,
    /// A level 1 data cache.
    L1,
}

impl Domain {
    /// All of them, from the outside in.
    pub const ALL: [Self; 5] = [Self::Numa, Self::L4, Self::L3, Self::L2, Self::L1];
}

/// A CPU and, for each of `Domain::ALL`, the first CPU or the node that it shares with; `None` if the machine does not
/// say.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cpu {
    id: usize,
    shares: [Option<usize>; 5],
}

/// The CPUs of the affinity mask; neighbours in this list share most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    cpus: Vec<Cpu>,
}

impl Topology {
    /// The machine's, as the thread that asks first may use it.
    pub fn get() -> &'static Self {
        static TOPOLOGY: OnceLock<Topology> = OnceLock::new();
        TOPOLOGY.get_or_init(|| Self::read(Path::new("/")))
    }

    /// Reads files below `root`, which is `/` but in tests.
    fn read(root: &Path) -> Self {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let status = text("proc/thread-self/status");
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).map(cpu_list);
        let nodes: Vec<(usize, Vec<usize>)> = cpu_list(&text("sys/devices/system/node/online"))
            .into_iter()
            .map(|node| (node, cpu_list(&text(&format!("sys/devices/system/node/node{node}/cpulist")))))
            .collect();
        let cache = |cpu: usize, level: usize| {
            (0..8).find_map(|index| {
                let at = |file: &str| text(&format!("sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{file}"));
                let is_it = at("level").trim().parse() == Ok(level) && at("type").trim() != "Instruction";
                is_it.then(|| cpu_list(&at("shared_cpu_list")).first().copied()).flatten()
            })
        };
        let describe = |id: usize| Cpu {
            id,
            shares: Domain::ALL.map(|domain| match domain {
                Domain::Numa => nodes.iter().find(|(_, cpus)| cpus.contains(&id)).map(|&(node, _)| node),
                Domain::L4 => cache(id, 4),
                Domain::L3 => cache(id, 3),
                Domain::L2 => cache(id, 2),
                Domain::L1 => cache(id, 1),
            }),
        };
        let mut cpus: Vec<Cpu> = allowed.unwrap_or_default().into_iter().map(describe).collect();
        cpus.sort_unstable_by_key(|cpu| (cpu.shares, cpu.id));
        Self { cpus }
    }

    /// The CPUs that compute unit `unit` of `n_units` stands for: an even share of all, at least one.
    fn cpus_of(&self, unit: usize, n_units: usize) -> &[Cpu] {
        let n = self.cpus.len();
        let start = unit * n / n_units;
        &self.cpus[start..((unit + 1) * n / n_units).max(start + 1).min(n)]
    }

    /// Numbers of the CPUs that these compute units of `n_units` stand for; none if the machine does not say.
    pub fn cpu_ids(&self, units: impl Iterator<Item = usize>, n_units: usize) -> Vec<usize> {
        let mut ids: Vec<usize> = units.flat_map(|unit| self.cpus_of(unit, n_units)).map(|cpu| cpu.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The NUMA nodes of these compute units of `n_units`; none if the machine does not say.
    pub fn nodes(&self, units: impl Iterator<Item = usize>, n_units: usize) -> Vec<usize> {
        let cpus = units.flat_map(|unit| self.cpus_of(unit, n_units));
        let mut nodes: Vec<usize> = cpus.filter_map(|cpu| cpu.shares[Domain::Numa as usize]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// How many of the compute units `start..start + count` of `n_units` share each part of this domain, in order; none
    /// if they are not split by it.
    pub fn split(&self, domain: Domain, start: usize, count: usize, n_units: usize) -> Vec<usize> {
        let share = |unit: usize| self.cpus_of(unit, n_units).first().and_then(|cpu| cpu.shares[domain as usize]);
        let shares: Option<Vec<usize>> = (start..start + count).map(share).collect();
        let counts: Vec<usize> = shares.unwrap_or_default().chunk_by(|a, b| a == b).map(<[usize]>::len).collect();
        if counts.len() < 2 { Vec::new() } else { counts }
    }
}

/// Parses the kernel's lists: `0-3,8,10-11`.
fn cpu_list(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes of two cores with two threads each, numbered as firmware likes to: 0, 2, 4, 6 on node 0.
    fn machine() -> Topology {
        let cpu = |id: usize| Cpu { id, shares: [Some(id % 2), None, Some(id % 2), Some(id % 4), Some(id % 4)] };
        let mut cpus: Vec<Cpu> = (0..8).map(cpu).collect();
        cpus.sort_by_key(|cpu| (cpu.shares, cpu.id));
        Topology { cpus }
    }

    #[test]
    fn lists_of_the_kernel() {
        assert_eq!(cpu_list("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(cpu_list("\t5\n"), [5]);
        assert!(cpu_list("\n").is_empty());
    }

    #[test]
    fn units_are_split_by_what_they_share() {
        let machine = machine();
        assert_eq!(machine.split(Domain::Numa, 0, 8, 8), [4, 4]);
        assert_eq!(machine.split(Domain::L3, 0, 8, 8), [4, 4]);
        assert_eq!(machine.split(Domain::L2, 0, 8, 8), [2, 2, 2, 2]);
        assert_eq!(machine.split(Domain::L2, 4, 4, 8), [2, 2]);
        assert!(machine.split(Domain::L4, 0, 8, 8).is_empty(), "unknown");
        assert!(machine.split(Domain::Numa, 4, 4, 8).is_empty(), "one node");
        assert!(Topology::default().split(Domain::L1, 0, 8, 8).is_empty());
    }

    #[test]
    fn units_have_nodes() {
        let machine = machine();
        assert_eq!(machine.nodes(0..8, 8), [0, 1]);
        assert_eq!(machine.nodes(2..4, 8), [0]);
        assert_eq!(machine.nodes(3..5, 8), [0, 1]);
        assert!(Topology::default().nodes(0..2, 2).is_empty());
    }

    #[test]
    fn units_stand_for_all_cpus_whatever_their_number() {
        let machine = machine();
        assert_eq!(machine.cpu_ids(0..8, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(machine.cpu_ids(0..4, 8), [0, 2, 4, 6]);
        assert_eq!(machine.cpu_ids(0..1, 2), [0, 2, 4, 6], "fewer units than CPUs");
        assert_eq!(machine.cpu_ids(0..2, 16), [0], "more units than CPUs");
        assert_eq!(machine.split(Domain::Numa, 0, 16, 16), [8, 8]);
        assert!(Topology::default().cpu_ids(0..2, 2).is_empty());
    }

    #[test]
    fn the_affinity_mask_and_the_machine_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, text).expect("written");
        };
        put("proc/thread-self/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t1-3\n");
        put("sys/devices/system/node/online", "0-1\n");
        put("sys/devices/system/node/node0/cpulist", "0-1\n");
        put("sys/devices/system/node/node1/cpulist", "2-3\n");
        for cpu in 0..4 {
            let at = |file: &str| format!("sys/devices/system/cpu/cpu{cpu}/cache/{file}");
            for (index, level, kind, shared) in [(0, 1, "Instruction", "0-3"), (1, 1, "Data", "")] {
                put(&at(&format!("index{index}/level")), &format!("{level}\n"));
                put(&at(&format!("index{index}/type")), &format!("{kind}\n"));
                let own = format!("{cpu}\n");
                put(&at(&format!("index{index}/shared_cpu_list")), if shared.is_empty() { &own } else { shared });
            }
        }
        let topology = Topology::read(folder.path());
        let cpu = |id, node| Cpu { id, shares: [Some(node), None, None, None, Some(id)] };
        assert_eq!(topology.cpus, [cpu(1, 0), cpu(2, 1), cpu(3, 1)]);
        assert_eq!(topology.split(Domain::Numa, 0, 3, 3), [1, 2]);
    }

    #[test]
    fn this_machine_has_cpus() {
        assert!(!Topology::get().cpus.is_empty());
    }
}
