// write_imagei: signed integers, at a level of detail.

#define WRITE write_imagei
#define TEXEL int4
#define AS_TEXEL as_int4
#include "image_write_int.clh"
#include "image_mip_write.clh"
