/* Calls that are mistakes, and calls that nearly are. */
#include "check.h"
#include <pthread.h>

/* -------- Mistakes -------- */

static void released_kernel(void) {
    CHECK(clReleaseKernel(put));
    clSetKernelArg(put, 0, sizeof b, &b);
    put = NULL;
}

static void released_buffer(void) {
    const int zero = 0;
    CHECK(clReleaseMemObject(a));
    clEnqueueFillBuffer(q, a, &zero, 4, 0, N, 0, NULL, NULL);
    a = NULL;
}

static void released_event(void) {
    cl_event event = fill(q, a, 0, N, 0, NULL);
    CHECK(clFinish(q));
    drop(event);
    clWaitForEvents(1, &event);
}

static void released_twice(void) {
    cl_event event = fill(q, a, 0, N, 0, NULL);
    CHECK(clFinish(q));
    drop(event);
    clReleaseEvent(event);
}

static void argument_released(void) {
    size_t items = 1;
    CHECK(clReleaseMemObject(a));
    clEnqueueNDRangeKernel(q, put, 1, NULL, &items, NULL, 0, NULL, NULL);
    a = NULL;
}

static void leaked_buffer(void) { (void)buffer(64); }
static void leaked_event(void) { (void)fill(q, a, 0, N, 0, NULL); }

/* SVM that a command uses, freed before anything has waited for it. */
static void svm_freed(int waits) {
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFlush(q));
    if (waits)
        CHECK(clFinish(q));
    clSVMFree(s.context, m);
}

static void svm_freed_early(void) { svm_freed(0); }

static void svm_freed_while_waiting(void) {
    cl_int status;
    char *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    cl_event gate = clCreateUserEvent(s.context, &status);
    CHECK(status);
    CHECK(clEnqueueSVMMemcpy(q, CL_FALSE, host, m, 64, 1, &gate, NULL));
    clSVMFree(s.context, m);
    /* It must not run: the memory is gone. */
    CHECK(clSetUserEventStatus(gate, -1));
    drop(gate);
}

static void svm_freed_before_unmap(void) {
    cl_int status;
    char *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    cl_event gate = clCreateUserEvent(s.context, &status);
    CHECK(status);
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, m, N, 0, NULL, NULL));
    CHECK(clEnqueueSVMUnmap(q, m, 1, &gate, NULL));
    clSVMFree(s.context, m);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    drop(gate);
}

/* SVM that has been freed. */
static int *gone_svm(void) {
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    clSVMFree(s.context, m);
    return m;
}

static void argument_freed(void) {
    CHECK(clSetKernelArgSVMPointer(put, 0, gone_svm()));
    drop(launch(q, put, N / 4, 0, NULL));
}

/* The next allocation is elsewhere, or the mistake would not be seen. */
static void argument_freed_and_another_made(void) {
    CHECK(clSetKernelArgSVMPointer(put, 0, gone_svm()));
    int *other = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFinish(q));
    clSVMFree(s.context, other);
}

static void filled_when_freed(void) {
    const int zero = 0;
    CHECK(clEnqueueSVMMemFill(q, gone_svm(), &zero, 4, N, 0, NULL, NULL));
}

static void read_to_freed(void) { CHECK(clEnqueueReadBuffer(q, a, CL_TRUE, 0, N, gone_svm(), 0, NULL, NULL)); }

static void svm_filled(size_t from) {
    const int zero = 0;
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    CHECK(clEnqueueSVMMemFill(q, m + from, &zero, 4, N - 64, 0, NULL, NULL));
    CHECK(clFinish(q));
    clSVMFree(s.context, m);
}
static void svm_filled_beyond(void) { svm_filled(17); }

static void svm_freed_twice(void) { clSVMFree(s.context, gone_svm()); }
static void svm_freed_within(void) {
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    clSVMFree(s.context, m + 1);
    clSVMFree(s.context, m);
}
static void mapped_when_freed(void) {
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, gone_svm(), N, 0, NULL, NULL));
}
static void copied_when_freed(void) {
    cl_int status;
    cl_mem copy = clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, N, gone_svm(), &status);
    CHECK(status);
    CHECK(clReleaseMemObject(copy));
}
static cl_context other_context(void) {
    cl_int status;
    cl_context made = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
    CHECK(status);
    return made;
}
static void svm_freed_elsewhere(void) {
    cl_context other = other_context();
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    clSVMFree(other, m);
    clSVMFree(s.context, m);
    CHECK(clReleaseContext(other));
}
/* Allocations that went with their context are nobody's, and their memory may be the next buffers', which is right. */
static void memory_of_a_context_that_is_gone(void) {
    cl_context other = other_context();
    for (int i = 0; i < 100; i++)
        (void)clSVMAlloc(other, CL_MEM_READ_WRITE, N - 16, 0);
    CHECK(clReleaseContext(other));
    cl_mem many[100];
    for (int i = 0; i < 100; i++) {
        many[i] = buffer(N);
        drop(fill(q, many[i], 0, N, 0, NULL));
    }
    for (int i = 0; i < 100; i++)
        CHECK(clReleaseMemObject(many[i]));
}

static void leaked_svm(void) { (void)clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0); }

/* What a callback does, and that it has done it. */
static void (*act)(void);
static volatile int done;
static void CL_CALLBACK call_act(cl_event event, cl_int status, void *data) {
    (void)event, (void)status, (void)data;
    act();
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

static void in_callback(void (*what)(void)) {
    act = what;
    cl_event event = fill(q, a, 0, N, 0, NULL);
    CHECK(clSetEventCallback(event, CL_COMPLETE, call_act, NULL));
    CHECK(clFlush(q));
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    }
    drop(event);
}

static void finish_r(void) { CHECK(clFinish(r)); }
static void read_blocking(void) { CHECK(clEnqueueReadBuffer(r, b, CL_TRUE, 0, N, host, 0, NULL, NULL)); }
static void build_again(void) {
    cl_program other = build_program(&s, SOURCE, "");
    CHECK(clReleaseProgram(other));
}
static void wait_for_one(void) {
    cl_event event = fill(r, b, 0, N, 0, NULL);
    CHECK(clWaitForEvents(1, &event));
    drop(event);
}

static void finish_in_callback(void) { in_callback(finish_r); }
static void read_in_callback(void) { in_callback(read_blocking); }
static void build_in_callback(void) { in_callback(build_again); }
static void wait_in_callback(void) { in_callback(wait_for_one); }

static void copy_overlaps(void) { clEnqueueCopyBuffer(q, a, a, 0, 60, 64, 0, NULL, NULL); }
static void write_behind_end(void) { clEnqueueWriteBuffer(q, a, CL_TRUE, N - 4, 8, host, 0, NULL, NULL); }

static void unmapped_twice(void) {
    cl_int status;
    void *at = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, N, 0, NULL, NULL, &status);
    CHECK(status);
    CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL));
    clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL);
}

static void *set_often(void *what) {
    for (int i = 0; i < 200; i++)
        CHECK(clSetKernelArg(*(cl_kernel *)what, 1, sizeof i, &i));
    return NULL;
}

/* What a thread sets, and how often it has; it goes on until the other one has done so often, too. */
typedef struct {
    cl_kernel kernel;
    int turns;
} Setter;

static Setter setters[2];

static void *set_together(void *what) {
    Setter *own = what, *other = &setters[own == setters];
    for (int i = 0; i < 20000 || __atomic_load_n(&other->turns, __ATOMIC_SEQ_CST) < 20000; i++) {
        CHECK(clSetKernelArg(own->kernel, 1, sizeof i, &i));
        __atomic_store_n(&own->turns, i + 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void from_two_threads(cl_kernel first, cl_kernel second) {
    pthread_t threads[2];
    setters[0] = (Setter){first, 0}, setters[1] = (Setter){second, 0};
    pthread_create(&threads[0], NULL, set_together, &setters[0]);
    pthread_create(&threads[1], NULL, set_together, &setters[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void two_threads(void) { from_two_threads(both, both); }

/* -------- Near misses -------- */

static void released_after_launch(void) {
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clReleaseKernel(put));
    CHECK(clReleaseMemObject(a));
    put = NULL, a = NULL;
}

static void retained(void) {
    CHECK(clRetainMemObject(a));
    CHECK(clReleaseMemObject(a));
    drop(fill(q, a, 0, N, 0, NULL));
}

static void released_in_order(void) {
    cl_event event = fill(q, a, 0, N, 0, NULL);
    CHECK(clRetainEvent(event));
    drop(event);
    CHECK(clWaitForEvents(1, &event));
    drop(event);
}

static void argument_set_anew(void) {
    CHECK(clReleaseMemObject(a));
    a = NULL;
    CHECK(clSetKernelArg(put, 0, sizeof b, &b));
    drop(launch(q, put, N / 4, 0, NULL));
}

static void all_released(void) { CHECK(clReleaseMemObject(buffer(64))); }
static void svm_freed_in_time(void) { svm_freed(1); }

static void svm_filled_to_its_end(void) { svm_filled(16); }

/* Nobody knows it any more: the host's own memory may be where freed memory was. */
static void host_memory_where_much_was_freed(void) {
    for (int i = 0; i < 1100; i++)
        (void)gone_svm();
    int *own = malloc(N);
    CHECK(clSetKernelArgSVMPointer(put, 0, own));
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFinish(q));
    free(own);
}

/* A part of the host's memory is a buffer, too; its last number is written in front of a pointer behind it. */
static void host_memory_beyond_a_buffer(void) {
    cl_int status;
    const int back = -N / 4;
    int *own = malloc(N);
    cl_mem part = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, N / 4, own, &status);
    CHECK(status);
    for (int i = 0; i < N / 4; i++)
        own[i] = 0;
    CHECK(clSetKernelArgSVMPointer(put, 0, own));
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clSetKernelArgSVMPointer(both, 0, own + N / 4));
    CHECK(clSetKernelArg(both, 1, sizeof back, &back));
    drop(launch(q, both, N / 4, 0, NULL));
    CHECK(clFinish(q));
    for (int i = 0; i < N / 4; i++)
        if (own[i] != 2)
            fail("item %d is %d", i, own[i]);
    CHECK(clReleaseMemObject(part));
    free(own);
}

/* The next memory is at the same place. */
static void svm_freed_while_mapped(void) {
    const size_t size = 1 << 20;
    for (int i = 0; i < 4; i++) {
        char *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, size, 0);
        CHECK(clEnqueueSVMMemcpy(q, CL_FALSE, m, host, sizeof host, 0, NULL, NULL));
        CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, m, size, 0, NULL, NULL));
        clSVMFree(s.context, m);
    }
}

/* SVM is one object, whichever of its parts a kernel gets a pointer to. */
static void from_part_to_part_of_svm(void) {
    cl_int status;
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    cl_mem whole = clCreateBuffer(s.context, CL_MEM_USE_HOST_PTR, N, m, &status);
    CHECK(status);
    const cl_buffer_region half = {N / 2, N / 2};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &status);
    CHECK(status);
    const int back = -N / 8;
    drop(fill(q, whole, 0, N, 0, NULL));
    CHECK(clSetKernelArg(both, 0, sizeof part, &part));
    CHECK(clSetKernelArg(both, 1, sizeof back, &back));
    drop(launch(q, both, N / 4, 0, NULL));
    CHECK(clFinish(q));
    CHECK(clEnqueueReadBuffer(q, whole, CL_TRUE, 0, N, host, 0, NULL, NULL));
    for (int i = 0; i < N / 4; i++)
        if (((const int *)host)[i] != 1)
            fail("item %d is %d", i, ((const int *)host)[i]);
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(whole));
    clSVMFree(s.context, m);
}

/* Through a number, a part that may be written beside one that may only be read. */
static void number_of_a_part_to_write(void) {
    static const char *source = "kernel void to(constant int *from, global int *out, global ulong *at) {\n"
                                "    size_t i = get_global_id(0);\n"
                                "    at[i] = (ulong)(out + i);\n"
                                "    *(global int *)at[i] = from[i];\n"
                                "}\n";
    cl_int status;
    const cl_buffer_region regions[2] = {{0, N / 4}, {N / 2, N / 4}};
    cl_program program = build_program(&s, source, "");
    cl_kernel to = get_kernel(program, "to");
    cl_mem whole = buffer(N), at = buffer(2 * N), parts[2];
    drop(fill(q, whole, 0, N, 0, NULL));
    for (int i = 0; i < 2; i++) {
        cl_mem_flags flags = i ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
        parts[i] = clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &regions[i], &status);
        CHECK(status);
        CHECK(clSetKernelArg(to, i, sizeof *parts, &parts[i]));
    }
    CHECK(clSetKernelArg(to, 2, sizeof at, &at));
    drop(launch(q, to, N / 16, 0, NULL));
    CHECK(clFinish(q));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseMemObject(parts[i]));
    CHECK(clReleaseMemObject(at));
    CHECK(clReleaseMemObject(whole));
    CHECK(clReleaseKernel(to));
    CHECK(clReleaseProgram(program));
}

static void svm_freed_by_queue(void) {
    void *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clEnqueueSVMFree(q, 1, &m, NULL, NULL, 0, NULL, NULL));
}

static void read_later(void) { drop(load(r, b, 0, N, host, 0, NULL)); }
static void ask(void) {
    cl_uint units;
    CHECK(clGetDeviceInfo(s.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK(clFlush(r));
}
static void enqueue_in_callback(void) { in_callback(read_later); }
static void ask_in_callback(void) { in_callback(ask); }

static void finish_after_callback(void) {
    in_callback(ask);
    CHECK(clFinish(r));
}

static void copy_side_by_side(void) { CHECK(clEnqueueCopyBuffer(q, a, a, 0, 64, 64, 0, NULL, NULL)); }
static void write_up_to_end(void) { CHECK(clEnqueueWriteBuffer(q, a, CL_TRUE, N - 8, 8, host, 0, NULL, NULL)); }

static void mapped_twice(void) {
    cl_int status;
    void *at[2];
    for (int i = 0; i < 2; i++) {
        at[i] = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, N, 0, NULL, NULL, &status);
        CHECK(status);
    }
    for (int i = 0; i < 2; i++)
        CHECK(clEnqueueUnmapMemObject(q, a, at[i], 0, NULL, NULL));
}

static void two_kernels(void) {
    cl_int status;
    cl_kernel other = clCloneKernel(both, &status);
    CHECK(status);
    from_two_threads(both, other);
    CHECK(clReleaseKernel(other));
}

static void one_after_the_other(void) {
    pthread_t thread;
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, set_often, &both);
        pthread_join(thread, NULL);
        set_often(&both);
    }
}

static const Part PARTS[] = {
    {"released_kernel", "api", "use of a kernel that has been released", "clSetKernelArg", released_kernel},
    {"released_buffer", "api", "use of a memory object that has been", "clEnqueueFillBuffer", released_buffer},
    {"released_event", "api", "use of an event that has been released", "clWaitForEvents", released_event},
    {"released_twice", "api", "use of an event that has been released", "clReleaseEvent", released_twice},
    {"argument_released", "api", "`put` is launched with `out`", "clEnqueueNDRangeKernel", argument_released},
    {"leaked_buffer", "api", "a memory object is never released", "clCreateBuffer", leaked_buffer},
    {"leaked_event", "api", "an event is never released", "clEnqueueFillBuffer", leaked_event},
    {"svm_freed_early", "api", "memory is freed that kernel `put` uses", "clSVMFree", svm_freed_early},
    {"svm_freed_while_waiting", "api", "which has not run yet", "clSVMFree", svm_freed_while_waiting},
    {"svm_freed_before_unmap", "api", "which has not run yet", "clSVMFree", svm_freed_before_unmap},
    {"argument_freed", "memory", "write of 4 bytes in `out`, which is freed", NULL, argument_freed},
    {"argument_freed_and_another_made", "memory", "in `out`, which is freed", NULL, argument_freed_and_another_made},
    {"filled_when_freed", "api", "4096 bytes are written in memory that has been freed", "clEnqueueSVMMemFill",
     filled_when_freed},
    {"read_to_freed", "api", "4096 bytes are written in memory that has been freed", "clEnqueueReadBuffer", read_to_freed},
    {"svm_filled_beyond", "api", "4032 bytes are written across the end", "clEnqueueSVMMemFill", svm_filled_beyond},
    {"svm_freed_twice", "api", "memory is freed that has been freed before", "clSVMFree", svm_freed_twice},
    {"svm_freed_within", "api", "by an address inside of it", "clSVMFree", svm_freed_within},
    {"mapped_when_freed", "api", "are mapped in memory that has been freed", "clEnqueueSVMMap", mapped_when_freed},
    {"copied_when_freed", "api", "are used in memory that has been freed", "clCreateBuffer", copied_when_freed},
    {"svm_freed_elsewhere", "api", "with a context that it is not of", "clSVMFree", svm_freed_elsewhere},
    {"memory_of_a_context_that_is_gone", "api", "100 SVM allocations are never freed", "clSVMAlloc",
     memory_of_a_context_that_is_gone},
    {"leaked_svm", "api", "an SVM allocation is never freed", "clSVMAlloc", leaked_svm},
    {"finish_in_callback", "api", "a call that blocks, in a callback", "clFinish", finish_in_callback},
    {"read_in_callback", "api", "a call that blocks, in a callback", "clEnqueueReadBuffer", read_in_callback},
    {"build_in_callback", "api", "a call that blocks, in a callback", "clBuildProgram", build_in_callback},
    {"wait_in_callback", "api", "a call that blocks, in a callback", "clWaitForEvents", wait_in_callback},
    {"copy_overlaps", "api", "overlap", "clEnqueueCopyBuffer", copy_overlaps},
    {"write_behind_end", "api", "4092", "clEnqueueWriteBuffer", write_behind_end},
    {"unmapped_twice", "api", "", "clEnqueueUnmapMemObject", unmapped_twice},
    {"two_threads", "api", "kernel `both` is used by two threads at once", "clSetKernelArg", two_threads},
    {"released_after_launch", NULL, NULL, NULL, released_after_launch},
    {"retained", NULL, NULL, NULL, retained},
    {"released_in_order", NULL, NULL, NULL, released_in_order},
    {"argument_set_anew", NULL, NULL, NULL, argument_set_anew},
    {"all_released", NULL, NULL, NULL, all_released},
    {"svm_filled_to_its_end", NULL, NULL, NULL, svm_filled_to_its_end},
    {"host_memory_where_much_was_freed", NULL, NULL, NULL, host_memory_where_much_was_freed},
    {"host_memory_beyond_a_buffer", NULL, NULL, NULL, host_memory_beyond_a_buffer},
    {"svm_freed_in_time", NULL, NULL, NULL, svm_freed_in_time},
    {"svm_freed_while_mapped", NULL, NULL, NULL, svm_freed_while_mapped},
    {"from_part_to_part_of_svm", NULL, NULL, NULL, from_part_to_part_of_svm},
    {"number_of_a_part_to_write", NULL, NULL, NULL, number_of_a_part_to_write},
    {"svm_freed_by_queue", NULL, NULL, NULL, svm_freed_by_queue},
    {"enqueue_in_callback", NULL, NULL, NULL, enqueue_in_callback},
    {"ask_in_callback", NULL, NULL, NULL, ask_in_callback},
    {"finish_after_callback", NULL, NULL, NULL, finish_after_callback},
    {"copy_side_by_side", NULL, NULL, NULL, copy_side_by_side},
    {"write_up_to_end", NULL, NULL, NULL, write_up_to_end},
    {"mapped_twice", NULL, NULL, NULL, mapped_twice},
    {"two_kernels", NULL, NULL, NULL, two_kernels},
    {"one_after_the_other", NULL, NULL, NULL, one_after_the_other},
};

int main(int argc, char **argv) { return RUN_PART(PARTS); }
