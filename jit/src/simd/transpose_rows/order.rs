//! Whether loads of rows may come before stores of earlier turns, and stores of rows behind loads of later ones. Must
//! not change anything.

use super::{Group, TURNS, is_store};
use crate::analysis::alias::{Alias, Class};
use crate::ir::Func;
use crate::ir::cfg::Cfg;
use crate::ir::dom::Loop;

/// Most pairs of accesses that are compared.
const MAX_PAIRS: usize = 1024;

/// An access of the loop, in the order in which a turn makes them.
struct Access {
    is_store: bool,
    class: Class,
    /// The group of rows, and bytes behind its first member.
    row: Option<(usize, i64)>,
}

/// True if all groups may be moved: no store meets what is accessed behind it, in the same turn or in one of those that
/// are done with it, if one of both is of a group. With `barriers` lanes may meet what others of them have accessed.
pub(super) fn is_kept(func: &Func, cfg: &Cfg, l: &Loop, groups: &[Group], barriers: bool) -> bool {
    let alias = Alias::new(func);
    let mut blocks = l.blocks.clone();
    cfg.sort(&mut blocks);
    let mut accesses: Vec<Access> = Vec::new();
    for (_, inst) in func.insts_of(&blocks) {
        let data = &func.insts[inst];
        let Some(is_store) = is_store(data) else { continue };
        // Nothing writes what has no class.
        let class = if is_store { alias.class(func, data.args[0]) } else { alias.load_class(func, data) };
        let Some(class) = class else { continue };
        let member = |(n, group): (usize, &Group)| {
            let member = group.members.iter().find(|member| member.inst == inst)?;
            Some((n, member.at))
        };
        accesses.push(Access { is_store, class, row: groups.iter().enumerate().find_map(member) });
    }
    let stores = accesses.iter().filter(|a| a.is_store).count();
    if stores == 0 {
        return true;
    }
    if stores * accesses.len() > MAX_PAIRS {
        return false;
    }
    let overlap = |a: &Access, b: &Access| alias.overlaps(a.class) >> b.class.index() & 1 != 0;
    let is_free = |(n, a): (usize, &Access)| {
        accesses.iter().enumerate().all(|(m, b)| {
            let stays = a.row.is_none() && b.row.is_none();
            stays || !overlap(a, b) || !barriers && (n == m || are_apart(groups, (n, a), (m, b)))
        })
    };
    accesses.iter().enumerate().filter(|(_, a)| a.is_store).all(is_free)
}

/// True if a store of a row meets nothing of what another access, of the same rows, does behind it.
fn are_apart(groups: &[Group], (n, a): (usize, &Access), (m, b): (usize, &Access)) -> bool {
    let (Some((group_a, at_a)), Some((group_b, at_b))) = (a.row, b.row) else { return false };
    let (rows_a, rows_b) = (&groups[group_a], &groups[group_b]);
    let Some(distance) = rows_a.address.distance(rows_b.address).filter(|_| rows_a.stride == rows_b.stride) else {
        return false;
    };
    let ahead = distance + at_b - at_a;
    let (size_a, size_b) = (i64::from(rows_a.ty.elem.bytes()), i64::from(rows_b.ty.elem.bytes()));
    let meets = |turns: i64| {
        let ahead = ahead + turns * rows_a.stride;
        ahead < size_a && ahead > -size_b
    };
    // Stores keep their order; a load of rows is made in front of all of them.
    let most = TURNS[TURNS.len() - 1];
    !(0..most).any(|turns| (turns > 0 || b.is_store || m > n) && meets(turns))
}
