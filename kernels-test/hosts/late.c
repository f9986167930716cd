/* Uses the device when a thread's own variables are gone already: in destructors of `pthread_key_create` and in
 * functions of `atexit`, those that were there before the driver, and so come after what it does then, and those that
 * were not. A command that never ends ends in SIGALRM. `late kinds` does so with code of other kinds. */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 1024, LOCAL = 64 };

/* Local memory, a barrier, text, and a name that makes its code this program's own. */
static const char *const source =
    "kernel void turn_WHO(global int *a, local int *b) {\n"
    "    size_t l = get_local_id(0);\n"
    "    b[l] = a[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] = b[get_local_size(0) - 1 - l] + 1;\n"
    "}\n"
    "kernel void tell_WHO(global int *a) { if (get_global_id(0) == 0) a[0] += printf(\"%s\", \"\"); }\n";

static atomic_int n_uses;

static void CL_CALLBACK set_event(void *event) { CHECK(clSetUserEventStatus(*(cl_event *)event, CL_COMPLETE)); }

static void launch(const Setup *s, cl_program program, const char *who) {
    char name[32];
    cl_int status, values[ITEMS];
    for (int i = 0; i < ITEMS; i++) values[i] = i;
    snprintf(name, sizeof name, "turn_%s", who);
    cl_kernel turn = get_kernel(program, name);
    snprintf(name, sizeof name, "tell_%s", who);
    cl_kernel tell = get_kernel(program, name);
    cl_mem mem = new_buffer(s, CL_MEM_COPY_HOST_PTR, sizeof values, values);
    cl_event gate = clCreateUserEvent(s->context, &status), turned;
    CHECK(status);
    const size_t items = ITEMS, local = LOCAL;
    SET_ARG(turn, 0, mem);
    CHECK(clSetKernelArg(turn, 1, LOCAL * sizeof *values, NULL));
    SET_ARG(tell, 0, mem);
    /* On another queue than what sets the event. */
    cl_command_queue other = clCreateCommandQueueWithProperties(s->context, s->device, NULL, &status);
    CHECK(status);
    CHECK(clEnqueueNDRangeKernel(s->queue, turn, 1, NULL, &items, &local, 1, &gate, &turned));
    CHECK(clEnqueueNDRangeKernel(s->queue, tell, 1, NULL, &items, &local, 0, NULL, NULL));
    CHECK(clFlush(s->queue));
    CHECK(clEnqueueNativeKernel(other, set_event, &gate, sizeof gate, 0, NULL, NULL, 0, NULL, NULL));
    CHECK(clFlush(other));
    CHECK(clWaitForEvents(1, &turned));
    CHECK(clEnqueueReadBuffer(s->queue, mem, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++) {
        const int want = i / LOCAL * LOCAL + LOCAL - 1 - i % LOCAL + 1;
        if (values[i] != want) fail("%s: item %d is %d, not %d", who, i, values[i], want);
    }
    CHECK(clFinish(other));
    CHECK(clReleaseEvent(turned));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseKernel(turn));
    CHECK(clReleaseKernel(tell));
}

/* Everything from the beginning to the end, and in the child of a fork. */
static void use_device(const char *who) {
    char options[80];
    snprintf(options, sizeof options, "-Dturn_WHO=turn_%s -Dtell_WHO=tell_%s", who, who);
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, options);
    for (int i = 0; i < 3; i++) launch(&s, program, who);
    int status;
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        launch(&s, program, who);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) fail("%s: the child ended with %d", who, status);
    CHECK(clReleaseProgram(program));
    close_device(&s);
    n_uses++;
}

static void before_driver(void) {
    use_device("first");
    if (n_uses != 6) fail("%d uses", n_uses);
    puts("late: ok");
}

static void after_driver(void) { use_device("second"); }

static void destroy(void *value) { use_device(value); }

static pthread_key_t key;

static void *thread_main(void *is_new_to_it) {
    if (!is_new_to_it) use_device("thread");
    pthread_setspecific(key, is_new_to_it ? "new" : "used");
    return NULL;
}

/* Runs this program once more with a variable. */
static void run_with(const char *name, const char *value) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
        setenv(name, value, 1);
        execl("/proc/self/exe", "late", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) fail("%s=%s: status %d", name, value, status);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        run_with("CLIFT_ISA", "scalar");
        run_with("CLIFT_ISA", "v128");
        run_with("CLIFT_FAULT", "1");
        return 0;
    }
    alarm(200);
    if (atexit(before_driver) || pthread_key_create(&key, destroy)) fail("no functions for the end");
    use_device("main");
    for (size_t i = 0; i < 2; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_main, (void *)i) || pthread_join(thread, NULL)) fail("no thread");
    }
    if (atexit(after_driver)) fail("no function for the end");
    return 0;
}
