// write_imageui: unsigned integers.

#define WRITE write_imageui
#include "image_unsigned.clh"
#include "image_write_int.clh"
#include "image_write.clh"
