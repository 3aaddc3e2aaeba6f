#include "block.h"

#include "gl_device.h"
#include "min_max.h"
#include "text.h"

#include <stdio.h>

// Maximum number of quads per fragment. A quad uses four registers; a thread of a GPU has 255, and
// compilers order the rows of a block so that not all quads are live at the same time.
enum { CELLS_MAX = 160 };

// Attachments for 2x2 quads.
enum { ATTACHMENTS = 4 };

static struct wp_tile tile_of(const struct wp_block *block)
{
    return (struct wp_tile){
        .columns = block->columns,
        .rows = block->rows,
        .shares = block->shares,
    };
}

struct wp_schedule *wp_block_schedule(const struct wp_block *block,
                              const struct wp_description *description)
{
    // The block form is the optimization for steps that exchange data on chip.
    struct wp_description blocked = *description;
    if (blocked.form == WP_FORM_SHADER)
        blocked.form = WP_FORM_BLOCK;
    return wp_schedule_tiled(&blocked, !block->store);
}

bool wp_block_supports(const struct wp_variant *variant, const struct wp_description *description,
                       char *why, size_t why_size)
{
    const struct wp_block *block = variant->private_data;
    if (wp_description_is_redundant(description)) {
        snprintf(why, why_size, "it supports only bank '%s'", wp_bank_names[WP_BANK_DECIMATED]);
        return false;
    }
    if (block->store && wp_description_depth(description) > 1) {
        snprintf(why, why_size, "it supports only images, not volumes");
        return false;
    }
    // Levels with only one sample along an axis have no larger support.
    struct wp_scheme *scheme = wp_description_scheme(description, WP_AXIS_BOTH);
    why[0] = '\0';
    if (!scheme)
        return false;
    const struct wp_reach reach = wp_scheme_reach(scheme);
    wp_scheme_destroy(&scheme);
    const int columns = block->columns + reach.high[WP_X] - reach.low[WP_X];
    const int rows = block->rows + reach.high[WP_Y] - reach.low[WP_Y];
    if (columns * rows <= CELLS_MAX)
        return true;
    snprintf(why, why_size, "a block of %dx%d texels reads %dx%d texels for wavelet '%s' "
             "(at most %d per fragment)", block->columns, block->rows, columns, rows,
             description->wavelet->name, CELLS_MAX);
    return false;
}

bool wp_block_runs_on(const struct wp_variant *variant, const struct wp_device *device, char *why,
                      size_t why_size)
{
    const struct wp_block *block = variant->private_data;
    const struct wp_gl_info *info = wp_gl_get_info(device->gl);
    if (!block->store && info->max_attachments < ATTACHMENTS) {
        snprintf(why, why_size, "%s supports %d attachments per pass, and %d are required",
                 info->renderer, info->max_attachments, ATTACHMENTS);
        return false;
    }
    if (block->store && info->max_images == 0) {
        snprintf(why, why_size,
                 "fragment shaders of %s, OpenGL %d.%d, cannot store images (requires 4.3)",
                 info->renderer, info->gl_version / 10, info->gl_version % 10);
        return false;
    }
    if (block->shares && !info->fine_derivatives) {
        snprintf(why, why_size, "%s has no GL_ARB_derivative_control", info->renderer);
        return false;
    }
    return true;
}

static struct wp_counts share_counts(const struct wp_block *block, struct wp_tile_counts counts)
{
    const double quads = block->columns * block->rows;
    return (struct wp_counts){counts.operations / quads, counts.fetches / quads};
}

struct wp_counts wp_block_counts(const struct wp_variant *variant, const struct wp_scheme *scheme)
{
    const struct wp_block *block = variant->private_data;
    const struct wp_tile tile = tile_of(block);
    return share_counts(block, wp_tile_count(scheme, &tile));
}

static struct wp_program *get(const struct wp_block *block, struct wp_gl *gl,
                              const struct wp_op *op, const struct wp_description *description,
                              bool inside, struct wp_tile_counts *counts)
{
    const struct wp_emit_target target = {
        .dialect = block->store   ? &wp_glsl_430
                   : block->shares ? &wp_glsl_400
                                  : wp_glsl_fragments,
        .stacked = wp_description_planes(description) > 1,
        .half = description->precision == WP_PRECISION_F16,
        .slice = op->slices > 0,
        .store = block->store,
        .inside = inside,
        .input = (int)op->input,
    };
    struct wp_text source = {0};
    struct wp_tile tile = tile_of(block);
    tile.keep_loops = wp_gl_get_info(gl)->software;
    *counts = wp_emit_tile(op->scheme, &tile, &target, &source);
    struct wp_program *program = NULL;
    if (wp_text_is_complete(&source, "a shader"))
        program = (target.slice     ? wp_program_get_layered
               : target.stacked ? wp_program_get_stacked
                                : wp_program_get)(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

struct wp_block_programs wp_block_get(const struct wp_block *block, struct wp_gl *gl,
                                      const struct wp_op *op,
                                      const struct wp_description *description)
{
    struct wp_block_programs programs = {0};
    struct wp_tile_counts counts = {0};
    programs.inside = get(block, gl, op, description, true, &counts);
    if (programs.inside)
        programs.border = get(block, gl, op, description, false, &counts);
    programs.counts = share_counts(block, counts);
    programs.loads = counts.loads;
    return programs;
}

// The range of blocks along an axis that read only complete quads, from *first on.
static int find_inside(int size, int count, int low, int high, int samples, int *first)
{
    const int end = (samples / 2 - high) / size;
    *first = wp_divide_up(-low, size);
    if (end > count)
        return *first < count ? count - *first : 0;
    return *first < end ? end - *first : 0;
}

// Sets the distances between planes of a stack: in fragments and in texels. Without attachments the
// number of fragments is that of blocks.
static void set_stack(const struct wp_block *block, const struct wp_op *op,
                      struct wp_program *program, const struct wp_surfaces *surfaces)
{
    const struct wp_stack from = wp_surfaces_stack(surfaces, op->source);
    const struct wp_stack to = wp_surfaces_stack(surfaces, op->destination);
    const struct wp_stack low = op->low < 0 ? to : wp_surfaces_stack(surfaces, op->low);
    struct wp_stack drawn = to;
    if (to.count == 1)
        return;
    if (block->store) {
        drawn.step[WP_X] = wp_divide_up(op->domain.width, block->columns);
        drawn.step[WP_Y] = wp_divide_up(op->domain.height, block->rows);
    }
    const int steps[] = {from.step[WP_X], from.step[WP_Y], drawn.step[WP_X], drawn.step[WP_Y],
                         low.step[WP_X], low.step[WP_Y], to.step[WP_X], to.step[WP_Y]};
    wp_program_stack(program, &drawn);
    wp_program_set_array(program, "plane_steps", 2, 4, steps);
}

static void draw(const struct wp_block *block, struct wp_gl *gl, const struct wp_op *op,
                 struct wp_program *program, const struct wp_surfaces *surfaces,
                 struct wp_rect r)
{
    if (op->slices) {
        wp_program_draw_targets(program, surfaces->targets, r.x, r.y, r.width, r.height,
                                WP_DRAW_ALL);
        return;
    }
    const struct wp_tile_textures textures = {
        .source = &surfaces->texture[op->source],
        .low = op->low < 0 ? NULL : &surfaces->texture[op->low],
        .result = &surfaces->texture[op->destination],
    };
    if (block->store)
        wp_program_draw_image(gl, program, &textures, r.x, r.y, r.width, r.height);
    else
        wp_program_draw_layers(program, &textures, r.x, r.y, r.width, r.height);
}

// Every second slice of a run, from the first or second one on: the texture and layer of the first,
// and the distance in layers.
struct slices {
    struct wp_layer first;
    int step;
};

static struct slices find_slices(const struct wp_surfaces *surfaces, int surface,
                                 const struct wp_slice_run *run, int parity)
{
    return (struct slices){
        wp_surfaces_slice(surfaces, surface, run->first + parity * run->step),
        run->step * wp_surfaces_step(surfaces, surface),
    };
}

// Sets the input and output of a draw of every second slice of a volume.
static void set_slices(const struct wp_op *op, const struct wp_block_programs *programs,
                       const struct wp_surfaces *surfaces, int parity, int count)
{
    const struct slices from = find_slices(surfaces, op->source, &op->from, parity);
    const struct slices to = find_slices(surfaces, op->destination, &op->to, parity);
    const struct wp_slice_run all = {0, 1};
    const struct slices low =
        op->low < 0 ? from : find_slices(surfaces, op->low, &all, parity);
    struct wp_layer first[ATTACHMENTS];
    for (int i = 0; i < ATTACHMENTS; i++)
        first[i] = (struct wp_layer){to.first.texture, to.first.layer + i};
    wp_targets_set(surfaces->targets, first, ATTACHMENTS);
    struct wp_program *const both[] = {programs->inside, programs->border};
    for (int i = 0; i < 2; i++) {
        wp_program_read(both[i], "source", 0, from.first.texture);
        wp_program_read(both[i], "low", 1, low.first.texture);
        wp_program_set4(both[i], "slice_layers",
                        (const int[]){from.first.layer, from.step, low.first.layer, low.step});
        wp_program_layers(both[i], count, to.step, 1);
    }
}

void wp_block_draw(const struct wp_block *block, struct wp_gl *gl, const struct wp_op *op,
                   const struct wp_block_programs *programs, const struct wp_surfaces *surfaces,
                   bool primes)
{
    // With shared fetches, a fragment loads more than the scheme reads.
    const struct wp_reach reach = block->shares ? programs->loads : wp_scheme_reach(op->scheme);
    const int columns = wp_divide_up(op->domain.width, block->columns);
    const int rows = wp_divide_up(op->domain.height, block->rows);
    struct wp_rect in;
    in.width = find_inside(block->columns, columns, reach.low[WP_X], reach.high[WP_X], op->width,
                           &in.x);
    in.height = find_inside(block->rows, rows, reach.low[WP_Y], reach.high[WP_Y], op->height,
                            &in.y);
    if (in.width == 0 || in.height == 0)
        in = (struct wp_rect){0};
    const int right = in.x + in.width, bottom = in.y + in.height;
    const struct wp_rect strips[4] = {
        {0, 0, columns, in.y},
        {0, bottom, columns, rows - bottom},
        {0, in.y, in.x, in.height},
        {right, in.y, columns - right, in.height},
    };
    wp_gl_set_level(programs->inside, op);
    wp_gl_set_level(programs->border, op);
    set_stack(block, op, programs->inside, surfaces);
    set_stack(block, op, programs->border, surfaces);
    const struct wp_rect one = {0, 0, 1, 1};
    // Even slices of the operation are in one texture, odd ones in the same or in another one.
    for (int parity = 0; parity < (op->slices > 1 && !primes ? 2 : 1); parity++) {
        if (op->slices)
            set_slices(op, programs, surfaces, parity,
                       primes ? 1 : (op->slices + 1 - parity) / 2);
        draw(block, gl, op, programs->inside, surfaces, primes ? one : in);
        for (int i = 0; i < (primes ? 1 : 4); i++)
            draw(block, gl, op, programs->border, surfaces, primes ? one : strips[i]);
    }
}
