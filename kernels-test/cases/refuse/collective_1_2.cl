// Collectives belong to OpenCL C 3.0 (and 2.0), and so does the macro of their extension.
//@ options: -cl-std=CL1.2
//@ build-error: function 'work_group_scan_exclusive_add' requires OpenCL C 3.0
#ifdef cl_khr_work_group_uniform_arithmetic
#error "not in this version"
#endif
#ifdef __opencl_c_work_group_collective_functions
#error "not in this version"
#endif
kernel void k(global int *p)
{
    p[get_global_id(0)] = work_group_scan_exclusive_add(p[get_global_id(0)]);
}
