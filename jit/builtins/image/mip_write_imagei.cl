// write_imagei: signed integers, at a level of detail.

#define WRITE write_imagei
#include "image_signed.clh"
#include "image_write_int.clh"
#include "image_mip_write.clh"
