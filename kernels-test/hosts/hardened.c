/* Builds and launches kernels under a filter of system calls that ends the process as soon as any memory is to be
 * writable and executable at once, while a thread reads /proc/self/maps again and again. With the argument `code`, no
 * memory may become executable at all, as under systemd's MemoryDenyWriteExecute: programs do not build, and the
 * process goes on. For icd/tests/hardening.rs. */
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROGRAMS = 12, ITEMS = 256 };

/* `needed` are the bits of protection that a call must not ask for together. */
static void filter_calls(unsigned needed, unsigned action) {
    const unsigned at = offsetof(struct seccomp_data, args[2]);
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_pkey_mprotect, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, needed),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, needed, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
            SECCOMP_FILTER_FLAG_TSYNC, &program)) {
        printf("hardened: this system has no filters\n");
        exit(0);
    }
}

static volatile int is_over, n_looks, n_with_code;

/* Until a look that begins from now on has ended. */
static void wait_for_look(void) {
    const int before = n_looks;
    while (n_looks < before + 2) usleep(100);
}

/* Ends the program if a mapping is writable and executable. Counts looks, and those that saw code in no file. */
static void look(void) {
    char line[512], access[8];
    unsigned long inode;
    int has_code = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) fail("no maps");
    while (fgets(line, sizeof line, maps)) {
        int end = 0;
        if (sscanf(line, "%*s %7s %*s %*s %lu%n", access, &inode, &end) != 2) fail("not a line of maps: %s", line);
        if (access[1] == 'w' && access[2] == 'x') fail("writable and executable: %s", line);
        if (access[2] == 'x' && (strstr(line, "[stack") || strstr(line, "[heap]"))) fail("executable: %s", line);
        has_code |= access[2] == 'x' && inode == 0 && !strchr(line + end, '[');
    }
    fclose(maps);
    n_looks++;
    n_with_code += has_code;
}

static void *look_again(void *data) {
    while (!is_over) look();
    return data;
}

static const char *const source =
    "kernel void flat(global int *a) { a[get_global_id(0)] += N; }\n"
    "kernel void meets(global int *a, local int *b) {\n"
    "    size_t l = get_local_id(0);\n"
    "    b[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = b[get_local_size(0) - 1 - l] * N;\n"
    "}\n"
    "kernel void wide(global float4 *a) {\n"
    "    a[get_global_id(0)] = sin(a[get_global_id(0)]) + pow(a[get_global_id(0)], (float4)(N));\n"
    "}\n";

static void use_program(const Setup *s, int n) {
    char options[32];
    sprintf(options, "-DN=%d", n);
    cl_program program = build_program(s, source, options);
    cl_mem mem = new_buffer(s, CL_MEM_READ_WRITE, ITEMS * 16, NULL);
    static const char *const names[] = {"flat", "meets", "wide"};
    const size_t items = ITEMS;
    const cl_int zero = 0;
    CHECK(clEnqueueFillBuffer(s->queue, mem, &zero, sizeof zero, 0, ITEMS * 16, 0, NULL, NULL));
    for (int k = 0; k < 3; k++) {
        cl_kernel kernel = get_kernel(program, names[k]);
        SET_ARG(kernel, 0, mem);
        if (k == 1) CHECK(clSetKernelArg(kernel, 1, 64 * sizeof(cl_int), NULL));
        /* Code for any size first, then for this one. */
        for (size_t local = 16; local <= 64; local *= 2)
            CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
        CHECK(clReleaseKernel(kernel));
        if (k == 1) {
            cl_int got;
            CHECK(clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
            EXPECT("what the kernels left", got, 3ll * n * n * n * n);
        }
    }
    CHECK(clFinish(s->queue));
    /* On a busy machine the other thread may have seen nothing yet. */
    if (n % 4 == 0) wait_for_look();
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseProgram(program));
}

static void use_no_code(const Setup *s) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(s->context, 1, (const char **)&source, NULL, &status);
    CHECK(status);
    status = clBuildProgram(program, 1, &s->device, "-DN=1", NULL, NULL);
    if (status == CL_SUCCESS) {
        /* Code may be made when it is needed first. */
        cl_kernel kernel = get_kernel(program, "flat");
        cl_mem mem = new_buffer(s, CL_MEM_READ_WRITE, 64, NULL);
        SET_ARG(kernel, 0, mem);
        const size_t one = 1;
        cl_event event;
        status = clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event);
        if (status == CL_SUCCESS) {
            if (clWaitForEvents(1, &event) != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) fail("there is code");
            CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
            CHECK(clReleaseEvent(event));
        }
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseMemObject(mem));
    }
    CHECK(clReleaseProgram(program));
    printf("without code: %d\n", status);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "code")) {
        filter_calls(PROT_EXEC, SECCOMP_RET_ERRNO | EACCES);
        Setup s = open_device(0);
        for (int i = 0; i < 3; i++) use_no_code(&s);
        close_device(&s);
        return 0;
    }
    filter_calls(PROT_WRITE | PROT_EXEC, SECCOMP_RET_KILL_PROCESS);
    pthread_t thread;
    Setup s = open_device(0);
    if (pthread_create(&thread, NULL, look_again, NULL)) fail("no thread");
    for (int n = 1; n <= PROGRAMS; n++) use_program(&s, n);
    is_over = 1;
    pthread_join(thread, NULL);
    close_device(&s);
    if (n_looks < 3 || !n_with_code) fail("%d looks, %d saw code", n_looks, n_with_code);
    printf("hardened: %d looks, %d saw code\n", n_looks, n_with_code);
    return 0;
}
