// write_imagei: signed integers.

#define WRITE write_imagei
#include "image_signed.clh"
#include "image_write_int.clh"
#include "image_write.clh"
