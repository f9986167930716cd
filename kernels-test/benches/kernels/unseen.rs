//! Kernels of the kinds that other programs run: benchmark suites (Rodinia, Parboil, SHOC), image filters, machine
//! learning, databases, cryptanalysis. They have the access patterns, types of indices, guards and sizes of work-groups
//! of those programs, and no pass was tuned on them: none may be changed to be faster, or be dropped because it is
//! slow. Those that a pass was tuned on after all are of another group. The submodules make the data and check every
//! element. Each kernel is alone in a file of its name in `unseen/`.

mod grids;
mod images;
mod learning;
mod matrices;
mod particles;
mod search;

use clift_kernels_test::host::Range;

use crate::data::{Arg, Case, floats};
use crate::rows::{Group, Row, Work};

const fn row(name: &'static str, file: &'static str, kernel: &'static str, setup: fn() -> Case) -> Row {
    Row { name, group: Group::Unseen, work: Work::Kernel { file, kernel, options: "" }, needs: None, c: None, setup }
}

/// The rows.
pub const ROWS: &[Row] = &[
    row("chip temperature, 1 Mi", "unseen/hotspot.cl", "hotspot", grids::hotspot),
    row("cheapest path, 20 × 256 Ki", "unseen/pathfinder.cl", "pathfinder", grids::pathfinder),
    row("speckle diffusion, 1 Mi", "unseen/srad.cl", "srad", grids::srad),
    row("stencil, 7 points, 2 Mi", "unseen/stencil7.cl", "stencil7", grids::stencil7),
    row("lattice Boltzmann, 256 Ki", "unseen/lbm.cl", "lbm", grids::lbm),
    row("game of life, 1 Mi", "unseen/life.cl", "life", grids::life),
    row("LU, inner blocks, 1024²", "unseen/lud.cl", "lud", matrices::lud),
    row("Gaussian step, 1024²", "unseen/gaussian.cl", "gaussian", matrices::gaussian),
    row("Floyd-Warshall pass, 1024²", "unseen/floyd_warshall.cl", "floyd_warshall", matrices::floyd_warshall),
    row("ELL SpMV, 128 Ki rows", "unseen/ell.cl", "ell", matrices::ell),
    row("FFT stage, radix 4, 1 Mi", "unseen/fft4.cl", "fft4", matrices::fft4),
    row("Lennard-Jones, 32 Ki atoms", "unseen/md.cl", "md", particles::md),
    row("boxes of particles, 6400", "unseen/lavamd.cl", "lavamd", particles::lavamd),
    row("cutoff potential, 128 Ki", "unseen/cutcp.cl", "cutcp", particles::cutcp),
    row("angular correlation, 2048", "unseen/tpacf.cl", "tpacf", particles::tpacf),
    row("MRI, Q matrix, 16 Ki × 512", "unseen/mri_q.cl", "mri_q", particles::mri_q),
    row("Euler fluxes, 96 Ki cells", "unseen/cfd.cl", "cfd", particles::cfd),
    row("reaction rates, 128 Ki", "unseen/rates.cl", "rates", particles::rates),
    row("rays and spheres, 512²", "unseen/rays.cl", "rays", particles::rays),
    row("bilateral filter, 512²", "unseen/bilateral.cl", "bilateral", images::bilateral),
    row("median 3 × 3, 1 Mi", "unseen/median.cl", "median", images::median),
    row("Sobel, uchar4, 1 Mi", "unseen/sobel.cl", "sobel", images::sobel),
    row("RGB to YUV, 2 Mi", "unseen/yuv.cl", "yuv", images::yuv),
    row("bilinear resize, 1600 × 1200", "unseen/resize.cl", "resize", images::resize),
    row("k-means assignment, 128 Ki", "unseen/kmeans.cl", "kmeans", learning::kmeans),
    Row {
        group: Group::Local,
        ..row("neural layer, 128 Ki × 16", "unseen/backprop.cl", "backprop", learning::backprop)
    },
    row("gain of a centre, 64 Ki", "unseen/streamcluster.cl", "streamcluster", learning::streamcluster),
    row("particle filter, 8 Ki", "unseen/particle_filter.cl", "particle_filter", learning::particle_filter),
    row("softmax, 2048 × 1000", "unseen/softmax.cl", "softmax", learning::softmax),
    row("layer norm, 2048 × 768", "unseen/layer_norm.cl", "layer_norm", learning::layer_norm),
    row("GEMV, int8, 4096²", "unseen/gemv_int8.cl", "gemv_int8", learning::gemv_int8),
    row("im2col, 64 × 56²", "unseen/im2col.cl", "im2col", learning::im2col),
    row("max pooling, 128 × 112²", "unseen/max_pool.cl", "max_pool", learning::max_pool),
    row("B+ tree, 8 Ki keys", "unseen/btree.cl", "btree", search::btree),
    row("table filter, 2 Mi rows", "unseen/filter.cl", "filter", search::filter),
    row("hash join probe, 1 Mi", "unseen/hash_probe.cl", "hash_probe", search::hash_probe),
    row("Needleman-Wunsch, 16² blocks", "unseen/nw.cl", "nw", search::nw),
    row("Smith-Waterman, 1 Ki pairs", "unseen/smith_waterman.cl", "smith_waterman", search::smith_waterman),
    row("MD5 search, 1 Mi keys", "unseen/md5.cl", "md5", search::md5),
    row("BLAKE2s, 64 Ki blocks", "unseen/blake2s.cl", "blake2s", search::blake2s),
];

/// A launch without a C version.
fn case(args: Vec<Arg>, range: Range, check: impl Fn(&[Arg], &[Vec<u8>]) -> Result<(), String> + 'static) -> Case {
    Case { args, range, units: 0, check: Box::new(check) }
}

/// The floats of some arguments.
fn inputs<const N: usize>(args: &[Arg], which: [usize; N]) -> [Vec<f64>; N] {
    which.map(|k| floats(args[k].bytes()))
}
