// Loops in which some work-items come to a place in this iteration, and others only in the next one: where they meet
// again, they come different ways. What `same-as` names does all in one work-item.
//@ kernel: constants
//@ global: 64
//@ local: 32
//@ inout: uint = 0*64 -> _*64
//@ same-as: constants_by_one
//@ kernel: updates
//@ global: 64
//@ local: 32
//@ inout: uint = 0*64 -> _*64
//@ same-as: updates_by_one
//@ kernel: flags
//@ global: 64
//@ local: 32
//@ inout: uint = 0*64 -> _*64
//@ same-as: flags_by_one
//@ kernel: nested
//@ global: 64
//@ local: 32
//@ inout: uint = 0*64 -> _*64
//@ same-as: nested_by_one
//@ kernel: entered
//@ global: 64
//@ local: 32
//@ inout: uint = 0*64 -> _*64
//@ same-as: entered_by_one
uint add_one_of_two(uint g) {
    uint v = g * 2654435761u, i = 0, w = 0, s = 0;
    while (1) {
        if ((v >> i) & 1u) {
            w = 1;
        } else {
            if (i >= 8u) break;
            w = 2;
        }
        s += w;
        i++;
    }
    return s;
}
uint update(uint g) {
    uint v = g * 2654435761u, i = 0, acc = 1, w = 7;
    for (;;) {
        acc = acc * 3u + w;
        if ((v >> i) & 1u) {
            i++;
            w = 5;
            continue;
        }
        if (i >= 8u) break;
        i++;
        w = 9;
    }
    return acc;
}
uint flag(uint g) {
    uint v = g * 2246822519u, n = 0;
    bool was = false;
    for (uint i = 0;; i++) {
        if (v >> (i & 31) & 1) {
            was = true;
        } else {
            if (i > 11) return n;
            was = false;
        }
        n = n * 2 + was;
    }
}
uint nest(uint g) {
    uint v = g * 2654435761u, s = 0;
    for (uint j = 0; j < 5; j++) {
        uint w = j, i = 0;
        while (1) {
            if ((v >> (i + j)) & 1u) {
                w = 3;
            } else {
                if (i >= 6u) break;
                if (i == j + 2) return s + 1000;
                w = 4;
            }
            s += w;
            i++;
        }
        s = s * 5 + w;
    }
    return s;
}
uint enter(uint g) {
    uint i = 0, fuel = 0, most = (g & 7) + 1, s = 0;
    if (g % 3 == 1) goto inside;
    for (; i < most && fuel < 20; i++) {
        fuel += 2;
    inside:
        s = s * 3 + fuel + i;
    }
    return s;
}
#define KERNELS(name, f)                                                             \
    kernel void name(global uint *a) { a[get_global_id(0)] = f(get_global_id(0)); } \
    kernel void name##_by_one(global uint *a) {                                      \
        if (get_global_id(0) == 0)                                                   \
            for (uint g = 0; g < 64; g++) a[g] = f(g);                               \
    }
KERNELS(constants, add_one_of_two)
KERNELS(updates, update)
KERNELS(flags, flag)
KERNELS(nested, nest)
KERNELS(entered, enter)
