// write_imagef, without levels of detail.

#include "image_write_float.clh"
#include "image_write.clh"

void write_imagef(write_only image2d_depth_t image, int2 c, float depth)
{
    put(IMAGE(image), c.x, c.y, 0, 1, (float4)depth);
}

void write_imagef(write_only image2d_array_depth_t image, int4 c, float depth)
{
    put(IMAGE(image), c.x, c.y, c.z, IMAGE(image)->layers, (float4)depth);
}
