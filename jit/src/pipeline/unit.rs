//! A function on its way through the phases: what passes hand to each other beside it, what steps ask of it, and the
//! passes that need more than the function.

use super::Form;
use crate::error::CodeError;
use crate::image::ImageFacts;
use crate::ir::variable;
use crate::ir::{Block, Func, FuncId, Imm, Inst, InstData, Module, Op, Type};
use crate::launch::{AddrSpace, KernelInfo, SpecKey};
use crate::legalize;
use crate::pass::argument_values;
use crate::pass::specialise::Specialise;
use crate::pass::track;
use crate::target::Target;
use crate::{simd, wg};

/// For which launches code is made.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'m> {
    /// The kernel.
    pub info: &'m KernelInfo,
    /// Its function.
    pub id: FuncId,
    /// What is known of the launches.
    pub key: SpecKey,
    /// How parallel regions share code.
    pub sharing: wg::Sharing,
}

/// A function on its way, and what passes hand to each other beside it.
pub struct Unit<'m> {
    /// Where its callees are.
    pub module: &'m Module,
    /// The function.
    pub func: Func,
    /// What may be relied on.
    pub form: Form,
    /// Scratch bytes for each work-item of a group.
    pub scratch_per_item: usize,
    /// Private arrays may be interleaved, and are.
    pub(super) interleaves: bool,
    pub(super) is_interleaved: bool,
    /// The headers of loops that `scalar-promotion` is done with.
    pub(super) promoted: Vec<Block>,
    /// The vectoriser's settings and results; none if the code is to be scalar.
    pub lanes: Option<simd::Lanes>,
    /// Work-items of a sub-group, if the kernel asks for anything of those.
    pub(super) sub_group: Option<u8>,
    pub(super) launch: Option<Launch<'m>>,
    images: Option<Specialise>,
    pub(super) target: Option<&'static Target>,
}

impl<'m> Unit<'m> {
    /// A function in some form.
    pub fn new(module: &'m Module, func: Func, form: Form) -> Self {
        Self {
            module,
            func,
            form,
            scratch_per_item: 0,
            interleaves: true,
            is_interleaved: false,
            promoted: Vec::new(),
            lanes: None,
            sub_group: None,
            launch: None,
            images: None,
            target: None,
        }
    }

    /// A kernel that has been through `PROGRAM`, for launches of which `key` is known.
    pub fn of_kernel(module: &'m Module, kernel: usize, key: SpecKey, sharing: wg::Sharing) -> Self {
        let (info, id) = &module.kernels[kernel];
        let launch = Some(Launch { info, id: *id, key, sharing });
        let sub_group = wg::sub_group(&module.funcs[*id], info);
        Self { launch, sub_group, ..Self::new(module, module.funcs[*id].clone(), Form::KERNEL | Form::SSA) }
    }
    /// A work-group function behind `GROUP`, of which no launch is known.
    pub(super) fn of_group(module: &'m Module, func: &Func, config: simd::Config) -> Self {
        let lanes = Some(simd::Lanes::new(config));
        Self { lanes, ..Self::new(module, func.clone(), Form::GROUP | Form::SSA) }
    }

    pub(super) fn launch(&self) -> Launch<'m> {
        self.launch.expect("the phase is for a launch")
    }
    pub(super) fn lanes(&mut self) -> &mut simd::Lanes {
        self.lanes.as_mut().expect("the phase is for lanes")
    }
}

// ---- What steps ask ----

pub(super) fn has_sub_groups(unit: &Unit<'_>) -> bool {
    unit.sub_group.is_some()
}
pub(super) fn has_no_sub_groups(unit: &Unit<'_>) -> bool {
    unit.sub_group.is_none()
}

pub(super) fn uses_slots(unit: &Unit<'_>) -> bool {
    unit.func.uses_slots()
}
pub(super) fn has_rows(unit: &Unit<'_>) -> bool {
    unit.func.layout.iter().any(|&b| unit.func.blocks[b].rows.is_some())
}
pub(super) fn knows_images(unit: &Unit<'_>) -> bool {
    let facts: &ImageFacts = &unit.launch().key.images;
    let args = unit.launch().info.args.iter().filter(|arg| arg.kind.is_opaque());
    args.zip(facts.iter()).any(|(_, fact)| fact.is_known())
}
pub(super) fn knows_values(unit: &Unit<'_>) -> bool {
    !unit.launch().key.values.is_empty()
}
pub(super) fn knows_arguments(unit: &Unit<'_>) -> bool {
    knows_values(unit) || knows_images(unit)
}
pub(super) fn is_tracked(unit: &Unit<'_>) -> bool {
    track::is_wanted(unit.module)
}
/// What work-items do may come in another order than turn by turn of each.
pub(super) fn may_reorder_items(unit: &Unit<'_>) -> bool {
    let launch = unit.launch();
    launch.key.local_size.is_some() && unit.sub_group.is_none() && !launch.info.may_wait && !is_tracked(unit)
}
pub(super) fn streams(unit: &Unit<'_>) -> bool {
    unit.launch().key.streams != 0
}
pub(super) fn may_privatise(unit: &Unit<'_>) -> bool {
    unit.sub_group.is_none() && unit.launch.is_some_and(|launch| !launch.info.may_wait)
}
pub(super) fn may_have_lanes(unit: &Unit<'_>) -> bool {
    unit.lanes.is_some() && unit.func.layout.iter().any(|&b| unit.func.blocks[b].items)
}
pub(super) fn may_have_inner_lanes(unit: &Unit<'_>) -> bool {
    unit.lanes.is_some() && has_no_sub_groups(unit) && simd::inner_loops::applies(&unit.func)
}
/// Lanes gather what those of inner loops might find side by side.
pub(super) fn lanes_walk(unit: &Unit<'_>) -> bool {
    unit.lanes.as_ref().is_some_and(simd::Lanes::walk)
}
pub(super) fn is_scalar(unit: &Unit<'_>) -> bool {
    !unit.func.is_lanes
}
pub(super) fn has_grown(unit: &Unit<'_>) -> bool {
    unit.lanes.as_ref().is_some_and(|lanes| lanes.has_grown)
}
pub(super) fn broadcasts_loads(unit: &Unit<'_>) -> bool {
    unit.lanes.as_ref().is_some_and(|lanes| lanes.config.target.broadcast_loads)
}
pub(super) fn can_prefetch(unit: &Unit<'_>) -> bool {
    unit.lanes.as_ref().is_some_and(|lanes| lanes.config.target.prefetch)
}
pub(super) fn gathers(unit: &Unit<'_>) -> bool {
    let is_one = |(_, inst): (_, Inst)| matches!(unit.func.insts[inst].op, Op::Gather | Op::Scatter);
    unit.lanes.as_ref().is_some_and(|lanes| lanes.config.target.gather) && unit.func.live_insts().any(is_one)
}
/// The kernel may have had barriers, of which lanes that are a whole group have nothing left. (Where they were is not
/// known any more: one outside the loop counts, too.)
pub(super) fn has_barriers(unit: &Unit<'_>) -> bool {
    let waits = |func: &Func| func.live_insts().any(|(_, inst)| func.insts[inst].op.is_convergent());
    unit.launch.is_none_or(|launch| waits(&unit.module.funcs[launch.id]))
}
pub(super) fn gathers_locally(unit: &Unit<'_>) -> bool {
    simd::local_permute::applies(&unit.func)
}
pub(super) fn swaps_locally(unit: &Unit<'_>) -> bool {
    let local = |data: &InstData| unit.func.ty(data.args[0]) == Type::ptr(AddrSpace::Local);
    let swaps = |data: &InstData| data.op == Op::AtomicCas && local(data);
    unit.func.live_insts().any(|(_, inst)| swaps(&unit.func.insts[inst]))
}
pub(super) fn may_jam(unit: &Unit<'_>) -> bool {
    let heads = |&b: &Block| unit.func.blocks[b].rows.is_some() || unit.func.blocks[b].vectors;
    unit.func.layout.iter().any(heads)
}

// ---- Passes that need more than the function ----

pub(super) fn take_values(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    let launch = unit.launch();
    argument_values::run(&mut unit.func, launch.info, &launch.key.values);
    Ok(())
}
pub(super) fn take_image_facts(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    let launch = unit.launch();
    unit.images = Some(Specialise::new(&mut unit.func, &launch.info.args, &launch.key.images));
    Ok(())
}
pub(super) fn replace_image_fields(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    unit.images.as_mut().expect("behind `image-facts`").replace_loads(&mut unit.func);
    Ok(())
}
pub(super) fn inline_images(unit: &mut Unit<'_>) -> bool {
    unit.images.as_mut().expect("behind `image-facts`").inline(&mut unit.func, unit.module)
}
/// Of sub-groups whose lanes have more bytes of variables debuggers are told nothing: the stack has to hold them.
const MAX_TOLD: u64 = 64 << 10;

pub(super) fn set_sub_group_size(unit: &mut Unit<'_>) -> bool {
    let Some(size) = unit.sub_group else { return false };
    if size == 1 {
        simd::single_sub_groups::run_everywhere(&mut unit.func);
        unit.sub_group = None;
        return true;
    }
    let insts: Vec<Inst> = unit.func.live_insts().map(|(_, inst)| inst).collect();
    let variables = unit.func.slots.values().filter(|slot| slot.variable.is_some());
    let bytes = variables.map(|slot| slot.stride()).sum::<u64>().saturating_mul(size.into());
    let mut any = bytes > MAX_TOLD && variable::forget(&mut unit.func);
    for inst in insts {
        let data = &mut unit.func.insts[inst];
        if data.op == Op::SgMax {
            (data.op, data.imm) = (Op::Const, Imm::Bits(size.into()));
            any = true;
        }
    }
    any
}
pub(super) fn track(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    let Launch { info, id, key, .. } = unit.launch();
    track::run(&mut unit.func, unit.module, info, &key, unit.sub_group);
    unit.func.locals = wg::local_layout(unit.module, id).places(unit.module);
    Ok(())
}
pub(super) fn loop_barriers(unit: &mut Unit<'_>) -> bool {
    let local = unit.launch().key.local_size;
    local.is_some_and(|local| wg::loop_barriers::run(&mut unit.func, local))
}
pub(super) fn form_work_group(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    let Launch { info, id, key, sharing } = unit.launch();
    if info.may_wait {
        wg::keep_signals(&mut unit.func);
    }
    let locals = wg::local_layout(unit.module, id);
    let wg::Formed { func, scratch_per_item, is_interleaved } =
        wg::form(&unit.func, info, &locals, key, sharing, unit.interleaves && unit.lanes.is_some());
    (unit.func, unit.scratch_per_item, unit.is_interleaved) = (func, scratch_per_item, is_interleaved);
    Ok(())
}
pub(super) fn privatise(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    let key = unit.launch().key;
    wg::privatise::run(&mut unit.func, &mut unit.scratch_per_item, key);
    Ok(())
}
pub(super) fn legalise(unit: &mut Unit<'_>) -> Result<(), CodeError> {
    let target = unit.target.expect("the phase is for a target");
    unit.func = legalize::legalise(unit.module, &unit.func, target)?;
    Ok(())
}
