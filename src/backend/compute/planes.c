#include "planes.h"

#include "emit.h"
#include "log.h"
#include "memory.h"
#include "transfer_gl.h"
#include "program.h"
#include "text.h"

#include <stdlib.h>

extern const unsigned char wp_shader_quads[]; // shaders/quads.glsl, embedded

enum { GROUP = 16 }; // invocations along each side of a workgroup

// A strip of about this size is packed and sent at a time: the plane is never held twice.
enum { STRIP_FLOATS = 1 << 20 };

size_t wp_planes_stride(const struct wp_surface *surface)
{
    // A plan of no levels has one surface of quads.
    return (size_t)surface->width * (size_t)surface->height *
           (size_t)(surface->planes ? surface->layers : 4);
}

size_t wp_planes_apart(const struct wp_planes *planes, const struct wp_surface *surface)
{
    return planes->apart ? planes->apart : wp_planes_stride(surface);
}

size_t wp_planes_lay_out(const struct wp_planes *planes, struct wp_buffer_part *part)
{
    const struct wp_plan *plan = planes->plan;
    size_t end = 0;
    for (int s = 0; s < plan->surface_count; s++) {
        const int slices = plan->surface[s].slices;
        const size_t count =
            wp_planes_stride(&plan->surface[s]) * (size_t)(slices ? slices : 1);
        part[s] = (struct wp_buffer_part){.first = end, .count = count};
        end += (count + WP_BUFFER_ALIGN - 1) / WP_BUFFER_ALIGN * WP_BUFFER_ALIGN;
    }
    return end;
}

// Floats of a row that a port exchanges.
static size_t row_count(const struct wp_transfer *transfer)
{
    return (size_t)transfer->domain.width * (transfer->planes ? 1 : 4);
}

// Lays the surfaces one behind the other. Returns how many floats they take, or 0 after
// WP_ERROR_TOO_LARGE.
static size_t arrange(struct wp_planes *planes)
{
    const struct wp_plan *plan = planes->plan;
    size_t end = 0;
    for (int s = 0; s < plan->surface_count; s++) {
        const int slices = plan->surface[s].slices;
        const size_t count =
            wp_planes_stride(&plan->surface[s]) *
            (size_t)(slices ? slices : wp_description_planes(&plan->description));
        // Of a volume a dispatch takes as many slices as fit.
        if (!slices && count * sizeof(float) > planes->reach) {
            wp_fail(WP_ERROR_TOO_LARGE,
                    "%zu bytes of samples exceed the %zu that compute shaders of this device reach"
                    "\nhint: backend 'fragment' has no such limit",
                    count * sizeof(float), planes->reach);
            return 0;
        }
        planes->part[s] = (struct wp_buffer_part){.first = end, .count = count};
        end += (count + WP_BUFFER_ALIGN - 1) / WP_BUFFER_ALIGN * WP_BUFFER_ALIGN;
    }
    return end;
}

bool wp_planes_create(struct wp_gl *gl, const struct wp_plan *plan, struct wp_planes *planes)
{
    // No surface has longer rows than the first one.
    const size_t row = (size_t)plan->surface[0].width * (plan->surface[0].planes ? 1 : 4);
    *planes = (struct wp_planes){
        .gl = gl,
        .plan = plan,
        .reach = (size_t)wp_gl_get_info(gl)->max_storage,
        .strip_count = row > STRIP_FLOATS ? row : STRIP_FLOATS,
    };
    planes->part = wp_allocate((size_t)plan->surface_count, sizeof *planes->part, "the surfaces");
    const size_t count = planes->part ? arrange(planes) : 0;
    if (count && wp_buffer_create(count, &planes->buffer) &&
        wp_pixel_pack_create(&planes->pack, gl, &plan->description))
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

enum direction { LOAD, STORE, PACK, UNPACK }; // the last two leave the device alone

// Exchanges a port's rows with its buffer, a strip at a time, for plane number `index`.
static bool exchange(const struct wp_planes *planes, const struct wp_transfer *transfer, int index,
                     enum direction direction, const struct wp_operand *operand)
{
    const struct wp_description *d = &planes->plan->description;
    const struct wp_surface *surface = &planes->plan->surface[transfer->surface];
    const size_t row = row_count(transfer);
    const size_t first = planes->part[transfer->surface].first +
                         (size_t)index * wp_planes_stride(surface) +
                         (size_t)transfer->layer * (size_t)surface->width * (size_t)surface->height;
    const int height = transfer->domain.height, rows = (int)(planes->strip_count / row);
    for (int y = 0; y < height; y += rows) {
        const int count = y + rows < height ? rows : height - y;
        const size_t at = first + (size_t)y * row, floats = (size_t)count * row;
        if (direction == STORE && !wp_buffer_read(&planes->buffer, at, floats, planes->strip))
            return false;
        if (direction == LOAD || direction == PACK)
            wp_transfer_load(d, transfer, operand, index, y, count, planes->strip);
        else
            wp_transfer_store(d, transfer, planes->strip, y, count, operand, index);
        if (direction == LOAD)
            wp_buffer_write(&planes->buffer, at, floats, planes->strip);
    }
    return true;
}

// Between rows in a strip, of which so many samples exist, and a caller's.
static void exchange_row(float *ours, float *theirs, ptrdiff_t step, int count, int width,
                         bool loads)
{
    for (int x = 0; x < count && loads; x++)
        ours[x] = theirs[x * step];
    for (int x = count; x < width && loads; x++)
        ours[x] = 0.0f;
    for (int x = 0; x < count && !loads; x++)
        theirs[x * step] = ours[x];
}

// A slice of a band, whose rows lie from `first` on in the buffer.
static bool exchange_slice(const struct wp_planes *planes, size_t first, int width,
                           const struct wp_view *view, const int size[], enum direction direction)
{
    const int most = (int)(planes->strip_count / (size_t)width);
    for (int y = 0; y < size[WP_Y]; y += most) {
        const int count = y + most < size[WP_Y] ? most : size[WP_Y] - y;
        const size_t begin = first + (size_t)y * (size_t)width;
        const size_t floats = (size_t)count * (size_t)width;
        if (direction == STORE && !wp_buffer_read(&planes->buffer, begin, floats, planes->strip))
            return false;
        for (int row = 0; row < count; row++)
            exchange_row(planes->strip + (size_t)row * (size_t)width,
                         view->data + (y + row) * view->step[WP_Y], view->step[WP_X], size[WP_X],
                         width, direction == LOAD || direction == PACK);
        if (direction == LOAD)
            wp_buffer_write(&planes->buffer, begin, floats, planes->strip);
    }
    return true;
}

// Slices of high bands lie between those of low ones.
void wp_planes_operand(const struct wp_planes *planes, int level, enum wp_band band, size_t *first,
                     ptrdiff_t step[WP_DIMS_MAX])
{
    const struct wp_description *d = &planes->plan->description;
    const struct wp_surface *surface = &planes->plan->surface[level];
    const bool in_turn = level > 0 && wp_description_axes(d, level) >> WP_Z & 1;
    const size_t plane = (size_t)surface->width * (size_t)surface->height;
    const size_t slice = wp_planes_stride(surface);
    *first = planes->part[level].first + (size_t)(band % WP_BAND_COUNT) * plane +
             (in_turn ? (size_t)band / WP_BAND_COUNT * slice : 0);
    step[WP_X] = 1;
    step[WP_Y] = surface->width;
    step[WP_Z] = (ptrdiff_t)(in_turn ? 2 * slice : slice);
}

// A band of a volume, or its samples.
static bool exchange_band(const struct wp_planes *planes, int level, enum wp_band band,
                          enum direction direction, const struct wp_operand *operand)
{
    const struct wp_description *d = &planes->plan->description;
    const struct wp_band_grid grid = wp_description_band(d, level, band);
    size_t first;
    ptrdiff_t step[WP_DIMS_MAX];
    wp_planes_operand(planes, level, band, &first, step);
    struct wp_view view = wp_operand_band(d, operand, level, band, 0);
    bool ok = true;
    for (int z = 0; z < grid.size[WP_Z] && grid.size[WP_X] && ok; z++) {
        ok = exchange_slice(planes, first + (size_t)z * (size_t)step[WP_Z], (int)step[WP_Y],
                            &view, grid.size, direction);
        view.data += view.step[WP_Z];
    }
    return ok;
}

static bool exchange_volume(const struct wp_planes *planes, enum direction direction,
                            const struct wp_operand *operand)
{
    const struct wp_description *d = &planes->plan->description;
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
    const struct wp_plan *plan = planes->plan;
    const bool loads = direction == LOAD || direction == PACK;
    if (plan->surface[0].slices)
        return exchange_volume(planes, direction, operand);
    bool ok = true;
    for (int i = 0; i < wp_description_planes(&plan->description); i++)
        for (int p = 0; p < (loads ? plan->load_count : plan->store_count) && ok; p++)
            ok = exchange(planes, loads ? &plan->load[p] : &plan->store[p], i, direction, operand);
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

// Between the planes of a level and a texture; textures->result is it or NULL.
static bool exchange_quads(const struct wp_planes *planes, int level,
                           const struct wp_tile_textures *textures, int x, int y)
{
    const int *size = planes->plan->description.size;
    const struct wp_surface *surface = &planes->plan->surface[level];
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

// Between a channel of a texture and the levels from `first` to `last`, by way of their quads.
static bool exchange_array(struct wp_planes *planes, bool load, int first, int last,
                           const struct wp_texture *array, int channel)
{
    const struct wp_description *d = &planes->plan->description;
    const struct wp_transfer whole = wp_transfer_of_level(d, 0);
    bool ok = wp_gl_make_current(planes->gl) &&
              (planes->quads.id || wp_texture_create(planes->gl, whole.domain.width,
                                                     whole.domain.height, &planes->quads));
    for (int l = first; l <= last && ok; l++) {
        const struct wp_transfer transfer = wp_transfer_of_level(d, l);
        ok = load ? wp_transfer_load_texture(planes->gl, d, &transfer, array, channel, &planes->quads) &&
                        wp_planes_read_quads(planes, l, &planes->quads, 0, 0)
                  : wp_planes_write_quads(planes, l, &planes->quads) &&
                        wp_transfer_store_texture(planes->gl, d, &transfer, &planes->quads, array,
                                              channel);
    }
    return ok;
}

static bool exchange_side(struct wp_planes *planes, bool load, const struct wp_texture *array,
                          int channel)
{
    const struct wp_description *d = &planes->plan->description;
    const bool samples = (d->direction == WP_FORWARD) == load || d->levels == 0;
    return exchange_array(planes, load, samples ? 0 : 1, samples ? 0 : d->levels, array, channel);
}

bool wp_planes_load_texture(struct wp_planes *planes, const struct wp_texture *from, int channel)
{
    return exchange_side(planes, true, from, channel);
}

bool wp_planes_store_texture(struct wp_planes *planes, const struct wp_texture *to, int channel)
{
    return exchange_side(planes, false, to, channel);
}
