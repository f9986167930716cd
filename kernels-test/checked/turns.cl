// Variables that are declared in a loop: what an earlier turn has written is not there any more. Near misses, too.
// `//=` has what `clift run` is given. Lines that end in `value` are reported, others are not. SPIR-V has no
// declarations.

//= --global 64 --local 64 print:i32:64 i32:3
kernel void earlier_turn(global int *a, int n) {
    int l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        int x;
        if (i == 0)
            x = l;
        sum += x; // value: `x`
    }
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void this_turn(global int *a, int n) {
    int l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        int x;
        if (i >= 0)
            x = l;
        sum += x;
    }
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void declared_outside(global int *a, int n) {
    int l = get_local_id(0), sum = 0, x;
    for (int i = 0; i < n; i++) {
        if (i == 0)
            x = l;
        sum += x;
    }
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void array_of_a_turn(global int *a, int n) {
    int l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++) {
        int t[4];
        t[i & 3] = l;
        sum += t[i & 3];
        if (i > 0)
            sum += t[(i - 1) & 3]; // value: `t`
    }
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void array_outside(global int *a, int n) {
    int l = get_local_id(0), sum = 0, t[4];
    for (int i = 0; i < n; i++) {
        t[i & 3] = l;
        sum += t[i & 3];
        if (i > 0)
            sum += t[(i - 1) & 3];
    }
    a[l] = sum;
}

int of_a_turn(int i) {
    int x;
    if (i == 0)
        x = 5;
    return x; // value: `x`
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void function_of_a_turn(global int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += of_a_turn(i);
    a[get_local_id(0)] = sum;
}
