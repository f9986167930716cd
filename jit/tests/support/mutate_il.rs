//! Changes SPIR-V modules: instructions go, come from elsewhere and change places; their words become others.

use super::rng::Rng;

/// Words of a header.
pub const HEADER: usize = 5;

/// A module's words, in the byte order of this machine; what is left of a last one is left out.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

/// A module in bytes.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `module` with one to four changes; instructions of `others` may come into it. It has a header and need not be good.
pub fn mutant(module: &[u32], others: &[Vec<u32>], rng: &mut Rng) -> Vec<u8> {
    let (header, mut insts) = (module[..HEADER].to_vec(), split(&module[HEADER..]));
    for _ in 0..=rng.below(4) {
        change(&mut insts, &header, others, rng);
    }
    let mut words = header;
    words.extend(insts.into_iter().flatten());
    match rng.below(40) {
        0 => words.truncate(rng.below(words.len())),
        1 => words.iter_mut().for_each(|word| *word = word.swap_bytes()),
        2 => {
            let at = rng.below(HEADER);
            words[at] = rng.next() as u32;
        }
        3 => {
            // Bits anywhere.
            let at = rng.below(words.len());
            words[at] ^= 1 << rng.below(32);
        }
        _ => {}
    }
    let mut il = bytes(&words);
    if rng.one_in(200) {
        il.truncate(rng.below(il.len().max(1)));
    }
    il
}

/// The instructions behind a header. One that says it has none or too many words has one, or the rest.
fn split(mut words: &[u32]) -> Vec<Vec<u32>> {
    let mut insts = Vec::new();
    while let Some(first) = words.first() {
        let (inst, rest) = words.split_at(((first >> 16) as usize).clamp(1, words.len()));
        insts.push(inst.to_vec());
        words = rest;
    }
    insts
}

/// Changes something between instructions, or in one.
fn change(insts: &mut Vec<Vec<u32>>, header: &[u32], others: &[Vec<u32>], rng: &mut Rng) {
    if insts.is_empty() {
        return;
    }
    let (at, other) = (rng.below(insts.len()), rng.below(insts.len()));
    match rng.below(16) {
        0 => insts.swap(at, other),
        1 => {
            insts.remove(at);
        }
        2 => insts.insert(at, insts[other].clone()),
        3 => {
            // From another module: with ids that mean something else here.
            let from = split(&others[rng.below(others.len())][HEADER..]);
            let inst = from[rng.below(from.len())].clone();
            insts.insert(at, inst);
        }
        4 => {
            let end = (at + 1 + rng.below(8)).min(insts.len());
            insts[at..end].reverse();
        }
        5 => {
            // Another instruction of the same shape.
            let opcode = if rng.one_in(2) { insts[other][0] & 0xffff } else { rng.below(500) as u32 };
            insts[at][0] = insts[at][0] & !0xffff | opcode;
        }
        6 => {
            let length = rng.below(insts[at].len()) + 1;
            insts[at].truncate(length);
            insts[at][0] = (length as u32) << 16 | insts[at][0] & 0xffff;
        }
        7 => {
            let more: Vec<u32> = (0..=rng.below(4)).map(|_| word(insts, header, rng)).collect();
            insts[at].extend(more);
            let length = insts[at].len() as u32;
            insts[at][0] = length << 16 | insts[at][0] & 0xffff;
        }
        8 if insts[at].len() > 2 => {
            let n = insts[at].len() - 1;
            let (a, b) = (1 + rng.below(n), 1 + rng.below(n));
            insts[at].swap(a, b);
        }
        9 => rename(insts, header, rng),
        _ => {
            let n = rng.below(insts[at].len());
            if n > 0 {
                insts[at][n] = word(insts, header, rng);
            }
        }
    }
}

/// One id becomes another one wherever it occurs from some instruction on.
fn rename(insts: &mut [Vec<u32>], header: &[u32], rng: &mut Rng) {
    let [from, to] = [0; 2].map(|_| rng.below((header[3] as usize).max(1)) as u32);
    let first = rng.below(insts.len());
    for word in insts[first..].iter_mut().flat_map(|inst| &mut inst[1..]) {
        if *word == from {
            *word = to;
        }
    }
}

/// An operand: an id, a word that occurs, a number that is small or huge.
fn word(insts: &[Vec<u32>], header: &[u32], rng: &mut Rng) -> u32 {
    match rng.below(8) {
        0..3 => rng.below((header[3] as usize).max(1)) as u32,
        3..6 => {
            let inst = &insts[rng.below(insts.len())];
            inst[rng.below(inst.len())]
        }
        6 => rng.below(70) as u32,
        _ => rng.of(&[u32::MAX, 1 << 31, 1 << 30, 0xffff, 1 << 16, 1 << 20, 0x7fff_ffff, 0xffff_fff0]),
    }
}
