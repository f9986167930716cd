/* Launches kernels with arguments of every kind, for tests of recordings: buffers and parts of them, values, local
 * memory, images, samplers, lists in shared virtual memory, programs of several parts. Each launch uses what those
 * before it have left. `kill` ends the program by a signal; `wild` launches with memory that OpenCL does not know. */
#include "common.h"
#include <signal.h>

typedef struct {
    cl_int add;
    cl_float factor;
} Pair;

static const char *HEADER = "typedef struct { int add; float factor; } Pair;\n"
                            "struct node { global struct node *next; int value; };\n"
                            "int twice(int x);\n";

static const char *FIRST =
    "#include \"parts/types.h\"\n"
    "kernel void scale(global const float *in, global float *out, Pair p, local float *tmp) {\n"
    "    size_t i = get_global_id(0), l = get_local_id(0);\n"
    "    tmp[l] = in[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = tmp[get_local_size(0) - 1 - l] * p.factor + p.add;\n"
    "}\n"
    "kernel void walk(global struct node *node, global int *sum, global int *none) {\n"
    "    int total = none ? 1000 : 0;\n"
    "    for (; node; node = node->next) { total += node->value; node->value = twice(node->value); }\n"
    "    *sum = total;\n"
    "}\n"
    "kernel void count(global int *out) {\n"
    "    size_t at = get_global_id(0) + 3 * (get_global_id(1) + 4 * get_global_id(2));\n"
    "    out[at % 40] += (int)at;\n"
    "}\n";

static const char *SECOND = "int twice(int x) { return 2 * x + OFFSET; }\n";

static const char *IMAGES =
    "kernel void filter(read_only image2d_t in, write_only image2d_array_t out, sampler_t s) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float4 texel = read_imagef(in, s, (float2)(at.x + 0.25f, at.y + 0.75f));\n"
    "    for (int layer = 0; layer < 2; layer++) write_imagef(out, (int4)(at, layer, 0), texel * (layer + 0.5f));\n"
    "}\n"
    "kernel void add(read_only image1d_buffer_t in, global float *out) {\n"
    "    int i = get_global_id(0);\n"
    "    out[i] += read_imagef(in, i).x;\n"
    "}\n";

static cl_program part(const Setup *s, const char *source) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &status);
    CHECK(status);
    return program;
}

static cl_program linked(const Setup *s) {
    cl_program header = part(s, HEADER), parts[] = {part(s, FIRST), part(s, SECOND)};
    const char *name = "parts/types.h";
    cl_int status;
    CHECK(clCompileProgram(parts[0], 1, &s->device, "-cl-std=CL3.0", 1, &header, &name, NULL, NULL));
    CHECK(clCompileProgram(parts[1], 1, &s->device, "-DOFFSET=1", 0, NULL, NULL, NULL, NULL));
    cl_program program = clLinkProgram(s->context, 1, &s->device, "", 2, parts, NULL, NULL, &status);
    CHECK(status);
    CHECK(clReleaseProgram(header));
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
    return program;
}

/* One half of a buffer into the other, and back over all of it. */
static void scale(const Setup *s, cl_program program, float *values, size_t n) {
    cl_int status;
    cl_kernel kernel = get_kernel(program, "scale");
    cl_mem all = new_buffer(s, CL_MEM_COPY_HOST_PTR, n * sizeof *values, values);
    /* The program's own memory, on no particular boundary. */
    cl_mem own = new_buffer(s, CL_MEM_USE_HOST_PTR, (n / 2) * sizeof *values, values + 1);
    cl_mem half[2];
    for (size_t i = 0; i < 2; i++) {
        cl_buffer_region region = {i * n / 2 * sizeof *values, n / 2 * sizeof *values};
        half[i] = clCreateSubBuffer(all, i ? 0 : CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
        CHECK(status);
    }
    Pair pair = {3, 1.5f};
    size_t global = n / 2, local = 64;
    CHECK(clSetKernelArg(kernel, 3, local * sizeof *values, NULL));
    for (int i = 0; i < 6; i++) {
        cl_mem from = i % 2 ? half[1] : half[0], to = i == 5 ? own : i % 2 ? all : half[1];
        SET_ARG(kernel, 0, from);
        SET_ARG(kernel, 1, to);
        SET_ARG(kernel, 2, pair);
        pair.add++;
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }
    CHECK(clFinish(s->queue));
    CHECK(clReleaseMemObject(half[0]));
    CHECK(clReleaseMemObject(half[1]));
    CHECK(clReleaseMemObject(own));
    CHECK(clReleaseMemObject(all));
    CHECK(clReleaseKernel(kernel));
}

typedef struct Node {
    struct Node *next;
    cl_int value;
} Node;

static int walk(const Setup *s, cl_program program, int is_wild) {
    cl_kernel kernel = get_kernel(program, "walk");
    Node *nodes[4];
    for (int i = 0; i < 4; i++) {
        nodes[i] = clSVMAlloc(s->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(Node), 0);
        nodes[i]->value = 5 + i;
        nodes[i]->next = i ? nodes[i - 1] : NULL;
    }
    cl_int *sum = clSVMAlloc(s->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof *sum, 0);
    cl_int wild;
    CHECK(clSetKernelArgSVMPointer(kernel, 0, nodes[3]));
    CHECK(clSetKernelArgSVMPointer(kernel, 1, is_wild ? &wild : sum));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), NULL));
    size_t one = 1;
    for (int i = 0; i < 2; i++) {
        CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clFinish(s->queue));
    }
    int total = is_wild ? wild : *sum;
    for (int i = 0; i < 4; i++) clSVMFree(s->context, nodes[i]);
    clSVMFree(s->context, sum);
    CHECK(clReleaseKernel(kernel));
    return total;
}

static void count(const Setup *s, cl_program program) {
    cl_kernel kernel = get_kernel(program, "count");
    cl_mem out = new_buffer(s, 0, 40 * sizeof(cl_int), NULL);
    cl_int zero = 0;
    CHECK(clEnqueueFillBuffer(s->queue, out, &zero, sizeof zero, 0, 40 * sizeof zero, 0, NULL, NULL));
    SET_ARG(kernel, 0, out);
    const size_t offset[3] = {2, 0, 1}, global[3] = {3, 4, 2}, local[3] = {3, 2, 1};
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 3, offset, global, local, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
}

static void images(const Setup *s, float *values) {
    cl_int status;
    cl_program program = build_program(s, IMAGES, "");
    cl_kernel filter = get_kernel(program, "filter"), add = get_kernel(program, "add");
    cl_image_format floats = {CL_RGBA, CL_FLOAT}, bytes = {CL_RGBA, CL_UNORM_INT8}, single = {CL_R, CL_FLOAT};
    cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 15, .image_height = 7};
    /* Rows with gaps between them. */
    plane.image_row_pitch = 16 * 16;
    cl_mem in = clCreateImage(s->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, &floats, &plane, values, &status);
    CHECK(status);
    cl_image_desc layers = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 15, .image_height = 7};
    layers.image_array_size = 2;
    cl_mem out = clCreateImage(s->context, CL_MEM_WRITE_ONLY, &bytes, &layers, NULL, &status);
    CHECK(status);
    cl_sampler sampler = clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &status);
    CHECK(status);
    SET_ARG(filter, 0, in);
    SET_ARG(filter, 1, out);
    SET_ARG(filter, 2, sampler);
    const size_t global[2] = {15, 7};
    CHECK(clEnqueueNDRangeKernel(s->queue, filter, 2, NULL, global, NULL, 0, NULL, NULL));
    /* An image in a buffer that is an argument too. */
    cl_mem buffer = new_buffer(s, CL_MEM_COPY_HOST_PTR, 200 * sizeof *values, values);
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 100, .buffer = buffer};
    cl_mem texels = clCreateImage(s->context, CL_MEM_READ_ONLY, &single, &line, NULL, &status);
    CHECK(status);
    cl_buffer_region region = {512, 72 * sizeof *values};
    cl_mem rest = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    SET_ARG(add, 0, texels);
    SET_ARG(add, 1, rest);
    const size_t n = 72;
    CHECK(clEnqueueNDRangeKernel(s->queue, add, 1, NULL, &n, NULL, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
    const cl_mem objects[] = {in, out, rest, texels, buffer};
    for (int i = 0; i < 5; i++) CHECK(clReleaseMemObject(objects[i]));
    CHECK(clReleaseSampler(sampler));
    CHECK(clReleaseKernel(filter));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseProgram(program));
}

static void CL_CALLBACK native(void *arguments) { (void)arguments; }

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    Setup s = open_device(0);
    static float values[1024];
    for (int i = 0; i < 1024; i++) values[i] = (float)(i % 61) * 0.0137f;
    cl_program program = linked(&s);
    scale(&s, program, values, 256);
    if (!strcmp(how, "kill")) raise(SIGKILL);
    CHECK(clEnqueueNativeKernel(s.queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    int total = walk(&s, program, !strcmp(how, "wild"));
    count(&s, program);
    images(&s, values);
    CHECK(clReleaseProgram(program));
    close_device(&s);
    printf("recorded: the list has %d\n", total);
    return total == 2 * (5 + 6 + 7 + 8) + 4 ? 0 : 1;
}
