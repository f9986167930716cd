/* Best local alignment of two sequences; a group has a pair, a work-item a line, a step a diagonal of the table. */
#define QUERY 64

kernel void smith_waterman(global const uchar *queries, global const uchar *subjects, global int *best, int length,
                           int match, int mismatch, int gap) {
    local int last[QUERY + 1], before[QUERY + 1], most[QUERY];
    int pair = get_group_id(0), i = get_local_id(0);
    uchar own = queries[pair * QUERY + i];
    last[i + 1] = 0;
    before[i + 1] = 0;
    if (i == 0) last[0] = before[0] = 0;
    int highest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < length + QUERY - 1; d++) {
        int j = d - i;
        int h = 0;
        if (j >= 0 && j < length) {
            int diagonal = before[i] + (subjects[pair * length + j] == own ? match : mismatch);
            h = max(max(0, diagonal), max(last[i] - gap, last[i + 1] - gap));
            highest = max(highest, h);
        }
        int left = last[i + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        before[i + 1] = left;
        last[i + 1] = h;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most[i] = highest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = QUERY / 2; s > 0; s >>= 1) {
        if (i < s) most[i] = max(most[i], most[i + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) best[pair] = most[0];
}
