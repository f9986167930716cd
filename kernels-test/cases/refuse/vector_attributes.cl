// Vector attributes that name no vector type of OpenCL C, or stand where they would be ignored.
//@ build-error: 'ext_vector_type(5)' of 'float' is no vector type of OpenCL C
//@ build-error: 'vector_size(6)' of 'int' is no vector type of OpenCL C
//@ build-error: 'vector_size(4)' of 'int' is no vector type of OpenCL C
//@ build-error: 'vector_size' attribute does not apply to type 'int4': scalar type expected
//@ build-error: 'vector_size' attribute does not apply to structures and unions
//@ build-error: 'vector_size' attribute takes one integer
//@ build-error: 'vector_size' attribute is for typedefs, variables and members only
typedef float f5 __attribute__((ext_vector_type(5)));
typedef int i1 __attribute__((vector_size(6)));
typedef int i2 __attribute__((vector_size(4)));
typedef int4 i3 __attribute__((vector_size(16)));
struct s { int x; } __attribute__((vector_size(16)));
typedef int i4 __attribute__((vector_size));
kernel void k(global int *out) { out[0] = sizeof(int __attribute__((vector_size(16)))); }
