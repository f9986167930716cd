//! What the machine is, as far as this process may use it: CPUs under the affinity mask and cgroup quota, memory under
//! cgroup limits, caches, name. Reads /proc and /sys only.

use super::arm;
use std::fs;
use std::path::Path;

/// The machine as seen by this process.
#[derive(Clone, Debug)]
pub struct Host {
    /// Brand name.
    pub name: String,
    /// The CPU's maker as its instruction `cpuid` names it, such as "GenuineIntel", or on Arm by its number; empty if
    /// unknown.
    pub vendor: String,
    /// PCI vendor id of the CPU's maker, 0 if unknown.
    pub vendor_id: u32,
    /// Family, model and stepping of an x86 processor, packed as its instruction `cpuid` does; 0 elsewhere.
    pub signature: u32,
    /// CPUs that may run at once.
    pub cpus: usize,
    /// Bytes of memory that may be used.
    pub memory_bytes: u64,
    /// Bytes of the last-level cache.
    pub cache_bytes: u64,
    /// Bytes of a cache line.
    pub line_bytes: u32,
    /// Highest clock in MHz, 0 if unknown.
    pub mhz: u32,
}

/// Asks the machine.
pub fn probe() -> Host {
    let cpuinfo = read("/proc/cpuinfo");
    let models = models(&cpuinfo);
    let vendor = match models.first() {
        Some(model) => model.maker(),
        None => field(&cpuinfo, "vendor_id").unwrap_or(""),
    };
    let vendor_id = match vendor {
        "GenuineIntel" => 0x8086,
        "AuthenticAMD" => 0x1022,
        _ => models.first().map_or(0, |model| model.vendor_id()),
    };
    let brand = || field(&cpuinfo, "model name").unwrap_or(std::env::consts::ARCH).to_owned();
    let (cache_bytes, line_bytes) = caches();
    Host {
        name: arm::name(&models).unwrap_or_else(brand),
        vendor: vendor.to_owned(),
        vendor_id,
        signature: signature(&cpuinfo),
        // Honours the affinity mask and cgroup quotas (v1 and v2).
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: memory(Path::new("/")),
        cache_bytes,
        line_bytes,
        mhz: clock(&cpuinfo),
    }
}

/// The models of Arm's processors, one for each CPU or, of a machine that shows no more, one; none on others.
fn models(cpuinfo: &str) -> Vec<arm::Model> {
    let models = arm::models(cpuinfo);
    #[cfg(target_arch = "aarch64")]
    if models.is_empty() {
        return own_model().into_iter().collect();
    }
    models
}

/// The model of the CPU that this runs on, if the system lets programs ask.
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "reads a register")]
fn own_model() -> Option<arm::Model> {
    // SAFETY: a question without preconditions.
    let may_ask = unsafe { libc::getauxval(libc::AT_HWCAP) } & libc::HWCAP_CPUID != 0;
    may_ask.then(|| {
        let midr: u64;
        // SAFETY: with this capability the system lets programs read the register.
        unsafe { std::arch::asm!("mrs {0}, midr_el1", out(reg) midr, options(nomem, nostack, preserves_flags)) };
        arm::Model::from_midr(midr)
    })
}

/// Families from 15 on have the rest in a field of their own.
fn signature(cpuinfo: &str) -> u32 {
    let number = |key| field(cpuinfo, key)?.parse::<u32>().ok();
    let (Some(family), Some(model), Some(stepping)) = (number("cpu family"), number("model"), number("stepping"))
    else {
        return 0;
    };
    let base = family.min(15);
    (stepping & 15) | ((model & 15) << 4) | (base << 8) | (((model >> 4) & 15) << 16) | (((family - base) & 0xff) << 20)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Value of the first `key : value` line.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let line = text.lines().find(|l| l.split(':').next().is_some_and(|k| k.trim() == key))?;
    line.split_once(':').map(|(_, value)| value.trim()).filter(|v| !v.is_empty())
}

fn clock(cpuinfo: &str) -> u32 {
    let khz: Option<u64> = read("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").trim().parse().ok();
    let mhz: Option<f64> = field(cpuinfo, "cpu MHz").and_then(|m| m.parse().ok());
    khz.map(|k| (k / 1000) as u32).or(mhz.map(|m| m as u32)).unwrap_or(0)
}

/// Parses sysfs sizes: `32K`, `1024K`, `8M`.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let unit = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Largest cache of CPU 0 and its line size.
fn caches() -> (u64, u32) {
    let at = |index: u32, file: &str| read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}"));
    let data = (0..8).filter(|&i| !at(i, "type").starts_with("Instruction"));
    let rows = data.filter_map(|i| Some((size(&at(i, "size"))?, at(i, "coherency_line_size").trim().parse().ok()?)));
    rows.max().unwrap_or((0, 64))
}

/// Memory of the machine, lowered by the limits of this process's cgroup and its ancestors; files are read below
/// `root`, which is `/` but in tests.
fn memory(root: &Path) -> u64 {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let total = field(&text("proc/meminfo"), "MemTotal")
        .and_then(|v| v.split_whitespace().next()?.parse::<u64>().ok())
        .map_or(1 << 30, |kib| kib << 10);
    cgroup_limits(text).into_iter().fold(total, u64::min)
}

fn cgroup_limits(text: impl Fn(&str) -> String) -> Vec<u64> {
    let mut limits = Vec::new();
    for line in text("proc/self/cgroup").lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => ("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        // The group itself, then its ancestors; inside a container the path may not be visible, the root is.
        let mut path = path.trim_matches('/');
        loop {
            limits.extend(text(&format!("{root}/{path}/{file}")).trim().parse::<u64>());
            match path.rfind('/') {
                Some(cut) => path = &path[..cut],
                None if path.is_empty() => break,
                None => path = "",
            }
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sysfs_sizes() {
        assert_eq!(size("32K\n"), Some(32 << 10));
        assert_eq!(size("8M"), Some(8 << 20));
        assert_eq!(size("12"), Some(12));
        assert_eq!(size("x"), None);
        assert_eq!(size("4Q"), None);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 85\nmodel name\t: Some CPU @ 2: fast\ncpu MHz\t: \n";
        assert_eq!(field(text, "model name"), Some("Some CPU @ 2: fast"));
        assert_eq!(field(text, "model"), Some("85"));
        assert_eq!(field(text, "cpu MHz"), None);
        assert_eq!(field(text, "missing"), None);
    }

    #[test]
    fn signatures_are_those_of_cpuid() {
        let of = |family, model, stepping| {
            signature(&format!("cpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: x\nstepping\t: {stepping}\n"))
        };
        assert_eq!(of(6, 167, 1), 0x000a_0671);
        assert_eq!(of(25, 17, 1), 0x00a1_0f11);
        assert_eq!(signature("processor\t: 0\n"), 0);
    }

    #[test]
    fn the_tightest_cgroup_limit_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(path, text).expect("written");
        };
        put("proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n");
        assert_eq!(memory(folder.path()), 8 << 30);
        put("proc/self/cgroup", "0::/a/b\n");
        put("sys/fs/cgroup/a/b/memory.max", "max\n");
        assert_eq!(memory(folder.path()), 8 << 30);
        put("sys/fs/cgroup/a/memory.max", "2147483648\n");
        assert_eq!(memory(folder.path()), 2 << 30, "an ancestor's");
        put("proc/self/cgroup", "3:cpu,cpuacct:/x\n2:memory:/y\n");
        put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
        put("sys/fs/cgroup/memory/y/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(memory(folder.path()), 1 << 30, "of version 1");
    }

    #[test]
    fn the_probe_is_plausible() {
        let host = probe();
        assert!(host.cpus >= 1 && host.memory_bytes >= 16 << 20 && host.line_bytes.is_power_of_two());
    }
}
