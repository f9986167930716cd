//! The object model: platform, devices, contexts, memory objects, programs, kernels, events, queues.
