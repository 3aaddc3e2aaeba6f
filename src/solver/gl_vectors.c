#include "gl_vectors.h"

#include "text.h"

#include <stdio.h>

extern const unsigned char wp_shader_solver_vectors[]; // embedded, shaders/

enum { THREADS = 256, MAX_GROUPS_X = 1 << 15, MAX_GROUPS = 1 << 14 };
enum { MAX_BANDS = 96, BLOCKS = 6 };

struct wp_program *wp_gl_solver_program(struct wp_gl *gl, const char *defines,
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

void wp_gl_solver_groups(long long count, int groups[3])
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
        v->program[kind] = wp_gl_solver_program(v->gl, defines, wp_shader_solver_vectors);
    return v->program[kind];
}

int wp_vectors_partial_sums(size_t count)
{
    const size_t groups = (count + THREADS - 1) / THREADS;
    return groups < WP_VECTOR_SUMS ? (int)groups : WP_VECTOR_SUMS;
}

// Dispatches a program with buffers in the order of the shader's blocks; unused ones may be NULL.
static void dispatch(struct wp_program *program, const struct wp_buffer *const buffers[BLOCKS],
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
    dispatch(p, (const struct wp_buffer *const[BLOCKS]){result, a}, count, 0);
    return true;
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
    dispatch(p, (const struct wp_buffer *const[BLOCKS]){result, NULL, b, NULL, step}, count, 0);
    return true;
}

bool wp_vectors_distance(struct wp_gl_vectors *v, const struct wp_buffer *a,
                         const struct wp_buffer *b, const struct wp_buffer *sums, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_DISTANCE);
    if (!p)
        return false;
    wp_program_set(p, "differs", b != NULL);
    dispatch(p, (const struct wp_buffer *const[BLOCKS]){NULL, a, b, sums}, count,
             wp_vectors_partial_sums(count));
    return true;
}

bool wp_vectors_misfit(struct wp_gl_vectors *v, const struct wp_vectors_misfit *m)
{
    struct wp_program *p = find(v, WP_VECTOR_MISFIT);
    if (!p)
        return false;
    wp_program_set(p, "skip", m->skip);
    wp_program_set(p, "update", m->update);
    dispatch(p,
             (const struct wp_buffer *const[BLOCKS]){m->h, m->transformed, m->h0, m->sums, NULL,
                                                     m->frequencies},
             m->count, wp_vectors_partial_sums(m->count));
    return true;
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
    dispatch(p, (const struct wp_buffer *const[BLOCKS]){NULL, NULL, NULL, sums, NULL, planes}, 0,
             wp_vectors_partial_sums(samples));
    return true;
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
    dispatch(p,
             (const struct wp_buffer *const[BLOCKS]){s->data, s->rest, s->power, NULL, s->step},
             0, 1);
    return true;
}

bool wp_vectors_multiply(struct wp_gl_vectors *v, const struct wp_buffer *result,
                         const struct wp_buffer *a, const struct wp_buffer *b, size_t first,
                         bool conjugate, bool add, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_MULTIPLY);
    if (!p)
        return false;
    wp_program_set(p, "first", (int)first);
    wp_program_set(p, "conjugate", conjugate);
    wp_program_set(p, "adds", add);
    dispatch(p, (const struct wp_buffer *const[BLOCKS]){result, a, b}, count, 0);
    return true;
}

bool wp_vectors_apply_mask(struct wp_gl_vectors *v, const struct wp_buffer *result, size_t target,
                           const struct wp_buffer *a, size_t first, const struct wp_buffer *mask,
                           double scale, size_t count)
{
    struct wp_program *p = find(v, WP_VECTOR_MASK);
    if (!p)
        return false;
    wp_program_set(p, "to", (int)target);
    wp_program_set(p, "first", (int)first);
    set(p, "scale", scale);
    dispatch(p, (const struct wp_buffer *const[BLOCKS]){result, a, NULL, NULL, NULL, mask}, count,
             0);
    return true;
}
