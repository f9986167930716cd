// read_imagei: signed integers of 8, 16 and 32 bits as they are. Other channel types give zeros.

#include "image.clh"

#define READ read_imagei
#define TEXEL int4
#define SCALAR int
#define FILTERS 0

// The four channels; a channel that the texel does not have gives another one's value.
#define FOUR(NAME, T, LOAD4) \
    static int4 NAME(constant Image *image, global const uchar *p) \
    { \
        if (image->channels & CHANNELS_RGBA) \
            return LOAD4; \
        global const T *r = (global const T *)(p + image->offset[0]), *g = (global const T *)(p + image->offset[1]); \
        global const T *b = (global const T *)(p + image->offset[2]), *a = (global const T *)(p + image->offset[3]); \
        return (int4)(*r, *g, *b, *a); \
    }

FOUR(four_char, char, convert_int4(vload4(0, (global const char *)p)))
FOUR(four_short, short, convert_int4(vload4(0, (global const short *)p)))
FOUR(four_int, int, convert_int4(vload4(0, (global const int *)p)))

static int4 decode(constant Image *image, global const uchar *p)
{
    uint channels = image->channels;
    int4 v;
    switch (image->type) {
    case SIGNED_INT8: v = four_char(image, p); break;
    case SIGNED_INT16: v = four_short(image, p); break;
    case SIGNED_INT32: v = four_int(image, p); break;
    default: v = 0; break;
    }
    if (!(channels & CHANNELS_RGBA))
        v = (int4)(channels & 1 ? v.x : 0, channels & 2 ? v.y : 0, channels & 4 ? v.z : 0, channels & 8 ? v.w : 1);
    return v;
}

#include "image_read.clh"
