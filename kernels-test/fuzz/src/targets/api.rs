//! Sequences of calls, which the bytes choose, against the model of the objects' lives in `icd/tests/common/model.rs`.

use super::choices::Choices;
use super::common::World;
use super::model::play;
use std::cell::LazyCell;

thread_local! {
    static WORLD: LazyCell<World> = LazyCell::new(World::new);
}

/// Plays the sequence: each call says what the model says, and nothing is left.
pub fn run(bytes: &[u8]) {
    WORLD.with(|world| play(world.device, Choices::Bytes(bytes), "a sequence of bytes".into()));
}
