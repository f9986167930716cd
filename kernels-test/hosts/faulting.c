/* A kernel that faults, in a program that handles SIGSEGV itself (`handler`) or not (`none`), or that sends itself one
 * (`sent`), or ignores what it sends itself (`ignored`), or a fault (`ignored_fault`). With `private`, the kernel goes
 * below the stack that it runs on. For icd/tests/faults.rs. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

static void handled(int signal) { _exit(signal == SIGSEGV ? 7 : 8); }

int main(int argc, char **argv) {
    const char *source = "kernel void far(global int *p, ulong at) { p[at] = 1; }\n"
                         "kernel void below(global int *p, ulong n) {\n"
                         "    int x[64], sum = 0;\n"
                         "    for (int i = 0; i < 64; i++) x[i] = p[i & 15];\n"
                         "    for (ulong i = 0; i < n; i += 256) sum += x[-(long)i];\n"
                         "    p[0] = sum;\n"
                         "}\n";
    const int is_private = !strcmp(argv[1], "private");
    const size_t one = 1;
    const int faults = strcmp(argv[1], "sent") && strcmp(argv[1], "ignored");
    cl_ulong at = is_private ? 1ul << 40 : faults ? -1ul << 40 : 0;
    if (!strncmp(argv[1], "ignored", 7)) signal(SIGSEGV, SIG_IGN);
    if (!strcmp(argv[1], "handler")) signal(SIGSEGV, handled);
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem p = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, is_private ? "below" : "far", NULL);
    clSetKernelArg(kernel, 0, sizeof p, &p);
    clSetKernelArg(kernel, 1, sizeof at, &at);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    clFinish(queue);
    raise(SIGSEGV);
    return argc;
}
