// intel_sub_group_block_read and intel_sub_group_block_write on images, of each type and width: the bytes of rows as
// they are, element i of a row for work-item i of the sub-group. Reads beyond an edge give the element there, writes
// store nothing.

#include "image.clh"

#define ELEMENT(T, name) \
    static T read_##name(constant Image *image, int2 at, int row) \
    { \
        int size = sizeof(T); \
        long x = at.x + (long)get_sub_group_local_id() * size; \
        long end = (long)image->width * image->texel_bytes - size; \
        x = max(min(x, end), 0L); \
        long y = max(min((long)at.y + row, (long)image->height - 1), 0L); \
        global uchar *p = image->data + y * image->row_pitch + x; \
        T v = 0; \
        if (end >= 0) \
            for (int i = 0; i < size; i++) ((uchar *)&v)[i] = p[i]; \
        return v; \
    } \
    static void write_##name(constant Image *image, int2 at, int row, T v) \
    { \
        int size = sizeof(T); \
        long x = at.x + (long)get_sub_group_local_id() * size, y = (long)at.y + row; \
        long end = (long)image->width * image->texel_bytes - size; \
        if (x >= 0 && x <= end && y >= 0 && y < image->height) { \
            global uchar *p = image->data + y * image->row_pitch + x; \
            for (int i = 0; i < size; i++) p[i] = ((uchar *)&v)[i]; \
        } \
    }

ELEMENT(uchar, uc)
ELEMENT(ushort, us)
ELEMENT(uint, ui)
ELEMENT(ulong, ul)

#define READ(function, T, name, n) \
    T##n function(read_only image2d_t image, int2 at) \
    { \
        T##n v; \
        for (int i = 0; i < n; i++) ((T *)&v)[i] = read_##name(IMAGE(image), at, i); \
        return v; \
    }
#define WRITE(function, T, name, n) \
    void function(write_only image2d_t image, int2 at, T##n v) \
    { \
        for (int i = 0; i < n; i++) write_##name(IMAGE(image), at, i, ((T *)&v)[i]); \
    }
#define READ1(function, T, name) \
    T function(read_only image2d_t image, int2 at) { return read_##name(IMAGE(image), at, 0); }
#define WRITE1(function, T, name) \
    void function(write_only image2d_t image, int2 at, T v) { write_##name(IMAGE(image), at, 0, v); }

READ1(block_read_uc1, uchar, uc)
WRITE1(block_write_uc1, uchar, uc)
READ(block_read_uc2, uchar, uc, 2)
WRITE(block_write_uc2, uchar, uc, 2)
READ(block_read_uc4, uchar, uc, 4)
WRITE(block_write_uc4, uchar, uc, 4)
READ(block_read_uc8, uchar, uc, 8)
WRITE(block_write_uc8, uchar, uc, 8)
READ(block_read_uc16, uchar, uc, 16)
WRITE(block_write_uc16, uchar, uc, 16)
READ1(block_read_us1, ushort, us)
WRITE1(block_write_us1, ushort, us)
READ(block_read_us2, ushort, us, 2)
WRITE(block_write_us2, ushort, us, 2)
READ(block_read_us4, ushort, us, 4)
WRITE(block_write_us4, ushort, us, 4)
READ(block_read_us8, ushort, us, 8)
WRITE(block_write_us8, ushort, us, 8)
READ(block_read_us16, ushort, us, 16)
WRITE(block_write_us16, ushort, us, 16)
READ1(block_read_ui1, uint, ui)
WRITE1(block_write_ui1, uint, ui)
READ(block_read_ui2, uint, ui, 2)
WRITE(block_write_ui2, uint, ui, 2)
READ(block_read_ui4, uint, ui, 4)
WRITE(block_write_ui4, uint, ui, 4)
READ(block_read_ui8, uint, ui, 8)
WRITE(block_write_ui8, uint, ui, 8)
READ1(block_read_ul1, ulong, ul)
WRITE1(block_write_ul1, ulong, ul)
READ(block_read_ul2, ulong, ul, 2)
WRITE(block_write_ul2, ulong, ul, 2)
READ(block_read_ul4, ulong, ul, 4)
WRITE(block_write_ul4, ulong, ul, 4)
READ(block_read_ul8, ulong, ul, 8)
WRITE(block_write_ul8, ulong, ul, 8)
