//! `clift info` and `clift --version`.

use super::{Result, library, print, shown};
use clift_jit::target;
use clift_runtime::config;
use clift_runtime::device::{Device, version};
use clift_runtime::platform::Platform;
use std::fmt::Write;

/// Prints what the driver is and what it found.
pub fn run() -> Result {
    let platform = Platform::get();
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<18}{value}");
    };
    row("Platform", platform.name().to_owned());
    row("Version", platform.version());
    row("Library", library::find().map_or_else(|why| why, |path| shown(&path)));
    row("Vector code", target::description());
    for device in platform.devices() {
        describe(device, &mut row);
    }
    let _ = writeln!(text, "\nEnvironment");
    for option in config::ROWS {
        let value = std::env::var(option.name).map(|value| format!(" [{value}]")).unwrap_or_default();
        let _ = writeln!(text, "  {:<21}{}{value}", option.name, option.help);
    }
    print(&text)
}

/// Prints the version; if `verbose`, what `clift info` says that reports of mistakes should have, too.
pub fn version(verbose: bool) -> Result {
    let mut text = format!("clift {}\n", version::driver_version());
    if verbose {
        let device = Device::root();
        let caps = device.caps();
        for (name, value) in [
            ("Build", build()),
            ("OpenCL", version::api_version_string()),
            ("CPU", caps.name.clone()),
            ("CPU features", target::host().names().collect::<Vec<_>>().join(" ")),
            ("Vector code", target::description()),
            ("Features", version::features().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")),
        ] {
            let _ = writeln!(text, "{name:<18}{value}");
        }
    }
    print(&text)
}

/// For what machines, how, and, in packages, of which commit this was built.
fn build() -> String {
    let libc = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    let how = if cfg!(debug_assertions) { "with assertions" } else { "without assertions" };
    let commit = option_env!("CLIFT_COMMIT").map(|commit| format!(", commit {commit}")).unwrap_or_default();
    format!("{}-{}-{libc}, {how}{commit}", std::env::consts::ARCH, std::env::consts::OS)
}

fn describe(device: &Device, row: &mut impl FnMut(&str, String)) {
    let caps = device.caps();
    let names = |list: Vec<(&'static str, u32)>| list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
    let versions = version::c_versions();
    let versions: Vec<String> = versions.iter().map(|(_, v)| format!("{}.{}", v >> 22, v >> 12 & 0x3ff)).collect();
    row("Device", caps.name.clone());
    row("OpenCL C", versions.join(" "));
    row("Compute units", caps.max_compute_units.to_string());
    row("Memory", format!("{}, largest buffer {}", bytes(caps.global_mem_size), bytes(caps.max_mem_alloc_size)));
    row("Local memory", bytes(caps.local_mem_size));
    row("Last-level cache", bytes(caps.global_mem_cache_size));
    row("Work-group", format!("up to {} work-items", caps.max_work_group_size));
    row("Features", names(version::features()));
    row("Extensions", names(version::extensions()));
    row("CPU features", target::host().names().collect::<Vec<_>>().join(" "));
}

/// Bytes with a unit: exact if it is whole, else with one decimal.
fn bytes(n: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let unit = (n.max(1).ilog2() / 10).min(units.len() as u32 - 1);
    let size = n as f64 / (1u64 << (10 * unit)) as f64;
    let decimals = usize::from(size.fract() != 0.0);
    format!("{size:.decimals$} {}", units[unit as usize])
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_the_unit_that_fits() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(65536), "64 KiB");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 40), "3 TiB");
        assert_eq!(bytes(u64::MAX), "16777216 TiB");
    }
}
