// Program-scope constants with initialisers, structures, addresses of one another, strings, and constant pointers as arguments.
//@ kernel: k
//@ out: int = 42 3 6 108 2 7 9 30 5 100 3
constant int answer = 6 * 7;
constant int table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
constant char text[] = "hello";
struct entry { int key; float4 value; };
constant struct entry entries[] = { { 1, (float4)(1, 2, 3, 4) }, { 7, (float4)(5.0f) } };
constant int *constant middle = &table[1][1];
constant int bits = 1 << 3 | 1;
constant float3 tripled = (float3)(10.0f, 20.0f, 30.0f);
int add(constant int *p, int n) { int sum = 0; for (int i = 0; i < n; ++i) sum += p[i]; return sum; }
kernel void k(global int *out)
{
    constant int inside = 100;
    out[0] = answer;
    out[1] = table[0][2];
    out[2] = add(table[0], 3);
    out[3] = text[3];
    out[4] = (int)entries[0].value.y;
    out[5] = entries[1].key;
    out[6] = bits;
    out[7] = (int)tripled.z;
    out[8] = *middle;
    out[9] = inside;
    constant char *s = "abc";
    int n = 0;
    while (s[n]) ++n;
    out[10] = n;
}
