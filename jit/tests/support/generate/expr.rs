//! Expressions without side effects. `expr` makes one of exactly the type that is asked for.

use super::{Char, Elem, Float, Generator, Half, INTS, Int, Long, Place, Short, Ty, UInt, ULong};

impl Generator {
    /// An expression of this type, in parentheses where it needs them.
    pub(super) fn expr(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.rng.one_in(5) {
            return self.leaf(ty);
        }
        match (ty.elem.is_float(), ty.lanes) {
            (false, 1) => self.int_scalar(ty.elem, depth - 1),
            (true, 1) => self.float(ty, depth - 1),
            _ if self.rng.one_in(2) => self.any_vector(ty, depth - 1),
            (false, _) => self.int_vector(ty, depth - 1),
            (true, _) => self.float(ty, depth - 1),
        }
    }

    /// A condition for `if` and its kin.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let elem = self.rng.of(&INTS);
        match self.rng.below(6) {
            5 if self.in_kernel => self.guard(),
            4 if self.in_kernel => {
                format!("{} < {}", self.rng.of(&["lid", "(int)lid", "gid", "row", "(int)col"]), self.mixed(depth))
            }
            0 => self.expr(Ty::scalar(Float), depth) + " > 0.5f",
            1 => self.compare(Ty::scalar(elem), depth),
            _ => self.mixed(depth),
        }
    }

    /// Bounds that all work-items of a group may keep to.
    fn guard(&mut self) -> String {
        let bounds: Vec<String> = (0..1 + self.rng.below(2))
            .map(|_| {
                let id = self.rng.of(&["col", "row", "lid", "gid"]);
                let ty = self.rng.of(&["int", "uint", "long", "size_t"]);
                let (stride, sum) = (1 + self.rng.below(3), self.rng.below(20));
                let bound = if self.rng.one_in(2) { self.rng.below(80).to_string() } else { "(in[9] & 127)".into() };
                format!("({ty}){id} * {stride} + {sum} - 3 {} {bound}", self.rng.of(&["<", ">", "<=", ">="]))
            })
            .collect();
        bounds.join(self.rng.of(&[" && ", " || "]))
    }

    /// An integer expression of any scalar type that C finds for it.
    pub(super) fn mixed(&mut self, depth: usize) -> String {
        let [left, right] = [(); 2].map(|()| Ty::scalar(self.rng.of(&INTS)));
        let (a, b) = (self.expr(left, depth), self.expr(right, depth));
        match self.rng.below(8) {
            0 => format!("({a} {} {b})", self.rng.of(&["&&", "||"])),
            1 => format!("({a} {} {b})", self.rng.of(&["<", ">", "<=", ">=", "==", "!="])),
            2 => format!("({a} {} {b})", self.rng.of(&["<<", ">>"])),
            3 => format!("{}{a}", self.rng.of(&["~", "!", "+"])),
            4 => format!("({} ? {a} : {b})", self.condition(depth.min(1))),
            _ => format!("({a} {} {b})", self.rng.of(&["&", "|", "^"])),
        }
    }

    fn leaf(&mut self, ty: Ty) -> String {
        if !self.rng.one_in(5)
            && let Some(place) = self.read(ty)
        {
            return place;
        }
        // A number of some other type is rather a variable than a literal.
        if self.rng.one_in(2) {
            let other = self.rng.of(&INTS);
            if let Some(place) = self.read(Ty::scalar(other)) {
                return match ty.lanes {
                    1 => format!("({}){place}", ty.elem.name()),
                    _ => format!("({})(({}){place})", ty.name(), ty.elem.name()),
                };
            }
        }
        let literal = self.literal(ty.elem);
        match ty.lanes {
            1 => literal,
            _ if self.rng.one_in(2) => format!("({})({literal})", ty.name()),
            n => {
                let rest: Vec<String> = (1..n).map(|_| self.literal(ty.elem)).collect();
                format!("({})({literal}, {})", ty.name(), rest.join(", "))
            }
        }
    }

    /// A place of this type in scope, or a part of a vector in scope.
    fn read(&mut self, ty: Ty) -> Option<String> {
        let fits = |place: &Place| match place {
            Place::Variable { ty: t, .. } => *t == ty || t.elem == ty.elem && t.lanes > 1 && ty.lanes != 16,
            Place::Array { ty: t, .. } => *t == ty,
        };
        let fitting: Vec<Place> = self.scope.iter().filter(|place| fits(place)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        match &fitting[self.rng.below(fitting.len())] {
            Place::Variable { text, ty: t, .. } if t.lanes == ty.lanes => Some(text.clone()),
            Place::Variable { text, ty: t, .. } => Some(format!("{text}.{}", self.swizzle(t.lanes, ty.lanes, false))),
            // An index that grows from work-item to work-item, held within bounds.
            Place::Array { text, len, .. } if self.in_kernel && self.rng.one_in(4) => {
                let (id, stride, sum) =
                    (self.rng.of(&["col", "row", "lid", "gid"]), 1 + self.rng.below(3), self.rng.below(30));
                let low = self.rng.below(*len);
                let high = low + self.rng.below(len - low);
                Some(format!("{text}[clamp((int){id} * {stride} + {sum} - 9, {low}, {high})]"))
            }
            Place::Array { text, len, .. } => {
                let index = self.index();
                Some(format!("{text}[{index} & {}]", len - 1))
            }
        }
    }

    /// An index that is not within bounds yet.
    fn index(&mut self) -> String {
        if self.indices == super::NESTED_INDICES {
            return self.literal(Int);
        }
        self.indices += 1;
        let index = self.mixed(0);
        self.indices -= 1;
        index
    }

    /// A choice of `to` components of `from`; `distinct` ones for what is written.
    pub(super) fn swizzle(&mut self, from: usize, to: usize, distinct: bool) -> String {
        if from == 2 * to && from > 2 && self.rng.one_in(3) {
            return self.rng.of(&["lo", "hi", "even", "odd"]).into();
        }
        let mut picks: Vec<usize> = Vec::new();
        while picks.len() < to {
            let pick = self.rng.below(from);
            if !distinct || !picks.contains(&pick) {
                picks.push(pick);
            }
        }
        if from <= 4 && self.rng.one_in(2) {
            return picks.iter().map(|&p| ['x', 'y', 'z', 'w'][p]).collect();
        }
        let digit = |&p: &usize| char::from_digit(p as u32, 16).unwrap_or('0');
        self.rng.of(&["s", "S"]).to_owned() + &picks.iter().map(digit).collect::<String>()
    }

    fn literal(&mut self, elem: Elem) -> String {
        if elem.is_float() {
            let text = self.rng.of(&["0.0", "1.0", "0.5", "-2.75", "1e10", "3.0", "-0x1.8p-3", "123456.789", "1e-30"]);
            return match elem {
                Half => self.rng.of(&["0.0h", "1.0h", "-2.75h", "0.1h", "60000.0h", "0x1p-20h"]).into(),
                Float => format!("{text}f"),
                _ => text.into(),
            };
        }
        let value = match self.rng.below(4) {
            0 => self.rng.below(20) as i64,
            1 => self.rng.of(&[127, 128, 255, 32767, 65535, 0x7fff_ffff, 0xffff_ffff, i64::MAX]),
            _ => self.rng.next() as i64 >> self.rng.below(64),
        };
        match elem {
            Int if i32::try_from(value).is_ok() && value > -0x7fff_ffff => format!("({value})"),
            UInt => format!("{:#x}u", value as u32),
            Long if value > 0 => format!("{value}L"),
            ULong => format!("{}UL", value as u64),
            _ => format!("({}){:#x}", elem.name(), value as u64),
        }
    }

    /// A comparison of scalars of one type: an int.
    fn compare(&mut self, ty: Ty, depth: usize) -> String {
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        format!("({a} {} {b})", self.rng.of(&["<", ">", "<=", ">=", "==", "!="]))
    }

    fn int_scalar(&mut self, elem: Elem, depth: usize) -> String {
        let (ty, name) = (Ty::scalar(elem), elem.name());
        match self.rng.below(12) {
            0 | 1 => format!("({name}){}", self.mixed(depth)),
            2 | 3 => {
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                let wide = if elem.bytes() == 8 { "ulong" } else { "uint" };
                format!("({name})(({wide}){a} {} ({wide}){b})", self.rng.of(&["+", "-", "*"]))
            }
            4 => {
                // Operands whose promotion leaves room.
                let [left, right] = [(); 2].map(|()| Ty::scalar(self.rng.of(&[Char, Short, super::UChar])));
                let (a, b) = (self.expr(left, depth), self.expr(right, depth));
                format!("({name})({a} {} {b})", self.rng.of(&["+", "-", "*"]))
            }
            5 => {
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("({name})({a} {} ({b} & 15 | 1))", self.rng.of(&["/", "%"]))
            }
            6 => {
                let (c, a, b) = (self.condition(depth.min(1)), self.expr(ty, depth), self.expr(ty, depth));
                format!("({name})({c} ? {a} : {b})")
            }
            7 => {
                let from = Ty::scalar(self.float_elem());
                let mode = self.rng.of(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
                format!("convert_{name}_sat{mode}({})", self.expr(from, depth))
            }
            8 => {
                let lanes = self.rng.of(&[2, 3, 4, 8, 16]);
                let vector = Ty { elem: self.rng.of(&[Char, Short, Int, Long]), lanes };
                let v = self.expr(vector, depth);
                format!("({name}){}({v})", self.rng.of(&["any", "all"]))
            }
            9 if self.rng.one_in(3) => {
                let from = Ty::scalar(self.float_elem());
                let test = self.rng.of(&["isnan", "isinf", "isfinite", "isnormal"]);
                format!("({name}){test}({})", self.expr(from, depth))
            }
            9 => match self.call(ty, depth) {
                Some(call) => call,
                None => format!("({name})sizeof({})", self.expr(Ty { elem, lanes: 3 }, 0)),
            },
            _ => self.int_builtin(ty, depth),
        }
    }

    /// A call of a pure helper with this result.
    fn call(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|&f| self.functions[f].result == ty && self.functions[f].pointee.is_none())
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let function = self.functions[self.rng.of(&fitting)].clone();
        let args: Vec<String> = function.params.iter().map(|&p| self.argument(p, depth)).collect();
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    /// An argument, which may convert to its parameter's type.
    pub(super) fn argument(&mut self, ty: Ty, depth: usize) -> String {
        if ty.lanes == 1 && self.rng.one_in(3) { self.mixed(depth) } else { self.expr(ty, depth) }
    }

    /// A builtin function on integers, scalar or vector.
    fn int_builtin(&mut self, ty: Ty, depth: usize) -> String {
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        let other = ty.with(ty.elem.int(!ty.elem.is_signed()));
        match self.rng.below(9) {
            0 => {
                let c = self.expr(ty, depth.min(1));
                format!("{}({a}, {b}, {c})", self.rng.of(&["mad_hi", "mad_sat", "bitselect"]))
            }
            1 => format!("{}({a})", self.rng.of(&["clz", "popcount"])),
            2 if !ty.elem.is_signed() => {
                let c = self.expr(other, depth);
                match self.rng.below(2) {
                    0 => format!("abs({c})"),
                    _ => format!("abs_diff({c}, {})", self.expr(other, depth)),
                }
            }
            3 => {
                let mask = ty.with(ty.elem.int(self.rng.one_in(2)));
                format!("select({a}, {b}, {})", self.expr(mask, depth))
            }
            4 if ty.elem.bytes() > 1 => {
                let half = super::INTS[2 * ty.elem.bytes().trailing_zeros() as usize - 2];
                let (hi, lo) = (half.int(ty.elem.is_signed()), half.int(false));
                format!("upsample({}, {})", self.expr(ty.with(hi), depth), self.expr(ty.with(lo), depth))
            }
            5 if ty.elem.bytes() == 4 => {
                let few =
                    if ty.lanes == 1 { String::from("0x7fffff") } else { format!("({})0x7fffff", ty.elem.name()) };
                format!("mul24({a} & {few}, {b} & {few})")
            }
            6 => {
                let bytes = ty.elem.bytes() * ty.lanes;
                let elem = self.rng.of(&INTS);
                let lanes = bytes / elem.bytes();
                let fits = ty.lanes != 3 && [1, 2, 4, 8, 16].contains(&lanes);
                let from = if fits { Ty { elem, lanes } } else { other };
                format!("as_{}({})", ty.name(), self.expr(from, depth))
            }
            7 => {
                let from = ty.with(self.rng.of(&INTS));
                let sat = self.rng.of(&["", "_sat"]);
                format!("convert_{}{sat}({})", ty.name(), self.expr(from, depth))
            }
            _ => {
                let name = self.rng.of(&["add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "min", "max", "rotate"]);
                format!("{name}({a}, {b})")
            }
        }
    }

    /// What makes a vector of any element type.
    fn any_vector(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match self.rng.below(9) {
            7 | 8 => {
                // From an array of scalars.
                let fits = |place: &Place| match place {
                    Place::Array { ty: t, len, .. } => *t == Ty { lanes: 1, ..ty } && *len >= ty.lanes,
                    Place::Variable { .. } => false,
                };
                let fitting: Vec<Place> = self.scope.iter().filter(|place| fits(place)).cloned().collect();
                match fitting.get(self.rng.below(fitting.len().max(1))) {
                    Some(Place::Array { text, len, .. }) => {
                        let start = self.rng.below(len - ty.lanes + 1);
                        format!("vload{}(0, {text} + {start})", ty.lanes)
                    }
                    _ => format!("({name})({})", self.expr(Ty { lanes: 1, ..ty }, depth)),
                }
            }
            // From parts.
            0 | 1 => {
                let mut left = ty.lanes;
                let mut parts = Vec::new();
                while left > 0 {
                    let fitting: Vec<usize> =
                        [1, 2, 3, 4, 8].into_iter().filter(|&n| n <= left && n < ty.lanes).collect();
                    let lanes = self.rng.of(&fitting);
                    parts.push(self.expr(Ty { lanes, ..ty }, depth.min(1)));
                    left -= lanes;
                }
                format!("({name})({})", parts.join(", "))
            }
            2 => format!("({name})({})", self.expr(Ty { lanes: 1, ..ty }, depth)),
            3 => {
                let lanes = self.rng.of(&[2, 3, 4, 8, 16]);
                let v = self.expr(Ty { lanes, ..ty }, depth);
                format!("({v}).{}", self.swizzle(lanes, ty.lanes, false))
            }
            4 => {
                let c = self.expr(ty.with(ty.elem.int(true)), depth);
                format!("({c} ? {} : {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            5 if ty.lanes != 3 => {
                let lanes = self.rng.of(&[2, 4, 8, 16]);
                let mask = ty.with(ty.elem.int(false));
                let (v, m) = (self.expr(Ty { lanes, ..ty }, depth), self.expr(mask, depth.min(1)));
                if self.rng.one_in(2) {
                    return format!("shuffle({v}, {m})");
                }
                format!("shuffle2({v}, {}, {m})", self.expr(Ty { lanes, ..ty }, depth))
            }
            _ => {
                let mask = ty.with(ty.elem.int(self.rng.one_in(2)));
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("select({a}, {b}, {})", self.expr(mask, depth))
            }
        }
    }

    fn int_vector(&mut self, ty: Ty, depth: usize) -> String {
        let a = self.expr(ty, depth);
        // The right operand may be a scalar.
        let right = if self.rng.one_in(3) { Ty { lanes: 1, ..ty } } else { ty };
        let name = ty.elem.name();
        match self.rng.below(9) {
            0 | 1 => {
                let b = self.expr(right, depth);
                format!("({a} {} {b})", self.rng.of(&["+", "-", "*", "&", "|", "^"]))
            }
            2 => {
                let b = self.expr(right, depth);
                format!("({a} {} {b})", self.rng.of(&["<<", ">>"]))
            }
            3 => {
                let b = self.expr(ty, depth);
                format!("({a} {} ({b} & ({name})15 | ({name})1))", self.rng.of(&["/", "%"]))
            }
            4 => format!("({}{a})", self.rng.of(&["~", "-", "+"])),
            5 if ty.elem.is_signed() => {
                let of = match (ty.elem, self.rng.below(4)) {
                    (Short, 0) if self.halves => Half,
                    (Int, 0) => Float,
                    (Long, 0) => super::Double,
                    (_, 1) => ty.elem.int(false),
                    _ => ty.elem,
                };
                let (a, b) = (self.expr(ty.with(of), depth), self.expr(ty.with(of), depth));
                let op = self.rng.of(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
                if self.rng.one_in(6) { format!("(!{a})") } else { format!("({a} {op} {b})") }
            }
            6 => {
                let from = ty.with(self.float_elem());
                let mode = self.rng.of(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
                format!("convert_{}_sat{mode}({})", ty.name(), self.expr(from, depth))
            }
            7 if matches!(ty.elem, Int | Long) || ty.elem == Short && self.halves => {
                let of = ty.with(match ty.elem {
                    Short => Half,
                    Int => Float,
                    _ => super::Double,
                });
                let (a, b) = (self.expr(of, depth), self.expr(of, depth));
                let name = self.rng.of(&["isless", "isgreaterequal", "isequal", "isnotequal", "isunordered"]);
                format!("{name}({a}, {b})")
            }
            _ => self.int_builtin(ty, depth),
        }
    }

    /// A function whose result is exact or correctly rounded. Adding 0 takes the sign of a zero that is not defined.
    fn exact(&mut self, ty: Ty, depth: usize) -> String {
        let (a, b, name) = (self.expr(ty, depth), self.expr(ty, depth), ty.name());
        match self.rng.below(6) {
            0 => format!("({}({a}, {b}) + ({name})0)", self.rng.of(&["fmin", "fmax", "minmag", "maxmag"])),
            1 => {
                format!("({}({a}, {b}) + ({name})0)", self.rng.of(&["fmod", "remainder", "nextafter", "fdim", "step"]))
            }
            2 => format!("{}({a})", self.rng.of(&["sqrt", "round", "sign", "logb"])),
            3 => {
                let n = self.expr(ty.with(Int), depth);
                format!("ldexp({a}, {n} % {})", self.rng.of(&[10, 100, 2000]))
            }
            _ => {
                let mask = ty.with(ty.elem.int(true));
                format!("select({a}, {b}, {})", self.expr(mask, depth))
            }
        }
    }

    /// Operations that IEEE 754 defines.
    fn float(&mut self, ty: Ty, depth: usize) -> String {
        if self.rng.one_in(8) {
            return self.exact(ty, depth);
        }
        let right = if ty.lanes > 1 && self.rng.one_in(3) { Ty { lanes: 1, ..ty } } else { ty };
        let a = self.expr(ty, depth);
        match self.rng.below(8) {
            0 | 1 => {
                let b = self.expr(right, depth);
                format!("({a} {} {b})", self.rng.of(&["+", "-", "*", "/"]))
            }
            2 => format!("{}({a})", self.rng.of(&["fabs", "floor", "ceil", "trunc", "rint", "-"])),
            3 => {
                // No NaN: its sign is nobody's promise.
                let from = ty.with(self.rng.of(&INTS));
                format!("copysign({a}, convert_{}({}))", ty.name(), self.expr(from, depth))
            }
            4 => format!("fma({a}, {}, {})", self.expr(ty, depth), self.expr(ty, depth.min(1))),
            5 if ty.lanes == 1 => format!("({})({} ? {a} : {})", ty.name(), self.condition(0), self.expr(ty, depth)),
            6 => {
                let from = ty.with(self.float_elem());
                let mode = self.rng.of(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
                format!("convert_{}{mode}({})", ty.name(), self.expr(from, depth))
            }
            _ => {
                let from = ty.with(self.rng.of(&INTS));
                let mode = self.rng.of(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
                format!("convert_{}{mode}({})", ty.name(), self.expr(from, depth))
            }
        }
    }
}
