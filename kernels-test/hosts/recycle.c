/* What a driver that gives released memory to new objects must keep to: contexts do not see each other's contents,
 * threads do not get each other's buffers, and the process is not left with memory that it no longer uses. */
#define _GNU_SOURCE
#include "common.h"
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not in our header. */
cl_int clSetContextDestructorCallback(cl_context, void(CL_CALLBACK *)(cl_context, void *), void *);

#define SECRET 0xa5
#define MIB (1024 * 1024)
static const size_t sizes[] = {1000, 40000, 300000, MIB, 2 * MIB + 5000, 8 * MIB};
enum { SIZES = sizeof sizes / sizeof *sizes, THREADS = 6, ROUNDS = 200, BUFFERS = 24 };

static void fill(const Setup *s, cl_mem buffer, cl_uchar value, size_t size) {
    CHECK(clEnqueueFillBuffer(s->queue, buffer, &value, 1, 0, size, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
}

static Setup another(const Setup *s) {
    Setup other = *s;
    cl_int status;
    other.context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &status);
    CHECK(status);
    other.queue = clCreateCommandQueueWithProperties(other.context, s->device, NULL, &status);
    CHECK(status);
    return other;
}

static void look_for_secrets(const Setup *s, const char *who) {
    for (int i = 0; i < SIZES; i++) {
        cl_mem buffer = new_buffer(s, CL_MEM_READ_WRITE, sizes[i], NULL);
        unsigned char *bytes = malloc(sizes[i]);
        CHECK(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizes[i], bytes, 0, NULL, NULL));
        for (size_t k = 0; k < sizes[i]; k++)
            if (bytes[k] == SECRET) fail("%s sees what another context wrote: byte %zu of %zu", who, k, sizes[i]);
        free(bytes);
        CHECK(clReleaseMemObject(buffer));
    }
}

static void contexts_are_apart(const Setup *s) {
    Setup writer = another(s);
    for (int i = 0; i < SIZES; i++) {
        cl_mem buffer = new_buffer(&writer, CL_MEM_READ_WRITE, sizes[i], NULL);
        fill(&writer, buffer, SECRET, sizes[i]);
        CHECK(clReleaseMemObject(buffer));
        void *shared = clSVMAlloc(writer.context, CL_MEM_READ_WRITE, sizes[i], 0);
        memset(shared, SECRET, sizes[i]);
        clSVMFree(writer.context, shared);
    }
    look_for_secrets(s, "a context beside it");
    close_device(&writer);
    look_for_secrets(s, "a context that lived before it ended");
    Setup late = another(s);
    look_for_secrets(&late, "a context made after it ended");
    close_device(&late);
}

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Kilobytes in memory. */
static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) fail("no /proc/self/statm");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void loops_use_the_same_pages(const Setup *s) {
    for (int i = 2; i < SIZES; i++) {
        long before = 0;
        for (int k = 0; k < 40; k++) {
            /* The first rounds may make what later ones find. */
            if (k == 4) before = faults();
            cl_mem buffer = new_buffer(s, CL_MEM_READ_WRITE, sizes[i], NULL);
            fill(s, buffer, (cl_uchar)k, sizes[i]);
            CHECK(clReleaseMemObject(buffer));
        }
        /* Small pages would fault once each and round, which are 36. A buffer that a thread has not quite let go may
         * add a few. */
        const long n = faults() - before;
        if (n > 200 + 9 * (long)sizes[i] / 4096) fail("%ld page faults for buffers of %zu bytes", n, sizes[i]);
    }
}

static void wait_for_memory(long most, int ms, const char *who) {
    const double end = now_ms() + ms;
    while (resident() > most && now_ms() < end) usleep(20000);
    if (resident() > most) fail("%s: %ld KiB are still there, %ld would do", who, resident(), most);
}

static void make_and_release(const Setup *s) {
    cl_mem buffers[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        buffers[i] = new_buffer(s, CL_MEM_READ_WRITE, 3 * MIB, NULL);
        fill(s, buffers[i], 1, 3 * MIB);
    }
    for (int i = 0; i < BUFFERS; i++) CHECK(clReleaseMemObject(buffers[i]));
}

static volatile int is_gone;

static void CL_CALLBACK note(cl_context context, void *data) {
    (void)context, (void)data;
    is_gone = 1;
}

static void unused_memory_goes_back(const Setup *s) {
    const long slack = BUFFERS * 3 * 1024 / 4;
    const long before = resident();
    make_and_release(s);
    wait_for_memory(before + slack, 20000, "after a while");
    /* With its context, which goes when no thread is at its commands any more: sooner than after a while. */
    Setup other = another(s);
    CHECK(clSetContextDestructorCallback(other.context, note, NULL));
    make_and_release(&other);
    close_device(&other);
    for (const double end = now_ms() + 20000; !is_gone && now_ms() < end; usleep(100)) {}
    if (!is_gone) fail("the context stays");
    wait_for_memory(before + slack, 1000, "the context is gone");
    fflush(NULL);
    make_and_release(s);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        make_and_release(s);
        wait_for_memory(before + slack, 20000, "in the child");
        look_for_secrets(s, "the child");
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status) fail("the child ended with %x", status);
}

/* There is room for one block only, and a released one has it. */
static void room_is_made(const Setup *s) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) fail("no /proc/self/statm");
    fclose(file);
    struct rlimit old, limit;
    getrlimit(RLIMIT_AS, &old);
    limit = old;
    limit.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + 70 * MIB;
    if (setrlimit(RLIMIT_AS, &limit)) fail("no limit");
    for (size_t size = 40; size <= 60; size += 10) {
        void *shared = NULL;
        /* A thread that has worked on the buffer may still be about to let go of it, for long on a busy machine. Blocks
         * that are kept are for longer than a second. */
        for (int tries = 0; !shared && tries < 10; tries++) {
            cl_mem buffer = new_buffer(s, CL_MEM_READ_WRITE, size * MIB, NULL);
            fill(s, buffer, 1, size * MIB);
            CHECK(clReleaseMemObject(buffer));
            for (double end = now_ms() + 1000; !shared && now_ms() < end; usleep(1000))
                shared = clSVMAlloc(s->context, CL_MEM_READ_WRITE, (size + 5) * MIB, 0);
        }
        if (!shared) fail("no room for %zu MiB", size + 5);
        clSVMFree(s->context, shared);
    }
    setrlimit(RLIMIT_AS, &old);
}

static Setup shared_setup;

static void *use_buffers(void *data) {
    const cl_uchar own = (cl_uchar)(size_t)data;
    Setup s = shared_setup;
    cl_int status;
    s.queue = clCreateCommandQueueWithProperties(s.context, s.device, NULL, &status);
    CHECK(status);
    unsigned state = own;
    for (int k = 0; k < ROUNDS; k++) {
        const size_t size = sizes[next_random(&state) % 4];
        cl_mem buffer = new_buffer(&s, CL_MEM_READ_WRITE, size, NULL);
        fill(&s, buffer, own, size);
        if (k % 8 == 0) usleep(200);
        cl_uchar *bytes = clEnqueueMapBuffer(s.queue, buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &status);
        CHECK(status);
        for (size_t i = 0; i < size; i++)
            if (bytes[i] != own) fail("thread %d finds %d in its buffer", own, bytes[i]);
        CHECK(clEnqueueUnmapMemObject(s.queue, buffer, bytes, 0, NULL, NULL));
        CHECK(clReleaseMemObject(buffer));
    }
    CHECK(clReleaseCommandQueue(s.queue));
    return NULL;
}

static void threads_are_apart(const Setup *s) {
    shared_setup = *s;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, use_buffers, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

int main(void) {
    /* The heaps that the C library sets up for threads would count as memory in use. */
    mallopt(M_ARENA_MAX, 1);
    Setup s = open_device(0);
    contexts_are_apart(&s);
    loops_use_the_same_pages(&s);
    unused_memory_goes_back(&s);
    room_is_made(&s);
    threads_are_apart(&s);
    close_device(&s);
    puts("recycle: ok");
    return 0;
}
