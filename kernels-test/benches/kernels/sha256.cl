/* One round of SHA-256's compression function over a block of 16 words for each work-item. */
#define ROTR(x, n) rotate((x), 32u - (n))

kernel void sha256(global const uint *blocks, constant uint *k, constant uint *start, global uint *hashes) {
    size_t item = get_global_id(0);
    uint w[16];
    for (int i = 0; i < 16; i++) w[i] = blocks[16 * item + i];
    uint a = start[0], b = start[1], c = start[2], d = start[3];
    uint e = start[4], f = start[5], g = start[6], h = start[7];
    for (int i = 0; i < 64; i++) {
        uint word = w[i & 15];
        uint t1 = h + (ROTR(e, 6u) ^ ROTR(e, 11u) ^ ROTR(e, 25u)) + ((e & f) ^ (~e & g)) + k[i] + word;
        uint t2 = (ROTR(a, 2u) ^ ROTR(a, 13u) ^ ROTR(a, 22u)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
        uint s0 = w[(i + 1) & 15], s1 = w[(i + 14) & 15];
        s0 = ROTR(s0, 7u) ^ ROTR(s0, 18u) ^ (s0 >> 3);
        s1 = ROTR(s1, 17u) ^ ROTR(s1, 19u) ^ (s1 >> 10);
        w[i & 15] = word + s0 + w[(i + 9) & 15] + s1;
    }
    global uint *out = hashes + 8 * item;
    out[0] = a + start[0]; out[1] = b + start[1]; out[2] = c + start[2]; out[3] = d + start[3];
    out[4] = e + start[4]; out[5] = f + start[5]; out[6] = g + start[6]; out[7] = h + start[7];
}
