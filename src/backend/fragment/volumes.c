#include "volumes.h"

#include "emit.h"
#include "text.h"

// ---- along z ----

// Maximum number of slices that a draw reads: the support of all steps on both sides, in pairs.
enum { SLICES_MAX = 2 * (2 * WP_STEPS_MAX * WP_MAX_REACH + 1) };

struct wp_program *wp_depth_get(struct wp_gl *gl, const struct wp_description *description,
                                struct wp_counts *counts)
{
    const struct wp_lifting lifting = wp_description_lifting(description);
    const struct wp_emit_target target = {.half = description->precision == WP_PRECISION_F16};
    struct wp_text source = {0};
    const struct wp_depth_counts both = wp_emit_depth(&lifting, &target, &source);
    *counts = (struct wp_counts){both.operations * WP_BAND_COUNT / 2.0, both.fetches / 2.0};
    struct wp_program *program = NULL;
    if (wp_text_is_complete(&source, "a shader"))
        program = wp_program_get_layered(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static int slice_at(const struct wp_slice_run *slices, int i)
{
    return slices->first + i * slices->step;
}

// Input of a draw: layers of its slices, and the textures of even and odd ones.
struct reads {
    int layer[SLICES_MAX], count;
    const struct wp_texture *texture[2];
};

// Even slices are in one texture, odd ones in another. The exception is a last slice without a
// partner with Haar: the missing one is replaced by the even slice or by zero, and no others are
// read.
static void find_slices(const struct wp_op *op, const struct wp_lifting *lifting,
                        const struct wp_surfaces *surfaces, int octet, struct reads *reads)
{
    const struct wp_layer any = wp_surfaces_slice(surfaces, op->source, slice_at(&op->from, 0));
    reads->count = 2 * (lifting->before + 1 + lifting->after);
    reads->texture[0] = reads->texture[1] = any.texture;
    for (int i = 0; i < reads->count; i++) {
        const int at =
            wp_extend(lifting->extension, 2 * (octet - lifting->before) + i, op->depth);
        reads->layer[i] = -1;
        if (at < 0)
            continue;
        const struct wp_layer layer =
            wp_surfaces_slice(surfaces, op->source, slice_at(&op->from, at));
        reads->layer[i] = layer.layer;
        reads->texture[i % 2] = layer.texture;
    }
}

// Draws `count` octets, which read slices at the same relative positions.
static void draw_octets(const struct wp_op *op, const struct wp_lifting *lifting,
                        struct wp_program *program, const struct wp_surfaces *surfaces, int first,
                        int count, bool primes)
{
    const struct wp_rect *r = &op->domain;
    struct reads reads;
    struct wp_layer to[2];
    find_slices(op, lifting, surfaces, first, &reads);
    for (int odd = 0; odd < 2; odd++)
        to[odd] = wp_surfaces_slice(surfaces, op->destination, slice_at(&op->to, 2 * first + odd));
    wp_program_read(program, "source_even", 0, reads.texture[0]);
    wp_program_read(program, "source_odd", 1, reads.texture[1]);
    wp_program_set_array(program, "slice", 1, reads.count, reads.layer);
    wp_program_set(program, "slice_step",
                   op->from.step * wp_surfaces_step(surfaces, op->source));
    // The last odd slice may not exist.
    wp_targets_set(surfaces->targets, to, 2 * first + 1 < op->depth ? 2 : 1);
    wp_program_layers(program, count, op->to.step * wp_surfaces_step(surfaces, op->destination),
                      op->layers);
    wp_program_draw_targets(program, surfaces->targets, r->x, r->y, primes ? 1 : r->width,
                            primes ? 1 : r->height, WP_DRAW_ALL);
}

// Octets that read no slices beyond the ends are drawn at once.
void wp_depth_draw(const struct wp_op *op, struct wp_program *program,
                   const struct wp_surfaces *surfaces, bool primes)
{
    const struct wp_lifting lifting = wp_description_lifting(&surfaces->schedule->description);
    const int first = lifting.before, end = op->depth / 2 - lifting.after;
    for (int octet = 0; octet < (primes ? 1 : op->octets.count);) {
        const int count = octet == first && first < end && !primes ? end - first : 1;
        draw_octets(op, &lifting, program, surfaces, octet, count, primes);
        octet += count;
    }
}

// ---- octets ----

// Embedded files of shaders/.
extern const unsigned char wp_shader_extend[], wp_shader_octets[], wp_shader_gather_octets[],
    wp_shader_spread_octets[];

struct wp_program *wp_octets_get(struct wp_gl *gl, const struct wp_op *op,
                                 const struct wp_description *description)
{
    struct wp_text source = {0};
    const struct wp_emit_target target = {.half = description->precision == WP_PRECISION_F16};
    if (op->kind == WP_OP_PASS) {
        wp_emit_fragment_pass_to(op->scheme, op->pass, &target, &source);
    } else {
        wp_emit_head(wp_glsl_fragments, 0, &source);
        wp_text_add(&source, "%s%s%s", (const char *)wp_shader_extend,
                    (const char *)wp_shader_octets,
                    (const char *)(op->kind == WP_OP_GATHER ? wp_shader_gather_octets
                                                            : wp_shader_spread_octets));
    }
    struct wp_program *program = NULL;
    if (wp_text_is_complete(&source, "a shader"))
        program = wp_program_get_layered(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static bool is_split(const struct wp_op *op, int axis)
{
    return op->split >> axis & 1;
}

// Sets the uniforms of gathers and spreads.
static void set_gather_or_spread(const struct wp_op *op, struct wp_program *program)
{
    const int zero[] = {op->source_x, op->source_y, op->source_z};
    const int size[] = {op->width, op->height, op->depth};
    const int split[] = {is_split(op, WP_X), is_split(op, WP_Y), is_split(op, WP_Z)};
    wp_program_set3(program, "source_zero", zero);
    wp_program_set3(program, "size", size);
    wp_program_set3(program, "split", split);
    wp_program_set(program, "extension", (int)op->extension);
}

// The channels with components that are low along the transformed axes.
static unsigned low_channels(const struct wp_op *op)
{
    unsigned channels = 0;
    for (unsigned c = 0; c < WP_BAND_COUNT; c++)
        channels |= c & op->split ? 0U : 1U << c;
    return channels;
}

// For passes the offset is to the source, else to the position of the octet in the level.
static void set_offset(const struct wp_op *op, struct wp_program *program)
{
    const bool passes = op->kind == WP_OP_PASS;
    const int offset[] = {(passes ? op->source_x : 0) - op->destination_x,
                          (passes ? op->source_y : 0) - op->destination_y,
                          (passes ? op->source_z : 0) + op->octets.first};
    wp_program_set3(program, "offset", offset);
}

void wp_octets_draw(const struct wp_op *op, struct wp_program *program,
                    const struct wp_surfaces *surfaces, bool primes)
{
    const bool spreads = op->kind == WP_OP_SPREAD;
    const struct wp_rect *r = &op->domain;
    // If z is transformed, odd slices are high and not changed.
    const int halves = spreads && is_split(op, WP_Z) ? 1 : 2;
    wp_program_read(program, "source_even", 0, wp_surfaces_slice(surfaces, op->source, 0).texture);
    wp_program_read(program, "source_odd", 1, wp_surfaces_slice(surfaces, op->source, 1).texture);
    if (op->kind != WP_OP_PASS)
        set_gather_or_spread(op, program);
    set_offset(op, program);
    const int slice = 2 * (op->destination_z + op->octets.first);
    const struct wp_layer first[] = {wp_surfaces_slice(surfaces, op->destination, slice),
                                     wp_surfaces_slice(surfaces, op->destination, slice + 1)};
    wp_targets_set(surfaces->targets, first, halves);
    wp_program_layers(program, primes ? 1 : op->octets.count, 1, 1);
    wp_program_draw_targets(program, surfaces->targets, op->destination_x + r->x,
                            op->destination_y + r->y, primes ? 1 : r->width,
                            primes ? 1 : r->height, spreads ? low_channels(op) : WP_DRAW_ALL);
}
