/* A host that touches memory which commands use, and one that nearly does. */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static int *svm_with(cl_svm_mem_flags flags) {
    int *made = clSVMAlloc(s.context, CL_MEM_READ_WRITE | flags, N, 0);
    if (!made)
        fail("no SVM");
    memset(made, 0, N);
    return made;
}

static int *svm(void) { return svm_with(0); }

/* Kernels that write and that read an SVM allocation; nothing starts before somebody flushes or waits. */
static void writes(const int *m) {
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    drop(launch(q, put, N / 4, 0, NULL));
}

static void reads(const int *m) {
    CHECK(clSetKernelArgSVMPointer(get, 0, m));
    drop(launch(q, get, N / 4, 0, NULL));
}

static void done(int *m) {
    finish_all();
    clSVMFree(s.context, m);
}

static int *map_with(cl_bool blocking, cl_map_flags flags) {
    cl_int status;
    int *at = clEnqueueMapBuffer(q, a, blocking, flags, 0, N, 0, NULL, NULL, &status);
    CHECK(status);
    return at;
}

static void unmap(int *at) { CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL)); }

/* -------- Touches -------- */

static void result_too_early(void) {
    int *m = svm();
    writes(m);
    sink = m[7];
    done(m);
}

static void overwritten_too_early(void) {
    int *m = svm();
    writes(m);
    m[7] = 2;
    done(m);
}

static void input_changed(void) {
    int *m = svm();
    reads(m);
    m[N / 4 - 1] = 2;
    done(m);
}

static void by_the_c_library(void) {
    int *m = svm();
    writes(m);
    memcpy(host, m + 1, N / 2);
    sink = host[5];
    done(m);
}

static void while_it_runs(void) {
    int *m = svm();
    for (int i = 0; i < 200; i++) {
        reads(m);
        CHECK(clFlush(q));
        m[0] = i;
    }
    done(m);
}

static void after_unmap(void) {
    int *at = map_with(CL_TRUE, CL_MAP_WRITE);
    at[0] = 1;
    unmap(at);
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFinish(q));
    drop(launch(q, put, N / 4, 0, NULL));
    sink = at[0];
}

/* Nothing of that has begun. */
static void after_unmap_and_launch(void) {
    int *m = svm();
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, m, N, 0, NULL, NULL));
    m[0] = 1;
    CHECK(clEnqueueSVMUnmap(q, m, 0, NULL, NULL));
    writes(m);
    sink = m[N / 4 - 1];
    done(m);
}

static void written_after_unmap(void) {
    int *at = map_with(CL_TRUE, CL_MAP_WRITE);
    unmap(at);
    CHECK(clFinish(q));
    drop(launch(q, get, N / 4, 0, NULL));
    at[1] = 3;
}

static void map_not_waited_for(void) {
    unmap(map_with(CL_TRUE, CL_MAP_READ));
    CHECK(clFinish(q));
    drop(launch(q, put, N / 4, 0, NULL));
    int *at = map_with(CL_FALSE, CL_MAP_READ);
    sink = at[2];
    unmap(at);
}

static void target_of_a_copy(void) {
    int *m = svm();
    CHECK(clEnqueueSVMMemcpy(q, CL_FALSE, m, host, 64, 0, NULL, NULL));
    sink = m[15];
    done(m);
}

static void target_of_a_fill(void) {
    int *m = svm();
    const int one = 1;
    CHECK(clEnqueueSVMMemFill(q, m, &one, sizeof one, N, 0, NULL, NULL));
    sink = m[0];
    done(m);
}

static void source_of_a_write(void) {
    int *m = svm();
    CHECK(clEnqueueWriteBuffer(q, a, CL_FALSE, 0, N, m, 0, NULL, NULL));
    m[3] = 4;
    done(m);
}

static void target_of_a_read(void) {
    int *m = svm();
    drop(load(q, a, 0, N, m, 0, NULL));
    sink = m[3];
    done(m);
}

static void other_event_waited_for(void) {
    int *m = svm();
    cl_event other = fill(r, b, 0, N, 0, NULL);
    CHECK(clFinish(r));
    writes(m);
    CHECK(clWaitForEvents(1, &other));
    sink = m[0];
    drop(other);
    done(m);
}

static void *touch(void *m) {
    sink = *(int *)m;
    return NULL;
}

static void by_another_thread(void) {
    int *m = svm();
    pthread_t thread;
    writes(m);
    pthread_create(&thread, NULL, touch, m);
    pthread_join(thread, NULL);
    done(m);
}

static void half_that_is_not_mapped(void) {
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 64 * N, 0);
    CHECK(clEnqueueSVMMap(r, CL_TRUE, CL_MAP_WRITE, m, 16 * N, 0, NULL, NULL));
    m[0] = 1;
    const int one = 1;
    CHECK(clEnqueueSVMMemFill(q, m + 8 * N, &one, sizeof one, 16 * N, 0, NULL, NULL));
    sink = m[8 * N];
    CHECK(clEnqueueSVMUnmap(r, m, 0, NULL, NULL));
    done(m);
}

/* -------- Near misses -------- */

static void after_finish(void) {
    int *m = svm();
    writes(m);
    CHECK(clFinish(q));
    sink = m[0];
    m[1] = 1;
    done(m);
}

static void after_the_event(void) {
    int *m = svm();
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    cl_event event = launch(q, put, N / 4, 0, NULL);
    CHECK(clWaitForEvents(1, &event));
    m[0] += 1;
    drop(event);
    done(m);
}

static void after_polling(void) {
    int *m = svm();
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    cl_event event = launch(q, put, N / 4, 0, NULL);
    cl_int status = CL_QUEUED;
    CHECK(clFlush(q));
    while (status != CL_COMPLETE)
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    m[0] += 1;
    drop(event);
    done(m);
}

static volatile int called;
static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)status;
    *(int *)data += 1;
    __atomic_store_n(&called, 1, __ATOMIC_RELEASE);
}

static void in_a_callback(void) {
    int *m = svm();
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    cl_event event = launch(q, put, N / 4, 0, NULL);
    CHECK(clSetEventCallback(event, CL_COMPLETE, note, m));
    CHECK(clFlush(q));
    while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE)) {
    }
    sink = m[0];
    drop(event);
    done(m);
}

static void input_is_read(void) {
    int *m = svm();
    reads(m);
    sink = m[0];
    CHECK(clFlush(q));
    sink = m[1];
    done(m);
}

static void while_mapped(void) {
    int *m = svm();
    writes(m);
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, m, N, 0, NULL, NULL));
    m[0] += m[1];
    CHECK(clEnqueueSVMUnmap(q, m, 0, NULL, NULL));
    writes(m);
    done(m);
}

static void mapped_and_waited_for(void) {
    cl_int status;
    cl_event event;
    drop(launch(q, put, N / 4, 0, NULL));
    int *at = clEnqueueMapBuffer(q, a, CL_FALSE, CL_MAP_READ, 0, N, 0, NULL, &event, &status);
    CHECK(status);
    CHECK(clWaitForEvents(1, &event));
    sink = at[0];
    unmap(at);
    drop(event);
    drop(launch(q, put, N / 4, 0, NULL));
}

static void mapped_for_both_to_read(void) {
    int *at = map_with(CL_TRUE, CL_MAP_READ);
    drop(launch(q, get, N / 4, 0, NULL));
    sink = at[0];
    CHECK(clFlush(q));
    sink = at[1];
    unmap(at);
}

/* The kernel, and what is behind it, wait for the host. */
static void in_front_of_a_gate(void) {
    int *m = svm();
    cl_int status;
    cl_event gate = clCreateUserEvent(s.context, &status);
    CHECK(status);
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    drop(launch(q, put, N / 4, 1, &gate));
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFlush(q));
    m[0] = 1;
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    drop(gate);
    done(m);
}

static void CL_CALLBACK native(void *data) { **(int **)data += 1; }

static void in_a_native_kernel(void) {
    int *m = svm();
    writes(m);
    CHECK(clEnqueueNativeKernel(q, native, &m, sizeof m, 0, NULL, NULL, 0, NULL, NULL));
    writes(m);
    done(m);
}

static volatile int begun, go_on;
static void CL_CALLBACK waits_for_the_host(void *data) {
    (void)data;
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
        usleep(100);
}

/* What is behind it waits for the host as well, though it has begun. */
static void behind_a_native_kernel(void) {
    int *m = svm();
    CHECK(clEnqueueNativeKernel(q, waits_for_the_host, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    CHECK(clFlush(q));
    while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
        usleep(100);
    writes(m);
    m[0] = 1;
    __atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
    done(m);
}

/* Of two gates the one is open: what waits for all of the queue waits for the other. */
static void behind_a_barrier(void) {
    int *m = svm();
    cl_int status;
    cl_event gates[2] = {clCreateUserEvent(s.context, &status), clCreateUserEvent(s.context, &status)};
    drop(fill(o, a, 0, 16, 1, &gates[0]));
    cl_event second = fill(o, b, 0, 16, 1, &gates[1]);
    CHECK(clSetUserEventStatus(gates[1], CL_COMPLETE));
    CHECK(clWaitForEvents(1, &second));
    CHECK(clEnqueueBarrierWithWaitList(o, 0, NULL, NULL));
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    drop(launch(o, put, N / 4, 0, NULL));
    m[0] = 1;
    CHECK(clSetUserEventStatus(gates[0], CL_COMPLETE));
    drop(gates[0]), drop(gates[1]), drop(second);
    done(m);
}

/* The writer is done, and was waited for; another command reads the same. */
static void read_after_the_writer(void) {
    int *m = svm();
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    cl_event event = launch(q, put, N / 4, 0, NULL);
    reads(m);
    CHECK(clWaitForEvents(1, &event));
    sink = m[0];
    drop(event);
    done(m);
}

/* Memory that a kernel has but not as an argument, in front of one that has it as such, with all signals blocked. */
static void by_another_pointer(void) {
    const char *source = "typedef struct { global int *p; } box;\n"
                         "kernel void through(global const box *b) { b->p[get_global_id(0)] += 1; }\n";
    int *m = svm();
    void *pointers[] = {m};
    sigset_t all;
    cl_program other = build_program(&s, source, "");
    cl_int status;
    cl_kernel through = clCreateKernel(other, "through", &status);
    CHECK(status);
    int **box = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    *box = m;
    CHECK(clSetKernelArgSVMPointer(through, 0, box));
    CHECK(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
    sigfillset(&all);
    for (int blocked = 0; blocked < 2; blocked++) {
        drop(launch(q, through, N / 4, 0, NULL));
        writes(m);
        CHECK(clFinish(q));
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    CHECK(clReleaseKernel(through));
    CHECK(clReleaseProgram(other));
    clSVMFree(s.context, box);
    done(m);
}

static void fine_grained(void) {
    int *m = svm_with(CL_MEM_SVM_FINE_GRAIN_BUFFER);
    writes(m);
    m[7] = 1;
    CHECK(clFlush(q));
    sink = m[8];
    done(m);
}

static void other_allocation(void) {
    int *m = svm(), *other = svm();
    writes(m);
    other[0] = 1;
    CHECK(clFlush(q));
    sink = other[N / 4 - 1];
    finish_all();
    clSVMFree(s.context, other);
    done(m);
}

static void other_half_is_mapped(void) {
    int *m = clSVMAlloc(s.context, CL_MEM_READ_WRITE, 8 * N, 0);
    CHECK(clEnqueueSVMMap(r, CL_TRUE, CL_MAP_WRITE, m, N, 0, NULL, NULL));
    const int one = 1;
    CHECK(clEnqueueSVMMemFill(q, m + N, &one, sizeof one, N, 0, NULL, NULL));
    m[0] = 1;
    CHECK(clFlush(q));
    m[N / 4 - 1] = 1;
    CHECK(clEnqueueSVMUnmap(r, m, 0, NULL, NULL));
    done(m);
}

static void memory_of_another_use(void) {
    int *m = svm();
    writes(m);
    CHECK(clFinish(q));
    clSVMFree(s.context, m);
    m = svm();
    m[0] = 1;
    done(m);
}

static void in_a_child(void) {
    int *m = svm();
    int status;
    writes(m);
    const pid_t child = fork();
    if (child == 0) {
        m[0] = 1;
        sink = m[1];
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("the child ended with %d", status);
    done(m);
}

static const Part PARTS[] = {
    {"result_too_early", "race", "the host reads memory that kernel `put` may write", "host", result_too_early},
    {"overwritten_too_early", "race", "the host writes memory that kernel `put`", "host", overwritten_too_early},
    {"input_changed", "race", "the host writes memory that kernel `get` reads", "host", input_changed},
    {"by_the_c_library", "race", "the host reads memory that kernel `put`", "host", by_the_c_library},
    {"while_it_runs", "race", "the host writes memory that kernel `get`", "host", while_it_runs},
    {"after_unmap", "race", "the host reads memory that kernel `put`", "host", after_unmap},
    {"after_unmap_and_launch", "race", "the host reads memory that kernel `put`", "host", after_unmap_and_launch},
    {"written_after_unmap", "race", "the host writes memory that kernel `get`", "host", written_after_unmap},
    {"map_not_waited_for", "race", "the host reads memory that kernel `put`", "host", map_not_waited_for},
    {"target_of_a_copy", "race", "that a command of clEnqueueSVMMemcpy writes", "host", target_of_a_copy},
    {"target_of_a_fill", "race", "that a command of clEnqueueSVMMemFill writes", "host", target_of_a_fill},
    {"source_of_a_write", "race", "that a command of clEnqueueWriteBuffer reads", "host", source_of_a_write},
    {"target_of_a_read", "race", "that a command of clEnqueueReadBuffer writes", "host", target_of_a_read},
    {"other_event_waited_for", "race", "the host reads memory that kernel `put`", "host", other_event_waited_for},
    {"by_another_thread", "race", "the host reads memory that kernel `put`", "host", by_another_thread},
    {"half_that_is_not_mapped", "race", "that a command of clEnqueueSVMMemFill", "host", half_that_is_not_mapped},
    {"after_finish", NULL, NULL, NULL, after_finish},
    {"after_the_event", NULL, NULL, NULL, after_the_event},
    {"after_polling", NULL, NULL, NULL, after_polling},
    {"in_a_callback", NULL, NULL, NULL, in_a_callback},
    {"input_is_read", NULL, NULL, NULL, input_is_read},
    {"while_mapped", NULL, NULL, NULL, while_mapped},
    {"mapped_and_waited_for", NULL, NULL, NULL, mapped_and_waited_for},
    {"mapped_for_both_to_read", NULL, NULL, NULL, mapped_for_both_to_read},
    {"in_front_of_a_gate", NULL, NULL, NULL, in_front_of_a_gate},
    {"in_a_native_kernel", NULL, NULL, NULL, in_a_native_kernel},
    {"behind_a_native_kernel", NULL, NULL, NULL, behind_a_native_kernel},
    {"behind_a_barrier", NULL, NULL, NULL, behind_a_barrier},
    {"read_after_the_writer", NULL, NULL, NULL, read_after_the_writer},
    {"by_another_pointer", NULL, NULL, NULL, by_another_pointer},
    {"fine_grained", NULL, NULL, NULL, fine_grained},
    {"other_allocation", NULL, NULL, NULL, other_allocation},
    {"other_half_is_mapped", NULL, NULL, NULL, other_half_is_mapped},
    {"memory_of_another_use", NULL, NULL, NULL, memory_of_another_use},
    {"in_a_child", NULL, NULL, NULL, in_a_child},
};

int main(int argc, char **argv) { return RUN_PART(PARTS); }
