/* A step of an n-body simulation with float4 positions; checked against C in double precision. */
#include "common.h"

static const char *source =
    "kernel void advance(global const float4 *pos, global float4 *next, global float4 *vel, int n, float dt, float eps) {\n"
    "    const int i = get_global_id(0);\n"
    "    const float4 p = pos[i];\n"
    "    float3 acc = (float3)(0.0f);\n"
    "    for (int j = 0; j < n; j++) {\n"
    "        const float4 q = pos[j];\n"
    "        const float3 d = q.xyz - p.xyz;\n"
    "        const float inv = rsqrt(dot(d, d) + eps);\n"
    "        acc += q.w * inv * inv * inv * d;\n"
    "    }\n"
    "    float4 v = vel[i];\n"
    "    v.xyz += dt * acc;\n"
    "    vel[i] = v;\n"
    "    next[i] = (float4)(p.xyz + dt * v.xyz, p.w);\n"
    "}\n";

enum { N = 2048 };

int main(void) {
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, NULL);
    cl_kernel kernel = get_kernel(program, "advance");
    static cl_float4 pos[N], next[N], vel[N];
    unsigned seed = 3;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) pos[i].s[k] = random_float(&seed);
    cl_mem m_pos = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof pos, pos);
    cl_mem m_next = new_buffer(&s, CL_MEM_WRITE_ONLY, sizeof next, NULL);
    cl_mem m_vel = new_buffer(&s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof vel, vel);
    const cl_int n = N;
    const float dt = 0.01f, eps = 1e-3f;
    SET_ARG(kernel, 0, m_pos);
    SET_ARG(kernel, 1, m_next);
    SET_ARG(kernel, 2, m_vel);
    SET_ARG(kernel, 3, n);
    SET_ARG(kernel, 4, dt);
    SET_ARG(kernel, 5, eps);
    size_t global = N;
    double start = now_ms();
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s.queue, m_next, CL_TRUE, 0, sizeof next, next, 0, NULL, NULL));
    double ms = now_ms() - start;
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double acc[3] = {0};
        for (int j = 0; j < N; j++) {
            double d[3], r = eps;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)pos[j].s[k] - pos[i].s[k];
                r += d[k] * d[k];
            }
            double f = pos[j].s[3] / (r * sqrt(r));
            for (int k = 0; k < 3; k++) acc[k] += f * d[k];
        }
        for (int k = 0; k < 3; k++) {
            double want = pos[i].s[k] + (double)dt * dt * acc[k];
            worst = fmax(worst, fabs(next[i].s[k] - want) / (1 + fabs(want)));
        }
        if (next[i].s[3] != pos[i].s[3]) fail("nbody: mass %d changed", i);
    }
    clReleaseMemObject(m_pos);
    clReleaseMemObject(m_next);
    clReleaseMemObject(m_vel);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    if (!(worst < 1e-5)) fail("nbody: largest relative difference to C is %g", worst);
    printf("nbody: %d bodies, largest relative difference to C in double %.1e, %.2f ms\n", N, worst, ms);
    return 0;
}
