// local: 1 4 16
// groups: 2
// disjoint: yes
// n: 0 5 9
// LIMIT: 0 20
kernel void k(global const int *p, global int *q, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < 3; l++)
            if (p[i + j * 5 + l] > LIMIT) q[i] += p[j] & 15;
        q[i + 200] ^= p[i + j];
    }
}
