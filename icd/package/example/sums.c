/* Adds two vectors and checks each sum: what a program needs of OpenCL at least. Linked with -lclift it runs where no
 * OpenCL loader is. An argument is a time of the monotonic clock, in milliseconds, at which somebody started this
 * program: then it says how many milliseconds later the first result was there. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N 1024

static const char *source =
    "kernel void sums(global const int *a, global const int *b, global int *c) {\n"
    "    size_t i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n";

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    int a[N], b[N], c[N];
    for (int i = 0; i < N; i++) a[i] = i, b[i] = 3 * i;
    if (clGetPlatformIDs(1, &platform, NULL)) return 1;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 1;
    char name[64] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 1;
    cl_kernel kernel = clCreateKernel(program, "sums", &error);
    cl_mem_flags in = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem mems[3] = {clCreateBuffer(context, in, sizeof a, a, &error),
                      clCreateBuffer(context, in, sizeof b, b, &error),
                      clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &error)};
    for (cl_uint i = 0; i < 3; i++) clSetKernelArg(kernel, i, sizeof mems[i], &mems[i]);
    size_t global = N;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL)) return 1;
    if (clEnqueueReadBuffer(queue, mems[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL)) return 1;
    double end = now_ms();
    for (int i = 0; i < N; i++)
        if (c[i] != 4 * i) return 1;
    for (int i = 0; i < 3; i++) clReleaseMemObject(mems[i]);
    clReleaseKernel(kernel), clReleaseProgram(program), clReleaseCommandQueue(queue), clReleaseContext(context);
    if (argc > 1) printf("%.2f\n", end - strtod(argv[1], NULL));
    else printf("%s: %d sums are right\n", name, N);
    return 0;
}
