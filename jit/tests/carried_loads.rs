//! Loops whose turns read what earlier turns have written, at random: stores and loads one or two elements apart, under
//! conditions, in any order, of arrays that may overlap, of places that stay, with breaks, by indices and by pointers.
//! All code leaves the same bytes as the interpreter.
#![allow(unsafe_code, reason = "runs generated code")]

#[path = "support/ndrange.rs"]
mod ndrange;

use ndrange::{Given, Kernel, Range};

const LANES: [u8; 2] = [0, 16];

/// Turns of a loop, and elements of a work-item's part of the buffer: two in front, three behind, room to be shifted.
const TURNS: u32 = 9;
const WIDTH: u32 = TURNS + 8;
const ITEMS: u32 = 18;
const PROGRAMS: u64 = 250;

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % n
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    /// An element that a turn accesses: of the work-item's own part, of the same shifted, through a pointer that walks
    /// along, of a column of all, or one that stays.
    fn place(&mut self) -> String {
        let array = self.of(&["x", "x", "x", "y", "z"]);
        let at = self.of(&["", "", "- 1", "- 1", "- 2", "+ 1", "+ 2"]);
        match self.below(8) {
            0 => format!("p[0 {at}]"),
            1 => format!("c[(k {at}) * n + i]"),
            2 => format!("{array}[{}]", self.of(&["0", "1", "2", "w + 1", "w + 2", "w + 3"])),
            _ => format!("{array}[k {at}]"),
        }
    }

    /// Two elements of the work-item's own part.
    fn pair(&mut self) -> String {
        let at = self.of(&["", "- 1", "- 2", "+ 1"]);
        format!("{} + k {at}", self.of(&["x", "x", "y"]))
    }

    fn value(&mut self) -> String {
        match self.below(6) {
            0 => format!("({} * 3 + {})", self.place(), self.place()),
            1 => format!("(t - {})", self.place()),
            2 => "a[k & 7] * k".into(),
            3 => format!("vload2(0, {}).{}", self.pair(), self.of(&["x", "y"])),
            _ => self.place(),
        }
    }

    fn statement(&mut self) -> String {
        let (place, value) = (self.place(), self.value());
        match self.below(10) {
            9 => format!("vstore2((T2)({value}, t), 0, {});", self.pair()),
            0..4 => format!("{place} = {value} + {};", self.value()),
            4 => format!("{place} -= {value};"),
            5 => format!("t = t * 5 + {value};"),
            6 => format!("if ({value} & 1) {place} = t + k;"),
            7 => format!("if ((t & 7) == {}) break;", self.below(8)),
            _ => format!("t ^= {value}; {place} = t;"),
        }
    }

    fn source(&mut self) -> String {
        let ty = self.of(&["int", "int", "long", "short"]);
        let heads = [
            "for (int k = 2; k < w + 2; k++, p++)",
            "for (int k = 2; k < w + 2; k++, p++)",
            "for (long k = 2; k < w + 2; k++, p++)",
            "for (uint k = 2; k < (uint)w + 2; k++, p++)",
            "for (int k = 2; k < w + 2; k += 2, p += 2)",
            "p = x + w + 1; for (int k = w + 1; k >= 2; k--, p--)",
        ];
        let shift = self.below(3);
        let mut one = || {
            let body: Vec<String> = (0..2 + self.below(3)).map(|_| self.statement()).collect();
            format!("p = x + 2; {} {{\n        {}\n    }}", self.of(&heads), body.join("\n        "))
        };
        let mut loops = one();
        if shift == 0 {
            loops += &one();
        }
        format!(
            "typedef {ty} T; typedef {ty}2 T2;
kernel void k(global const T *a, global T *out, global T *z, constant int *e) {{
    int w = e[0], i = get_global_id(0), n = get_global_size(0);
    global T *x = out + i * {WIDTH}, *y = out + i * {WIDTH} + {shift}, *c = out, *p = x + 2;
    T t = i;
    z += i * {WIDTH};
    {loops}
    out[{WIDTH} * {ITEMS} + i] = t;
}}"
        )
    }
}

fn buffer(bytes: u32) -> Given {
    Given::Buffer((0..bytes).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 25) as u8).collect())
}

#[test]
fn what_turns_hand_on_is_what_memory_holds() {
    let mut random = Random(1);
    for _ in 0..PROGRAMS {
        let source = random.source();
        // Work-items that share columns must not share parts, and the other way round.
        let own = ["x[", "y[", "p[0", "x + k", "y + k"];
        let shares = source.contains("c[") && own.iter().any(|name| source.contains(name));
        if shares {
            continue;
        }
        let kernel = Kernel::from_source(&source);
        for turns in [TURNS, 1, 0] {
            let range = Range { global: [ITEMS.into(), 1, 1], local: [ITEMS.into(), 1, 1] };
            let bytes = 8 * (WIDTH + 1) * ITEMS;
            let given = [buffer(64), buffer(bytes), buffer(bytes), Given::Buffer(turns.to_le_bytes().to_vec())];
            kernel.run(range, &given);
        }
    }
}

/// What has been wrong once, of a work-item's part `x` of the memory, and `t` of another.
#[test]
fn loops_that_were_wrong_are_right() {
    for body in [
        // What this turn stores reaches into what the turn before has stored.
        "for (int k = 1; k < w; k++) { vstore4((int4)(k), 0, x + k); s = s * 3 + vload4(0, x + k - 1).w; }",
        // The second loop stores what the first one's header makes.
        "int u = 5;
         for (int k = 1; k < w; k++) { x[k] = x[k - 1] * 3; u += k * x[k + 5]; }
         for (int k = 1; k < w; k++) { x[k + 1] = u; s = s * 3 + x[k]; }",
        // Rows of two buffers.
        "for (int k = 0; k < w; k++) { x[k] = s; t[k] = s ^ 5; s = s * 3 + k; }",
        "for (int k = 0; k < w; k++) { x[k] = s; s = s * 3 + k; }",
        "for (int k = 0; k < w; k++) {
             x[k] = s;
             for (int n = 0; n < 9; n++) s = s & 1 ? s * 3 + n : s + k;
             t[k] = s;
         }",
        // A cycle with two entries goes round within a turn.
        "for (int k = 1; k < w; k++) {
             int c = 0;
             if (w & 1) goto b;
             a: c++;
             s = s * 3 + x[k];
             b: s = s * 5 + x[k - 1];
             x[k - 1] = s + 7;
             if (c < 2) goto a;
             x[k] = s;
         }",
    ] {
        let kernel = Kernel::from_source(&format!(
            "kernel void k(global int *out, global int *other, constant int *e) {{
    int w = e[0], i = get_global_id(0);
    global int *x = out + i * {WIDTH}, *t = other + i * {WIDTH};
    int s = i;
    {body}
    other[{WIDTH} * 32 + i] = s;
}}"
        ));
        for (items, turns) in [(16, 9), (32, 8), (16, 4), (1, 9), (16, 0)] {
            let range = Range { global: [items, 1, 1], local: [items, 1, 1] };
            let bytes = 4 * (WIDTH + 1) * 32;
            kernel.run(range, &[buffer(bytes), buffer(bytes), Given::Buffer(i32::to_le_bytes(turns).to_vec())]);
        }
    }
}
