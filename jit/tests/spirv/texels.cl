// Writes whose sign a module of clang 22 does not tell.
kernel void texels(write_only image2d_t image) {
  write_imageui(image, (int2)(0, 0), (uint4)(200, 100, 50, 25));
}
