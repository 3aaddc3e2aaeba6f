// Intermediate results between passes, and shaders.
#include "page.h"
#include "page_internal.h"

#include "backend_gl.h"
#include "emit.h"
#include "lesson.h"
#include "memory.h"
#include "surfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// An operation: a pass of the scheme; or what loads, gathers or spreads the quads of a level.
struct step {
    int level;
    const struct wp_op *op; // of the schedule; NULL for the first step, and with a border of
                            // PyWavelets for quads of other levels
    bool is_pass;
};

int page_steps(int number, int inverse)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    const struct wp_schedule *schedule = transform ? page_schedule(transform) : NULL;
    if (!schedule)
        return 0;
    // With a border of PyWavelets the schedule is that of one level and has only passes.
    const struct wp_description d = page_passes_of(transform);
    return wp_description_is_native(&d) ? 1 + schedule->op_count
                                        : d.levels * (1 + schedule->op_count);
}

// False if there is no such step.
static bool find_step(int number, int inverse, int step, struct step *found)
{
    if (step < 0 || step >= page_steps(number, inverse))
        return false;
    struct page_transform *transform = page_find_transform(number, inverse);
    const struct wp_description d = page_passes_of(transform);
    const struct wp_schedule *schedule = page_schedule(transform);
    const bool native = wp_description_is_native(&d);
    const int steps = 1 + schedule->op_count, of_level = native ? step : step % steps;
    found->op = of_level ? &schedule->op[of_level - 1] : NULL;
    found->is_pass = found->op && found->op->kind == WP_OP_PASS;
    found->level = native ? schedule->op[of_level ? of_level - 1 : 0].level
                   : inverse ? d.levels - step / steps : 1 + step / steps;
    return true;
}

int page_step_level(int number, int inverse, int step)
{
    struct step found;
    return find_step(number, inverse, step, &found) ? found.level : 0;
}

unsigned page_step_components(int number, int inverse, int step)
{
    enum { ALL = (1U << WP_COMPONENTS) - 1 };
    struct step found;
    const struct page_transform *transform = page_find_transform(number, inverse);
    if (!find_step(number, inverse, step, &found) ||
        !wp_description_is_redundant(&transform->description))
        return ALL;
    const struct wp_scheme *scheme = transform->schedule->op[0].scheme;
    return found.op  ? wp_matrix_rows(&scheme->pass[found.op->pass].core)
           : inverse ? scheme->components
                     : 1;
}

const char *page_step_name(int number, int inverse, int step)
{
    static struct wp_text text;
    struct step found = {0};
    wp_text_clear(&text);
    if (!find_step(number, inverse, step, &found) || step == 0)
        wp_text_add(&text, "0\t0\t0\tloaded");
    else if (found.is_pass)
        wp_text_add(&text, "%d\t%d\t%d\t%s", found.level, found.op->pass + 1,
                    found.op->scheme->pass_count, found.op->scheme->pass[found.op->pass].label);
    else
        wp_text_add(&text, "%d\t0\t0\t%s", found.level,
                    inverse ? "spread: samples of the low band" : "gather: quads of the low band");
    return page_get_text(&text, "a name");
}

struct texels {
    int target, current; // steps
    int plane;       // of the image
    struct wp_rect domain;
    float *quads;    // planes one after the other
};

static struct texels shown;

static size_t plane_floats(void)
{
    return (size_t)shown.domain.width * (size_t)shown.domain.height * 4;
}

// Allocates quads for all planes, when the domain is known.
static bool allocate_quads(struct wp_rect domain)
{
    if (shown.quads)
        return true;
    shown.domain = domain;
    shown.quads = wp_allocate(plane_floats() * (size_t)page_image()->planes, sizeof *shown.quads,
                              "texels");
    return shown.quads != NULL;
}

static float *plane_quads(int plane)
{
    return shown.quads + (size_t)plane * plane_floats();
}

// Callback of the interpreter: copies the requested step, then stops it.
static bool copy_step(void *user, const struct wp_lesson_state *step)
{
    (void)user;
    const struct wp_rect domain = {step->low[WP_X], step->low[WP_Y], step->extent[WP_X],
                                   step->extent[WP_Y]};
    if (shown.current++ < shown.target)
        return true;
    if (allocate_quads(domain))
        memcpy(plane_quads(shown.plane), step->values, plane_floats() * sizeof *shown.quads);
    return false;
}

static bool interpret(const struct page_transform *transform, const float *from)
{
    for (shown.plane = 0; shown.plane < page_image()->planes; shown.plane++) {
        const struct wp_image plane = {
            .plane = {(float *)from + (size_t)shown.plane * page_elements(transform, false)}};
        const struct wp_description passes = page_passes_of(transform);
        shown.current = 0;
        wp_lesson_run(&passes, &plane, NULL, copy_step, NULL);
    }
    return shown.quads != NULL;
}

// Reads the texture back: the planes that are transformed at once, from `plane`.
static bool read_back(struct page_transform *transform, const float *from, int plane, int step)
{
    const struct wp_schedule *schedule;
    const struct wp_surfaces *surfaces =
        page_machine()->backend->gl->surfaces(transform->exec, &schedule);
    const struct wp_operand in =
        (transform->description.direction == WP_FORWARD ? wp_operand_dense
                                                        : wp_operand_coefficients)(
            &transform->description,
            (float *)from + (size_t)plane * page_elements(transform, false));
    if (!surfaces || !page_machine()->backend->load(transform->exec, &in))
        return false;
    for (int op = 0; op < step; op++)
        if (!page_machine()->backend->gl->step(transform->exec, op, NULL))
            return false;
    const struct wp_op *op = step ? &schedule->op[step - 1] : NULL;
    const struct wp_transfer *transfer = &schedule->load[0];
    const struct wp_rect domain = op ? op->domain : transfer->domain;
    // The inverse of redundant banks loads the bands of all levels, each to a surface.
    const bool redundant = wp_description_is_redundant(&transform->description);
    const int surface = op          ? op->destination
                        : redundant ? schedule->op[0].source
                                    : transfer->surface;
    const int x = op ? op->destination_x : transfer->x, y = op ? op->destination_y : transfer->y;
    if (!allocate_quads(domain))
        return false;
    for (int p = 0; p < wp_description_planes(&transform->description); p++)
        wp_texture_read(&surfaces->texture[surface], x + domain.x,
                        y + domain.y + p * schedule->surface[surface].height, domain.width,
                        domain.height, plane_quads(plane + p));
    return true;
}

// Sets the components that a step does not compute to zero. Textures have those of other levels there.
static void clear_others(unsigned components)
{
    const size_t count = plane_floats() * (size_t)page_image()->planes;
    for (size_t i = 0; i < count; i++)
        if (!(components >> i % WP_COMPONENTS & 1))
            shown.quads[i] = 0;
}

float *page_step(int number, int inverse, int step)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    free(shown.quads);
    shown = (struct texels){.target = step};
    if (!transform || step < 0 || step >= page_steps(number, inverse))
        return NULL;
    const float *from = page_passes_input(number, inverse);
    if (!from)
        return NULL;
    const bool interprets = !page_machine()->gl || page_is_planned(transform);
    bool ok = interprets ? interpret(transform, from) : page_prepare(transform);
    for (int p = 0; p < page_image()->planes && ok && !interprets;
         p += wp_description_planes(&transform->description))
        ok = read_back(transform, from, p, step);
    if (ok)
        clear_others(page_step_components(number, inverse, step));
    return ok ? shown.quads : NULL;
}

double page_step_end(int component, int most)
{
    double least = 0, greatest = 0;
    const size_t count = plane_floats() * (size_t)page_image()->planes;
    for (size_t i = (size_t)component; shown.quads && i < count; i += 4) {
        least = fmin(least, shown.quads[i]);
        greatest = fmax(greatest, shown.quads[i]);
    }
    return most ? greatest : least;
}

const int *page_step_position(void)
{
    static int position[4];
    position[0] = shown.domain.width;
    position[1] = shown.domain.height;
    position[2] = shown.domain.x;
    position[3] = shown.domain.y;
    return position;
}

struct shader_search {
    int target, current;
    struct wp_text *out;
};

static void add_shader(void *user, const char *text)
{
    struct shader_search *search = user;
    if (search->current++ == search->target)
        wp_text_add(search->out, "%s", text);
}

const char *page_shader(int number, int inverse, int step)
{
    static struct wp_text text;
    struct page_transform *transform = page_find_transform(number, inverse);
    struct step found;
    wp_text_clear(&text);
    if (!find_step(number, inverse, step, &found) || !found.op)
        return "";
    if (!page_machine()->gl || page_is_planned(transform)) {
        if (found.is_pass)
            wp_emit_fragment_pass(found.op->scheme, found.op->pass, &text);
        return page_get_text(&text, "a shader");
    }
    if (!page_prepare(transform))
        return NULL;
    // Gather and spread have a second shader, for the borders.
    struct shader_search search = {.target = step - 1, .out = &text};
    for (int i = 1; i < step; i++)
        search.target += transform->schedule->op[i - 1].kind != WP_OP_PASS;
    page_machine()->backend->bench->shaders(transform->exec, add_shader, &search);
    return page_get_text(&text, "a shader");
}

const float *page_step_quads(struct wp_rect *domain)
{
    *domain = shown.domain;
    return shown.quads;
}
