// Images of several kinds, samplers of both kinds, queries.
constant sampler_t fixed_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

kernel void images(read_only image2d_t a, write_only image2d_t b, read_write image3d_t c, read_only image1d_array_t d,
                   read_only image1d_buffer_t e, sampler_t s, global int *out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 x = read_imagef(a, s, at) + read_imagef(a, fixed_sampler, (float2)(0.25f, 0.5f));
    int4 y = read_imagei(d, at) + read_imagei(e, at.x);
    uint4 z = read_imageui(c, (int4)(at, 0, 0));
    write_imageui(c, (int4)(at, 1, 0), z + as_uint4(y));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imagef(b, at, x);
    out[0] = get_image_width(a) + get_image_depth(c) + (int)get_image_array_size(d)
        + get_image_channel_order(a) + get_image_channel_data_type(b);
}
