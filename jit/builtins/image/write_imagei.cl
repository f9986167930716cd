// write_imagei: signed integers.

#include "image.clh"

#define WRITE write_imagei
#define TEXEL int4
#define T8 char
#define T16 short
#define T32 int
#define INT8 SIGNED_INT8
#define INT16 SIGNED_INT16
#define INT32 SIGNED_INT32

#include "image_write_int.clh"
#include "image_write.clh"
