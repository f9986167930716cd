/* Builds and launches from threads and fibres with small stacks: private arrays of kernels, the frames of their
 * functions and
 * the recursion of the compiler do not depend on them. The driver reads its environment once, so that each instruction
 * set is a
 * process of its own: this program started again. */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { ITEMS = 32, GROUP = 8 };

/* Each leaves `want(i, LEN)` in a[i]; they differ in where the array is. */
static const char *const kernels =
    "#define FILL(x, i) for (int j = 0; j < LEN; j++) x[(j * 13 + i) % LEN] = j ^ i\n"
    "#define SUM(x, i, s) for (int j = 0; j < LEN; j += 11) s += x[j] * (j & 7)\n"
    "kernel void flat(global int *a) {\n"
    "    int i = get_global_id(0), x[LEN], s = 0;\n"
    "    FILL(x, i); SUM(x, i, s);\n"
    "    a[i] = s;\n"
    "}\n"
    "kernel void meets(global int *a) {\n"
    "    int i = get_global_id(0), x[LEN], s = 0;\n"
    "    FILL(x, i);\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    SUM(x, i, s);\n"
    "    a[i] = s;\n"
    "}\n"
    "int deeper(int i) {\n"
    "    int x[LEN], s = 0;\n"
    "    FILL(x, i);\n"
    "    for (int k = 0; k < 3; k++) if (x[k] == -1 && x[k + 1] == -2) return k;\n"
    "    SUM(x, i, s);\n"
    "    return s;\n"
    "}\n"
    "__attribute__((noinline)) int deep(int i) { return i == -1 ? deeper(i + 1) - 1 : deeper(i); }\n"
    "kernel void calls(global int *a) {\n"
    "    int i = get_global_id(0);\n"
    "    a[i] = i & 1 ? deep(i) : i == -7 ? deep(i) + deeper(3) : deeper(i);\n"
    "}\n"
    "kernel void prints(global int *a) {\n"
    "    int i = get_global_id(0), x[LEN], s = 0;\n"
    "    FILL(x, i); SUM(x, i, s);\n"
    "    a[i] = s;\n"
    "    if (i == 5) printf(\"%d %f %g %v4hlf\\n\", s, 1.0 / 3, 1e300, (float4)(1, 2, 3, 1e-40f));\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global int *a) {\n"
    "    int i = get_global_id(0), x[LEN], s = 0;\n"
    "    FILL(x, i); SUM(x, i, s);\n"
    "    a[i] = s;\n"
    "}\n";

static int want(int i, int len) {
    int *x = malloc(len * sizeof *x), s = 0;
    for (int j = 0; j < len; j++) x[(j * 13 + i) % len] = j ^ i;
    for (int j = 0; j < len; j += 11) s += x[j] * (j & 7);
    free(x);
    return s;
}

/* The kernels, and one that makes the compiler recurse: parentheses, blocks, and a long chain. */
static char *deep_source(void) {
    enum { DEEP = 60, LONG = 3000 };
    char *text = malloc(1 << 20), *at = stpcpy(text, kernels);
    at = stpcpy(at, "kernel void nested(global int *a) {\n int i = get_global_id(0), v = i;\n");
    for (int k = 0; k < DEEP; k++) at += sprintf(at, "if (v != %d) { ", k + 1000);
    at = stpcpy(at, "a[i] = ");
    for (int k = 0; k < DEEP; k++) at = stpcpy(at, "(1 + ");
    at = stpcpy(at, "v");
    for (int k = 0; k < DEEP; k++) at = stpcpy(at, ")");
    for (int k = 0; k < LONG; k++) at = stpcpy(at, " + (v & 1)");
    at = stpcpy(at, ";");
    for (int k = 0; k < DEEP; k++) at = stpcpy(at, " }");
    strcpy(at, "\n}\n");
    return text;
}

static void use_device(const char *where) {
    static const char *const names[] = {"flat", "meets", "calls", "prints", "fixed"};
    static const int lengths[] = {100, 1000, 5000, 20000, 100000};
    Setup s = open_device(0);
    char *source = deep_source();
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const int len = lengths[l];
        char options[32];
        sprintf(options, "-DLEN=%d", len);
        cl_program program = build_program(&s, source, options);
        cl_mem mem = new_buffer(&s, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL);
        const size_t items = ITEMS, group = GROUP;
        for (size_t k = 0; k <= sizeof names / sizeof *names; k++) {
            const int is_nested = k == sizeof names / sizeof *names;
            const char *name = is_nested ? "nested" : names[k];
            /* Three arrays of this length are more than the driver grants. */
            if (len == 100000 && !strcmp(name, "calls")) continue;
            cl_kernel kernel = get_kernel(program, name);
            SET_ARG(kernel, 0, mem);
            for (int again = 0; again < 2; again++) {
                cl_int got[ITEMS];
                CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
                CHECK(clEnqueueReadBuffer(s.queue, mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
                for (int i = 0; i < ITEMS; i++) {
                    const int right = is_nested ? 60 + i + 3000 * (i & 1) : want(i, len);
                    if (got[i] != right) fail("%s, %s, %d: item %d is %d, not %d", where, name, len, i, got[i], right);
                }
            }
            CHECK(clReleaseKernel(kernel));
        }
        CHECK(clReleaseMemObject(mem));
        CHECK(clReleaseProgram(program));
    }
    free(source);
    close_device(&s);
}

static void *thread_main(void *where) {
    use_device(where);
    return NULL;
}

static void on_thread(size_t stack, char *where) {
    /* Not the same on all machines. */
    const size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    if (stack < least) stack = least;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, stack)) fail("no stack of %zu bytes", stack);
    if (pthread_create(&thread, &attributes, thread_main, where)) fail("no thread");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static ucontext_t back, fibre;
static void fibre_main(void) { use_device("fibre"); }

/* On a stack that the system knows nothing of. */
static void on_fibre(size_t stack) {
    char *memory = mmap(NULL, stack + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + 65536, stack, PROT_READ | PROT_WRITE)) fail("no memory");
    if (getcontext(&fibre)) fail("no fibre");
    fibre.uc_stack.ss_sp = memory + 65536;
    fibre.uc_stack.ss_size = stack;
    fibre.uc_link = &back;
    makecontext(&fibre, fibre_main, 0);
    if (swapcontext(&back, &fibre)) fail("no fibre");
    munmap(memory, stack + 65536);
}

int main(int argc, char **argv) {
    static const char *const isas[] = {"", "scalar", "v128", "avx2", "avx512"};
    if (argc > 1) {
        on_thread(64 << 10, "thread with 64 KiB");
        on_thread(256 << 10, "thread with 256 KiB");
        on_fibre(64 << 10);
        use_device("main thread");
        return 0;
    }
    for (size_t n = 0; n < sizeof isas / sizeof *isas; n++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            if (*isas[n]) setenv("CLIFT_ISA", isas[n], 1);
            execl("/proc/self/exe", argv[0], "use", (char *)NULL);
            _exit(127);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status) fail("CLIFT_ISA=%s: status %d", isas[n],
            status);
    }
    printf("stacks: ok\n");
    return 0;
}
