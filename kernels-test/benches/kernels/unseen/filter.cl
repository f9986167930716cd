/* Rows of a table that satisfy a predicate; each group counts in local memory and fills its part of the result. */
kernel void filter(global const int *quantity, global const float *price, global const int *date, global int *rows,
                   global int *counts, int n, int date_low, int date_high, int quantity_limit, float price_low) {
    local int count;
    int i = get_global_id(0);
    if (get_local_id(0) == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        if (date[i] >= date_low && date[i] < date_high && quantity[i] < quantity_limit && price[i] >= price_low) {
            int at = atomic_inc(&count);
            rows[get_group_id(0) * get_local_size(0) + at] = i;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) counts[get_group_id(0)] = count;
}
