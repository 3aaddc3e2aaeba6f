#include "reconstruct_problem.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

const char *backend = "cpu";

double noise(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

size_t samples_of(const int size[3])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

float *floats(size_t count)
{
    float *memory = calloc(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

float *random_floats(size_t count, unsigned seed)
{
    float *memory = floats(count);
    for (size_t i = 0; i < count; i++)
        memory[i] = (float)noise(&seed);
    return memory;
}

double product(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * b[i];
    return sum;
}

double worst_of(const float *a, const float *b, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

float *make_image(const int size[3])
{
    float *image = floats(2 * samples_of(size));
    unsigned state = 7;
    for (int z = 0, i = 0; z < size[2]; z++)
        for (int y = 0; y < size[1]; y++)
            for (int x = 0; x < size[0]; x++, i++) {
                const bool inside = x > size[0] / 4 && x < size[0] * 3 / 4 && y > size[1] / 3;
                image[2 * i] = (float)((inside ? 0.8 : 0.1) + 0.05 * noise(&state));
                image[2 * i + 1] = (float)(z == size[2] / 2 ? 0.3 : 0.02 * noise(&state));
            }
    return image;
}

float *make_maps(const int size[3])
{
    const size_t n = samples_of(size);
    float *maps = floats(2 * n * COILS);
    for (size_t i = 0; i < n; i++) {
        const double x = (double)(i % (size_t)size[0]) / size[0];
        const double y = (double)(i / (size_t)size[0] % (size_t)size[1]) / size[1];
        const double weight[COILS] = {1.2 - x, 0.3 + x * y, 0.4 + y};
        double sum = 0;
        for (int c = 0; c < COILS; c++)
            sum += weight[c] * weight[c];
        for (int c = 0; c < COILS; c++) {
            const double complex s = weight[c] / sqrt(sum) * cexp(I * (c + 2 * x - y));
            maps[2 * (n * (size_t)c + i)] = (float)creal(s);
            maps[2 * (n * (size_t)c + i) + 1] = (float)cimag(s);
        }
    }
    return maps;
}

// All samples, or about one third including those near DC.
static unsigned char *make_mask(const int size[3], bool all)
{
    unsigned char *mask = calloc(samples_of(size), 1);
    unsigned state = 3;
    for (size_t i = 0; i < samples_of(size); i++)
        mask[i] = all || i < 3 || noise(&state) > 0.17;
    return mask;
}

void make_problem(struct problem *p, int x, int y, int z, bool all)
{
    *p = (struct problem){.size = {x, y, z}};
    const size_t n = samples_of(p->size);
    p->mask = make_mask(p->size, all);
    p->image = make_image(p->size);
    p->data = floats(2 * n);
    p->k = wp_cartesian_create(p->size, p->mask, NULL, 1, 1);
    assert_non_null(p->k);
    const struct wp_reconstruct_model *model = wp_cartesian_model(p->k);
    assert_true(model->forward(model->user, p->image, p->data));
}

void end_problem(struct problem *p)
{
    wp_cartesian_destroy(&p->k);
    free(p->mask);
    free(p->image);
    free(p->data);
}

struct wp_reconstruct_params params_of(const struct problem *p)
{
    return (struct wp_reconstruct_params)WP_RECONSTRUCT_PARAMS(
        .width = p->size[0], .height = p->size[1], .depth = p->size[2], .mu = 100, .lambda = 100,
        .outer = 3, .inner = 4, .levels = 2, .threads = 1, .backend = backend, .report = 1);
}

struct wp_reconstruct *create(const struct problem *p,
                                     const struct wp_reconstruct_params *params)
{
    struct wp_reconstruct *r = wp_reconstruct_create(params, wp_cartesian_model(p->k), p->data);
    assert_non_null(r);
    return r;
}

bool stop_at(void *user, struct wp_reconstruct *r)
{
    return wp_reconstruct_get_info(r)->iterations < *(const int *)user;
}

float *solve(const struct problem *p, const struct wp_reconstruct_params *params)
{
    struct wp_reconstruct *r = create(p, params);
    float *image = floats(2 * samples_of(p->size));
    assert_true(wp_reconstruct_run(r, NULL, NULL));
    assert_true(wp_reconstruct_image(r, image));
    wp_reconstruct_destroy(&r);
    return image;
}

unsigned char *save(const struct wp_reconstruct *r)
{
    unsigned char *saved = malloc(wp_reconstruct_state_size(r));
    assert_non_null(saved);
    wp_reconstruct_save(r, saved);
    return saved;
}
