//! Data and references of kernels that look up, filter, align and hash.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use super::{case, inputs};
use crate::data::{Arg, Case, Random, all, bytes, float, int, line, plane, same, u32_at, words, zeros};

pub fn btree() -> Case {
    const ORDER: usize = 128;
    const TOP: usize = 16;
    const MIDDLE: usize = 128;
    const RECORDS: usize = TOP * MIDDLE * ORDER;
    const QUERIES: usize = 8192;
    /// Words of a node: place, indices, keys, whether it is a leaf, number of keys.
    const NODE: usize = 2 * ORDER + 5;
    // The root's children, then theirs, which hold the records; a record's key is twice its number.
    let mut nodes = Vec::new();
    let mut node = |first_child: usize, count: usize, first_key: usize, step: usize| {
        let mut words = vec![i32::MAX; NODE];
        words[0] = (nodes.len() / NODE) as i32;
        for k in 0..count {
            words[1 + k] = (first_child + k) as i32;
            words[2 + ORDER + k] = (first_key + k * step) as i32;
        }
        words[NODE - 2] = i32::from(step == 2);
        words[NODE - 1] = count as i32;
        nodes.extend(words);
    };
    node(1, TOP, 0, 2 * RECORDS / TOP);
    (0..TOP).for_each(|i| node(1 + TOP + i * MIDDLE, MIDDLE, i * 2 * RECORDS / TOP, 2 * ORDER));
    (0..TOP * MIDDLE).for_each(|i| node(i * ORDER, ORDER, i * 2 * ORDER, 2));
    let mut random = Random(81);
    let records = random.words(RECORDS);
    let keys = bytes(QUERIES, |_| (random.bits() % (2 * RECORDS as u32)).to_le_bytes());
    let mut args = vec![int(2), Arg::In(bytes(nodes.len(), |i| nodes[i].to_le_bytes())), int(nodes.len() / NODE)];
    args.extend([Arg::In(records), Arg::In(keys), zeros(4 * QUERIES)]);
    case(args, line(QUERIES * ORDER, ORDER), |args, out| {
        let keys = words(args[4].bytes());
        let answer =
            |key: u32| if key.is_multiple_of(2) { u32_at(args[3].bytes(), key as usize / 2) } else { u32::MAX };
        same(&out[0], |i| answer(keys[i]))
    })
}

pub fn filter() -> Case {
    const N: usize = 1 << 21;
    const GROUP: usize = 256;
    const LOW: u32 = 500;
    const HIGH: u32 = 865;
    const QUANTITY: u32 = 24;
    const PRICE: f32 = 20.0;
    let mut random = Random(82);
    let mut column = |limit: u32| bytes(N, |_| (random.bits() % limit).to_le_bytes());
    let [quantities, dates] = [50, 2500].map(&mut column);
    let prices = random.floats(N, [1.0, 100.0]);
    let mut args: Vec<_> = [quantities, prices, dates].map(Arg::In).into();
    args.extend([zeros(4 * N), zeros(4 * N / GROUP), int(N)]);
    args.extend([LOW, HIGH, QUANTITY].map(|value| int(value as usize)));
    args.push(float(PRICE));
    case(args, line(N, GROUP), |args, out| {
        let [prices] = inputs(args, [1]);
        let [quantities, dates] = [0, 2].map(|k| words(args[k].bytes()));
        let is_in =
            |i: &usize| (LOW..HIGH).contains(&dates[*i]) && quantities[*i] < QUANTITY && prices[*i] >= f64::from(PRICE);
        all(N / GROUP, |group| {
            let mut want: Vec<u32> = (GROUP * group..).take(GROUP).filter(is_in).map(|i| i as u32).collect();
            let count = want.len();
            want.resize(GROUP, 0);
            let mut got = words(&out[0][4 * GROUP * group..][..4 * GROUP]);
            // Which work-item counts first is open.
            got[..count].sort_unstable();
            let is_right = got == want && u32_at(&out[1], group) as usize == count;
            if is_right { Ok(()) } else { Err(format!("is not {count} rows: {:?}", &want[..count])) }
        })
    })
}

/// The finaliser of MurmurHash3.
fn mix(mut key: u32) -> usize {
    key ^= key >> 16;
    key = key.wrapping_mul(0x85eb_ca6b);
    key ^= key >> 13;
    key = key.wrapping_mul(0xc2b2_ae35);
    (key ^ (key >> 16)) as usize
}

pub fn hash_probe() -> Case {
    const SLOTS: usize = 1 << 20;
    const N: usize = 1 << 20;
    let mut random = Random(83);
    let mut table = vec![[u32::MAX, 0]; SLOTS];
    let mut present = Vec::new();
    for row in 0..SLOTS / 2 {
        // An odd number is in the table, an even one is not.
        let key = random.bits() >> 1 | 1;
        let mut slot = mix(key) % SLOTS;
        while ![u32::MAX, key].contains(&table[slot][0]) {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = [key, row as u32];
        present.push(key);
    }
    let keys = bytes(N, |_| (present[random.bits() as usize % present.len()] & !(random.bits() & 1)).to_le_bytes());
    let table_bytes = bytes(2 * SLOTS, |i| table[i / 2][i % 2].to_le_bytes());
    let args = vec![Arg::In(keys), Arg::In(table_bytes), int(SLOTS - 1), zeros(4 * N), int(N)];
    case(args, line(N, 256), move |args, out| {
        let keys = words(args[0].bytes());
        let rows: std::collections::HashMap<u32, u32> = table.iter().map(|[key, row]| (*key, *row)).collect();
        same(&out[0], |i| rows.get(&keys[i]).copied().unwrap_or(u32::MAX))
    })
}

pub fn nw() -> Case {
    const BLOCK: usize = 16;
    const BLOCKS: usize = 16;
    const ALIGNMENTS: usize = 64;
    const COLUMNS: usize = BLOCK * BLOCKS + 1;
    const N: usize = ALIGNMENTS * COLUMNS * COLUMNS;
    const PENALTY: i32 = 10;
    let mut random = Random(84);
    let scores = bytes(N, |_| (random.bits() as i32 % 10).to_le_bytes());
    let items = bytes(N, |_| (random.bits() as i32 % 100).to_le_bytes());
    let args = vec![Arg::In(scores), Arg::Out(items), int(COLUMNS), int(PENALTY as usize), int(BLOCKS)];
    case(args, plane([BLOCK * BLOCKS, ALIGNMENTS], [BLOCK, 1]), |args, out| {
        let scores = words(args[0].bytes());
        let mut want: Vec<i32> = words(args[1].bytes()).iter().map(|item| *item as i32).collect();
        for at in 0..ALIGNMENTS * BLOCKS * BLOCK * BLOCK {
            let (cell, block, alignment) =
                (at % (BLOCK * BLOCK), at / (BLOCK * BLOCK) % BLOCKS, at / BLOCK / BLOCK / BLOCKS);
            let (x, y) = (block * BLOCK + cell % BLOCK + 1, (BLOCKS - 1 - block) * BLOCK + cell / BLOCK + 1);
            let i = (alignment * COLUMNS + y) * COLUMNS + x;
            let diagonal = want[i - COLUMNS - 1] + scores[i] as i32;
            want[i] = diagonal.max(want[i - 1] - PENALTY).max(want[i - COLUMNS] - PENALTY);
        }
        same(&out[0], |i| want[i] as u32)
    })
}

pub fn smith_waterman() -> Case {
    const PAIRS: usize = 1024;
    const QUERY: usize = 64;
    const SUBJECT: usize = 256;
    const MATCH: i32 = 2;
    const MISMATCH: i32 = -1;
    const GAP: i32 = 1;
    let mut random = Random(85);
    let [queries, subjects] = [QUERY, SUBJECT].map(|length| bytes(PAIRS * length, |_| [(random.bits() >> 30) as u8]));
    let mut args = vec![Arg::In(queries), Arg::In(subjects), zeros(4 * PAIRS), int(SUBJECT)];
    args.extend([MATCH, MISMATCH, GAP].map(|score| Arg::Value(score.to_le_bytes().into())));
    case(args, line(PAIRS * QUERY, QUERY), |args, out| {
        let best = |pair: usize| {
            let (mut before, mut best) = (vec![0; SUBJECT + 1], 0);
            for own in &args[0].bytes()[QUERY * pair..][..QUERY] {
                let mut now = vec![0; SUBJECT + 1];
                for (j, other) in args[1].bytes()[SUBJECT * pair..][..SUBJECT].iter().enumerate() {
                    let diagonal = before[j] + if own == other { MATCH } else { MISMATCH };
                    now[j + 1] = diagonal.max(now[j] - GAP).max(before[j + 1] - GAP).max(0);
                    best = best.max(now[j + 1]);
                }
                before = now;
            }
            best as u32
        };
        let want: Vec<_> = (0..PAIRS).into_par_iter().map(best).collect();
        same(&out[0], |i| want[i])
    })
}

/// The MD5 digest of the key with a number: eight letters.
fn md5_of(mut number: u32) -> [u32; 4] {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut block = [0u32; 16];
    for i in 0..8 {
        block[i / 4] |= (u32::from(b'a') + number % 26) << (8 * (i % 4));
        number /= 26;
    }
    (block[2], block[14]) = (0x80, 64);
    let [mut a, mut b, mut c, mut d] = START;
    for i in 0..64 {
        let (mixed, word) = match i / 16 {
            0 => ((b & c) | (!b & d), i),
            1 => ((d & b) | (!d & c), 5 * i + 1),
            2 => (b ^ c ^ d, 3 * i + 5),
            _ => (c ^ (b | !d), 7 * i),
        };
        let constant = (((i + 1) as f64).sin().abs() * 2f64.powi(32)) as u32;
        let sum = [mixed, constant, block[word % 16]].into_iter().fold(a, u32::wrapping_add);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
    }
    [0, 1, 2, 3].map(|k| START[k].wrapping_add([a, b, c, d][k]))
}

pub fn md5() -> Case {
    const KEYS: usize = 1 << 20;
    const FIRST: u32 = 50_000_000;
    /// Two of the digests belong to keys that are not tried.
    const WANTED: [u32; 8] = [0, 1, 77_777, 400_003, 777_777, 1_048_575, 1_048_576, 4_000_000_000];
    let digests = bytes(4 * WANTED.len(), |i| md5_of(FIRST.wrapping_add(WANTED[i / 4]))[i % 4].to_le_bytes());
    let args = vec![Arg::In(digests), int(WANTED.len()), Arg::Out(vec![255; 4 * WANTED.len()]), int(FIRST as usize)];
    case(args, line(KEYS, 256), |_, out| {
        same(&out[0], |i| if (WANTED[i] as usize) < KEYS { WANTED[i] } else { u32::MAX })
    })
}

/// The order of the words of a message in the rounds of BLAKE2s.
const SIGMA: [&str; 10] = [
    "0123456789abcdef",
    "ea489fd61c02b753",
    "b8c052fdae367194",
    "7931dcbe265a40f8",
    "905724afe1bc683d",
    "2c6a0b834d75fe19",
    "c51fed4a0763928b",
    "db7ec13950f4862a",
    "6fe9b308c2d714a5",
    "a2847615fb9e3cd0",
];
/// The words of a state that each of the eight steps of a round mixes.
const MIXED: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// BLAKE2s-256 of a message of 16 words.
fn blake2s_of(message: &[u8]) -> [u32; 8] {
    // The fractions of the roots of the first primes.
    let start =
        [2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0].map(|prime: f64| (prime.sqrt().fract() * 2f64.powi(32)) as u32);
    let mut h = start;
    h[0] ^= 0x0101_0020;
    let mut v = [h, start].concat();
    v[12] ^= 64;
    v[14] = !v[14];
    for order in SIGMA {
        let words: Vec<u32> =
            order.chars().filter_map(|c| c.to_digit(16)).map(|k| u32_at(message, k as usize)).collect();
        for (pair, [a, b, c, d]) in words.chunks(2).zip(MIXED) {
            for (word, [first, second]) in pair.iter().zip([[16, 12], [8, 7]]) {
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(*word);
                v[d] = (v[d] ^ v[a]).rotate_right(first);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(second);
            }
        }
    }
    std::array::from_fn(|i| h[i] ^ v[i] ^ v[i + 8])
}

pub fn blake2s() -> Case {
    const N: usize = 1 << 16;
    let messages = Random(86).words(16 * N);
    case(vec![Arg::In(messages), zeros(32 * N), int(N)], line(N, 64), |args, out| {
        let digests: Vec<_> = args[0].bytes().par_chunks(64).map(blake2s_of).collect();
        same(&out[0], |i| digests[i / 8][i % 8])
    })
}
