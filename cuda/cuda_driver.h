// Functions of the CUDA driver for modules that are compiled at run time, for which the runtime has
// no stable interface. Contexts are those of the runtime.
#ifndef WP_CUDA_DRIVER_H
#define WP_CUDA_DRIVER_H

#include <cuda.h>

#define WP_CUDA_DRIVER_FUNCTIONS(F) \
    F(cuModuleLoadData) F(cuModuleUnload) F(cuModuleGetFunction) F(cuFuncGetAttribute) \
    F(cuFuncSetAttribute) \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuLaunchKernelEx) F(cuGetErrorString)
#define WP_CUDA_DRIVER_MEMBER(name) __typeof__(name) *name;

struct wp_cuda_driver {
    WP_CUDA_DRIVER_FUNCTIONS(WP_CUDA_DRIVER_MEMBER)
};

// Loads the driver when first called. NULL, or the reason why it is not available.
const char *wp_cuda_driver_why_not(void);

// Only if wp_cuda_driver_why_not() returns NULL.
const struct wp_cuda_driver *wp_cuda_get_driver(void);
const char *wp_cuda_driver_error(CUresult result);

#endif
