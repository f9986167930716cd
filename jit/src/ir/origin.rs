//! Where instructions come from: a place in a source, and the calls through which it came into the function that it is
//! in, as LLVM's `DILocation` has them in `inlinedAt`. An instruction has only a number beside its span; what the
//! number means is in its function. Must not know texts: `places` turns an origin into files and lines.

use super::entity::FuncId;
use super::func::Func;
use super::module::Module;
use crate::places::{Frame, SourceId, Sources};
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// In the source of the function that `site` is about.
    pub span: Span,
    /// The call that brought it.
    pub site: Site,
}

/// The call that brought instructions into a function: a number in its `Origins`; 0 for what it has of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site(u32);

/// A call whose callee's body has come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// The callee, in the module.
    pub callee: FuncId,
    /// Where the call was; its own site comes before this one.
    pub call: Origin,
}

/// What the origins of a function's instructions refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origins {
    /// The source that the function is written in.
    pub source: SourceId,
    sites: Vec<CallSite>,
}

impl Origin {
    /// Nobody knows.
    pub const UNKNOWN: Origin = Origin { span: Span::DUMMY, site: Site(0) };

    /// True if there is no place.
    pub fn is_unknown(self) -> bool {
        self.span.is_dummy()
    }
}

impl From<Span> for Origin {
    /// In the function itself.
    fn from(span: Span) -> Self {
        Self { span, site: Site(0) }
    }
}

impl Origins {
    /// The call that `site` stands for, unless that is the function itself.
    pub fn call(&self, site: Site) -> Option<&CallSite> {
        self.sites.get((site.0 as usize).checked_sub(1)?)
    }

    /// Notes that the body of `callee`, whose own origins are `inner`, comes in where `call` is: from what its origins
    /// are made to what they are here.
    pub(super) fn enter(&mut self, callee: FuncId, inner: &Self, call: Origin) -> impl Fn(Origin) -> Origin + use<> {
        self.sites.push(CallSite { callee, call });
        let base = self.sites.len() as u32;
        let outer = move |origin: Origin| Origin { site: Site(origin.site.0 + base), ..origin };
        self.sites.extend(inner.sites.iter().map(|site| CallSite { call: outer(site.call), ..*site }));
        outer
    }

    /// What two instructions have in common that become one: the place itself, or else the innermost call through
    /// which both came, or a place around both in the same function.
    pub fn common(&self, a: Origin, b: Origin) -> Origin {
        let (mut a, mut b) = (a, b);
        if a.is_unknown() || b.is_unknown() {
            return if a.is_unknown() { b } else { a };
        }
        // A call's own site comes before it: the later one is not around the other.
        while a.site != b.site {
            let later = if a.site.0 > b.site.0 { &mut a } else { &mut b };
            *later = self.call(later.site).map_or(Origin::UNKNOWN, |site| site.call);
        }
        if a.is_unknown() || b.is_unknown() {
            return if a.is_unknown() { b } else { a };
        }
        Origin { span: Span { lo: a.span.lo.min(b.span.lo), hi: a.span.hi.max(b.span.hi) }, site: a.site }
    }
}

impl Module {
    /// Has the origins of a function that comes from another module refer to this one's sources.
    pub(crate) fn adopt_origins(&mut self, origins: &mut Origins, from: &Sources) {
        origins.source = from.get(origins.source).map_or(SourceId::NONE, |source| self.sources.add(source));
    }

    /// Where an instruction of a function comes from, innermost first: functions that came in, each with the place in
    /// it, and at last this one. Empty if nobody knows.
    pub fn frames(&self, func: &Func, at: Origin) -> Vec<Frame> {
        self.frames_in(&func.name, &func.origins, at)
    }

    /// Whether the source has an instruction of a function checked, in a program that is built with checks.
    pub fn is_checked(&self, func: &Func, at: Origin) -> bool {
        let callee = func.origins.call(at.site).and_then(|site| self.funcs.get(site.callee));
        let source = self.sources.get(callee.map_or(func.origins.source, |callee| callee.origins.source));
        at.span.is_dummy() || source.is_none_or(|source| source.is_checked(at.span))
    }

    /// `frames` where of the function only its name and `origins` are left.
    pub fn frames_in(&self, name: &str, origins: &Origins, mut at: Origin) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let site = origins.call(at.site);
            let callee = site.and_then(|site| self.funcs.get(site.callee));
            // A function of the library has its parameters' types in its name.
            let name = callee.map_or(name, |callee| &callee.name).split('(').next().unwrap_or_default();
            let source = self.sources.get(callee.map_or(origins.source, |callee| callee.origins.source));
            let start = frames.len();
            frames.extend(source.map_or_else(Vec::new, |source| source.frames(at.span)));
            for frame in &mut frames[start..] {
                frame.is_library = callee.is_some_and(|callee| callee.is_builtin);
                if frame.function.is_empty() {
                    name.clone_into(&mut frame.function);
                }
            }
            match site {
                Some(site) => at = site.call,
                None => return frames,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    /// `f` calls `g` at 10..20 and at 30..40, which calls `h` at 5..6.
    fn chain() -> (Origins, [Origin; 4]) {
        let [g, h] = [FuncId(1), FuncId(2)];
        let mut in_g = Origins::default();
        let of_h = in_g.enter(h, &Origins::default(), span(5, 6).into());
        let (mut in_f, leaf) = (Origins::default(), of_h(span(1, 2).into()));
        let first = in_f.enter(g, &in_g, span(10, 20).into());
        let second = in_f.enter(g, &in_g, span(30, 40).into());
        let own = span(7, 8).into();
        (in_f, [first(leaf), second(leaf), first(own), first(span(1, 3).into())])
    }

    #[test]
    fn chains_of_calls_lead_out_of_what_was_inlined() {
        let (origins, [leaf, other, ..]) = chain();
        let outwards = |mut at: Origin| {
            let mut spans = vec![(None, at.span)];
            while let Some(site) = origins.call(at.site) {
                at = site.call;
                spans.last_mut().expect("one").0 = Some(site.callee.0);
                spans.push((None, at.span));
            }
            spans
        };
        assert_eq!(outwards(leaf), [(Some(2), span(1, 2)), (Some(1), span(5, 6)), (None, span(10, 20))]);
        assert_eq!(outwards(other), [(Some(2), span(1, 2)), (Some(1), span(5, 6)), (None, span(30, 40))]);
    }

    #[test]
    fn merged_instructions_keep_the_closest_common_place() {
        let (origins, [leaf, other, own, close]) = chain();
        assert_eq!(origins.common(leaf, leaf), leaf);
        assert_eq!(origins.common(leaf, Origin::UNKNOWN), leaf);
        assert_eq!(origins.common(leaf, other), Origin::from(span(10, 40)), "calls of the kernel itself");
        let in_g = origins.common(leaf, own);
        assert_eq!((in_g.span, in_g.site), (span(5, 8), own.site), "the call of `h` and what stands behind it");
        assert_eq!(origins.common(own, close).span, span(1, 8));
    }
}
