// write_imagei: signed integers.

#define WRITE write_imagei
#define TEXEL int4
#define AS_TEXEL as_int4
#include "image_write_int.clh"
#include "image_write.clh"
