// The fragment backend: a plan's surfaces are RGBA32F textures, its operations are draws of a
// full-screen triangle into the texture's framebuffer.
#include "backends.h"
#include "emit.h"
#include "gl_ceiling.h"
#include "gl_device.h"
#include "log.h"
#include "memory.h"
#include "program.h"
#include "surfaces.h"
#include "text.h"

#include <stdlib.h>

// shaders/*, embedded.
extern const unsigned char wp_shader_extend[], wp_shader_gather[], wp_shader_spread[];

struct wp_exec {
    struct wp_gl_ceiling *ceiling; // not NULL: this, and no plan
    struct wp_gl *gl;
    const struct wp_plan *plan;
    struct wp_surfaces surfaces;
    struct wp_program **program; // one an operation
    struct wp_program *border;   // GATHER and SPREAD at the borders; NULL without them
};

static struct wp_device *open_device(int index, bool quiet, char *reason, size_t reason_size)
{
    return wp_gl_device_open("fragment", false, index, quiet, reason, reason_size);
}

static void release(struct wp_exec *exec)
{
    if (!exec)
        return;
    if (wp_gl_make_current(exec->gl)) {
        wp_gl_ceiling_destroy(&exec->ceiling);
        wp_surfaces_destroy(&exec->surfaces);
    }
    free(exec->program);
    free(exec);
}

// The program of a GATHER or SPREAD. Inside the borders every sample exists.
static struct wp_program *get_transport(struct wp_gl *gl, enum wp_op_kind kind,
                                        enum wp_extension extension, bool inside)
{
    struct wp_text source = {0};
    wp_text_add(&source, "#version 330 core\n#define EXTENSION %d\n%s%s",
                inside ? -1 : (int)extension, (const char *)wp_shader_extend,
                (const char *)(kind == WP_OP_GATHER ? wp_shader_gather : wp_shader_spread));
    struct wp_program *program = wp_program_get(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static struct wp_program *get_pass(struct wp_gl *gl, const struct wp_op *op)
{
    struct wp_text source = {0};
    wp_emit_fragment_pass(op->scheme, op->pass, &source);
    struct wp_program *program = wp_program_get(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

static bool make_programs(struct wp_exec *exec)
{
    for (int i = 0; i < exec->plan->op_count; i++) {
        const struct wp_op *op = &exec->plan->op[i];
        if (op->kind == WP_OP_PASS) {
            exec->program[i] = get_pass(exec->gl, op);
        } else {
            exec->program[i] = get_transport(exec->gl, op->kind, op->extension, true);
            exec->border = get_transport(exec->gl, op->kind, op->extension, false);
            if (!exec->border)
                return false;
        }
        if (!exec->program[i])
            return false;
    }
    return true;
}

// Draws the part of a domain given in the level's numbering.
static void draw(const struct wp_exec *exec, const struct wp_op *op, struct wp_program *program,
                 struct wp_rect r)
{
    const struct wp_texture *texture = exec->surfaces.texture;
    wp_program_draw(program, &texture[op->source], &texture[op->destination],
                    op->destination_x + r.x, op->destination_y + r.y, r.width, r.height,
                    op->kind == WP_OP_SPREAD);
}

static void set_transport(struct wp_program *program, const struct wp_op *op)
{
    wp_program_set2(program, "offset", -op->destination_x, -op->destination_y);
    wp_program_set2(program, "source_zero", op->source_x, op->source_y);
    wp_program_set2(program, "size", op->width, op->height);
}

// An operation on `domain`. A GATHER or SPREAD takes the interior by the plain program, the
// four strips around it by the one that extends.
static void draw_op(const struct wp_exec *exec, int index, struct wp_rect domain,
                    struct wp_rect interior)
{
    const struct wp_op *op = &exec->plan->op[index];
    if (op->kind == WP_OP_PASS) {
        wp_program_set2(exec->program[index], "offset", op->source_x - op->destination_x,
                        op->source_y - op->destination_y);
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
    set_transport(exec->program[index], op);
    draw(exec, op, exec->program[index], in);
    set_transport(exec->border, op);
    for (int i = 0; i < 4; i++)
        draw(exec, op, exec->border, strips[i]);
}

// Drivers compile for real when a program is first drawn with. Drawing a quad or two
// of everything here keeps that out of the time of a run. What the surfaces hold does not matter yet.
static bool prime_programs(struct wp_exec *exec)
{
    for (int i = 0; i < exec->plan->op_count; i++) {
        const struct wp_op *op = &exec->plan->op[i];
        const struct wp_rect two = {op->domain.x, op->domain.y, 2, 1};
        const struct wp_rect one = {op->domain.x, op->domain.y, 1, 1};
        draw_op(exec, i, two, one);
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

static struct wp_exec *prepare(struct wp_device *device, const struct wp_plan *plan,
                               const struct wp_variant *variant)
{
    (void)variant;
    if (!wp_gl_make_current(device->gl))
        return NULL;
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->gl = device->gl;
    exec->plan = plan;
    exec->program = wp_xcalloc((size_t)plan->op_count, sizeof *exec->program);
    if (!wp_surfaces_create(exec->gl, plan, &exec->surfaces) || !make_programs(exec) ||
        !prime_programs(exec)) {
        release(exec);
        return NULL;
    }
    return exec;
}

static struct wp_exec *prepare_ceiling(struct wp_device *device, const struct wp_ceiling *ceiling,
                                       int width, int height)
{
    if (!wp_gl_make_current(device->gl))
        return NULL;
    struct wp_exec *exec = wp_xcalloc(1, sizeof *exec);
    exec->gl = device->gl;
    exec->ceiling = wp_gl_ceiling_create(device->gl, ceiling, width, height);
    if (exec->ceiling)
        return exec;
    release(exec);
    return NULL;
}

static bool load(struct wp_exec *exec, const float *plane)
{
    if (!wp_gl_make_current(exec->gl))
        return false;
    wp_surfaces_load(&exec->surfaces, exec->plan, plane);
    return wp_gl_finish(exec->gl);
}

static bool store(struct wp_exec *exec, float *plane)
{
    if (!wp_gl_make_current(exec->gl))
        return false;
    wp_surfaces_store(&exec->surfaces, exec->plan, plane);
    return wp_gl_finish(exec->gl);
}

static void work(const struct wp_exec *exec)
{
    for (int i = 0; i < exec->plan->op_count; i++) {
        wp_gl_op_begin(exec->gl, &exec->plan->op[i]);
        draw_op(exec, i, exec->plan->op[i].domain, exec->plan->op[i].interior);
        wp_gl_op_end(exec->gl);
    }
}

static bool run(struct wp_exec *exec, double *seconds)
{
    if (exec->ceiling)
        return wp_gl_ceiling_run(exec->ceiling, seconds);
    return wp_gl_device_time(exec->gl, work, exec, seconds);
}

static struct wp_cost cost(const struct wp_exec *exec)
{
    return wp_plan_cost(exec->plan);
}

const struct wp_backend wp_backend_fragment = {
    .name = "fragment",
    .packs = true,
    .summary = "OpenGL fragment shaders, one render pass a step",
    .open = open_device,
    .close = wp_gl_device_close,
    .describe = wp_gl_device_describe,
    .facts = wp_gl_device_facts,
    .prepare = prepare,
    .ceilings = wp_gl_fragment_ceilings,
    .prepare_ceiling = prepare_ceiling,
    .load = load,
    .run = run,
    .cost = cost,
    .store = store,
    .release = release,
};
