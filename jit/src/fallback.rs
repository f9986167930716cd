//! In which ways machine code for a kernel is made, best first, and when the next way is tried. Nothing else decides
//! that.
//!
//! | | the work-group function | by | tried if |
//! |---|---|---|---|
//! | 1 | with lanes, where they pay | the back end that wins there (`choose`) | |
//! | 2 | the same | Cranelift | the first back end lacks something that the function needs |
//! | 3 | scalar | the back end that wins there | lanes are too large: for a stack frame, or for a generator |
//! | 4 | the same | Cranelift | as 2 |
//!
//! Of code with variables that debuggers are told only Cranelift says where they are. Code that is too large so is made
//! in these ways without them.
//!
//! Lanes that are too large for our own generator do not go to Cranelift: they would be larger still, and slower than
//! scalar code. Sub-groups do: they are lanes in scalar code, too. Must not know Cranelift or OpenCL objects.

use crate::codegen::{Backend, Scratch};
use crate::error::CodeError;
use crate::ir::{Func, FuncId, InstData, Module, Op};
use crate::launch::LaneChoice;
use crate::legalize::works_on_whole_vectors;
use crate::pipeline::WorkGroup;
use crate::{simd, target};
use rustc_hash::FxHashSet;

/// Code in lanes of more bytes than this is in doubt, whatever estimates say: the processor may wait for it. Of hash
/// functions with all rounds unrolled some took a quarter of the time of scalar code, and some one and a half times.
pub const LARGE_CODE: usize = 192 << 10;

/// What is said of a way in which code was made.
pub struct Told {
    /// What became of each loop over work-items, and who made the code.
    pub remarks: Vec<String>,
    /// See `KernelCode::rivals`.
    pub rivals: Vec<LaneChoice>,
    /// Estimates have put loops into lanes.
    pub has_chosen_lanes: bool,
}

impl Told {
    fn new(remarks: &[simd::Remark], by: String) -> Self {
        let is_chosen =
            |remark: &simd::Remark| matches!(remark.outcome, simd::Outcome::Lanes(simd::InLanes { gain: Some(_), .. }));
        let (rivals, has_chosen_lanes) = (simd::rivals(remarks), remarks.iter().any(is_chosen));
        Self { remarks: remarks.iter().map(ToString::to_string).chain([by]).collect(), rivals, has_chosen_lanes }
    }
}

/// What `make` gives in the first way that works, and what is said of that way. `form` makes the work-group function,
/// given how it is to be vectorised, and true if debuggers are to be told its variables.
///
/// # Errors
/// Those of the last way that was tried.
pub fn first<T>(
    module: &Module,
    lanes: Option<simd::Config>,
    form: impl Fn(Option<simd::Config>, bool) -> (WorkGroup, Vec<simd::Remark>),
    make: impl Fn(Backend, &Func, Scratch) -> Result<T, CodeError>,
) -> Result<(T, Told), CodeError> {
    let without = |make: &_| without_variables(module, lanes, |lanes| form(lanes, false), make);
    if !module.is_scalar {
        return without(&make);
    }
    let (group, remarks) = form(None, true);
    match by_backends(Backend::Cranelift, &group, &make) {
        Err(error) if error.too_large => {
            let (made, mut told) = without(&make)?;
            told.remarks.insert(0, format!("debuggers are told no variables: {}", error.message));
            Ok((made, told))
        }
        made => made.map(|(made, by)| (made, Told::new(&remarks, by))),
    }
}

fn without_variables<T>(
    module: &Module,
    lanes: Option<simd::Config>,
    form: impl Fn(Option<simd::Config>) -> (WorkGroup, Vec<simd::Remark>),
    make: &impl Fn(Backend, &Func, Scratch) -> Result<T, CodeError>,
) -> Result<(T, Told), CodeError> {
    let (group, remarks) = form(lanes);
    match by_backends(choose(module, &group.func), &group, make) {
        Err(error) if error.too_large && group.func.is_lanes => {
            let refused = simd::Remark {
                item_loop: 0,
                place: simd::Place::Any,
                outcome: simd::Outcome::Scalar(simd::Reason::Refused(error.message)),
            };
            let (scalar, _) = form(None);
            // Sub-groups are lanes in scalar code, too, and there is no other way for them.
            let lanes = scalar.func.is_lanes;
            let backend = if lanes { Backend::Cranelift } else { choose(module, &scalar.func) };
            let (made, by) = by_backends(backend, &scalar, make)?;
            Ok((made, Told::new(&[refused], by)))
        }
        Ok((made, by)) => Ok((made, Told::new(&remarks, by))),
        // What must be lanes, and is not, is why no code is made.
        Err(error) => {
            let is_scalar = |remark: &&simd::Remark| matches!(remark.outcome, simd::Outcome::Scalar(_));
            let reasons =
                remarks.iter().filter(is_scalar).fold(String::new(), |all, remark| format!("{all}; {remark}"));
            Err(CodeError { message: error.message + &reasons, ..error })
        }
    }
}

/// What `make` gives for one work-group function by a back end or, where that lacks something, by Cranelift; and which
/// of them made it.
///
/// # Errors
/// Those of the last way that was tried.
pub fn by_backends<T>(
    chosen: Backend,
    group: &WorkGroup,
    make: impl Fn(Backend, &Func, Scratch) -> Result<T, CodeError>,
) -> Result<(T, String), CodeError> {
    let (func, scratch) = (&group.func, Scratch { fixed: 0, per_item: group.scratch_per_item });
    match make(chosen, func, scratch) {
        Ok(made) => Ok((made, format!("machine code by {}", chosen.name()))),
        Err(error) if chosen == Backend::Cranelift || (error.too_large && func.is_lanes) => Err(error),
        Err(error) => {
            let made = make(Backend::Cranelift, func, scratch)?;
            let (name, other) = (Backend::Cranelift.name(), chosen.name());
            Ok((made, format!("machine code by {name}, as {other} does not cover it: {}", error.message)))
        }
    }
}

/// The back end for a function: our own where it wins, which is where there are lanes of work-items, wide vectors or
/// floats. (Of scalar code with floats in walks through trees it takes 0.6 to 0.9 of Cranelift's time; of that on
/// integers only, such as a merge of lists, up to 1.5 times as long.)
fn choose(module: &Module, root: &Func) -> Backend {
    let widest = target::backend();
    if target::forced().is_some() || widest == Backend::Cranelift {
        return widest;
    }
    let wins = |func: &Func| {
        func.is_lanes
            || works_on_whole_vectors(func)
            || func.live_insts().any(|(_, id)| computes_floats(func, &func.insts[id]))
    };
    if wins(root) || callees(module, root).into_iter().any(wins) { widest } else { Backend::Cranelift }
}

/// True for arithmetic on floats, comparisons and conversions of them.
fn computes_floats(func: &Func, inst: &InstData) -> bool {
    let moves = matches!(
        inst.op,
        Op::Const
            | Op::Undef
            | Op::Select
            | Op::Bitcast
            | Op::Build
            | Op::Extract
            | Op::ExtractDyn
            | Op::Insert
            | Op::Shuffle
            | Op::Splat
    );
    inst.op.is_pure() && !moves && inst.result.iter().chain(&inst.args).any(|&v| func.ty(v).is_float())
}

/// The functions that `root` calls, directly or not.
fn callees<'a>(module: &'a Module, root: &Func) -> Vec<&'a Func> {
    let calls =
        |func: &Func| -> Vec<FuncId> { func.live_insts().filter_map(|(_, id)| func.insts[id].callee()).collect() };
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut todo = calls(root);
    while let Some(id) = todo.pop() {
        if let Some(func) = module.funcs.get(id)
            && seen.insert(id.0)
        {
            found.push(func);
            todo.extend(calls(func));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A work-group function that claims lanes where it gets a configuration, and whose name says what is told.
    fn form(lanes: Option<simd::Config>, is_told: bool) -> (WorkGroup, Vec<simd::Remark>) {
        let mut func = Func::new(if is_told { "told" } else { "f" }, Vec::new(), None);
        func.is_lanes = lanes.is_some();
        (WorkGroup { func, scratch_per_item: 0 }, Vec::new())
    }

    /// The ways that were tried, as back ends with lanes or without, and the remarks or the message.
    type Outcome = (Vec<(Backend, bool)>, Result<Vec<String>, String>);

    fn ways(make: impl Fn(Backend, bool) -> Result<(), CodeError>) -> Outcome {
        let tried = std::cell::RefCell::new(Vec::new());
        let lanes = Some(simd::Config::always(4));
        let made = first(&Module::default(), lanes, form, |backend, func, _| {
            tried.borrow_mut().push((backend, func.is_lanes));
            make(backend, func.is_lanes)
        });
        (tried.into_inner(), made.map(|(_, told)| told.remarks).map_err(|error| error.message))
    }

    #[test]
    fn the_first_way_that_works_is_taken() {
        let best = target::backend();
        let (tried, made) = ways(|_, _| Ok(()));
        assert_eq!(tried, [(best, true)]);
        assert_eq!(made.expect("it works"), [format!("machine code by {}", best.name())]);
    }

    #[test]
    fn cranelift_makes_what_another_lacks() {
        let (tried, made) = ways(|backend, _| match backend {
            Backend::Cranelift => Ok(()),
            _ => Err(CodeError::new("no code for `frem`")),
        });
        let best = target::backend();
        let (last, ways) =
            if best == Backend::Cranelift { ("", 1) } else { (" does not cover it: no code for `frem`", 2) };
        assert_eq!(tried, [(best, true), (Backend::Cranelift, true)][2 - ways..]);
        let [remark] = &made.expect("Cranelift makes it")[..] else { panic!("one remark") };
        assert!(remark.starts_with("machine code by Cranelift") && remark.ends_with(last), "{remark}");
    }

    #[test]
    fn lanes_that_are_too_large_become_scalar_at_once() {
        let (tried, made) = ways(|_, lanes| if lanes { Err(CodeError::too_large("too large")) } else { Ok(()) });
        assert_eq!(tried.len(), 2, "{tried:?}");
        assert!(tried[0].1 && !tried[1].1, "{tried:?}");
        let remarks = made.expect("scalar code is made");
        assert!(remarks[0].contains("too large"), "{remarks:?}");
    }

    #[test]
    fn what_no_way_makes_is_an_error() {
        let (tried, made) = ways(|_, _| Err(CodeError::new("no memory")));
        assert!(tried.iter().all(|(_, lanes)| *lanes), "{tried:?}");
        assert_eq!(made.expect_err("nothing works"), "no memory");
    }

    #[test]
    fn code_with_variables_is_made_by_cranelift_or_does_without() {
        let module = Module { is_scalar: true, ..Module::default() };
        for most in ["told", "f"] {
            let tried = std::cell::RefCell::new(Vec::new());
            let make = |backend, func: &Func, _: Scratch| {
                tried.borrow_mut().push((backend, func.name.to_string()));
                if &*func.name == most { Ok(()) } else { Err(CodeError::too_large("too large")) }
            };
            let (_, Told { remarks, .. }) = first(&module, None, form, make).expect("there is a way");
            let (told, untold) = ((Backend::Cranelift, "told".to_owned()), "f".to_owned());
            let is_told = most == "told";
            assert_eq!(tried.borrow()[0], told);
            assert_eq!(tried.borrow().get(1).map(|(_, name)| name), (!is_told).then_some(&untold));
            assert_eq!(remarks[0].contains("no variables: too large"), !is_told, "{remarks:?}");
        }
    }
}
