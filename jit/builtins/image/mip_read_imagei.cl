// read_imagei: signed integers, at a level of detail.

#define READ read_imagei
#include "image_signed.clh"
#include "image_read_int.clh"
#include "image_mip_read.clh"
