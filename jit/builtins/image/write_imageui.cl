// write_imageui: unsigned integers.

#include "image.clh"

#define WRITE write_imageui
#define TEXEL uint4
#define T8 uchar
#define T16 ushort
#define T32 uint
#define INT8 UNSIGNED_INT8
#define INT16 UNSIGNED_INT16
#define INT32 UNSIGNED_INT32
#define PADDED

#include "image_write_int.clh"
#include "image_write.clh"
