//! What this machine's processor can do: the one place where it is asked, once. `super` makes targets of the answers.

use std::sync::OnceLock;

/// A field, a name and a question to the processor for each feature of x86-64 and of AArch64; on the other architecture
/// they are not there.
macro_rules! host {
    ({ $($field:ident $name:tt,)* } { $($arm:ident $arm_name:tt,)* }) => {
        /// Features of the processor; those that the operating system does not support are not there.
        #[derive(Clone, Copy, Debug)]
        pub struct Host {
            $(#[doc = concat!("`", $name, "`")] pub $field: bool,)*
            $(#[doc = concat!("`", $arm_name, "`")] pub $arm: bool,)*
            /// Gathers and scatters take about twice as long as elsewhere: on AMD's processors, so far.
            pub slow_gathers: bool,
        }

        impl Host {
            fn probe() -> Self {
                Self {
                    $(
                        #[cfg(target_arch = "x86_64")]
                        $field: is_x86_feature_detected!($name),
                        #[cfg(not(target_arch = "x86_64"))]
                        $field: false,
                    )*
                    $(
                        #[cfg(target_arch = "aarch64")]
                        $arm: std::arch::is_aarch64_feature_detected!($arm_name),
                        #[cfg(not(target_arch = "aarch64"))]
                        $arm: false,
                    )*
                    slow_gathers: is_amd(),
                }
            }

            /// Names of the features that are there, as Linux and Rust write them.
            pub fn names(&self) -> impl Iterator<Item = &'static str> {
                let all = [$(($name, self.$field),)* $(($arm_name, self.$arm),)*];
                all.into_iter().filter(|&(_, is_there)| is_there).map(|(name, _)| name)
            }
        }
    };
}

host! {
    {
        sse3 "sse3", ssse3 "ssse3", sse41 "sse4.1", sse42 "sse4.2", cmpxchg16b "cmpxchg16b",
        popcnt "popcnt", lzcnt "lzcnt", bmi1 "bmi1", bmi2 "bmi2",
        avx "avx", avx2 "avx2", fma "fma", f16c "f16c",
        avx512f "avx512f", avx512dq "avx512dq", avx512bw "avx512bw", avx512vl "avx512vl", avx512cd "avx512cd",
        avxvnni "avxvnni", avx512vnni "avx512vnni", avx512vbmi "avx512vbmi", avx512bitalg "avx512bitalg",
        avx512vpopcntdq "avx512vpopcntdq", avx512fp16 "avx512fp16",
    }
    { lse "lse", fp16 "fp16", dotprod "dotprod", i8mm "i8mm", }
}

/// This machine's processor.
pub fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(Host::probe)
}

fn is_amd() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        // The first letters of "AuthenticAMD".
        std::arch::x86_64::__cpuid(0).ebx == u32::from_le_bytes(*b"Auth")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
