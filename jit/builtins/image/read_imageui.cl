// read_imageui: unsigned integers of 8, 16 and 32 bits as they are. Other channel types give zeros.

#include "image.clh"

#define READ read_imageui
#define TEXEL uint4
#define SCALAR uint
#define FILTERS 0

// The four channels; a channel that the texel does not have gives another one's value.
#define FOUR(NAME, T, LOAD4) \
    static uint4 NAME(constant Image *image, global const uchar *p) \
    { \
        if (image->channels & CHANNELS_RGBA) \
            return LOAD4; \
        global const T *r = (global const T *)(p + image->offset[0]), *g = (global const T *)(p + image->offset[1]); \
        global const T *b = (global const T *)(p + image->offset[2]), *a = (global const T *)(p + image->offset[3]); \
        return (uint4)(*r, *g, *b, *a); \
    }

FOUR(four_uchar, uchar, convert_uint4(vload4(0, (global const uchar *)p)))
FOUR(four_ushort, ushort, convert_uint4(vload4(0, (global const ushort *)p)))
FOUR(four_uint, uint, convert_uint4(vload4(0, (global const uint *)p)))

static uint4 decode(constant Image *image, global const uchar *p)
{
    uint channels = image->channels;
    uint4 v;
    switch (image->type) {
    case UNSIGNED_INT8: v = four_uchar(image, p); break;
    case UNSIGNED_INT16: v = four_ushort(image, p); break;
    case UNSIGNED_INT32: v = four_uint(image, p); break;
    default: v = 0; break;
    }
    if (!(channels & CHANNELS_RGBA))
        v = (uint4)(channels & 1 ? v.x : 0, channels & 2 ? v.y : 0, channels & 4 ? v.z : 0, channels & 8 ? v.w : 1);
    return v;
}

#include "image_read.clh"
