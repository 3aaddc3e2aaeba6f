#include "surfaces.h"

#include "emit.h"
#include "program.h"
#include "text.h"

#include <assert.h>

extern const unsigned char wp_shader_extend[], wp_shader_transfer_load[],
    wp_shader_transfer_store[],
    wp_shader_transfer_packed[];

// The components of a transfer, as uniforms of the shaders.
struct components {
    int band[WP_BAND_COUNT][4];
    int count[WP_BAND_COUNT][2];
};

// The components of even (parity 0) or odd slices.
static struct components find_components(const struct wp_description *d,
                                         const struct wp_transfer *transfer, int parity)
{
    struct components of = {0};
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const int component = c + WP_BAND_COUNT * parity;
        const struct wp_transfer_band *band = &transfer->band[component];
        if (!transfer->used[component])
            continue;
        const struct wp_band_grid grid = wp_description_band(d, band->level, band->band);
        for (int a = WP_X; a <= WP_Y; a++) {
            of.band[c][a] = grid.first[a] + grid.every[a] * band->first[a];
            of.count[c][a] = (grid.size[a] - band->first[a] + band->every[a] - 1) /
                             band->every[a];
        }
        of.band[c][2] = grid.every[WP_X] * band->every[WP_X]; // the same along both axes
    }
    return of;
}

// The bounding rectangle of their samples in the array.
static struct wp_rect rectangle_of(const struct components *of)
{
    int first[2] = {0, 0}, end[2] = {0, 0};
    bool any = false;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        if (of->band[c][2] == 0 || of->count[c][WP_X] <= 0 || of->count[c][WP_Y] <= 0)
            continue;
        for (int a = WP_X; a <= WP_Y; a++) {
            const int last = of->band[c][a] + (of->count[c][a] - 1) * of->band[c][2];
            first[a] = !any || of->band[c][a] < first[a] ? of->band[c][a] : first[a];
            end[a] = !any || last + 1 > end[a] ? last + 1 : end[a];
        }
        any = true;
    }
    return (struct wp_rect){first[WP_X], first[WP_Y], end[WP_X] - first[WP_X],
                            end[WP_Y] - first[WP_Y]};
}

// `pack`: NULL for a texture.
static struct wp_program *get_load(struct wp_gl *gl, const struct wp_description *d, bool aligned,
                                   const struct wp_pixel_pack *pack)
{
    const bool half = d->precision == WP_PRECISION_F16;
    struct wp_text source = {0};
    wp_emit_head(wp_glsl_fragments, 0, &source);
    wp_text_add(&source, "%s", aligned ? "#define ALIGNED\n" : "");
    if (pack)
        wp_pixel_pack_emit(pack, WP_PIXEL_PACK_READ, &source);
    wp_text_add(&source, "%s%s%s", (const char *)wp_shader_extend, wp_emit_stored(half),
                (const char *)wp_shader_transfer_load);
    struct wp_program *program = (pack && pack->group > 1 ? wp_program_get_stacked
                                                          : wp_program_get)(
        gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static struct wp_program *get_store(struct wp_gl *gl, bool layers, const struct wp_texture *to)
{
    struct wp_text source = {0};
    wp_emit_head(wp_glsl_fragments, 0, &source);
    if (to->half)
        wp_text_add(&source, "#define HALVES\n%s", wp_emit_stored(true));
    wp_text_add(&source, "%s%s%s", to->integers > 0 ? "#define INTEGERS\n" : "",
                layers ? "#define LAYERS\n" : "", (const char *)wp_shader_transfer_store);
    struct wp_program *program = wp_program_get(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static struct wp_program *get_store_packed(struct wp_gl *gl, const struct wp_pixel_pack *pack,
                                           enum wp_pixel_pack_act act, bool layers, bool columns)
{
    struct wp_text source = {0};
    wp_emit_head(wp_glsl_fragments, 0, &source);
    wp_pixel_pack_emit(pack, act, &source);
    wp_text_add(&source, "%s%s%s", layers ? "#define LAYERS\n" : "",
                columns ? "#define COLUMNS\n" : "", (const char *)wp_shader_transfer_packed);
    struct wp_program *program = wp_program_get(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static void set_planes(struct wp_program *program, const struct wp_stack *stack)
{
    wp_program_set3(program, "planes",
                    (const int[]){stack->step[WP_X], stack->step[WP_Y], stack->rows});
}

// Draws a transfer's domain; the plane begins at texel `at`.
static bool draw_load(struct wp_program *program, const struct wp_transfer *transfer,
                      const struct components *of, const struct wp_texture *from, int channel,
                      const struct wp_layer *to, const int at[2])
{
    const struct wp_texture *texture = to->texture;
    struct wp_texture target = *texture;
    if (texture->layers && !wp_texture_of_layer(texture, to->layer, &target))
        return false;
    wp_program_set(program, "channel", channel);
    wp_program_set2(program, "offset", -transfer->x - at[WP_X], -transfer->y - at[WP_Y]);
    wp_program_set2(program, "size", transfer->width, transfer->height);
    wp_program_set(program, "extension", (int)transfer->extension);
    wp_program_set_array(program, "band", 4, WP_BAND_COUNT, &of->band[0][0]);
    const struct wp_rect *domain = &transfer->domain;
    wp_program_draw(program, from, &target, at[WP_X] + transfer->x + domain->x,
                    at[WP_Y] + transfer->y + domain->y, domain->width, domain->height,
                    WP_DRAW_ALL);
    if (texture->layers)
        wp_texture_unbind(&target);
    return true;
}

bool wp_transfer_load_texture(struct wp_gl *gl, const struct wp_description *d,
                              const struct wp_transfer *transfer, const struct wp_texture *from,
                              int channel, const struct wp_texture *to)
{
    const struct components of = find_components(d, transfer, 0);
    struct wp_program *program = get_load(gl, d, transfer->aligned, NULL);
    if (!program)
        return false;
    wp_program_set(program, "integers", from->integers);
    wp_program_set(program, "integer_samples", d->reversible);
    const struct wp_layer layer = {to, transfer->layer};
    return draw_load(program, transfer, &of, from, channel, &layer, (const int[]){0, 0});
}

bool wp_transfer_load_packed(struct wp_gl *gl, const struct wp_description *d,
                             const struct wp_transfer *transfer, const struct wp_pixel_pack *pack,
                             int channel, int slice, const struct wp_layer *to, const int at[2],
                             const struct wp_stack *stack)
{
    const struct components of =
        slice < 0 ? (struct components){0} : find_components(d, transfer, slice & 1);
    struct wp_program *program = get_load(gl, d, transfer->aligned, pack);
    if (!program)
        return false;
    wp_pixel_pack_set(pack, WP_PIXEL_PACK_READ, program);
    if (pack->group > 1) {
        wp_program_stack(program, stack);
        set_planes(program, stack);
    }
    return draw_load(program, transfer, &of, &pack->texture, channel, to, at);
}

bool wp_transfer_store_texture(struct wp_gl *gl, const struct wp_description *d,
                               const struct wp_transfer *transfer, const struct wp_texture *from,
                               const struct wp_texture *to, int channel)
{
    const struct components of = find_components(d, transfer, 0);
    const struct wp_rect rectangle = rectangle_of(&of);
    struct wp_program *program = get_store(gl, from->layers > 0, to);
    if (!program)
        return false;
    const float largest = (float)to->integers;
    if (to->integers > 0)
        wp_program_set_floats(program, "scale", 2,
                              (const float[]){d->reversible ? 1 : largest, largest});
    wp_program_set(program, "layer", transfer->layer);
    wp_program_set2(program, "origin", transfer->x, transfer->y);
    wp_program_set_array(program, "band", 4, WP_BAND_COUNT, &of.band[0][0]);
    wp_program_set_array(program, "count", 2, WP_BAND_COUNT, &of.count[0][0]);
    wp_program_draw(program, from, to, rectangle.x, rectangle.y, rectangle.width,
                    rectangle.height, 1U << channel);
    return true;
}

enum { SUBSAMPLING_MAX = 4 }; // samples along an axis that layers and components separate

// Positions of the first SUBSAMPLING_MAX samples along each axis.
struct positions {
    int every;
    int at[SUBSAMPLING_MAX * SUBSAMPLING_MAX][4]; // x, y, layer, component
};

static struct positions find_positions(const struct wp_transfer transfer[], int count, int layer,
                                       const int from[2])
{
    struct positions positions = {0};
    for (int p = 0; p < count; p++) {
        for (int c = 0; c < WP_BAND_COUNT; c++) {
            const int component = c + WP_BAND_COUNT * (transfer[p].slice & 1);
            const struct wp_transfer_band *band = &transfer[p].band[component];
            if (!transfer[p].used[component])
                continue;
            positions.every = band->every[WP_X]; // equal for all, along both axes
            assert(positions.every <= SUBSAMPLING_MAX && band->level == 0);
            int *at = positions.at[band->first[WP_X] + positions.every * band->first[WP_Y]];
            at[0] = from[WP_X] + transfer[p].x;
            at[1] = from[WP_Y] + transfer[p].y;
            at[2] = transfer[p].layer + layer;
            at[3] = c;
        }
    }
    return positions;
}

bool wp_transfer_store_packed(struct wp_gl *gl, const struct wp_transfer transfer[], int count,
                              const struct wp_layer *from, const int at[2],
                              const struct wp_stack *stack, const struct wp_pixel_pack *pack,
                              enum wp_pixel_pack_act act)
{
    const struct positions positions = find_positions(transfer, count, from->layer, at);
    const bool columns = wp_pixel_pack_planes(pack) > stack->rows;
    const struct wp_texture *to = wp_pixel_pack_target(pack, act);
    struct wp_program *program =
        get_store_packed(gl, pack, act, from->texture->layers > 0, columns);
    if (!program)
        return false;
    wp_pixel_pack_set(pack, act, program);
    wp_program_set(program, "every", positions.every);
    set_planes(program, stack);
    wp_program_set_array(program, "first_texel", 4, SUBSAMPLING_MAX * SUBSAMPLING_MAX,
                         positions.at[0]);
    wp_program_draw(program, from->texture, to, 0, 0, to->width, to->height, WP_DRAW_ALL);
    return true;
}
