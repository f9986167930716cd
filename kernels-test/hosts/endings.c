/* Ends in the middle of things: `endings HOW`, with nothing released.
 *   exit     main returns while commands run and callbacks are due
 *   thread   another thread calls exit while main waits for commands
 *   user     a user event that nobody will set blocks everything
 *   handler  a signal's handler calls exit, wherever main is in the driver
 *   native   a native kernel, on a thread of the driver, calls exit
 *   signals  (goes on to a tidy end) a timer's signals arrive all the time
 * The others end with 7.
 */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define ITEMS (1 << 16)

static const char *const source =
    "kernel void spin(global uint *a, uint rounds) {\n"
    "    uint i = get_global_id(0), x = i;\n"
    "    for (uint k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;\n"
    "    a[i] = x;\n"
    "}\n";

static volatile sig_atomic_t n_signals;
static void on_signal(int number) {
    (void)number;
    n_signals++;
}

static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)status, (void)data;
}

static void *leave(void *data) {
    (void)data;
    usleep(20000);
    exit(7);
}

static void leave_at_once(int number) {
    (void)number;
    exit(7);
}

static void CL_CALLBACK leave_from_native(void *data) {
    (void)data;
    exit(7);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "exit";
    Setup s = open_device(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_program program = build_program(&s, source, "");
    cl_kernel kernel = get_kernel(program, "spin");
    cl_mem buffer = new_buffer(&s, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint), NULL);
    const int is_tidy = !strcmp(how, "signals"), has_handler = !strcmp(how, "handler");
    const int waits = is_tidy || has_handler, is_native = !strcmp(how, "native");
    const cl_uint rounds = waits || is_native ? 200 : 20000;
    const size_t items = ITEMS;
    cl_int status;
    SET_ARG(kernel, 0, buffer);
    SET_ARG(kernel, 1, rounds);
    cl_event gate = NULL;
    if (!strcmp(how, "user")) {
        gate = clCreateUserEvent(s.context, &status);
        CHECK(status);
    }
    if (waits) {
        struct sigaction action = {.sa_handler = is_tidy ? on_signal : leave_at_once};
        struct itimerval timer = {{0, 300}, {0, is_tidy ? 300 : 20000 + getpid() % 97}};
        if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL)) fail("no timer");
    }
    double end = now_ms() + 500;
    int n = 0;
    do {
        cl_event event;
        CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, NULL, gate != NULL, gate ? &gate : NULL,
            &event));
        if (!is_tidy) CHECK(clSetEventCallback(event, CL_COMPLETE, note, NULL));
        if (waits) {
            cl_uint value, want = 5;
            CHECK(clWaitForEvents(1, &event));
            CHECK(clReleaseEvent(event));
            CHECK(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 5 * sizeof value, sizeof value, &value, 0, NULL, NULL));
            for (cl_uint k = 0; k < rounds; k++) want = want * 1664525u + 1013904223u;
            if (value != want) fail("got %u, not %u", value, want);
        }
        n++;
    } while (has_handler || (is_tidy ? now_ms() < end : n < 100));
    if (is_native) CHECK(clEnqueueNativeKernel(s.queue, leave_from_native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    CHECK(clFlush(s.queue));
    while (is_native) pause();
    if (!strcmp(how, "thread")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, leave, NULL)) fail("no thread");
        CHECK(clFinish(s.queue));
        for (;;) pause();
    }
    if (!is_tidy) {
        usleep(3000);
        return 7;
    }
    struct itimerval off = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &off, NULL);
    if (!n_signals) fail("no signal came");
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_device(&s);
    printf("endings: %d launches under signals\n", n);
    return 0;
}
