// read_imagei: signed integers, at a level of detail.

#define READ read_imagei
#define TEXEL int4
#define SCALAR int
#define AS_TEXEL as_int4
#include "image_read_int.clh"
#include "image_mip_read.clh"
