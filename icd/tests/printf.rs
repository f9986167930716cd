//! `printf` seen from a host program: what a kernel prints is in the C library's `stdout` when a call that waits for it
//! returns, in the order of the work-groups, whatever its size. The checks run in a child process whose `stdout` is a
//! file.

#![allow(unsafe_code, reason = "calls the C API and stdio")]

mod common;

use common::*;
use std::process::Command;

const CHILD: &str = "CLIFT_TEST_PRINTF";

const SOURCE: &str = r#"
kernel void hello(global int *status, int n) {
    int i = get_global_id(0);
    status[0] = printf("%d of %d: %s %.2v2hlf\n", i, n, "text", (float2)(i, 0.5f));
}
kernel void twice(global int *status, int n) {
    local int shared;
    int l = get_local_id(0);
    if (l == 0) shared = n;
    printf("a%d ", l);
    barrier(CLK_LOCAL_MEM_FENCE);
    printf("b%d ", l + shared);
    status[0] = printf("");
}
kernel void lines(global int *status, int n) {
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++) status[0] = printf("%ld.%d: ........................................\n", i, k);
}
"#;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

struct Child {
    world: World,
    program: cl::cl_program,
    status: cl::cl_mem,
    path: String,
    seen: usize,
}

impl Child {
    fn launch(&self, name: &str, n: i32, global: usize, local: usize) -> cl::cl_event {
        let kernel = self.world.kernel(self.program, name);
        let mut event = null_mut();
        // SAFETY: all pointers are valid.
        unsafe {
            assert_eq!(clSetKernelArg(kernel, 0, 8, (&raw const self.status).cast()), 0);
            assert_eq!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast()), 0);
            let (queue, global, local) = (self.world.queue, &raw const global, &raw const local);
            let code = clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, local, 0, null(), &raw mut event);
            assert_eq!(code, 0);
            assert_eq!(clReleaseKernel(kernel), 0);
        }
        event
    }

    /// What has come to `stdout` since the last call.
    fn printed(&mut self) -> String {
        let all = std::fs::read_to_string(&self.path).expect("the file is there");
        let new = all[self.seen..].to_owned();
        self.seen = all.len();
        new
    }

    fn host(&self, text: &std::ffi::CStr) {
        // SAFETY: a string and the open stream.
        unsafe { libc::fputs(text.as_ptr(), stdout) };
    }

    fn release(&self, event: cl::cl_event) {
        // SAFETY: a live event.
        assert_eq!(unsafe { clReleaseEvent(event) }, 0);
    }

    fn checks(&mut self) {
        let queue = self.world.queue;
        // A host program's own output, which the C library still buffers, keeps its place.
        self.host(c"before\n");
        let event = self.launch("hello", 3, 3, 1);
        // SAFETY: a live queue.
        assert_eq!(unsafe { clFinish(queue) }, 0);
        self.host(c"after\n");
        let want = "before\n0 of 3: text 0.00,0.50\n1 of 3: text 1.00,0.50\n2 of 3: text 2.00,0.50\n";
        assert_eq!(self.printed(), want);
        self.release(event);

        let event = self.launch("twice", 10, 4, 2);
        // SAFETY: a live event.
        assert_eq!(unsafe { clWaitForEvents(1, &raw const event) }, 0);
        assert_eq!(self.printed(), "after\na0 a1 b10 b11 a0 a1 b10 b11 ");
        self.release(event);

        let event = self.launch("hello", 1, 1, 1);
        let mut status = 7i32;
        let (place, to) = (self.status, (&raw mut status).cast());
        // SAFETY: all pointers are valid.
        assert_eq!(unsafe { clEnqueueReadBuffer(queue, place, cl::CL_TRUE, 0, 4, to, 0, null(), null_mut()) }, 0);
        assert_eq!((self.printed().as_str(), status), ("0 of 1: text 0.00,0.50\n", 0));
        self.release(event);

        // What fits in the buffer comes in the order of the groups, whichever thread ran them.
        let items = 4000;
        let event = self.launch("lines", 1, items, 4);
        // SAFETY: a live queue.
        assert_eq!(unsafe { clFinish(queue) }, 0);
        let text = self.printed();
        let order: Vec<&str> = text.lines().map(|line| line.split_once('.').expect("a number").0).collect();
        assert_eq!(order, (0..items).map(|i| i.to_string()).collect::<Vec<_>>());
        self.release(event);

        // Far more than the buffer, from all threads: nothing is lost, and each work-item's lines are in order.
        let lines = 30;
        let event = self.launch("lines", lines, items, 4);
        // SAFETY: a live queue.
        assert_eq!(unsafe { clFinish(queue) }, 0);
        let text = self.printed();
        let mut next = vec![0; items];
        for line in text.lines() {
            let (item, rest) = line.split_once('.').expect("a number");
            let (k, dots) = rest.split_once(": ").expect("a number");
            let (item, k): (usize, i32) = (item.parse().expect("number"), k.parse().expect("number"));
            assert_eq!((k, dots.len()), (next[item], 40), "{line}");
            next[item] += 1;
        }
        assert!(next.iter().all(|&n| n == lines));
        assert!(text.len() > 4 << 20);
        self.release(event);
    }
}

#[test]
fn kernels_print_where_the_host_does() {
    if let Ok(path) = std::env::var(CHILD) {
        let name = CString::new(path.as_str()).expect("no zero inside");
        // SAFETY: two strings and the open stream.
        assert!(!unsafe { libc::freopen(name.as_ptr(), c"w".as_ptr(), stdout) }.is_null());
        let world = World::new();
        let (program, status) = (world.built(SOURCE), world.buffer(4));
        Child { world, program, status, path, seen: 0 }.checks();
        return;
    }
    let folder = tempfile::tempdir().expect("temporary folder");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "kernels_print_where_the_host_does", "--nocapture"])
        .env(CHILD, folder.path().join("out.txt"))
        .output()
        .expect("the child starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
