//! Index types of KIR and the vectors indexed by them.

use std::{fmt, marker::PhantomData, ops};

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);
        impl Entity for $name {
            fn from_index(index: usize) -> Self { Self(index as u32) }
            fn index(self) -> usize { self.0 as usize }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($prefix, "{}"), self.0) }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!($prefix, "{}"), self.0) }
        }
    )*};
}

entities! {
    /// A value: block parameter or instruction result.
    Value "%";
    /// A basic block.
    Block "b";
    /// An instruction.
    Inst "inst";
    /// A private-memory slot of a function.
    SlotId "slot";
    /// A function of a module.
    FuncId "fn";
    /// A program-scope variable of a module.
    GlobalId "g";
    /// A local-memory (work-group) variable of a module.
    LocalVarId "lv";
}

/// An index into an `Arena`.
pub trait Entity: Copy + Eq {
    /// The entity with this index.
    fn from_index(index: usize) -> Self;
    /// The index.
    fn index(self) -> usize;
}

/// A growable vector indexed by an entity.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Arena<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> Arena<K, V> {
    /// An empty arena.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }
    /// Adds an item.
    pub fn push(&mut self, item: V) -> K {
        self.items.push(item);
        K::from_index(self.items.len() - 1)
    }
    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }
    /// All items in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
    /// All items in order, mutable.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }
    /// All pairs in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }
    /// The item if the key is in range.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
}

impl<K: Entity, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> ops::Index<K> for Arena<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> ops::IndexMut<K> for Arena<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

/// A set of entities, one bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntitySet<K> {
    words: Vec<u64>,
    key: PhantomData<K>,
}

impl<K: Entity> EntitySet<K> {
    /// An empty set that has room for the first `n` entities.
    pub fn new(n: usize) -> Self {
        Self { words: vec![0; n.div_ceil(64)], key: PhantomData }
    }
    /// True if the entity is in the set.
    pub fn contains(&self, key: K) -> bool {
        self.words.get(key.index() / 64).is_some_and(|word| word >> (key.index() % 64) & 1 != 0)
    }
    /// Adds an entity; true if it is new.
    pub fn insert(&mut self, key: K) -> bool {
        let is_new = !self.contains(key);
        self.words[key.index() / 64] |= 1 << (key.index() % 64);
        is_new
    }
    /// Takes an entity out.
    pub fn remove(&mut self, key: K) {
        self.words[key.index() / 64] &= !(1 << (key.index() % 64));
    }
    /// Adds all of `other`; true if that changed anything.
    pub fn union(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            changed |= *b & !*a != 0;
            *a |= b;
        }
        changed
    }
    /// Members in order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| K::from_index(i * 64 + bit))
        })
    }
    /// Members that are in `other`, too, in order.
    pub fn intersection<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = K> + 's {
        self.iter().filter(|&key| other.contains(key))
    }
}
