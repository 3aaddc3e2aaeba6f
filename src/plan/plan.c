#include "plan.h"

#include "log.h"
#include "memory.h"
#include "text.h"

#include <stdlib.h>

const char *const wp_border_names[WP_BORDER_COUNT] = {
    [WP_BORDER_SYMMETRIC] = "symmetric",
    [WP_BORDER_PERIODIC] = "periodic",
};

const char *const wp_precision_names[WP_PRECISION_COUNT] = {
    [WP_PRECISION_F32] = "f32",
    [WP_PRECISION_F16] = "f16",
};

size_t wp_precision_bytes(enum wp_precision precision)
{
    return precision == WP_PRECISION_F16 ? sizeof(float) / 2 : sizeof(float);
}

int wp_extend(enum wp_extension extension, int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    switch (extension) {
    case WP_EXTEND_MIRROR: {
        const int period = n > 1 ? 2 * (n - 1) : 1;
        i = (i % period + period) % period;
        return i < n ? i : period - i;
    }
    case WP_EXTEND_WRAP: return (i % n + n) % n;
    case WP_EXTEND_CLAMP: return i < 0 ? 0 : n - 1;
    case WP_EXTEND_ZERO: break;
    }
    return -1;
}

int wp_plan_levels_max(int width, int height, enum wp_border border)
{
    const int most = wp_levels_max(width, height);
    if (border == WP_BORDER_SYMMETRIC)
        return most;
    int level = 0;
    for (; level < most; level++) {
        const int w = wp_level_size(width, level), h = wp_level_size(height, level);
        if ((w % 2 && w > 1) || (h % 2 && h > 1))
            break;
    }
    return level;
}

bool wp_plan_takes_levels(int width, int height, enum wp_border border)
{
    return wp_plan_levels_max(width, height, border) > 0 || (width == 1 && height == 1) ||
           wp_fail(WP_ERROR_USAGE,
                   "%dx%d takes no level with %s borders (they need even sizes)"
                   "\nhint: --border %s takes every size",
                   width, height, wp_border_names[border],
                   wp_border_names[WP_BORDER_SYMMETRIC]);
}

bool wp_plan_check(const struct wp_plan_params *p)
{
    if (p->width < 1 || p->height < 1)
        return wp_fail(WP_ERROR_USAGE, "an image of %dx%d has no pixels", p->width, p->height);
    if (p->border == WP_BORDER_SYMMETRIC && p->wavelet->symmetry == WP_SYMMETRY_NONE)
        return wp_fail(WP_ERROR_USAGE,
                       "wavelet '%s' is not symmetric, so symmetric borders cannot be inverted"
                       "\nhint: --border periodic works with every wavelet",
                       p->wavelet->name);
    const int most = wp_levels_max(p->width, p->height);
    if (p->levels < 0)
        return wp_fail(WP_ERROR_USAGE, "%d levels make no sense", p->levels);
    if (p->levels > most)
        return wp_fail(WP_ERROR_USAGE,
                       "%d level%s more than a %dx%d image takes\nhint: -l max means %d here",
                       p->levels, WP_PLURAL_IS(p->levels), p->width, p->height,
                       wp_plan_levels_max(p->width, p->height, p->border));
    const int even = wp_plan_levels_max(p->width, p->height, p->border);
    if (p->levels > even)
        return wp_fail(WP_ERROR_USAGE,
                       "periodic borders need even sizes, and level %d would split %dx%d"
                       "\nhint: %d level%s at most here; %s",
                       even + 1, wp_level_size(p->width, even), wp_level_size(p->height, even),
                       even, WP_PLURAL(even),
                       p->wavelet->symmetry == WP_SYMMETRY_NONE
                           ? "crop the image, because this wavelet takes no other borders"
                           : "--border symmetric takes any size");
    return true;
}

// Extends a domain by what a pass reads around it.
static struct wp_rect grow(struct wp_rect r, const struct wp_reach *reach)
{
    return (struct wp_rect){r.x + reach->left, r.y + reach->top,
                            r.width + reach->right - reach->left,
                            r.height + reach->bottom - reach->top};
}

// Geometry of one level.
struct level {
    int number;
    int width, height;           // samples
    const struct wp_scheme *scheme;
    struct wp_rect output;       // quads
    struct wp_rect input;        // quads with margin
    struct wp_rect *domain;      // of each pass
};

static const struct wp_scheme *scheme_for(struct wp_plan *plan, enum wp_axis axes)
{
    if (!plan->scheme[axes])
        plan->scheme[axes] = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = &plan->wavelet,
            .kind = plan->params.kind,
            .form = plan->params.form,
            .direction = plan->params.direction,
            .norm = plan->params.norm,
            .axes = axes,
        });
    return plan->scheme[axes];
}

static struct level make_level(struct wp_plan *plan, int number)
{
    struct level level = {
        .number = number,
        .width = wp_level_size(plan->params.width, number - 1),
        .height = wp_level_size(plan->params.height, number - 1),
    };
    // An axis of one sample passes through. Levels are bounded so that one axis is longer.
    const unsigned axes = (level.width > 1 ? WP_AXIS_H : 0u) | (level.height > 1 ? WP_AXIS_V : 0u);
    level.scheme = scheme_for(plan, (enum wp_axis)axes);
    level.output = (struct wp_rect){0, 0, level.width / 2 + level.width % 2,
                                    level.height / 2 + level.height % 2};
    level.domain = wp_xcalloc((size_t)level.scheme->pass_count, sizeof *level.domain);
    level.input = level.output;
    for (int p = level.scheme->pass_count - 1; p >= 0; p--) {
        level.domain[p] = level.input;
        level.input = grow(level.input, &level.scheme->pass[p].reach);
    }
    return level;
}

// A surface at least as large as a level's input with its margin. Quad (0, 0) of every level
// lies at (-input.x, -input.y) of such a surface.
static void enlarge(struct wp_surface *surface, struct wp_rect input)
{
    surface->width = input.width > surface->width ? input.width : surface->width;
    surface->height = input.height > surface->height ? input.height : surface->height;
}

static enum wp_extension extension_of(const struct wp_plan_params *params)
{
    if (params->border == WP_BORDER_PERIODIC)
        return WP_EXTEND_WRAP;
    if (params->wavelet->symmetry == WP_SYMMETRY_WHOLE)
        return WP_EXTEND_MIRROR;
    return params->direction == WP_FORWARD ? WP_EXTEND_CLAMP : WP_EXTEND_ZERO;
}

// The quads of a level that lie wholly inside its samples.
static struct wp_rect whole_quads(const struct level *level)
{
    return (struct wp_rect){0, 0, level->width / 2, level->height / 2};
}

static struct wp_op *add_op(struct wp_plan *plan, enum wp_op_kind kind, const struct level *level)
{
    struct wp_op *op = &plan->op[plan->op_count++];
    *op = (struct wp_op){
        .kind = kind,
        .level = level->number,
        .extension = extension_of(&plan->params),
        .width = level->width,
        .height = level->height,
    };
    return op;
}

// The passes of a level, from one of two surfaces to the other in turn, beginning with `input`.
// Returns the surface that holds the result. In both, quad (0, 0) lies at the level's origin.
static int add_passes(struct wp_plan *plan, const struct level *level, int input, int scratch)
{
    int source = input;
    for (int p = 0; p < level->scheme->pass_count; p++) {
        struct wp_op *op = add_op(plan, WP_OP_PASS, level);
        op->scheme = level->scheme;
        op->pass = p;
        op->source = source;
        op->destination = source == input ? scratch : input;
        op->source_x = op->destination_x = -level->input.x;
        op->source_y = op->destination_y = -level->input.y;
        op->domain = level->domain[p];
        source = op->destination;
    }
    return source;
}

static struct wp_port *add_port(const struct wp_plan *plan, struct wp_port *list, int *count,
                                const struct level *level, int surface, struct wp_rect domain)
{
    struct wp_port *port = &list[(*count)++];
    *port = (struct wp_port){
        .surface = surface,
        .x = -level->input.x,
        .y = -level->input.y,
        .domain = domain,
        .width = level->width,
        .height = level->height,
        .extension = extension_of(&plan->params),
    };
    return port;
}

static void set_pixel_bands(const struct wp_plan *plan, struct wp_port *port)
{
    for (int band = 0; band < WP_BAND_COUNT; band++) {
        port->band[band] = wp_pixel_view(plan->params.width, plan->params.height,
                                         (enum wp_band)band);
        port->used[band] = true;
    }
}

static void set_level_bands(const struct wp_plan *plan, struct wp_port *port, int level)
{
    for (int band = 0; band < WP_BAND_COUNT; band++) {
        port->band[band] = wp_band_view(plan->params.width, plan->params.height, level,
                                        (enum wp_band)band, plan->params.layout);
        port->used[band] = band != WP_BAND_LL || level == plan->params.levels;
    }
}

// Every level brings one surface of its size along and borrows the one that the level before
// left idle; between the two its passes go to and fro. So all levels together take 1 + 4/3
// times the first one's memory, and every result stays where it is until it is stored.
static void plan_forward(struct wp_plan *plan, struct level *levels)
{
    plan->surface_count = 1 + plan->params.levels;
    int idle = 0, result = -1;
    for (int l = 0; l < plan->params.levels; l++) {
        const struct level *level = &levels[l];
        const int own = 1 + l;
        enlarge(&plan->surface[idle], level->input);
        enlarge(&plan->surface[own], level->input);
        if (l == 0) {
            set_pixel_bands(plan, add_port(plan, plan->load, &plan->load_count, level, idle,
                                           level->input));
        } else {
            struct wp_op *op = add_op(plan, WP_OP_GATHER, level);
            op->source = result;
            op->source_x = -levels[l - 1].input.x;
            op->source_y = -levels[l - 1].input.y;
            op->destination = idle;
            op->destination_x = -level->input.x;
            op->destination_y = -level->input.y;
            op->domain = level->input;
            op->interior = whole_quads(level);
        }
        result = add_passes(plan, level, idle, own);
        idle = result == idle ? own : idle;
        set_level_bands(plan, add_port(plan, plan->store, &plan->store_count, level, result,
                                       level->output),
                        level->number);
    }
}

// Surfaces: 0 is scratch, level l's coefficients are loaded into l. The result of a level
// becomes component 0 of the next finer one's coefficients.
static void plan_inverse(struct wp_plan *plan, struct level *levels)
{
    enum { SCRATCH, FIRST_INPUT };
    plan->surface_count = FIRST_INPUT + plan->params.levels;
    int result = -1;
    for (int l = plan->params.levels - 1; l >= 0; l--) {
        const struct level *level = &levels[l];
        const int input = FIRST_INPUT + l;
        enlarge(&plan->surface[input], level->input);
        enlarge(&plan->surface[SCRATCH], level->input);
        set_level_bands(plan, add_port(plan, plan->load, &plan->load_count, level, input,
                                       level->input),
                        level->number);
        if (result >= 0) {
            struct wp_op *op = add_op(plan, WP_OP_SPREAD, level);
            op->source = result;
            op->source_x = -levels[l + 1].input.x;
            op->source_y = -levels[l + 1].input.y;
            op->destination = input;
            op->destination_x = -level->input.x;
            op->destination_y = -level->input.y;
            op->domain = level->input;
            op->interior = level->output;
        }
        result = add_passes(plan, level, input, SCRATCH);
    }
    set_pixel_bands(plan, add_port(plan, plan->store, &plan->store_count, &levels[0], result,
                                   levels[0].output));
}

// No level: one surface through which the plane passes.
static void plan_copy(struct wp_plan *plan)
{
    const struct wp_rect quads = {0, 0, plan->params.width / 2 + plan->params.width % 2,
                                  plan->params.height / 2 + plan->params.height % 2};
    const struct level level = {
        .width = plan->params.width,
        .height = plan->params.height,
        .input = quads,
    };
    plan->surface_count = 1;
    enlarge(&plan->surface[0], quads);
    set_pixel_bands(plan, add_port(plan, plan->load, &plan->load_count, &level, 0, quads));
    set_pixel_bands(plan, add_port(plan, plan->store, &plan->store_count, &level, 0, quads));
}

static struct wp_op *add_level_op(struct wp_plan *plan, struct level *level)
{
    struct wp_op *op = add_op(plan, WP_OP_LEVEL, level);
    level->input = level->output; // no margin
    op->scheme = level->scheme;
    op->source = op->low = -1;
    op->domain = level->output;
    op->interior = whole_quads(level);
    return op;
}

static void set_pixels(struct wp_plan *plan, const struct level *finest)
{
    const bool forward = plan->params.direction == WP_FORWARD;
    enlarge(&plan->surface[0], finest->output);
    set_pixel_bands(plan, add_port(plan, forward ? plan->load : plan->store,
                                   forward ? &plan->load_count : &plan->store_count, finest, 0,
                                   finest->output));
}

static void set_coefficients(struct wp_plan *plan, const struct level *level)
{
    const bool forward = plan->params.direction == WP_FORWARD;
    enlarge(&plan->surface[level->number], level->output);
    set_level_bands(plan, add_port(plan, forward ? plan->store : plan->load,
                                   forward ? &plan->store_count : &plan->load_count, level,
                                   level->number, level->output),
                    level->number);
}

// The operations that fused plans and those of planes share, from the finest level to the
// coarsest or back.
static void add_level_ops(struct wp_plan *plan, struct level *levels)
{
    const int count = plan->params.levels;
    const bool forward = plan->params.direction == WP_FORWARD;
    plan->surface_count = 1 + count;
    for (int i = 0; i < count; i++) {
        struct level *level = &levels[forward ? i : count - 1 - i];
        struct wp_op *op = add_level_op(plan, level);
        op->input = forward ? WP_INPUT_LOW : WP_INPUT_QUADS;
        op->source = forward ? level->number - 1 : level->number;
        op->destination = forward ? level->number : level->number - 1;
    }
}

static void plan_fused(struct wp_plan *plan, struct level *levels)
{
    add_level_ops(plan, levels);
    if (plan->params.direction == WP_FORWARD)
        plan->op[0].input = WP_INPUT_QUADS;
    set_pixels(plan, &levels[0]);
    for (int l = 0; l < plan->params.levels; l++)
        set_coefficients(plan, &levels[l]);
}

static void make_planes(struct wp_surface *surface, int width, int height, int layers)
{
    *surface = (struct wp_surface){
        .width = (width + 7) / 8 * 8, // 32 bytes, what caches and memory move together
        .height = height + height % 2,
        .layers = layers,
        .planes = true,
    };
}

static void add_plane_port(struct wp_plan *plan, struct level *level, bool load, int surface,
                           int layer, struct wp_band_view view)
{
    const struct wp_rect domain = {0, 0, plan->surface[surface].width, view.height};
    if (view.width == 0 || view.height == 0)
        return;
    struct wp_port *port = add_port(plan, load ? plan->load : plan->store,
                                    load ? &plan->load_count : &plan->store_count, level, surface,
                                    domain);
    port->layer = layer;
    port->planes = true;
    port->band[0] = view;
    port->used[0] = true;
}

static void plan_planes(struct wp_plan *plan, struct level *levels)
{
    const struct wp_plan_params *p = &plan->params;
    const bool forward = p->direction == WP_FORWARD;
    const struct wp_band_view pixels = {
        .width = p->width, .height = p->height, .step_x = 1, .step_y = p->width};
    add_level_ops(plan, levels);
    make_planes(&plan->surface[0], p->width, p->height, 1);
    add_plane_port(plan, &levels[0], forward, 0, 0, pixels);
    for (int l = 1; l <= p->levels; l++) {
        struct level *level = &levels[l - 1];
        make_planes(&plan->surface[l], level->output.width, level->output.height, WP_BAND_COUNT);
        for (int band = l == p->levels ? WP_BAND_LL : WP_BAND_HL; band < WP_BAND_COUNT; band++)
            add_plane_port(plan, level, !forward, l, band,
                           wp_band_view(p->width, p->height, l, (enum wp_band)band, p->layout));
    }
}

enum { BLOCK = 4 }; // quads that a tiled plan writes together: 2x2

static int halved(int n)
{
    return n / 2 + n % 2;
}

// So that what writes 2x2 texels ends within a surface, where another plane may lie below.
static int even(int n)
{
    return n + n % 2;
}

// A surface that holds 2x2 quads of the level at each place.
static void make_layers(struct wp_surface *surface, const struct level *level)
{
    *surface = (struct wp_surface){
        .width = halved(level->output.width),
        .height = even(halved(level->output.height)),
        .layers = BLOCK,
    };
}

// One surface of quads, one layer.
static void make_quads(struct wp_surface *surface, const struct level *level)
{
    *surface = (struct wp_surface){
        .width = level->output.width,
        .height = even(level->output.height),
        .layers = 1,
    };
}

// A band's samples of one place in every 2x2.
static struct wp_band_view subsample(struct wp_band_view view, int k)
{
    const int x = k % 2, y = k / 2;
    return (struct wp_band_view){
        .width = (view.width + 1 - x) / 2,
        .height = (view.height + 1 - y) / 2,
        .offset = view.offset + x * view.step_x + y * view.step_y,
        .step_x = 2 * view.step_x,
        .step_y = 2 * view.step_y,
    };
}

// A port for each layer of coefficients: to it, the samples of a band are pixels.
static void add_band_ports(const struct wp_plan *plan, struct wp_port *list, int *count,
                           const struct level *level, int surface)
{
    const int last = level->number == plan->params.levels;
    for (int band = last ? WP_BAND_LL : WP_BAND_HL; band < WP_BAND_COUNT; band++) {
        const struct wp_band_view view =
            wp_band_view(plan->params.width, plan->params.height, level->number,
                         (enum wp_band)band, plan->params.layout);
        const struct wp_rect domain = {0, 0, halved(view.width), halved(view.height)};
        if (view.width == 0 || view.height == 0)
            continue;
        struct wp_port *port = add_port(plan, list, count, level, surface, domain);
        port->layer = band;
        port->width = view.width;
        port->height = view.height;
        port->extension = WP_EXTEND_ZERO;
        for (int k = 0; k < BLOCK; k++) {
            port->band[k] = subsample(view, k);
            port->used[k] = true;
        }
    }
}

// Stores pixels of which layer k holds quad k of every 2x2.
static void add_split_ports(struct wp_plan *plan, const struct level *level, int surface)
{
    const struct wp_rect domain = {0, 0, halved(level->output.width),
                                   halved(level->output.height)};
    for (int k = 0; k < BLOCK; k++) {
        struct wp_port *port = add_port(plan, plan->store, &plan->store_count, level, surface,
                                        domain);
        port->layer = k;
        set_pixel_bands(plan, port);
        for (int c = 0; c < WP_BAND_COUNT; c++)
            port->band[c] = subsample(port->band[c], k);
    }
}

// Surfaces: 0 holds the pixels, l the coefficients of level l.
static void plan_tiled_forward(struct wp_plan *plan, struct level *levels)
{
    plan->surface_count = 1 + plan->params.levels;
    for (int l = 0; l < plan->params.levels; l++) {
        struct level *level = &levels[l];
        struct wp_op *op = add_level_op(plan, level);
        op->input = WP_INPUT_QUADS;
        op->source = l;
        op->destination = 1 + l;
        make_layers(&plan->surface[op->destination], level);
        if (l == 0) {
            make_quads(&plan->surface[0], level);
            set_pixel_bands(plan, add_port(plan, plan->load, &plan->load_count, level, 0,
                                           level->output));
        }
        add_band_ports(plan, plan->store, &plan->store_count, level, op->destination);
    }
}

// The same surfaces: what a level becomes is layer 0 of the next finer one's coefficients.
static void plan_tiled_inverse(struct wp_plan *plan, struct level *levels)
{
    plan->surface_count = 1 + plan->params.levels;
    for (int l = plan->params.levels - 1; l >= 0; l--) {
        struct level *level = &levels[l];
        struct wp_op *op = add_level_op(plan, level);
        op->input = WP_INPUT_BANDS;
        op->source = 1 + l;
        op->destination = l;
        make_layers(&plan->surface[op->source], level);
        add_band_ports(plan, plan->load, &plan->load_count, level, op->source);
    }
    make_quads(&plan->surface[0], &levels[0]);
    set_pixel_bands(plan, add_port(plan, plan->store, &plan->store_count, &levels[0], 0,
                                   levels[0].output));
}

// Surfaces: level l's coefficients are loaded into l; what they become lies in 0 or the last
// one in turn, 0 for the finest level.
static void plan_split_inverse(struct wp_plan *plan, struct level *levels)
{
    const int other = plan->params.levels + 1;
    plan->surface_count = plan->params.levels > 1 ? other + 1 : other;
    for (int l = plan->params.levels - 1; l >= 0; l--) {
        struct level *level = &levels[l];
        struct wp_op *op = add_level_op(plan, level);
        const bool coarsest = l + 1 == plan->params.levels;
        op->input = coarsest ? WP_INPUT_BANDS : WP_INPUT_BANDS_LOW;
        op->source = 1 + l;
        op->destination = l % 2 ? other : 0;
        op->low = coarsest ? -1 : other - op->destination;
        make_layers(&plan->surface[op->source], level);
        // Levels become finer, and so larger.
        make_layers(&plan->surface[op->destination], level);
        add_band_ports(plan, plan->load, &plan->load_count, level, op->source);
    }
    add_split_ports(plan, &levels[0], 0);
}

typedef void (*planner)(struct wp_plan *plan, struct level *levels);

// Fills a plan for each direction.
static struct wp_plan *create(const struct wp_plan_params *params, const planner by_direction[2])
{
    if (!wp_plan_check(params))
        return NULL;
    struct wp_plan *plan = wp_xcalloc(1, sizeof *plan);
    plan->wavelet = *params->wavelet;
    plan->params = *params;
    plan->params.wavelet = &plan->wavelet;

    const int levels = params->levels;
    struct level *level = wp_xcalloc((size_t)levels, sizeof *level);
    int ops = 0;
    for (int l = 0; l < levels; l++) {
        level[l] = make_level(plan, l + 1);
        ops += level[l].scheme->pass_count + 1;
    }
    plan->surface = wp_xcalloc(2 * (size_t)levels + 1, sizeof *plan->surface);
    plan->op = wp_xcalloc((size_t)ops, sizeof *plan->op);
    plan->load = wp_xcalloc(BLOCK * ((size_t)levels + 1), sizeof *plan->load);
    plan->store = wp_xcalloc(BLOCK * ((size_t)levels + 1), sizeof *plan->store);
    if (levels == 0)
        plan_copy(plan);
    else
        by_direction[params->direction](plan, level);

    for (int l = 0; l < levels; l++)
        free(level[l].domain);
    free(level);
    return plan;
}

struct wp_plan *wp_plan_create(const struct wp_plan_params *params)
{
    return create(params, (const planner[]){plan_forward, plan_inverse});
}

struct wp_plan *wp_plan_create_fused(const struct wp_plan_params *params)
{
    return create(params, (const planner[]){plan_fused, plan_fused});
}

struct wp_plan *wp_plan_create_planes(const struct wp_plan_params *params)
{
    return create(params, (const planner[]){plan_planes, plan_planes});
}

struct wp_plan *wp_plan_create_tiled(const struct wp_plan_params *params, bool split)
{
    return create(params, (const planner[]){
                              plan_tiled_forward,
                              split ? plan_split_inverse : plan_tiled_inverse,
                          });
}

int wp_plan_stack(const struct wp_plan_params *params)
{
    return params->stack > 1 ? params->stack : 1;
}

size_t wp_plan_plane_start(const struct wp_plan_params *params, int index)
{
    return (size_t)index * (size_t)params->width * (size_t)params->height;
}

void wp_plan_destroy(struct wp_plan **slot)
{
    struct wp_plan *plan = *slot;
    *slot = NULL;
    if (!plan)
        return;
    for (int axes = 0; axes <= WP_AXIS_BOTH; axes++)
        wp_scheme_destroy(&plan->scheme[axes]);
    free(plan->surface);
    free(plan->op);
    free(plan->load);
    free(plan->store);
    free(plan);
}
