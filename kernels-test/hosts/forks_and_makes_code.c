/* Makes code before it forks, in the child, and in the parent when the child is gone, whose number it prints. For
 * icd/tests/debugging.rs. */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

/* Builds a program with a kernel of this name and runs it. */
static void use(const Setup *s, const char *name) {
    char source[200];
    snprintf(source, sizeof source, "kernel void %s(global int *a) { a[get_global_id(0)] = 1; }", name);
    cl_program program = build_program(s, source, "");
    cl_kernel kernel = get_kernel(program, name);
    cl_mem a = new_buffer(s, 0, 64, NULL);
    const size_t items = 16;
    SET_ARG(kernel, 0, a);
    CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(s->queue));
}

int main(void) {
    Setup s = open_device(0);
    use(&s, "first");
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        use(&s, "inside");
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) fail("the child ends with %d", status);
    use(&s, "behind");
    printf("%d\n", (int)child);
    return 0;
}
