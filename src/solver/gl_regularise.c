// The total variation and wavelet parts of an iteration in compute shaders.
#include "gl_engine.h"
#include "log.h"
#include "memory.h"
#include "shift.h"

#include <stdlib.h>

extern const unsigned char wp_shader_solver_gradient[]; // embedded, shaders/
extern const unsigned char wp_shader_solver_planes[];
extern const unsigned char wp_shader_solver_shrink[];

enum { SHRINK_THREADS = 256, GROUP_WIDTH = 32, GROUP_HEIGHT = 4 }; // sizes of workgroups

static int divide_up(int a, int b)
{
    return (a + b - 1) / b;
}

// The number of workgroups for one invocation per sample.
static void groups_for(const int size[3], int groups[3])
{
    groups[0] = divide_up(size[0], GROUP_WIDTH);
    groups[1] = divide_up(size[1], GROUP_HEIGHT);
    groups[2] = size[2];
}

static bool stores_image(const struct wp_engine *e)
{
    return e->task.form == WP_FORM_IMAGE;
}

static bool prepare_wavelet(struct wp_engine *e)
{
    const char *defines = stores_image(e) ? "#define C_IS_IMAGE\n" : "";
    const char *scatter = stores_image(e) ? "#define C_IS_IMAGE\n#define SCATTER\n"
                                      : "#define SCATTER\n";
    e->gather = wp_gl_solver_program(e->gl, defines, wp_shader_solver_planes);
    e->scatter = e->gather ? wp_gl_solver_program(e->gl, scatter, wp_shader_solver_planes) : NULL;
    e->shrink = e->scatter ? wp_gl_solver_program(e->gl, defines, wp_shader_solver_shrink) : NULL;
    return e->shrink != NULL;
}

bool wp_gl_prepare_regularisers(struct wp_engine *e)
{
    if (e->task.form != WP_FORM_NO_WAVELET && !prepare_wavelet(e))
        return false;
    if (e->task.tv > 0)
        e->gradient = wp_gl_solver_program(e->gl, "", wp_shader_solver_gradient);
    return e->task.tv == 0 || e->gradient;
}

static struct wp_operand planes_of(const struct wp_engine *e)
{
    return (struct wp_operand){.location = WP_LOCATION_BUFFER, .name = e->planes.id,
                              .stride = {[WP_PLANE] = (ptrdiff_t)e->layout.plane}};
}

// Copies between image and planes, with either program.
static void copy_planes(struct wp_engine *e, struct wp_program *program,
                        const struct wp_buffer *image, bool image_only, const int shift[3])
{
    const struct wp_buffer_layout *l = &e->layout;
    const struct wp_buffer *const buffer[] = {&e->planes, image, &e->c, &e->r};
    int groups[3];
    groups_for(e->shape.padded, groups);
    wp_program_set3(program, "size", e->task.size);
    wp_program_set3(program, "padded", e->shape.padded);
    wp_program_set3(program, "shift", shift);
    wp_program_set4(program, "plane_layout",
                    (const int[]){0, (int)l->stride[1],
                                  (int)l->stride[2], (int)l->plane});
    wp_program_set(program, "image_only", image_only);
    wp_program_set(program, "descent", e->shape.descent);
    wp_program_set_floats(program, "scale", 1, (const float[]){(float)e->task.gamma});
    wp_program_dispatch_buffers(program, stores_image(e) || program == e->scatter ? 4 : 2, buffer,
                                groups);
}

static void shrink(struct wp_engine *e)
{
    const struct wp_buffer *const buffer[] = {&e->planes, &e->c};
    const int count = (int)e->coefficients;
    int groups[3];
    wp_gl_solver_groups(divide_up(count, SHRINK_THREADS), groups);
    wp_program_set(e->shrink, "count", count);
    wp_program_set4(e->shrink, "plane_layout",
                    (const int[]){(int)e->layout.coefficients, 0, 0, (int)e->layout.plane});
    wp_program_set(e->shrink, "descent", e->shape.descent);
    wp_program_set_floats(e->shrink, "threshold", 1,
                          (const float[]){(float)(e->task.wav / e->task.gamma)});
    wp_program_dispatch_buffers(e->shrink, stores_image(e) ? 1 : 2, buffer, groups);
}

static bool step_wavelet(struct wp_engine *e, int number)
{
    const struct wp_operand planes = planes_of(e);
    int shift[3] = {0};
    if (e->task.spin)
        wp_shift_at(e->task.seed, number, e->task.size, shift);
    copy_planes(e, e->gather, &e->u, false, shift);
    if (!wp_transform_forward(e->forward, &planes, &planes))
        return false;
    shrink(e);
    if (!wp_transform_inverse(e->inverse, &planes, &planes))
        return false;
    copy_planes(e, e->scatter, &e->u, false, shift);
    return true;
}

static void step_gradient(struct wp_engine *e)
{
    struct wp_program *p = e->gradient;
    const struct wp_buffer *const buffer[] = {&e->u,          &e->r,          &e->b[0],
                                              &e->b[1],       &e->b[2],       &e->b_after[0],
                                              &e->b_after[1], &e->b_after[2]};
    int groups[3];
    groups_for(e->task.size, groups);
    wp_program_set3(p, "size", e->task.size);
    wp_program_set(p, "adds", e->task.form != WP_FORM_NO_WAVELET);
    wp_program_set(p, "descent", e->shape.descent);
    wp_program_set_floats(p, "threshold", 1,
                          (const float[]){(float)(e->task.tv / e->task.lambda)});
    wp_program_set_floats(p, "scale", 1, (const float[]){(float)e->task.lambda});
    wp_program_dispatch_buffers(p, 8, buffer, groups);
    for (int a = 0; a < 3; a++) {
        const struct wp_buffer previous = e->b[a];
        e->b[a] = e->b_after[a];
        e->b_after[a] = previous;
    }
}

bool wp_gl_regularise(struct wp_engine *e, int number)
{
    if (e->task.form != WP_FORM_NO_WAVELET && !step_wavelet(e, number))
        return false;
    if (e->task.tv > 0)
        step_gradient(e);
    return true;
}

bool wp_gl_wavelet_power(struct wp_engine *e)
{
    const struct wp_operand planes = planes_of(e);
    const int shift[3] = {0};
    copy_planes(e, e->gather, &e->z, true, shift);
    return wp_transform_forward(e->forward, &planes, &planes) &&
           wp_vectors_power(&e->vectors, &e->planes, e->bands, e->band_count, &e->power,
                            e->shape.padded_samples);
}
