//! The tables are in order: whatever passes tell, each finds the form that it needs.

use super::*;
use std::collections::BTreeSet;

/// A form that is possible somewhere, as bits, and whether something has changed that counts.
type State = (u8, bool);

/// Forms that are possible behind some steps. Fails if a pass may find a form that it does not take.
fn behind(steps: &[Step], before: &BTreeSet<u8>) -> BTreeSet<State> {
    let mut states: BTreeSet<State> = before.iter().map(|&form| (form, false)).collect();
    for step in steps {
        states = states
            .iter()
            .flat_map(|&(form, any)| one(step, form).into_iter().map(move |(f, c)| (f, c || any)))
            .collect();
    }
    states
}

fn forms(states: &BTreeSet<State>) -> BTreeSet<u8> {
    states.iter().map(|state| state.0).collect()
}

fn one(step: &Step, form: u8) -> BTreeSet<State> {
    let only = BTreeSet::from([form]);
    match step {
        Step::Run(pass) => {
            let form = Form::from_bits_truncate(form);
            assert!(form.has(pass.needs) && !form.intersects(pass.unless), "`{}` may find {form:?}", pass.name);
            let changed = (pass.leaves(form).bits(), pass.is_telling());
            if pass.is_telling() { BTreeSet::from([changed, (form.bits(), false)]) } else { BTreeSet::from([changed]) }
        }
        All(steps) => behind(steps, &only),
        Ask(_) => BTreeSet::from([(form, false), (form, true)]),
        When(_, steps) => behind(steps, &only).into_iter().chain([(form, false)]).collect(),
        Changed(first, then, otherwise) => {
            let branch = |&(form, changed): &State| -> Vec<State> {
                let next = if changed { then } else { otherwise };
                forms(&behind(next, &BTreeSet::from([form]))).into_iter().map(|form| (form, changed)).collect()
            };
            behind(first, &only).iter().flat_map(branch).collect()
        }
        While(_, first, then) => {
            let (mut seen, mut done) = (only.clone(), BTreeSet::from([(form, false)]));
            loop {
                let tried = behind(first, &seen);
                let again: BTreeSet<u8> = tried.iter().filter(|state| state.1).map(|state| state.0).collect();
                let more = forms(&behind(then, &again));
                done.extend(
                    tried.iter().filter(|state| !state.1).flat_map(|state| [(state.0, false), (state.0, true)]),
                );
                done.extend(more.iter().map(|&form| (form, true)));
                let n = seen.len();
                seen.extend(more);
                if seen.len() == n {
                    return done;
                }
            }
        }
        Attempt(first, second, then) => {
            let branch = |&(now, changed): &State| -> Vec<State> {
                if changed {
                    forms(&behind(then, &BTreeSet::from([now]))).into_iter().map(|form| (form, true)).collect()
                } else {
                    vec![(form, false)]
                }
            };
            behind(second, &forms(&behind(first, &only))).iter().flat_map(branch).collect()
        }
        Rather(first, _, second) => {
            let tried = behind(first, &only);
            let rather = behind(second, &only).into_iter().filter(|state| state.1);
            rather.chain(tried.iter().copied()).collect()
        }
    }
}

#[test]
fn passes_find_the_forms_that_they_need() {
    let kernel = BTreeSet::from([Form::KERNEL.bits()]);
    for step in PROGRAM {
        if let Each(steps) = step {
            behind(steps, &kernel);
        }
    }
    let mut states = BTreeSet::from([(Form::KERNEL | Form::SSA).bits()]);
    for phase in [FORM, GROUP, FINISH, LEGAL] {
        states = forms(&behind(phase, &states));
    }
    assert!(states.iter().all(|&form| Form::from_bits_truncate(form).contains(Form::LEGAL)), "{states:?}");
}

#[test]
#[should_panic(expected = "may find")]
fn a_pass_that_needs_what_is_not_there_is_found() {
    behind(&[Step::Run(&FORM_WORK_GROUP), Step::Run(&GVN)], &BTreeSet::from([Form::KERNEL.bits()]));
}

#[test]
fn names_are_those_of_files_and_each_is_there_once() {
    let names: Vec<&str> = PASSES.iter().map(|p| p.name).chain(MODULE_PASSES.iter().map(|p| p.name)).collect();
    let once: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(once.len(), names.len());
    fn visit(step: &Step, seen: &mut BTreeSet<&'static str>) {
        match step {
            Step::Run(pass) => _ = seen.insert(pass.name),
            All(steps) | When(_, steps) => steps.iter().for_each(|s| visit(s, seen)),
            Ask(_) => {}
            Changed(a, b, c) | Attempt(a, b, c) => {
                [a, b, c].into_iter().flat_map(|s| s.iter()).for_each(|s| visit(s, seen))
            }
            While(_, a, b) | Rather(a, _, b) => a.iter().chain(*b).for_each(|s| visit(s, seen)),
        }
    }
    let mut seen = BTreeSet::new();
    CHECKED.iter().chain(PROGRAM).for_each(|step| {
        if let Each(steps) = step {
            steps.iter().for_each(|s| visit(s, &mut seen))
        }
    });
    [FORM, GROUP, FINISH, LEGAL].into_iter().flatten().for_each(|s| visit(s, &mut seen));
    let listed: BTreeSet<&str> = PASSES.iter().map(|p| p.name).collect();
    assert_eq!(seen, listed, "every pass runs somewhere, and is in the list");
}

/// Passes that have no file of their own, and where they are.
const ELSEWHERE: &[(&str, &str)] = &[
    ("check-lowered", "pass/check/values"),
    ("compact", "ir/func"),
    ("dead-slots", "pass/gvn"),
    ("form-work-group", "wg/mod"),
    ("ifconv-scalar", "pass/ifconv"),
    ("image-facts", "pass/specialise"),
    ("image-fields", "pass/specialise"),
    ("inline-checked", "pass/inline"),
    ("inline-images", "pass/specialise"),
    ("inline-in-loops", "simd/inline_calls"),
    ("inline-in-scalar", "simd/inline_calls"),
    ("keep-extended", "simd/coalesce"),
    ("legalise", "legalize/mod"),
    ("lift-queries-checked", "pass/lift_queries"),
    ("merge-constants", "pass/merge_stores"),
    ("open-single-loops", "pass/unroll"),
    ("preheaders", "loops/simplify"),
    ("sub-group-size", "pipeline/unit"),
    ("thread-latches", "pass/jump_threading"),
    ("trip-clamp-rows", "pass/trip_clamp"),
    ("variables-of-pointers", "pass/mem2reg"),
    ("vectorise", "simd/mod"),
    ("widen-inner-counters", "simd/widen_induction"),
    ("widen-joins", "simd/widen_induction"),
];

#[test]
fn passes_are_called_like_their_files() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let exists = |path: &str| [".rs", "/mod.rs"].iter().any(|end| source.join(format!("{path}{end}")).exists());
    for name in PASSES.iter().map(|p| p.name).chain(MODULE_PASSES.iter().map(|p| p.name)) {
        let own = ["pass", "wg", "simd", "loops"]
            .iter()
            .any(|folder| exists(&format!("{folder}/{}", name.replace('-', "_"))));
        let elsewhere = ELSEWHERE.iter().find(|row| row.0 == name).is_some_and(|row| exists(row.1));
        assert!(own != elsewhere, "`{name}`");
    }
}
