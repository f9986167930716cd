//! What a load may see of the writes before it, as numbers: two loads of one place with the same number see the same
//! (memory SSA's renaming, without its graph). Each class of memory has the number of the last write to it, and words
//! at constant distances from a base have numbers of their own: a store to one of them is none to the others. For walks
//! over the dominator tree, which go back to where they were. Must not know what classes are.

use crate::ir::Value;
use rustc_hash::FxHashMap;

/// Bytes that share a number.
const WORD: i64 = 4;
/// Larger places are anywhere.
const MOST_BYTES: u32 = 128;

/// Some bytes at a constant distance from a base.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub base: Value,
    pub disp: i64,
    pub bytes: u32,
}

impl Place {
    fn words(self) -> Option<impl Iterator<Item = (Value, i64)>> {
        let end = self.disp.checked_add(self.bytes.saturating_sub(1).into())?;
        let words = self.disp.div_euclid(WORD)..=end.div_euclid(WORD);
        (self.bytes <= MOST_BYTES).then(|| words.map(move |word| (self.base, word)))
    }
}

/// The last writes to a class.
#[derive(Clone, Copy, Default)]
struct Writes {
    last: u32,
    /// Where that was, if it was at some distance from a base.
    base: Option<Value>,
    /// The last write that was not at a distance from that base.
    others: u32,
}

enum Undo {
    Class(usize, Writes),
    Word((Value, i64), Option<u32>),
}

/// Numbers of all classes and places.
pub(super) struct Versions {
    classes: Vec<Writes>,
    words: FxHashMap<(Value, i64), u32>,
    last: u32,
    undo: Vec<Undo>,
}

impl Versions {
    /// Nothing has been written.
    pub fn new(n_classes: usize) -> Self {
        Self { classes: vec![Writes::default(); n_classes], words: FxHashMap::default(), last: 0, undo: Vec::new() }
    }

    /// A point to go back to.
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Forgets what has been written since.
    pub fn go_back(&mut self, mark: usize) {
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Class(class, old) => self.classes[class] = old,
                Undo::Word(word, Some(old)) => _ = self.words.insert(word, old),
                Undo::Word(word, None) => _ = self.words.remove(&word),
            }
        }
    }

    /// A write to some classes, of which the lowest bit is class 0; anywhere, if no place is given.
    pub fn written(&mut self, mut set: u64, place: Option<Place>) {
        if set == 0 {
            return;
        }
        self.last += 1;
        let (last, words) = (self.last, place.and_then(Place::words));
        let base = place.filter(|_| words.is_some()).map(|place| place.base);
        while set != 0 {
            let class = set.trailing_zeros() as usize;
            set &= set - 1;
            let old = self.classes[class];
            self.undo.push(Undo::Class(class, old));
            let others = match base {
                None => last,
                Some(_) if base == old.base => old.others,
                Some(_) => old.last,
            };
            self.classes[class] = Writes { last, base, others };
        }
        for word in words.into_iter().flatten() {
            let old = self.words.insert(word, last);
            self.undo.push(Undo::Word(word, old));
        }
    }

    /// The number of a place in a class.
    pub fn of(&self, class: usize, place: Place) -> u32 {
        let writes = self.classes[class];
        match place.words() {
            Some(words) if writes.base == Some(place.base) => {
                words.filter_map(|word| self.words.get(&word)).fold(writes.others, |n, &word| n.max(word))
            }
            _ => writes.last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::entity::Entity;

    #[test]
    fn only_writes_to_a_place_change_it() {
        let [a, b] = [0, 1].map(Value::from_index);
        let at = |base: Value, disp: i64, bytes: u32| Place { base, disp, bytes };
        let mut versions = Versions::new(2);
        let seen = |versions: &Versions, class: usize| {
            [(a, 0), (a, 4), (a, 8), (b, 0)].map(|(base, disp)| versions.of(class, at(base, disp, 4)))
        };
        assert_eq!(seen(&versions, 0), [0; 4]);
        versions.written(1, Some(at(a, 4, 4)));
        assert_eq!(seen(&versions, 0), [0, 1, 0, 1]);
        assert_eq!(seen(&versions, 1), [0; 4]);
        let mark = versions.mark();
        // A part of one word and of the next.
        versions.written(3, Some(at(a, 7, 2)));
        assert_eq!(seen(&versions, 0), [0, 2, 2, 2]);
        versions.written(1, Some(at(b, 0, 4)));
        assert_eq!(seen(&versions, 0), [3, 3, 3, 3]);
        versions.written(1, Some(at(a, -1, 1)));
        assert_eq!(seen(&versions, 0), [3, 3, 3, 4]);
        versions.written(1, Some(at(a, 0, 200)));
        assert_eq!(seen(&versions, 0), [5; 4]);
        versions.go_back(mark);
        assert_eq!(seen(&versions, 0), [0, 1, 0, 1]);
        versions.written(1, None);
        assert_eq!(seen(&versions, 0), [6; 4]);
    }
}
