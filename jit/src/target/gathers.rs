//! How long gathers take here: a measurement, once, since a processor's name does not say it. Where the microcode keeps
//! gathers from leaking data (Intel's "Gather Data Sampling"), they take longer than as many loads (26 cycles for 8
//! lanes, where the loads take 10), and some processors make them of many operations anyway. Must not know targets.

/// By the bytes of a register, 32 and 64: whether to put a gather of all lanes together of loads. False where the
/// processor has no such gathers.
pub fn by_loads() -> [bool; 2] {
    #[cfg(target_arch = "x86_64")]
    {
        x86_64::by_loads()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        [false; 2]
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    #![allow(unsafe_code, reason = "instructions that not every processor has, on arrays of this module's")]

    use std::arch::x86_64::*;
    use std::hint::black_box;

    /// Lanes of the indices, and elements.
    const COUNT: usize = 256;
    /// The least time of so many runs counts.
    const RUNS: usize = 32;
    /// How often a run goes through the indices: it takes half a microsecond at most, and many times what the clock
    /// tells apart (10 ns on virtual machines).
    const ROUNDS: usize = 4;
    /// Loads and what puts them together take room in the pipeline that gathers leave to others: so many hundredths of
    /// a gather's time they may take at most. Zen 4 measures 55 to 60.
    const AT_MOST: u64 = 65;

    pub fn by_loads() -> [bool; 2] {
        let has = [is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512f")];
        let gathers: [Run; 2] = [gather_8, gather_16];
        let loads: [Run; 2] = [load_8, load_16];
        std::array::from_fn(|n| {
            let [loads, gathers] = if has[n] { ticks([loads[n], gathers[n]]) } else { [0; 2] };
            100 * loads < AT_MOST * gathers
        })
    }

    /// The sum of a table's elements at all indices, each lane by itself; indices are smaller than `COUNT`.
    type Run = unsafe fn(&[i32; COUNT], &[i32; COUNT]) -> i32;

    /// Least times of two functions whose instructions the processor has. They take turns, so that both meet what else
    /// the machine does.
    fn ticks(runs: [Run; 2]) -> [u64; 2] {
        let table: [i32; COUNT] = std::array::from_fn(|i| i as i32);
        let indices = table.map(|i| i * 77 % COUNT as i32);
        let time = |run: Run| {
            // SAFETY: the processor has the instructions, and the indices are small.
            unsafe {
                let start = _rdtsc();
                for _ in 0..ROUNDS {
                    black_box(run(black_box(&indices), black_box(&table)));
                }
                _rdtsc().wrapping_sub(start)
            }
        };
        (0..RUNS).fold([u64::MAX; 2], |least, _| {
            let [a, b] = runs.map(time);
            [least[0].min(a), least[1].min(b)]
        })
    }

    #[target_feature(enable = "avx2")]
    unsafe fn gather_8(indices: &[i32; COUNT], table: &[i32; COUNT]) -> i32 {
        let mut sum = _mm256_setzero_si256();
        for chunk in indices.chunks_exact(8) {
            // SAFETY: eight indices, which lie in the table.
            let lanes =
                unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr(), _mm256_loadu_si256(chunk.as_ptr().cast())) };
            sum = _mm256_add_epi32(sum, lanes);
        }
        _mm256_extract_epi32::<0>(sum)
    }

    #[target_feature(enable = "avx2")]
    unsafe fn load_8(indices: &[i32; COUNT], table: &[i32; COUNT]) -> i32 {
        let mut sum = _mm256_setzero_si256();
        for chunk in indices.chunks_exact(8) {
            // SAFETY: eight indices, which lie in the table.
            let lanes = unsafe {
                let index = _mm256_loadu_si256(chunk.as_ptr().cast());
                let low = load_4(_mm256_castsi256_si128(index), table);
                _mm256_set_m128i(load_4(_mm256_extracti128_si256::<1>(index), table), low)
            };
            sum = _mm256_add_epi32(sum, lanes);
        }
        _mm256_extract_epi32::<0>(sum)
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn gather_16(indices: &[i32; COUNT], table: &[i32; COUNT]) -> i32 {
        let mut sum = _mm512_setzero_si512();
        for chunk in indices.chunks_exact(16) {
            // SAFETY: sixteen indices, which lie in the table.
            let lanes =
                unsafe { _mm512_i32gather_epi32::<4>(_mm512_loadu_si512(chunk.as_ptr().cast()), table.as_ptr()) };
            sum = _mm512_add_epi32(sum, lanes);
        }
        _mm512_cvtsi512_si32(sum)
    }

    #[target_feature(enable = "avx512f")]
    unsafe fn load_16(indices: &[i32; COUNT], table: &[i32; COUNT]) -> i32 {
        let mut sum = _mm512_setzero_si512();
        for chunk in indices.chunks_exact(16) {
            // SAFETY: sixteen indices, which lie in the table.
            let [a, b, c, d] = unsafe {
                let index = _mm512_loadu_si512(chunk.as_ptr().cast());
                [
                    load_4(_mm512_castsi512_si128(index), table),
                    load_4(_mm512_extracti32x4_epi32::<1>(index), table),
                    load_4(_mm512_extracti32x4_epi32::<2>(index), table),
                    load_4(_mm512_extracti32x4_epi32::<3>(index), table),
                ]
            };
            let low = _mm512_castsi256_si512(_mm256_set_m128i(b, a));
            sum = _mm512_add_epi32(sum, _mm512_inserti64x4::<1>(low, _mm256_set_m128i(d, c)));
        }
        _mm512_cvtsi512_si32(sum)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_4(index: __m128i, table: &[i32; COUNT]) -> __m128i {
        let [a, b] = [_mm_cvtsi128_si64(index), _mm_extract_epi64::<1>(index)];
        // SAFETY: the four indices lie in the table.
        let at = |i: i64| unsafe { *table.get_unchecked(i as usize) };
        let [low, high] = [_mm_cvtsi32_si128(at(a & 0xffff_ffff)), _mm_cvtsi32_si128(at(b & 0xffff_ffff))];
        _mm_unpacklo_epi64(_mm_insert_epi32::<1>(low, at(a >> 32)), _mm_insert_epi32::<1>(high, at(b >> 32)))
    }
}
