/* SHA-256 of the files named on the command line, one work-item for each; compared with what sha256sum prints. */
#include "common.h"

static const char *source =
    "constant uint K[64] = {\n"
    "    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,\n"
    "    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,\n"
    "    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,\n"
    "    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,\n"
    "    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,\n"
    "    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,\n"
    "    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,\n"
    "    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};\n"
    "\n"
    "#define ROTR(x, n) rotate((x), 32u - (n))\n"
    "\n"
    "void block(uint *h, const uint *m) {\n"
    "    uint w[64];\n"
    "    for (int i = 0; i < 16; i++) w[i] = m[i];\n"
    "    for (int i = 16; i < 64; i++) {\n"
    "        uint s0 = ROTR(w[i - 15], 7u) ^ ROTR(w[i - 15], 18u) ^ (w[i - 15] >> 3);\n"
    "        uint s1 = ROTR(w[i - 2], 17u) ^ ROTR(w[i - 2], 19u) ^ (w[i - 2] >> 10);\n"
    "        w[i] = w[i - 16] + s0 + w[i - 7] + s1;\n"
    "    }\n"
    "    uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];\n"
    "    for (int i = 0; i < 64; i++) {\n"
    "        uint s1 = ROTR(e, 6u) ^ ROTR(e, 11u) ^ ROTR(e, 25u);\n"
    "        uint t1 = k + s1 + bitselect(g, f, e) + K[i] + w[i];\n"
    "        uint s0 = ROTR(a, 2u) ^ ROTR(a, 13u) ^ ROTR(a, 22u);\n"
    "        uint t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));\n"
    "        k = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;\n"
    "    }\n"
    "    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += k;\n"
    "}\n"
    "\n"
    "uint byte_at(global const uchar *data, ulong size, ulong i, ulong padded) {\n"
    "    if (i < size) return data[i];\n"
    "    if (i == size) return 0x80;\n"
    "    if (i + 8 < padded) return 0;\n"
    "    return (uint)((size * 8) >> (8 * (padded - 1 - i))) & 0xff;\n"
    "}\n"
    "\n"
    "kernel void sha256(global const uchar *data, global const ulong *starts, global uint *hashes) {\n"
    "    size_t file = get_global_id(0);\n"
    "    data += starts[file];\n"
    "    ulong size = starts[file + 1] - starts[file], padded = (size + 72) / 64 * 64;\n"
    "    uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};\n"
    "    for (ulong at = 0; at < padded; at += 64) {\n"
    "        uint m[16];\n"
    "        for (int i = 0; i < 16; i++) {\n"
    "            m[i] = 0;\n"
    "            for (int b = 0; b < 4; b++) m[i] = m[i] << 8 | byte_at(data, size, at + 4 * i + b, padded);\n"
    "        }\n"
    "        block(h, m);\n"
    "    }\n"
    "    vstore8(vload8(0, h), file, hashes);\n"
    "}\n";

/* What sha256sum prints for a file; empty if the command is missing. */
static void expected(const char *path, char hex[65]) {
    char command[4200];
    /* Quotes in a name would end the shell's quoting. */
    hex[0] = 0;
    if (strchr(path, '\'') || strlen(path) > 4000) return;
    snprintf(command, sizeof command, "sha256sum -- '%s'", path);
    FILE *pipe = popen(command, "r");
    if (!pipe) return;
    if (fscanf(pipe, "%64s", hex) != 1) hex[0] = 0;
    pclose(pipe);
    if (hex[0] == '\\') hex[0] = 0;
}

int main(int argc, char **argv) {
    const size_t n_files = argc - 1;
    if (n_files == 0) fail("usage: sha256 FILE...");
    cl_ulong *starts = calloc(n_files + 1, sizeof *starts);
    unsigned char *data = NULL;
    for (size_t i = 0; i < n_files; i++) {
        FILE *file = fopen(argv[i + 1], "rb");
        if (!file || fseek(file, 0, SEEK_END)) fail("cannot read %s", argv[i + 1]);
        long size = ftell(file);
        rewind(file);
        data = realloc(data, starts[i] + size + 1);
        if (size < 0 || !data || fread(data + starts[i], 1, size, file) != (size_t)size) fail("cannot read %s",
            argv[i + 1]);
        fclose(file);
        starts[i + 1] = starts[i] + size;
    }
    const cl_ulong total = starts[n_files];
    Setup s = open_device(0);
    cl_program program = build_program(&s, source, NULL);
    cl_kernel kernel = get_kernel(program, "sha256");
    cl_uint *hashes = calloc(n_files, 32);
    cl_mem m_data = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, total ? total : 1, data);
    cl_mem m_starts = new_buffer(&s, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, (n_files + 1) * sizeof *starts, starts);
    cl_mem m_hashes = new_buffer(&s, CL_MEM_WRITE_ONLY, n_files * 32, NULL);
    SET_ARG(kernel, 0, m_data);
    SET_ARG(kernel, 1, m_starts);
    SET_ARG(kernel, 2, m_hashes);
    double start = now_ms();
    CHECK(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &n_files, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(s.queue, m_hashes, CL_TRUE, 0, n_files * 32, hashes, 0, NULL, NULL));
    double ms = now_ms() - start;
    unsigned wrong = 0, compared = 0;
    for (size_t i = 0; i < n_files; i++) {
        char hex[65], want[65];
        for (int w = 0; w < 8; w++) snprintf(hex + 8 * w, 9, "%08x", hashes[8 * i + w]);
        expected(argv[i + 1], want);
        if (want[0]) {
            compared++;
            if (strcmp(hex, want)) {
                wrong++;
                fprintf(stderr, "sha256: %s: got %s, sha256sum says %s\n", argv[i + 1], hex, want);
            }
        }
    }
    clReleaseMemObject(m_data);
    clReleaseMemObject(m_starts);
    clReleaseMemObject(m_hashes);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    close_device(&s);
    if (wrong) fail("sha256: %u of %u files are wrong", wrong, compared);
    if (!compared) fail("sha256: sha256sum is not there to compare with");
    printf("sha256: %zu files, %llu bytes, %u equal to sha256sum's, %.2f ms\n", n_files, (unsigned long long)total,
           compared, ms);
    free(hashes);
    free(starts);
    free(data);
    return 0;
}
