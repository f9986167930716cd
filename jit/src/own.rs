//! Memory that work-items have to themselves: whether accesses whose addresses are sums over ids meet. What code
//! accesses is found by `analysis::footprint`; here is what a launch makes of it, which knows sizes and arguments.
//!
//! An address is a sum of products: each id times what does not change in a launch, such as `4 * width * gid(1)`. Then
//! work-items meet nowhere if the products, from the smallest to the largest, each step over all that those before
//! reach: numbers in a mixed radix. That is enough for rows, tiles and planes, and what it says is exact: all numbers
//! are computed without wrapping, and where code computes in 32 bits, it must not have wrapped.
//!
//! Must not know KIR nor OpenCL objects.

use serde::{Deserialize, Serialize};

/// A number that differs between work-items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Id {
    /// `get_global_id`
    Global(u8),
    /// `get_group_id`
    Group(u8),
    /// `get_local_id`
    Local(u8),
}

/// A number that is the same in all of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Symbol {
    /// The integer argument of this number, signed.
    Arg(u32),
    /// `get_global_size`
    GlobalSize(u8),
    /// `get_local_size`, where it is the same in all groups.
    LocalSize(u8),
    /// `get_num_groups`
    Groups(u8),
}

/// A product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term {
    /// The id, if there is one.
    pub id: Option<Id>,
    /// In order.
    pub symbols: Vec<Symbol>,
    /// What all is multiplied with.
    pub factor: i64,
}

/// A sum of products and a number from a range.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// Products, in order, none of them twice.
    pub terms: Vec<Term>,
    /// The range's first number.
    pub low: i64,
    /// The range's last number.
    pub high: i64,
}

/// A sum of which code has only 32 bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrow {
    /// The sum.
    pub sum: Sum,
    /// They are read as a signed number.
    pub signed: bool,
}

/// What a kernel accesses of an object: bytes from `sum.low` to `sum.high`, as each of its accesses is at the same sum
/// but for the range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// Number of the argument.
    pub arg: u32,
    /// In bytes, from where the argument points.
    pub sum: Sum,
    /// What the sums hold if.
    pub narrow: Vec<Narrow>,
}

/// A launch, for `Footprint::is_apart`.
pub trait Launch {
    /// Least value of an id, and how many it has.
    fn ids(&self, id: Id) -> (i128, i128);
    /// The value of a symbol, if it has one.
    fn symbol(&self, symbol: Symbol) -> Option<i128>;
}

impl Sum {
    /// A number.
    pub fn number(n: i64) -> Self {
        Self { terms: Vec::new(), low: n, high: n }
    }

    /// A product without a factor.
    pub fn term(id: Option<Id>, symbols: &[Symbol]) -> Self {
        Self { terms: vec![Term { id, symbols: symbols.into(), factor: 1 }], low: 0, high: 0 }
    }

    /// The sum of both; nothing if numbers become too large.
    pub fn plus(mut self, other: &Self) -> Option<Self> {
        for term in &other.terms {
            self.push(term.clone())?;
        }
        (self.low, self.high) = (self.low.checked_add(other.low)?, self.high.checked_add(other.high)?);
        (self.terms.len() <= MAX_TERMS).then_some(self)
    }

    fn push(&mut self, term: Term) -> Option<()> {
        let key = |term: &Term| (term.id, term.symbols.clone());
        match self.terms.binary_search_by_key(&key(&term), key) {
            Ok(n) => {
                self.terms[n].factor = self.terms[n].factor.checked_add(term.factor)?;
                if self.terms[n].factor == 0 {
                    self.terms.remove(n);
                }
            }
            Err(n) => self.terms.insert(n, term),
        }
        Some(())
    }

    /// The sum times a number.
    pub fn scale(mut self, by: i64) -> Option<Self> {
        if by == 0 {
            return Some(Self::number(0));
        }
        for term in &mut self.terms {
            term.factor = term.factor.checked_mul(by)?;
        }
        let [a, b] = [self.low.checked_mul(by)?, self.high.checked_mul(by)?];
        (self.low, self.high) = (a.min(b), a.max(b));
        Some(self)
    }

    /// The product of two sums; nothing if it would have two ids in a product, or a range times what is no number.
    pub fn multiply(&self, other: &Self) -> Option<Self> {
        let (a, b) = if other.terms.is_empty() { (other, self) } else { (self, other) };
        if a.terms.is_empty() && a.low == a.high {
            return b.clone().scale(a.low);
        }
        if a.low != a.high || b.low != b.high {
            return None;
        }
        let parts = |sum: &Self| {
            let mut parts = sum.terms.clone();
            if sum.low != 0 {
                parts.push(Term { id: None, symbols: Vec::new(), factor: sum.low });
            }
            parts
        };
        let mut product = Self::default();
        for x in parts(a) {
            for y in parts(b) {
                if x.id.is_some() && y.id.is_some() {
                    return None;
                }
                let mut symbols: Vec<Symbol> = x.symbols.iter().chain(&y.symbols).copied().collect();
                symbols.sort_unstable();
                let factor = x.factor.checked_mul(y.factor)?;
                let id = x.id.or(y.id);
                if id.is_none() && symbols.is_empty() {
                    (product.low, product.high) = (product.low.checked_add(factor)?, product.high.checked_add(factor)?);
                } else {
                    product.push(Term { id, symbols, factor })?;
                }
            }
        }
        (product.terms.len() <= MAX_TERMS).then_some(product)
    }

    /// What a launch makes of it: factors of ids, and the sum of what else there is.
    fn in_launch(&self, launch: &impl Launch) -> Option<(Vec<(Id, i128)>, i128)> {
        let mut ids: Vec<(Id, i128)> = Vec::new();
        let mut rest = 0i128;
        for term in &self.terms {
            let mut value = i128::from(term.factor);
            for &symbol in &term.symbols {
                value = value.checked_mul(launch.symbol(symbol)?)?;
            }
            match term.id {
                None => rest = rest.checked_add(value)?,
                Some(id) => match ids.iter_mut().find(|known| known.0 == id) {
                    Some(known) => known.1 = known.1.checked_add(value)?,
                    None => ids.push((id, value)),
                },
            }
        }
        Some((ids, rest))
    }
}

/// How far apart addresses may be, in bytes.
const MAX_REACH: i128 = 1 << 63;

/// Products of a sum at most.
const MAX_TERMS: usize = 8;

impl Narrow {
    fn holds(&self, launch: &impl Launch) -> Option<bool> {
        let (ids, rest) = self.sum.in_launch(launch)?;
        let (mut low, mut high) = (rest + i128::from(self.sum.low), rest + i128::from(self.sum.high));
        for (id, factor) in ids {
            let (first, count) = launch.ids(id);
            let ends = [first, first + count - 1].map(|n| factor.checked_mul(n));
            let [a, b] = [ends[0]?, ends[1]?];
            (low, high) = (low.checked_add(a.min(b))?, high.checked_add(a.max(b))?);
        }
        let range = if self.signed { i128::from(i32::MIN)..=i32::MAX.into() } else { 0..=u32::MAX.into() };
        Some(range.contains(&low) && range.contains(&high))
    }
}

impl Footprint {
    /// True if no two work-items of the launch access the same byte.
    pub fn is_apart(&self, launch: &impl Launch) -> bool {
        self.steps_over(launch).unwrap_or(false)
    }

    fn steps_over(&self, launch: &impl Launch) -> Option<bool> {
        for narrow in &self.narrow {
            if !narrow.holds(launch)? {
                return Some(false);
            }
        }
        let (mut ids, _) = self.sum.in_launch(launch)?;
        ids.retain(|&(id, _)| launch.ids(id).1 > 1);
        ids.sort_by_key(|&(_, factor)| factor.unsigned_abs());
        let mut reach = i128::from(self.sum.high) - i128::from(self.sum.low) + 1;
        for &(id, factor) in &ids {
            let step = factor.checked_abs()?;
            if step < reach {
                return Some(false);
            }
            reach = reach.checked_add(step.checked_mul(launch.ids(id).1 - 1)?)?;
        }
        // Addresses are modulo 2^64: as long as all lie nearer together, none is another.
        if reach > MAX_REACH {
            return Some(false);
        }
        let has = |id: Id| launch.ids(id).1 == 1 || ids.iter().any(|known| known.0 == id);
        Some((0..3).all(|d| has(Id::Global(d)) || has(Id::Group(d)) && has(Id::Local(d))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 × 10 work-items in groups of 10 × 5 and the first argument.
    struct Sizes(i128);

    impl Launch for Sizes {
        fn ids(&self, id: Id) -> (i128, i128) {
            match id {
                Id::Global(0) => (0, 100),
                Id::Global(1) | Id::Group(0) | Id::Local(0) => (0, 10),
                Id::Group(1) => (0, 2),
                Id::Local(1) => (0, 5),
                _ => (0, 1),
            }
        }
        fn symbol(&self, symbol: Symbol) -> Option<i128> {
            match symbol {
                Symbol::Arg(0) => Some(self.0),
                Symbol::LocalSize(0) => Some(10),
                _ => None,
            }
        }
    }

    /// `4 * (x + y * width)` and so many bytes.
    fn plane(bytes: i64) -> Footprint {
        let row = Sum::term(None, &[Symbol::Arg(0)]).multiply(&Sum::term(Some(Id::Global(1)), &[]));
        let index = row.unwrap().plus(&Sum::term(Some(Id::Global(0)), &[])).unwrap();
        let mut sum = index.clone().scale(4).unwrap();
        sum.high += bytes - 1;
        Footprint { arg: 1, sum, narrow: vec![Narrow { sum: index, signed: true }] }
    }

    #[test]
    fn planes_are_apart_if_their_rows_are_as_long_as_the_launch() {
        assert!(plane(4).is_apart(&Sizes(100)));
        assert!(plane(4).is_apart(&Sizes(-100)), "rows may go up");
        assert!(!plane(4).is_apart(&Sizes(99)));
        assert!(!plane(5).is_apart(&Sizes(100)), "neighbours meet");
        assert!(!plane(4).is_apart(&Sizes(0)));
        assert!(!plane(4).is_apart(&Sizes(1 << 30)), "the index wraps");
    }

    #[test]
    fn every_dimension_counts() {
        let of = |sum: Sum| Footprint { arg: 0, sum: sum.scale(4).unwrap(), narrow: Vec::new() };
        assert!(!of(Sum::term(Some(Id::Global(0)), &[])).is_apart(&Sizes(0)), "rows meet");
        let x =
            Sum::term(Some(Id::Group(0)), &[Symbol::LocalSize(0)]).plus(&Sum::term(Some(Id::Local(0)), &[])).unwrap();
        let y = Sum::term(Some(Id::Global(1)), &[]).scale(100).unwrap();
        assert!(of(x.clone().plus(&y).unwrap()).is_apart(&Sizes(0)), "group times size plus local id");
        assert!(!of(x).is_apart(&Sizes(0)));
        let unknown = Sum::term(Some(Id::Global(1)), &[Symbol::Groups(0)]);
        assert!(!of(unknown.plus(&Sum::term(Some(Id::Global(0)), &[])).unwrap()).is_apart(&Sizes(0)));
    }

    #[test]
    fn sums_multiply_as_numbers_do() {
        let x = Sum::term(Some(Id::Global(0)), &[]);
        let w = Sum::term(None, &[Symbol::Arg(0)]);
        let both =
            x.clone().plus(&Sum::number(2)).unwrap().multiply(&w.clone().plus(&Sum::number(3)).unwrap()).unwrap();
        let parts = [x.multiply(&w).unwrap(), x.clone().scale(3).unwrap(), w.scale(2).unwrap(), Sum::number(6)];
        let sum = parts.iter().try_fold(Sum::default(), Sum::plus).unwrap();
        assert_eq!(both, sum);
        assert_eq!(x.multiply(&x), None);
        assert_eq!(x.clone().plus(&x.scale(-1).unwrap()), Some(Sum::number(0)));
    }
}
