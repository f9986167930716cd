//! Programs from an intermediate language: the module, and the values that `clSetProgramSpecializationConstant` has
//! given. What a module means is the compiler's matter.

use super::unit::Input;
use crate::error::{Error, Result};
use crate::status::Status;
use crate::sync::{Mutex, Rank};
use clift_jit::spirv;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A module that is well-formed as far as can be seen without compiling it.
pub struct Il {
    bytes: Arc<[u8]>,
    facts: spirv::Il,
    /// By identifier.
    constants: Mutex<BTreeMap<u32, Vec<u8>>>,
}

impl Il {
    /// Checks a module.
    ///
    /// # Errors
    /// Why it is none.
    pub fn new(bytes: &[u8]) -> std::result::Result<Self, String> {
        let facts = spirv::check(bytes)?;
        Ok(Self { bytes: bytes.into(), facts, constants: Mutex::new(Rank::Program, BTreeMap::new()) })
    }

    /// The module as it was given.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Sets a specialization constant for builds that begin later.
    ///
    /// # Errors
    /// `InvalidSpecId`; `InvalidValue` ← another size.
    pub fn set_constant(&self, id: u32, value: &[u8]) -> Result<()> {
        let found = self.facts.spec_constants().iter().find(|constant| constant.0 == id);
        let unknown = Error::spec(Status::InvalidSpecId, "spec_id is not a valid specialization constant identifier");
        let &(_, size) = found.ok_or(unknown)?;
        let rule = "spec_size does not match the size of the specialization constant in the module";
        ensure!(value.len() == size, Error::spec(Status::InvalidValue, rule));
        self.constants.lock().insert(id, value.to_vec());
        Ok(())
    }

    /// What a build that begins now compiles.
    pub fn input(&self) -> Input {
        let constants = self.constants.lock().iter().map(|(&id, value)| (id, value.clone())).collect();
        Input::Module { il: Arc::clone(&self.bytes), constants }
    }
}
