/* The Mandelbrot set as an image: writes a PPM file (binary, RGB) to the path given, if any. Checked against C. */
#include "common.h"

static const char *source =
    "kernel void mandelbrot(global uint *out, float x0, float y0, float step, uint limit) {\n"
    "    const uint px = get_global_id(0), py = get_global_id(1);\n"
    "    const float cx = x0 + px * step, cy = y0 + py * step;\n"
    "    float x = 0, y = 0;\n"
    "    uint n = 0;\n"
    "    while (n < limit && x * x + y * y <= 4.0f) {\n"
    "        float t = x * x - y * y + cx;\n"
    "        y = 2.0f * x * y + cy;\n"
    "        x = t;\n"
    "        n++;\n"
    "    }\n"
    "    out[py * get_global_size(0) + px] = n;\n"
    "}\n";

enum { WIDTH = 1200, HEIGHT = 800, LIMIT = 500 };

static cl_uint reference(float cx, float cy) {
    float x = 0, y = 0;
    cl_uint n = 0;
    while (n < LIMIT && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    return n;
}

int main(int argc, char **argv) {
    Setup s = open_device(0);
    /* The same roundings as in C: nothing is fused. */
    char text[2048];
    snprintf(text, sizeof text, "#pragma OPENCL FP_CONTRACT OFF\n%s", source);
    cl_program program = build_program(&s, text, NULL);
    cl_kernel kernel = get_kernel(program, "mandelbrot");
    cl_mem out = new_buffer(&s, CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, WIDTH * HEIGHT * sizeof(cl_uint), NULL);
    const float x0 = -2.2f, y0 = -1.0f, step = 0.0025f;
    const cl_uint limit = LIMIT;
    SET_ARG(kernel, 0, out);
    SET_ARG(kernel, 1, x0);
    SET_ARG(kernel, 2, y0);
    SET_ARG(kernel, 3, step);
    SET_ARG(kernel, 4, limit);
    size_t global[2] = {WIDTH, HEIGHT};
    double start = now_ms();
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    cl_int status;
    const size_t bytes = WIDTH * HEIGHT * sizeof(cl_uint);
    cl_uint *n = clEnqueueMapBuffer(s.queue, out, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &status);
    CHECK(status);
    double ms = now_ms() - start;
    unsigned wrong = 0;
    for (int py = 0; py < HEIGHT; py++)
        for (int px = 0; px < WIDTH; px++) wrong += n[py * WIDTH + px] != reference(x0 + px * step, y0 + py * step);
    if (argc > 1) {
        FILE *file = fopen(argv[1], "wb");
        if (!file) fail("cannot write %s", argv[1]);
        fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            double t = n[i] == LIMIT ? 0 : sqrt((double)n[i] / LIMIT);
            unsigned char rgb[3] = {(unsigned char)(255 * (t < 1 ? pow(t, 1.5) : 1)),
                (unsigned char)(255 * t * t * (3 - 2 * t)),
                                    (unsigned char)(n[i] == LIMIT ? 0 : 255 * sqrt(t))};
            fwrite(rgb, 1, 3, file);
        }
        if (fclose(file)) fail("cannot write %s", argv[1]);
    }
    CHECK(clEnqueueUnmapMemObject(s.queue, out, n, 0, NULL, NULL));
    CHECK(clFinish(s.queue));
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    if (wrong) fail("mandelbrot: %u pixels differ from C's", wrong);
    printf("mandelbrot: %d x %d pixels equal to C's, %.2f ms\n", WIDTH, HEIGHT, ms);
    return 0;
}
