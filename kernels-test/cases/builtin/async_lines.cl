// Copies of lines and planes in both directions: tiles with a border for a box filter, with strides and an element size
// that are known only at run time, and a brick of a volume that is turned round. Copies behind a fence read what those
// before it wrote.
//@ kernel: box
//@ global: 4 4
//@ local: 2 2
//@ in: int = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36
//@ out: int = 72 81 90 99 126 135 144 153 180 189 198 207 234 243 252 261
//@ value: ulong = 4
//@ value: ulong = 6
//@ kernel: brick
//@ global: 2
//@ local: 2
//@ in: uchar = 0..59
//@ inout: uchar = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -> 0 26 27 0 0 31 32 0 0 0 0 6 7 0 0 11 12 0 0 0 0 0 0 0 0
//@ kernel: twice
//@ global: 8
//@ local: 4
//@ in: int = 1 2 3 4 5 6 7 8
//@ out: int = 1 2 3 4 5 6 7 8
//@ out: int = 1 3 2 4 5 7 6 8
//@ kernel: sizes
//@ global: 2
//@ local: 2
//@ in: uchar = 0..31
//@ out: uchar = 0 1 2 6 7 8 0 1 2 3 4 10 11 12 13 14 16 17
#if !defined(cl_khr_extended_async_copies) || !defined(cl_khr_async_work_group_copy_fence)
#error "these belong to every version"
#endif

kernel void box(global const int *in, global int *out, ulong element, ulong pitch)
{
    local int tile[16], sums[4];
    size_t x = get_group_id(0) * 2, y = get_group_id(1) * 2;
    event_t e = async_work_group_copy_2D2D(tile, 0, in, y * pitch + x, element, 4, 4, pitch, 4, 0);
    wait_group_events(1, &e);
    size_t lx = get_local_id(0), ly = get_local_id(1);
    int sum = 0;
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 3; i++)
            sum += tile[(ly + j) * 4 + lx + i];
    sums[ly * 2 + lx] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy_2D2D(out, y * 4 + x, sums, 0, element, 2, 2, 2, 4, 0);
    wait_group_events(1, &e);
}

// The volume has lines of 5 and planes of 4 lines.
kernel void brick(global const uchar *in, global uchar *out)
{
    local uchar brick[8], turned[8];
    event_t e = async_work_group_copy_3D3D(brick, 0, in, 6, 1, 2, 2, 2, 5, 20, 2, 4, 0);
    wait_group_events(1, &e);
    if (get_local_id(0) == 0)
        for (int i = 0; i < 8; i++)
            turned[i] = brick[i ^ 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy_3D3D(out, 1, turned, 0, 1, 2, 2, 2, 2, 4, 4, 10, 0);
    wait_group_events(1, &e);
}

kernel void twice(global const int *in, global int *copy, global int *turned)
{
    local int tile[4], again[4];
    size_t group = get_group_id(0) * 4;
    event_t e = async_work_group_copy(tile, in + group, 4, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(copy + group, tile, 4, e);
    async_work_group_copy_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    // Two columns become two lines.
    e = async_work_group_copy_2D2D(again, 0, copy + group, 0, sizeof(int), 1, 2, 2, 1, e);
    e = async_work_group_copy_2D2D(again, 2, copy + group, 1, sizeof(int), 1, 2, 2, 1, e);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(turned + group, again, 4, e);
    wait_group_events(1, &e);
}

// Elements of any size, none of lines or planes.
kernel void sizes(global const uchar *in, global uchar *out)
{
    local uchar buffer[32];
    event_t e = async_work_group_copy_2D2D(buffer, 0, in, 0, 3, 1, 2, 2, 1, 0);
    e = async_work_group_copy_2D2D(buffer + 6, 0, in, 0, 5, 1, 2, 2, 1, e);
    e = async_work_group_copy_2D2D(buffer, 0, in, 9, 2, 4, 0, 4, 4, e);
    e = async_work_group_copy_3D3D(buffer, 0, in, 9, 1, 4, 4, 0, 4, 16, 4, 16, e);
    e = async_work_group_copy_3D3D(buffer + 16, 0, in, 8, 2, 1, 1, 1, 1, 1, 1, 1, e);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out, buffer, 16, e);
    e = async_work_group_copy(out + 16, buffer + 16, 2, e);
    wait_group_events(1, &e);
}
