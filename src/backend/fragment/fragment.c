// The fragment backend. A schedule's surfaces are RGBA32F textures, its operations draws of a
// full-screen triangle to a framebuffer with the texture. The first variant runs a schedule of
// passes, the others a tiled schedule with one block of quads per fragment (block.h).
#include "fragment.h"

#include "backend_gl.h"
#include "block.h"
#include "volumes.h"
#include "emit.h"
#include "gl_device.h"
#include "log.h"
#include "memory.h"
#include "program.h"
#include "surfaces.h"
#include "text.h"

#include <stdlib.h>

// Embedded files of shaders/.
extern const unsigned char wp_shader_extend[], wp_shader_plane[], wp_shader_gather[],
    wp_shader_spread[];

struct wp_exec {
    struct wp_gl *gl;
    const struct wp_variant *variant;
    struct wp_description description; // of the caller; only its numbers are used
    struct wp_schedule *schedule;
    struct wp_surfaces surfaces;
    struct wp_program **program; // one per operation
    struct wp_program *border;   // GATHER and SPREAD at the borders; NULL without them
    const struct wp_block *block; // NULL: one texel per fragment
    struct wp_block_programs *block_program; // one per operation
};

#define TILE(name_, summary_, ...) \
    .name = name_, .summary = summary_, .private_data = &(const struct wp_block){__VA_ARGS__}, \
    .supports = wp_block_supports, .runs_on = wp_block_runs_on, .counts = wp_block_counts

enum { VARIANT_PASSES, VARIANT_TILE }; // possible defaults

static const struct wp_variant variants[] = {
    [VARIANT_PASSES] =
        {.name = "passes",
         .summary = "one draw per pass, one texel per fragment: the papers' schemes"},
    [VARIANT_TILE] =
        {TILE("tile-2x2", "one draw per level, 2x2 texels per fragment to four attachments",
          .columns = 2, .rows = 2)},
    {TILE("tile-2x2-store",
          "one draw per level, 2x2 texels per fragment with imageStore, no attachment",
          .columns = 2, .rows = 2, .store = true)},
    {TILE("tile-2x2-four", "like tile-2x2, and four fragments share their fetches",
          .columns = 2, .rows = 2, .shares = true),
     .spreads_nonfinite = true},
    {TILE("tile-2x2-four-store", "like tile-2x2-store, and four fragments share their fetches",
          .columns = 2, .rows = 2, .store = true, .shares = true),
     .spreads_nonfinite = true},
    {0},
};

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    return wp_gl_device_open("fragment", false, index, quiet, reason, reason_size);
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    wp_surfaces_destroy(&exec->surfaces);
    free(exec->program);
    free(exec->block_program);
    wp_schedule_destroy(&exec->schedule);
    free(exec);
}

static bool is_stacked(const struct wp_exec *exec)
{
    return wp_description_planes(&exec->schedule->description) > 1;
}

static bool is_volume(const struct wp_exec *exec)
{
    return wp_description_depth(&exec->schedule->description) > 1;
}

// The program of a source text, which is freed.
static struct wp_program *get_program(const struct wp_exec *exec, struct wp_text *source)
{
    struct wp_program *program = NULL;
    if (wp_text_is_complete(source, "a shader"))
        program = (is_stacked(exec) ? wp_program_get_stacked : wp_program_get)(
            exec->gl, wp_text_get(source));
    wp_text_free(source);
    return program;
}

// The program of a GATHER or SPREAD. `inside`: every sample exists.
static struct wp_program *get_gather_or_spread(const struct wp_exec *exec, enum wp_op_kind kind,
                                               bool inside)
{
    struct wp_text source = {0};
    wp_emit_head(wp_glsl_fragments, 0, &source);
    wp_text_add(&source, "%s%s%s%s%s", inside ? "#define INSIDE\n" : "",
                is_stacked(exec) ? "#define STACKED\n" : "", (const char *)wp_shader_extend,
                (const char *)wp_shader_plane,
                (const char *)(kind == WP_OP_GATHER ? wp_shader_gather : wp_shader_spread));
    return get_program(exec, &source);
}

static struct wp_program *get_pass(const struct wp_exec *exec, const struct wp_op *op)
{
    struct wp_text source = {0};
    const struct wp_emit_target target = {
        .stacked = is_stacked(exec),
        .half = exec->schedule->description.precision == WP_PRECISION_F16,
        .weighted = exec->schedule->weighted,
    };
    wp_emit_fragment_pass_to(op->scheme, op->pass, &target, &source);
    return get_program(exec, &source);
}

static bool get_programs(struct wp_exec *exec, int index)
{
    const struct wp_op *op = &exec->schedule->op[index];
    const struct wp_description *d = &exec->schedule->description;
    struct wp_block_programs *block = &exec->block_program[index];
    struct wp_program **program = &exec->program[index];
    if (op->kind == WP_OP_LEVEL) {
        *block = wp_block_get(exec->block, exec->gl, op, d);
        return block->border;
    }
    if (op->kind == WP_OP_DEPTH) {
        *program = wp_depth_get(exec->gl, d, &block->counts);
    } else if (is_volume(exec)) {
        *program = wp_octets_get(exec->gl, op, d);
    } else if (op->kind == WP_OP_PASS) {
        *program = get_pass(exec, op);
    } else {
        *program = get_gather_or_spread(exec, op->kind, true);
        exec->border = get_gather_or_spread(exec, op->kind, false);
        return *program && exec->border;
    }
    return *program;
}

// Requests all programs even after a failure if the driver links them in parallel.
static bool get_all_programs(struct wp_exec *exec)
{
    bool ok = true;
    for (int i = 0; i < exec->schedule->op_count && (ok || wp_gl_links_ahead(exec->gl)); i++)
        ok = get_programs(exec, i) && ok;
    return ok;
}

// Draws a rectangle of a domain, in quads of the level.
static void draw(const struct wp_exec *exec, const struct wp_op *op, struct wp_program *program,
                 struct wp_rect r)
{
    const struct wp_texture *texture = exec->surfaces.texture;
    if (is_stacked(exec)) {
        const struct wp_stack from = wp_surfaces_stack(&exec->surfaces, op->source);
        const struct wp_stack to = wp_surfaces_stack(&exec->surfaces, op->destination);
        const int steps[] = {from.step[WP_X], from.step[WP_Y], to.step[WP_X], to.step[WP_Y]};
        wp_program_stack(program, &to);
        wp_program_set_array(program, "plane_steps", 2, 2, steps);
    }
    wp_program_draw(program, &texture[op->source], &texture[op->destination],
                    op->destination_x + r.x, op->destination_y + r.y, r.width, r.height,
                    op->kind == WP_OP_SPREAD ? WP_DRAW_RED
                    : op->dilation           ? wp_matrix_rows(&op->scheme->pass[op->pass].core)
                                             : WP_DRAW_ALL);
}

static void set_pass(struct wp_program *program, const struct wp_op *op)
{
    wp_program_set2(program, "offset", op->source_x - op->destination_x,
                    op->source_y - op->destination_y);
    if (!op->dilation)
        return;
    wp_program_set3(program, "size", (const int[]){op->width, op->height, 1});
    wp_program_set(program, "dilation", op->dilation);
    wp_program_set(program, "extension", (int)op->extension);
}

static void set_gather_or_spread(struct wp_program *program, const struct wp_op *op)
{
    wp_program_set2(program, "offset", -op->destination_x, -op->destination_y);
    wp_program_set2(program, "source_zero", op->source_x, op->source_y);
    wp_program_set2(program, "size", op->width, op->height);
    wp_program_set(program, "extension", (int)op->extension);
}

// Runs an operation on `domain`. GATHER and SPREAD draw the interior with the plain program and the
// four strips around it with the one that extends.
static void draw_op(const struct wp_exec *exec, int index, struct wp_rect domain,
                    struct wp_rect interior)
{
    const struct wp_op *op = &exec->schedule->op[index];
    if (op->kind == WP_OP_PASS) {
        set_pass(exec->program[index], op);
        draw(exec, op, exec->program[index], domain);
        return;
    }
    const struct wp_rect d = domain, in = interior;
    const int right = d.x + d.width, bottom = d.y + d.height;
    const struct wp_rect strips[4] = {
        {d.x, d.y, d.width, in.y - d.y},
        {d.x, in.y + in.height, d.width, bottom - in.y - in.height},
        {d.x, in.y, in.x - d.x, in.height},
        {in.x + in.width, in.y, right - in.x - in.width, in.height},
    };
    set_gather_or_spread(exec->program[index], op);
    draw(exec, op, exec->program[index], in);
    set_gather_or_spread(exec->border, op);
    for (int i = 0; i < 4; i++)
        draw(exec, op, exec->border, strips[i]);
}

// `primes`: draws only one or two quads.
static void draw_any(const struct wp_exec *exec, int index, bool primes)
{
    const struct wp_op *op = &exec->schedule->op[index];
    const struct wp_rect two = {op->domain.x, op->domain.y, 2, 1};
    const struct wp_rect one = {op->domain.x, op->domain.y, 1, 1};
    if (op->kind == WP_OP_LEVEL)
        wp_block_draw(exec->block, exec->gl, op, &exec->block_program[index], &exec->surfaces,
                      primes);
    else if (op->kind == WP_OP_DEPTH)
        wp_depth_draw(op, exec->program[index], &exec->surfaces, primes);
    else if (is_volume(exec))
        wp_octets_draw(op, exec->program[index], &exec->surfaces, primes);
    else
        draw_op(exec, index, primes ? two : op->domain, primes ? one : op->interior);
}

// Drivers compile a program when it is first used. Drawing one or two quads with each program keeps
// that out of the measured time; the content of the surfaces is not used.
static bool prime_programs(struct wp_exec *exec)
{
    for (int i = 0; i < exec->schedule->op_count; i++) {
        draw_any(exec, i, true);
        if (i == 0) {
            if (!wp_gl_finish(exec->gl))
                return false;
            wp_log(WP_LOG_VERBOSE, "first pass done");
        }
    }
    if (!wp_gl_finish(exec->gl))
        return false;
    wp_log(WP_LOG_VERBOSE, "all shaders built");
    return true;
}

static bool check_device(const struct wp_device *device, const struct wp_variant *variant)
{
    char why[256];
    return !variant->runs_on || variant->runs_on(variant, device, why, sizeof why) ||
           wp_fail(WP_ERROR_UNAVAILABLE,
                   "variant '%s' does not run on this device (%s)\nhint: variant 'passes' does",
                   variant->name, why);
}

// Maximum number of slices of a volume in the array textures of a variant.
static int slices_max(const struct wp_device *device, const struct wp_variant *variant)
{
    const int layers = wp_gl_get_info(device->gl)->max_layers;
    return variant->private_data ? layers / WP_BAND_COUNT * 2 : layers * 2;
}

// Tiled variants write several layers of a slice at once, which requires texture views.
static bool has_views(const struct wp_device *device, const struct wp_variant *variant)
{
    return !variant->private_data || wp_gl_get_info(device->gl)->texture_views;
}

// A texel is a sample, not a quad.
static bool check_redundant(const struct wp_device *device, const struct wp_description *d)
{
    const int most = wp_gl_get_info(device->gl)->max_texture;
    if (wp_description_axes(d, 1) >> WP_Z & 1)
        return wp_fail(WP_ERROR_UNAVAILABLE,
                       "backend 'fragment' does not transform volumes along z with bank '%s' (%d "
                       "levels along z of %d slices)\nhint: backend 'compute' does, or no levels "
                       "along z", wp_bank_names[d->bank], d->levels_z, wp_description_depth(d));
    return (d->size[WP_X] <= most && d->size[WP_Y] <= most) ||
           wp_fail(WP_ERROR_TOO_LARGE,
                   "an image of %dx%d samples exceeds this device's textures of %dx%d texels, and "
                   "bank '%s' needs one for each sample\nhint: backend 'cpu' has no such limit",
                   d->size[WP_X], d->size[WP_Y], most, most, wp_bank_names[d->bank]);
}

static bool check_slices(const struct wp_device *device, const struct wp_description *description,
                         const struct wp_variant *variant)
{
    const int depth = wp_description_depth(description), max_depth = slices_max(device, variant);
    if (wp_schedule_is_redundant(description))
        return check_redundant(device, description);
    if (depth > 1 && !has_views(device, variant))
        return wp_fail(WP_ERROR_UNAVAILABLE,
                       "variant '%s' does not support volumes on this device (%s has no "
                       "GL_ARB_texture_view)"
                       "\nhint: variant 'passes' does",
                       variant->name, wp_gl_get_info(device->gl)->renderer);
    return depth <= max_depth ||
           wp_fail(WP_ERROR_TOO_LARGE,
                   "a volume of %d slices is too deep for variant '%s' (array textures of this "
                   "device have %d layers, enough for %d slices)\nhint: %s",
                   depth, variant->name, wp_gl_get_info(device->gl)->max_layers, max_depth,
                   variant->private_data && depth <= slices_max(device, variants)
                       ? "variant 'passes' supports them"
                       : "backend 'cpu' has no such limit");
}

// Tiles are the default for volumes if they are supported and no other scheme than the default is
// named.
static const struct wp_variant *default_variant(const struct wp_device *device,
                                                const struct wp_description *description)
{
    char why[256];
    const struct wp_variant *tiles = &variants[VARIANT_TILE];
    const struct wp_scheme_kind *kind = description->kind;
    const bool supported = wp_description_depth(description) > 1 &&
                     (!kind || kind == &wp_scheme_kinds[WP_SCHEME_PLANAR_POLYCONVOLUTION]) &&
                     wp_description_depth(description) <= slices_max(device, tiles) &&
                     has_views(device, tiles) &&
                     tiles->supports(tiles, description, why, sizeof why) &&
                     tiles->runs_on(tiles, device, why, sizeof why);
    return supported ? tiles : &variants[VARIANT_PASSES];
}

// Compile time grows with the square of a shader's length, and 28,000 operations overflow the stack
// of Mesa's compiler, which crashes.
static bool check_operations(const struct wp_schedule *schedule)
{
    enum { OPERATIONS_MAX = 24576 };
    for (int i = 0; i < schedule->op_count; i++) {
        const struct wp_op *op = &schedule->op[i];
        const int operations =
            op->kind == WP_OP_PASS ? wp_pass_operations(&op->scheme->pass[op->pass]) : 0;
        if (operations > OPERATIONS_MAX)
            return wp_fail(WP_ERROR_TOO_LARGE,
                           "a pass of '%s' has %d operations (at most %d in a shader)"
                           "\nhint: lifting schemes have fewer, and backend 'cpu' has no such "
                           "limit",
                           op->scheme->name, operations, OPERATIONS_MAX);
    }
    return true;
}

static struct wp_schedule *schedule_passes(const struct wp_description *d)
{
    return wp_schedule_is_redundant(d) ? wp_schedule_redundant(d, false) : wp_schedule_passes(d);
}

static struct wp_exec *prepare(struct wp_device *device, const struct wp_description *description,
                               const struct wp_variant *variant)
{
    if (!variant)
        variant = default_variant(device, description);
    if (!wp_gl_make_current(device->gl) || !check_device(device, variant) ||
        !check_slices(device, description, variant))
        return NULL;
    struct wp_exec *exec = wp_allocate(1, sizeof *exec, "a transform");
    if (!exec)
        return NULL;
    exec->gl = device->gl;
    exec->variant = variant;
    exec->description = *description;
    exec->block = variant->private_data;
    exec->schedule = exec->block ? wp_block_schedule(exec->block, description)
                             : schedule_passes(description);
    if (exec->schedule && check_operations(exec->schedule)) {
        const size_t count = (size_t)exec->schedule->op_count;
        exec->program = wp_allocate(count, sizeof *exec->program, "the programs");
        if (exec->program)
            exec->block_program = wp_allocate(count, sizeof *exec->block_program, "the programs");
    }
    if (!exec->block_program || !get_all_programs(exec) ||
        !wp_surfaces_create(exec->gl, exec->schedule, &exec->surfaces) || !prime_programs(exec)) {
        release(exec);
        return NULL;
    }
    return exec;
}

static const struct wp_variant *variant_of(const struct wp_exec *exec)
{
    return exec->variant;
}

// The maximum number of planes in one texture, limited by the size of textures. Surfaces of a
// tiled schedule are not larger than these, except for rounding to complete blocks.
static int planes_max(const struct wp_device *device, const struct wp_description *description)
{
    struct wp_schedule *schedule = schedule_passes(description);
    int widest = 1, highest = 1;
    if (!schedule)
        return 1;
    for (int s = 0; s < schedule->surface_count; s++) {
        widest = schedule->surface[s].width > widest ? schedule->surface[s].width : widest;
        highest = schedule->surface[s].height > highest ? schedule->surface[s].height : highest;
    }
    wp_schedule_destroy(&schedule);
    const int most = wp_gl_get_info(device->gl)->max_texture;
    return most / (widest + 2) * (most / (highest + 2));
}

static double bytes(const struct wp_description *description)
{
    struct wp_schedule *schedule = schedule_passes(description);
    double quads = 0;
    for (int s = 0; schedule && s < schedule->surface_count; s++)
        quads += (double)schedule->surface[s].width * (double)schedule->surface[s].height *
                 (schedule->surface[s].depth ? 2 * (double)schedule->surface[s].depth : 1);
    wp_schedule_destroy(&schedule);
    return quads * 4 * (double)wp_precision_bytes(description->precision) *
           wp_description_planes(description);
}

static bool load(struct wp_exec *exec, const struct wp_operand *from)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, from, bands);
    return wp_surfaces_load(&exec->surfaces, &flat);
}

static bool store(struct wp_exec *exec, const struct wp_operand *to)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, to, bands);
    return wp_surfaces_store(&exec->surfaces, &flat);
}

static bool pack(const struct wp_exec *exec, const struct wp_operand *from)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, from, bands);
    return wp_surfaces_pack(&exec->surfaces, &flat);
}

static bool unpack(const struct wp_exec *exec, const struct wp_operand *to)
{
    struct wp_operand bands[WP_SCHEDULE_BANDS];
    const struct wp_operand flat = wp_schedule_operand(&exec->description, to, bands);
    return wp_surfaces_unpack(&exec->surfaces, &flat);
}

static void enqueue_op(const struct wp_exec *exec, int index)
{
    wp_gl_op_begin(exec->gl, &exec->schedule->op[index]);
    draw_any(exec, index, false);
    wp_gl_op_end(exec->gl);
}

static void enqueue(const struct wp_exec *exec)
{
    for (int op = 0; op < exec->schedule->op_count; op++)
        enqueue_op(exec, op);
}

static bool run_all(struct wp_exec *const exec[], int count, double *seconds)
{
    return wp_gl_device_time(exec[0]->gl, enqueue, exec, count, seconds);
}

static bool run(struct wp_exec *exec, double *seconds)
{
    return wp_gl_device_run(exec->gl, enqueue, exec, seconds);
}

// Tiled schedules: one operation of each kind of the first level, for the quads of an octet.
static struct wp_counts tile_counts(const struct wp_exec *exec)
{
    const struct wp_schedule *schedule = exec->schedule;
    const double quads = is_volume(exec) ? 2 : 1;
    struct wp_counts sum = {0};
    bool counted[WP_OP_KINDS] = {false};
    for (int i = 0; i < schedule->op_count; i++) {
        const struct wp_op *op = &schedule->op[i];
        if (op->level != 1 || counted[op->kind])
            continue;
        counted[op->kind] = true;
        sum.operations += quads * exec->block_program[i].counts.operations;
        sum.fetches += quads * exec->block_program[i].counts.fetches;
    }
    return sum;
}

static struct wp_counts counts(const struct wp_exec *exec)
{
    if (exec->block)
        return tile_counts(exec);
    // All levels have this scheme, except the last ones if an axis has only one sample.
    const struct wp_scheme *scheme = NULL;
    for (int axes = WP_AXIS_ALL; axes > 0 && !scheme; axes--)
        scheme = exec->schedule->scheme[axes];
    return scheme ? (struct wp_counts){wp_scheme_operations(scheme), wp_scheme_fetches(scheme)}
                  : (struct wp_counts){0};
}

static void shaders(const struct wp_exec *exec, void (*add)(void *user, const char *text),
                    void *user)
{
    for (int i = 0; i < exec->schedule->op_count; i++) {
        const enum wp_op_kind kind = exec->schedule->op[i].kind;
        const bool has_border = kind == WP_OP_GATHER || kind == WP_OP_SPREAD;
        const struct wp_program *border = kind == WP_OP_LEVEL ? exec->block_program[i].border
                                          : has_border        ? exec->border
                                                              : NULL;
        add(user, wp_program_source(kind == WP_OP_LEVEL ? exec->block_program[i].inside
                                                        : exec->program[i]));
        if (border)
            add(user, wp_program_source(border));
    }
}

static bool step(struct wp_exec *exec, int op, double *seconds)
{
    struct wp_gl_stopwatch watch;
    if (!wp_gl_stopwatch_start(exec->gl, &watch))
        return false;
    enqueue_op(exec, op);
    return wp_gl_stopwatch_stop(exec->gl, &watch, seconds);
}

static const struct wp_surfaces *get_surfaces(const struct wp_exec *exec,
                                              const struct wp_schedule **schedule)
{
    if (is_volume(exec))
        return NULL;
    // The layout of array textures depends on the variant.
    for (int s = 0; s < exec->schedule->surface_count; s++)
        if (exec->schedule->surface[s].layers > 0)
            return NULL;
    *schedule = exec->schedule;
    return &exec->surfaces;
}

static struct wp_cost cost(const struct wp_exec *exec)
{
    struct wp_cost cost = wp_schedule_cost(exec->schedule);
    for (int i = 0; i < exec->schedule->op_count && exec->block; i++) {
        const struct wp_op *op = &exec->schedule->op[i];
        const double quads = wp_op_texels(op);
        cost.fetches += quads * (exec->block_program[i].counts.fetches - 1);
    }
    if (exec->block && exec->block->store)
        cost.fill = 0;
    return cost;
}

static const struct wp_backend_bench bench = {
    .facts = wp_gl_device_facts,
    .ceilings = wp_gl_fragment_ceilings,
    .ceiling_prepare = wp_gl_ceiling_prepare,
    .ceiling_run = wp_gl_ceiling_run,
    .ceiling_release = wp_gl_ceiling_release,
    .run_all = run_all,
    .counts = counts,
    .cost = cost,
    .bytes = bytes,
    .shaders = shaders,
    .pack = pack,
    .unpack = unpack,
};

static bool load_texture(struct wp_exec *exec, const struct wp_texture *from, int channel)
{
    return wp_surfaces_load_texture(&exec->surfaces, from, channel);
}

static bool store_texture(struct wp_exec *exec, const struct wp_texture *to, int channel)
{
    return wp_surfaces_store_texture(&exec->surfaces, to, channel);
}

static const struct wp_backend_gl gl_functions = {
    .borrow = wp_gl_device_borrow,
    .surfaces = get_surfaces,
    .load_texture = load_texture,
    .store_texture = store_texture,
    .step = step,
};

const struct wp_backend wp_backend_fragment = {
    .name = "fragment",
    .summary = "OpenGL fragment shaders, one draw per pass of the scheme or per level",
    .reversible = true,
    .banks = 1U << WP_BANK_UNDECIMATED | 1U << WP_BANK_STARLET,
    .flat_banks = true,
    .elements = WP_PIXEL_PACK_ELEMENTS,
    .half = true,
    .open = open_device,
    .close = wp_gl_device_close,
    .describe = wp_gl_device_describe,
    .variants = variants,
    .planes_max = planes_max,
    .prepare = prepare,
    .variant = variant_of,
    .load = load,
    .run = run,
    .store = store,
    .release = release,
    .bench = &bench,
    .gl = &gl_functions,
};
