//! Statements, helper functions and the frame of a program.

use super::{Char, Float, Function, Generator, INTS, Int, Need, Place, Short, Ty, UChar, UInt, ULong, UShort};

/// What every program begins with. `BITS…` have no NaN: its bits are nobody's promise.
const PRELUDE: &str = "\
#pragma OPENCL FP_CONTRACT OFF
#define MIX(h, x) ((h) = ((h) ^ (ulong)(x)) * 0x100000001b3UL)
#define BITSH(x) (isnan(x) ? 0u : as_ushort(x))
#define BITSF(x) (isnan(x) ? 0u : as_uint(x))
#define BITSD(x) (isnan(x) ? 0ul : as_ulong(x))
typedef struct { int f0; uchar3 f1; short f2[4]; struct { ulong g0; float2 g1; } f3; } S0;
typedef struct __attribute__((packed)) { char f0; uint f1; ushort f2; } S1;
typedef union { uint u; uchar4 c; ushort2 s; char a[4]; } U0;
S0 turn(S0 s, int n) { s.f0 += n & 1; s.f2[n & 3] = s.f1.y; s.f3.g1 = s.f3.g1.yx; return s; }
uint sum(const uint *p, int n) { uint s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
#ifdef __opencl_c_generic_address_space
#define FIRST(p) sum(p, 1)
#define EITHER(c, p, q) (*((c) ? (uint *)(p) : (uint *)(q)))
#else
#define FIRST(p) (p)[0]
#define EITHER(c, p, q) ((c) ? *(p) : *(q))
#endif
void put(uchar4 v, uchar *p) { vstore4(v, 0, p); vstore2(v.xw, 1, p); }
constant int table[8] = {3, -1, 0x7fffffff, 'a', [6] = 11, -0x7fffffff - 1};
constant ushort4 vectors[2] = {(ushort4)(1, 2, 3, 4), (ushort4)(65535)};
";

/// Four bytes of local memory of each work-item's own.
const BYTES: &str = "((local uchar *)(tile + lid))";

impl Generator {
    pub(super) fn whole(&mut self) {
        if self.halves {
            self.line("#pragma OPENCL EXTENSION cl_khr_fp16 : enable");
        }
        if self.has(Need::Rounding) {
            self.line("#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable");
        }
        self.text.push_str(PRELUDE);
        for _ in 0..self.rng.below(if self.small { 2 } else { 4 }) {
            self.function();
        }
        self.kernel();
    }

    fn constants(&mut self) {
        let array = |text: &str, elem, lanes, len| Place::Array {
            text: text.into(),
            ty: Ty { elem, lanes },
            len,
            writable: false,
        };
        self.scope.push(array("table", Int, 1, 8));
        self.scope.push(array("vectors", UShort, 4, 2));
    }

    /// A helper function of parameters and constants; perhaps one that writes through a pointer.
    fn function(&mut self) {
        let (name, result) = (self.name("f"), self.ty());
        let params: Vec<Ty> = (0..self.rng.below(4)).map(|_| self.ty()).collect();
        let pointee = self.rng.one_in(3).then(|| self.ty());
        self.scope.clear();
        self.constants();
        let mut list = Vec::new();
        for &ty in &params {
            let text = self.name("p");
            list.push(format!("{} {text}", ty.name()));
            self.scope.push(Place::Variable { text, ty, writable: true, addressable: true });
        }
        if let Some(ty) = pointee {
            list.push(format!("{} *w", ty.name()));
            self.scope.push(Place::Variable { text: "(*w)".into(), ty, writable: true, addressable: false });
        }
        let list = if list.is_empty() { "void".into() } else { list.join(", ") };
        let kind = self.rng.of(&["", "static ", "inline ", "static inline "]);
        // An inline function without `static` has no definition of its own.
        let kind = if kind == "inline " { "" } else { kind };
        self.line(&format!("{kind}{} {name}({list}) {{", result.name()));
        self.indent += 1;
        (self.budget, self.in_kernel, self.loops) = (6, false, 0);
        self.statements(4);
        let value = self.argument(result, 3);
        self.line(&format!("return {value};"));
        self.indent -= 1;
        self.line("}");
        self.functions.push(Function { name, result, params, pointee });
    }

    fn kernel(&mut self) {
        self.scope.clear();
        self.constants();
        self.scope.push(Place::Array { text: "in".into(), ty: Ty::scalar(Int), len: super::INPUTS, writable: false });
        let image = if self.has(Need::Images) { ", read_only image2d_t img" } else { "" };
        self.line(&format!("kernel void k(global ulong *out, global const int *in, local uint *tile{image}) {{"));
        self.indent += 1;
        self.line(
            "const size_t col = get_local_id(0), row = get_local_id(1), items = get_local_size(0) * get_local_size(1);",
        );
        self.line("const size_t lid = row * get_local_size(0) + col;");
        self.line("const size_t gid = get_global_id(1) * get_global_size(0) + get_global_id(0);");
        self.line("ulong h = 0xcbf29ce484222325UL;");
        let id = |text: &str| Place::Variable {
            text: text.into(),
            ty: Ty::scalar(ULong),
            writable: false,
            addressable: false,
        };
        self.scope.extend([id("gid"), id("lid"), id("col"), id("row")]);
        self.line("S0 s0 = {in[gid & 63], (uchar3)(1, 2, 3), {1, [2] = 5}, {7, (float2)(0.5f, 2)}};");
        self.line("S1 s1 = {.f1 = 9, .f0 = 'x'}; U0 u0 = {77}; U0 *pu = &u0; S0 *ps = &s0;");
        let fields = [
            ("s0.f0", Int, 1),
            ("ps->f1", UChar, 3),
            ("s0.f3.g0", ULong, 1),
            ("ps->f3.g1", Float, 2),
            ("s1.f0", Char, 1),
            ("s1.f1", UInt, 1),
            ("s1.f2", UShort, 1),
            ("u0.u", UInt, 1),
            ("pu->c", UChar, 4),
            ("u0.s", UShort, 2),
        ];
        for (text, elem, lanes) in fields {
            let ty = Ty { elem, lanes };
            // No pointer to what is packed, and none to a member of a union: it would alias the others.
            let addressable = text.contains("s0.") || text.contains("ps->");
            self.scope.push(Place::Variable { text: text.into(), ty, writable: true, addressable });
        }
        // Memory of the work-item's own that others may lie beside.
        let own =
            Place::Variable { text: "out[gid]".into(), ty: Ty::scalar(ULong), writable: true, addressable: false };
        self.scope.push(own);
        // Others' lie in between.
        self.line("tile[lid] = h * 3;");
        self.scope.push(Place::Array { text: BYTES.into(), ty: Ty::scalar(UChar), len: 4, writable: true });
        for text in ["(in + 3 * lid)", "(in + 2 * (15 - lid))"] {
            self.scope.push(Place::Array { text: text.into(), ty: Ty::scalar(Int), len: 4, writable: false });
        }
        for (text, elem) in [("ps->f2", Short), ("u0.a", Char)] {
            self.scope.push(Place::Array { text: text.into(), ty: Ty::scalar(elem), len: 4, writable: true });
        }
        (self.budget, self.in_kernel, self.loops) = (if self.small { 6 } else { 24 }, true, 0);
        for _ in 0..if self.small { 1 } else { 2 } + self.rng.below(2 + usize::from(!self.small)) {
            self.statements(if self.small { 4 } else { 8 });
            if self.rng.one_in(2) {
                self.exchange();
            }
            if self.rng.one_in(2) {
                self.together();
            }
        }
        if self.rng.one_in(3) {
            let condition = self.condition(1);
            self.line(&format!("if ({condition}) {{ out[gid] = h; return; }}"));
        }
        self.hash();
        self.line("out[gid] = h;");
        self.indent -= 1;
        self.line("}");
    }

    /// Mixes all that is in scope into `h`.
    fn hash(&mut self) {
        for place in self.scope.clone() {
            match place {
                Place::Variable { text, ty, writable: true, .. } => self.hash_one(&text, ty),
                Place::Array { text, ty, len, writable: true } => {
                    (0..len).for_each(|n| self.hash_one(&format!("{text}[{n}]"), ty));
                }
                _ => {}
            }
        }
    }

    fn hash_one(&mut self, text: &str, ty: Ty) {
        let lanes = match ty.lanes {
            1 => vec![text.to_owned()],
            n => (0..n).map(|at| format!("{text}.s{}", char::from_digit(at as u32, 16).unwrap_or('0'))).collect(),
        };
        let mix = |lane: &String| match ty.elem {
            super::Half => format!("MIX(h, BITSH({lane}));"),
            Float => format!("MIX(h, BITSF({lane}));"),
            super::Double => format!("MIX(h, BITSD({lane}));"),
            _ => format!("MIX(h, {lane});"),
        };
        let all: Vec<String> = lanes.iter().map(mix).collect();
        self.line(&all.join(" "));
    }

    /// Values go from work-item to work-item through local memory.
    fn exchange(&mut self) {
        let (value, step) = (self.argument(Ty::scalar(UInt), 2), self.rng.below(4));
        let name = self.name("x");
        self.line(&format!("uint {name} = {value};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let turns = self.rng.of(&["", "", "for (int t = 0; t < 2; t++) ", "for (int t = 0; t < (in[2] & 3); t++) "]);
        // An index that grows across the barriers.
        let grows = !turns.is_empty() && self.rng.one_in(2);
        let at = self.name("at");
        if grows {
            let by = self.rng.of(&["3", "5", "items"]);
            self.line(&format!("uint {at} = lid * {by};"));
        }
        self.line(&format!("{turns}{{"));
        self.indent += 1;
        if grows {
            let by = self.rng.of(&["1", "7", "in[6]", "lid"]);
            self.line(&format!("{name} += {at}; {at} += {by};"));
        }
        match self.rng.below(4) {
            3 => {
                // Guarded steps, as in a reduction.
                self.line(&format!("tile[lid] = {name};"));
                let bound = ["2", "in[3]", "(uint)in[5] % 5"];
                for _ in 0..2 {
                    self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                    let (id, bound) = (self.rng.of(&["lid", "(int)lid", "(uint)lid"]), self.rng.of(&bound));
                    self.line(&format!("if ({id} < {bound}) tile[lid] += {name} * 5u;"));
                }
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("{name} += tile[items - 1 - lid];"));
            }
            0 => {
                self.line(&format!("tile[lid] = {name};"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("{name} ^= tile[(lid + {step}) % items] * 3u;"));
            }
            1 => {
                self.line("if (lid == 0) tile[0] = 0;");
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                let name_of = self.rng.of(&["add", "xor", "or", "max"]);
                self.line(&format!("atomic_{name_of}(tile, {name});"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("{name} += FIRST(tile);"));
            }
            _ => {
                // The same condition for all work-items.
                self.line(&format!("if (in[{}] & 1) {{", self.n_names % super::INPUTS));
                self.line(&format!("    tile[items - 1 - lid] = {name} + (uint)lid;"));
                self.line("    barrier(CLK_LOCAL_MEM_FENCE);");
                self.line(&format!("    {name} -= tile[lid];"));
                self.line("}");
            }
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.indent -= 1;
        self.line("}");
        let ty = Ty::scalar(UInt);
        self.scope.push(Place::Variable { text: name, ty, writable: true, addressable: true });
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..1 + self.rng.below(n) {
            self.statement();
        }
    }

    /// A block with its own scope, which the hash sees before it ends.
    pub(super) fn block(&mut self) {
        let outer = self.scope.len();
        self.indent += 1;
        if self.has(Need::Rounding) && self.rng.one_in(2) {
            let mode = self.rng.of(&["rte", "rtz", "rtp", "rtn"]);
            self.line(&format!("#pragma OPENCL SELECT_ROUNDING_MODE {mode}"));
        }
        self.statements(4);
        if self.in_kernel && self.scope.len() > outer {
            let all = self.scope.clone();
            self.scope.drain(..outer);
            self.hash();
            self.scope = all;
        }
        self.indent -= 1;
        self.scope.truncate(outer);
    }

    /// Structures by value, a function on a pointer, bytes of vectors.
    fn shapes(&mut self) {
        let (n, name) = (self.mixed(1), self.name("v"));
        match self.rng.below(6) {
            // Neighbours' bytes lie in between.
            4 => {
                for _ in 0..1 + self.rng.below(5) {
                    let (to, from, value) = (self.rng.below(4), self.rng.below(4), self.mixed(1));
                    let other = if self.rng.one_in(2) { format!(" ^ {BYTES}[{from}]") } else { String::new() };
                    self.line(&format!("{BYTES}[{to}] = (uchar)({value}){other};"));
                }
            }
            0 => self.line(&format!("*ps = turn(*ps, (int){n});")),
            1 => self.line(&format!("s0 = turn((S0){{.f0 = (int){n}, .f3 = s0.f3}}, s0.f0);")),
            2 => {
                let len = 1 + self.rng.below(3);
                self.line(&format!("uint a{name}[3] = {{{n}, u0.u, s1.f1}}, {name} = sum(a{name}, {len});"));
                let ty = Ty::scalar(UInt);
                self.scope.push(Place::Variable { text: name, ty, writable: true, addressable: true });
            }
            3 => self.line(&format!("put(u0.c, (uchar *)&s0.f3.g0 + ({n} & 3));")),
            _ => {
                self.line(&format!("bool {name} = {n}; {name} ^= {n} > 3;"));
                let ty = Ty::scalar(UInt);
                let text = format!("(uint){name}");
                self.scope.push(Place::Variable { text, ty, writable: false, addressable: false });
            }
        }
    }

    fn statement(&mut self) {
        if self.in_kernel && self.rng.one_in(10) {
            return self.shapes();
        }
        if self.in_kernel && self.rng.one_in(12) {
            return self.memories();
        }
        let deep = self.indent > 4 || self.budget == 0;
        self.budget = self.budget.saturating_sub(1);
        match self.rng.below(if deep { 8 } else { 14 }) {
            0 | 1 => self.declaration(),
            2 => self.pointer(),
            3..=6 => self.assignment(),
            7 => self.call_statement(),
            8 | 9 => {
                let condition = self.condition(2);
                self.line(&format!("if ({condition}) {{"));
                self.block();
                if self.rng.one_in(2) {
                    self.line("} else {");
                    self.block();
                }
                self.line("}");
            }
            10 | 11 => self.repeat(),
            12 => self.switch(),
            _ => {
                let (condition, label) = (self.condition(2), self.name("l"));
                self.line("{");
                self.line(&format!("    if ({condition}) goto {label};"));
                self.block();
                self.line("}");
                self.line(&format!("{label}:;"));
            }
        }
    }

    fn declaration(&mut self) {
        let (ty, text) = (self.ty(), self.name("v"));
        if self.rng.one_in(12) {
            // Rows and columns.
            let value = self.argument(ty, 1);
            self.line(&format!("{} {text}[2][4] = {{{{{value}}}}};", ty.name()));
            let row = self.mixed(1);
            let row = format!("{text}[{row} & 1]");
            self.line(&format!("for (int i = 1; i < 8; i++) {text}[i / 4][i % 4] = {text}[0][0];"));
            for text in [row, format!("(*({text} + 1))")] {
                self.scope.push(Place::Array { text, ty, len: 4, writable: true });
            }
            return;
        }
        if self.rng.one_in(5) {
            let len = self.rng.of(&[2, 4]);
            let values: Vec<String> = (0..1 + self.rng.below(len)).map(|_| self.argument(ty, 1)).collect();
            self.line(&format!("{} {text}[{len}] = {{{}}};", ty.name(), values.join(", ")));
            self.scope.push(Place::Array { text, ty, len, writable: true });
            return;
        }
        let value = self.argument(ty, 3);
        if self.rng.one_in(6) {
            self.line(&format!("{} {text}; {text} = {value};", ty.name()));
        } else {
            self.line(&format!("{} {text} = {value};", ty.name()));
        }
        self.scope.push(Place::Variable { text, ty, writable: true, addressable: true });
    }

    /// A pointer to something in scope.
    fn pointer(&mut self) {
        let name = self.name("q");
        let targets: Vec<Place> = self.scope.iter().filter(|place| is_target(place)).cloned().collect();
        if targets.is_empty() {
            return self.declaration();
        }
        match targets[self.rng.below(targets.len())].clone() {
            Place::Variable { text, ty, .. } => {
                self.line(&format!("{} *{name} = &{text};", ty.name()));
                let text = format!("(*{name})");
                self.scope.push(Place::Variable { text, ty, writable: true, addressable: false });
            }
            Place::Array { text, ty, len, .. } => {
                self.line(&format!("{} *{name} = {text} + {};", ty.name(), len / 2));
                let text = format!("({name} - {})", len / 2);
                self.scope.push(Place::Array { text, ty, len, writable: true });
            }
        }
    }

    /// A place to write to: its text and type.
    fn target(&mut self) -> Option<(String, Ty)> {
        let writable = |place: &&Place| match place {
            Place::Variable { writable, .. } | Place::Array { writable, .. } => *writable,
        };
        let places: Vec<Place> = self.scope.iter().filter(writable).cloned().collect();
        if places.is_empty() {
            return None;
        }
        match places[self.rng.below(places.len())].clone() {
            Place::Variable { text, ty, .. } if ty.lanes > 1 && self.rng.one_in(3) => {
                let fitting: Vec<usize> = [1, 2, 3, 4, 8].into_iter().filter(|&n| n <= ty.lanes).collect();
                let lanes = self.rng.of(&fitting);
                Some((format!("{text}.{}", self.swizzle(ty.lanes, lanes, true)), Ty { lanes, ..ty }))
            }
            Place::Variable { text, ty, .. } => Some((text, ty)),
            Place::Array { text, ty, len, .. } => {
                let index = self.mixed(1);
                Some((format!("{text}[{index} & {}]", len - 1), ty))
            }
        }
    }

    pub(super) fn assignment(&mut self) {
        let Some((place, ty)) = self.target() else { return self.declaration() };
        let narrow = matches!(ty.elem, Char | UChar | Short | UShort) && ty.lanes == 1;
        let wraps = !ty.elem.is_signed() || ty.lanes > 1 || narrow;
        let line = match self.rng.below(6) {
            0 if !ty.elem.is_float() => {
                let right = if ty.lanes == 1 { self.mixed(2) } else { self.expr(ty, 2) };
                format!("{place} {} {right};", self.rng.of(&["&=", "|=", "^=", "<<=", ">>="]))
            }
            1 if wraps || ty.elem.is_float() => {
                let scalar = ty.lanes > 1 && self.rng.one_in(3);
                let right = self.expr(if scalar { Ty { lanes: 1, ..ty } } else { ty }, 2);
                let product = narrow && ty.elem == UShort;
                format!("{place} {} {right};", if product { "+=" } else { self.rng.of(&["+=", "-=", "*="]) })
            }
            2 if wraps && !ty.elem.is_float() => match self.rng.below(4) {
                0 => format!("{place}++;"),
                1 => format!("--{place};"),
                // What the step is worth.
                n => {
                    let (text, step) = (self.name("v"), if n == 2 { "++" } else { "--" });
                    let name = ty.name();
                    let both = format!("{name} {text}; {text} = {place}{step};");
                    self.scope.push(Place::Variable { text, ty, writable: true, addressable: true });
                    both
                }
            },
            3 if !ty.elem.is_float() && self.scope.len() > 2 => {
                // Two places in one statement.
                let (value, name) = (self.argument(ty, 2), self.name("v"));
                let line = format!("{} {name}, w{name}; w{name} = ({name} = {value}); {place} = w{name};", ty.name());
                self.scope.push(Place::Variable { text: name, ty, writable: true, addressable: true });
                line
            }
            _ => format!("{place} = {};", self.argument(ty, 3)),
        };
        self.line(&line);
    }

    /// A call whose last argument is written to.
    fn call_statement(&mut self) {
        let with_pointer: Vec<usize> =
            (0..self.functions.len()).filter(|&f| self.functions[f].pointee.is_some()).collect();
        if with_pointer.is_empty() {
            return self.assignment();
        }
        let function = self.functions[self.rng.of(&with_pointer)].clone();
        let mut args: Vec<String> = function.params.iter().map(|&p| self.argument(p, 2)).collect();
        let (name, ty) = (self.name("v"), function.pointee.unwrap_or(function.result));
        let start = self.expr(ty, 1);
        self.line(&format!("{} {name} = {start};", ty.name()));
        args.push(format!("&{name}"));
        let result = self.name("v");
        self.line(&format!("{} {result} = {}({});", function.result.name(), function.name, args.join(", ")));
        for (text, ty) in [(name, ty), (result, function.result)] {
            self.scope.push(Place::Variable { text, ty, writable: true, addressable: true });
        }
    }

    fn switch(&mut self) {
        let elem = self.rng.of(&INTS);
        let value = self.expr(Ty::scalar(elem), 2);
        let mask = self.rng.of(&[3, 7]);
        self.line(&format!("switch ({value} & {mask}) {{"));
        let mut labels = vec!["case 0:", "case 1:", "case 2: case 3:", "case 'a' - 92:", "default:"];
        while !labels.is_empty() {
            let at = self.rng.below(labels.len());
            let label = labels.remove(at);
            self.line(&format!("{label} {{"));
            self.block();
            self.line("}");
            if !self.rng.one_in(3) {
                self.line("    break;");
            }
        }
        self.line("}");
    }
}

fn is_target(place: &Place) -> bool {
    match place {
        Place::Variable { addressable, .. } => *addressable,
        Place::Array { text, writable, .. } => *writable && !text.starts_with('('),
    }
}
