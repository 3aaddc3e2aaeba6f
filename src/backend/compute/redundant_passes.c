#include "redundant_passes.h"

#include "emit.h"
#include "min_max.h"
#include "text.h"

// The size of a workgroup of shaders/bank.glsl. GROUPS_MOST: the most workgroups along an axis, which
// every OpenGL implementation supports; each workgroup loops over the remaining rows and columns.
enum { COLUMNS = 32, ROWS = 8, GROUPS_MOST = WP_PLANES_LAYERS_MAX };

struct wp_program *wp_compute_redundant_program(struct wp_gl *gl, const struct wp_schedule *schedule,
                                                const struct wp_op *op)
{
    struct wp_text source = {0};
    const struct wp_emit_target target = {
        .dialect = &wp_glsl_430, .buffer = true, .weighted = schedule->weighted};
    wp_emit_fragment_pass_to(op->scheme, op->pass, &target, &source);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}

// The distance of the rows of a workgroup: the taps', if the pass has some along y.
static int row_step(const struct wp_op *op)
{
    const struct wp_reach *reach = &op->scheme->pass[op->pass].reach;
    return reach->low[WP_Y] < reach->high[WP_Y] ? op->dilation : 1;
}

void wp_compute_redundant_dispatch(struct wp_program *program, const struct wp_planes *planes,
                                   const struct wp_op *op, bool all)
{
    const struct wp_description *d = &planes->schedule->description;
    const int slices = op->depth > 1 ? op->depth : wp_description_planes(d);
    const int step = row_step(op), classes = step < op->height ? step : op->height;
    const int rows = classes * wp_divide_up(wp_divide_up(op->height, step), ROWS);
    const int count[] = {wp_divide_up(op->width, COLUMNS), rows, slices};
    int groups[3];
    for (int a = 0; a < 3; a++)
        groups[a] = !all ? 1 : count[a] < GROUPS_MOST ? count[a] : GROUPS_MOST;
    // One workgroup of one sample compiles the program.
    wp_program_set3(program, "size",
                    all ? (const int[]){op->width, op->height, slices} : (const int[]){1, 1, 1});
    wp_program_set(program, "dilation", op->dilation);
    wp_program_set(program, "extension", (int)op->extension);
    wp_program_set(program, "row_step", step);
    wp_planes_set_layout(planes, op->source, program, "source_layout");
    wp_planes_set_layout(planes, op->destination, program, "result_layout");
    wp_program_dispatch_buffer(program, &planes->buffer, &planes->part[op->source],
                               &planes->part[op->destination], groups);
}
