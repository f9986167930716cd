// read_imagei: signed integers.

#define READ read_imagei
#include "image_signed.clh"
#include "image_read_int.clh"
#include "image_read.clh"
