/* A join's look-ups in a hash table with open addresses; an empty slot ends a search. */
kernel void hash_probe(global const uint *keys, global const uint2 *table, uint mask, global uint *out, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint key = keys[i];
    uint h = key;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    uint slot = h & mask;
    uint found = 0xffffffffu;
    while (true) {
        uint2 entry = table[slot];
        if (entry.x == key) {
            found = entry.y;
            break;
        }
        if (entry.x == 0xffffffffu) break;
        slot = (slot + 1) & mask;
    }
    out[i] = found;
}
