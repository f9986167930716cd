//! Loops: over counters of all kinds, with bounds that work-items have in common or not, that are left early, left in
//! one arm of a branch only, or whose counter strides over the whole range of work-items.

use super::{Char, Elem, Generator, Int, Place, Ty, UInt, ULong, UShort};

fn variable(text: &str, elem: Elem, writable: bool) -> Place {
    Place::Variable { text: text.into(), ty: Ty::scalar(elem), writable, addressable: false }
}

impl Generator {
    pub(super) fn repeat(&mut self) {
        if self.loops == 2 {
            return self.assignment();
        }
        self.loops += 1;
        let outer = self.scope.len();
        match self.rng.below(5) {
            3 => self.rounds(),
            4 if self.in_kernel => self.strides(),
            _ => self.counted(),
        }
        self.scope.truncate(outer);
        self.loops -= 1;
    }

    /// How often something is done, five times at most.
    fn turns(&mut self) -> String {
        let n = 1 + self.rng.below(5);
        match self.rng.below(4) {
            0 if self.in_kernel => format!("(in[{n}] & 3)"),
            1 if self.in_kernel => format!("(in[gid + {n} & 63] & 3)"),
            _ => n.to_string(),
        }
    }

    fn counted(&mut self) {
        let (i, n) = (self.name("i"), self.turns());
        let elem = self.rng.of(&[Int, UInt, Char, Elem::Long, UShort]);
        let counter = variable(&i, elem, false);
        let leave = self.rng.one_in(3).then(|| (self.condition(1), self.rng.of(&["break", "continue"])));
        let (before, behind) = match self.rng.below(3) {
            0 => (format!("for ({} {i} = 0; {i} < {n}; {i}++) {{", elem.name()), "}".to_owned()),
            1 => {
                self.line(&format!("{} {i} = {n};", elem.name()));
                (format!("while ({i}-- > 0) {{"), "}".to_owned())
            }
            _ => {
                self.line(&format!("{} {i} = 0;", elem.name()));
                ("do {".to_owned(), format!("}} while (++{i} < {n});"))
            }
        };
        self.line(&before);
        self.scope.push(counter);
        if let Some((condition, word)) = leave {
            self.line(&format!("    if ({condition}) {word};"));
        }
        self.block();
        self.line(&behind);
    }

    /// A loop that is left in one arm of a branch only: some work-items come to a place in one turn, others in the next
    /// one, with values of their own and with such as all have that come the same way.
    fn rounds(&mut self) {
        let (i, way, sum) = (self.name("i"), self.name("way"), self.name("sum"));
        self.line(&format!("uint {i} = 0, {way} = 7, {sum} = 1;"));
        self.scope.extend([variable(&i, UInt, false), variable(&way, UInt, false), variable(&sum, UInt, true)]);
        let condition = match self.rng.below(3) {
            0 if self.in_kernel => format!("in[gid + {i} & 63] & {}", self.rng.of(&[1, 3, 8])),
            1 if self.in_kernel => format!("h >> {i} & 1"),
            _ => self.condition(1),
        };
        let n = self.turns();
        self.line("for (;;) {");
        let step = format!("    {sum} = {sum} * 3 + {way};");
        let is_first = self.rng.one_in(2);
        if is_first {
            self.line(&step);
        }
        self.line(&format!("    if ({i} < 8 && ({condition})) {{"));
        self.indent += 1;
        self.block();
        self.line(&format!("    {way} = 5;"));
        if self.rng.one_in(2) {
            self.line(&format!("    {i}++;"));
            self.line("    continue;");
        }
        self.line("} else {");
        self.line(&format!("    if ({i} >= {n}) break;"));
        self.block();
        self.line(&format!("    {way} = 9;"));
        self.line("}");
        self.indent -= 1;
        if !is_first {
            self.line(&step);
        }
        if self.rng.one_in(3) {
            self.block();
        }
        self.line(&format!("    {i}++;"));
        self.line("}");
        if self.in_kernel {
            self.line(&format!("MIX(h, {sum}); MIX(h, {way});"));
        }
    }

    /// A grid-stride loop: all work-items together go over a range, in which each takes every so manieth place.
    fn strides(&mut self) {
        let (i, last) = (self.name("i"), self.rng.of(&["40", "64", "(in[5] & 63)", "(in[9] & 31)"]));
        let ty = self.rng.of(&["size_t", "uint", "int", "long"]);
        self.line(&format!("for ({ty} {i} = gid; {i} < {last}; {i} += get_global_size(0) * get_global_size(1)) {{"));
        self.scope.push(variable(&format!("(ulong){i}"), ULong, false));
        self.scope.push(variable(&format!("in[{i} & 63]"), Int, false));
        if self.rng.one_in(4) {
            let (condition, word) = (self.condition(1), self.rng.of(&["break", "continue"]));
            self.line(&format!("    if ({condition}) {word};"));
        }
        self.block();
        self.line("}");
    }
}
