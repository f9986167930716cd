// Image queries: fields of the descriptor. A size is that of the image, without layers.

#include "image.clh"

#define ALL(QUERY) \
    QUERY(image1d_t) QUERY(image1d_buffer_t) QUERY(image1d_array_t) QUERY(image2d_t) \
    QUERY(image2d_array_t) QUERY(image2d_depth_t) QUERY(image2d_array_depth_t) QUERY(image3d_t)

#define FLAT(QUERY) \
    QUERY(image2d_t) QUERY(image2d_array_t) QUERY(image2d_depth_t) QUERY(image2d_array_depth_t)

#define WIDTH(T) int get_image_width(read_only T image) { return IMAGE(image)->width; }
#define HEIGHT(T) int get_image_height(read_only T image) { return IMAGE(image)->height; }
#define TYPE(T) int get_image_channel_data_type(read_only T image) { return (int)IMAGE(image)->type; }
#define ORDER(T) int get_image_channel_order(read_only T image) { return (int)IMAGE(image)->order; }
#define DIM(T) int2 get_image_dim(read_only T image) { return (int2)(IMAGE(image)->width, IMAGE(image)->height); }
#define LAYERS(T) ulong get_image_array_size(read_only T image) { return (ulong)IMAGE(image)->layers; }

#define LEVELS(T) int get_image_num_mip_levels(read_only T image) { return (int)IMAGE(image)->levels; }

LEVELS(image1d_t)
LEVELS(image1d_array_t)
LEVELS(image3d_t)
FLAT(LEVELS)
ALL(WIDTH)
ALL(TYPE)
ALL(ORDER)
FLAT(HEIGHT)
HEIGHT(image3d_t)
FLAT(DIM)
LAYERS(image1d_array_t)
LAYERS(image2d_array_t)
LAYERS(image2d_array_depth_t)

int get_image_depth(read_only image3d_t image)
{
    return IMAGE(image)->depth;
}

int4 get_image_dim(read_only image3d_t image)
{
    return (int4)(IMAGE(image)->width, IMAGE(image)->height, IMAGE(image)->depth, 0);
}
