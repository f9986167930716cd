//! Work-group transformation and code generation together: kernels in textual KIR, run natively over whole NDRanges,
//! against plain Rust. Every kernel runs with exact and generic code, with a copy of each parallel region and with a
//! dispatch loop.
#![allow(unsafe_code, reason = "runs generated code")]

use clift_jit::codegen::{self, Effort, ProgramData};
use clift_jit::fallback;
use clift_jit::ir::Func;
use clift_jit::pipeline::Runner;
use clift_jit::wg::{self, Sharing};
use clift_jit::{Env, SpecKey, ir, target};

/// One launch: sizes `[x, y, z]`.
#[derive(Clone, Copy, Debug)]
struct Range {
    global: [u64; 3],
    offset: [u64; 3],
    local: [u64; 3],
}

/// Runs the module's kernel on one buffer of i32 and returns the buffer.
fn run(text: &str, range: Range, key: SpecKey, sharing: Sharing, out: &mut [i32]) {
    let mut module = ir::text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Runner::default().program(&mut module);
    let group = Runner::default().group(&module, 0, key, sharing);
    let data = ProgramData::new(&module.globals).expect("no globals");
    let make = |backend, func: &Func, scratch| {
        codegen::compile(backend, &module, func, scratch, Effort::Quick).and_then(|code| code.load(&data))
    };
    let (code, _) = fallback::by_backends(target::backend(), &group, make)
        .unwrap_or_else(|e| panic!("{}\n{}", e.message, group.func));
    let items: u64 = range.local.iter().product();
    let mut local = vec![0u64; wg::local_layout(&module, module.kernels[0].1).bytes as usize / 8 + 64];
    let mut memory = vec![0xa5u8; code.scratch_bytes(items) + 512];
    let align = |p: *mut u8| p.wrapping_add(128 + p.align_offset(128));
    let num_groups: [u64; 3] = std::array::from_fn(|d| range.global[d].div_ceil(range.local[d]));
    let env = Env {
        global_size: range.global,
        global_offset: range.offset,
        local_size: range.local,
        num_groups,
        work_dim: 3,
        local: align(local.as_mut_ptr().cast()),
        local_bytes: wg::local_layout(&module, module.kernels[0].1).bytes,
        scratch: align(memory.as_mut_ptr()),
        scratch_bytes: code.scratch_bytes(items) as u64,
        races: std::ptr::null_mut(),
    };
    let args: [usize; 1] = [out.as_mut_ptr() as usize];
    let n: u64 = num_groups.iter().product();
    // Two calls, to see that a range may start anywhere.
    for part in [0..n / 2, n / 2..n] {
        // SAFETY: the kernels below stay inside `out`, and `env` is laid out as documented.
        unsafe { code.run(args.as_ptr().cast(), &env, part) };
    }
}

/// Checks a kernel in all modes.
fn check(text: &str, range: Range, len: usize, want: impl Fn(&mut [i32])) {
    let mut expected = vec![-1; len];
    want(&mut expected);
    let uniform = (0..3).all(|d| range.global[d].is_multiple_of(range.local[d]));
    let exact = SpecKey { local_size: Some(range.local.map(|n| n as u32)), small_ids: true, ..SpecKey::default() };
    let keys = if uniform {
        vec![exact, SpecKey { local_size: None, small_ids: true, ..SpecKey::default() }]
    } else {
        vec![SpecKey { local_size: None, small_ids: true, ..SpecKey::default() }]
    };
    for key in keys {
        for sharing in [Sharing::Auto, Sharing::DispatchLoop] {
            let mut out = vec![-1; len];
            run(text, range, key, sharing, &mut out);
            assert_eq!(out, expected, "{range:?} {key:?} {sharing:?}\n{text}");
        }
    }
}

fn kernel(body: &str) -> String {
    format!(
        "local lv0 \"tile\" size 4096 align 16\n\
         info @k block 8 local 0 private 0 attributes \"\" {{\n  arg \"out\" \"int*\" buffer global offset 0 size 8\n}}\n\
         func @k(ptr<global>) kernel {{\nb0(%out: ptr<global>):\n{body}}}\n"
    )
}

const LINE: Range = Range { global: [256, 1, 1], offset: [0; 3], local: [64, 1, 1] };

#[test]
fn ids_in_three_dimensions() {
    let text = kernel(
        "%x: i64 = gid 0\n%y: i64 = gid 1\n%z: i64 = gid 2\n%ox: i64 = goff 0\n%oy: i64 = goff 1\n%oz: i64 = goff 2
%rx: i64 = sub %x, %ox\n%ry: i64 = sub %y, %oy\n%rz: i64 = sub %z, %oz\n%sx: i64 = gsz 0\n%sy: i64 = gsz 1
%a: i64 = mul %rz, %sy\n%b: i64 = add %a, %ry\n%c: i64 = mul %b, %sx\n%i: i64 = add %c, %rx
%lx: i64 = lid 0\n%ly: i64 = lid 1\n%lz: i64 = lid 2\n%gx: i64 = grp 0\n%gy: i64 = grp 1\n%gz: i64 = grp 2\n%n: i64 = lsz 0
%k10: i64 = const 10
%v1: i64 = mul %x, %k10\n%v2: i64 = add %v1, %y\n%v3: i64 = mul %v2, %k10\n%v4: i64 = add %v3, %z
%v5: i64 = mul %v4, %k10\n%v6: i64 = add %v5, %lx\n%v7: i64 = mul %v6, %k10\n%v8: i64 = add %v7, %ly\n%v9: i64 = add %v8, %lz
%v10: i64 = mul %v9, %k10\n%v11: i64 = add %v10, %gx\n%v12: i64 = add %v11, %gy\n%v13: i64 = add %v12, %gz\n%v14: i64 = mul %v13, %k10\n%v15: i64 = add %v14, %n
%v: i32 = trunc %v15\n%p: ptr<global> = ptr.add %out, %i * 4 + 0\nstore %p, %v\nret\n",
    );
    for (global, local) in [([8, 6, 4], [4, 3, 2]), ([7, 5, 3], [4, 2, 2]), ([13, 1, 1], [1, 1, 1])] {
        let range = Range { global, offset: [5, 0, 2], local };
        let [sx, sy, sz] = global;
        check(&text, range, (sx * sy * sz) as usize, |out| {
            for z in 0..sz {
                for y in 0..sy {
                    for x in 0..sx {
                        let l = [x % local[0], y % local[1], z % local[2]];
                        let g = [x / local[0], y / local[1], z / local[2]];
                        let n = local[0].min(sx - g[0] * local[0]);
                        let id = (x + 5) * 100 + y * 10 + z + 2;
                        let a = (id * 10 + l[0]) * 10 + l[1] + l[2];
                        let v = (a * 10 + g[0] + g[1] + g[2]) * 10 + n;
                        out[((z * sy + y) * sx + x) as usize] = v as i32;
                    }
                }
            }
        });
    }
}

/// out[i] = tile[last - lid] after tile[lid] = 3 * gid.
#[test]
fn reverse_through_local_memory() {
    let text = kernel(
        "%i: i64 = gid 0\n%l: i64 = lid 0\n%n: i64 = lsz 0\n%t: ptr<local> = local.addr lv0
%w: i32 = trunc %i\n%three: i32 = const 3\n%v: i32 = mul %w, %three\n%p: ptr<local> = ptr.add %t, %l * 4 + 0\nstore %p, %v
barrier 1
%one: i64 = const 1\n%m: i64 = sub %n, %one\n%r: i64 = sub %m, %l\n%q: ptr<local> = ptr.add %t, %r * 4 + 0\n%u: i32 = load %q
%s: i32 = add %u, %v\n%o: ptr<global> = ptr.add %out, %i * 4 + 0\nstore %o, %s\nret\n",
    );
    check(&text, LINE, 256, |out| {
        for i in 0..256i32 {
            out[i as usize] = 3 * ((i / 64) * 64 + 63 - i % 64) + 3 * i;
        }
    });
}

/// A tree reduction: barriers in a loop, the step a loop-carried value, work under a divergent condition.
#[test]
fn tree_reduction() {
    let text = kernel(
        "%i: i64 = gid 0\n%l: i64 = lid 0\n%n: i64 = lsz 0\n%t: ptr<local> = local.addr lv0\n%w: i32 = trunc %i
%p: ptr<local> = ptr.add %t, %l * 4 + 0\nstore %p, %w\n%one: i64 = const 1\n%zero: i64 = const 0\n%h: i64 = lshr %n, %one\njump b1(%h)
b1(%s: i64):\nbarrier 1\n%more: i1 = icmp.ugt %s, %zero\nbr %more, b2, b5
b2:\n%mine: i1 = icmp.ult %l, %s\nbr %mine, b3, b4
b3:\n%o: i64 = add %l, %s\n%q: ptr<local> = ptr.add %t, %o * 4 + 0\n%a: i32 = load %q\n%b: i32 = load %p\n%c: i32 = add %a, %b\nstore %p, %c\njump b4
b4:\n%s2: i64 = lshr %s, %one\njump b1(%s2)
b5:\n%first: i1 = icmp.eq %l, %zero\nbr %first, b6, b7
b6:\n%g: i64 = grp 0\n%r: i32 = load %t\n%d: ptr<global> = ptr.add %out, %g * 4 + 0\nstore %d, %r\njump b7
b7:\nret\n",
    );
    check(&text, LINE, 8, |out| {
        for (g, sum) in out.iter_mut().enumerate().take(4) {
            *sum = (g as i32 * 64..g as i32 * 64 + 64).sum();
        }
    });
}

/// A barrier that only odd rounds of a loop meet, and values that change on both sides of it.
#[test]
fn conditional_barrier_in_a_loop() {
    let text = kernel(
        "%i: i64 = gid 0\n%l: i64 = lid 0\n%t: ptr<local> = local.addr lv0\n%w: i32 = trunc %l\n%zero: i32 = const 0\n%one: i32 = const 1\njump b1(%zero, %w)
b1(%k: i32, %acc: i32):\n%ten: i32 = const 10\n%more: i1 = icmp.slt %k, %ten\nbr %more, b2, b5
b2:\n%odd: i32 = and %k, %one\n%is: i1 = icmp.ne %odd, %zero\nbr %is, b3, b4(%acc)
b3:\n%p: ptr<local> = ptr.add %t, %l * 4 + 0\nstore %p, %acc\nbarrier 1\n%lone: i64 = const 1\n%x: i64 = xor %l, %lone\n%q: ptr<local> = ptr.add %t, %x * 4 + 0\n%v: i32 = load %q\nbarrier 1\n%m: i32 = mul %v, %k\n%sum: i32 = add %m, %acc\njump b4(%sum)
b4(%in: i32):\n%a2: i32 = add %in, %one\n%k2: i32 = add %k, %one\njump b1(%k2, %a2)
b5:\n%o: ptr<global> = ptr.add %out, %i * 4 + 0\nstore %o, %acc\nret\n",
    );
    check(&text, LINE, 256, |out| {
        for g in 0..4usize {
            let mut acc: Vec<i32> = (0..64).collect();
            for k in 0..10 {
                if k % 2 == 1 {
                    let old = acc.clone();
                    acc = (0..64).map(|l| old[l ^ 1].wrapping_mul(k).wrapping_add(old[l])).collect();
                }
                acc.iter_mut().for_each(|a| *a = a.wrapping_add(1));
            }
            out[g * 64..g * 64 + 64].copy_from_slice(&acc);
        }
    });
}

/// Work-items that return before a barrier stay out of what follows.
#[test]
fn early_return_before_a_barrier() {
    let text = kernel(
        "%i: i64 = gid 0\n%l: i64 = lid 0\n%k: i64 = const 40\n%c: i1 = icmp.ult %l, %k\nbr %c, b1, b2
b1:\nbarrier 1\n%w: i32 = trunc %l\n%o: ptr<global> = ptr.add %out, %i * 4 + 0\nstore %o, %w\nbarrier 1\njump b2\nb2:\nret\n",
    );
    check(&text, LINE, 256, |out| {
        for (i, value) in out.iter_mut().enumerate() {
            *value = if i % 64 < 40 { (i % 64) as i32 } else { -1 };
        }
    });
}

#[test]
fn collectives_follow_the_linear_id() {
    let text = kernel(
        "%i: i64 = gid 0\n%l: i64 = lid 0\n%w: i32 = trunc %l\n%k: i32 = const 7\n%v: i32 = mul %w, %k\n%five: i64 = const 5
%inc: i32 = wg.scan.inc.add %v\n%exc: i32 = wg.scan.exc.add %v\n%max: i32 = wg.reduce.max.s %v\n%b: i32 = wg.bcast %v, %five
%z: i32 = const 63\n%lt: i1 = icmp.slt %w, %z\n%all: i1 = wg.all %lt\n%any: i1 = wg.any %lt
%a1: i32 = zext %all\n%a2: i32 = zext %any\n%m: i32 = const 1000\n%e: i32 = mul %inc, %m\n%f: i32 = add %e, %exc\n%g: i32 = mul %max, %m\n%h: i32 = add %f, %g
%j: i32 = add %h, %b\n%n: i32 = add %j, %a1\n%q: i32 = add %n, %a2\n%p: ptr<global> = ptr.add %out, %i * 4 + 0\nstore %p, %q\nret\n",
    );
    for range in [LINE, Range { global: [100, 1, 1], offset: [0; 3], local: [64, 1, 1] }] {
        check(&text, range, 256, |out| {
            for i in 0..range.global[0] as i32 {
                let l = i % 64;
                let n = if i < 64 || range.global[0] == 256 { 64 } else { 36 };
                let (inc, exc) = (7 * l * (l + 1) / 2, 7 * l * (l - 1) / 2);
                let all = i32::from(n == 36);
                out[i as usize] = inc * 1000 + exc + 7 * (n - 1) * 1000 + 35 + all + 1;
            }
        });
    }
}
