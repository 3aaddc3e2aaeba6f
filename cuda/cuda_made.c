#include "cuda_made.h"

#include "clock.h"
#include "cuda_driver.h"
#include "cuda_kept.h"
#include "cuda_program.h"
#include "log.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

// Of registers: what a thread can have, and what a walk has beside its window.
enum { REGISTERS_MOST = 255, REGISTERS_BESIDE = 60, LANES_LEAST = 4 };

enum { SAMPLES = 4 }; // a lane

struct wp_cuda_walk wp_cuda_made_walk(const struct wp_cuda_level *level)
{
    enum { OF_ALL = 65536 / 128, RESIDENT_MOST = 3 }; // registers of a block's thread
    const int rows = wp_cuda_window_rows(level);
    const int resident = OF_ALL / (SAMPLES * rows + REGISTERS_BESIDE);
    // Longer windows begin with more rows that nobody writes; those of inverses more than others.
    const int most = level->inverse ? (7 * rows - 8) / 4 : (3 * rows - 7) / 2;
    return (struct wp_cuda_walk){
        .samples = SAMPLES,
        .ahead = 4,
        .unroll = rows < 12 ? 1 : 2,
        .resident = resident < RESIDENT_MOST ? resident : RESIDENT_MOST,
        .most = most < 5 ? 5 : most,
    };
}

bool wp_cuda_made_covers(const struct wp_cuda_level *level, const char *name, char *why,
                         size_t why_size)
{
    const int rows = wp_cuda_window_rows(level), lanes = wp_cuda_strip_lanes(level, SAMPLES);
    const int registers = SAMPLES * rows + REGISTERS_BESIDE;
    bool steps = false;
    for (int s = 0; s < level->steps; s++)
        steps = steps || level->step[s].count > 0;
    if (registers > REGISTERS_MOST)
        snprintf(why, why_size, "the steps of %s take %d rows at once, so %d registers of the %d "
                 "that a thread can have", name, rows, registers, (int)REGISTERS_MOST);
    else if (lanes < LANES_LEAST)
        snprintf(why, why_size, "%s reaches over %d pairs of samples, too far for a warp", name,
                 level->reach_low + level->reach_high);
    else if (!steps)
        snprintf(why, why_size, "%s has no lifting steps", name);
    else
        return true;
    return false;
}

static int capability_of(const struct wp_device *device)
{
    return 10 * device->properties.major + device->properties.minor;
}

bool wp_cuda_made_runs_on(const struct wp_device *device, char *why, size_t why_size)
{
    const char *missing = wp_cuda_nvrtc_why_not();
    if (!missing)
        missing = wp_cuda_driver_why_not();
    if (missing)
        snprintf(why, why_size, "%s", missing);
    else if (!wp_cuda_nvrtc_knows(capability_of(device)))
        snprintf(why, why_size, "NVRTC %d.%d makes no code for compute capability %d.%d",
                 wp_cuda_nvrtc_version() / 1000, wp_cuda_nvrtc_version() % 1000 / 10,
                 device->properties.major, device->properties.minor);
    else
        return true;
    return false;
}

struct made {
    CUmodule module;
    CUfunction kernel;
    struct wp_cuda_walk walk;
    int blocks; // that the device holds at once
    bool wide;  // it accesses four elements of bands at a time
};

static bool goes_by_walk(const struct wp_cuda_level *level)
{
    return level->width > 1 && level->height > 1;
}

// An axis of one sample has no steps: such levels go by those of `gmem`.
size_t wp_cuda_made_scratch(const struct wp_exec *exec)
{
    size_t most = 0;
    for (int l = 0; l < exec->levels; l++) {
        const struct wp_cuda_level *level = &exec->level[l];
        const size_t floats = (size_t)level->pitch * (size_t)level->height;
        if (!goes_by_walk(level) && floats > most)
            most = floats;
    }
    return most;
}

// cudaErrorNotSupported after WP_ERROR_UNAVAILABLE.
static int refuse(const struct wp_exec *exec, const char *why)
{
    wp_fail(WP_ERROR_UNAVAILABLE, "no kernel of %s %s can be made (%s)", exec->wavelet.name,
            wp_direction_names[exec->description.direction], why);
    return cudaErrorNotSupported;
}

static int refuse_driver(const struct wp_exec *exec, CUresult result)
{
    return refuse(exec, wp_cuda_driver_error(result));
}

// How it lies on the device.
static int inspect(const struct wp_exec *exec, struct made *made)
{
    const struct wp_cuda_driver *driver = wp_cuda_get_driver();
    int spilled = 0, a_processor = 0;
    CUresult result = driver->cuFuncGetAttribute(&spilled, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                                 made->kernel);
    if (result == CUDA_SUCCESS)
        result = driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, made->kernel,
                                                                     WP_CUDA_WALK_THREADS, 0);
    if (result != CUDA_SUCCESS)
        return refuse_driver(exec, result);
    made->blocks = a_processor * exec->device->properties.multiProcessorCount;
    if (spilled == 0)
        return cudaSuccess;
    char why[96];
    snprintf(why, sizeof why, "it would keep %d bytes a thread in memory for want of registers",
             spilled);
    return refuse(exec, why);
}

static int load(const struct wp_exec *exec, const struct wp_cuda_cubin *cubin, struct made *made)
{
    const struct wp_cuda_driver *driver = wp_cuda_get_driver();
    CUresult result = driver->cuModuleLoadData(&made->module, cubin->data);
    if (result == CUDA_SUCCESS)
        result = driver->cuModuleGetFunction(&made->kernel, made->module, WP_CUDA_PROGRAM_KERNEL);
    return result == CUDA_SUCCESS ? inspect(exec, made) : refuse_driver(exec, result);
}

static int make(const struct wp_exec *exec, struct made *made)
{
    enum { LONG = 12 }; // rows of windows that may take longer than half a second
    const struct wp_cuda_level *level = exec->level;
    struct wp_text source = {0}, log = {0};
    struct wp_cuda_cubin cubin;
    bool compiled;
    wp_cuda_add_program(level, made->wide, &made->walk, &source);
    if (source.failed) {
        wp_text_free(&source);
        return cudaErrorMemoryAllocation;
    }
    char progress[128];
    snprintf(progress, sizeof progress, "compiling the kernel of %s %s …", exec->wavelet.name,
             wp_direction_names[exec->description.direction]);
    const double start = wp_clock_seconds();
    const bool ok =
        wp_cuda_get_cubin(wp_text_get(&source), capability_of(exec->device),
                          wp_cuda_window_rows(level) >= LONG ? progress : NULL, &cubin, &compiled,
                          &log);
    const int error = ok ? load(exec, &cubin, made) : refuse(exec, wp_text_get(&log));
    if (ok)
        wp_log(WP_LOG_VERBOSE, "the kernel of %s %s was %s in %.0f ms", exec->wavelet.name,
               wp_direction_names[exec->description.direction],
               compiled ? "made" : "taken from the cache", 1e3 * (wp_clock_seconds() - start));
    wp_cuda_cubin_free(&cubin);
    wp_text_free(&source);
    wp_text_free(&log);
    return error;
}

int wp_cuda_made_prepare(struct wp_exec *exec)
{
    char why[256];
    if (!wp_cuda_made_runs_on(exec->device, why, sizeof why))
        return refuse(exec, why);
    struct made *made = wp_try_allocate(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    exec->own = made;
    if (exec->levels == 0)
        return cudaSuccess;
    made->walk = wp_cuda_made_walk(exec->level);
    made->wide = true;
    for (int l = 0; l < exec->levels; l++)
        made->wide = made->wide && wp_cuda_level_is_wide(&exec->level[l]);
    return make(exec, made);
}

void wp_cuda_made_release(struct wp_exec *exec)
{
    struct made *made = exec->own;
    if (made->module)
        wp_cuda_get_driver()->cuModuleUnload(made->module);
    free(made);
}

static int run_level(const struct wp_exec *exec, const struct wp_cuda_level *level)
{
    const struct made *made = exec->own;
    if (!goes_by_walk(level))
        return wp_cuda_steps_run(level);
    if (made->wide && !wp_cuda_level_is_wide(level))
        return cudaErrorInvalidValue;
    struct wp_cuda_walk_call call;
    wp_cuda_prepare_walk(level, &made->walk, made->blocks, &call);
    // It waits for the one before itself, where GPUs know that (cuda_lifting.cuh).
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    early.value.programmaticStreamSerializationAllowed = 1;
    const CUlaunchConfig config = {
        .gridDimX = call.grid[0], .gridDimY = call.grid[1], .gridDimZ = 1,
        .blockDimX = call.block[0], .blockDimY = call.block[1], .blockDimZ = 1,
        .hStream = level->stream,
        .attrs = &early,
        .numAttrs = exec->device->properties.major >= 9 ? 1 : 0,
    };
    void *arguments[] = {call.args};
    return wp_cuda_get_driver()->cuLaunchKernelEx(&config, made->kernel, arguments, NULL) ==
                   CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorLaunchFailure;
}

int wp_cuda_made_run(const struct wp_exec *exec)
{
    int error = cudaSuccess;
    for (int i = 0; i < exec->levels && error == cudaSuccess; i++)
        error = run_level(exec, &exec->level[exec->level->inverse ? exec->levels - 1 - i : i]);
    return error;
}
