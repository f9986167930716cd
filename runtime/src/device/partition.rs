//! Sub-devices: parts of a device, each with its own workers on its own CPUs. Spec: OpenCL API, "Partitioning a
//! Device".

use super::Device;
use super::topology::{Domain, Topology};
use crate::error::{Error, Result};
use crate::object::{Obj, Object};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use once_cell::sync::OnceCell;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How to split a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// As many parts as there can be with this many compute units each.
    Equally(usize),
    /// One part for each count of compute units.
    ByCounts(Vec<usize>),
    /// Parts whose compute units share this.
    ByDomain(Domain),
    /// By the first domain, from the outside in, that splits the device.
    NextPartitionable,
    /// One part of these compute units, counted from 0. Spec: cl_intel_device_partition_by_names.
    ByNames(Vec<usize>),
}

/// What a sub-device is a part of.
pub(super) struct Part {
    pub(super) parent: Obj<Device>,
    pub(super) scheme: Scheme,
    /// Its compute units, counted in the root device.
    units: Vec<usize>,
}

impl Part {
    /// The CPUs of its compute units; none if the machine does not say.
    pub(super) fn cpus(&self) -> Vec<usize> {
        Topology::get().cpu_ids(self.units.iter().copied(), self.parent.n_root_units())
    }
}

/// A unit of sub-devices by names that has queues: the address of the sub-device, and how many queues there are.
type Taken = BTreeMap<usize, (usize, usize)>;
static TAKEN: Mutex<Taken> = Mutex::new(Rank::Leaf, BTreeMap::new());

/// Keeps what is taken as it is, for the time of a fork.
#[allow(unsafe_code, reason = "a guard for the time of a fork")]
pub(crate) fn hold() -> Box<dyn Any> {
    // SAFETY: a static.
    Box::new(unsafe { TAKEN.lock_for_fork() })
}

/// The compute units of a sub-device by names, for one of its queues: no other sub-device by names that has one of them
/// may have queues.
pub(crate) struct UnitsOfQueue(Obj<Device>);

impl UnitsOfQueue {
    /// Takes them; nothing to take if the device was not made by names.
    ///
    /// # Errors
    /// `OutOfResources` ← another sub-device by names has queues and one of these units.
    pub(crate) fn take(device: &Obj<Device>) -> Result<Option<Self>> {
        let Some(part) = device.part.as_ref().filter(|part| part.is_by_names()) else { return Ok(None) };
        let (mut taken, me) = (TAKEN.lock(), device.handle_address());
        let rule = "device has a compute unit of another sub-device by names for which a command-queue exists";
        let is_free = |unit| taken.get(unit).is_none_or(|&(owner, _)| owner == me);
        ensure!(part.units.iter().all(is_free), Error::spec(Status::OutOfResources, rule));
        part.units.iter().for_each(|&unit| taken.entry(unit).or_insert((me, 0)).1 += 1);
        Ok(Some(Self(Arc::clone(device))))
    }
}

impl Drop for UnitsOfQueue {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock();
        for unit in self.0.part.iter().flat_map(|part| &part.units) {
            if let Some((_, n_queues)) = taken.get_mut(unit) {
                *n_queues -= 1;
                if *n_queues == 0 {
                    taken.remove(unit);
                }
            }
        }
    }
}

impl Part {
    fn is_by_names(&self) -> bool {
        matches!(self.scheme, Scheme::ByNames(_))
    }
}

impl Device {
    /// Whether all devices compute on the same NUMA nodes.
    pub(crate) fn share_nodes(devices: &[Obj<Self>]) -> bool {
        let nodes = |device: &Self| Topology::get().nodes(device.units().into_iter(), device.n_root_units());
        match devices {
            [] | [_] => true,
            [first, rest @ ..] => {
                let theirs = nodes(first);
                rest.iter().all(|device| nodes(device) == theirs)
            }
        }
    }

    fn n_units(&self) -> usize {
        self.caps.max_compute_units as usize
    }

    fn n_root_units(&self) -> usize {
        self.parent().map_or(self.n_units(), |parent| parent.n_root_units())
    }

    /// Its compute units in the root device.
    fn units(&self) -> Vec<usize> {
        self.part.as_ref().map_or_else(|| (0..self.n_units()).collect(), |part| part.units.clone())
    }

    /// Whether it may be split: a single compute unit cannot be, and a sub-device by names must not.
    fn may_be_split(&self) -> bool {
        self.n_units() > 1 && !self.part.as_ref().is_some_and(Part::is_by_names)
    }

    /// `CL_DEVICE_PARTITION_MAX_SUB_DEVICES`.
    pub fn max_sub_devices(&self) -> usize {
        if self.may_be_split() { self.n_units() } else { 0 }
    }

    /// Domains that split it in two or more (`CL_DEVICE_PARTITION_AFFINITY_DOMAIN`).
    pub fn domains(&self) -> impl Iterator<Item = Domain> {
        Domain::ALL.into_iter().filter(|&domain| !self.split(domain).is_empty())
    }

    fn split(&self, domain: Domain) -> Vec<usize> {
        let first = self.part.as_ref().map_or(0, |part| part.units[0]);
        match self.may_be_split() {
            true => Topology::get().split(domain, first, self.n_units(), self.n_root_units()),
            false => Vec::new(),
        }
    }
}

/// A valid split of a device that has not been made yet.
pub struct Partition {
    device: Obj<Device>,
    scheme: Scheme,
    counts: Vec<usize>,
}

impl Partition {
    /// Checks a scheme.
    ///
    /// # Errors
    /// `InvalidValue` ← parts without compute units; `DevicePartitionFailed` ← the device cannot be split so;
    /// `InvalidDevicePartitionCount` ← the counts ask for more than there is.
    pub fn new(device: &Obj<Device>, scheme: Scheme) -> Result<Self> {
        let n_units = device.n_units();
        let empty = Error::spec(Status::InvalidValue, "values specified in properties are not valid");
        let failed = Error::spec(Status::DevicePartitionFailed, "in_device could not be further partitioned");
        let too_many = Error::spec(
            Status::InvalidDevicePartitionCount,
            "the total number of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS",
        );
        ensure!(!device.part.as_ref().is_some_and(Part::is_by_names), failed);
        let (scheme, counts) = match scheme {
            Scheme::Equally(size) => {
                ensure!(size > 0, empty);
                ensure!(size <= n_units, too_many);
                // One part that is the whole is none.
                ensure!(size < n_units, failed);
                (scheme, vec![size; n_units / size])
            }
            Scheme::ByCounts(counts) => {
                ensure!(!counts.is_empty() && !counts.contains(&0), empty);
                let total = counts.iter().fold(0usize, |sum, &n| sum.saturating_add(n));
                ensure!(total <= n_units, too_many);
                ensure!(n_units > 1, failed);
                (Scheme::ByCounts(counts.clone()), counts)
            }
            Scheme::ByDomain(domain) => (scheme, device.split(domain)),
            Scheme::NextPartitionable => match device.domains().next() {
                Some(domain) => (Scheme::ByDomain(domain), device.split(domain)),
                None => (scheme, Vec::new()),
            },
            Scheme::ByNames(names) => {
                let is_once = |(at, name): (usize, &usize)| *name < n_units && !names[..at].contains(name);
                ensure!(!names.is_empty() && names.iter().enumerate().all(is_once), empty);
                // "A sub-device created with another partitioning mode cannot be further sub-divided by ..."
                ensure!(device.is_root() && n_units > 1, failed);
                let count = names.len();
                (Scheme::ByNames(names), vec![count])
            }
        };
        ensure!(!counts.is_empty(), failed);
        Ok(Self { device: Arc::clone(device), scheme, counts })
    }

    /// How many sub-devices it makes.
    pub fn n_devices(&self) -> usize {
        self.counts.len()
    }

    /// Makes them, in the order of their compute units.
    pub fn create(self) -> Vec<Obj<Device>> {
        let units = match &self.scheme {
            Scheme::ByNames(names) => names.clone(),
            _ => self.device.units(),
        };
        let mut units = units.into_iter();
        let part = |count: usize| {
            let caps = super::Caps { max_compute_units: count as u32, ..self.device.caps.clone() };
            let units = units.by_ref().take(count).collect();
            let part = Part { parent: Arc::clone(&self.device), scheme: self.scheme.clone(), units };
            Object::new(Device { caps, part: Some(part), pool: OnceCell::new() })
        };
        self.counts.iter().copied().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::caps::Caps;

    fn device(units: u32) -> Obj<Device> {
        let caps = Caps { max_compute_units: units, ..Caps::probe() };
        Object::new(Device { caps, part: None, pool: OnceCell::new() })
    }

    fn units(devices: &[Obj<Device>]) -> Vec<(usize, usize)> {
        devices.iter().map(|d| (d.units()[0], d.n_units())).collect()
    }

    fn code(device: &Obj<Device>, scheme: Scheme) -> Status {
        Partition::new(device, scheme).map(|_| ()).expect_err("must be refused").status()
    }

    #[test]
    fn parts_do_not_overlap() {
        let root = device(8);
        let halves = Partition::new(&root, Scheme::Equally(3)).expect("valid").create();
        assert_eq!(units(&halves), [(0, 3), (3, 3)], "two units are left over");
        let parts = Partition::new(&root, Scheme::ByCounts(vec![1, 5, 2])).expect("valid").create();
        assert_eq!(units(&parts), [(0, 1), (1, 5), (6, 2)]);
        let again = Partition::new(&parts[1], Scheme::ByCounts(vec![2, 3])).expect("valid").create();
        assert_eq!(units(&again), [(1, 2), (3, 3)]);
        assert_eq!(again[1].parent().map(|d| d.handle_address()), Some(parts[1].handle_address()));
        assert_eq!(again[1].n_root_units(), 8);
        assert_eq!(again[1].scheme(), Some(&Scheme::ByCounts(vec![2, 3])));
    }

    #[test]
    fn names_pick_units() {
        let root = device(8);
        let named = |names: &[usize]| {
            let partition = Partition::new(&root, Scheme::ByNames(names.to_vec())).expect("valid");
            partition.create().remove(0)
        };
        let (odd, low, high) = (named(&[5, 1, 7]), named(&[0, 1]), named(&[6]));
        assert_eq!((odd.units(), odd.n_units(), odd.max_sub_devices()), (vec![5, 1, 7], 3, 0));
        assert_eq!(odd.domains().count(), 0);
        for names in [&[][..], &[8], &[2, 3, 2]] {
            assert_eq!(code(&root, Scheme::ByNames(names.to_vec())), Status::InvalidValue);
        }
        assert_eq!(code(&odd, Scheme::Equally(1)), Status::DevicePartitionFailed);
        assert_eq!(code(&odd, Scheme::ByNames(vec![0])), Status::DevicePartitionFailed);
        let half = Partition::new(&root, Scheme::Equally(4)).expect("valid").create().remove(0);
        assert_eq!(code(&half, Scheme::ByNames(vec![0])), Status::DevicePartitionFailed);
        // Queues of parts that overlap; other tests use no names.
        let take = |device: &Obj<Device>| UnitsOfQueue::take(device).map_err(|error| error.status());
        let (first, second) = (take(&odd), take(&odd));
        assert_eq!(take(&low).err(), Some(Status::OutOfResources));
        assert!(take(&high).is_ok() && take(&half).is_ok_and(|units| units.is_none()));
        drop(first);
        assert_eq!(take(&low).err(), Some(Status::OutOfResources), "there is another queue");
        drop(second);
        assert!(take(&low).is_ok());
    }

    #[test]
    fn impossible_splits_have_their_codes() {
        let (root, single) = (device(4), device(1));
        assert_eq!(code(&root, Scheme::Equally(0)), Status::InvalidValue);
        assert_eq!(code(&root, Scheme::Equally(4)), Status::DevicePartitionFailed);
        assert_eq!(code(&root, Scheme::Equally(5)), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&single, Scheme::Equally(1)), Status::DevicePartitionFailed);
        assert_eq!(code(&root, Scheme::ByCounts(vec![])), Status::InvalidValue);
        assert_eq!(code(&root, Scheme::ByCounts(vec![3, 2])), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&root, Scheme::ByCounts(vec![usize::MAX, 2])), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&root, Scheme::ByCounts(vec![1; 5])), Status::InvalidDevicePartitionCount);
        assert_eq!(code(&single, Scheme::NextPartitionable), Status::DevicePartitionFailed);
        assert_eq!((single.max_sub_devices(), root.max_sub_devices()), (0, 4));
        for domain in Domain::ALL {
            let is_split = root.domains().any(|d| d == domain);
            assert_eq!(Partition::new(&root, Scheme::ByDomain(domain)).is_ok(), is_split);
        }
    }
}
