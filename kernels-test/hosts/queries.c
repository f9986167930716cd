/* Prints what the platform and the device say to every query that Clift has an answer to, one on a line; lists on one
 * line. Then what the first sub-devices answer otherwise, for each way to make some of one compute unit. Any driver can
 * be asked: `docs/queries.md` compares some. */
#include "common.h"

typedef struct {
    cl_uint number;
    const char *name;
    /* s text, t list of texts, n list of names with versions, v version, x bits, p handle, b bytes, z list of 64-bit
     * numbers, u numbers of 32 bits, or of 64 if the answer has eight bytes */
    char kind;
    int of_platform;
} Query;

static const Query QUERIES[] = {
    {0x0900, "PLATFORM_PROFILE", 's', 1},
    {0x0901, "PLATFORM_VERSION", 's', 1},
    {0x0906, "PLATFORM_NUMERIC_VERSION", 'v', 1},
    {0x0902, "PLATFORM_NAME", 's', 1},
    {0x0903, "PLATFORM_VENDOR", 's', 1},
    {0x0904, "PLATFORM_EXTENSIONS", 's', 1},
    {0x0907, "PLATFORM_EXTENSIONS_WITH_VERSION", 'n', 1},
    {0x0905, "PLATFORM_HOST_TIMER_RESOLUTION", 'u', 1},
    {0x0908, "PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR", 'x', 1},
    {0x2037, "PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", 'u', 1},
    {0x2038, "PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", 'u', 1},
    {0x2036, "PLATFORM_SEMAPHORE_TYPES_KHR", 'u', 1},
    {0x2044, "PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", 'u', 1},
    {0x0909, "PLATFORM_SVM_TYPE_CAPABILITIES_KHR", 'z', 1},
    {0x0920, "PLATFORM_ICD_SUFFIX_KHR", 's', 1},
    {0x1000, "DEVICE_TYPE", 'x', 0},
    {0x1001, "DEVICE_VENDOR_ID", 'u', 0},
    {0x102B, "DEVICE_NAME", 's', 0},
    {0x102C, "DEVICE_VENDOR", 's', 0},
    {0x1031, "DEVICE_PLATFORM", 'p', 0},
    {0x102E, "DEVICE_PROFILE", 's', 0},
    {0x102F, "DEVICE_VERSION", 's', 0},
    {0x105E, "DEVICE_NUMERIC_VERSION", 'v', 0},
    {0x102D, "DRIVER_VERSION", 's', 0},
    {0x103D, "DEVICE_OPENCL_C_VERSION", 's', 0},
    {0x1066, "DEVICE_OPENCL_C_ALL_VERSIONS", 'n', 0},
    {0x106F, "DEVICE_OPENCL_C_FEATURES", 'n', 0},
    {0x1030, "DEVICE_EXTENSIONS", 's', 0},
    {0x1060, "DEVICE_EXTENSIONS_WITH_VERSION", 'n', 0},
    {0x1072, "DEVICE_LATEST_CONFORMANCE_VERSION_PASSED", 's', 0},
    {0x1047, "DEVICE_REFERENCE_COUNT", 'u', 0},
    {0x106A, "DEVICE_UUID_KHR", 'b', 0},
    {0x106B, "DRIVER_UUID_KHR", 'b', 0},
    {0x106C, "DEVICE_LUID_VALID_KHR", 'u', 0},
    {0x106D, "DEVICE_LUID_KHR", 'b', 0},
    {0x106E, "DEVICE_NODE_MASK_KHR", 'u', 0},
    {0x4250, "DEVICE_IP_VERSION_INTEL", 'v', 0},
    {0x4251, "DEVICE_ID_INTEL", 'u', 0},
    {0x4252, "DEVICE_NUM_SLICES_INTEL", 'u', 0},
    {0x4253, "DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL", 'u', 0},
    {0x4254, "DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL", 'u', 0},
    {0x4255, "DEVICE_NUM_THREADS_PER_EU_INTEL", 'u', 0},
    {0x4256, "DEVICE_FEATURE_CAPABILITIES_INTEL", 'x', 0},
    {0x2031, "DEVICE_TERMINATE_CAPABILITY_KHR", 'u', 0},
    {0x1027, "DEVICE_AVAILABLE", 'u', 0},
    {0x1028, "DEVICE_COMPILER_AVAILABLE", 'u', 0},
    {0x103E, "DEVICE_LINKER_AVAILABLE", 'u', 0},
    {0x1029, "DEVICE_EXECUTION_CAPABILITIES", 'x', 0},
    {0x102A, "DEVICE_QUEUE_ON_HOST_PROPERTIES", 'x', 0},
    {0x1002, "DEVICE_MAX_COMPUTE_UNITS", 'u', 0},
    {0x100C, "DEVICE_MAX_CLOCK_FREQUENCY", 'u', 0},
    {0x1003, "DEVICE_MAX_WORK_ITEM_DIMENSIONS", 'u', 0},
    {0x1005, "DEVICE_MAX_WORK_ITEM_SIZES", 'z', 0},
    {0x1004, "DEVICE_MAX_WORK_GROUP_SIZE", 'u', 0},
    {0x1067, "DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", 'u', 0},
    {0x1065, "DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", 'u', 0},
    {0x1025, "DEVICE_PROFILING_TIMER_RESOLUTION", 'u', 0},
    {0x1049, "DEVICE_PRINTF_BUFFER_SIZE", 'u', 0},
    {0x103F, "DEVICE_BUILT_IN_KERNELS", 's', 0},
    {0x1062, "DEVICE_BUILT_IN_KERNELS_WITH_VERSION", 'n', 0},
    {0x1048, "DEVICE_PREFERRED_INTEROP_USER_SYNC", 'u', 0},
    {0x1006, "DEVICE_PREFERRED_VECTOR_WIDTH_CHAR", 'u', 0},
    {0x1007, "DEVICE_PREFERRED_VECTOR_WIDTH_SHORT", 'u', 0},
    {0x1008, "DEVICE_PREFERRED_VECTOR_WIDTH_INT", 'u', 0},
    {0x1009, "DEVICE_PREFERRED_VECTOR_WIDTH_LONG", 'u', 0},
    {0x100A, "DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT", 'u', 0},
    {0x100B, "DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE", 'u', 0},
    {0x1034, "DEVICE_PREFERRED_VECTOR_WIDTH_HALF", 'u', 0},
    {0x1036, "DEVICE_NATIVE_VECTOR_WIDTH_CHAR", 'u', 0},
    {0x1037, "DEVICE_NATIVE_VECTOR_WIDTH_SHORT", 'u', 0},
    {0x1038, "DEVICE_NATIVE_VECTOR_WIDTH_INT", 'u', 0},
    {0x1039, "DEVICE_NATIVE_VECTOR_WIDTH_LONG", 'u', 0},
    {0x103A, "DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", 'u', 0},
    {0x103B, "DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE", 'u', 0},
    {0x103C, "DEVICE_NATIVE_VECTOR_WIDTH_HALF", 'u', 0},
    {0x101B, "DEVICE_SINGLE_FP_CONFIG", 'x', 0},
    {0x1032, "DEVICE_DOUBLE_FP_CONFIG", 'x', 0},
    {0x1033, "DEVICE_HALF_FP_CONFIG", 'x', 0},
    {0x100D, "DEVICE_ADDRESS_BITS", 'u', 0},
    {0x1026, "DEVICE_ENDIAN_LITTLE", 'u', 0},
    {0x101A, "DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", 'u', 0},
    {0x1010, "DEVICE_MAX_MEM_ALLOC_SIZE", 'u', 0},
    {0x1019, "DEVICE_MEM_BASE_ADDR_ALIGN", 'u', 0},
    {0x101F, "DEVICE_GLOBAL_MEM_SIZE", 'u', 0},
    {0x101C, "DEVICE_GLOBAL_MEM_CACHE_TYPE", 'u', 0},
    {0x101E, "DEVICE_GLOBAL_MEM_CACHE_SIZE", 'u', 0},
    {0x101D, "DEVICE_GLOBAL_MEM_CACHELINE_SIZE", 'u', 0},
    {0x1022, "DEVICE_LOCAL_MEM_TYPE", 'u', 0},
    {0x1023, "DEVICE_LOCAL_MEM_SIZE", 'u', 0},
    {0x1020, "DEVICE_MAX_CONSTANT_BUFFER_SIZE", 'u', 0},
    {0x1021, "DEVICE_MAX_CONSTANT_ARGS", 'u', 0},
    {0x1017, "DEVICE_MAX_PARAMETER_SIZE", 'u', 0},
    {0x104D, "DEVICE_MAX_GLOBAL_VARIABLE_SIZE", 'u', 0},
    {0x1054, "DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE", 'u', 0},
    {0x1024, "DEVICE_ERROR_CORRECTION_SUPPORT", 'u', 0},
    {0x1035, "DEVICE_HOST_UNIFIED_MEMORY", 'u', 0},
    {0x1053, "DEVICE_SVM_CAPABILITIES", 'x', 0},
    {0x1077, "DEVICE_SVM_TYPE_CAPABILITIES_KHR", 'z', 0},
    {0x1078, "DEVICE_SVM_CONCURRENT_ACCESS_ATOM_SIZE_KHR", 'z', 0},
    {0x1063, "DEVICE_ATOMIC_MEMORY_CAPABILITIES", 'x', 0},
    {0x1064, "DEVICE_ATOMIC_FENCE_CAPABILITIES", 'x', 0},
    {0x1058, "DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT", 'u', 0},
    {0x1059, "DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT", 'u', 0},
    {0x105A, "DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT", 'u', 0},
    {0x1073, "DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR", 'x', 0},
    {0x1074, "DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR", 'u', 0},
    {0x4231, "DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT", 'x', 0},
    {0x4232, "DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT", 'x', 0},
    {0x4233, "DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT", 'x', 0},
    {0x1076, "DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR", 'x', 0},
    {0x204F, "DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", 'u', 0},
    {0x2052, "DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR", 'u', 0},
    {0x204D, "DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", 'u', 0},
    {0x204E, "DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", 'u', 0},
    {0x204C, "DEVICE_SEMAPHORE_TYPES_KHR", 'u', 0},
    {0x12A9, "DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR", 'x', 0},
    {0x12AB, "DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR", 'u', 0},
    {0x12AC, "DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR", 'p', 0},
    {0x129A, "DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR", 'x', 0},
    {0x12AA, "DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR", 'x', 0},
    {0x12B0, "DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR", 'x', 0},
    {0x1016, "DEVICE_IMAGE_SUPPORT", 'u', 0},
    {0x100E, "DEVICE_MAX_READ_IMAGE_ARGS", 'u', 0},
    {0x100F, "DEVICE_MAX_WRITE_IMAGE_ARGS", 'u', 0},
    {0x104C, "DEVICE_MAX_READ_WRITE_IMAGE_ARGS", 'u', 0},
    {0x1011, "DEVICE_IMAGE2D_MAX_WIDTH", 'u', 0},
    {0x1012, "DEVICE_IMAGE2D_MAX_HEIGHT", 'u', 0},
    {0x1013, "DEVICE_IMAGE3D_MAX_WIDTH", 'u', 0},
    {0x1014, "DEVICE_IMAGE3D_MAX_HEIGHT", 'u', 0},
    {0x1015, "DEVICE_IMAGE3D_MAX_DEPTH", 'u', 0},
    {0x1040, "DEVICE_IMAGE_MAX_BUFFER_SIZE", 'u', 0},
    {0x1041, "DEVICE_IMAGE_MAX_ARRAY_SIZE", 'u', 0},
    {0x104A, "DEVICE_IMAGE_PITCH_ALIGNMENT", 'u', 0},
    {0x104B, "DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT", 'u', 0},
    {0x1018, "DEVICE_MAX_SAMPLERS", 'u', 0},
    {0x105B, "DEVICE_IL_VERSION", 's', 0},
    {0x1061, "DEVICE_ILS_WITH_VERSION", 'n', 0},
    {0x12B9, "DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR", 't', 0},
    {0x12BA, "DEVICE_SPIRV_EXTENSIONS_KHR", 't', 0},
    {0x12BB, "DEVICE_SPIRV_CAPABILITIES_KHR", 'u', 0},
    {0x1071, "DEVICE_PIPE_SUPPORT", 'u', 0},
    {0x1055, "DEVICE_MAX_PIPE_ARGS", 'u', 0},
    {0x1056, "DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", 'u', 0},
    {0x1057, "DEVICE_PIPE_MAX_PACKET_SIZE", 'u', 0},
    {0x1070, "DEVICE_DEVICE_ENQUEUE_CAPABILITIES", 'x', 0},
    {0x104E, "DEVICE_QUEUE_ON_DEVICE_PROPERTIES", 'x', 0},
    {0x104F, "DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", 'u', 0},
    {0x1050, "DEVICE_QUEUE_ON_DEVICE_MAX_SIZE", 'u', 0},
    {0x1051, "DEVICE_MAX_ON_DEVICE_QUEUES", 'u', 0},
    {0x1052, "DEVICE_MAX_ON_DEVICE_EVENTS", 'u', 0},
    {0x105C, "DEVICE_MAX_NUM_SUB_GROUPS", 'u', 0},
    {0x4108, "DEVICE_SUB_GROUP_SIZES_INTEL", 'z', 0},
    {0x105D, "DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS", 'u', 0},
    {0x1069, "DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", 'u', 0},
    {0x1068, "DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", 'u', 0},
    {0x4190, "DEVICE_HOST_MEM_CAPABILITIES_INTEL", 'x', 0},
    {0x4191, "DEVICE_DEVICE_MEM_CAPABILITIES_INTEL", 'x', 0},
    {0x4192, "DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", 'x', 0},
    {0x4193, "DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", 'x', 0},
    {0x4194, "DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL", 'x', 0},
    {0x1042, "DEVICE_PARENT_DEVICE", 'p', 0},
    {0x1043, "DEVICE_PARTITION_MAX_SUB_DEVICES", 'u', 0},
    {0x1044, "DEVICE_PARTITION_PROPERTIES", 'z', 0},
    {0x1045, "DEVICE_PARTITION_AFFINITY_DOMAIN", 'u', 0},
    {0x1046, "DEVICE_PARTITION_TYPE", 'z', 0},
};

static void print_version(cl_uint version) {
    printf("%u.%u.%u", version >> 22, version >> 12 & 1023, version & 4095);
}

static void print_value(char kind, const unsigned char *bytes, size_t size) {
    cl_ulong wide = 0;
    switch (kind) {
    case 's': printf("%s", (const char *)bytes); break;
    case 't':
        for (size_t i = 0; i + 8 <= size; i += 8) printf("%s ", *(char *const *)(bytes + i));
        break;
    case 'n':
        for (size_t i = 0; i + 68 <= size; i += 68) {
            printf("%s=", (const char *)bytes + i + 4);
            print_version(*(const cl_uint *)(bytes + i));
            printf(" ");
        }
        break;
    case 'v': print_version(*(const cl_uint *)bytes); break;
    case 'x':
        memcpy(&wide, bytes, size < 8 ? size : 8);
        printf("%#llx", (unsigned long long)wide);
        break;
    case 'p': printf("%s", *(void *const *)bytes ? "a handle" : "none"); break;
    case 'b':
        for (size_t i = 0; i < size; i++) printf("%02x", bytes[i]);
        break;
    case 'z':
        for (size_t i = 0; i + 8 <= size; i += 8) printf("%llu ", *(const unsigned long long *)(bytes + i));
        break;
    default:
        if (size == 8) {
            printf("%llu", *(const unsigned long long *)bytes);
            break;
        }
        for (size_t i = 0; i + 4 <= size; i += 4) printf("%u ", *(const cl_uint *)(bytes + i));
    }
}

/* Bytes of an answer. */
static unsigned char bytes[1 << 20], of_root[1 << 20];

/* A query with its answer, or with the error. */
static void print_answer(const char *before, const Query *q, cl_int status, size_t size) {
    printf("%s%s: ", before, q->name);
    if (status != CL_SUCCESS) printf("error %d", status);
    else print_value(q->kind, bytes, size);
    printf("\n");
}

/* What a device of one compute unit, made in this way, answers other than its parent. */
static void print_part(cl_device_id root, const char *what, const cl_device_partition_property *how) {
    cl_device_id parts[64];
    cl_uint n = 0;
    cl_int status = clCreateSubDevices(root, how, 0, NULL, &n);
    if (status == CL_SUCCESS && n > 64) n = 64;
    if (status == CL_SUCCESS) status = clCreateSubDevices(root, how, n, parts, NULL);
    if (status != CL_SUCCESS) {
        printf("%s: error %d\n", what, status);
        return;
    }
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++) {
        const Query *q = &QUERIES[i];
        size_t size = 0, size_of_root = 0;
        if (q->of_platform) continue;
        memset(bytes, 0, 256);
        memset(of_root, 0, 256);
        cl_int code_of_root = clGetDeviceInfo(root, q->number, sizeof of_root, of_root, &size_of_root);
        status = clGetDeviceInfo(parts[0], q->number, sizeof bytes, bytes, &size);
        if (status != code_of_root || size != size_of_root || memcmp(bytes, of_root, size))
            print_answer(what, q, status, size);
    }
    for (cl_uint i = 0; i < n; i++) CHECK(clReleaseDevice(parts[i]));
}

int main(void) {
    Setup s = open_device(0);
    for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; i++) {
        const Query *q = &QUERIES[i];
        size_t size = 0;
        memset(bytes, 0, 256);
        cl_int status = q->of_platform ? clGetPlatformInfo(s.platform, q->number, sizeof bytes, bytes, &size)
                                       : clGetDeviceInfo(s.device, q->number, sizeof bytes, bytes, &size);
        print_answer("", q, status, size);
    }
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    const cl_device_partition_property by_domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                      CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    /* cl_intel_device_partition_by_names */
    const cl_device_partition_property by_names[] = {0x4052, 0, -1, 0};
    print_part(s.device, "equally, ", equally);
    print_part(s.device, "by counts, ", by_counts);
    print_part(s.device, "by domain, ", by_domain);
    print_part(s.device, "by names, ", by_names);
    close_device(&s);
    return 0;
}
