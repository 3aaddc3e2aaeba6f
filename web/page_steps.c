// What stands between two passes, and the shaders.
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
    struct page_variant *variant = page_find_variant(number, inverse);
    return variant && page_plan(variant) ? 1 + variant->plan->op_count : 0;
}

static const struct wp_op *op_of(int number, int inverse, int stage)
{
    struct page_variant *variant = page_find_variant(number, inverse);
    const struct wp_plan *plan = variant ? page_plan(variant) : NULL;
    return plan && stage > 0 && stage <= plan->op_count ? &plan->op[stage - 1] : NULL;
}

const char *page_step_name(int number, int inverse, int stage)
{
    static struct wp_text text;
    const struct wp_op *op = op_of(number, inverse, stage);
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
    return page_give(&text, "a name");
}

struct texels {
    int wanted, now; // stages
    int plane;       // of the image
    struct wp_rect domain;
    float *quads;    // planes one behind the other
};

static struct texels shown;

static size_t plane_floats(void)
{
    return (size_t)shown.domain.width * (size_t)shown.domain.height * 4;
}

// For all planes, once the domain is known.
static bool make_room(struct wp_rect domain)
{
    if (shown.quads)
        return true;
    shown.domain = domain;
    shown.quads = wp_allocate(plane_floats() * (size_t)page_image()->planes, sizeof *shown.quads,
                              "texels");
    return shown.quads != NULL;
}

static float *room_of(int plane)
{
    return shown.quads + (size_t)plane * plane_floats();
}

// The interpreter's, which stops where it was shown what is wanted.
static bool keep(void *user, const struct wp_pass_state *stage)
{
    (void)user;
    if (shown.now++ < shown.wanted)
        return true;
    if (make_room(stage->domain))
        memcpy(room_of(shown.plane), stage->quads, plane_floats() * sizeof *shown.quads);
    return false;
}

static bool interpret(const struct wp_plan *plan, const float *from)
{
    for (shown.plane = 0; shown.plane < page_image()->planes; shown.plane++) {
        shown.now = 0;
        wp_reference_watch(plan, from + (size_t)shown.plane * page_plane_samples(), keep, NULL);
    }
    return shown.quads != NULL;
}

// The texture's, of the planes that go through together from `plane` on.
static bool read_back(struct page_variant *variant, const float *from, int plane, int stage)
{
    const struct wp_plan *plan;
    const struct wp_surfaces *surfaces = page_machine()->backend->gl->surfaces(variant->exec, &plan);
    const struct wp_operand in =
        wp_operand_const(&variant->description, from + (size_t)plane * page_plane_samples());
    if (!surfaces || !page_machine()->backend->load(variant->exec, &in))
        return false;
    for (int op = 0; op < stage; op++)
        if (!page_machine()->backend->gl->step(variant->exec, op, NULL))
            return false;
    const struct wp_op *op = stage ? &plan->op[stage - 1] : NULL;
    const struct wp_transfer *transfer = &plan->load[0];
    const struct wp_rect domain = op ? op->domain : transfer->domain;
    const int surface = op ? op->destination : transfer->surface;
    const int x = op ? op->destination_x : transfer->x, y = op ? op->destination_y : transfer->y;
    if (!make_room(domain))
        return false;
    for (int p = 0; p < wp_description_planes(&variant->description); p++)
        wp_texture_read(&surfaces->texture[surface], x + domain.x,
                        y + domain.y + p * plan->surface[surface].height, domain.width,
                        domain.height, room_of(plane + p));
    return true;
}

float *page_step(int number, int inverse, int stage)
{
    struct page_variant *variant = page_find_variant(number, inverse);
    free(shown.quads);
    shown = (struct texels){.wanted = stage};
    if (!variant || stage < 0 || stage >= page_steps(number, inverse))
        return NULL;
    const float *from = page_input(number, inverse);
    if (!from)
        return NULL;
    if (!page_machine()->gl)
        return interpret(variant->plan, from) ? shown.quads : NULL;
    bool ok = page_prepare(variant);
    for (int p = 0; p < page_image()->planes && ok; p += wp_description_planes(&variant->description))
        ok = read_back(variant, from, p, stage);
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
    static int place[4];
    place[0] = shown.domain.width;
    place[1] = shown.domain.height;
    place[2] = shown.domain.x;
    place[3] = shown.domain.y;
    return place;
}

struct shader_search {
    int wanted, now;
    struct wp_text *out;
};

static void add_shader(void *user, const char *text)
{
    struct shader_search *search = user;
    if (search->now++ == search->wanted)
        wp_text_add(search->out, "%s", text);
}

const char *page_shader(int number, int inverse, int stage)
{
    static struct wp_text text;
    const struct wp_op *op = op_of(number, inverse, stage);
    struct page_variant *variant = page_find_variant(number, inverse);
    wp_text_clear(&text);
    if (!op)
        return "";
    if (!page_machine()->gl) {
        if (op->kind == WP_OP_PASS)
            wp_emit_fragment_pass(op->scheme, op->pass, &text);
        return page_give(&text, "a shader");
    }
    if (!page_prepare(variant))
        return NULL;
    // What gathers or spreads has a second one, for the borders.
    struct shader_search search = {.wanted = stage - 1, .out = &text};
    for (int i = 1; i < stage; i++)
        search.wanted += variant->plan->op[i - 1].kind != WP_OP_PASS;
    page_machine()->backend->bench->shaders(variant->exec, add_shader, &search);
    return page_give(&text, "a shader");
}

const float *page_step_quads(struct wp_rect *domain)
{
    *domain = shown.domain;
    return shown.quads;
}
