// write_imageui: unsigned integers.

#define WRITE write_imageui
#define TEXEL uint4
#define AS_TEXEL as_uint4
#include "image_write_int.clh"
#include "image_write.clh"
