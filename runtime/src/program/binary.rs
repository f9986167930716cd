//! What `CL_PROGRAM_BINARIES` returns: a versioned, checksummed container with the options of every translation unit,
//! and its source and headers or its module and specialization constants. Machine code is made anew from them, so a
//! binary works with every build of the driver that knows the container's version and on every machine, and needs no
//! file that the source included.

use super::unit::{Input, Unit};
use super::{BinaryType, Built};
use clift_jit::{Header, HeaderKind};

/// How containers begin; a byte with the version follows.
const MAGIC: &[u8; 7] = b"CLIFT\0b";
/// The version that is written.
const VERSION: u8 = b'4';
/// One that programs may have kept. It does not say what headers stand in for.
const VERSION_3: u8 = b'3';

/// What headers stand in for, by number.
const KINDS: [HeaderKind; 2] = [HeaderKind::Named, HeaderKind::File];

/// Kinds of units.
const TEXT: u32 = 0;
const MODULE: u32 = 1;

/// The container for a program.
pub fn write(binary_type: BinaryType, units: &[Unit]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    out.extend((binary_type as u32).to_le_bytes());
    out.extend(self::units(units));
    out.extend(checksum(&out).to_le_bytes());
    out
}

/// All that units are compiled of: other units have other bytes.
pub fn units(units: &[Unit]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend((units.len() as u64).to_le_bytes());
    for unit in units {
        put(&mut out, unit.options.as_bytes());
        match &unit.input {
            Input::Text { source, headers } => {
                out.extend(TEXT.to_le_bytes());
                put(&mut out, source);
                out.extend((headers.len() as u64).to_le_bytes());
                for header in headers {
                    put(&mut out, header.name.as_bytes());
                    put(&mut out, header.text.as_bytes());
                    out.extend(u32::from(header.kind == HeaderKind::File).to_le_bytes());
                }
            }
            Input::Module { il, constants } => {
                out.extend(MODULE.to_le_bytes());
                put(&mut out, il);
                out.extend((constants.len() as u64).to_le_bytes());
                for (id, value) in constants {
                    out.extend(id.to_le_bytes());
                    put(&mut out, value);
                }
            }
        }
    }
    out
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

/// The state of a program loaded from a container (not built yet); `None` if it is not one of ours, of another version,
/// or damaged.
pub fn read(bytes: &[u8]) -> Option<Built> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let (&version, body) = body.strip_prefix(MAGIC)?.split_first()?;
    if ![VERSION_3, VERSION].contains(&version) {
        return None;
    }
    let mut rest = Reader(body);
    let binary_type = match rest.u32()? {
        1 => BinaryType::CompiledObject,
        2 => BinaryType::Library,
        4 => BinaryType::Executable,
        _ => return None,
    };
    let mut units = Vec::new();
    for _ in 0..rest.u64()? {
        let (options, kind, bytes, n) = (rest.text()?, rest.u32()?, rest.bytes()?.into(), rest.u64()?);
        let input = match kind {
            TEXT => {
                let mut headers = Vec::new();
                for _ in 0..n {
                    let (name, text) = (rest.text()?, rest.text()?);
                    let kinds = match version {
                        VERSION_3 => &KINDS[..],
                        _ => std::slice::from_ref(KINDS.get(rest.u32()? as usize)?),
                    };
                    headers.extend(kinds.iter().map(|&kind| Header { name: name.clone(), text: text.clone(), kind }));
                }
                Input::Text { source: bytes, headers }
            }
            MODULE => {
                let mut constant = || Some((rest.u32()?, rest.bytes()?.to_vec()));
                Input::Module { il: bytes, constants: (0..n).map(|_| constant()).collect::<Option<_>>()? }
            }
            _ => return None,
        };
        units.push(Unit::new(input, options));
    }
    let is_whole = rest.0.is_empty() && !units.is_empty();
    is_whole.then(|| Built { binary_type, units, ..Built::nothing() })
}

/// What is left of a container. Counts are not trusted: everything counted takes bytes, of which there must be enough.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*chunk)
    }

    fn u32(&mut self) -> Option<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.chunk().map(u64::from_le_bytes)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.u64()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}

/// FNV-1a: against damage, not against intent.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &b| (sum ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_survive_the_round_trip_and_damage_is_found() {
        let header = |name: &str, kind| Header { name: name.into(), text: "int x;".into(), kind };
        let given = vec![header("a.h", HeaderKind::Named), header("b/a.h", HeaderKind::File)];
        let text = Input::Text { source: b"kernel void f() {}"[..].into(), headers: given.clone() };
        let module = Input::Module { il: b"IL"[..].into(), constants: vec![(7, vec![1, 2]), (0, Vec::new())] };
        let units = [Unit::new(text, "-DA=1".into()), Unit::new(module, String::new())];
        let bytes = write(BinaryType::Library, &units);
        let back = read(&bytes).expect("own container");
        assert_eq!((back.binary_type, back.units.len()), (BinaryType::Library, 2));
        let [
            Unit { input: Input::Text { source, headers }, options, .. },
            Unit { input: Input::Module { il, constants }, .. },
        ] = &back.units[..]
        else {
            panic!("units of other kinds");
        };
        assert_eq!((options.as_str(), &source[..]), ("-DA=1", &b"kernel void f() {}"[..]));
        assert_eq!(headers, &given);
        assert_eq!((&il[..], &constants[..]), (&b"IL"[..], &[(7, vec![1, 2]), (0, Vec::new())][..]));
        // Another version's container is refused, whatever else it holds.
        let (body, _) = bytes.split_last_chunk::<8>().expect("long enough");
        let mut other = body.to_vec();
        other[7] += 1;
        assert!(read(&closed(other)).is_none());
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_none());
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(read(&damaged).is_none());
        }
    }

    /// A container with its checksum.
    fn closed(mut body: Vec<u8>) -> Vec<u8> {
        body.extend(checksum(&body).to_le_bytes());
        body
    }

    #[test]
    fn containers_of_version_3_are_read() {
        let mut body = b"CLIFT\0b3".to_vec();
        body.extend(4u32.to_le_bytes());
        body.extend(1u64.to_le_bytes());
        put(&mut body, b"-I inc");
        body.extend(TEXT.to_le_bytes());
        put(&mut body, b"source");
        body.extend(1u64.to_le_bytes());
        put(&mut body, b"inc/a.h");
        put(&mut body, b"text");
        let built = read(&closed(body)).expect("known");
        let Input::Text { headers, .. } = &built.units[0].input else { panic!("a unit of another kind") };
        let header = |kind| Header { name: "inc/a.h".into(), text: "text".into(), kind };
        assert_eq!(headers[..], [header(HeaderKind::Named), header(HeaderKind::File)]);
    }
}
