//! Names of Arm processors, which tell numbers of their maker and of the design only: the register `MIDR_EL1`, as Linux
//! shows it to programs and in /proc/cpuinfo.

use std::collections::BTreeMap;

/// Maker and design of a processor, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Model {
    /// The implementer: a letter of JEDEC's or Arm's.
    pub implementer: u8,
    /// The part: the implementer's number of the design.
    pub part: u16,
}

/// Implementers: number, name, PCI vendor id.
const MAKERS: [(u8, &str, u32); 15] = [
    (0x41, "Arm", 0x13b5),
    (0x42, "Broadcom", 0x14e4),
    (0x43, "Cavium", 0x177d),
    (0x46, "Fujitsu", 0x10cf),
    (0x48, "HiSilicon", 0x19e5),
    (0x49, "Infineon", 0x15d1),
    (0x4e, "NVIDIA", 0x10de),
    (0x50, "APM", 0x10e8),
    (0x51, "Qualcomm", 0x17cb),
    (0x53, "Samsung", 0x144d),
    (0x56, "Marvell", 0x11ab),
    (0x61, "Apple", 0x106b),
    (0x6d, "Microsoft", 0x1414),
    (0x70, "Phytium", 0x1db7),
    (0xc0, "Ampere", 0x1def),
];

/// Designs: implementer, part, name.
const DESIGNS: [(u8, u16, &str); 61] = [
    (0x41, 0xd02, "Cortex-A34"),
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd06, "Cortex-A65"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd0e, "Cortex-A76AE"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd42, "Cortex-A78AE"),
    (0x41, 0xd43, "Cortex-A65AE"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4a, "Neoverse-E1"),
    (0x41, 0xd4b, "Cortex-A78C"),
    (0x41, 0xd4c, "Cortex-X1C"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd80, "Cortex-A520"),
    (0x41, 0xd81, "Cortex-A720"),
    (0x41, 0xd82, "Cortex-X4"),
    (0x41, 0xd83, "Neoverse-V3AE"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd85, "Cortex-X925"),
    (0x41, 0xd87, "Cortex-A725"),
    (0x41, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0a1, "ThunderX"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "TaiShan-v110"),
    (0x48, 0xd02, "TaiShan-v120"),
    (0x4e, 0x003, "Denver 2"),
    (0x4e, 0x004, "Carmel"),
    (0x50, 0x000, "X-Gene"),
    (0x51, 0x001, "Oryon"),
    (0x51, 0x800, "Kryo 2xx Gold"),
    (0x51, 0x801, "Kryo 2xx Silver"),
    (0x51, 0x802, "Kryo 3xx Gold"),
    (0x51, 0x803, "Kryo 3xx Silver"),
    (0x51, 0x804, "Kryo 4xx Gold"),
    (0x51, 0x805, "Kryo 4xx Silver"),
    (0x51, 0xc00, "Falkor"),
    (0x61, 0x022, "Icestorm (M1)"),
    (0x61, 0x023, "Firestorm (M1)"),
    (0x61, 0x032, "Blizzard (M2)"),
    (0x61, 0x033, "Avalanche (M2)"),
    (0x6d, 0xd49, "Azure Cobalt 100"),
    (0x70, 0x662, "FT-2000+"),
    (0x70, 0x663, "FT-2500"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1A"),
];

impl Model {
    /// From `MIDR_EL1`.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code, reason = "only Arm's processors have the register"))]
    pub fn from_midr(midr: u64) -> Self {
        Self { implementer: (midr >> 24) as u8, part: (midr >> 4) as u16 & 0xfff }
    }

    /// The maker's name; empty if it is not known.
    pub fn maker(self) -> &'static str {
        self.row().map_or("", |row| row.1)
    }

    /// The maker's PCI vendor id; 0 if it is not known.
    pub fn vendor_id(self) -> u32 {
        self.row().map_or(0, |row| row.2)
    }

    fn row(self) -> Option<&'static (u8, &'static str, u32)> {
        MAKERS.iter().find(|row| row.0 == self.implementer)
    }

    fn design(self) -> String {
        match DESIGNS.iter().find(|&&(implementer, part, _)| (implementer, part) == (self.implementer, self.part)) {
            Some((_, _, name)) => (*name).to_owned(),
            None => format!("part 0x{:03x}", self.part),
        }
    }
}

/// The models of /proc/cpuinfo, one for each CPU.
pub fn models(cpuinfo: &str) -> Vec<Model> {
    let mut implementer = None;
    let mut found = Vec::new();
    for (key, value) in cpuinfo.lines().filter_map(|line| line.split_once(':')) {
        let number = || u16::from_str_radix(value.trim().strip_prefix("0x")?, 16).ok();
        match key.trim() {
            "CPU implementer" => implementer = number().and_then(|n| u8::try_from(n).ok()),
            "CPU part" => {
                let model = implementer.zip(number()).map(|(implementer, part)| Model { implementer, part });
                found.extend(model);
            }
            _ => {}
        }
    }
    found
}

/// A name for a machine with CPUs of these models: the maker, and the designs with how many there are of each, where
/// they are not all alike. `None` if there are none.
pub fn name(models: &[Model]) -> Option<String> {
    let maker = match models.first()? {
        model if model.maker().is_empty() => format!("implementer 0x{:02x}", model.implementer),
        model => model.maker().to_owned(),
    };
    let mut counts = BTreeMap::new();
    models.iter().for_each(|&model| *counts.entry(model).or_insert(0) += 1);
    let designs: Vec<String> = match counts.len() {
        1 => vec![models[0].design()],
        _ => counts.iter().rev().map(|(model, count)| format!("{count} {}", model.design())).collect(),
    };
    Some(format!("{maker} {}", designs.join(" + ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPUINFO: &str = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n\
        CPU variant\t: 0x0\nCPU part\t: 0xd46\nCPU revision\t: 3\n\nprocessor\t: 1\nCPU implementer\t: 0x41\n\
        CPU part\t: 0xd46\n\nprocessor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd48\n";

    #[test]
    fn names_say_maker_and_designs() {
        let all = models(CPUINFO);
        assert_eq!(all.len(), 3);
        assert_eq!(name(&all[..1]).as_deref(), Some("Arm Cortex-A510"));
        assert_eq!(name(&all[..2]).as_deref(), Some("Arm Cortex-A510"));
        assert_eq!(name(&all).as_deref(), Some("Arm 1 Cortex-X2 + 2 Cortex-A510"));
        assert_eq!((all[0].maker(), all[0].vendor_id()), ("Arm", 0x13b5));
        assert_eq!(name(&[Model { implementer: 0xc0, part: 0x123 }]).as_deref(), Some("Ampere part 0x123"));
        assert_eq!(name(&[Model { implementer: 0, part: 0x51 }]).as_deref(), Some("implementer 0x00 part 0x051"));
        assert_eq!((name(&[]), models("model name\t: x\n")), (None, Vec::new()));
    }

    #[test]
    fn registers_have_the_same_numbers() {
        assert_eq!(Model::from_midr(0x413f_d0c1), Model { implementer: 0x41, part: 0xd0c });
    }

    #[test]
    fn numbers_stand_once() {
        assert!(MAKERS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(DESIGNS.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)));
    }
}
