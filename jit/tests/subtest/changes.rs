//! `wg/<pass>/*.cl`, `simd/<pass>/*.cl` and so on: compiles OpenCL C for a target, and prints what one pass changes,
//! each time that it changes something, as a difference of the texts. The first lines hold directives: see `settings`.

use crate::settings::Settings;
use clift_jit::ir::verify::verify;
use clift_jit::lowered;
use clift_jit::pipeline::Runner;

/// What `changed_by` prints if the pass ran and left all alone.
pub const NO_CHANGE: &str = "no change\n";

/// What the pass does to the source.
pub fn changed_by(pass: &str, text: &str) -> Result<String, String> {
    let settings = Settings::read(text)?;
    let mut module = lowered(text.as_bytes(), settings.options)?;
    verify(&module).map_err(|e| e.to_string())?;
    let mut runner = Runner::watching(pass);
    runner
        .everything(&mut module, |info| settings.key(info), settings.lanes, settings.target)
        .map_err(|e| e.message)?;
    if runner.changes.is_empty() {
        return Err(format!("`{pass}` did not run"));
    }
    let changed = runner.changes.iter().filter(|change| change.before != change.after);
    let texts: Vec<String> = changed.map(|change| change.diff(1)).collect();
    Ok(if texts.is_empty() { NO_CHANGE.into() } else { texts.concat() })
}
