/* A picture with mip levels in the memory of the driver: a kernel halves each level into the next, commands read single
 * levels by their origin, and another kernel samples between levels, by a level of detail and by gradients. Then a
 * stack of layers in a buffer, as large as the driver says that it has to be. */
#include "common.h"

/* cl_khr_mipmap_image and cl_ext_image_requirements_info */
#define CL_SAMPLER_MIP_FILTER_MODE_KHR 0x1155
#define CL_SAMPLER_LOD_MIN_KHR 0x1156
#define CL_SAMPLER_LOD_MAX_KHR 0x1157
#define CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT 0x1290
#define CL_IMAGE_REQUIREMENTS_SIZE_EXT 0x12B2
typedef cl_int (*requirements_fn)(cl_context, const cl_mem_properties *, cl_mem_flags, const cl_image_format *,
                                  const cl_image_desc *, cl_uint, size_t, void *, size_t *);

#define SIZE 64
#define LEVELS 7

static const char *source =
    "kernel void half_size(read_only image2d_t from, write_only image2d_t to, int level) {\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float2 place = (convert_float2(at) + 0.5f) / (float2)(get_global_size(0), get_global_size(1));\n"
    "    write_imagef(to, at, level, read_imagef(from, s, place, (float)(level - 1)));\n"
    "}\n"
    "kernel void look(read_only image2d_t im, sampler_t s, float lod, global float4 *out, global int *levels) {\n"
    "    out[0] = read_imagef(im, s, (float2)(0.3f, 0.7f), lod);\n"
    "    float slope = exp2(lod) / get_image_width(im);\n"
    "    out[1] = read_imagef(im, s, (float2)(0.3f, 0.7f), (float2)(slope, 0.0f), (float2)(0.0f, slope));\n"
    "    out[2] = read_imagef(im, s, (float2)(0.3f, 0.7f));\n"
    "    *levels = get_image_num_mip_levels(im);\n"
    "}\n"
    "kernel void layer(read_only image2d_array_t im, global uint4 *out) {\n"
    "    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "    int i = at.x + get_global_size(0) * (at.y + get_global_size(1) * at.z);\n"
    "    out[i] = read_imageui(im, at);\n"
    "}\n";

/* Red of a texel of the base level. */
static float base(int x, int y) { return (float)((x * 5 + y * 3 + (x ^ y)) % 97) / 97.0f; }

/* Red of all levels, as the kernel is to make it: each texel the mean of four. */
static float want[LEVELS][SIZE][SIZE];

/* A sample at (0.3, 0.7) of one level, with linear filtering. */
static float sample(int level) {
    int n = SIZE >> level;
    float u = 0.3f * n - 0.5f, v = 0.7f * n - 0.5f;
    int x = (int)floorf(u), y = (int)floorf(v);
    float a = u - x, b = v - y, sum = 0;
    for (int i = 0; i < 4; i++) {
        int cx = x + (i & 1), cy = y + (i >> 1);
        cx = cx < 0 ? 0 : cx >= n ? n - 1 : cx;
        cy = cy < 0 ? 0 : cy >= n ? n - 1 : cy;
        sum += (i & 1 ? a : 1 - a) * (i >> 1 ? b : 1 - b) * want[level][cy][cx];
    }
    return sum;
}

static void picture(Setup *s, cl_program program) {
    cl_int status;
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIZE, .image_height = SIZE};
    desc.num_mip_levels = LEVELS;
    cl_mem image = clCreateImage(s->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    CHECK(status);
    cl_uint levels;
    CHECK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
    EXPECT("levels", levels, LEVELS);
    static float texels[SIZE][SIZE][4];
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) texels[y][x][0] = want[0][y][x] = base(x, y);
    const size_t origin[3] = {0}, all[3] = {SIZE, SIZE, 1};
    CHECK(clEnqueueWriteImage(s->queue, image, CL_TRUE, origin, all, 0, 0, texels, 0, NULL, NULL));
    cl_kernel half_size = get_kernel(program, "half_size");
    SET_ARG(half_size, 0, image);
    SET_ARG(half_size, 1, image);
    for (cl_int level = 1; level < LEVELS; level++) {
        SET_ARG(half_size, 2, level);
        const size_t n[2] = {SIZE >> level, SIZE >> level};
        CHECK(clEnqueueNDRangeKernel(s->queue, half_size, 2, NULL, n, NULL, 0, NULL, NULL));
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++) {
                float (*from)[SIZE] = want[level - 1];
                want[level][y][x] = (from[2 * y][2 * x] + from[2 * y][2 * x + 1] + from[2 * y + 1][2 * x]
                                     + from[2 * y + 1][2 * x + 1]) / 4;
            }
    }
    for (size_t level = 0; level < LEVELS; level++) {
        const size_t at[3] = {0, 0, level}, n[3] = {SIZE >> level, SIZE >> level, 1};
        CHECK(clEnqueueReadImage(s->queue, image, CL_TRUE, at, n, sizeof texels[0], 0, texels, 0, NULL, NULL));
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++)
                if (fabsf(texels[y][x][0] - want[level][y][x]) > 1e-5f)
                    fail("level %zu at %zu %zu: %f, not %f", level, x, y, texels[y][x][0], want[level][y][x]);
    }
    const size_t none[3] = {0, 0, LEVELS}, one[3] = {1, 1, 1};
    status = clEnqueueReadImage(s->queue, image, CL_TRUE, none, one, 0, 0, texels, 0, NULL, NULL);
    EXPECT("a level that there is not", status, CL_INVALID_MIP_LEVEL);

    union {
        cl_float lod;
        cl_uint bits;
    } low = {1.5f}, high = {4.0f};
    const cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE,
                                          CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                          CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_FILTER_LINEAR,
                                          CL_SAMPLER_LOD_MIN_KHR, low.bits,
                                          CL_SAMPLER_LOD_MAX_KHR, high.bits, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(s->context, list, &status);
    CHECK(status);
    cl_mem out = new_buffer(s, CL_MEM_WRITE_ONLY, 3 * sizeof(cl_float4), NULL);
    cl_mem count = new_buffer(s, CL_MEM_WRITE_ONLY, sizeof(cl_int), NULL);
    cl_kernel look = get_kernel(program, "look");
    SET_ARG(look, 0, image);
    SET_ARG(look, 1, sampler);
    SET_ARG(look, 3, out);
    SET_ARG(look, 4, count);
    for (float lod = 0; lod <= 7; lod += 0.25f) {
        SET_ARG(look, 2, lod);
        CHECK(clEnqueueNDRangeKernel(s->queue, look, 1, NULL, &one[0], NULL, 0, NULL, NULL));
        cl_float4 got[3];
        cl_int n;
        CHECK(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s->queue, count, CL_TRUE, 0, sizeof n, &n, 0, NULL, NULL));
        EXPECT("levels in a kernel", n, LEVELS);
        float at = lod < low.lod ? low.lod : lod > high.lod ? high.lod : lod, part = at - floorf(at);
        float value = sample((int)at);
        if (part > 0) value = (1 - part) * value + part * sample((int)at + 1);
        for (int i = 0; i < 2; i++)
            if (fabsf(got[i].s[0] - value) > 1e-4f) fail("lod %f way %d: %f, not %f", lod, i, got[i].s[0], value);
        if (fabsf(got[2].s[0] - sample(0)) > 1e-5f) fail("without a level: %f, not %f", got[2].s[0], sample(0));
    }
    CHECK(clReleaseKernel(look));
    CHECK(clReleaseKernel(half_size));
    CHECK(clReleaseMemObject(count));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseSampler(sampler));
    CHECK(clReleaseMemObject(image));
}

static void layers(Setup *s, cl_program program) {
    requirements_fn ask = (requirements_fn)
        clGetExtensionFunctionAddressForPlatform(s->platform, "clGetImageRequirementsInfoEXT");
    if (!ask) fail("there is no clGetImageRequirementsInfoEXT");
    cl_int status;
    cl_image_format format = {CL_RG, CL_UNSIGNED_INT16};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 21, .image_height = 10};
    desc.image_array_size = 4;
    size_t pitch, size;
    CHECK(ask(s->context, NULL, CL_MEM_READ_ONLY, &format, &desc, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
              sizeof pitch, &pitch, NULL));
    desc.image_row_pitch = (21 * 4 + 40 + pitch - 1) / pitch * pitch;
    desc.image_slice_pitch = desc.image_row_pitch * 11;
    CHECK(ask(s->context, NULL, CL_MEM_READ_ONLY, &format, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof size, &size,
              NULL));
    cl_ushort *words = malloc(size);
    for (size_t i = 0; i < size / 2; i++) words[i] = (cl_ushort)(i * 40503u);
    cl_mem buffer = new_buffer(s, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, words);
    desc.mem_object = buffer;
    cl_mem image = clCreateImage(s->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
    CHECK(status);
    cl_mem out = new_buffer(s, CL_MEM_WRITE_ONLY, 21 * 10 * 4 * sizeof(cl_uint4), NULL);
    cl_kernel kernel = get_kernel(program, "layer");
    SET_ARG(kernel, 0, image);
    SET_ARG(kernel, 1, out);
    const size_t n[3] = {21, 10, 4};
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 3, NULL, n, NULL, 0, NULL, NULL));
    cl_uint4 *got = malloc(21 * 10 * 4 * sizeof *got);
    CHECK(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, 21 * 10 * 4 * sizeof *got, got, 0, NULL, NULL));
    for (size_t i = 0; i < 21 * 10 * 4; i++) {
        size_t x = i % 21, y = i / 21 % 10, z = i / 210;
        const cl_ushort *texel = words + (x * 4 + y * desc.image_row_pitch + z * desc.image_slice_pitch) / 2;
        EXPECT("red", got[i].s[0], texel[0]);
        EXPECT("green", got[i].s[1], texel[1]);
    }
    free(got);
    free(words);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(buffer));
}

int main(void) {
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, "-cl-std=CL3.0");
    picture(&s, program);
    layers(&s, program);
    CHECK(clReleaseProgram(program));
    close_device(&s);
    printf("levels: ok\n");
    return 0;
}
