//! Listings of our own code generator against a decoder: each line's bytes must mean what its text says.

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, MemorySizeOptions};

/// Checks every line of a listing; returns how many there were.
pub fn check_listing(listing: &str) -> usize {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(true);
    options.set_space_between_memory_add_operators(true);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_signed_immediate_operands(true);
    options.set_memory_size_options(MemorySizeOptions::Never);
    options.set_use_pseudo_ops(false);
    options.set_rip_relative_addresses(true);
    let mut lines = 0;
    let mut wrong: Vec<String> = Vec::new();
    for line in listing.lines().filter(|l| l.starts_with("  ")) {
        let mut fields = line.split_whitespace();
        let hex = fields.nth(1).expect("bytes");
        let text = fields.collect::<Vec<_>>().join(" ");
        let bytes: Vec<u8> =
            (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex")).collect();
        let mut decoder = Decoder::new(64, &bytes, DecoderOptions::NONE);
        let decoded: Instruction = decoder.decode();
        assert_eq!(decoded.len(), bytes.len(), "{line}: {decoded:?}");
        assert!(!decoded.is_invalid(), "{line}");
        lines += 1;
        if text.starts_with('j') || text.starts_with("call f") {
            continue;
        }
        // A symbol has no address yet.
        let text = text.split_once('@').map_or(text.clone(), |(before, _)| format!("{before}0"));
        let mut said = String::new();
        formatter.format(&decoded, &mut said);
        if canonical(&said) != canonical(&text) {
            wrong.push(format!("{line}\n    decoded as: {said}"));
        }
    }
    wrong.sort_by_key(|w| w.split_whitespace().nth(2).map(str::to_owned));
    wrong.dedup_by_key(|w| w.split_whitespace().nth(2).map(str::to_owned));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    lines
}

/// One spelling for numbers, and for what the two texts cannot agree on.
fn canonical(text: &str) -> String {
    let mut text = text.replace("[rip", "[constants");
    // Listings name all registers of an instruction by its length, also where one side of it is shorter.
    let mixed = ["vcvt", "vpmov", "vextract", "vinsert", "vpbroadcast", "vbroadcast", "vpgather", "vpscatter", "vps"];
    if mixed.iter().any(|name| text.starts_with(name)) {
        text = text.replace("xmm", "vec").replace("ymm", "vec").replace("zmm", "vec");
    }
    for mode in ["{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"] {
        if text.contains(mode) {
            // The decoder writes it behind the first operand.
            text = format!("{}, {mode}", text.replace(&format!(", {mode}"), "").replace(mode, ""));
        }
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let in_word = out.ends_with(|p: char| p.is_ascii_alphanumeric());
        if c.is_ascii_digit() && !in_word {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let token = &rest[..end];
            let value = match token.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16).ok(),
                None => token.parse().ok(),
            };
            match value {
                Some(v) => {
                    // Signs of immediates: both as what their low 8 bits are if they are that short.
                    let negative = out.ends_with('-') && !out.ends_with("- ");
                    if negative {
                        out.pop();
                    }
                    let v = if negative { -v } else { v };
                    let v = if (1 << 31..1 << 32).contains(&v) { v - (1 << 32) } else { v };
                    out.push_str(&(if (-128..256).contains(&v) { v & 0xff } else { v & 0xffff_ffff }).to_string());
                }
                None => out.push_str(token),
            }
            rest = &rest[end..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    // The place of constants is patched after the listing.
    if let Some(at) = out.find("[constants")
        && let Some(end) = out[at..].find(']')
    {
        out.replace_range(at..at + end + 1, "[constants]");
    }
    out
}
