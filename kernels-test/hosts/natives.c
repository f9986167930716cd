/* Native kernels that wait for each other: each ends when the one after it has ended, the last when a callback has been
 * called. A driver that let one of them stand behind another would hang, which ends in SIGALRM. */
#define _GNU_SOURCE
#include "common.h"
#include <stdatomic.h>
#include <unistd.h>

enum { LINKS = 40, ROUNDS = 20 };

static atomic_int n_ended, is_called;

static void CL_CALLBACK hold(void *data) {
    const int n_after = LINKS - 1 - *(int *)data;
    while (!atomic_load(&is_called) || atomic_load(&n_ended) < n_after) usleep(50);
    atomic_fetch_add(&n_ended, 1);
}

static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)status, (void)data;
    atomic_store(&is_called, 1);
}

/* All on queues of their own, or on one that is out of order, and behind them what the callback is for. */
static void chain(cl_command_queue *queues, int n_queues, cl_command_queue other) {
    atomic_store(&n_ended, 0);
    atomic_store(&is_called, 0);
    for (int i = 0; i < LINKS; i++) {
        CHECK(clEnqueueNativeKernel(queues[i % n_queues], hold, &i, sizeof i, 0, NULL, NULL, 0, NULL, NULL));
        if (n_queues > 1) CHECK(clFlush(queues[i % n_queues]));
    }
    if (n_queues == 1) CHECK(clFlush(queues[0]));
    cl_event event;
    CHECK(clEnqueueMarkerWithWaitList(other, 0, NULL, &event));
    CHECK(clSetEventCallback(event, CL_COMPLETE, note, NULL));
    CHECK(clFlush(other));
    for (int i = 0; i < n_queues; i++) CHECK(clFinish(queues[i]));
    CHECK(clReleaseEvent(event));
}

int main(void) {
    Setup s = open_device(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue queues[LINKS], other;
    cl_int status;
    alarm(100);
    for (int i = 0; i <= LINKS; i++) {
        *(i < LINKS ? &queues[i] : &other) = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
        CHECK(status);
    }
    for (int round = 0; round < ROUNDS; round++) {
        chain(queues, LINKS, other);
        chain(&s.queue, 1, other);
    }
    for (int i = 0; i <= LINKS; i++) CHECK(clReleaseCommandQueue(i < LINKS ? queues[i] : other));
    close_device(&s);
    printf("natives: %d rounds of %d that wait for each other\n", ROUNDS, LINKS);
    return 0;
}
