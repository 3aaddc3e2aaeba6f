#include "planes.h"

#include "emit.h"
#include "emit_tile.h"
#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "program.h"
#include "text.h"
#include "surfaces.h"

#include <stdlib.h>

extern const unsigned char wp_shader_quads[]; // shaders/quads.glsl, embedded

enum { GROUP = 16 }; // width and height of a workgroup

// Floats of a strip, the unit of packing and copying, so that there is no second copy of the plane.
enum { STRIP_FLOATS = 1 << 20 };

// Planes whose surface has at most so many floats are copied many at a time, with all bands, even
// those that are not transferred.
enum { SMALL_PLANE_FLOATS = 1 << 16 };

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
        const bool whole = !slices || wp_schedule_is_redundant(&schedule->description);
        if (whole && count * sizeof(float) > planes->max_range) {
            wp_fail(WP_ERROR_TOO_LARGE,
                    "%zu bytes of samples exceed the %zu that compute shaders of this device can "
                    "access"
                    "\nhint: backend '%s' has no such limit",
                    count * sizeof(float), planes->max_range, slices ? "cpu" : "fragment");
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
    const bool redundant = wp_schedule_is_redundant(d);
    const bool interleaved = level > 0 && wp_description_axes(d, level) >> WP_Z & 1 && !redundant;
    const size_t plane = (size_t)surface->width * (size_t)surface->height;
    const int layer = redundant ? wp_schedule_layer(planes->schedule->op[0].scheme, band)
                                : (int)band % WP_BAND_COUNT;
    const size_t slice = wp_planes_stride(surface);
    *first = planes->part[level].first + (size_t)layer * plane +
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

// The transfers of a direction.
static const struct wp_transfer *transfers_of(const struct wp_schedule *schedule,
                                              enum direction direction, int *count)
{
    const bool loads = direction == LOAD || direction == PACK;
    *count = loads ? schedule->load_count : schedule->store_count;
    return loads ? schedule->load : schedule->store;
}

// Packs or unpacks the strip, which has `count` planes of a surface from number `first` on.
static void exchange_strip(const struct wp_planes *planes, int surface, int first, int count,
                           enum direction direction, const struct wp_operand *operand)
{
    const struct wp_schedule *schedule = planes->schedule;
    const struct wp_surface *of = &schedule->surface[surface];
    const size_t stride = wp_planes_stride(of);
    int transfers;
    const struct wp_transfer *transfer = transfers_of(schedule, direction, &transfers);
    for (int i = 0; i < count; i++) {
        for (int t = 0; t < transfers; t++) {
            float *strip = planes->strip + (size_t)i * stride +
                           (size_t)transfer[t].layer * (size_t)of->width * (size_t)of->height;
            if (transfer[t].surface != surface)
                continue;
            if (direction == LOAD || direction == PACK)
                wp_transfer_load(&schedule->description, &transfer[t], operand, first + i, 0,
                                 transfer[t].domain.height, strip);
            else
                wp_transfer_store(&schedule->description, &transfer[t], strip, 0,
                                  transfer[t].domain.height, operand, first + i);
        }
    }
}

// Transfers all small planes of a surface.
static bool exchange_small(const struct wp_planes *planes, int surface, enum direction direction,
                           const struct wp_operand *operand)
{
    const int count = wp_description_planes(&planes->schedule->description);
    const size_t stride = wp_planes_stride(&planes->schedule->surface[surface]);
    const int most = (int)(planes->strip_count / stride);
    for (int i = 0; i < count; i += most) {
        const int group = count - i < most ? count - i : most;
        const size_t first = planes->part[surface].first + (size_t)i * stride;
        const size_t floats = (size_t)group * stride;
        if (direction == STORE && !wp_buffer_read(&planes->buffer, first, floats, planes->strip))
            return false;
        exchange_strip(planes, surface, i, group, direction, operand);
        if (direction == LOAD)
            wp_buffer_write(&planes->buffer, first, floats, planes->strip);
    }
    return true;
}

static bool exchange_all(const struct wp_planes *planes, enum direction direction,
                         const struct wp_operand *operand)
{
    const struct wp_schedule *schedule = planes->schedule;
    const int stack = wp_description_planes(&schedule->description);
    if (schedule->surface[0].slices)
        return exchange_volume(planes, direction, operand);
    int count, done = -1;
    const struct wp_transfer *transfer = transfers_of(schedule, direction, &count);
    bool ok = true;
    // Transfers of a surface follow each other.
    for (int t = 0; t < count && ok; t++) {
        const int surface = transfer[t].surface;
        const bool small = stack > 1 && wp_planes_stride(&schedule->surface[surface]) <=
                                            SMALL_PLANE_FLOATS;
        for (int i = 0; i < stack && !small && ok; i++)
            ok = exchange(planes, &transfer[t], i, direction, operand);
        if (small && surface != done)
            ok = exchange_small(planes, surface, direction, operand);
        done = surface;
    }
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

// The size of a level in samples, and the bits of the components of its elements if it is of a
// redundant bank, else 0. The low band of levels before the last is not among them.
static unsigned find_level(const struct wp_schedule *schedule, int level, int size[2])
{
    const struct wp_description *d = &schedule->description;
    const bool elements = level > 0 && wp_schedule_is_redundant(d);
    for (int a = WP_X; a <= WP_Y; a++)
        size[a] = elements ? d->size[a] : wp_level_size(d->size[a], level ? level - 1 : 0);
    if (!elements)
        return 0;
    const unsigned low = 1U << WP_BAND_LL, all = schedule->op->scheme->components;
    return level < wp_description_levels(d) ? all & ~low : all;
}

// Copies between the planes of a level and a texture, the output if textures->result is not NULL.
static bool exchange_quads(const struct wp_planes *planes, int level,
                           const struct wp_tile_textures *textures, int x, int y)
{
    const struct wp_surface *surface = &planes->schedule->surface[level];
    int size[2];
    const unsigned elements = find_level(planes->schedule, level, size);
    const int side = elements ? GROUP : 2 * GROUP; // samples per workgroup
    if (!wp_gl_make_current(planes->gl))
        return false;
    struct wp_text source = {0};
    wp_emit_head(&wp_glsl_430, 0, &source);
    if (elements)
        wp_text_add(&source, "#define ELEMENTS %u\n", elements);
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
    wp_program_set2(program, "size", size[WP_X], size[WP_Y]);
    wp_program_set2(program, "origin", x, y);
    wp_program_dispatch_between(program, &planes->buffer, &planes->part[level], textures,
                                (const int[]){(size[WP_X] + side - 1) / side,
                                              (size[WP_Y] + side - 1) / side, 1});
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
    if (!samples && wp_description_is_redundant(d))
        return wp_fail(WP_ERROR_USAGE, "backend 'compute' does not support coefficients of bank "
                       "'%s' in textures\nhint: backend 'fragment' does",
                       wp_bank_names[d->bank]);
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

// ---- packed pixels ----

extern const unsigned char wp_shader_planes_packed[]; // shaders/planes_packed.glsl, embedded

static struct wp_program *get_program(struct wp_gl *gl, const struct wp_pixel_pack *pack,
                                      enum wp_pixel_pack_act act, bool quads)
{
    struct wp_text source = {0};
    wp_emit_head(&wp_glsl_430, 0, &source);
    wp_text_add(&source, "%slayout(local_size_x = %d, local_size_y = %d) in;\n",
                quads ? "#define QUADS\n" : "", GROUP, GROUP);
    wp_pixel_pack_emit(pack, act, &source);
    wp_text_add(&source, "%s", (const char *)wp_shader_planes_packed);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}

static int groups_of(int count)
{
    return (count + GROUP - 1) / GROUP;
}

// Converts a slice of as many planes as are packed, from number `plane` on.
static bool dispatch(const struct wp_planes *planes, enum wp_pixel_pack_act act, int plane, int z)
{
    const struct wp_pixel_pack *pack = &planes->pack;
    const struct wp_surface *surface = &planes->schedule->surface[0];
    const size_t plane_stride = wp_planes_plane_stride(planes, surface),
        stride = wp_planes_stride(surface);
    size_t first;
    ptrdiff_t step[WP_DIMS_MAX];
    wp_planes_operand(planes, 0, WP_BAND_LL, &first, step);
    first += (size_t)plane * plane_stride + (size_t)z * (surface->slices ? (size_t)step[WP_Z] : 0);
    // Buffer ranges begin at multiples of WP_BUFFER_ALIGN.
    const struct wp_buffer_part part = {
        first / WP_BUFFER_ALIGN * WP_BUFFER_ALIGN,
        first % WP_BUFFER_ALIGN + (size_t)(wp_pixel_pack_planes(pack) - 1) * plane_stride + stride,
    };
    struct wp_program *program = get_program(planes->gl, pack, act, !surface->planes);
    if (!program)
        return false;
    wp_pixel_pack_set(pack, act, program);
    const int samples = surface->planes ? 1 : 2; // per texel along an axis
    const int size[] = {samples * surface->width, samples * surface->height};
    wp_program_set3(program, "sample_layout",
                    (const int[]){(int)(first - part.first), surface->width, (int)plane_stride});
    wp_program_set2(program, "padded", size[0], size[1]);
    const struct wp_texture *target = wp_pixel_pack_target(pack, act);
    const bool reads = act == WP_PIXEL_PACK_READ;
    wp_program_dispatch_between(
        program, &planes->buffer, &part,
        reads ? &(struct wp_tile_textures){.source = &pack->texture, .low = &pack->table}
              : &(struct wp_tile_textures){.result = target},
        (const int[]){groups_of(reads ? size[0] : target->width),
                      groups_of(reads ? size[1] : target->height), reads ? pack->group : 1});
    return true;
}

bool wp_planes_load_pixels(struct wp_planes *planes, const struct wp_operand *from)
{
    const struct wp_description *d = &planes->schedule->description;
    struct wp_pixel_pack *pack = &planes->pack;
    bool ok = wp_gl_make_current(planes->gl) && wp_pixel_pack_prepare(pack, planes->gl, d, from);
    const int step = ok ? wp_pixel_pack_planes(pack) : 1;
    for (int p = 0; p < wp_description_planes(d) && ok; p += step) {
        for (int z = 0; z < wp_description_depth(d) && ok; z++) {
            wp_pixel_pack_load(pack, p, z);
            ok = dispatch(planes, WP_PIXEL_PACK_READ, p, z);
        }
    }
    return ok && wp_gl_finish(planes->gl);
}

bool wp_planes_store_pixels(struct wp_planes *planes, const struct wp_operand *to)
{
    const struct wp_description *d = &planes->schedule->description;
    struct wp_pixel_pack *pack = &planes->pack;
    bool ok = wp_gl_make_current(planes->gl) && wp_pixel_pack_prepare(pack, planes->gl, d, to);
    const int step = ok ? wp_pixel_pack_planes(pack) : 1;
    for (int p = 0; p < wp_description_planes(d) && ok; p += step)
        for (int z = 0; z < wp_description_depth(d) && ok; z++)
            ok = dispatch(planes, WP_PIXEL_PACK_WRITE, p, z) &&
                 (!wp_pixel_pack_counts(pack) || dispatch(planes, WP_PIXEL_PACK_COUNT, p, z)) &&
                 wp_pixel_pack_store(pack, p, z);
    return ok && wp_gl_finish(planes->gl);
}

// ---- ranges of slices ----

// Slices from..to of the level in a surface, where they are `step` slices apart.
static struct wp_buffer_part part_of(const struct wp_planes *planes, int surface, int step,
                                     int from, int to)
{
    const size_t stride = wp_planes_stride(&planes->schedule->surface[surface]);
    return (struct wp_buffer_part){
        .first = planes->part[surface].first + (size_t)(from * step) * stride,
        .count = (size_t)((to - from) * step + 1) * stride,
    };
}

static bool is_within(const struct wp_planes *planes, const struct wp_buffer_part *part)
{
    return part->count * sizeof(float) <= planes->max_range;
}

bool wp_slice_range_find(const struct wp_planes *planes, const struct wp_op *op,
                         const struct wp_lines_reach *reach, int first, int count,
                         struct wp_slice_range *range)
{
    const struct wp_surface *surface = planes->schedule->surface;
    const int end = wp_min(first + count, op->slices);
    int low = first, high = end - 1;
    for (int i = first - reach->before; i < end + reach->after; i++) {
        const int index = wp_max(0, wp_extend(op->extension, i, op->slices));
        low = wp_min(low, index);
        high = wp_max(high, index);
    }
    const int source = (int)wp_planes_stride(&surface[op->source]) * op->source_step;
    const int result = (int)wp_planes_stride(&surface[op->destination]) * op->destination_step;
    *range = (struct wp_slice_range){
        .first = first,
        .end = end,
        .source = part_of(planes, op->source, op->source_step, low, high),
        .result = part_of(planes, op->destination, op->destination_step, first, end - 1),
        .step = {source, low, result, first},
    };
    return is_within(planes, &range->source) && is_within(planes, &range->result);
}

// Do all ranges fit? If not, `large` is the range that is too large.
static bool all_fit(const struct wp_planes *planes, const struct wp_op *op,
                    const struct wp_lines_reach *reach, int count, struct wp_buffer_part *large)
{
    struct wp_slice_range range;
    for (int first = 0; first < op->slices; first += count) {
        if (wp_slice_range_find(planes, op, reach, first, count, &range))
            continue;
        *large = is_within(planes, &range.source) ? range.result : range.source;
        return false;
    }
    return true;
}

int wp_slice_range_max(const struct wp_planes *planes, const struct wp_op *op,
                       const struct wp_lines_reach *reach)
{
    const int min_count = op->along_z ? 2 : 1;
    int count = wp_min(op->slices + op->slices % min_count, WP_PLANES_LAYERS_MAX - 1);
    struct wp_buffer_part large;
    while (count > min_count && !all_fit(planes, op, reach, count, &large))
        count = wp_max(min_count, count / 2 / min_count * min_count);
    if (all_fit(planes, op, reach, count, &large))
        return count;
    wp_fail(WP_ERROR_TOO_LARGE,
            "%zu bytes, the input of a few slices of level %d, exceed the %zu that compute shaders "
            "of this device can access (GL_MAX_SHADER_STORAGE_BLOCK_SIZE)"
            "\nhint: backend 'cpu' has no such limit",
            large.count * sizeof(float), op->level, planes->max_range);
    return 0;
}

void wp_planes_set_layout(const struct wp_planes *planes, int surface, struct wp_program *program,
                          const char *uniform)
{
    const struct wp_surface *s = &planes->schedule->surface[surface];
    const size_t slice = s->slices ? wp_planes_stride(s) : wp_planes_plane_stride(planes, s);
    wp_program_set3(program, uniform,
                    (const int[]){s->width, s->width * s->height, (int)slice});
}
