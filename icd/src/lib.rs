//! Clift as an OpenCL driver: C in, typed values out, no policy.
