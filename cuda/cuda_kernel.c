#include "cuda_kernel.h"

#include "clock.h"
#include "cuda_kernel_cache.h"
#include "log.h"

#include <stdio.h>

static int capability_of(const struct wp_device *device)
{
    return 10 * device->properties.major + device->properties.minor;
}

bool wp_cuda_kernels_run_on(const struct wp_device *device, char *why, size_t why_size)
{
    const char *missing = wp_cuda_nvrtc_why_not();
    if (!missing)
        missing = wp_cuda_driver_why_not();
    if (missing)
        snprintf(why, why_size, "%s", missing);
    else if (!wp_cuda_nvrtc_knows(capability_of(device)))
        snprintf(why, why_size, "NVRTC %d.%d does not support compute capability %d.%d",
                 wp_cuda_nvrtc_version() / 1000, wp_cuda_nvrtc_version() % 1000 / 10,
                 device->properties.major, device->properties.minor);
    else
        return true;
    return false;
}

// Checks a kernel for spills, and sets its shared memory and the number of resident blocks.
static bool inspect(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                    struct wp_cuda_kernel *kernel, struct wp_text *why)
{
    const struct wp_cuda_driver *driver = wp_cuda_get_driver();
    int local = 0, a_processor = 0;
    kernel->bytes = (unsigned)params->bytes;
    CUresult result = driver->cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                                 kernel->function);
    if (result == CUDA_SUCCESS && params->bytes)
        result = driver->cuFuncSetAttribute(
            kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, params->bytes);
    if (result == CUDA_SUCCESS)
        result = driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &a_processor, kernel->function, params->threads, kernel->bytes);
    const bool spilled = local && !params->may_spill;
    kernel->blocks = a_processor * device->properties.multiProcessorCount;
    if (result != CUDA_SUCCESS)
        wp_text_add(why, "%s", wp_cuda_driver_error(result));
    else if (spilled)
        wp_text_add(why, "it would spill %d bytes per thread to memory",
                    local);
    return result == CUDA_SUCCESS && !spilled;
}

static bool load(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                 const struct wp_cuda_cubin *cubin, struct wp_cuda_kernel *kernel,
                 struct wp_text *why)
{
    const struct wp_cuda_driver *driver = wp_cuda_get_driver();
    CUresult result = driver->cuModuleLoadData(&kernel->module, cubin->data);
    if (result == CUDA_SUCCESS)
        result = driver->cuModuleGetFunction(&kernel->function, kernel->module, params->function);
    if (result == CUDA_SUCCESS)
        return inspect(device, params, kernel, why);
    wp_text_add(why, "%s", wp_cuda_driver_error(result));
    return false;
}

bool wp_cuda_kernel_make(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                         struct wp_cuda_kernel *kernel, struct wp_text *why)
{
    struct wp_cuda_cubin cubin;
    struct wp_text log = {0};
    char progress[128];
    bool compiled;
    snprintf(progress, sizeof progress, "compiling the kernel of %s …", params->name);
    const double start = wp_clock_seconds();
    const bool has_code =
        wp_cuda_get_cubin(params->source, capability_of(device),
                          params->slow_to_compile ? progress : NULL, &cubin, &compiled, &log);
    if (!has_code)
        wp_text_add(why, "%s", wp_text_get(&log));
    const bool loaded = has_code && load(device, params, &cubin, kernel, why);
    if (has_code)
        wp_log(WP_LOG_VERBOSE, "the kernel of %s was %s in %.0f ms", params->name,
               compiled ? "compiled" : "loaded from the cache", 1e3 * (wp_clock_seconds() - start));
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&log);
    if (!loaded)
        wp_cuda_kernel_free(kernel);
    return loaded;
}

void wp_cuda_kernel_free(struct wp_cuda_kernel *kernel)
{
    if (kernel->module)
        wp_cuda_get_driver()->cuModuleUnload(kernel->module);
    *kernel = (struct wp_cuda_kernel){0};
}

int wp_cuda_kernel_launch(const struct wp_cuda_kernel *kernel, const unsigned grid[3],
                          const unsigned block[2], void *argument, bool early, void *stream)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    attribute.value.programmaticStreamSerializationAllowed = 1;
    const CUlaunchConfig config = {
        .gridDimX = grid[0], .gridDimY = grid[1], .gridDimZ = grid[2],
        .blockDimX = block[0], .blockDimY = block[1], .blockDimZ = 1,
        .sharedMemBytes = kernel->bytes,
        .hStream = stream,
        .attrs = &attribute,
        .numAttrs = early ? 1 : 0,
    };
    void *arguments[] = {argument};
    return wp_cuda_get_driver()->cuLaunchKernelEx(&config, kernel->function, arguments, NULL) ==
                   CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}
