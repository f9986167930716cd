// read_imageui: unsigned integers.

#define READ read_imageui
#define TEXEL uint4
#define SCALAR uint
#define AS_TEXEL as_uint4
#include "image_read_int.clh"
#include "image_read.clh"
