// options: -clift-check=races
// local: 16
// known
// No work-items race on `own`, whose rows are a work-item's each, nor on `tile`, which a barrier lies between the writes
// and the reads of; those of `sums` lie in one interval.
kernel void intervals(global int *a) {
    local int own[16][2], tile[16], sums[32];
    int l = get_local_id(0);
    own[l][0] = l;
    own[l][1] = own[l][0] + 1;
    tile[l] = own[l][1];
    sums[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++)
        a[l] += tile[i];
    sums[l] += sums[l + 8];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] += sums[l];
}
//= @@ -73,4 +73,8 @@
//=    %65: ptr<local> = ptr.add %10, %64 * 4 + 0 !566..577
//= +  %71: i64 = const 1224979098913210372 !566..577
//= +  track %65, %71 !566..577
//=    %66: i32 = load %65 !566..577
//=    %67: i32 = add %62, %66 {nsw} !555..577
//= +  %72: i64 = const 1224979098929991684 !555..577
//= +  track %11, %72, %67 !555..577
//=    store %11, %67 !555..577
