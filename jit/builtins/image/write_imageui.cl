// write_imageui: unsigned integers of 8, 16 and 32 bits, saturated. Other channel types store nothing.

#include "image.clh"

#define WRITE write_imageui
#define TEXEL uint4

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

FOUR(put_uchar, uchar)
FOUR(put_ushort, ushort)
FOUR(put_uint, uint)

static void encode(constant Image *image, global uchar *p, uint4 colour)
{
    switch (image->type) {
    case UNSIGNED_INT8: put_uchar(image, p, convert_uchar4_sat(colour)); break;
    case UNSIGNED_INT16: put_ushort(image, p, convert_ushort4_sat(colour)); break;
    case UNSIGNED_INT32: put_uint(image, p, convert_uint4_sat(colour)); break;
    default: break;
    }
}

#include "image_write.clh"
