//! The sites at which something has been found, and how often: a hash table of fixed size with open addressing and
//! without locks, so that a loop that does the same mistake 10^8 times pays for an increment each.
#![allow(unsafe_code, reason = "reads names that are never freed")]

use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// Where something is found: equal for what is to be reported once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(u64);

impl Site {
    /// A site: the same parts give the same one. Two others are the same with a chance of 2^-64.
    pub fn of(parts: impl Hash) -> Self {
        // Fixed keys: no site depends on the process.
        let mut hasher = std::hash::DefaultHasher::new();
        parts.hash(&mut hasher);
        Self(hasher.finish().max(1))
    }

    /// From a number that is unique already, such as the address of what the compiler knows of an access.
    pub const fn of_number(number: u64) -> Self {
        // Splitmix64's finaliser, so that neighbours are apart.
        let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        Self(if bits == 0 { 1 } else { bits })
    }
}

/// Reports of one process: more sites are counted together.
pub const CAPACITY: usize = 4096;
/// Slots, a power of two; at most half of them are taken.
const SLOTS: usize = 2 * CAPACITY;

/// What the summary says of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// What it is called.
    pub text: String,
    /// Its report is a note.
    pub is_note: bool,
}

/// One site.
pub struct Entry {
    /// 0: free.
    site: AtomicU64,
    count: AtomicU64,
    /// One more than the place of the entry that counts for it; 0: none but itself.
    counted_by: AtomicUsize,
    /// What the summary says of it; null until the report is out, and for those that are suppressed.
    head: AtomicPtr<Head>,
}

/// All sites.
pub struct Table {
    entries: [Entry; SLOTS],
    taken: AtomicU64,
    beyond: AtomicU64,
}

/// What `note` finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// At this place in the table, for the first time.
    New(usize),
    /// Counted, nothing else to do.
    Known,
}

impl Table {
    /// Empty.
    pub const fn new() -> Self {
        Self {
            entries: [const {
                Entry {
                    site: AtomicU64::new(0),
                    count: AtomicU64::new(0),
                    counted_by: AtomicUsize::new(0),
                    head: AtomicPtr::new(ptr::null_mut()),
                }
            }; SLOTS],
            taken: AtomicU64::new(0),
            beyond: AtomicU64::new(0),
        }
    }

    /// Counts once more at this site if it is known.
    pub fn is_known(&self, site: Site) -> bool {
        let known = self.probe(site).find_map(|entry| match entry.site.load(Acquire) {
            0 => Some(false),
            theirs if theirs == site.0 => {
                self.count(entry);
                Some(true)
            }
            _ => None,
        });
        known == Some(true) || self.is_full(known)
    }

    /// Counts once at this site, and says whether it is new. What finds no room is counted together.
    pub fn note(&self, site: Site) -> Found {
        for entry in self.probe(site) {
            let theirs = entry.site.load(Acquire);
            let is_mine = theirs == site.0;
            if !is_mine && theirs != 0 {
                continue;
            }
            if theirs == 0 {
                if self.taken.load(Relaxed) >= CAPACITY as u64 {
                    break;
                }
                match entry.site.compare_exchange(0, site.0, Release, Acquire) {
                    Ok(_) => {
                        self.taken.fetch_add(1, Relaxed);
                        entry.count.fetch_add(1, Relaxed);
                        return Found::New(self.index(entry));
                    }
                    Err(now) if now != site.0 => continue,
                    Err(_) => {}
                }
            }
            self.count(entry);
            return Found::Known;
        }
        self.beyond.fetch_add(1, Relaxed);
        Found::Known
    }

    fn count(&self, entry: &Entry) {
        let counts = match entry.counted_by.load(Relaxed) {
            0 => entry,
            n => &self.entries[n - 1],
        };
        counts.count.fetch_add(1, Relaxed);
    }

    /// What is found at one entry is what is found at another: that counts it from now on.
    pub fn merge(&self, at: usize, into: usize) {
        self.entries[at].counted_by.store(into + 1, Relaxed);
        let count = self.entries[at].count.swap(0, Relaxed);
        self.entries[into].count.fetch_add(count, Relaxed);
    }

    /// Names an entry for the summary; the name stays for good.
    pub fn name(&self, at: usize, head: Head) {
        self.entries[at].head.store(Box::into_raw(Box::new(head)), Release);
    }

    /// Counts begin at zero, what is known stays: in the child of a fork.
    pub fn forget_counts(&self) {
        self.entries.iter().for_each(|entry| entry.count.store(0, Relaxed));
        self.beyond.store(0, Relaxed);
    }

    /// Names and counts of what has been reported here. Takes no lock and allocates nothing.
    pub fn counts(&self) -> impl Iterator<Item = (Option<&'static Head>, u64)> {
        self.entries.iter().filter_map(|entry| {
            let count = entry.count.load(Relaxed);
            let head = entry.head.load(Acquire);
            // SAFETY: null or what `name` leaked.
            (count > 0).then_some((unsafe { head.as_ref() }, count))
        })
    }

    /// What found no room.
    pub fn beyond(&self) -> u64 {
        self.beyond.load(Relaxed)
    }

    fn is_full(&self, known: Option<bool>) -> bool {
        let is_full = known != Some(true) && self.taken.load(Relaxed) >= CAPACITY as u64;
        if is_full {
            self.beyond.fetch_add(1, Relaxed);
        }
        is_full
    }

    fn index(&self, entry: &Entry) -> usize {
        (ptr::from_ref(entry).addr() - self.entries.as_ptr().addr()) / size_of::<Entry>()
    }

    /// The slots of a site in the order in which they are tried.
    fn probe(&self, site: Site) -> impl Iterator<Item = &Entry> {
        (0..SLOTS).map(move |n| &self.entries[(site.0 as usize).wrapping_add(n) % SLOTS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head { text: "f.cl:7".to_owned(), is_note: false }
    }

    #[test]
    fn sites_are_counted_and_new_once() {
        let table = Box::new(Table::new());
        let site = Site::of(("memory", "f", 7));
        assert_eq!(site, Site::of(("memory", "f", 7)));
        assert!(!table.is_known(site));
        let Found::New(at) = table.note(site) else { panic!("it is new") };
        table.name(at, head());
        assert_eq!(table.note(site), Found::Known);
        assert!((0..98).all(|_| table.is_known(site)));
        assert_eq!(table.counts().collect::<Vec<_>>(), [(Some(&head()), 100)]);
        table.forget_counts();
        assert_eq!((table.counts().count(), table.is_known(site)), (0, true));
    }

    #[test]
    fn what_is_alike_is_counted_once() {
        let table = Box::new(Table::new());
        let [Found::New(first), Found::New(second)] = [1, 2].map(|n| table.note(Site::of_number(n))) else {
            panic!("both are new")
        };
        table.name(first, head());
        table.merge(second, first);
        assert!(table.is_known(Site::of_number(2)) && table.is_known(Site::of_number(1)));
        assert_eq!(table.counts().collect::<Vec<_>>(), [(Some(&head()), 4)]);
    }

    #[test]
    fn what_finds_no_room_is_known_and_counted_together() {
        let table = Box::new(Table::new());
        let sites = || (0..CAPACITY as u64).map(Site::of_number);
        assert!(sites().all(|site| matches!(table.note(site), Found::New(_))));
        let late = Site::of_number(CAPACITY as u64);
        assert_eq!(table.note(late), Found::Known);
        assert!(table.is_known(late) && sites().all(|site| table.is_known(site)));
        assert_eq!((table.beyond(), table.counts().count()), (2, CAPACITY));
    }

    #[test]
    fn threads_agree_on_who_was_first() {
        let table = Box::new(Table::new());
        let first: usize = std::thread::scope(|scope| {
            let note = || (0..500).filter(|&n| table.note(Site::of_number(n)) != Found::Known).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(note)).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ends")).sum()
        });
        assert_eq!(first, 500);
        assert!(table.counts().all(|(_, count)| count == 4));
    }
}
