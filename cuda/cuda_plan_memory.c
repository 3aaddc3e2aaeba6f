// Device memory of plans, and maps along axes on it.
#include "cuda_axis_map.h"

#include "cuda_exec.h"
#include "log.h"
#include "memory.h"

#include <stdlib.h>

// Runs on the device with `before`, the caller's, selected again at the end.
static bool select_device(const struct wp_device *device, int *before)
{
    const cudaError_t error = wp_cuda_select(device, before);
    return error == cudaSuccess || wp_cuda_fail(error, "choosing the device");
}

static bool allocate(const struct wp_device *device, size_t bytes, const char *label, void **memory)
{
    cudaError_t error = cudaMalloc(memory, bytes);
    if (error != cudaSuccess)
        return wp_cuda_fail_allocation(error, bytes, label);
    if (device->guard)
        error = wp_cuda_fill_unset(*memory, bytes);
    return error == cudaSuccess || wp_cuda_fail(error, "filling device memory");
}

void *wp_cuda_allocate_memory(struct wp_device *device, size_t bytes)
{
    void *memory = NULL;
    int before = 0;
    if (!select_device(device, &before))
        return NULL;
    if (!allocate(device, bytes, "samples with a border", &memory)) {
        cudaFree(memory);
        memory = NULL;
    }
    cudaSetDevice(before);
    return memory;
}

void wp_cuda_free_memory(struct wp_device *device, void *memory)
{
    int before = 0;
    if (!memory)
        return;
    const bool selected = wp_cuda_select(device, &before) == cudaSuccess;
    cudaFree(memory);
    if (selected)
        cudaSetDevice(before);
}

// ---- The order of streams.

bool wp_cuda_mark_stream(struct wp_device *device, void **mark, void *stream)
{
    int before = 0;
    cudaError_t error = cudaSuccess;
    cudaEvent_t event = *mark;
    if (!select_device(device, &before))
        return false;
    if (!event)
        error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error == cudaSuccess) {
        *mark = event;
        error = cudaEventRecord(event, stream);
    }
    cudaSetDevice(before);
    return error == cudaSuccess || wp_cuda_fail(error, "marking the end in a stream");
}

bool wp_cuda_wait_for_mark(struct wp_device *device, void *mark, void *stream)
{
    int before = 0;
    if (!mark)
        return true;
    if (!select_device(device, &before))
        return false;
    const cudaError_t error = cudaStreamWaitEvent(stream, mark, 0);
    cudaSetDevice(before);
    return error == cudaSuccess || wp_cuda_fail(error, "waiting in a stream");
}

void wp_cuda_free_mark(struct wp_device *device, void *mark)
{
    int before = 0;
    if (!mark)
        return;
    const bool selected = wp_cuda_select(device, &before) == cudaSuccess;
    cudaEventSynchronize(mark);
    cudaEventDestroy(mark);
    if (selected)
        cudaSetDevice(before);
}

// ---- Maps.

// Copies the tables to the device. The runtime has copied pageable memory of the host when it
// returns.
static bool copy_tables(const struct wp_device *device, struct wp_axis_maps *maps, void *stream)
{
    const size_t bytes = wp_cuda_map_bytes(maps);
    void *memory = NULL;
    if (bytes == 0 || maps->on_device)
        return true;
    void *host = wp_allocate(1, bytes, "the map of an axis");
    bool ok = host && allocate(device, bytes, "the map of an axis", &memory);
    if (ok) {
        wp_cuda_map_write(maps, host);
        const cudaError_t error =
            cudaMemcpyAsync(memory, host, bytes, cudaMemcpyHostToDevice, stream);
        ok = error == cudaSuccess || wp_cuda_fail(error, "copying the map of an axis");
    }
    if (ok)
        maps->on_device = memory;
    else
        cudaFree(memory);
    free(host);
    return ok;
}

static bool launch(const struct wp_axis_maps *maps, const struct wp_operand *from,
                   const struct wp_operand *to, void *stream)
{
    const struct wp_cuda_map map = wp_cuda_map_make(maps, from, to);
    const cudaError_t error = (cudaError_t)wp_cuda_map_run(&map, stream);
    return error == cudaSuccess || wp_cuda_fail(error, "the kernel of a border");
}

bool wp_cuda_map(struct wp_device *device, struct wp_axis_maps *maps,
                 const struct wp_operand *from, const struct wp_operand *to, void *stream)
{
    const struct wp_axis_map *axis = maps->axis;
    int before = 0;
    if (maps->planes == 0 || axis[WP_X].to == 0 || axis[WP_Y].to == 0 || axis[WP_Z].to == 0)
        return true;
    if (!select_device(device, &before))
        return false;
    const bool ok = wp_cuda_check_pointer(device, from->data, "the input") &&
                    wp_cuda_check_pointer(device, to->data, "the output") &&
                    copy_tables(device, maps, stream) && launch(maps, from, to, stream);
    cudaSetDevice(before);
    return ok;
}
