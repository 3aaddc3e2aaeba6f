#include "surfaces.h"

#include "memory.h"
#include "min_max.h"
#include "program.h"

#include <stdlib.h>

// Bytes of a strip, the unit of packing and copying, so that there is no second copy of the plane.
enum { STRIP_BYTES = 1 << 20 };

// Layers per slice of a volume.
static int layers_of(const struct wp_surface *surface)
{
    return surface->layers ? surface->layers : 1;
}

// Planes per column: as many as textures of that height have, or fewer if several columns are
// needed, so that they have about the same number.
static int find_rows(const struct wp_schedule *schedule, int limit)
{
    const int planes = wp_description_planes(&schedule->description);
    int most = planes;
    for (int s = 0; s < schedule->surface_count; s++) {
        const int height = schedule->surface[s].height;
        if (height && limit / height < most)
            most = limit / height;
    }
    return most > 0 ? wp_divide_up(planes, wp_divide_up(planes, most)) : 1;
}

struct wp_stack wp_surfaces_stack(const struct wp_surfaces *surfaces, int surface)
{
    const struct wp_surface *s = &surfaces->schedule->surface[surface];
    return (struct wp_stack){
        .count = wp_description_planes(&surfaces->schedule->description),
        .rows = surfaces->rows,
        .step = {s->width, s->height},
    };
}

static struct wp_texture_params params_of(const struct wp_surfaces *surfaces, int surface)
{
    const struct wp_schedule *schedule = surfaces->schedule;
    const struct wp_surface *s = &schedule->surface[surface];
    const int planes = wp_description_planes(&schedule->description);
    return (struct wp_texture_params){
        .width = s->width * wp_divide_up(planes, surfaces->rows),
        .height = s->height * surfaces->rows,
        .layers = s->depth ? s->depth * layers_of(s) : s->layers,
        .deep = s->depth > 0,
        .half = schedule->description.precision == WP_PRECISION_F16,
    };
}

bool wp_surfaces_create(struct wp_gl *gl, const struct wp_schedule *schedule,
                        struct wp_surfaces *surfaces)
{
    const int halves = wp_description_depth(&schedule->description) > 1 ? 2 : 1;
    const int count = schedule->surface_count * halves;
    *surfaces = (struct wp_surfaces){
        .gl = gl,
        .schedule = schedule,
        .halves = halves,
        .rows = find_rows(schedule, wp_gl_get_info(gl)->max_texture),
    };
    surfaces->texture =
        wp_allocate((size_t)count, sizeof *surfaces->texture, "the textures");
    bool ok = surfaces->texture != NULL;
    surfaces->count = ok ? count : 0;
    int widest = 1;
    for (int t = 0; t < count && ok; t++) {
        const struct wp_texture_params params = params_of(surfaces, t / halves);
        const int width = schedule->surface[t / halves].width;
        widest = width > widest ? width : widest;
        ok = wp_texture_create_from(gl, &params, &surfaces->texture[t]);
    }
    const int strip = STRIP_BYTES / (4 * (int)sizeof(float));
    surfaces->strip_quads = widest > strip ? widest : strip;
    if (ok && halves > 1)
        ok = (surfaces->targets = wp_targets_create()) != NULL;
    ok = ok && wp_pixel_pack_create(&surfaces->pack, gl, &schedule->description);
    if (ok)
        surfaces->strip = wp_allocate((size_t)surfaces->strip_quads, 4 * sizeof(float),
                                      "a strip");
    if (!surfaces->strip)
        wp_surfaces_destroy(surfaces);
    return surfaces->strip != NULL;
}

void wp_surfaces_destroy(struct wp_surfaces *surfaces)
{
    const bool current = surfaces->gl && wp_gl_make_current(surfaces->gl);
    if (current)
        wp_targets_destroy(&surfaces->targets);
    for (int t = 0; t < surfaces->count && current; t++)
        wp_texture_destroy(&surfaces->texture[t]);
    if (current)
        wp_pixel_pack_destroy(&surfaces->pack);
    free(surfaces->texture);
    free(surfaces->strip);
    *surfaces = (struct wp_surfaces){0};
}

// The first texel of a plane in a transfer's texture.
static void find_plane(const struct wp_surfaces *surfaces, const struct wp_transfer *transfer,
                       int index, int at[2])
{
    const struct wp_stack stack = wp_surfaces_stack(surfaces, transfer->surface);
    at[WP_X] = index / stack.rows * stack.step[WP_X];
    at[WP_Y] = index % stack.rows * stack.step[WP_Y];
}

struct wp_layer wp_surfaces_slice(const struct wp_surfaces *surfaces, int surface, int slice)
{
    const int odd = slice & 1;
    return (struct wp_layer){
        .texture = &surfaces->texture[surface * surfaces->halves + odd],
        .layer = (slice - odd) / 2 * layers_of(&surfaces->schedule->surface[surface]),
    };
}

int wp_surfaces_step(const struct wp_surfaces *surfaces, int surface)
{
    return layers_of(&surfaces->schedule->surface[surface]);
}

// The layer of a transfer's quads, for volumes of its slice.
static struct wp_layer layer_of(const struct wp_surfaces *surfaces,
                                const struct wp_transfer *transfer)
{
    struct wp_layer layer = {&surfaces->texture[transfer->surface * surfaces->halves], 0};
    if (transfer->octets.count)
        layer = wp_surfaces_slice(surfaces, transfer->surface, 2 * transfer->z + transfer->slice);
    layer.layer += transfer->layer;
    return layer;
}

// The strips of all loads or stores, planes and slices: `rows` rows of a transfer from row `y` of
// its domain on. Small planes that are one below the other share a strip, which has all their rows
// and the texels between them.
struct strips {
    const struct wp_surfaces *surfaces;
    bool loads;
    int next, next_plane, slice, next_y; // of the next strip: transfer, plane, slice of it, row
    struct wp_transfer transfer;
    int plane, planes, y, rows;
};

// The number of rows of the texture in a strip, which begins at texel `at`.
static int place_strip(const struct strips *s, int at[2])
{
    const struct wp_transfer *t = &s->transfer;
    find_plane(s->surfaces, t, s->plane, at);
    at[WP_X] += t->x + t->domain.x;
    at[WP_Y] += t->y + t->domain.y + s->y;
    return (s->planes - 1) * s->surfaces->schedule->surface[t->surface].height + s->rows;
}

// The number of planes from s->plane on that the next strip can have completely, at least 1.
static int planes_of(const struct strips *s)
{
    const struct wp_stack stack = wp_surfaces_stack(s->surfaces, s->transfer.surface);
    const struct wp_rect *domain = &s->transfer.domain;
    const int most = s->surfaces->strip_quads / domain->width; // rows
    const int fit = most < domain->height ? 1 : 1 + (most - domain->height) / stack.step[WP_Y];
    const int below = stack.rows - s->plane % stack.rows, left = stack.count - s->plane;
    const int column = below < left ? below : left;
    return fit < column ? fit : column;
}

// Moves to the next strip; false at the end.
static bool next_strip(struct strips *s)
{
    const struct wp_schedule *schedule = s->surfaces->schedule;
    const int count = s->loads ? schedule->load_count : schedule->store_count;
    while (s->next < count) {
        s->transfer = (s->loads ? schedule->load : schedule->store)[s->next];
        s->plane = s->next_plane;
        s->planes = planes_of(s);
        const struct wp_span slices = wp_transfer_slices(&s->transfer, s->loads);
        s->transfer.slice = slices.first + s->slice;
        const int left = s->transfer.domain.height - s->next_y;
        if (s->slice < slices.count && wp_transfer_uses(&s->transfer, s->transfer.slice) &&
            left > 0) {
            const int most = s->surfaces->strip_quads / s->transfer.domain.width;
            s->y = s->next_y;
            s->rows = left < most ? left : most;
            s->next_y += s->rows;
            return true;
        }
        s->next_y = 0;
        if (++s->slice < slices.count)
            continue;
        s->slice = 0;
        s->next_plane += s->planes;
        if (s->next_plane < wp_description_planes(&schedule->description))
            continue;
        s->next_plane = 0;
        s->next++;
    }
    return false;
}

// The quads of plane number `index` of a strip.
static size_t quads_of(const struct strips *s, int index)
{
    const struct wp_surface *surface = &s->surfaces->schedule->surface[s->transfer.surface];
    return (size_t)(index * surface->height) * (size_t)s->transfer.domain.width * 4;
}

static void pack_strip(const struct strips *s, const struct wp_operand *from)
{
    for (int i = 0; i < s->planes; i++)
        wp_transfer_load(&s->surfaces->schedule->description, &s->transfer, from, s->plane + i,
                         s->y, s->rows, s->surfaces->strip + quads_of(s, i));
}

static void unpack_strip(const struct strips *s, const float *quads, const struct wp_operand *to)
{
    for (int i = 0; i < s->planes; i++)
        wp_transfer_store(&s->surfaces->schedule->description, &s->transfer,
                          quads + quads_of(s, i), s->y, s->rows, to, s->plane + i);
}

bool wp_surfaces_pack(const struct wp_surfaces *surfaces, const struct wp_operand *from)
{
    struct strips strips = {.surfaces = surfaces, .loads = true};
    while (next_strip(&strips))
        pack_strip(&strips, from);
    return true;
}

bool wp_surfaces_unpack(const struct wp_surfaces *surfaces, const struct wp_operand *to)
{
    struct strips s = {.surfaces = surfaces};
    while (next_strip(&s))
        unpack_strip(&s, surfaces->strip, to);
    return true;
}

// Loads the transfer's slice from all planes of the packed words.
static bool load_slice(const struct wp_surfaces *surfaces, const struct wp_transfer *transfer,
                       int plane, int z)
{
    const struct wp_stack stack = wp_surfaces_stack(surfaces, transfer->surface);
    struct wp_layer layer = layer_of(surfaces, transfer);
    bool ok = true;
    for (int c = 0; c < surfaces->pack.channels && ok; c++) {
        int at[2];
        find_plane(surfaces, transfer, plane + c, at);
        ok = wp_transfer_load_packed(surfaces->gl, &surfaces->schedule->description, transfer,
                                     &surfaces->pack, c, z, &layer, at, &stack);
    }
    return ok;
}

static bool load_pixels(struct wp_surfaces *surfaces, const struct wp_operand *pixels)
{
    const struct wp_schedule *schedule = surfaces->schedule;
    struct wp_pixel_pack *pack = &surfaces->pack;
    bool ok = wp_pixel_pack_prepare(pack, surfaces->gl, &schedule->description, pixels);
    const int step = ok ? wp_pixel_pack_planes(pack) : 1;
    for (int p = 0; p < wp_description_planes(&schedule->description) && ok; p += step) {
        int loaded = -1; // the slice whose words are in the texture
        for (int i = 0; i < schedule->load_count; i++) {
            struct wp_transfer transfer = schedule->load[i];
            const struct wp_span slices = wp_transfer_slices(&transfer, true);
            for (int s = slices.first; s < slices.first + slices.count && ok; s++) {
                transfer.slice = s;
                const int z = wp_transfer_slice(&transfer);
                if (!wp_transfer_uses(&transfer, s))
                    continue;
                if (z >= 0 && z != loaded)
                    wp_pixel_pack_load(pack, p, loaded = z);
                ok = load_slice(surfaces, &transfer, p, z);
            }
        }
    }
    return ok;
}

// Executes the stores of a slice, all of which are in one texture.
static bool store_slice(const struct wp_surfaces *surfaces, int plane, int z)
{
    const struct wp_schedule *schedule = surfaces->schedule;
    const struct wp_pixel_pack *pack = &surfaces->pack;
    struct wp_transfer transfer[WP_TRANSFERS_PER_LEVEL];
    int count = 0;
    for (int i = 0; i < schedule->store_count; i++) {
        transfer[count] = schedule->store[i];
        transfer[count].slice = z;
        count += wp_transfer_uses(&transfer[count], z);
    }
    struct wp_layer from = layer_of(surfaces, &transfer[0]);
    from.layer -= transfer[0].layer;
    const struct wp_stack stack = wp_surfaces_stack(surfaces, transfer[0].surface);
    int at[2];
    find_plane(surfaces, &transfer[0], plane, at);
    return wp_transfer_store_packed(surfaces->gl, transfer, count, &from, at, &stack, pack,
                                    WP_PIXEL_PACK_WRITE) &&
           (!wp_pixel_pack_counts(pack) ||
            wp_transfer_store_packed(surfaces->gl, transfer, count, &from, at, &stack, pack,
                                     WP_PIXEL_PACK_COUNT)) &&
           wp_pixel_pack_store(pack, plane, z);
}

static bool store_pixels(struct wp_surfaces *surfaces, const struct wp_operand *pixels)
{
    const struct wp_description *d = &surfaces->schedule->description;
    bool ok = wp_pixel_pack_prepare(&surfaces->pack, surfaces->gl, d, pixels);
    const int step = ok ? wp_pixel_pack_planes(&surfaces->pack) : 1;
    for (int p = 0; p < wp_description_planes(d) && ok; p += step)
        for (int z = 0; z < wp_description_depth(d) && ok; z++)
            ok = store_slice(surfaces, p, z);
    return ok;
}

bool wp_surfaces_load(struct wp_surfaces *surfaces, const struct wp_operand *from)
{
    struct strips s = {.surfaces = surfaces, .loads = true};
    if (!wp_gl_make_current(surfaces->gl))
        return false;
    if (from->type != WP_ELEMENT_F32)
        return load_pixels(surfaces, from) && wp_gl_finish(surfaces->gl);
    while (next_strip(&s)) {
        const struct wp_layer layer = layer_of(surfaces, &s.transfer);
        int at[2];
        const int rows = place_strip(&s, at);
        pack_strip(&s, from);
        if (!wp_texture_write_layer(layer.texture, layer.layer, at[WP_X], at[WP_Y],
                                    s.transfer.domain.width, rows, surfaces->strip))
            return false;
    }
    return wp_gl_finish(surfaces->gl);
}

// A strip that is being copied to the host.
struct download {
    struct strips strip;
    struct wp_texture_copy copy;
};

static bool store_strip(const struct download *d, const struct wp_operand *to)
{
    const float *quads = wp_texture_copy_wait(&d->copy);
    if (!quads)
        return false;
    unpack_strip(&d->strip, quads, to);
    wp_texture_copy_return(&d->copy);
    return true;
}

// The host unpacks a strip while the GPU copies the next one.
bool wp_surfaces_store(struct wp_surfaces *surfaces, const struct wp_operand *to)
{
    struct strips s = {.surfaces = surfaces};
    struct download download[2] = {{.strip = s}};
    int count = 0;
    bool ok = true;
    if (!wp_gl_make_current(surfaces->gl))
        return false;
    if (to->type != WP_ELEMENT_F32)
        return store_pixels(surfaces, to) && wp_gl_finish(surfaces->gl);
    while (ok && next_strip(&s)) {
        struct download *d = &download[count++ % 2];
        const struct wp_layer layer = layer_of(surfaces, &s.transfer);
        int at[2];
        const int rows = place_strip(&s, at);
        d->strip = s;
        wp_texture_copy_begin(&d->copy, layer.texture, layer.layer, at[WP_X], at[WP_Y],
                              s.transfer.domain.width, rows);
        ok = count == 1 || store_strip(&download[count % 2], to);
    }
    ok = ok && (count == 0 || store_strip(&download[(count - 1) % 2], to));
    for (int i = 0; i < 2; i++)
        wp_texture_copy_destroy(&download[i].copy);
    return ok && wp_gl_finish(surfaces->gl);
}

bool wp_surfaces_load_texture(const struct wp_surfaces *surfaces, const struct wp_texture *from,
                              int channel)
{
    const struct wp_schedule *schedule = surfaces->schedule;
    bool ok = wp_gl_make_current(surfaces->gl);
    for (int p = 0; p < schedule->load_count && ok; p++)
        ok = wp_transfer_load_texture(surfaces->gl, &schedule->description, &schedule->load[p],
                                      from, channel, &surfaces->texture[schedule->load[p].surface]);
    return ok;
}

bool wp_surfaces_store_texture(const struct wp_surfaces *surfaces, const struct wp_texture *to,
                               int channel)
{
    const struct wp_schedule *schedule = surfaces->schedule;
    bool ok = wp_gl_make_current(surfaces->gl);
    for (int p = 0; p < schedule->store_count && ok; p++)
        ok = wp_transfer_store_texture(surfaces->gl, &schedule->description, &schedule->store[p],
                                       &surfaces->texture[schedule->store[p].surface], to, channel);
    return ok;
}
