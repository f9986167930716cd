//! Conversions against the C library's `snprintf`, and what only OpenCL C has.
#![allow(unsafe_code, reason = "calls the C library")]

use super::*;
use std::ffi::CString;

/// Packs arguments: kind and lanes with their bits.
fn packed(args: &[(Kind, &[u64])]) -> (Vec<u8>, Vec<u8>) {
    let (mut types, mut bytes) = (Vec::new(), Vec::new());
    for (kind, lanes) in args {
        types.extend([kind.code(), lanes.len() as u8]);
        for lane in *lanes {
            bytes.extend(&lane.to_le_bytes()[..kind.bytes()]);
        }
        bytes.resize(bytes.len().next_multiple_of(ARG_ALIGN), 0);
    }
    types.push(0);
    (types, bytes)
}

fn print(text: &str, args: &[(Kind, &[u64])]) -> (String, i32) {
    let (types, bytes) = packed(args);
    let mut out = Vec::new();
    let string = |address: u64, most: usize| {
        let text: &[u8] = if address == 1 { b"one" } else { b"%d other" };
        Some(text[..text.len().min(most)].to_vec())
    };
    let result = format(&mut out, text.as_bytes(), &types, &bytes, &string);
    (String::from_utf8_lossy(&out).into_owned(), if result.is_ok() { 0 } else { -1 })
}

macro_rules! c_text {
    ($format:expr, $value:expr) => {{
        let format = CString::new($format).expect("no zero");
        let mut buffer = vec![0u8; 4096];
        // SAFETY: the format has one conversion for one argument of this type; the buffer has this many bytes.
        let len = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), $value) };
        buffer.truncate(len as usize);
        String::from_utf8(buffer).expect("ASCII")
    }};
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() % list.len() as u64) as usize]
    }

    /// Flags, width and precision.
    fn field(&mut self) -> String {
        let mut text = String::new();
        for flag in ["-", "+", " ", "#", "0"] {
            if self.next().is_multiple_of(4) {
                text.push_str(flag);
            }
        }
        text + self.pick(&["", "1", "8", "25"]) + self.pick(&["", ".", ".0", ".1", ".3", ".10", ".17", ".40"])
    }
}

#[test]
fn floats_print_as_in_c() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        0.1,
        9.5,
        99.5,
        999_999.5,
        9.999_999_5,
        1e5,
        1e6,
        1e-4,
        1e-5,
        1e22,
        1e23,
        123_456_789.0,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        2.225_073_858_507_201e-308,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        0.125,
        0.375,
        1.9,
        1.999_999,
        4_503_599_627_370_497.5,
    ];
    for n in 0..200_000 {
        let value = match n % 4 {
            0 => random.pick(&special),
            1 => f64::from_bits(random.next()),
            2 => f64::from(f32::from_bits(random.next() as u32)),
            _ => (random.next() as i64 >> 40) as f64 / 64.0,
        };
        let format = format!("%{}{}", random.field(), random.pick(&['f', 'F', 'e', 'E', 'g', 'G', 'a', 'A']));
        let got = print(&format, &[(Kind::F64, &[value.to_bits()])]);
        let want = c_text!(format.as_str(), value);
        // Some versions of glibc forget the zeros of `%#g` where rounding adds a digit.
        if format.contains('#') && want.to_ascii_lowercase().contains(".e+") && got.0 != want {
            continue;
        }
        assert_eq!(got, (want, 0), "{format:?} of {value:e}");
    }
}

#[test]
fn integers_print_as_in_c() {
    let mut random = Random(0x0fed_cba9_8765_4321);
    for _ in 0..100_000 {
        let shift = random.next() % 64;
        let value = random.next() as i64 >> shift;
        let value = if random.next().is_multiple_of(20) { 0 } else { value };
        let letter = random.pick(&['d', 'i', 'o', 'u', 'x', 'X']);
        let field = random.field();
        let format = format!("%{field}l{letter}");
        let got = print(&format, &[(Kind::I64, &[value as u64])]);
        assert_eq!(got, (c_text!(format.as_str(), value), 0), "{format:?} of {value}");
        for length in ["", "h", "hh"] {
            let format = format!("%{field}{length}{letter}");
            let got = print(&format, &[(Kind::I32, &[u64::from(value as u32)])]);
            assert_eq!(got, (c_text!(format.as_str(), value as i32), 0), "{format:?} of {value}");
        }
    }
}

#[test]
fn long_fields_are_whole() {
    let got =
        print("%.5000f|%5000d|%.3000e", &[(Kind::F64, &[5e-324f64.to_bits()]), (Kind::I32, &[7]), (Kind::F64, &[1])]);
    assert_eq!(got.0.len(), 5002 + 1 + 5000 + 1 + 3002 + 5);
    assert!(got.0.starts_with("0.000"));
}

#[test]
fn vectors_strings_pointers_and_characters() {
    let floats = [1.0f32, 2.0, 3.0, 4.0].map(|x| u64::from(x.to_bits()));
    for (format, args, want) in [
        ("f4 = %2.2v4hlf\n", &[(Kind::F32, &floats[..])][..], "f4 = 1.00,2.00,3.00,4.00\n"),
        ("uc = %#v4hhx\n", &[(Kind::I8, &[0xfa, 0xfb, 0xfc, 0xfd])], "uc = 0xfa,0xfb,0xfc,0xfd\n"),
        ("%v2hhd %v2hhu", &[(Kind::I8, &[0xff, 1]), (Kind::I8, &[0xff, 1])], "-1,1 255,1"),
        ("%v3hd", &[(Kind::I16, &[0xffff, 2, 3])], "-1,2,3"),
        ("%v2ld", &[(Kind::I64, &[u64::MAX, 2])], "-1,2"),
        ("%5v2hld|", &[(Kind::I32, &[u64::from(u32::MAX), 2])], "   -1,    2|"),
        ("%v2hf", &[(Kind::F16, &[0x3c00, 0xc000])], "1.000000,-2.000000"),
        (
            "%s|%5s|%-5s|%.2s|%s",
            &[
                (Kind::Pointer, &[1]),
                (Kind::Pointer, &[1]),
                (Kind::Pointer, &[1]),
                (Kind::Pointer, &[1]),
                (Kind::Pointer, &[0]),
            ],
            "one|  one|one  |on|(null)",
        ),
        ("%s", &[(Kind::Pointer, &[2])], "%d other"),
        ("%p %20p|", &[(Kind::Pointer, &[0x7fff_1234]), (Kind::Pointer, &[0])], "0x7fff1234                  0x0|"),
        ("%c%3c%-3c|", &[(Kind::I32, &[66]), (Kind::I32, &[67]), (Kind::I32, &[68])], "B  CD  |"),
        ("100%% %%d", &[], "100% %d"),
        ("", &[], ""),
        ("%lld %zu", &[(Kind::I64, &[u64::MAX]), (Kind::I64, &[5])], "-1 5"),
        ("%d", &[(Kind::I32, &[1]), (Kind::I32, &[2])], "1"),
    ] {
        assert_eq!(print(format, args), (want.to_owned(), 0), "{format:?}");
    }
    // Arguments of the wrong type are converted as far as that makes sense.
    let args: &[(Kind, &[u64])] = &[(Kind::F64, &[2.5f64.to_bits()]), (Kind::I32, &[3]), (Kind::F32, &[floats[1]])];
    assert_eq!(print("%d %f %u", args), ("2 3.000000 2".to_owned(), -1));
}

#[test]
fn wrong_formats_are_copied_and_reported() {
    for (format, want) in [
        ("a %d b", "a %d b"),
        ("%y", "%y"),
        ("100%", "100%"),
        ("%*d", "%*d"),
        ("%v5hld", "%v5hld"),
        ("%vd", "%vd"),
        ("%99999999999999999999d!", "%99999999999999999999d!"),
        ("%-", "%-"),
        ("%n|", "%n|"),
    ] {
        assert_eq!(print(format, &[]), (want.to_owned(), -1), "{format:?}");
    }
}

#[test]
fn what_is_wrong_is_said_once() {
    let wrong = |format: &str, args: &[(Kind, &[u64])]| {
        let (types, bytes) = packed(args);
        let string = |address: u64, _: usize| (address == 1).then(|| b"one".to_vec());
        super::format(&mut Vec::new(), format.as_bytes(), &types, &bytes, &string).err().map(|wrong| wrong.0)
    };
    let (int, long, double): (&[(Kind, &[u64])], _, _) = (&[(Kind::I32, &[1])], Kind::I64, Kind::F64);
    let vector = (Kind::I8, &[1, 2, 3, 4][..]);
    for (format, args, want) in [
        ("%d %c", &[int[0], int[0]][..], None),
        ("%ld %5.3f", &[(long, &[1][..]), (double, &[0])], None),
        ("%v4hhd", &[vector], None),
        ("%s %p", &[(Kind::Pointer, &[1][..]), (Kind::Pointer, &[9])], None),
        ("%s", &[(Kind::Pointer, &[0][..])], None),
        ("%d %s", int, Some("there is no argument for '%s'")),
        ("%5.1f %ld", int, Some("'%5.1f' does not go with 'int'")),
        ("%ld", int, Some("'%ld' does not go with 'int'")),
        ("%d", &[(long, &[1][..])], Some("'%d' does not go with 'long'")),
        ("%d", &[vector], Some("'%d' does not go with 'char4'")),
        ("%v4hlf", &[vector], Some("'%v4hlf' does not go with 'char4'")),
        ("%v3hhd", &[vector], Some("'%v3hhd' does not go with 'char4'")),
        ("%s", &[(Kind::Pointer, &[9][..])], Some("the argument of '%s' is no string of the program")),
        ("%x", &[(Kind::Pointer, &[9][..])], Some("'%x' does not go with 'pointer'")),
        ("%y", int, Some("invalid conversion specifier 'y'")),
    ] {
        assert_eq!(wrong(format, args).as_deref(), want, "{format}");
    }
}

/// Whatever the bytes, formatting ends and touches nothing else.
#[test]
fn any_bytes_are_a_format() {
    let mut random = Random(77);
    let alphabet = b"%%%%0123456789.-+ #vhlLztjdioxXufFeEgGaAcspn*\xff\xc3\xa9 q";
    for _ in 0..50_000 {
        let format: Vec<u8> = (0..random.next() % 12).map(|_| random.pick(alphabet)).collect();
        let types: Vec<u8> = (0..random.next() % 8).map(|_| (random.next() % 12) as u8).collect();
        let args: Vec<u8> = (0..random.next() % 64).map(|_| random.next() as u8).collect();
        let mut out = Vec::new();
        let _ = super::format(&mut out, &format, &types, &args, &|_, _| None);
    }
}
