/* Forks while other threads make and release what the child makes too, in the same context and of the same program, and
 * while code is being made for sizes of work-groups that the child uses: nothing that they hold or have begun at that
 * moment may be missing in the child. */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 120, THREADS = 3, ITEMS = 64 };

static Setup shared;
static cl_program program;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static void use(cl_program program, int n) {
    cl_int status, got[ITEMS];
    const cl_int three = 3;
    const size_t items = ITEMS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(shared.context, shared.device, NULL, &status);
    CHECK(status);
    const size_t local = 1u << n % 7;
    cl_kernel add = get_kernel(program, n & 8 ? "add" : "add_too");
    cl_int *memory = clSVMAlloc(shared.context, CL_MEM_READ_WRITE, sizeof got, 0);
    if (!memory) fail("no shared memory");
    CHECK(clEnqueueSVMMemFill(queue, memory, &three, sizeof three, sizeof got, 0, NULL, NULL));
    CHECK(clSetKernelArgSVMPointer(add, 0, memory));
    SET_ARG(add, 1, three);
    CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, &local, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, got, memory, sizeof got, 0, NULL, NULL));
    EXPECT("the last item", got[ITEMS - 1], 6);
    clSVMFree(shared.context, memory);
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseCommandQueue(queue));
}

static void *use_again(void *data) {
    for (int n = 0; !is_over; n++) {
        pthread_mutex_lock(&turn);
        cl_program own = program;
        CHECK(clRetainProgram(own));
        pthread_mutex_unlock(&turn);
        use(own, n);
        CHECK(clReleaseProgram(own));
    }
    return data;
}

/* A program whose code is not made yet. */
static cl_program new_program(int n) {
    char options[32];
    sprintf(options, "-DN=%d", n);
    return build_program(&shared, "kernel void add(global int *a, int n) { a[get_global_id(0)] += n + N - N; }\n"
        "kernel void add_too(global int *a, int n) { a[get_global_id(0)] += n; barrier(CLK_GLOBAL_MEM_FENCE); }",
        options);
}

int main(void) {
    shared = open_device(0);
    program = new_program(0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, use_again, NULL)) fail("no thread");
    for (int n = 0; n < FORKS; n++) {
        int status;
        cl_program next = new_program(n), before = program;
        pthread_mutex_lock(&turn);
        program = next;
        pthread_mutex_unlock(&turn);
        CHECK(clReleaseProgram(before));
        usleep(n * 7 % 500);
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            for (int i = 0; i < 16; i++) use(next, i);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status) fail("child %d: status %d", n, status);
    }
    is_over = 1;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK(clReleaseProgram(program));
    close_device(&shared);
    printf("forks_beside: ok\n");
    return 0;
}
