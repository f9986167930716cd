//! Whether an access that faulted was a write, on AArch64: by the processor's syndrome, which the system puts among the
//! records of a signal's frame, and by the instruction. The syndrome calls atomic operations reads where a read would
//! have faulted as well, and emulators leave it out.
//!
//! References: Arm Architecture Reference Manual, "ESR_EL1" and "Loads and Stores"; Linux, `asm/sigcontext.h`. Must not
//! know signals.

/// Bytes of the records: `__reserved` of the system's `struct sigcontext`.
pub(super) const RECORDS: usize = 4096;

/// Whether an instruction that faulted was to write, by a frame's records and the instruction. None if neither says.
pub(super) fn writes(records: &[u8; RECORDS], instruction: u32) -> Option<bool> {
    let by_syndrome = syndrome(records).and_then(of_syndrome);
    if by_syndrome == Some(true) { by_syndrome } else { of_instruction(instruction).or(by_syndrome) }
}

/// What `ESR_EL1` was.
fn syndrome(records: &[u8; RECORDS]) -> Option<u64> {
    const ESR_MAGIC: u32 = 0x4553_5201;
    const HEAD: usize = 8;
    let mut rest = &records[..];
    loop {
        let (head, body) = rest.split_first_chunk::<HEAD>()?;
        let word = |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        match (word(0), word(4) as usize) {
            // The last record.
            (0, _) | (_, ..HEAD) => return None,
            (ESR_MAGIC, _) => return body.first_chunk().map(|esr| u64::from_ne_bytes(*esr)),
            (_, size) => rest = rest.get(size..)?,
        }
    }
}

/// None if it is not about an access to data.
fn of_syndrome(syndrome: u64) -> Option<bool> {
    const DATA_ABORT: u64 = 0b10_0100;
    const WRITE: u64 = 1 << 6;
    /// Maintenance of caches always counts as a write.
    const CACHE: u64 = 1 << 8;
    (syndrome >> 26 & 0x3f == DATA_ABORT && syndrome & CACHE == 0).then_some(syndrome & WRITE != 0)
}

/// None if it is no load or store of the base instruction set or of vectors of 128 bits.
fn of_instruction(word: u32) -> Option<bool> {
    let bits = |from: u32, len: u32| word >> from & ((1 << len) - 1);
    let is_load = bits(22, 1) == 1;
    Some(match (bits(27, 3), bits(26, 1), bits(24, 2)) {
        // Several registers' elements.
        (0b001, 1, 0b00 | 0b01) if bits(31, 1) == 0 => !is_load,
        // Exclusive and ordered ones; compare and swap.
        (0b001, 0, 0b00) => !is_load || bits(21, 1) == 1 && (bits(23, 1) == 1 || bits(31, 1) == 0),
        // Of constants beside the code.
        (0b011, _, 0b00) => false,
        // Ordered ones with an offset.
        (0b011, 0, 0b01) if bits(21, 1) == 0 && bits(10, 2) == 0 => bits(22, 2) == 0,
        // Pairs.
        (0b101, ..) => !is_load,
        // Atomic operations, but for loads that acquire and those of 64 bytes.
        (0b111, 0, 0b00) if bits(21, 1) == 1 && bits(10, 2) == 0b00 => bits(13, 3) != 0b110,
        // Loads through pointers that are authenticated.
        (0b111, 0, 0b00) if bits(21, 1) == 1 && bits(10, 1) == 1 => false,
        // One register: what extends its sign is a load.
        (0b111, 0, 0b00 | 0b01) => bits(22, 2) == 0,
        (0b111, 1, 0b00 | 0b01) => !is_load,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `aarch64-linux-gnu-as -march=armv8.5-a+lse+rcpc` encodes them.
    const STORES: [(u32, &str); 30] = [
        (0xb900_0020, "str w0, [x1]"),
        (0xf800_8c20, "str x0, [x1, #8]!"),
        (0x3800_1420, "strb w0, [x1], #1"),
        (0x7822_6820, "strh w0, [x1, x2]"),
        (0xf81f_d020, "stur x0, [x1, #-3]"),
        (0xa900_0440, "stp x0, x1, [x2]"),
        (0xadbf_0440, "stp q0, q1, [x2, #-32]!"),
        (0xa800_0440, "stnp x0, x1, [x2]"),
        (0x3d00_0020, "str b0, [x1]"),
        (0x3d80_0020, "str q0, [x1]"),
        (0x3ca2_6820, "str q0, [x1, x2]"),
        (0xfc1f_f020, "stur d0, [x1, #-1]"),
        (0x4c00_7000, "st1 {v0.16b}, [x0]"),
        (0x4c9f_a800, "st1 {v0.4s, v1.4s}, [x0], #32"),
        (0x4c00_8800, "st2 {v0.4s, v1.4s}, [x0]"),
        (0x0d00_9000, "st1 {v0.s}[1], [x0]"),
        (0x0d83_2400, "st3 {v0.b, v1.b, v2.b}[1], [x0], x3"),
        (0xc800_7c41, "stxr w0, x1, [x2]"),
        (0xc820_8861, "stlxp w0, x1, x2, [x3]"),
        (0x889f_fc20, "stlr w0, [x1]"),
        (0x1900_3020, "stlurb w0, [x1, #3]"),
        (0x88a0_7c41, "cas w0, w1, [x2]"),
        (0xc8e0_fc41, "casal x0, x1, [x2]"),
        (0x4820_7c82, "casp x0, x1, x2, x3, [x4]"),
        (0xb820_0041, "ldadd w0, w1, [x2]"),
        (0xf8e0_0041, "ldaddal x0, x1, [x2]"),
        (0xb820_103f, "stclr w0, [x1]"),
        (0x3820_8041, "swpb w0, w1, [x2]"),
        (0x78e0_6041, "ldumaxalh w0, w1, [x2]"),
        (0xb800_0820, "sttr w0, [x1]"),
    ];

    const LOADS: [(u32, &str); 30] = [
        (0xb940_0020, "ldr w0, [x1]"),
        (0xf840_8c20, "ldr x0, [x1, #8]!"),
        (0x3840_1420, "ldrb w0, [x1], #1"),
        (0x78a2_6820, "ldrsh x0, [x1, x2]"),
        (0xb89f_d020, "ldursw x0, [x1, #-3]"),
        (0xa940_0440, "ldp x0, x1, [x2]"),
        (0x6940_0440, "ldpsw x0, x1, [x2]"),
        (0xadff_0440, "ldp q0, q1, [x2, #-32]!"),
        (0xa840_0440, "ldnp x0, x1, [x2]"),
        (0x3d40_0020, "ldr b0, [x1]"),
        (0x3dc0_0020, "ldr q0, [x1]"),
        (0x3ce2_6820, "ldr q0, [x1, x2]"),
        (0xfc5f_f020, "ldur d0, [x1, #-1]"),
        (0x5800_0040, "ldr x0, .+8"),
        (0x9c00_0020, "ldr q0, .+4"),
        (0x4c40_7000, "ld1 {v0.16b}, [x0]"),
        (0x4cdf_a800, "ld1 {v0.4s, v1.4s}, [x0], #32"),
        (0x4d40_c800, "ld1r {v0.4s}, [x0]"),
        (0x4c40_8800, "ld2 {v0.4s, v1.4s}, [x0]"),
        (0x0d40_9000, "ld1 {v0.s}[1], [x0]"),
        (0x0dc3_2400, "ld3 {v0.b, v1.b, v2.b}[1], [x0], x3"),
        (0xc85f_7c41, "ldxr x1, [x2]"),
        (0xc87f_8861, "ldaxp x1, x2, [x3]"),
        (0x88df_fc20, "ldar w0, [x1]"),
        (0xf8bf_c020, "ldapr x0, [x1]"),
        (0x38bf_c020, "ldaprb w0, [x1]"),
        (0x59c0_3020, "ldapursh w0, [x1, #3]"),
        (0xf820_0420, "ldraa x0, [x1]"),
        (0xf8a0_1c20, "ldrab x0, [x1, #8]!"),
        (0xb840_0820, "ldtr w0, [x1]"),
    ];

    const OTHERS: [(u32, &str); 4] = [
        (0x8b02_0020, "add x0, x1, x2"),
        (0x4e22_d420, "fadd v0.4s, v1.4s, v2.4s"),
        (0xd50b_7b20, "dc cvau, x0"),
        (0xd65f_03c0, "ret"),
    ];

    const READS: u64 = 0b10_0100 << 26 | 0x0f;
    const WRITES: u64 = READS | 1 << 6;
    const STORE: u32 = 0xb900_0020;
    const LOAD: u32 = 0xb940_0020;
    const OTHER: u32 = 0xd65f_03c0;

    /// A frame's records, each a magic number and a body.
    fn records(of: &[(u32, &[u8])]) -> [u8; RECORDS] {
        let mut bytes = [0; RECORDS];
        let mut at = 0;
        for (magic, body) in of {
            bytes[at..at + 4].copy_from_slice(&magic.to_ne_bytes());
            bytes[at + 4..at + 8].copy_from_slice(&(8 + body.len() as u32).to_ne_bytes());
            bytes[at + 8..at + 8 + body.len()].copy_from_slice(body);
            at += 8 + body.len();
        }
        bytes
    }

    fn with_syndrome(syndrome: u64) -> [u8; RECORDS] {
        records(&[(0x4650_8001, &[1; 520]), (0x4553_5201, &syndrome.to_ne_bytes())])
    }

    #[test]
    fn instructions() {
        for (all, want) in [(&STORES[..], Some(true)), (&LOADS, Some(false)), (&OTHERS, None)] {
            all.iter().for_each(|&(word, text)| assert_eq!(of_instruction(word), want, "{text}"));
        }
    }

    #[test]
    fn the_syndrome_comes_first_but_for_atomic_operations() {
        assert_eq!(writes(&with_syndrome(WRITES), OTHER), Some(true));
        assert_eq!(writes(&with_syndrome(WRITES), LOAD), Some(true));
        assert_eq!(writes(&with_syndrome(READS), OTHER), Some(false));
        assert_eq!(writes(&with_syndrome(READS), LOAD), Some(false));
        // `ldadd`.
        assert_eq!(writes(&with_syndrome(READS), 0xb820_0041), Some(true));
        // Of a cache's line, and of code.
        assert_eq!(writes(&with_syndrome(WRITES | 1 << 8), OTHER), None);
        assert_eq!(writes(&with_syndrome(0b10_0000 << 26), OTHER), None);
    }

    #[test]
    fn records_without_a_syndrome() {
        let none = [records(&[]), records(&[(0x4650_8001, &[1; 520])]), [0xff; RECORDS], records(&[(1, &[0; 4080])])];
        for of in &none {
            assert_eq!(syndrome(of), None);
            assert_eq!(writes(of, STORE), Some(true));
            assert_eq!(writes(of, LOAD), Some(false));
            assert_eq!(writes(of, OTHER), None);
        }
        let mut short = with_syndrome(WRITES);
        // A record that says it has no bytes.
        short[4..8].fill(0);
        assert_eq!(syndrome(&short), None);
    }
}
