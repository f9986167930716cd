/* Commands that race, and commands that nearly do. */
#include "check.h"
#include <unistd.h>

static char more[N];

static cl_mem part_of(cl_mem whole, size_t origin, size_t size) {
    cl_int status;
    const size_t region[2] = {origin, size};
    cl_mem made = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, region, &status);
    CHECK(status);
    return made;
}

/* -------- Races -------- */

static void two_writes(void) {
    drop(fill(q, a, 0, N, 0, NULL));
    drop(fill(r, a, N - 4, 4, 0, NULL));
}

static void write_and_read(void) {
    drop(fill(q, a, 16, 16, 0, NULL));
    drop(load(r, a, 0, 20, host, 0, NULL));
}

static void out_of_order(void) {
    drop(fill(o, a, 0, N, 0, NULL));
    CHECK(clEnqueueCopyBuffer(o, a, b, 0, 0, N, 0, NULL, NULL));
}

static void kernel_then_read(void) {
    drop(launch(q, put, N / 4, 0, NULL));
    drop(load(r, a, 0, N, host, 0, NULL));
}

static void kernel_reads_what_is_written(void) {
    drop(launch(q, get, N / 4, 0, NULL));
    CHECK(clEnqueueWriteBuffer(r, a, CL_FALSE, 0, N, host, 0, NULL, NULL));
}

/* The kernel's first or last work-item touches it for sure. */
static void part_is_read_beside_kernel(void) {
    drop(launch(q, put, N / 4, 0, NULL));
    drop(load(r, a, 0, N - 4, host, 0, NULL));
}

static void part_is_written_beside_kernel(void) {
    drop(launch(q, get, N / 4, 0, NULL));
    CHECK(clEnqueueWriteBuffer(r, a, CL_FALSE, N - 4, 4, host, 0, NULL, NULL));
}

static void sub_buffer(void) {
    cl_mem part = part_of(a, 1024, 1024);
    drop(fill(q, part, 1020, 4, 0, NULL));
    drop(load(r, a, 2044, 8, host, 0, NULL));
    CHECK(clReleaseMemObject(part));
}

static void reads_into_one_place(void) {
    drop(load(q, a, 0, 64, host, 0, NULL));
    drop(load(r, b, 0, 64, host + 60, 0, NULL));
}

static void writes_from_what_is_read_into(void) {
    drop(load(q, a, 0, 64, host, 0, NULL));
    CHECK(clEnqueueWriteBuffer(r, b, CL_FALSE, 0, 64, host, 0, NULL, NULL));
}

static void wrong_event(void) {
    cl_event first = fill(q, a, 0, 64, 0, NULL), second = fill(q, a, 64, 64, 0, NULL);
    drop(load(r, a, 0, 128, host, 1, &first));
    drop(first), drop(second);
}

static void barrier_elsewhere(void) {
    drop(fill(q, a, 0, 64, 0, NULL));
    CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    drop(load(o, a, 0, 64, host, 0, NULL));
}

static void rows(cl_command_queue on, size_t x, const char *from) {
    const size_t to[3] = {x, 0, 0}, zero[3] = {0, 0, 0}, region[3] = {16, 4, 1};
    CHECK(clEnqueueWriteBufferRect(on, a, CL_FALSE, to, zero, region, 64, 0, 16, 0, from, 0, NULL, NULL));
}

static void rows_that_overlap(void) {
    rows(q, 0, host);
    rows(r, 15, more);
}

static cl_mem image(void) {
    cl_int status;
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_mem made = clCreateImage(s.context, CL_MEM_READ_WRITE, &format, &shape, NULL, &status);
    CHECK(status);
    return made;
}

static void images(size_t first_rows, size_t from_row) {
    cl_mem mem = image();
    const float colour[4] = {1};
    const size_t origin[3] = {0, 0, 0}, low[3] = {16, first_rows, 1};
    const size_t there[3] = {0, from_row, 0}, high[3] = {16, 16 - from_row, 1};
    CHECK(clEnqueueFillImage(q, mem, colour, origin, low, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(r, mem, CL_FALSE, there, high, 0, 0, host, 0, NULL, NULL));
    finish_all();
    CHECK(clReleaseMemObject(mem));
}

static void image_rows(void) { images(9, 8); }

/* Maps `size` bytes and lets a kernel of the same queue use the buffer before it is unmapped. */
static void mapped_for(cl_map_flags flags, cl_kernel user) {
    cl_int status;
    void *at = clEnqueueMapBuffer(q, a, CL_TRUE, flags, 0, N, 0, NULL, NULL, &status);
    CHECK(status);
    drop(launch(q, user, N / 4, 0, NULL));
    CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL));
}

static void kernel_uses_mapped(void) { mapped_for(CL_MAP_WRITE, get); }
static void kernel_writes_mapped(void) { mapped_for(CL_MAP_READ, put); }

static void part_is_mapped(cl_kernel user, size_t items) {
    cl_int status;
    void *at = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, N / 2, N / 2, 0, NULL, NULL, &status);
    CHECK(status);
    drop(launch(q, user, items, 0, NULL));
    CHECK(clFinish(q));
    CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL));
}
static void kernel_writes_mapped_part(void) { part_is_mapped(put, N / 4); }

static void map_beside_kernel(void) {
    cl_int status;
    drop(launch(q, put, N / 4, 0, NULL));
    /* It runs, but nobody has waited for it. */
    CHECK(clFlush(q));
    usleep(50000);
    void *at = clEnqueueMapBuffer(r, a, CL_TRUE, CL_MAP_READ, 0, N, 0, NULL, NULL, &status);
    CHECK(status);
    CHECK(clEnqueueUnmapMemObject(r, a, at, 0, NULL, NULL));
}

static void unmap_beside_read(void) {
    cl_int status;
    char *at = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, N, 0, NULL, NULL, &status);
    CHECK(status);
    at[0] = 1;
    CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL));
    CHECK(clFlush(q));
    drop(load(r, a, 0, 8, host, 0, NULL));
}

static void *svm(void) {
    void *made = clSVMAlloc(s.context, CL_MEM_READ_WRITE, N, 0);
    if (!made)
        fail("no SVM");
    return made;
}

static void svm_copies(int waits) {
    char *m = svm();
    cl_event first;
    CHECK(clEnqueueSVMMemcpy(q, CL_FALSE, m, host, 64, 0, NULL, &first));
    CHECK(clEnqueueSVMMemcpy(r, CL_FALSE, more, m, 64, waits, waits ? &first : NULL, NULL));
    drop(first);
    finish_all();
    clSVMFree(s.context, m);
}

static void svm_copies_at_once(void) { svm_copies(0); }

static void svm_is_mapped(int late) {
    char *m = svm();
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, m, N, 0, NULL, NULL));
    m[0] = 1;
    if (!late)
        CHECK(clEnqueueSVMUnmap(q, m, 0, NULL, NULL));
    CHECK(clSetKernelArgSVMPointer(put, 0, m));
    drop(launch(q, put, N / 4, 0, NULL));
    if (late)
        CHECK(clEnqueueSVMUnmap(q, m, 0, NULL, NULL));
    finish_all();
    clSVMFree(s.context, m);
}

static void svm_mapped_too_long(void) { svm_is_mapped(1); }

/* Kernels of two queues, the first of which has long ended: nobody has waited for it. */
static void one_after_the_other(cl_kernel first, cl_kernel second) {
    drop(launch(q, first, N / 4, 0, NULL));
    CHECK(clFlush(q));
    usleep(50000);
    drop(launch(r, second, N / 4, 0, NULL));
}

static void kernel_reads_what_one_writes(void) { one_after_the_other(put, get); }
static void kernel_writes_what_one_reads(void) { one_after_the_other(get, put); }
static void kernel_writes_what_one_writes(void) { one_after_the_other(put, both); }

static void kernels_out_of_order(void) {
    drop(launch(o, put, N / 4, 0, NULL));
    drop(launch(o, get, N / 4, 0, NULL));
}

/* They share one element. */
static void kernels_on_more_than_halves(void) {
    const int from = N / 8 - 1;
    cl_int status;
    cl_kernel other = clCloneKernel(both, &status);
    CHECK(status);
    CHECK(clSetKernelArg(other, 1, sizeof from, &from));
    drop(launch(q, both, N / 8, 0, NULL));
    CHECK(clFlush(q));
    usleep(50000);
    drop(launch(r, other, N / 8, 0, NULL));
    finish_all();
    CHECK(clReleaseKernel(other));
}

/* -------- Near misses -------- */

static void with_event(void) {
    cl_event first = fill(q, a, 0, N, 0, NULL);
    drop(load(r, a, 0, N, host, 1, &first));
    drop(first);
}

static void with_finish(void) {
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFinish(q));
    drop(load(r, a, 0, N, host, 0, NULL));
}

static void in_order(void) {
    drop(launch(q, put, N / 4, 0, NULL));
    drop(launch(q, get, N / 4, 0, NULL));
    drop(load(q, a, 0, N, host, 0, NULL));
    drop(fill(q, a, 0, N, 0, NULL));
}

static void apart(void) {
    drop(fill(q, a, 0, 64, 0, NULL));
    drop(fill(r, a, 64, 64, 0, NULL));
}

static void both_read(void) {
    drop(load(q, a, 0, N, host, 0, NULL));
    drop(load(r, a, 0, N, more, 0, NULL));
    drop(launch(o, get, N / 4, 0, NULL));
}

static void with_barrier(void) {
    drop(fill(o, a, 0, N, 0, NULL));
    CHECK(clEnqueueBarrierWithWaitList(o, 0, NULL, NULL));
    drop(load(o, a, 0, N, host, 0, NULL));
}

static void with_marker(void) {
    cl_event marker;
    drop(fill(o, a, 0, N, 0, NULL));
    CHECK(clEnqueueMarkerWithWaitList(o, 0, NULL, &marker));
    drop(load(r, a, 0, N, host, 1, &marker));
    drop(marker);
}

static void along_a_chain(void) {
    cl_event first = fill(q, a, 0, N, 0, NULL), second = fill(r, b, 0, N, 1, &first);
    drop(load(o, a, 0, N, host, 1, &second));
    drop(first), drop(second);
}

/* The event is set once the host has seen the first command end. */
static void with_user_event(void) {
    cl_int status;
    cl_event gate = clCreateUserEvent(s.context, &status);
    CHECK(status);
    drop(load(r, a, 0, N, host, 1, &gate));
    drop(fill(q, a, 0, N, 0, NULL));
    CHECK(clFinish(q));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    drop(gate);
}

static volatile int called;
static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)status, (void)data;
    __atomic_store_n(&called, 1, __ATOMIC_RELEASE);
}

static void with_callback(void) {
    cl_event first = fill(q, a, 0, N, 0, NULL);
    CHECK(clSetEventCallback(first, CL_COMPLETE, note, NULL));
    CHECK(clFlush(q));
    while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE)) {
    }
    drop(load(r, a, 0, N, host, 0, NULL));
    drop(first);
}

static void with_polling(void) {
    cl_event first = launch(q, put, N / 4, 0, NULL);
    cl_int status = CL_RUNNING;
    while (status != CL_COMPLETE)
        CHECK(clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    drop(load(r, a, 0, N, host, 0, NULL));
    drop(first);
}

static void kernels_on_halves(void) {
    const int half = N / 8;
    cl_int status;
    cl_kernel other = clCloneKernel(both, &status);
    CHECK(status);
    CHECK(clSetKernelArg(other, 1, sizeof half, &half));
    drop(launch(q, both, N / 8, 0, NULL));
    drop(launch(r, other, N / 8, 0, NULL));
    finish_all();
    CHECK(clReleaseKernel(other));
}

static void kernels_that_read(void) { one_after_the_other(get, get); }

static void kernels_with_event(void) {
    cl_event first = launch(q, put, N / 4, 0, NULL);
    drop(launch(r, get, N / 4, 1, &first));
    drop(first);
}

static void kernels_with_finish(void) {
    drop(launch(q, put, N / 4, 0, NULL));
    CHECK(clFinish(q));
    drop(launch(r, get, N / 4, 0, NULL));
}

static void kernels_with_barrier(void) {
    drop(launch(o, put, N / 4, 0, NULL));
    CHECK(clEnqueueBarrierWithWaitList(o, 0, NULL, NULL));
    drop(launch(o, get, N / 4, 0, NULL));
}

/* What is released once its kernel has ended becomes another buffer, of which nothing is known. */
static void kernels_on_memory_anew(void) {
    for (int i = 0; i < 200; i++) {
        cl_command_queue on = i % 2 ? q : r;
        cl_mem one = buffer(256);
        CHECK(clSetKernelArg(put, 0, sizeof one, &one));
        drop(launch(on, put, 64, 0, NULL));
        CHECK(clReleaseMemObject(one));
        CHECK(clFlush(on));
        CHECK(clSetKernelArg(put, 0, sizeof a, &a));
        usleep(1000);
    }
}

static void kernel_beside_mapped_part(void) { part_is_mapped(put, N / 8); }

static void half_is_read(void) {
    drop(launch(q, both, N / 8, 0, NULL));
    drop(load(r, a, N / 2, N / 2, host, 0, NULL));
}

static void sub_buffers_apart(void) {
    cl_mem low = part_of(a, 0, 1024), high = part_of(a, 1024, 1024);
    CHECK(clSetKernelArg(put, 0, sizeof low, &low));
    drop(launch(q, put, 256, 0, NULL));
    drop(load(r, high, 0, 1024, host, 0, NULL));
    finish_all();
    CHECK(clReleaseMemObject(low));
    CHECK(clReleaseMemObject(high));
}

static void rows_side_by_side(void) {
    rows(q, 0, host);
    rows(r, 16, more);
}

static void image_rows_apart(void) { images(8, 8); }
static void kernel_reads_mapped(void) { mapped_for(CL_MAP_READ, get); }

static void mapped_and_unmapped(void) {
    cl_int status;
    for (int i = 0; i < 3; i++) {
        char *at = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, 0, N, 0, NULL, NULL, &status);
        CHECK(status);
        at[i] = 1;
        CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL));
        drop(launch(q, put, N / 4, 0, NULL));
    }
}

static void half_is_mapped(void) {
    cl_int status;
    void *at = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_WRITE, N / 2, N / 2, 0, NULL, NULL, &status);
    CHECK(status);
    drop(fill(q, a, 0, N / 2, 0, NULL));
    CHECK(clEnqueueUnmapMemObject(q, a, at, 0, NULL, NULL));
}

static void svm_copies_in_turn(void) { svm_copies(1); }
static void svm_unmapped_first(void) { svm_is_mapped(0); }

/* Memory that was another buffer's has no history. */
static void memory_anew(void) {
    for (int i = 0; i < 20; i++) {
        cl_mem one = buffer(1 << 20);
        drop(fill(i % 2 ? q : r, one, 0, 1 << 20, 0, NULL));
        CHECK(clReleaseMemObject(one));
    }
}

static const Part PARTS[] = {
    {"two_writes", "race", "nothing orders it", "clEnqueueFillBuffer", two_writes},
    {"write_and_read", "race", "reads 20 bytes", "clEnqueueReadBuffer", write_and_read},
    {"out_of_order", "race", "nothing orders it", "clEnqueueCopyBuffer", out_of_order},
    {"kernel_then_read", "race", "reads 4096 bytes", "clEnqueueReadBuffer", kernel_then_read},
    {"kernel_reads_what_is_written", "race", "writes 4096", "clEnqueueWriteBuffer", kernel_reads_what_is_written},
    {"part_is_read_beside_kernel", "race", "reads 4092 bytes", "clEnqueueReadBuffer", part_is_read_beside_kernel},
    {"part_is_written_beside_kernel", "race", "writes 4 bytes", "clEnqueueWriteBuffer", part_is_written_beside_kernel},
    {"kernel_writes_mapped_part", "race", "writes `out`, which is mapped for reading", "clEnqueueNDRangeKernel",
     kernel_writes_mapped_part},
    {"sub_buffer", "race", "reads 8 bytes", "clEnqueueReadBuffer", sub_buffer},
    {"reads_into_one_place", "race", "writes 64 bytes", "clEnqueueReadBuffer", reads_into_one_place},
    {"writes_from_what_is_read_into", "race", "reads 64", "clEnqueueWriteBuffer", writes_from_what_is_read_into},
    {"wrong_event", "race", "reads 128 bytes", "clEnqueueReadBuffer", wrong_event},
    {"barrier_elsewhere", "race", "reads 64 bytes", "clEnqueueReadBuffer", barrier_elsewhere},
    {"rows_that_overlap", "race", "writes 16 bytes", "clEnqueueWriteBufferRect", rows_that_overlap},
    {"image_rows", "race", "reads", "clEnqueueReadImage", image_rows},
    {"kernel_uses_mapped", "race", "reads `in`, which is mapped for writing", "clEnqueueNDRangeKernel",
     kernel_uses_mapped},
    {"kernel_writes_mapped", "race", "writes `out`, which is mapped for reading", "clEnqueueNDRangeKernel",
     kernel_writes_mapped},
    {"map_beside_kernel", "race", "reads 4096 bytes", "clEnqueueMapBuffer", map_beside_kernel},
    {"unmap_beside_read", "race", "reads 8 bytes", "clEnqueueReadBuffer", unmap_beside_read},
    {"svm_copies_at_once", "race", "reads 64 bytes", "clEnqueueSVMMemcpy", svm_copies_at_once},
    {"svm_mapped_too_long", "race", "writes `out`, which is mapped for writing", "clEnqueueNDRangeKernel",
     svm_mapped_too_long},
    {"kernel_reads_what_one_writes", "race", "read of 4 bytes races with a write by another command", NULL,
     kernel_reads_what_one_writes},
    {"kernel_writes_what_one_reads", "race", "write of 4 bytes races with a read by another command", NULL,
     kernel_writes_what_one_reads},
    {"kernel_writes_what_one_writes", "race", "by another command", NULL, kernel_writes_what_one_writes},
    {"kernels_out_of_order", "race", "by another command", NULL, kernels_out_of_order},
    {"kernels_on_more_than_halves", "race", "by another command", NULL, kernels_on_more_than_halves},
    {"with_event", NULL, NULL, NULL, with_event},
    {"with_finish", NULL, NULL, NULL, with_finish},
    {"in_order", NULL, NULL, NULL, in_order},
    {"apart", NULL, NULL, NULL, apart},
    {"both_read", NULL, NULL, NULL, both_read},
    {"with_barrier", NULL, NULL, NULL, with_barrier},
    {"with_marker", NULL, NULL, NULL, with_marker},
    {"along_a_chain", NULL, NULL, NULL, along_a_chain},
    {"with_user_event", NULL, NULL, NULL, with_user_event},
    {"with_callback", NULL, NULL, NULL, with_callback},
    {"with_polling", NULL, NULL, NULL, with_polling},
    {"kernels_on_halves", NULL, NULL, NULL, kernels_on_halves},
    {"kernels_that_read", NULL, NULL, NULL, kernels_that_read},
    {"kernels_with_event", NULL, NULL, NULL, kernels_with_event},
    {"kernels_with_finish", NULL, NULL, NULL, kernels_with_finish},
    {"kernels_with_barrier", NULL, NULL, NULL, kernels_with_barrier},
    {"kernels_on_memory_anew", NULL, NULL, NULL, kernels_on_memory_anew},
    {"kernel_beside_mapped_part", NULL, NULL, NULL, kernel_beside_mapped_part},
    {"half_is_read", NULL, NULL, NULL, half_is_read},
    {"sub_buffers_apart", NULL, NULL, NULL, sub_buffers_apart},
    {"rows_side_by_side", NULL, NULL, NULL, rows_side_by_side},
    {"image_rows_apart", NULL, NULL, NULL, image_rows_apart},
    {"kernel_reads_mapped", NULL, NULL, NULL, kernel_reads_mapped},
    {"mapped_and_unmapped", NULL, NULL, NULL, mapped_and_unmapped},
    {"half_is_mapped", NULL, NULL, NULL, half_is_mapped},
    {"svm_copies_in_turn", NULL, NULL, NULL, svm_copies_in_turn},
    {"svm_unmapped_first", NULL, NULL, NULL, svm_unmapped_first},
    {"memory_anew", NULL, NULL, NULL, memory_anew},
};

int main(int argc, char **argv) { return RUN_PART(PARTS); }
