// n: 0 8 11 21
// a: -9..9
// STORED: t t+1
// BODY: t=t*3+a[k*n+j]; t+=r[k]*a[k*n+j]; t^=a[k*n+j]-a[k*n+j+1]; if(k!=2)t+=a[k*n+j];
// TYPE: int long
// local: 16 5x2
// groups: 1 2
// target: scalar v128 avx2 avx512
// width: 8 any
// exact: yes no
// disjoint: yes
// known: no
kernel void columns(global const int *a, global int *out, int n) {
    int i = get_global_id(0) + get_global_id(1) * get_global_size(0);
    int r[21];
    for (int k = 0; k < n; k++) r[k] = a[i + k];
    for (TYPE j = 0; j < (TYPE)n; j++) {
        int t = i;
        for (int k = 0; k < n; k++) { BODY }
        out[i * n + j] = STORED;
    }
}
