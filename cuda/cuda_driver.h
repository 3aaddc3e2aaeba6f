// The few functions of the CUDA driver that the runtime has no stable ones for: modules that were
// made at run time. Contexts are the runtime's.
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

const char *wp_cuda_driver_why_not(void); // NULL, or what is missing

// Those of wp_cuda_driver_why_not() NULL.
const struct wp_cuda_driver *wp_cuda_get_driver(void);
const char *wp_cuda_driver_error(CUresult result);

#endif
