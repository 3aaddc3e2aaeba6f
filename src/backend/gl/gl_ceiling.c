#include "gl_device.h"

#include "emit.h"
#include "memory.h"
#include "min_max.h"
#include "program.h"
#include "text.h"
#include "texture.h"

#include <math.h>
#include <stdlib.h>

enum { MARGIN = 5 }; // texels that the largest fetch reads beyond the last texel

#define CEILING(name_, summary_, precision_, bytes_, fetches_, fill_) \
    {.name = name_, .summary = summary_, .bytes = (bytes_), .fetches = (fetches_), \
     .fill = (fill_), .precision = (precision_)}

// `sample`: bytes per sample. The last one has few fragments with many fetches, like tiles.
#define PASSES(suffix, precision, sample) \
    CEILING("fill" suffix, "a pass that only writes", precision, sample, 0, 1), \
    CEILING("copy" suffix, "a pass that reads and writes one texel", precision, 2 * (sample), \
            1, 1), \
    CEILING("fetch4" suffix, "a pass that adds 2x2 texels", precision, 2 * (sample), 4, 1), \
    CEILING("fetch9" suffix, "a pass that adds 3x3 texels", precision, 2 * (sample), 9, 1), \
    CEILING("fetch25" suffix, "a pass that adds 5x5 texels", precision, 2 * (sample), 25, 1), \
    CEILING("fetch36" suffix, "a pass that adds 6x6 texels for each 2x2", precision, \
            1.25 * (sample), 9, 0.25)

// The first one is the plain fill, which fill_source() uses.
const struct wp_ceiling wp_gl_fragment_ceilings[] = {
    PASSES("", WP_PRECISION_F32, sizeof(float)),
    PASSES("-f16", WP_PRECISION_F16, sizeof(float) / 2),
    {0},
};

const struct wp_ceiling wp_gl_compute_ceilings[] = {
    {.name = "copy",
     .summary = "a dispatch that reads and writes one texel",
     .bytes = 2 * sizeof(float),
     .fetches = 1},
    {.name = "fetch25",
     .summary = "a dispatch that adds 5x5 texels",
     .bytes = 2 * sizeof(float),
     .fetches = 25},
    {0},
};

struct wp_ceiling_run_state {
    struct wp_gl *gl;
    struct wp_program *program;
    struct wp_texture source, target;
    bool compute;
};

// The side lengths in texels of the source area per texel written, and of the sum.
static int step_of(const struct wp_ceiling *ceiling)
{
    return ceiling->fill > 0 ? (int)lround(1 / sqrt(ceiling->fill)) : 1;
}

static int side_of(const struct wp_ceiling *ceiling)
{
    return (int)lround(sqrt(ceiling->fetches) * step_of(ceiling));
}

enum { GROUP_WIDTH = 32, GROUP_HEIGHT = 8 };

// Adds the sum of side x side texels around p + 2, the neighborhood of a quad in schemes. Positions
// matter: on an H200 fetches at odd distances take twice as long. Without fetches, values that do
// not compress well.
static void add_sum(struct wp_text *source, int side)
{
    if (side == 0)
        wp_text_add(source, "    vec4 sum = vec4(p, p.yx) * vec4(0.37, 0.61, 1.7, 0.29);\n");
    const int first = side > 1 ? 2 - (side - 1) / 2 : 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            wp_text_add(source, "    %s texelFetch(source, p + ivec2(%d, %d), 0);\n",
                        x + y ? "sum +=" : "vec4 sum =", first + x, first + y);
}

static struct wp_program *get_program(struct wp_gl *gl, const struct wp_ceiling *ceiling,
                                      bool compute)
{
    struct wp_text source = {0};
    wp_emit_head(compute ? &wp_glsl_430 : wp_glsl_fragments, 0, &source);
    if (compute)
        wp_text_add(&source,
                    "layout(local_size_x = %d, local_size_y = %d) in;\n"
                    "layout(binding = 0, rgba32f) writeonly uniform image2D result;\n"
                    "uniform sampler2D source;\n"
                    "void main()\n"
                    "{\n"
                    "    ivec2 p = ivec2(gl_GlobalInvocationID.xy);\n",
                    (int)GROUP_WIDTH, (int)GROUP_HEIGHT);
    else
        wp_text_add(&source,
                    "uniform sampler2D source;\n"
                    "layout(location = 0) out vec4 result;\n"
                    "void main()\n"
                    "{\n"
                    "    ivec2 p = ivec2(gl_FragCoord.xy) * %d;\n",
                    step_of(ceiling));
    add_sum(&source, side_of(ceiling));
    wp_text_add(&source, compute ? "    imageStore(result, p, sum);\n}\n"
                                 : "    result = sum;\n}\n");
    struct wp_program *program =
        !wp_text_is_complete(&source, "a shader") ? NULL
        : compute ? wp_program_get_compute(gl, wp_text_get(&source))
                  : wp_program_get(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static void draw(const struct wp_ceiling_run_state *c)
{
    const int width = c->target.width, height = c->target.height;
    if (!c->compute) {
        wp_program_draw(c->program, &c->source, &c->target, 0, 0, width, height, WP_DRAW_ALL);
        return;
    }
    const struct wp_tile_textures textures = {.source = &c->source, .result = &c->target};
    wp_program_dispatch(c->program, &textures, wp_divide_up(width, GROUP_WIDTH),
                        wp_divide_up(height, GROUP_HEIGHT));
}

// The source needs data: drivers may optimize reads of textures that were never written, and
// hardware compresses constant areas.
static bool fill_source(const struct wp_ceiling_run_state *c)
{
    struct wp_program *fill = get_program(c->gl, &wp_gl_fragment_ceilings[0], false);
    if (fill)
        wp_program_draw(fill, &c->target, &c->source, 0, 0, c->source.width, c->source.height,
                        WP_DRAW_ALL);
    return fill != NULL;
}

static bool create_texture(struct wp_gl *gl, const struct wp_ceiling *ceiling, int width,
                           int height, struct wp_texture *texture)
{
    const struct wp_texture_params params = {
        .width = width,
        .height = height,
        .half = ceiling->precision == WP_PRECISION_F16,
    };
    return wp_texture_create_from(gl, &params, texture);
}

struct wp_ceiling_run_state *wp_gl_ceiling_prepare(struct wp_device *device,
                                                   const struct wp_ceiling *ceiling, int width,
                                                   int height)
{
    struct wp_gl *gl = device->gl;
    if (!wp_gl_make_current(gl))
        return NULL;
    struct wp_ceiling_run_state *c = wp_allocate(1, sizeof *c, "a ceiling");
    if (!c)
        return NULL;
    const int across = wp_divide_up(width, 2), down = wp_divide_up(height, 2);
    const int step = step_of(ceiling);
    c->gl = gl;
    c->compute = ceiling->fill <= 0;
    c->program = get_program(gl, ceiling, c->compute);
    if (c->program &&
        create_texture(gl, ceiling, across + MARGIN, down + MARGIN, &c->source) &&
        create_texture(gl, ceiling, wp_divide_up(across, step), wp_divide_up(down, step),
                       &c->target) &&
        fill_source(c)) {
        draw(c); // drivers compile a program when it is first used
        if (wp_gl_finish(gl))
            return c;
    }
    wp_gl_ceiling_release(c);
    return NULL;
}

bool wp_gl_ceiling_run(struct wp_ceiling_run_state *const states[], int count, double *seconds)
{
    struct wp_gl_stopwatch watch;
    if (!wp_gl_stopwatch_start(states[0]->gl, &watch))
        return false;
    for (int i = 0; i < count; i++)
        draw(states[i]);
    return wp_gl_stopwatch_stop(states[0]->gl, &watch, seconds);
}

void wp_gl_ceiling_release(struct wp_ceiling_run_state *c)
{
    if (!c)
        return;
    if (wp_gl_make_current(c->gl)) {
        wp_texture_destroy(&c->source);
        wp_texture_destroy(&c->target);
    }
    free(c);
}

void wp_gl_ceiling_textures(const struct wp_ceiling_run_state *c, const struct wp_texture **source,
                            const struct wp_texture **target)
{
    *source = &c->source;
    *target = &c->target;
}
