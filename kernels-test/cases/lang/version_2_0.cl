// OpenCL C 2.0: what 3.0 makes optional is there without feature macros.
//@ options: -cl-std=CL2.0
//@ kernel: everything
//@ global: 8
//@ local: 4
//@ out: int = 10 13 9 3 26 33 9 7
//@ kernel: totals
//@ out: int = 200 108 8 1
#if defined(__opencl_c_generic_address_space) || defined(memory_scope_all_devices) || defined(CL_VERSION_3_1)
#error "not in this version"
#endif
#if !defined(cl_ext_float_atomics) || !defined(cl_khr_work_group_uniform_arithmetic) || CL_VERSION_2_0 != 200
#error "in this version"
#endif
int total = 100;
global atomic_uint calls = ATOMIC_VAR_INIT(0);
static int *where = &total;

int plus(int *p, int n) { return *p + n; }

kernel __attribute__((reqd_work_group_size(4, 1, 1))) void everything(global int *out)
{
    local int cells[4];
    int i = get_global_linear_id(), l = get_local_linear_id(), mine = i;
    cells[l] = i;
    atomic_fetch_add_explicit(&calls, 1u, memory_order_relaxed, memory_scope_all_svm_devices);
    atomic_fetch_add_explicit((volatile atomic_int *)where, 1, memory_order_acq_rel, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    int *p = l & 1 ? (int *)&cells[3 - l] : (int *)&mine;
    int sum = work_group_reduce_add(i), most = work_group_scan_inclusive_max(i);
    out[i] = l == 0 ? sum + plus(p, 4) - i * 3 / 2 + i / 2
           : l == 1 ? plus(p, sum + 5) : l == 2 ? (int)get_enqueued_local_size(0) + ctz(32) : most - plus(p, 2) % 2 * 2;
}
kernel void totals(global int *out)
{
    out[0] = __OPENCL_C_VERSION__;
    out[1] = *where;
    out[2] = atomic_load(&calls);
    out[3] = to_global(where) != NULL;
}
