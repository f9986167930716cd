/* Opens an OpenCL library by name, uses it, and closes it, three times: `unload LIBRARY [busy]`. Busy: closes it while
 * commands run and a callback is due, with nothing released. */
#define _GNU_SOURCE
#include "common.h"
#include <dlfcn.h>
#include <unistd.h>

#define ITEMS (1 << 16)
#define LOOK_UP(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name)

#define LAUNCHES 200

static const char *source = "kernel void square(global uint *a) { uint i = get_global_id(0); a[i] = i * i; }";

static void CL_CALLBACK note(cl_event event, cl_int status, void *data) {
    (void)event, (void)status;
    *(volatile int *)data = 1;
}

int main(int argc, char **argv) {
    if (argc < 2) fail("no library given");
    const int is_busy = argc > 2 && !strcmp(argv[2], "busy");
    for (int round = 0; round < 3; round++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) fail("%s", dlerror());
        LOOK_UP(clGetPlatformIDs);
        LOOK_UP(clGetDeviceIDs);
        LOOK_UP(clCreateContext);
        LOOK_UP(clCreateCommandQueueWithProperties);
        LOOK_UP(clCreateProgramWithSource);
        LOOK_UP(clBuildProgram);
        LOOK_UP(clCreateKernel);
        LOOK_UP(clCreateBuffer);
        LOOK_UP(clSetKernelArg);
        LOOK_UP(clFlush);
        LOOK_UP(clEnqueueNDRangeKernel);
        LOOK_UP(clSetEventCallback);
        LOOK_UP(clEnqueueReadBuffer);
        LOOK_UP(clReleaseEvent);
        LOOK_UP(clReleaseMemObject);
        LOOK_UP(clReleaseKernel);
        LOOK_UP(clReleaseProgram);
        LOOK_UP(clReleaseCommandQueue);
        LOOK_UP(clReleaseContext);
        cl_platform_id platform;
        cl_device_id device;
        cl_int status;
        CHECK(p_clGetPlatformIDs(1, &platform, NULL));
        CHECK(p_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
        cl_context context = p_clCreateContext(NULL, 1, &device, NULL, NULL, &status);
        CHECK(status);
        cl_command_queue queue = p_clCreateCommandQueueWithProperties(context, device, NULL, &status);
        CHECK(status);
        cl_program program = p_clCreateProgramWithSource(context, 1, &source, NULL, &status);
        CHECK(status);
        CHECK(p_clBuildProgram(program, 0, NULL, "", NULL, NULL));
        cl_kernel kernel = p_clCreateKernel(program, "square", &status);
        CHECK(status);
        cl_mem buffer = p_clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint), NULL, &status);
        CHECK(status);
        CHECK(p_clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        const size_t items = ITEMS;
        static cl_uint values[ITEMS];
        static volatile int called;
        called = 0;
        cl_event event;
        for (int i = 0; is_busy && i < LAUNCHES; i++)
            CHECK(p_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(p_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
        CHECK(p_clSetEventCallback(event, CL_COMPLETE, note, (void *)&called));
        if (is_busy) {
            CHECK(p_clFlush(queue));
            if (dlclose(library)) fail("%s", dlerror());
            continue;
        }
        CHECK(p_clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
        for (cl_uint i = 0; i < ITEMS; i++)
            if (values[i] != i * i) fail("item %u is %u", i, values[i]);
        for (double end = now_ms() + 20000; !called && now_ms() < end;) usleep(100);
        if (!called) fail("the callback never came");
        CHECK(p_clReleaseEvent(event));
        CHECK(p_clReleaseMemObject(buffer));
        CHECK(p_clReleaseKernel(kernel));
        CHECK(p_clReleaseProgram(program));
        CHECK(p_clReleaseCommandQueue(queue));
        CHECK(p_clReleaseContext(context));
        if (dlclose(library)) fail("%s", dlerror());
        /* Threads of the library are still about. */
        usleep(20000);
    }
    puts("unload: three times");
    return 0;
}
