// Intermediate results between passes, and shaders.
#include "page.h"
#include "page_internal.h"

#include "backend_gl.h"
#include "emit.h"
#include "log.h"
#include "memory.h"
#include "reference.h"
#include "surfaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int page_steps(int number, int inverse)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    return transform && page_schedule(transform) ? 1 + transform->schedule->op_count : 0;
}

static const struct wp_op *op_of(int number, int inverse, int step)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    const struct wp_schedule *schedule = transform ? page_schedule(transform) : NULL;
    return schedule && step > 0 && step <= schedule->op_count ? &schedule->op[step - 1] : NULL;
}

const char *page_step_name(int number, int inverse, int step)
{
    static struct wp_text text;
    const struct wp_op *op = op_of(number, inverse, step);
    wp_text_clear(&text);
    if (!op)
        wp_text_add(&text, "0\t0\t0\tloaded");
    else if (op->kind == WP_OP_PASS)
        wp_text_add(&text, "%d\t%d\t%d\t%s", op->level, op->pass + 1, op->scheme->pass_count,
                    op->scheme->pass[op->pass].label);
    else
        wp_text_add(&text, "%d\t0\t0\t%s", op->level,
                    op->kind == WP_OP_GATHER ? "gather: quads of the low band"
                                             : "spread: samples of the low band");
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
static bool copy_step(void *user, const struct wp_pass_state *step)
{
    (void)user;
    if (shown.current++ < shown.target)
        return true;
    if (allocate_quads(step->domain))
        memcpy(plane_quads(shown.plane), step->quads, plane_floats() * sizeof *shown.quads);
    return false;
}

static bool interpret(const struct wp_schedule *schedule, const float *from)
{
    for (shown.plane = 0; shown.plane < page_image()->planes; shown.plane++) {
        shown.current = 0;
        wp_reference_watch(schedule, from + (size_t)shown.plane * page_plane_samples(), copy_step,
                           NULL);
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
        wp_operand_const(&transform->description, from + (size_t)plane * page_plane_samples());
    if (!surfaces || !page_machine()->backend->load(transform->exec, &in))
        return false;
    for (int op = 0; op < step; op++)
        if (!page_machine()->backend->gl->step(transform->exec, op, NULL))
            return false;
    const struct wp_op *op = step ? &schedule->op[step - 1] : NULL;
    const struct wp_transfer *transfer = &schedule->load[0];
    const struct wp_rect domain = op ? op->domain : transfer->domain;
    const int surface = op ? op->destination : transfer->surface;
    const int x = op ? op->destination_x : transfer->x, y = op ? op->destination_y : transfer->y;
    if (!allocate_quads(domain))
        return false;
    for (int p = 0; p < wp_description_planes(&transform->description); p++)
        wp_texture_read(&surfaces->texture[surface], x + domain.x,
                        y + domain.y + p * schedule->surface[surface].height, domain.width,
                        domain.height, plane_quads(plane + p));
    return true;
}

float *page_step(int number, int inverse, int step)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    free(shown.quads);
    shown = (struct texels){.target = step};
    if (!transform || step < 0 || step >= page_steps(number, inverse))
        return NULL;
    const float *from = page_input(number, inverse);
    if (!from)
        return NULL;
    if (!page_machine()->gl)
        return interpret(transform->schedule, from) ? shown.quads : NULL;
    bool ok = page_prepare(transform);
    for (int p = 0; p < page_image()->planes && ok;
         p += wp_description_planes(&transform->description))
        ok = read_back(transform, from, p, step);
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
    const struct wp_op *op = op_of(number, inverse, step);
    struct page_transform *transform = page_find_transform(number, inverse);
    wp_text_clear(&text);
    if (!op)
        return "";
    if (!page_machine()->gl) {
        if (op->kind == WP_OP_PASS)
            wp_emit_fragment_pass(op->scheme, op->pass, &text);
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
