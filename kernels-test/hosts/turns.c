/* Groups that wait for groups before them by reading a counter to which each adds when it is done: through `volatile`
 * pointers of either kind, and plainly between barriers. What a group adds must reach memory while others wait for it.
 * */
#include "common.h"
#include <unistd.h>

enum { GROUPS = 16, LOCAL = 16, N = GROUPS * LOCAL };

static const char *const source =
    /* Plain reads beside atomic operations are races by the letter, and what this is about. */
    "#pragma CLIFT CHECK OFF\n"
    "#define BEGIN int g = get_group_id(0), l = get_local_id(0);\n"
    "#define END barrier(CLK_GLOBAL_MEM_FENCE); out[get_global_id(0)] = g + *turn; barrier(CLK_GLOBAL_MEM_FENCE);\\\n"
    "    if (l == 0) atomic_inc(turn);\n"
    "kernel void polls(volatile global int *turn, global int *out)\n"
    "{ BEGIN if (l == 0) while (*turn != g); END }\n"
    "kernel void polls_generic(volatile global int *turn, global int *out)\n"
    "{ BEGIN volatile int *t = turn; if (l == 0) while (*t < g); END }\n"
    "kernel void polls_all(volatile global int *turn, global int *out)\n"
    "{ BEGIN while (*turn < g); END }\n"
    "kernel void plain(global int *turn, global int *out)\n"
    "{ BEGIN local int seen; do { barrier(CLK_GLOBAL_MEM_FENCE); if (l == 0) seen = *turn; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  while (seen != g); END }\n"
    "kernel void counted(volatile global int *turn, global int *out)\n"
    "{ BEGIN int n = 0; for (int more = 1; more; n++) { barrier(CLK_GLOBAL_MEM_FENCE); if (turn[0] == g) more = 0; }\n"
    "  if (n == 0) return; END }\n";

int main(void) {
    static const char *const names[] = {"polls", "polls_generic", "polls_all", "plain", "counted"};
    /* Waiting for ever is a failure. */
    alarm(100);
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "-cl-std=CL3.0");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cl_kernel kernel = get_kernel(program, names[k]);
        cl_mem turn = new_buffer(&s, CL_MEM_READ_WRITE, sizeof(cl_int), NULL);
        cl_mem out = new_buffer(&s, CL_MEM_READ_WRITE, N * sizeof(cl_int), NULL);
        cl_int zero = 0, last, results[N];
        CHECK(clEnqueueFillBuffer(s.queue, turn, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
        SET_ARG(kernel, 0, turn);
        SET_ARG(kernel, 1, out);
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, (size_t[]){N}, (size_t[]){LOCAL}, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s.queue, turn, CL_TRUE, 0, sizeof last, &last, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
        if (last != GROUPS) fail("%s: %d groups have had their turn", names[k], last);
        for (int i = 0; i < N; i++) {
            if (results[i] != 2 * (i / LOCAL)) fail("%s: work-item %d has seen %d", names[k], i, results[i]);
        }
        CHECK(clReleaseMemObject(turn));
        CHECK(clReleaseMemObject(out));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
    close_device(&s);
    return 0;
}
