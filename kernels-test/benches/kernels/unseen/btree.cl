/* Looks up keys in a tree; a group for each key, a work-item for each key of a node. */
#define ORDER 128

typedef struct {
    int location;
    int indices[ORDER + 1];
    int keys[ORDER + 1];
    int is_leaf;
    int count;
} node;

typedef struct {
    int value;
} record;

kernel void btree(int height, global const node *nodes, int node_count, global const record *records,
                  global const int *keys, global record *answers) {
    local int current, next;
    int thid = get_local_id(0);
    int bid = get_group_id(0);
    if (thid == 0) {
        current = 0;
        next = 0;
        answers[bid].value = -1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int i = 0; i < height; i++) {
        if (nodes[current].keys[thid] <= keys[bid] && nodes[current].keys[thid + 1] > keys[bid]) {
            if (nodes[current].indices[thid] < node_count) next = nodes[current].indices[thid];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thid == 0) current = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (nodes[current].keys[thid] == keys[bid]) answers[bid].value = records[nodes[current].indices[thid]].value;
}
