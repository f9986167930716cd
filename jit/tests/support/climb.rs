//! Where functions may be worst: arguments that are likely to be bad, and a climb from the worst ones found.

use crate::rng::Rng;
use std::collections::HashMap;

/// Arguments as bits of the type; the second one of a function with an int as that, none as 0.
pub type Args = [u64; 2];

/// What arguments a function takes.
#[derive(Clone, Copy, PartialEq)]
pub enum Shape {
    One,
    Two,
    WithInt,
}

/// Makes arguments of one type.
pub struct Maker {
    pub digits: u32,
    pub shape: Shape,
    pub rng: Rng,
}

impl Maker {
    fn mask(&self) -> u64 {
        if self.digits == 53 { u64::MAX } else { u64::from(u32::MAX) }
    }

    fn bits(&self, x: f64) -> u64 {
        if self.digits == 53 { x.to_bits() } else { u64::from((x as f32).to_bits()) }
    }

    fn value(&self, bits: u64) -> f64 {
        if self.digits == 53 { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
    }

    /// In [-1, 1).
    fn unit(&mut self) -> f64 {
        (self.rng.next() >> 10) as f64 / 2f64.powi(53) - 1.0
    }

    /// A number of some size.
    fn scaled(&mut self) -> f64 {
        let size = 2f64.powi(self.rng.below(120) as i32 - 60);
        self.unit() * size
    }

    /// Less than `2^k` steps from bits, for a random `k`.
    fn near(&mut self, bits: u64) -> u64 {
        let k = self.rng.below(self.digits as usize + 2);
        let step = self.rng.next() >> (63 - k.min(62));
        let beside = if self.rng.one_in(2) { bits.wrapping_add(step) } else { bits.wrapping_sub(step) };
        beside & self.mask()
    }

    /// One argument of any kind.
    fn argument(&mut self) -> u64 {
        let everyday = [1.0, 4.0, 40.0, 1000.0, 1e6][self.rng.below(5)];
        let x = match self.rng.below(8) {
            0 => return self.rng.next() & self.mask(),
            1 | 2 => self.unit() * everyday,
            3 => self.scaled(),
            4 => 1.0 + self.unit() * 2f64.powi(-(self.rng.below(50) as i32)),
            // Beside multiples of a half, and of a quarter of a turn.
            kind @ (5 | 6) => {
                let step = if kind == 5 { 0.5 } else { std::f64::consts::FRAC_PI_2 };
                let x = (self.unit() * everyday).round() * step;
                return self.near(self.bits(x));
            }
            // Where powers leave the numbers, or become subnormal.
            _ => [40.0, 104.0, 150.0, 310.0, 746.0, 1075.0][self.rng.below(6)] * (1.0 + self.unit() * 0.1),
        };
        let sign = if self.rng.one_in(2) { -1.0 } else { 1.0 };
        self.bits(sign * x)
    }

    /// An int of any size.
    fn int(&mut self) -> u64 {
        let n = (self.rng.next() as u32).cast_signed() >> self.rng.below(32);
        u64::from(n.cast_unsigned())
    }

    /// New arguments.
    pub fn make(&mut self) -> Args {
        let x = self.argument();
        let u = self.value(x);
        match self.shape {
            Shape::One => [x, 0],
            // Powers of the base that are near the ends of the numbers.
            Shape::WithInt if self.rng.one_in(2) => {
                let most = if self.digits == 53 { 1080.0 } else { 152.0 };
                let n = most * self.unit() / u.abs().log2();
                [x, u64::from((n as i32).cast_unsigned())]
            }
            Shape::WithInt => [x, self.int()],
            Shape::Two => [x, self.second(x, u)],
        }
    }

    /// A second argument that fits the first.
    fn second(&mut self, x: u64, u: f64) -> u64 {
        let most = if self.digits == 53 { 1076.0 } else { 150.0 };
        match self.rng.below(8) {
            0 => self.argument(),
            1 => self.rng.next() & self.mask(),
            // Of similar size, with a power of two between them or nearly so.
            2 => {
                let ratio = 2f64.powi(self.rng.below(8) as i32 - 4);
                let bits = self.bits(u * ratio);
                self.near(bits)
            }
            // As far apart as one of them counts, and further.
            3 => {
                let apart = self.rng.below(self.digits as usize + 8) as i32 - self.digits as i32 / 2;
                let unit = self.unit();
                self.bits(u * unit * 2f64.powi(apart))
            }
            // Powers of any size, and near the ends of the numbers.
            4 => {
                let unit = self.unit();
                self.bits(most * unit / u.abs().log2())
            }
            5 => {
                let end = [most, 0.92 * most, 0.85 * most, 0.95 * most][self.rng.below(4)];
                let factor = 1.0 + 0.01 * self.unit();
                let sign = if self.rng.one_in(2) { -1.0 } else { 1.0 };
                self.bits(sign * end * factor / u.abs().log2())
            }
            // Multiples, and those and a half, or a step beside.
            6 => {
                let times = (self.unit() * 2f64.powi(self.rng.below(30) as i32)).round();
                let half = if self.rng.one_in(2) { 0.5 } else { 0.0 };
                let bits = self.bits(u / (times + half));
                bits.wrapping_add(self.rng.below(5) as u64).wrapping_sub(2) & self.mask()
            }
            // Subnormal.
            _ => (x.rotate_left(17) ^ self.rng.next()) & ((1 << (self.digits - 1)) - 1),
        }
    }

    /// Arguments not far from these.
    pub fn beside(&mut self, args: Args) -> Args {
        let which = if self.shape == Shape::One { 0 } else { self.rng.below(3) };
        let mut other = args;
        for at in [0, 1].into_iter().filter(|&at| which == at || which == 2) {
            other[at] = if at == 1 && self.shape == Shape::WithInt {
                let k = self.rng.below(30);
                let step = self.rng.next() >> (63 - k);
                u64::from(args[at].wrapping_add(step).wrapping_sub(1 << k) as u32)
            } else if self.rng.one_in(8) {
                // The next binade, or the other sign.
                let step = 1 << (self.digits - 1);
                let sign = (self.mask() >> 1) + 1;
                [args[at].wrapping_add(step), args[at].wrapping_sub(step), args[at] ^ sign][self.rng.below(3)]
                    & self.mask()
            } else {
                self.near(args[at])
            };
        }
        other
    }
}

/// The worst arguments, at most one of a neighbourhood.
pub struct Pool {
    kept: HashMap<Args, (f64, Args)>,
    digits: u32,
}

impl Pool {
    const LEN: usize = 512;

    pub fn new(digits: u32) -> Self {
        Self { kept: HashMap::new(), digits }
    }

    /// The neighbourhood: the exponent and seven bits of each argument, without signs.
    fn cell(&self, args: Args) -> Args {
        let sign = if self.digits == 53 { 1 << 63 } else { 1 << 31 };
        args.map(|bits| (bits & !sign) >> (self.digits - 8))
    }

    pub fn offer(&mut self, error: f64, args: Args) {
        let cell = self.cell(args);
        let kept = self.kept.entry(cell).or_insert((error, args));
        if error > kept.0 {
            *kept = (error, args);
        }
    }

    /// The worst ones, the others forgotten.
    pub fn worst(&mut self) -> Vec<(f64, Args)> {
        let mut all: Vec<(f64, Args)> = self.kept.values().copied().collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if all.len() > 4 * Self::LEN {
            all.truncate(4 * Self::LEN);
            self.kept = all.iter().map(|&(error, args)| (self.cell(args), (error, args))).collect();
        }
        all.truncate(Self::LEN);
        all
    }
}
