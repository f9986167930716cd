// read_imageui: unsigned integers.

#define READ read_imageui
#include "image_unsigned.clh"
#include "image_read_int.clh"
#include "image_read.clh"
