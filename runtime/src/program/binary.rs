//! What `CL_PROGRAM_BINARIES` returns: a versioned, checksummed container with source, options and headers. Machine code
//! is made anew from it, so a binary works with every build of the driver and on every machine.

use super::{BinaryType, Built};
use clift_jit::Header;

const MAGIC: &[u8; 8] = b"CLIFT\0b1";

/// The container for a build.
pub fn write(built: &Built, source: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((built.binary_type as u32).to_le_bytes());
    out.extend((built.headers.len() as u32).to_le_bytes());
    let mut put = |bytes: &[u8]| {
        out.extend((bytes.len() as u64).to_le_bytes());
        out.extend(bytes);
    };
    for header in &built.headers {
        put(header.name.as_bytes());
        put(header.text.as_bytes());
    }
    put(built.options.as_bytes());
    put(source);
    out.extend(checksum(&out).to_le_bytes());
    out
}

/// Build state (not built yet) and source of a container; `None` if it is not one of ours or damaged.
pub fn read(bytes: &[u8]) -> Option<(Built, Vec<u8>)> {
    let (body, sum) = bytes.split_last_chunk::<8>().filter(|(_, sum)| bytes.len() > MAGIC.len() && sum.len() == 8)?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    let binary_type = match take_u32(&mut rest)? {
        1 => BinaryType::CompiledObject,
        2 => BinaryType::Library,
        4 => BinaryType::Executable,
        _ => return None,
    };
    let n_headers = take_u32(&mut rest)?;
    let mut headers = Vec::new();
    for _ in 0..n_headers {
        headers.push(Header { name: take_text(&mut rest)?, text: take_text(&mut rest)? });
    }
    let options = take_text(&mut rest)?;
    let source = take(&mut rest)?.to_vec();
    let built = Built { options, binary_type, headers, ..Built::nothing() };
    rest.is_empty().then_some((built, source))
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    let (value, tail) = rest.split_first_chunk::<4>()?;
    *rest = tail;
    Some(u32::from_le_bytes(*value))
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (len, tail) = rest.split_first_chunk::<8>()?;
    let (bytes, tail) = tail.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
    *rest = tail;
    Some(bytes)
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(take(rest)?.to_vec()).ok()
}

/// FNV-1a: against damage, not against intent.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &b| (sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_survive_the_round_trip_and_damage_is_found() {
        let header = Header { name: "a.h".into(), text: "int x;".into() };
        let built = Built {
            binary_type: BinaryType::CompiledObject,
            options: "-DA=1".into(),
            headers: vec![header],
            ..Built::nothing()
        };
        let bytes = write(&built, b"kernel void f() {}");
        let (back, source) = read(&bytes).expect("own container");
        assert_eq!((back.binary_type, back.options.as_str()), (BinaryType::CompiledObject, "-DA=1"));
        assert_eq!((back.headers[0].name.as_str(), source.as_slice()), ("a.h", &b"kernel void f() {}"[..]));
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_none());
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(read(&damaged).is_none());
        }
    }
}
