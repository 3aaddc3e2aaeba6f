// Between an exec's own memory and a caller's, on the host or on the device.
#include "cuda_exec.h"

static bool is_whole(const struct wp_exec *exec, bool samples)
{
    return samples || exec->levels == 0 || exec->description.layout == WP_LAYOUT_MIXED;
}

int wp_cuda_parts(const struct wp_exec *exec, bool samples)
{
    return is_whole(exec, samples) ? 1 : wp_place_bands(&exec->description);
}

struct wp_cuda_part wp_cuda_get_part(const struct wp_exec *exec, const struct wp_place *place,
                                     bool samples, int index)
{
    const struct wp_description *d = &exec->description;
    if (is_whole(exec, samples))
        return (struct wp_cuda_part){
            .theirs = place->array,
            .ours = {samples || exec->levels == 0 ? exec->plane : exec->coefficients, 1,
                     exec->pitch},
            .size = {d->size[WP_X], d->size[WP_Y]},
        };
    enum wp_band band;
    const int level = wp_place_band_at(d, index, &band);
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    return (struct wp_cuda_part){
        .level = level,
        .band = band,
        .theirs = wp_place_band(d, place, level, band, 0),
        .ours = exec->level[level - 1].band[band],
        .size = {grid.size[WP_X], grid.size[WP_Y]},
    };
}

bool wp_cuda_part_is_empty(const struct wp_cuda_part *part)
{
    return part->size[WP_X] == 0 || part->size[WP_Y] == 0;
}

// Rows whose samples lie side by side, at both ends.
struct rows {
    float *to, *from;
    size_t to_pitch, from_pitch, width, height; // all but the last in bytes
};

static struct rows rows_of(const struct wp_cuda_part *part, int columns, bool to_device)
{
    const size_t width = (size_t)columns * sizeof(float);
    const size_t ours = (size_t)part->ours.step_y * sizeof(float);
    // The distance to a second row may be any where there is none.
    const size_t theirs =
        part->size[WP_Y] > 1 ? (size_t)part->theirs.step[WP_Y] * sizeof(float) : width;
    return (struct rows){
        .to = to_device ? part->ours.data : part->theirs.data,
        .from = to_device ? part->theirs.data : part->ours.data,
        .to_pitch = to_device ? ours : theirs,
        .from_pitch = to_device ? theirs : ours,
        .width = width,
        .height = (size_t)part->size[WP_Y],
    };
}

static bool is_in_rows(const struct wp_cuda_part *part)
{
    return part->theirs.step[WP_X] == 1 || part->size[WP_X] == 1;
}

// The runtime knows which pointers are to which memory.
static cudaError_t transfer(const struct wp_cuda_part *part, bool to_device)
{
    // Samples that do not lie side by side go a column at a time.
    const bool in_rows = is_in_rows(part);
    const struct rows r = rows_of(part, in_rows ? part->size[WP_X] : 1, to_device);
    const ptrdiff_t theirs = part->theirs.step[WP_X], to = to_device ? 1 : theirs,
                    from = to_device ? theirs : 1;
    cudaError_t error = cudaSuccess;
    for (int x = 0; x < (in_rows ? 1 : part->size[WP_X]) && error == cudaSuccess; x++)
        error = cudaMemcpy2D(r.to + x * to, r.to_pitch, r.from + x * from, r.from_pitch, r.width,
                             r.height, cudaMemcpyDefault);
    return error;
}

bool wp_cuda_exchange(const struct wp_exec *exec, const struct wp_place *place, bool samples,
                      bool to_device)
{
    cudaError_t error = cudaSetDevice(exec->device->number);
    for (int i = 0; i < wp_cuda_parts(exec, samples) && error == cudaSuccess; i++) {
        const struct wp_cuda_part part = wp_cuda_get_part(exec, place, samples, i);
        if (!wp_cuda_part_is_empty(&part))
            error = transfer(&part, to_device);
    }
    return error == cudaSuccess ||
           wp_cuda_fail(error, to_device ? "copying to the device" : "copying from the device");
}

int wp_cuda_copy_part(const struct wp_cuda_part *part, bool to_ours, void *stream)
{
    if (wp_cuda_part_is_empty(part))
        return cudaSuccess;
    if (!is_in_rows(part)) {
        const struct wp_cuda_band theirs = {part->theirs.data, part->theirs.step[WP_X],
                                            part->theirs.step[WP_Y]};
        return to_ours ? wp_cuda_strided_copy_run(&theirs, &part->ours, part->size, stream)
                       : wp_cuda_strided_copy_run(&part->ours, &theirs, part->size, stream);
    }
    const struct rows r = rows_of(part, part->size[WP_X], to_ours);
    return (int)cudaMemcpy2DAsync(r.to, r.to_pitch, r.from, r.from_pitch, r.width, r.height,
                                  cudaMemcpyDefault, stream);
}
