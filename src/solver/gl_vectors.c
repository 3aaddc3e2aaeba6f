#include "gl_engine.h"

#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const unsigned char wp_shader_solver_vectors[]; // embedded, shaders/

enum { THREADS = 256, MAX_GROUPS_X = 1 << 15, MAX_GROUPS = 1 << 14 };
enum { MAX_BANDS = 96, BLOCKS = 6 };

// Gets a program of the solver from `defines` followed by `text`. Owned by the context; NULL after
// an error.
static struct wp_program *gl_solver_program(struct wp_gl *gl, const char *defines,
                                            const unsigned char *text)
{
    struct wp_text source = {0};
    wp_text_add(&source, "#version 430 core\n%s%s", defines, (const char *)text);
    struct wp_program *program = wp_text_is_complete(&source, "a shader")
                                     ? wp_program_get_compute(gl, wp_text_get(&source))
                                     : NULL;
    wp_text_free(&source);
    return program;
}

// Distributes `count` workgroups over two dimensions.
static void gl_solver_groups(long long count, int groups[3])
{
    groups[0] = count < MAX_GROUPS_X ? (int)count : MAX_GROUPS_X;
    groups[1] = (int)((count - 1) / groups[0] + 1);
    groups[2] = 1;
}

static struct wp_program *find(struct wp_gl_vectors *v, enum wp_vector_kind kind)
{
    static const char *const names[] = {"SCALE", "ADD",      "DISTANCE", "MISFIT", "POWER",
                                        "STEP",  "MULTIPLY", "MASK"};
    char defines[96];
    snprintf(defines, sizeof defines, "#define %s\n#define THREADS %d\n#define BANDS %d\n",
             names[kind], (int)THREADS, (int)MAX_BANDS);
    if (!v->program[kind])
        v->program[kind] = gl_solver_program(v->gl, defines, wp_shader_solver_vectors);
    return v->program[kind];
}

int wp_vectors_partial_sums(size_t count)
{
    const size_t groups = (count + THREADS - 1) / THREADS;
    return groups < WP_VECTOR_SUMS ? (int)groups : WP_VECTOR_SUMS;
}

#define BUFFERS(...) (const struct wp_buffer *const[BLOCKS]){__VA_ARGS__}

// Dispatches a program with buffers in the order of the shader's blocks; unused ones may be NULL.
// Always true.
static bool dispatch(struct wp_program *program, const struct wp_buffer *const buffers[BLOCKS],
                     size_t count, int groups_of_sums)
{
    static const struct wp_buffer none = {0};
    const struct wp_buffer *buffer[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        buffer[i] = buffers[i] ? buffers[i] : &none;
    const long long needed = ((long long)count + THREADS - 1) / THREADS;
    const int groups[3] = {groups_of_sums        ? groups_of_sums
                           : needed < MAX_GROUPS ? (int)needed
                                                  : MAX_GROUPS, 1, 1};
    wp_program_set(program, "count", (int)count);
    wp_program_dispatch_buffers(program, BLOCKS, buffer, groups);
    return true;
}

static void set(struct wp_program *program, const char *uniform, double value)
{
    wp_program_set_floats(program, uniform, 1, (const float[]){(float)value});
}

bool wp_vectors_scale(struct wp_gl_vectors *v, const struct wp_buffer *result,
                      const struct wp_buffer *a, double scale, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_SCALE);
    if (!p)
        return false;
    set(p, "scale", scale);
    return dispatch(p, BUFFERS(result, a), count, 0);
}

bool wp_vectors_add(struct wp_gl_vectors *v, const struct wp_buffer *result,
                    const struct wp_buffer *b, double factor, const struct wp_buffer *step,
                    size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_ADD);
    if (!p)
        return false;
    set(p, "by", factor);
    wp_program_set(p, "steps", step != NULL);
    return dispatch(p, BUFFERS(result, NULL, b, NULL, step), count, 0);
}

bool wp_vectors_distance(struct wp_gl_vectors *v, const struct wp_buffer *a,
                         const struct wp_buffer *b, const struct wp_buffer *sums, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_DISTANCE);
    if (!p)
        return false;
    wp_program_set(p, "differs", b != NULL);
    return dispatch(p, BUFFERS(NULL, a, b, sums), count, wp_vectors_partial_sums(count));
}

bool wp_vectors_misfit(struct wp_gl_vectors *v, const struct wp_vectors_misfit *m)
{
    struct wp_program *p = find(v, WP_VECTOR_MISFIT);
    if (!p)
        return false;
    wp_program_set(p, "skip", m->skip);
    wp_program_set(p, "update", m->update);
    return dispatch(p, BUFFERS(m->h, m->transformed, m->h0, m->sums, NULL, m->frequencies),
                    m->count, wp_vectors_partial_sums(m->count));
}

bool wp_vectors_power(struct wp_gl_vectors *v, const struct wp_buffer *planes,
                      const struct wp_vectors_band *bands, int count,
                      const struct wp_buffer *sums, size_t samples)
{
    int size[MAX_BANDS][4], location[MAX_BANDS][4];
    struct wp_program *p = find(v, WP_VECTOR_POWER);
    if (!p)
        return false;
    for (int b = 0; b < count; b++)
        for (int i = 0; i < 4; i++) {
            size[b][i] = bands[b].size[i];
            location[b][i] = bands[b].location[i];
        }
    wp_program_set(p, "bands", count);
    wp_program_set_array(p, "band_size", 4, count, size[0]);
    wp_program_set_array(p, "band_layout", 4, count, location[0]);
    return dispatch(p, BUFFERS(NULL, NULL, NULL, sums, NULL, planes), 0,
                    wp_vectors_partial_sums(samples));
}

bool wp_vectors_step(struct wp_gl_vectors *v, const struct wp_vectors_step *s)
{
    struct wp_program *p = find(v, WP_VECTOR_STEP);
    if (!p)
        return false;
    const int counts[3] = {s->rest_count, s->power_count, s->data_count};
    set(p, "gamma", s->gamma);
    set(p, "mu", s->mu);
    wp_program_set3(p, "counts", counts);
    return dispatch(p, BUFFERS(s->data, s->rest, s->power, NULL, s->step), 0, 1);
}

// result = a b with b from index `first`, or a conj(b)
static bool vectors_multiply(struct wp_gl_vectors *v, const struct wp_buffer *result,
                             const struct wp_buffer *a, const struct wp_buffer *b, size_t first,
                             bool conjugate, bool add, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_MULTIPLY);
    if (!p)
        return false;
    wp_program_set(p, "first", (int)first);
    wp_program_set(p, "conjugate", conjugate);
    wp_program_set(p, "adds", add);
    return dispatch(p, BUFFERS(result, a, b), count, 0);
}

// result[target + i] = scale a[first + i] where the mask, of floats, is above 0, else 0.
static bool vectors_apply_mask(struct wp_gl_vectors *v, const struct wp_buffer *result,
                               size_t target, const struct wp_buffer *a, size_t first,
                               const struct wp_buffer *mask, double scale, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_MASK);
    if (!p)
        return false;
    wp_program_set(p, "to", (int)target);
    wp_program_set(p, "first", (int)first);
    set(p, "scale", scale);
    return dispatch(p, BUFFERS(result, a, NULL, NULL, NULL, mask), count, 0);
}

// ---- Cartesian k-space ----

static bool upload_mask(const struct wp_cartesian_data *data, size_t samples,
                        struct wp_buffer *mask)
{
    float *values = wp_allocate(samples, sizeof *values, "a mask");
    for (size_t i = 0; values && i < samples; i++)
        values[i] = data->mask[i] ? 1 : 0;
    const bool ok = values && wp_buffer_create(samples, mask);
    if (ok)
        wp_buffer_write(mask, 0, samples, values);
    free(values);
    return ok;
}

bool wp_gl_cartesian_create(struct wp_gl_vectors *vectors, const struct wp_gl_fft *fft,
                            const struct wp_cartesian_data *data, struct wp_gl_cartesian *c)
{
    const size_t samples =
        (size_t)data->size[0] * (size_t)data->size[1] * (size_t)data->size[2];
    *c = (struct wp_gl_cartesian){
        .vectors = vectors,
        .fft = fft,
        .samples = samples,
        .coils = data->coils,
        .unitary = 1 / sqrt((double)samples),
        .has_maps = data->maps != NULL,
    };
    const size_t maps = data->maps ? 2 * samples * (size_t)data->coils : 0;
    if (!upload_mask(data, samples, &c->mask) || !wp_buffer_create(2 * samples, &c->coil) ||
        (maps && !wp_buffer_create(maps, &c->maps)))
        return false;
    if (maps)
        wp_buffer_write(&c->maps, 0, maps, data->maps);
    return true;
}

void wp_gl_cartesian_destroy(struct wp_gl_cartesian *c)
{
    wp_buffer_destroy(&c->mask);
    wp_buffer_destroy(&c->maps);
    wp_buffer_destroy(&c->coil);
    *c = (struct wp_gl_cartesian){0};
}

bool wp_gl_cartesian_forward(const struct wp_gl_cartesian *c, const struct wp_buffer *image,
                             const struct wp_buffer *data)
{
    bool ok = true;
    for (int i = 0; ok && i < c->coils; i++) {
        const size_t at = c->samples * (size_t)i;
        if (c->has_maps)
            ok = vectors_multiply(c->vectors, &c->coil, image, &c->maps, at, false, false,
                                  c->samples);
        wp_gl_fft_run(c->fft, false, c->has_maps ? &c->coil : image, &c->coil);
        ok = ok && vectors_apply_mask(c->vectors, data, at, &c->coil, 0, &c->mask, c->unitary,
                                   c->samples);
    }
    return ok;
}

bool wp_gl_cartesian_adjoint(const struct wp_gl_cartesian *c, const struct wp_buffer *data,
                             const struct wp_buffer *image)
{
    bool ok = true;
    for (int i = 0; ok && i < c->coils; i++) {
        const size_t at = c->samples * (size_t)i;
        ok = vectors_apply_mask(c->vectors, &c->coil, 0, data, at, &c->mask, c->unitary,
                                c->samples);
        wp_gl_fft_run(c->fft, true, &c->coil, c->has_maps ? &c->coil : image);
        if (c->has_maps)
            ok = ok && vectors_multiply(c->vectors, image, &c->coil, &c->maps, at, true, i > 0,
                                        c->samples);
    }
    return ok;
}

// ---- regularization ----

extern const unsigned char wp_shader_solver_gradient[]; // embedded, shaders/
extern const unsigned char wp_shader_solver_planes[];
extern const unsigned char wp_shader_solver_shrink[];

enum { SHRINK_THREADS = 256, GROUP_WIDTH = 32, GROUP_HEIGHT = 4 }; // sizes of workgroups

// The number of workgroups for one invocation per sample.
static void groups_for(const int size[3], int groups[3])
{
    groups[0] = wp_divide_up(size[0], GROUP_WIDTH);
    groups[1] = wp_divide_up(size[1], GROUP_HEIGHT);
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
    e->gather = gl_solver_program(e->gl, defines, wp_shader_solver_planes);
    e->scatter = e->gather ? gl_solver_program(e->gl, scatter, wp_shader_solver_planes) : NULL;
    e->shrink = e->scatter ? gl_solver_program(e->gl, defines, wp_shader_solver_shrink) : NULL;
    return e->shrink != NULL;
}

bool wp_gl_prepare_regularisers(struct wp_engine *e)
{
    if (e->task.form != WP_FORM_NO_WAVELET && !prepare_wavelet(e))
        return false;
    if (e->task.tv > 0)
        e->gradient = gl_solver_program(e->gl, "", wp_shader_solver_gradient);
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
    gl_solver_groups(wp_divide_up(count, SHRINK_THREADS), groups);
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
