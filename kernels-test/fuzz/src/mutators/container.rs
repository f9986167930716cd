//! The container of binaries (`runtime/src/program/binary.rs`), without its checksum: found pieces become others, and
//! their lengths are written anew. Knows nothing of what a reader refuses.

use super::rng::Rng;
use super::{other_module, other_options, other_source};

/// Bytes in front of the number of units: name and version, and the kind of program.
const HEAD: usize = 12;
const MODULE: u64 = 1;

/// A string with its length in front of it, as it lies in the container.
struct Piece {
    /// Where the length is.
    at: usize,
    end: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Options,
    Source,
    Module,
    Other,
}

/// The container with one piece changed.
pub fn other(bytes: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
    let pieces = pieces(bytes);
    let piece = pieces.get(rng.below(pieces.len().max(1)))?;
    let content = &bytes[piece.at + 8..piece.end];
    let new = match piece.kind {
        Kind::Options => other_options(content, rng)?,
        Kind::Module => other_module(content, rng)?,
        Kind::Source | Kind::Other => other_source(content, rng)?,
    };
    let mut out = bytes[..piece.at].to_vec();
    out.extend((new.len() as u64).to_le_bytes());
    out.extend(new);
    out.extend(&bytes[piece.end..]);
    Some(out)
}

/// The pieces of a container, as far as it can be read.
fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut at = HEAD;
    let _ = units(bytes, &mut at, &mut found);
    found
}

fn units(bytes: &[u8], at: &mut usize, found: &mut Vec<Piece>) -> Option<()> {
    for _ in 0..number::<8>(bytes, at)? {
        piece(bytes, at, Kind::Options, found)?;
        let is_module = number::<4>(bytes, at)? == MODULE;
        piece(bytes, at, if is_module { Kind::Module } else { Kind::Source }, found)?;
        for _ in 0..number::<8>(bytes, at)? {
            if is_module {
                number::<4>(bytes, at)?;
                piece(bytes, at, Kind::Other, found)?;
            } else {
                piece(bytes, at, Kind::Other, found)?;
                piece(bytes, at, Kind::Source, found)?;
                number::<4>(bytes, at)?;
            }
        }
    }
    Some(())
}

/// A number of `N` bytes.
fn number<const N: usize>(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (chunk, _) = bytes.get(*at..)?.split_first_chunk::<N>()?;
    *at += N;
    Some(chunk.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn piece(bytes: &[u8], at: &mut usize, kind: Kind, found: &mut Vec<Piece>) -> Option<()> {
    let start = *at;
    let length = usize::try_from(number::<8>(bytes, at)?).ok()?;
    let end = at.checked_add(length).filter(|&end| end <= bytes.len())?;
    *at = end;
    found.push(Piece { at: start, end, kind });
    Some(())
}
