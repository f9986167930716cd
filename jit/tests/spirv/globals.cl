// Variables of the program: numbers, arrays, addresses of each other.
typedef struct { global int *at; int n; } link;
global int numbers[8] = { 1, 2, 3, -4, 5 };
global int counter;
global link chain[2] = { { numbers + 3, 5 }, { &counter, 1 } };
constant float scale[4] = { 0.5f, 1.5f, 2.5f, 3.5f };
constant constant float *constant rows[2] = { scale + 1, scale };

int pick(global int *p, int n) { return n > 0 ? p[n - 1] : *p; }

kernel void globals(global float *out) {
    int i = get_global_id(0);
    link l = chain[i & 1];
    numbers[i & 7] += pick(l.at, l.n & 1);
    counter = numbers[0];
    out[i] = rows[i & 1][i & 1] * scale[i & 3] + *chain[1].at;
}

kernel void second(global float *out, global int *n) {
    int *p = get_global_id(0) & 1 ? (int *)n : (int *)numbers;
    out[0] = *p;
}
