// read_imagei: signed integers, at a level of detail.

#include "image.clh"

#define READ read_imagei
#define TEXEL int4
#define T8 char
#define T16 short
#define T32 int
#define INT8 SIGNED_INT8
#define INT16 SIGNED_INT16
#define INT32 SIGNED_INT32

#include "image_read_int.clh"
#include "image_mip_read.clh"
