// read_imageui: unsigned integers, at a level of detail.

#include "image.clh"

#define READ read_imageui
#define TEXEL uint4
#define T8 uchar
#define T16 ushort
#define T32 uint
#define INT8 UNSIGNED_INT8
#define INT16 UNSIGNED_INT16
#define INT32 UNSIGNED_INT32
#define PADDED

#include "image_read_int.clh"
#include "image_mip_read.clh"
