//! Identifiers that tell devices and drivers apart across processes and restarts. Spec: cl_khr_device_uuid.

use super::{Device, version};
use std::fs;

/// Where Linux keeps the machine's identifier.
const MACHINE_ID: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

impl Device {
    /// `CL_DEVICE_UUID_KHR`: of the machine, and for a sub-device of its CPUs.
    pub fn uuid(&self) -> [u8; 16] {
        let machine = MACHINE_ID.iter().find_map(|path| fs::read_to_string(path).ok());
        let machine = machine.unwrap_or_else(|| self.caps.name.clone());
        let part = self.part.as_ref().map(|part| part.cpus());
        digest(&format!("device {} {part:?}", machine.trim()))
    }
}

/// `CL_DRIVER_UUID_KHR`: of this version of Clift.
pub fn driver_uuid() -> [u8; 16] {
    digest(&format!("driver {}", version::driver_version()))
}

/// The 128 bits of FNV-1a, marked as a UUID of version 8.
fn digest(text: &str) -> [u8; 16] {
    let step = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
    let mut bytes = text.bytes().fold(0x6C62_272E_07BB_0142_62B8_2175_6295_C58D, step).to_be_bytes();
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    bytes
}
