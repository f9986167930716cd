// Pipes: bounded queues with two counters for each end and a record for each slot. Nobody waits for anybody: a
// reservation is one compare-and-swap of its end's counter, and who commits moves the counter of what is committed over
// all reservations that are done, in their order (Michael & Scott, "Simple, Fast, and Practical Non-Blocking and
// Blocking Concurrent Queue Algorithms", 1996, has the idea that whoever comes by completes what others began).
//
// Positions count packets from the creation of the pipe on and never wrap. At all times
//   read done <= read taken <= write done <= write taken <= read done + capacity.
// The record of a reservation lies in the slot of its first packet: four times its end's position, plus its state.
// Positions that are a number of slots apart share a record; the end tells which one it is of, as all reservations are
// shorter than that. What kernels pass is checked against records, and slots are found by masks: whatever an id says,
// no other memory is touched.
//
// The layout is that of `runtime/src/memory/pipe.rs`; the counters have cache lines of their own.

#define PACKET_BYTES 0
#define CAPACITY 1
#define LAST_SLOT 2
#define DATA 3
#define TAKEN(end) (16 + 32 * (end))
#define DONE(end) (32 + 32 * (end))
#define RECORDS 80

// Ends.
#define WRITE 0
#define READ 1

// States: twice the end, plus one for what is committed.
#define OPEN(end) ((ulong)(2 * (end)))
#define COMMITTED(end) ((ulong)(2 * (end) + 1))

typedef volatile global atomic_ulong *counter;

static counter at(global ulong *p, ulong n) { return (counter)(p + n); }

// Takes n packets: twice the first one's position, plus the end, plus 2. 0 if there are not as many.
ulong reserve(global ulong *p, uint bytes, uint n, uint end)
{
    ulong capacity = p[CAPACITY];
    if (n == 0 || n > capacity || bytes != p[PACKET_BYTES])
        return 0;
    ulong first = atomic_load(at(p, TAKEN(end)));
    do {
        ulong limit = atomic_load(at(p, DONE(1 - end)));
        if (end == WRITE)
            limit += capacity;
        if (limit - first < n)
            return 0;
    } while (!atomic_compare_exchange_strong(at(p, TAKEN(end)), &first, first + n));
    atomic_store(at(p, RECORDS + (first & p[LAST_SLOT])), (first + n) << 2 | OPEN(end));
    return first * 2 + end + 2;
}

// The place of a packet of a reservation, in bytes from the pipe's start; 0 if there is none.
ulong packet(global ulong *p, uint bytes, ulong id, uint index, uint end)
{
    ulong first = (id >> 1) - 1;
    ulong slot = first & p[LAST_SLOT];
    ulong record = p[RECORDS + slot];
    ulong n = (record >> 2) - first;
    bool good = (id >= 2) & ((id & 1) == end) & ((record & 3) == OPEN(end)) & (n <= p[CAPACITY]) & (index < n) &
                (bytes == p[PACKET_BYTES]);
    return good ? p[DATA] + (first + index & p[LAST_SLOT]) * bytes : 0;
}

// Ends a reservation; what is none, or has ended, has no effect.
void commit(global ulong *p, ulong id, uint end)
{
    ulong first = (id >> 1) - 1;
    counter own = at(p, RECORDS + (first & p[LAST_SLOT]));
    ulong record = atomic_load(own);
    ulong n = (record >> 2) - first;
    if (id < 2 || (id & 1) != end || (record & 3) != OPEN(end) || n == 0 || n > p[CAPACITY] ||
        !atomic_compare_exchange_strong(own, &record, record | 1))
        return;
    // From here on either this work-item sees all that is committed in front, or who commits that sees this record.
    ulong done = atomic_load(at(p, DONE(end)));
    for (;;) {
        record = atomic_load(at(p, RECORDS + (done & p[LAST_SLOT])));
        n = (record >> 2) - done;
        if ((record & 3) != COMMITTED(end) || n == 0 || n > p[CAPACITY])
            return;
        if (atomic_compare_exchange_strong(at(p, DONE(end)), &done, done + n))
            done += n;
    }
}

// The packets that can be read.
uint available(global ulong *p)
{
    ulong from = atomic_load(at(p, TAKEN(READ)));
    return (uint)min(atomic_load(at(p, DONE(WRITE))) - from, p[CAPACITY]);
}

uint capacity(global ulong *p) { return (uint)p[CAPACITY]; }

// By one work-item for all of the group.
ulong work_group_reserve(global ulong *p, uint bytes, uint n, uint end)
{
    ulong id = 0;
    if (get_local_linear_id() == 0)
        id = reserve(p, bytes, n, end);
    return work_group_broadcast(id, 0, 0, 0);
}

void work_group_commit(global ulong *p, ulong id, uint end)
{
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_linear_id() == 0)
        commit(p, id, end);
}

ulong sub_group_reserve(global ulong *p, uint bytes, uint n, uint end)
{
    ulong id = 0;
    if (sub_group_elect())
        id = reserve(p, bytes, n, end);
    return sub_group_broadcast_first(id);
}

void sub_group_commit(global ulong *p, ulong id, uint end)
{
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (sub_group_elect())
        commit(p, id, end);
}
