// Nodes without children: execs of the backend on operands of each location, and tiles.
#include "log.h"
#include "node.h"
#include "gl_operands.h"

static bool apply_host(const struct wp_plan *node, const struct wp_operand *from,
                       const struct wp_operand *to, struct wp_execution *execution)
{
    return wp_exec_transform(node->planner.backend, node->exec, from, to, &execution->seconds);
}

static bool apply_device(const struct wp_plan *node, const struct wp_operand *from,
                         const struct wp_operand *to, struct wp_execution *execution)
{
    return node->planner.backend->transform_device(node->exec, from, to, execution->stream);
}

static bool apply_textures(const struct wp_plan *node, const struct wp_operand *from,
                           const struct wp_operand *to, struct wp_execution *execution)
{
    return wp_gl_operands_run(node->planner.backend, node->exec, &node->problem.description, from,
                              to, execution->plane, execution->planes, &execution->seconds.run);
}

static bool apply_buffer(const struct wp_plan *node, const struct wp_operand *from,
                         const struct wp_operand *to, struct wp_execution *execution)
{
    (void)to; // the same buffer
    return wp_gl_operands_run_on(node->planner.backend, node->exec, from->name, execution->plane,
                              (size_t)from->stride[WP_PLANE]);
}

static void print_size(const struct wp_plan *node, struct wp_text *text)
{
    const struct wp_description *d = &node->problem.description;
    const int depth = wp_description_depth(d), planes = wp_description_planes(d);
    wp_text_add(text, " %dx%d", d->size[WP_X], d->size[WP_Y]);
    if (depth > 1)
        wp_text_add(text, "x%d", depth);
    wp_text_add(text, ", %d level%s", d->levels, WP_PLURAL(d->levels));
    if (depth > 1)
        wp_text_add(text, ", %d along z", d->levels_z);
    if (planes > 1)
        wp_text_add(text, ", %d planes at once", planes);
    if (d->border >= WP_BORDER_NATIVE)
        wp_text_add(text, ", border %s", wp_border_names[d->border]);
    if (d->samples != WP_ELEMENT_F32)
        wp_text_add(text, ", samples %s", wp_elements[d->samples].name);
    if (d->coefficients != WP_ELEMENT_F32)
        wp_text_add(text, ", coefficients %s", wp_elements[d->coefficients].name);
    if (wp_description_arithmetic(d) == WP_ELEMENT_F64)
        wp_text_add(text, ", arithmetic %s",
                    wp_elements[wp_plan_arithmetic(&node->planner, &node->problem)].name);
}

// "fragment/passes 640x480, 3 levels, host to texture".
static void print_exec(const struct wp_plan *node, struct wp_text *text)
{
    static const char *const names[WP_LOCATION_COUNT] = {"host", "CUDA", "texture", "buffer"};
    const struct wp_backend *backend = node->planner.backend;
    const struct wp_variant *variant = backend->variant ? backend->variant(node->exec) : NULL;
    wp_text_add(text, "%s%s%s", backend->name, variant ? "/" : "", variant ? variant->name : "");
    print_size(node, text);
    if (node->problem.from != WP_LOCATION_HOST || node->problem.to != WP_LOCATION_HOST)
        wp_text_add(text, ", %s to %s", names[node->problem.from], names[node->problem.to]);
}

static const struct wp_plan_kind host = {apply_host, print_exec},
                                 device = {apply_device, print_exec},
                                 textures = {apply_textures, print_exec},
                                 buffer = {apply_buffer, print_exec};

static const struct wp_plan_kind *kind_of(const struct wp_problem *problem)
{
    if (problem->from == WP_LOCATION_TEXTURE || problem->to == WP_LOCATION_TEXTURE)
        return &textures;
    return problem->from == WP_LOCATION_BUFFER ? &buffer
           : problem->from == WP_LOCATION_CUDA ? &device
                                               : &host;
}

// All that other solvers leave.
static bool is_left(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    (void)planner, (void)problem;
    return true;
}

static struct wp_plan *solve_exec(const struct wp_planner *planner,
                                  const struct wp_subproblem *problem)
{
    struct wp_plan *node = wp_node_create(kind_of(&problem->whole), planner, &problem->whole);
    if (node)
        node->exec = planner->backend->prepare(planner->device, &problem->whole.description,
                                               planner->variant);
    return wp_node_check(node, node && node->exec);
}

const struct wp_solver wp_solve_exec = {is_left, solve_exec, false};

// ---- Tiles.

static bool apply_tiles(const struct wp_plan *node, const struct wp_operand *from,
                        const struct wp_operand *to, struct wp_execution *execution)
{
    return wp_tiled_exec_transform(node->tiled, from, to, &execution->seconds);
}

static void print_tiles(const struct wp_plan *node, struct wp_text *text)
{
    int size[2];
    wp_tiled_exec_size(node->tiled, size);
    wp_text_add(text, "%s in tiles of up to %dx%d:", node->planner.backend->name, size[WP_X],
                size[WP_Y]);
    print_size(node, text);
}

static const struct wp_plan_kind tiles = {apply_tiles, print_tiles};

static bool fits_tiles(const struct wp_planner *planner, const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    return !wp_solve_planes.applies(planner, problem) && !problem->converted && !problem->direct &&
           wp_plan_arithmetic(planner, &problem->whole) == WP_ELEMENT_F32 &&
           problem->whole.from == WP_LOCATION_HOST && problem->whole.to == WP_LOCATION_HOST &&
           wp_tiled_exec_supports_any(planner->backend, d);
}

static struct wp_plan *solve_tiles(const struct wp_planner *planner,
                                   const struct wp_subproblem *problem)
{
    const struct wp_description *d = &problem->whole.description;
    struct wp_plan *node = wp_node_create(&tiles, planner, &problem->whole);
    struct wp_device_info info;
    int size[2];
    if (node)
        node->tiled =
            wp_tiled_exec_prepare_any(planner->backend, planner->device, d, planner->variant);
    if (!node || !node->tiled)
        return wp_node_check(node, false);
    wp_tiled_exec_size(node->tiled, size);
    planner->backend->describe(planner->device, &info);
    wp_log(WP_LOG_VERBOSE, "%dx%d is too large for %s: processed in tiles of up to %dx%d",
           d->size[WP_X], d->size[WP_Y], info.name, size[WP_X], size[WP_Y]);
    return node;
}

const struct wp_solver wp_solve_tiles = {fits_tiles, solve_tiles, true};
