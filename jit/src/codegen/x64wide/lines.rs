//! Where loops begin: an innermost loop lies in as few lines of 64 bytes as it can.
//!
//! Processors keep decoded instructions by the line that they come from, so a short loop across two lines takes two
//! entries a turn where one would do, which may be what limits it. Must not know instructions but their bytes.

use super::mir::MFunc;
use regalloc2::Block;

const LINE: usize = 64;
/// Longest loop that counts, in bytes. What a line more or less means to a longer one is little.
const MAX_BYTES: usize = 4 * LINE;

/// The bytes of each short innermost loop, by the block that it begins with; 0 for all other blocks. `labels` tells
/// where blocks begin that have code, `ends` to which of these a jump to any block leads.
pub fn innermost(func: &MFunc, labels: &[Option<usize>], ends: &[Block], code_bytes: usize) -> Vec<usize> {
    let n_blocks = func.blocks.len();
    // The last block from which a jump leads back to each.
    let mut latch = vec![None; n_blocks];
    for (n, block) in func.blocks.iter().enumerate().filter(|&(n, _)| labels[n].is_some()) {
        block.succs.iter().map(|s| ends[s.index()].index()).filter(|&to| to <= n).for_each(|to| latch[to] = Some(n));
    }
    let mut bytes = vec![0; n_blocks];
    // From the last loop to the first: where the code behind a block begins, and the nearest block behind that begins a
    // loop.
    let mut next_loop = n_blocks;
    let mut behind = vec![code_bytes; n_blocks];
    let mut at = code_bytes;
    for n in (0..n_blocks).rev() {
        behind[n] = at;
        at = labels[n].unwrap_or(at);
        let Some(latch) = latch[n] else { continue };
        let len = behind[latch] - at;
        if next_loop > latch && len <= MAX_BYTES {
            bytes[n] = len;
        }
        next_loop = n;
    }
    bytes
}

/// How many bytes to leave out before a loop of `len` bytes that would begin at `at`; none if `len` is 0.
pub fn padding(at: usize, len: usize) -> usize {
    let in_line = at % LINE;
    if len > 0 && (in_line + len).div_ceil(LINE) > len.div_ceil(LINE) { LINE - in_line } else { 0 }
}

/// An instruction without effect of at most this many bytes, and at most nine, and its text.
pub fn nop(bytes: usize) -> (&'static [u8], &'static str) {
    match bytes {
        0 => (&[], ""),
        1 => (&[0x90], "nop"),
        2 => (&[0x66, 0x90], "xchg ax, ax"),
        3 => (&[0x0f, 0x1f, 0x00], "nop [rax]"),
        4 => (&[0x0f, 0x1f, 0x40, 0x00], "nop [rax]"),
        5 => (&[0x0f, 0x1f, 0x44, 0x00, 0x00], "nop [rax + rax]"),
        6 => (&[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00], "nop [rax + rax]"),
        7 => (&[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00], "nop [rax]"),
        8 => (&[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00], "nop [rax + rax]"),
        _ => (&[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00], "nop [rax + rax]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::x64wide::mir::MBlock;

    /// `innermost` of blocks with these places, if they have code, and successors.
    fn bytes(blocks: &[(Option<usize>, &[usize])], code_bytes: usize) -> Vec<usize> {
        let mut func = MFunc::default();
        for (_, succs) in blocks {
            let mut block = MBlock::default();
            block.succs.extend(succs.iter().map(|&s| Block::new(s)));
            func.blocks.push(block);
        }
        let labels: Vec<Option<usize>> = blocks.iter().map(|b| b.0).collect();
        // A block without code only jumps on.
        let end = |n: usize| if labels[n].is_some() { n } else { blocks[n].1[0] };
        let ends: Vec<Block> = (0..blocks.len()).map(|n| Block::new(end(n))).collect();
        innermost(&func, &labels, &ends, code_bytes)
    }

    #[test]
    fn short_innermost_loops_are_found_with_their_bytes() {
        // 1 to 4 is a loop around 2 and 3; 5 is one by itself, through a block without code.
        let blocks: &[(Option<usize>, &[usize])] = &[
            (Some(0), &[1]),
            (Some(10), &[2]),
            (Some(30), &[3, 2]),
            (Some(50), &[2, 4]),
            (Some(90), &[1, 5]),
            (Some(100), &[6, 7]),
            (None, &[5]),
            (Some(111), &[]),
        ];
        assert_eq!(bytes(blocks, 120), [0, 0, 60, 0, 0, 11, 0, 0]);
    }

    #[test]
    fn long_loops_do_not_count() {
        assert_eq!(bytes(&[(Some(0), &[0, 1]), (Some(256), &[])], 300), [256, 0]);
        assert_eq!(bytes(&[(Some(0), &[0, 1]), (Some(257), &[])], 300), [0, 0]);
    }

    #[test]
    fn loops_are_moved_to_the_next_line_if_that_saves_one() {
        let all = (0..128usize).flat_map(|at| (0..=256usize).map(move |len| (at, len)));
        for (at, len) in all {
            let lines = |at: usize| if len == 0 { 0 } else { (at + len - 1) / 64 - at / 64 + 1 };
            let padding = padding(at, len);
            assert_eq!(lines(at + padding), len.div_ceil(64), "{len} bytes at {at}");
            assert!(padding == 0 || lines(at) > lines(at + padding), "{len} bytes at {at}");
        }
    }

    #[test]
    fn nops_have_the_bytes_that_were_asked_for() {
        (0..=9).for_each(|n| assert_eq!(nop(n).0.len(), n));
        assert_eq!(nop(63).0.len(), 9);
    }
}
