// read_imagef, at a level of detail.

#include "image_read_float.clh"
#include "image_mip_read.clh"

float read_imagef(read_only image2d_depth_t image, sampler_t sampler, float2 c, float lod)
{
    return mip2(IMAGE(image), (uint)sampler, c, 0, lod).x;
}

float read_imagef(read_only image2d_depth_t image, sampler_t sampler, float2 c, float2 dx, float2 dy)
{
    return mip2(IMAGE(image), (uint)sampler, c, 0, lod2(IMAGE(image), dx, dy)).x;
}

float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, float4 c, float lod)
{
    return mip2(IMAGE(image), (uint)sampler, c.xy, layer_of(IMAGE(image), c.z), lod).x;
}

float read_imagef(read_only image2d_array_depth_t image, sampler_t sampler, float4 c, float2 dx, float2 dy)
{
    return mip2(IMAGE(image), (uint)sampler, c.xy, layer_of(IMAGE(image), c.z), lod2(IMAGE(image), dx, dy)).x;
}
