// write_imageui: unsigned integers, at a level of detail.

#define WRITE write_imageui
#include "image_unsigned.clh"
#include "image_write_int.clh"
#include "image_mip_write.clh"
