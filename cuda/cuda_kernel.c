// Kernels in modules that are compiled at run time. These are loaded with functions of the CUDA
// driver, because the runtime has no stable interface for them; contexts are those of the runtime.
#include "cuda_kernel.h"

#include "clock.h"
#include "log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(F) \
    F(cuModuleLoadData) F(cuModuleUnload) F(cuModuleGetFunction) F(cuFuncGetAttribute) \
    F(cuFuncSetAttribute) \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuLaunchKernelEx) F(cuGetErrorString)
#define MEMBER(name) __typeof__(name) *name;

static struct {
    FUNCTIONS(MEMBER)
    char why_not[256]; // "": the driver was loaded
} driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); // ISO C cannot cast an object to a function pointer
    if (!found)
        snprintf(driver.why_not, sizeof driver.why_not,
                 "the CUDA driver has no %s: it is too old", name);
    return found != NULL;
}

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(driver.why_not, sizeof driver.why_not, "no CUDA driver: %.200s", dlerror());
        return;
    }
    bool complete = true;
#define FIND(name) complete = complete && find(library, #name, &driver.name);
    FUNCTIONS(FIND)
#undef FIND
    if (!complete)
        dlclose(library);
}

// Loads the driver when first called. NULL, or the reason why it is not available.
static const char *driver_why_not(void)
{
    pthread_once(&once, open_driver);
    return driver.why_not[0] ? driver.why_not : NULL;
}

// Only if driver_why_not() returned NULL.
static const char *driver_error(CUresult result)
{
    const char *text = NULL;
    driver.cuGetErrorString(result, &text);
    return text ? text : "unknown error of the driver";
}

static int capability_of(const struct wp_device *device)
{
    return 10 * device->properties.major + device->properties.minor;
}

bool wp_cuda_kernels_run_on(const struct wp_device *device, char *why, size_t why_size)
{
    const char *missing = wp_cuda_nvrtc_why_not();
    if (!missing)
        missing = driver_why_not();
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
    int local = 0, a_processor = 0;
    kernel->bytes = (unsigned)params->bytes;
    CUresult result = driver.cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                                 kernel->function);
    if (result == CUDA_SUCCESS && params->bytes)
        result = driver.cuFuncSetAttribute(
            kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, params->bytes);
    if (result == CUDA_SUCCESS)
        result = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &a_processor, kernel->function, params->threads, kernel->bytes);
    const bool spilled = local && !params->may_spill;
    kernel->blocks = a_processor * device->properties.multiProcessorCount;
    if (result != CUDA_SUCCESS)
        wp_text_add(why, "%s", driver_error(result));
    else if (spilled)
        wp_text_add(why, "it would spill %d bytes per thread to memory", local);
    return result == CUDA_SUCCESS && !spilled;
}

static bool load(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                 const struct wp_cuda_cubin *cubin, struct wp_cuda_kernel *kernel,
                 struct wp_text *why)
{
    CUresult result = driver.cuModuleLoadData(&kernel->module, cubin->data);
    if (result == CUDA_SUCCESS)
        result = driver.cuModuleGetFunction(&kernel->function, kernel->module, params->function);
    if (result == CUDA_SUCCESS)
        return inspect(device, params, kernel, why);
    wp_text_add(why, "%s", driver_error(result));
    return false;
}

bool wp_cuda_kernel_make(const struct wp_device *device, const struct wp_cuda_kernel_params *params,
                         struct wp_cuda_kernel *kernel, struct wp_text *why)
{
    struct wp_cuda_cubin cubin = {0};
    struct wp_text log = {0};
    char progress[128];
    bool compiled;
    snprintf(progress, sizeof progress, "compiling the kernel of %s …", params->name);
    const double start = wp_clock_seconds();
    const bool complete = !params->source->failed;
    const bool has_code = complete && wp_cuda_get_cubin(wp_text_get(params->source),
                                                        capability_of(device),
                                                        params->slow_to_compile ? progress : NULL,
                                                        &cubin, &compiled, &log);
    if (complete && !has_code)
        wp_text_add(why, "%s", wp_text_get(&log));
    const bool loaded = has_code && load(device, params, &cubin, kernel, why);
    if (has_code)
        wp_log(WP_LOG_VERBOSE, "the kernel of %s was %s in %.0f ms", params->name,
               compiled ? "compiled" : "loaded from the cache", 1e3 * (wp_clock_seconds() - start));
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&log);
    wp_text_free(params->source);
    if (!loaded)
        wp_cuda_kernel_free(kernel);
    return loaded;
}

void wp_cuda_kernel_free(struct wp_cuda_kernel *kernel)
{
    if (kernel->module)
        driver.cuModuleUnload(kernel->module);
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
    return driver.cuLaunchKernelEx(&config, kernel->function, arguments, NULL) ==
                   CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}
