// read_imageui: unsigned integers, at a level of detail.

#define READ read_imageui
#include "image_unsigned.clh"
#include "image_read_int.clh"
#include "image_mip_read.clh"
