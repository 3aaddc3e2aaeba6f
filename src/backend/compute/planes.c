#include "planes.h"

#include "emit.h"
#include "log.h"
#include "memory.h"
#include "transfer_gl.h"
#include "program.h"
#include "text.h"

#include <stdlib.h>

extern const unsigned char wp_shader_quads[]; // shaders/quads.glsl, embedded

enum { GROUP = 16 }; // width and height of a workgroup

// Floats of a strip, the unit of packing and copying, so that there is no second copy of the plane.
enum { STRIP_FLOATS = 1 << 20 };

size_t wp_planes_stride(const struct wp_surface *surface)
{
    // Without levels a schedule has one surface of quads.
    return (size_t)surface->width * (size_t)surface->height *
           (size_t)(surface->planes ? surface->layers : 4);
}

size_t wp_planes_plane_stride(const struct wp_planes *planes, const struct wp_surface *surface)
{
    return planes->plane_stride ? planes->plane_stride : wp_planes_stride(surface);
}

size_t wp_planes_lay_out(const struct wp_planes *planes, struct wp_buffer_part *part)
{
    const struct wp_schedule *schedule = planes->schedule;
    size_t end = 0;
    for (int s = 0; s < schedule->surface_count; s++) {
        const int slices = schedule->surface[s].slices;
        const size_t count =
            wp_planes_stride(&schedule->surface[s]) * (size_t)(slices ? slices : 1);
        part[s] = (struct wp_buffer_part){.first = end, .count = count};
        end += (count + WP_BUFFER_ALIGN - 1) / WP_BUFFER_ALIGN * WP_BUFFER_ALIGN;
    }
    return end;
}

// Floats per row of a transfer.
static size_t row_count(const struct wp_transfer *transfer)
{
    return (size_t)transfer->domain.width * (transfer->planes ? 1 : 4);
}

// Sets the ranges of the surfaces in the buffer. Returns the total number of floats, or 0 after
// WP_ERROR_TOO_LARGE.
static size_t arrange(struct wp_planes *planes)
{
    const struct wp_schedule *schedule = planes->schedule;
    size_t end = 0;
    for (int s = 0; s < schedule->surface_count; s++) {
        const int slices = schedule->surface[s].slices;
        const size_t count =
            wp_planes_stride(&schedule->surface[s]) *
            (size_t)(slices ? slices : wp_description_planes(&schedule->description));
        // For volumes a dispatch processes only as many slices as fit.
        if (!slices && count * sizeof(float) > planes->max_range) {
            wp_fail(WP_ERROR_TOO_LARGE,
                    "%zu bytes of samples exceed the %zu that compute shaders of this device can "
                    "access"
                    "\nhint: backend 'fragment' has no such limit",
                    count * sizeof(float), planes->max_range);
            return 0;
        }
        planes->part[s] = (struct wp_buffer_part){.first = end, .count = count};
        end += (count + WP_BUFFER_ALIGN - 1) / WP_BUFFER_ALIGN * WP_BUFFER_ALIGN;
    }
    return end;
}

bool wp_planes_create(struct wp_gl *gl, const struct wp_schedule *schedule,
                      struct wp_planes *planes)
{
    // The first surface has the longest rows.
    const size_t row = (size_t)schedule->surface[0].width * (schedule->surface[0].planes ? 1 : 4);
    *planes = (struct wp_planes){
        .gl = gl,
        .schedule = schedule,
        .max_range = (size_t)wp_gl_get_info(gl)->max_storage,
        .strip_count = row > STRIP_FLOATS ? row : STRIP_FLOATS,
    };
    planes->part =
        wp_allocate((size_t)schedule->surface_count, sizeof *planes->part, "the surfaces");
    const size_t count = planes->part ? arrange(planes) : 0;
    if (count && wp_buffer_create(count, &planes->buffer) &&
        wp_pixel_pack_create(&planes->pack, gl, &schedule->description))
        planes->strip = wp_allocate(planes->strip_count, sizeof *planes->strip, "a strip");
    if (!planes->strip)
        wp_planes_destroy(planes);
    return planes->strip != NULL;
}

void wp_planes_destroy(struct wp_planes *planes)
{
    if (planes->gl && wp_gl_make_current(planes->gl)) {
        wp_buffer_destroy(&planes->buffer);
        wp_texture_destroy(&planes->quads);
        wp_pixel_pack_destroy(&planes->pack);
    }
    free(planes->part);
    free(planes->strip);
    *planes = (struct wp_planes){0};
}

enum direction { LOAD, STORE, PACK, UNPACK }; // PACK and UNPACK do not access the device

// Executes a transfer for plane number `index`, strip by strip.
static bool exchange(const struct wp_planes *planes, const struct wp_transfer *transfer, int index,
                     enum direction direction, const struct wp_operand *operand)
{
    const struct wp_description *d = &planes->schedule->description;
    const struct wp_surface *surface = &planes->schedule->surface[transfer->surface];
    const size_t row = row_count(transfer);
    const size_t first = planes->part[transfer->surface].first +
                         (size_t)index * wp_planes_stride(surface) +
                         (size_t)transfer->layer * (size_t)surface->width * (size_t)surface->height;
    const int height = transfer->domain.height, rows = (int)(planes->strip_count / row);
    for (int y = 0; y < height; y += rows) {
        const int count = y + rows < height ? rows : height - y;
        const size_t offset = first + (size_t)y * row, floats = (size_t)count * row;
        if (direction == STORE && !wp_buffer_read(&planes->buffer, offset, floats, planes->strip))
            return false;
        if (direction == LOAD || direction == PACK)
            wp_transfer_load(d, transfer, operand, index, y, count, planes->strip);
        else
            wp_transfer_store(d, transfer, planes->strip, y, count, operand, index);
        if (direction == LOAD)
            wp_buffer_write(&planes->buffer, offset, floats, planes->strip);
    }
    return true;
}

// Copies `count` samples between a row of a strip and of the caller's memory; loads pad with zeros.
static void exchange_row(float *packed, float *samples, ptrdiff_t step, int count, int width,
                         bool loads)
{
    for (int x = 0; x < count && loads; x++)
        packed[x] = samples[x * step];
    for (int x = count; x < width && loads; x++)
        packed[x] = 0.0f;
    for (int x = 0; x < count && !loads; x++)
        samples[x * step] = packed[x];
}

// Transfers a slice of a band whose rows begin at float `first` of the buffer.
static bool exchange_slice(const struct wp_planes *planes, size_t first, int width,
                           const struct wp_operand *view, const int size[],
                           enum direction direction)
{
    const int max_rows = (int)(planes->strip_count / (size_t)width);
    for (int y = 0; y < size[WP_Y]; y += max_rows) {
        const int count = y + max_rows < size[WP_Y] ? max_rows : size[WP_Y] - y;
        const size_t begin = first + (size_t)y * (size_t)width;
        const size_t floats = (size_t)count * (size_t)width;
        if (direction == STORE && !wp_buffer_read(&planes->buffer, begin, floats, planes->strip))
            return false;
        for (int row = 0; row < count; row++)
            exchange_row(planes->strip + (size_t)row * (size_t)width,
                         wp_operand_at(view, (y + row) * view->stride[WP_Y]), view->stride[WP_X],
                         size[WP_X], width, direction == LOAD || direction == PACK);
        if (direction == LOAD)
            wp_buffer_write(&planes->buffer, begin, floats, planes->strip);
    }
    return true;
}

// Along z, slices of low and high bands alternate.
void wp_planes_operand(const struct wp_planes *planes, int level, enum wp_band band, size_t *first,
                       ptrdiff_t step[WP_DIMS_MAX])
{
    const struct wp_description *d = &planes->schedule->description;
    const struct wp_surface *surface = &planes->schedule->surface[level];
    const bool interleaved = level > 0 && wp_description_axes(d, level) >> WP_Z & 1;
    const size_t plane = (size_t)surface->width * (size_t)surface->height;
    const size_t slice = wp_planes_stride(surface);
    *first = planes->part[level].first + (size_t)(band % WP_BAND_COUNT) * plane +
             (interleaved ? (size_t)band / WP_BAND_COUNT * slice : 0);
    step[WP_X] = 1;
    step[WP_Y] = surface->width;
    step[WP_Z] = (ptrdiff_t)(interleaved ? 2 * slice : slice);
}

// Transfers a band of a volume, or its samples.
static bool exchange_band(const struct wp_planes *planes, int level, enum wp_band band,
                          enum direction direction, const struct wp_operand *operand)
{
    const struct wp_description *d = &planes->schedule->description;
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    size_t first;
    ptrdiff_t step[WP_DIMS_MAX];
    wp_planes_operand(planes, level, band, &first, step);
    const struct wp_operand view = wp_operand_band(d, operand, level, band, 0);
    bool ok = true;
    for (int z = 0; z < grid.size[WP_Z] && grid.size[WP_X] && ok; z++) {
        const struct wp_operand slice = wp_operand_advance(&view, WP_Z, z, NULL);
        ok = exchange_slice(planes, first + (size_t)z * (size_t)step[WP_Z], (int)step[WP_Y],
                            &slice, grid.size, direction);
    }
    return ok;
}

static bool exchange_volume(const struct wp_planes *planes, enum direction direction,
                            const struct wp_operand *operand)
{
    const struct wp_description *d = &planes->schedule->description;
    const bool loads = direction == LOAD || direction == PACK;
    const bool samples =
        loads == (d->direction == WP_FORWARD) || wp_description_levels(d) == 0;
    bool ok = true;
    for (int i = 0; i < (samples ? 1 : wp_subband_count(d)) && ok; i++) {
        enum wp_band band = WP_BAND_LL;
        const int level = samples ? 0 : wp_subband_at(d, i, &band);
        ok = exchange_band(planes, level, band, direction, operand);
    }
    return ok;
}

static bool exchange_all(const struct wp_planes *planes, enum direction direction,
                         const struct wp_operand *operand)
{
    const struct wp_schedule *schedule = planes->schedule;
    const bool loads = direction == LOAD || direction == PACK;
    if (schedule->surface[0].slices)
        return exchange_volume(planes, direction, operand);
    bool ok = true;
    for (int i = 0; i < wp_description_planes(&schedule->description); i++)
        for (int p = 0; p < (loads ? schedule->load_count : schedule->store_count) && ok; p++)
            ok = exchange(planes, loads ? &schedule->load[p] : &schedule->store[p], i, direction,
                          operand);
    return ok;
}

bool wp_planes_load(const struct wp_planes *planes, const struct wp_operand *from)
{
    return wp_gl_make_current(planes->gl) && exchange_all(planes, LOAD, from) &&
           wp_gl_finish(planes->gl);
}

bool wp_planes_store(const struct wp_planes *planes, const struct wp_operand *to)
{
    return wp_gl_make_current(planes->gl) && exchange_all(planes, STORE, to) &&
           wp_gl_finish(planes->gl);
}

bool wp_planes_pack(const struct wp_planes *planes, const struct wp_operand *from)
{
    return exchange_all(planes, PACK, from);
}

bool wp_planes_unpack(const struct wp_planes *planes, const struct wp_operand *to)
{
    return exchange_all(planes, UNPACK, to);
}

// Copies between the planes of a level and a texture, the output if textures->result is not NULL.
static bool exchange_quads(const struct wp_planes *planes, int level,
                           const struct wp_tile_textures *textures, int x, int y)
{
    const int *size = planes->schedule->description.size;
    const struct wp_surface *surface = &planes->schedule->surface[level];
    const int width = wp_level_size(size[WP_X], level ? level - 1 : 0);
    const int height = wp_level_size(size[WP_Y], level ? level - 1 : 0);
    if (!wp_gl_make_current(planes->gl))
        return false;
    struct wp_text source = {0};
    wp_emit_head(&wp_glsl_430, 0, &source);
    wp_text_add(&source, "%s%slayout(local_size_x = %d, local_size_y = %d) in;\n%s",
                textures->result ? "#define WRITE_TEXTURE\n" : "",
                !surface->planes ? "#define QUADS\n" : level == 0 ? "#define PIXELS\n" : "", GROUP,
                GROUP, (const char *)wp_shader_quads);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(planes->gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    if (!program)
        return false;
    wp_program_set2(program, "plane", surface->width, surface->width * surface->height);
    wp_program_set2(program, "size", width, height);
    wp_program_set2(program, "origin", x, y);
    wp_program_dispatch_between(program, &planes->buffer, &planes->part[level], textures,
                                (width + 2 * GROUP - 1) / (2 * GROUP),
                                (height + 2 * GROUP - 1) / (2 * GROUP));
    return true;
}

bool wp_planes_read_quads(const struct wp_planes *planes, int level,
                          const struct wp_texture *from, int x, int y)
{
    return exchange_quads(planes, level, &(struct wp_tile_textures){.source = from}, x, y);
}

bool wp_planes_write_quads(const struct wp_planes *planes, int level,
                           const struct wp_texture *to)
{
    return exchange_quads(planes, level, &(struct wp_tile_textures){.result = to}, 0, 0);
}

// Copies between a channel of a texture and the levels first..last, through `planes->quads`.
static bool exchange_array(struct wp_planes *planes, bool load, int first, int last,
                           const struct wp_texture *array, int channel)
{
    const struct wp_description *d = &planes->schedule->description;
    const struct wp_transfer all = wp_transfer_of_level(d, 0);
    bool ok = wp_gl_make_current(planes->gl) &&
              (planes->quads.id || wp_texture_create(planes->gl, all.domain.width,
                                                     all.domain.height, &planes->quads));
    for (int l = first; l <= last && ok; l++) {
        const struct wp_transfer transfer = wp_transfer_of_level(d, l);
        ok = load ? wp_transfer_load_texture(planes->gl, d, &transfer, array, channel,
                                             &planes->quads) &&
                        wp_planes_read_quads(planes, l, &planes->quads, 0, 0)
                  : wp_planes_write_quads(planes, l, &planes->quads) &&
                        wp_transfer_store_texture(planes->gl, d, &transfer, &planes->quads, array,
                                                  channel);
    }
    return ok;
}

static bool exchange_operand(struct wp_planes *planes, bool load, const struct wp_texture *array,
                             int channel)
{
    const struct wp_description *d = &planes->schedule->description;
    const bool samples = (d->direction == WP_FORWARD) == load || d->levels == 0;
    return exchange_array(planes, load, samples ? 0 : 1, samples ? 0 : d->levels, array, channel);
}

bool wp_planes_load_texture(struct wp_planes *planes, const struct wp_texture *from, int channel)
{
    return exchange_operand(planes, true, from, channel);
}

bool wp_planes_store_texture(struct wp_planes *planes, const struct wp_texture *to, int channel)
{
    return exchange_operand(planes, false, to, channel);
}
