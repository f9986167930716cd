/* Two processes whose kernels work in one memory by turns: a file without a name (memfd_create), whose descriptor one
 * sends to the other through a socket, with those of two semaphores that say whose turn it is. Each makes a buffer of
 * the file (cl_khr_external_memory_opaque_fd) and semaphores of the descriptors (cl_khr_external_semaphore_opaque_fd),
 * and takes part in Collatz sequences: one process makes the odd numbers even, the other halves the even ones, until
 * all are 1. The host programs wait for nothing but their own queues. A plain mapping sees what they do. */
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR 0x2060
#define CL_SEMAPHORE_TYPE_KHR 0x203D
#define CL_SEMAPHORE_TYPE_BINARY_KHR 1
#define CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR 0x203F
#define CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR 0x2055
typedef struct _cl_semaphore_khr *cl_semaphore_khr;
typedef cl_semaphore_khr (*create_fn)(cl_context, const cl_properties *, cl_int *);
typedef cl_int (*export_fn)(cl_semaphore_khr, cl_device_id, cl_uint, size_t, void *, size_t *);
typedef cl_int (*release_fn)(cl_semaphore_khr);
typedef cl_int (*semaphores_fn)(cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_ulong *, cl_uint,
                                const cl_event *, cl_event *);
typedef cl_int (*hand_over_fn)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

/* A multiple of 16, so that the steps lie where a sub-buffer may begin. */
#define N 5008

static const char *source =
    "kernel void turn(global ulong *numbers, global uint *steps, uint odd, global uint *open) {\n"
    "    size_t i = get_global_id(0);\n"
    "    ulong n = numbers[i];\n"
    "    if (n != 1 && (n & 1) == odd) {\n"
    "        numbers[i] = odd ? 3 * n + 1 : n / 2;\n"
    "        steps[i]++;\n"
    "    }\n"
    "    if (numbers[i] != 1) atomic_inc(open);\n"
    "}\n";

/* What lies in the file. */
typedef struct {
    cl_ulong numbers[N];
    cl_uint steps[N];
} Memory;

static void send_fd(int socket, int fd) {
    char byte = 'f', control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    if (sendmsg(socket, &message, 0) != 1) fail("sendmsg failed");
}

static int receive_fd(int socket) {
    int fd;
    char byte, control[CMSG_SPACE(sizeof fd)];
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, 0) != 1) fail("recvmsg failed");
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) fail("no descriptor came");
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

/* A function of an extension. */
static void *find(const Setup *s, const char *name) {
    void *function = clGetExtensionFunctionAddressForPlatform(s->platform, name);
    if (!function) fail("there is no %s", name);
    return function;
}

/* Takes turns, each of which the first semaphore begins, and signals the second one at the end of each, until no number
 * is open. */
static void work(Setup *s, int fd, const cl_semaphore_khr semaphores[2], cl_uint odd) {
    hand_over_fn acquire = (hand_over_fn)find(s, "clEnqueueAcquireExternalMemObjectsKHR");
    hand_over_fn release = (hand_over_fn)find(s, "clEnqueueReleaseExternalMemObjectsKHR");
    semaphores_fn wait = (semaphores_fn)find(s, "clEnqueueWaitSemaphoresKHR");
    semaphores_fn signal = (semaphores_fn)find(s, "clEnqueueSignalSemaphoresKHR");
    cl_int status;
    cl_mem mems[2];
    const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, 0};
    if (clCreateBufferWithProperties(s->context, list, 0, sizeof(Memory) + 1, NULL, &status)) fail("too large a buffer");
    EXPECT("a buffer larger than the file", status, CL_INVALID_PROPERTY);
    mems[0] = clCreateBufferWithProperties(s->context, list, CL_MEM_READ_WRITE, sizeof(Memory), NULL, &status);
    CHECK(status);
    if (fcntl(fd, F_GETFD) >= 0) fail("the descriptor is still open");
    const cl_buffer_region region = {offsetof(Memory, steps), sizeof(cl_uint) * N};
    mems[1] = clCreateSubBuffer(mems[0], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK(status);
    cl_mem open = new_buffer(s, CL_MEM_READ_WRITE, sizeof(cl_uint), NULL);
    cl_program program = build_program(s, source, "");
    cl_kernel turn = get_kernel(program, "turn");
    SET_ARG(turn, 0, mems[0]);
    SET_ARG(turn, 1, mems[1]);
    SET_ARG(turn, 2, odd);
    SET_ARG(turn, 3, open);
    const size_t n = N;
    const cl_uint zero = 0;
    cl_uint left = 1;
    while (left) {
        CHECK(wait(s->queue, 1, &semaphores[0], NULL, 0, NULL, NULL));
        CHECK(acquire(s->queue, 1, mems, 0, NULL, NULL));
        CHECK(clEnqueueWriteBuffer(s->queue, open, CL_FALSE, 0, sizeof zero, &zero, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(s->queue, turn, 1, NULL, &n, NULL, 0, NULL, NULL));
        CHECK(release(s->queue, 1, mems, 0, NULL, NULL));
        CHECK(signal(s->queue, 1, &semaphores[1], NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(s->queue, open, CL_TRUE, 0, sizeof left, &left, 0, NULL, NULL));
    }
    CHECK(clReleaseKernel(turn));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(open));
    CHECK(clReleaseMemObject(mems[1]));
    CHECK(clReleaseMemObject(mems[0]));
    release_fn drop = (release_fn)find(s, "clReleaseSemaphoreKHR");
    CHECK(drop(semaphores[0]));
    CHECK(drop(semaphores[1]));
    close_device(s);
}

/* The process that is told where everything is. */
static void other(int socket) {
    int fds[3];
    for (int i = 0; i < 3; i++) fds[i] = receive_fd(socket);
    Setup s = open_device(0);
    create_fn create = (create_fn)find(&s, "clCreateSemaphoreWithPropertiesKHR");
    cl_semaphore_khr semaphores[2];
    for (int i = 0; i < 2; i++) {
        const cl_properties list[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, (cl_properties)fds[1 + i], 0};
        cl_int status;
        semaphores[i] = create(s.context, list, &status);
        CHECK(status);
    }
    work(&s, fds[0], semaphores, 0);
}

int main(void) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) fail("socketpair failed");
    /* Before anything of OpenCL, which a child of a fork cannot go on with. */
    pid_t child = fork();
    if (child < 0) fail("fork failed");
    if (child == 0) {
        close(sockets[0]);
        other(sockets[1]);
        return 0;
    }
    close(sockets[1]);
    int fd = memfd_create("numbers", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof(Memory))) fail("no memory without a name");
    Memory *memory = mmap(NULL, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) fail("mmap failed");
    for (cl_ulong i = 0; i < N; i++) memory->numbers[i] = i + 1;
    send_fd(sockets[0], fd);

    Setup s = open_device(0);
    create_fn create = (create_fn)find(&s, "clCreateSemaphoreWithPropertiesKHR");
    export_fn export = (export_fn)find(&s, "clGetSemaphoreHandleForTypeKHR");
    semaphores_fn signal = (semaphores_fn)find(&s, "clEnqueueSignalSemaphoresKHR");
    /* The other's turn, and ours. */
    cl_semaphore_khr semaphores[2];
    for (int i = 0; i < 2; i++) {
        const cl_properties list[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                      CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, 0};
        cl_int status;
        semaphores[i] = create(s.context, list, &status);
        CHECK(status);
        int handle;
        size_t size;
        CHECK(export(semaphores[i], s.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof handle, &handle, &size));
        EXPECT("size of a handle", size, sizeof handle);
        send_fd(sockets[0], handle);
        close(handle);
    }
    CHECK(signal(s.queue, 1, &semaphores[0], NULL, 0, NULL, NULL));
    const cl_semaphore_khr ours[2] = {semaphores[1], semaphores[0]};
    work(&s, fd, ours, 1);
    close(sockets[0]);
    int status;
    if (waitpid(child, &status, 0) != child || status) fail("the other process ended with %d", status);
    for (cl_ulong i = 0; i < N; i++) {
        cl_uint steps = 0;
        for (cl_ulong n = i + 1; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
        EXPECT("number", memory->numbers[i], 1);
        EXPECT("steps", memory->steps[i], steps);
    }
    munmap(memory, sizeof(Memory));
    printf("shared: ok\n");
    return 0;
}
