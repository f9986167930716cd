//! Passes over KIR. Each is one file: its header says what it needs, what it changes and what it keeps.
//!
//! `pipeline` names them, says when they run and checks what they need. All passes keep the order and number of
//! convergent operations, respect each operation's rounding mode, and leave every result as the interpreter computes
//! it.
//!
//! Arenas only grow while passes run; `Func::compact` drops the dead at the end.

pub mod adce;
pub mod argument_values;
pub mod barrier_induction;
pub mod break_backedges;
pub mod carried_loads;
pub mod check;
pub mod constant_loads;
pub mod constant_slots;
pub mod contract;
pub mod correlated_values;
pub mod dce;
pub mod dead_stores;
pub mod div_rem_pairs;
pub mod forward;
pub mod gvn;
pub mod identity_loops;
pub mod ifconv;
pub mod ifconv_stores;
pub mod infer_address_spaces;
pub mod infer_no_wrap;
pub mod inline;
pub mod invariant_addresses;
pub mod jam_nests;
pub mod jump_threading;
pub mod known_cas;
pub mod library_calls;
pub mod licm;
pub mod lift_queries;
pub mod mem2reg;
pub mod merge_bytes;
pub mod merge_compares;
pub mod merge_stores;
pub mod narrow_bools;
pub mod nontemporal;
pub mod prefetch;
pub mod rebuild_vectors;
pub mod recompose;
pub mod reload_lanes;
pub mod scalar_promotion;
pub mod simplify;
pub mod simplify_cfg;
pub mod sink;
pub mod specialise;
pub mod sroa;
pub mod summary;
pub mod track;
pub mod trip_clamp;
pub mod unroll;
mod versions;
pub mod volatile_slots;
pub mod zero_private;
