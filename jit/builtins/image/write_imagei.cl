// write_imagei: signed integers of 8, 16 and 32 bits, saturated. Other channel types store nothing.

#include "image.clh"

#define WRITE write_imagei
#define TEXEL int4

// Stores the channels that the texel has.
#define FOUR(NAME, T) \
    static void NAME(constant Image *image, global uchar *p, T##4 v) \
    { \
        uint channels = image->channels; \
        if (channels & CHANNELS_RGBA) { \
            vstore4(v, 0, (global T *)p); \
            return; \
        } \
        if (channels & 0x10) \
            *(global T *)(p + image->offset[0]) = v.x; \
        if (channels & 0x20) \
            *(global T *)(p + image->offset[1]) = v.y; \
        if (channels & 0x40) \
            *(global T *)(p + image->offset[2]) = v.z; \
        if (channels & 0x80) \
            *(global T *)(p + image->offset[3]) = v.w; \
    }

FOUR(put_char, char)
FOUR(put_short, short)
FOUR(put_int, int)

static void encode(constant Image *image, global uchar *p, int4 colour)
{
    switch (image->type) {
    case SIGNED_INT8: put_char(image, p, convert_char4_sat(colour)); break;
    case SIGNED_INT16: put_short(image, p, convert_short4_sat(colour)); break;
    case SIGNED_INT32: put_int(image, p, convert_int4_sat(colour)); break;
    default: break;
    }
}

#include "image_write.clh"
