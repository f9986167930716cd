// read_imagef, without levels of detail.

#include "image_read_float.clh"
#include "image_read.clh"

float read_imagef(read_only image2d_depth_t image, sampler_t sampler, int2 c)
{
    return plane_texel(IMAGE(image), (uint)sampler, c.x, c.y, 0).x;
}

float read_imagef(read_only image2d_depth_t image, sampler_t sampler, float2 c)
{
    return sample2(IMAGE(image), (uint)sampler, c, 0).x;
}

float read_imagef(read_only image2d_depth_t image, int2 c)
{
    return plane_texel(IMAGE(image), 0, c.x, c.y, 0).x;
}

float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, int4 c)
{
    return plane_texel(IMAGE(image), (uint)sampler, c.x, c.y, layer_at(IMAGE(image), c.z)).x;
}

float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, float4 c)
{
    return sample2(IMAGE(image), (uint)sampler, c.xy, layer_of(IMAGE(image), c.z)).x;
}

float read_imagef(read_only image2d_array_depth_t image, int4 c)
{
    return plane_texel(IMAGE(image), 0, c.x, c.y, layer_at(IMAGE(image), c.z)).x;
}
