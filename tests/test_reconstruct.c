// Reconstruction: against the loop written out in double precision, and what has a known answer.
#include "dual.h"
#include "fft.h"
#include "golden.h"
#include "sample.h"
#include "text.h"
#include "wavepass.h"
#include "wavepass_reconstruct.h"

#include <complex.h>
#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static const char *backend = "cpu";

static double noise(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static size_t samples_of(const int size[3])
{
    return (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
}

static float *floats(size_t count)
{
    float *memory = calloc(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static double complex *doubles(size_t count)
{
    double complex *memory = calloc(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

// A picture with edges and a phase.
static float *make_image(const int size[3])
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

// Of all samples, or about one of three with those about zero frequency.
static unsigned char *make_mask(const int size[3], bool all)
{
    unsigned char *mask = calloc(samples_of(size), 1);
    unsigned state = 3;
    for (size_t i = 0; i < samples_of(size); i++)
        mask[i] = all || i < 3 || noise(&state) > 0.17;
    return mask;
}

static double worst_of(const float *a, const float *b, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

// ---- The loop in double precision, from its definition.

struct oracle {
    int size[3], padded[3];
    int levels;
    size_t n, m; // samples of both sizes
};

// The unitary transform along an axis, as the sum that it is.
static void fourier_axis(double complex *u, const int size[3], int axis, double sign)
{
    const int n = size[axis];
    const size_t step = axis == 0 ? 1 : (size_t)size[0] * (axis == 1 ? 1 : (size_t)size[1]);
    double complex *line = doubles((size_t)n);
    for (size_t i = 0; i < samples_of(size); i++) {
        if (i / step % (size_t)n != 0)
            continue;
        for (int k = 0; k < n; k++) {
            line[k] = 0;
            for (int j = 0; j < n; j++)
                line[k] += u[i + (size_t)j * step] * cexp(sign * 2 * pi * I * j * k / n);
        }
        for (int k = 0; k < n; k++)
            u[i + (size_t)k * step] = line[k] / sqrt(n);
    }
    free(line);
}

static void fourier(double complex *u, const int size[3], double sign)
{
    for (int axis = 0; axis < 3; axis++)
        fourier_axis(u, size, axis, sign);
}

static size_t at(const int size[3], int x, int y, int z)
{
    return ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0] + (size_t)x;
}

// Haar of a level along an axis, in place: pairs a step apart become sums and differences. It is
// its own inverse.
static void haar_axis(double complex *w, const int size[3], int axis, int level)
{
    const int step = 1 << level;
    int p[3];
    if (size[axis] == 1)
        return;
    for (p[2] = 0; p[2] < size[2]; p[2] += step)
        for (p[1] = 0; p[1] < size[1]; p[1] += step)
            for (p[0] = 0; p[0] < size[0]; p[0] += step) {
                if (p[axis] % (2 * step) != 0)
                    continue;
                const size_t i = at(size, p[0], p[1], p[2]);
                int q[3] = {p[0], p[1], p[2]};
                q[axis] += step;
                const size_t j = at(size, q[0], q[1], q[2]);
                const double complex a = w[i], b = w[j];
                w[i] = (a + b) / sqrt(2);
                w[j] = (a - b) / sqrt(2);
            }
}

static void haar(double complex *w, const struct oracle *o, bool inverse)
{
    for (int l = 0; l < o->levels; l++)
        for (int axis = 0; axis < 3; axis++)
            haar_axis(w, o->padded, axis, inverse ? o->levels - 1 - l : l);
}

static void copy_padded(const struct oracle *o, const double complex *image, double complex *w)
{
    memset(w, 0, o->m * sizeof *w);
    for (int z = 0; z < o->size[2]; z++)
        for (int y = 0; y < o->size[1]; y++)
            for (int x = 0; x < o->size[0]; x++)
                w[at(o->padded, x, y, z)] = image[at(o->size, x, y, z)];
}

static double complex shrink(double complex x, double length, double threshold)
{
    return length > threshold ? x * (length - threshold) / length : 0;
}

static size_t next_of(const struct oracle *o, size_t i, int axis, int by)
{
    const int *s = o->size;
    int p[3] = {(int)(i % (size_t)s[0]), (int)(i / (size_t)s[0] % (size_t)s[1]),
                (int)(i / (size_t)s[0] / (size_t)s[1])};
    p[axis] = (p[axis] + by + s[axis]) % s[axis];
    return at(s, p[0], p[1], p[2]);
}

static double turn_of(const struct oracle *o, size_t i)
{
    const int *s = o->size;
    const int p[3] = {(int)(i % (size_t)s[0]), (int)(i / (size_t)s[0] % (size_t)s[1]),
                      (int)(i / (size_t)s[0] / (size_t)s[1])};
    double sum = 0;
    for (int a = 0; a < 3; a++)
        sum += 2 - 2 * cos(2 * pi * p[a] / s[a]);
    return sum;
}

static void solve_slowly(struct oracle *o, const struct wp_reconstruct_params *p,
                         const unsigned char *mask, const float *data, double complex *u)
{
    const double lam = p->tv > 0 ? p->lambda : 0, gam = p->wav > 0 ? p->gamma : 0;
    const size_t n = o->n, m = o->m;
    double complex *f = doubles(n), *fk = doubles(n), *d = doubles(3 * n), *b = doubles(3 * n);
    double complex *w = doubles(m), *c = doubles(m), *q = doubles(m), *right = doubles(n);
    for (size_t i = 0; i < n; i++)
        f[i] = fk[i] = mask[i] ? (double)data[2 * i] + I * (double)data[2 * i + 1] : 0;
    for (int outer = 0; outer < p->outer; outer++) {
        for (int inner = 0; inner < p->inner; inner++) {
            for (size_t i = 0; i < m; i++)
                q[i] = w[i] - c[i];
            haar(q, o, true);
            for (size_t i = 0; i < n; i++) {
                const size_t x = i % (size_t)o->size[0], line = i / (size_t)o->size[0];
                const size_t y = line % (size_t)o->size[1], z = line / (size_t)o->size[1];
                right[i] = gam * q[at(o->padded, (int)x, (int)y, (int)z)];
                for (int a = 0; a < 3; a++) {
                    const size_t before = next_of(o, i, a, -1) + (size_t)a * n;
                    right[i] += lam * (d[before] - b[before] - d[i + (size_t)a * n] +
                                       b[i + (size_t)a * n]);
                }
            }
            fourier(right, o->size, -1);
            for (size_t i = 0; i < n; i++)
                u[i] = (right[i] + p->mu * fk[i]) / (p->mu * mask[i] + lam * turn_of(o, i) + gam);
            fourier(u, o->size, 1);
            for (size_t i = 0; i < n; i++) {
                double length = 0;
                double complex g[3];
                for (int a = 0; a < 3; a++) {
                    g[a] = u[next_of(o, i, a, 1)] - u[i] + b[i + (size_t)a * n];
                    length += creal(g[a] * conj(g[a]));
                }
                for (int a = 0; a < 3 && lam > 0; a++) {
                    d[i + (size_t)a * n] = shrink(g[a], sqrt(length), p->tv / lam);
                    b[i + (size_t)a * n] = g[a] - d[i + (size_t)a * n];
                }
            }
            copy_padded(o, u, q);
            haar(q, o, false);
            for (size_t i = 0; i < m && gam > 0; i++) {
                const double complex x = q[i] + c[i];
                w[i] = shrink(x, cabs(x), p->wav / gam);
                c[i] = x - w[i];
            }
        }
        memcpy(right, u, n * sizeof *u);
        fourier(right, o->size, -1);
        for (size_t i = 0; i < n; i++)
            fk[i] += f[i] - (mask[i] ? right[i] : 0);
    }
    double complex *const all[] = {f, fk, d, b, w, c, q, right};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

// ---- One problem, as tests want it.

struct problem {
    int size[3];
    unsigned char *mask;
    float *image, *data;
    struct wp_cartesian *k;
};

static void make_problem(struct problem *p, int x, int y, int z, bool all)
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

static void end_problem(struct problem *p)
{
    wp_cartesian_destroy(&p->k);
    free(p->mask);
    free(p->image);
    free(p->data);
}

static struct wp_reconstruct_params params_of(const struct problem *p)
{
    return (struct wp_reconstruct_params)WP_RECONSTRUCT_PARAMS(
        .width = p->size[0], .height = p->size[1], .depth = p->size[2], .mu = 100, .lambda = 100,
        .outer = 3, .inner = 4, .levels = 2, .threads = 1, .backend = backend, .report = 1);
}

// Ends after so many iterations.
static bool stop_at(void *user, struct wp_reconstruct *r)
{
    return wp_reconstruct_get_info(r)->iterations < *(const int *)user;
}

static struct wp_reconstruct *create(const struct problem *p,
                                     const struct wp_reconstruct_params *params)
{
    struct wp_reconstruct *r = wp_reconstruct_create(params, wp_cartesian_model(p->k), p->data);
    assert_non_null(r);
    return r;
}

static float *solve(const struct problem *p, const struct wp_reconstruct_params *params)
{
    struct wp_reconstruct *r = create(p, params);
    float *image = floats(2 * samples_of(p->size));
    assert_true(wp_reconstruct_run(r, NULL, NULL));
    assert_true(wp_reconstruct_image(r, image));
    wp_reconstruct_destroy(&r);
    return image;
}

static void test_loop_as_written(void **state)
{
    (void)state;
    static const int sizes[][3] = {{8, 8, 8}, {16, 12, 1}, {10, 7, 1}, {6, 5, 9}, {9, 1, 1},
                                   {1, 6, 4}, {4, 1, 6}};
    static const double weights[][2] = {{1, 0}, {0, 1}, {1, 0.3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
            struct problem p;
            make_problem(&p, sizes[i][0], sizes[i][1], sizes[i][2], false);
            struct wp_reconstruct_params params = params_of(&p);
            params.tv = weights[w][0];
            params.wav = weights[w][1];
            params.gamma = 60;
            struct oracle o = {.levels = 2, .n = samples_of(p.size)};
            for (int a = 0; a < 3; a++) {
                o.size[a] = p.size[a];
                o.padded[a] = p.size[a] == 1 ? 1 : (p.size[a] + 3) / 4 * 4;
            }
            o.m = samples_of(o.padded);
            double complex *u = doubles(o.n);
            solve_slowly(&o, &params, p.mask, p.data, u);
            float *got = solve(&p, &params);
            double worst = 0;
            for (size_t s = 0; s < o.n; s++)
                worst = fmax(worst, cabs(u[s] - (double)got[2 * s] - I * (double)got[2 * s + 1]));
            if (worst > 1e-5)
                fail_msg("%dx%dx%d, tv %g, wav %g: off by %g", p.size[0], p.size[1], p.size[2],
                         params.tv, params.wav, worst);
            free(u);
            free(got);
            end_problem(&p);
        }
    }
}

// ---- Known answers.

static bool copy(void *user, const float *from, float *to)
{
    memcpy(to, from, 2 * *(const size_t *)user * sizeof *to);
    return true;
}

// Least wav |W u| + mu/2 |u - f|^2 is W' shrink(W f, wav/mu), W f from the double-precision Haar.
static void check_soft_threshold(int x, int y, int z)
{
    struct oracle o = {.size = {x, y, z}, .padded = {x, y, z}, .levels = 2};
    o.n = o.m = samples_of(o.size);
    float *image = make_image(o.size), *diagonal = floats(o.n), *got = floats(2 * o.n);
    double complex *w = doubles(o.n);
    for (size_t i = 0; i < o.n; i++) {
        diagonal[i] = 1;
        w[i] = (double)image[2 * i] + I * (double)image[2 * i + 1];
    }
    const struct wp_reconstruct_model identity = {
        .user = &o.n, .values = o.n, .forward = copy, .adjoint = copy, .diagonal = diagonal,
        .diagonalises = true};
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = x, .height = y, .depth = z, .wav = 0.2, .mu = 1, .gamma = 1, .levels = 2,
        .outer = 1, .inner = 100, .threads = 1, .backend = backend);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, &identity, image);
    assert_non_null(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got));
    haar(w, &o, false);
    size_t zeros = 0;
    for (size_t i = 0; i < o.n; i++) {
        w[i] = shrink(w[i], cabs(w[i]), 0.2);
        zeros += w[i] == 0;
    }
    assert_true(zeros > o.n / 5 && zeros < o.n);
    haar(w, &o, true);
    for (size_t i = 0; i < o.n; i++)
        assert_true(cabs(w[i] - (double)got[2 * i] - I * (double)got[2 * i + 1]) < 1e-6);
    wp_reconstruct_destroy(&r);
    free(image);
    free(diagonal);
    free(got);
    free(w);
}

// The larger ones go through the cpu in several blocks along y, the last of them not full; compute
// shaders have no blocks, and may run in software.
static void test_soft_threshold(void **state)
{
    (void)state;
    const bool shaders = strcmp(backend, "compute") == 0;
    check_soft_threshold(16, 8, 4);
    check_soft_threshold(shaders ? 120 : 600, shaders ? 40 : 160, 1);
    check_soft_threshold(shaders ? 72 : 520, shaders ? 20 : 52, 8);
}

static void test_constant_image(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        bool spin, exact;
    } ways[] = {{"haar", false, false}, {"haar", true, false}, {"cdf97", false, false},
                {"cdf97", false, true}};
    struct problem p;
    make_problem(&p, 32, 16, 4, false);
    const struct wp_reconstruct_model *model = wp_cartesian_model(p.k);
    for (size_t i = 0; i < samples_of(p.size); i++) {
        p.image[2 * i] = 0.5F;
        p.image[2 * i + 1] = 0.25F;
    }
    assert_true(model->forward(model->user, p.image, p.data));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct wp_reconstruct_params params = params_of(&p);
        params.tv = 1;
        params.wav = 0.1;
        params.wavelet = ways[i].wavelet;
        params.spin = ways[i].spin;
        params.exact = ways[i].exact;
        params.outer = 16;
        params.inner = 8;
        float *got = solve(&p, &params);
        const double worst = worst_of(got, p.image, 2 * samples_of(p.size));
        if (worst > 1e-4)
            fail_msg("%s%s%s: off by %g", ways[i].wavelet, ways[i].spin ? ", spun" : "",
                     ways[i].exact ? ", exact" : "", worst);
        free(got);
    }
    end_problem(&p);
}

static void test_fully_sampled(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        bool spin, exact;
    } ways[] = {{"haar", false, false}, {"haar", true, false}, {"cdf97", false, false},
                {"cdf97", false, true}, {"cdf53", true, false}};
    struct problem p;
    make_problem(&p, 32, 24, 4, true);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct wp_reconstruct_params params = params_of(&p);
        params.tv = 1;
        params.wav = 0.3;
        params.wavelet = ways[i].wavelet;
        params.spin = ways[i].spin;
        params.exact = ways[i].exact;
        params.outer = 16;
        params.inner = 8;
        float *got = solve(&p, &params);
        const double worst = worst_of(got, p.image, 2 * samples_of(p.size));
        if (worst > 5e-3)
            fail_msg("%s%s%s: off by %g", ways[i].wavelet, ways[i].spin ? ", spun" : "",
                     ways[i].exact ? ", exact" : "", worst);
        free(got);
    }
    end_problem(&p);
}

// ---- Operators.

static double product(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * b[i];
    return sum;
}

static float *random_floats(size_t count, unsigned seed)
{
    float *memory = floats(count);
    for (size_t i = 0; i < count; i++)
        memory[i] = (float)noise(&seed);
    return memory;
}

// <W u, v> = <u, W'v>, W' as the dual's inverse.
static void check_wavelet_adjoint(const char *name, const char *border, const int size[3],
                                  int levels)
{
    if (!sample_takes())
        return;
    struct wp_wavelet wavelet, dual;
    static struct wp_wavelet_steps steps;
    assert_true(wp_wavelet_find(name, &wavelet));
    if (!wp_wavelet_dual(&wavelet, &dual))
        fail_msg("%s has no dual: %s", name, wp_last_error_text());
    wp_wavelet_list_steps(&dual, &steps);
    struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = size[0], .height = size[1], .depth = size[2], .wavelet = name,
        .border = border, .norm = "orthonormal", .backend = backend, .levels = levels,
        .levels_z = size[2] > 1 ? levels : 0, .threads = 1);
    struct wp_transform *forward = wp_transform_create(&params);
    params.wavelet = NULL;
    params.wavelet_data = &steps.data;
    struct wp_transform *back = wp_transform_create(&params);
    assert_true(forward && back);
    const size_t n = samples_of(size);
    float *u = random_floats(n, 1), *v = random_floats(n, 2), *wu = floats(n), *wv = floats(n);
    assert_true(wp_transform_forward(forward, u, wu) && wp_transform_inverse(back, v, wv));
    const double scale = sqrt(product(wu, wu, n) * product(v, v, n));
    const double off = fabs(product(wu, v, n) - product(u, wv, n)) / scale;
    if (off > 1e-6)
        fail_msg("%s, %s, %d levels: <W u, v> and <u, W'v> differ by %g", name, border, levels,
                 off);
    bool same;
    assert_true(wp_wavelet_judge_orthonormal(&wavelet, &same));
    assert_int_equal(same, fabs(product(wu, wu, n) / product(u, u, n) - 1) < 1e-5);
    wp_transform_destroy(&forward);
    wp_transform_destroy(&back);
    free(u);
    free(v);
    free(wu);
    free(wv);
}

// Borders are periodic; of wavelets that stay within pairs of samples, which see none, symmetric.
static void check_wavelet_adjoints(const char *name)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    const char *const borders[] = {
        "periodic", wavelet.symmetry == WP_SYMMETRY_LOCAL ? "symmetric" : NULL};
    for (int b = 0; b < 2 && borders[b]; b++) {
        for (int levels = 1; levels <= 4; levels++) {
            check_wavelet_adjoint(name, borders[b], (const int[]){32, 48, 1}, levels);
            check_wavelet_adjoint(name, borders[b], (const int[]){16, 32, 16}, levels);
        }
        for (int levels = 5; levels <= 12; levels++)
            check_wavelet_adjoint(name, borders[b], (const int[]){4096, 1, 1}, levels);
    }
}

static void test_wavelet_adjoint(void **state)
{
    (void)state;
    char **names = wp_wavelet_names();
    assert_non_null(names);
    int count = 0;
    for (int i = 0; names[i]; i++, count++)
        check_wavelet_adjoints(names[i]);
    assert_true(count > 4);
    wp_wavelet_free_names(names);
}

// A member of each family, which the names leave out: long ones take seconds to be factored.
static void test_family_adjoint(void **state)
{
    (void)state;
    static const char *const members[] = {"db4", "sym4", "coif2", "bior3.5", "rbio3.1"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        check_wavelet_adjoints(members[i]);
}

enum { COILS = 3 };

static float *make_maps(const int size[3])
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

static void test_model_adjoint(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 12, 10, 5, false);
    float *maps = make_maps(p.size);
    for (int coils = 1; coils <= COILS; coils += COILS - 1) {
        struct wp_cartesian *k =
            wp_cartesian_create(p.size, p.mask, coils > 1 ? maps : NULL, coils, 1);
        assert_non_null(k);
        const struct wp_reconstruct_model *model = wp_cartesian_model(k);
        const size_t n = 2 * samples_of(p.size), values = 2 * model->values;
        float *u = random_floats(n, 3), *f = random_floats(values, 4);
        float *ku = floats(values), *kf = floats(n);
        assert_true(model->forward(model->user, u, ku) && model->adjoint(model->user, f, kf));
        assert_true(fabs(product(ku, f, values) - product(u, kf, n)) <
                    1e-6 * sqrt(product(ku, ku, values) * product(f, f, values)));
        free(u);
        free(f);
        free(ku);
        free(kf);
        wp_cartesian_destroy(&k);
    }
    free(maps);
    end_problem(&p);
}

// Several coils by the same solver: better than one alone, and near the image.
static void test_coils(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 32, 1, false);
    const size_t n = samples_of(p.size);
    float *maps = make_maps(p.size), *data = floats(2 * n * COILS), *got = floats(2 * n);
    struct wp_cartesian *k = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
    assert_non_null(k);
    const struct wp_reconstruct_model *model = wp_cartesian_model(k);
    assert_true(model->forward(model->user, p.image, data));
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.wav = 0.1;
    params.outer = 16;
    params.inner = 16;
    struct wp_reconstruct *r = wp_reconstruct_create(&params, model, data);
    assert_non_null(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got));
    float *alone = solve(&p, &params);
    double error = 0, of_one = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        error += pow((double)got[i] - (double)p.image[i], 2);
        of_one += pow((double)alone[i] - (double)p.image[i], 2);
    }
    if (!(error < 0.5 * of_one))
        fail_msg("squares off by %g, of one coil by %g", error, of_one);
    free(alone);
    free(maps);
    free(data);
    free(got);
    wp_reconstruct_destroy(&r);
    wp_cartesian_destroy(&k);
    end_problem(&p);
}

// A model outlives the reconstructions that use it: two at once by turns, and one after them, come
// to what each comes to by a model of its own. On a device it holds memory and an FFT, whose stream
// is that of whoever asks.
static void test_one_model_of_coils(void **state)
{
    (void)state;
    enum { RUNS = 3 };
    struct problem p;
    make_problem(&p, 32, 24, 4, false);
    const size_t n = samples_of(p.size);
    float *maps = make_maps(p.size), *data = floats(2 * n * COILS), *got = floats(2 * n);
    struct wp_cartesian *shared = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
    assert_non_null(shared);
    const struct wp_reconstruct_model *model = wp_cartesian_model(shared);
    assert_true(model->forward(model->user, p.image, data));
    struct wp_reconstruct_params params[RUNS];
    struct wp_reconstruct *r[RUNS];
    float *wanted[RUNS];
    for (int i = 0; i < RUNS; i++) {
        params[i] = params_of(&p);
        params[i].tv = 1;
        params[i].wav = 0.1 * i;
        struct wp_cartesian *own = wp_cartesian_create(p.size, p.mask, maps, COILS, 1);
        assert_non_null(own);
        r[i] = wp_reconstruct_create(&params[i], wp_cartesian_model(own), data);
        wanted[i] = floats(2 * n);
        assert_true(r[i] && wp_reconstruct_run(r[i], NULL, NULL) &&
                    wp_reconstruct_image(r[i], wanted[i]));
        wp_reconstruct_destroy(&r[i]);
        wp_cartesian_destroy(&own);
    }
    assert_true(worst_of(wanted[0], wanted[1], 2 * n) > 1e-4);
    for (int i = 0; i < 2; i++) {
        r[i] = wp_reconstruct_create(&params[i], model, data);
        assert_non_null(r[i]);
    }
    for (int stop = 1; stop <= params[0].outer * params[0].inner; stop++)
        for (int i = 0; i < 2; i++)
            assert_true(wp_reconstruct_run(r[i], stop_at, &stop));
    for (int i = 0; i < RUNS; i++) {
        if (i == 2) {
            r[i] = wp_reconstruct_create(&params[i], model, data);
            assert_true(r[i] && wp_reconstruct_run(r[i], NULL, NULL));
        }
        assert_true(wp_reconstruct_get_info(r[i])->finished);
        assert_true(wp_reconstruct_image(r[i], got));
        assert_memory_equal(got, wanted[i], 2 * n * sizeof *got);
        wp_reconstruct_destroy(&r[i]);
        free(wanted[i]);
    }
    free(maps);
    free(data);
    free(got);
    wp_cartesian_destroy(&shared);
    end_problem(&p);
}

// One coil that sees all alike, as a map: the same image, though by steps of descent.
static void test_map_of_ones(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 24, 4, false);
    const size_t n = samples_of(p.size);
    float *ones = floats(2 * n);
    for (size_t i = 0; i < n; i++)
        ones[2 * i] = 1;
    for (int spin = 0; spin < 2; spin++) {
        struct wp_reconstruct_params params = params_of(&p);
        params.tv = 1;
        params.wav = 0.1;
        params.spin = spin;
        params.outer = 4;
        float *wanted = solve(&p, &params);
        struct wp_cartesian *plain = p.k;
        p.k = wp_cartesian_create(p.size, p.mask, ones, 1, 1);
        assert_non_null(p.k);
        float *got = solve(&p, &params);
        assert_true(worst_of(got, wanted, 2 * n) < 2e-5);
        wp_cartesian_destroy(&p.k);
        p.k = plain;
        free(wanted);
        free(got);
    }
    free(ones);
    end_problem(&p);
}

// From u = 0 the first step of `exact` goes along z = mu f / (mu + gamma), as far as makes
// mu/2 |u - f|^2 + gamma/2 |W u|^2 least.
static void test_exact_step(void **state)
{
    (void)state;
    enum { SIDE = 32 };
    size_t n = SIDE * SIDE;
    const int size[3] = {SIDE, SIDE, 1};
    const double mu = 3, gamma = 5;
    float *f = make_image(size), *diagonal = floats(n), *got = floats(2 * n), *w = floats(2 * n);
    float *planes = floats(2 * n);
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = 1;
        planes[i] = f[2 * i];
        planes[n + i] = f[2 * i + 1];
    }
    const struct wp_transform_params transform = WP_TRANSFORM_PARAMS(
        .width = SIDE, .height = SIDE, .planes = 2, .border = "periodic", .norm = "orthonormal",
        .backend = "cpu", .levels = 3, .threads = 1);
    struct wp_transform *t = wp_transform_create(&transform);
    assert_true(t && wp_transform_forward(t, planes, w));
    const double ff = product(f, f, 2 * n), ww = product(w, w, 2 * n);
    assert_true(fabs(ww / ff - 1) > 1e-3);
    const struct wp_reconstruct_model identity = {
        .user = &n, .values = n, .forward = copy, .adjoint = copy, .diagonal = diagonal,
        .diagonalises = true};
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = SIDE, .height = SIDE, .wav = 1, .mu = mu, .gamma = gamma, .wavelet = "cdf97",
        .levels = 3, .exact = true, .outer = 1, .inner = 1, .threads = 1, .backend = backend);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, &identity, f);
    assert_non_null(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got));
    const double part = mu * ff / (mu * ff + gamma * ww);
    for (size_t i = 0; i < 2 * n; i++)
        assert_true(fabs((double)got[i] - part * (double)f[i]) < 1e-5);
    wp_reconstruct_destroy(&r);
    wp_transform_destroy(&t);
    free(f);
    free(diagonal);
    free(got);
    free(w);
    free(planes);
}

// ---- Runs.

// The bits are the same on any number of threads, with several iterations in a call of the engine,
// and where a run was interrupted and went on.
static void check_same_bits(const struct problem *p, struct wp_reconstruct_params params)
{
    const size_t n = 2 * samples_of(p->size);
    params.threads = 1;
    float *whole = solve(p, &params);
    params.threads = strcmp(backend, "cpu") == 0 ? 3 : 1;
    params.report = 3;
    float *shared = solve(p, &params);
    assert_memory_equal(whole, shared, n * sizeof *whole);
    params.threads = params.report = 1;
    struct wp_reconstruct *first = create(p, &params), *second = create(p, &params);
    int half = 6; // within an outer loop
    assert_true(wp_reconstruct_run(first, stop_at, &half));
    assert_int_equal(wp_reconstruct_get_info(first)->iterations, half);
    const size_t size = wp_reconstruct_state_size(first);
    unsigned char *saved = malloc(size);
    assert_non_null(saved);
    wp_reconstruct_save(first, saved);
    assert_true(wp_reconstruct_resume(second, saved, size));
    assert_true(wp_reconstruct_run(second, NULL, NULL));
    assert_true(wp_reconstruct_image(second, shared));
    assert_memory_equal(whole, shared, n * sizeof *whole);
    assert_true(wp_reconstruct_get_info(second)->finished);
    wp_reconstruct_destroy(&first);
    wp_reconstruct_destroy(&second);
    // Not for other parameters, cut off, or of something else.
    params.mu = 50;
    second = create(p, &params);
    assert_false(wp_reconstruct_resume(second, saved, size));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_false(wp_reconstruct_resume(second, saved, 20));
    saved[0] ^= 1;
    assert_false(wp_reconstruct_resume(second, saved, size));
    wp_reconstruct_destroy(&second);
    free(saved);
    free(shared);
    free(whole);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        bool spin, exact;
    } ways[] = {{"haar", false, false}, {"haar", true, false}, {"cdf97", false, false},
                {"cdf97", false, true}};
    static const int sizes[][3] = {{64, 96, 1}, {32, 24, 36}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p;
        make_problem(&p, sizes[s][0], sizes[s][1], sizes[s][2], false);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct wp_reconstruct_params params = params_of(&p);
            params.tv = 1;
            params.wav = 0.2;
            params.wavelet = ways[i].wavelet;
            params.spin = ways[i].spin;
            params.exact = ways[i].exact;
            params.seed = 5;
            check_same_bits(&p, params);
        }
        end_problem(&p);
    }
}

// What an iteration moves and how many Fourier transforms it takes, by the counts that each engine's
// source gives for its steps: complex numbers a
// sample, so that no size is in them but the padding.
static void test_costs(void **state)
{
    (void)state;
    static const int sizes[][3] = {{32, 24, 1}, {32, 24, 4}, {30, 21, 1}, {600, 160, 1}};
    static const struct {
        double tv, wav;
        bool spin, exact, coils;
    } ways[] = {{1, 0, false, false, false}, {0, 0.1, false, false, false},
                {1, 0.1, false, false, false}, {1, 0.1, true, false, false},
                {1, 0.1, false, true, false},  {0, 0.1, false, true, false},
                {1, 0.1, false, false, true},  {1, 0.1, true, false, true}};
    struct wp_text text = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p;
        make_problem(&p, sizes[s][0], sizes[s][1], sizes[s][2], false);
        const size_t n = samples_of(p.size);
        float *ones = floats(2 * n);
        for (size_t i = 0; i < n; i++)
            ones[2 * i] = 1;
        struct wp_cartesian *coil = wp_cartesian_create(p.size, p.mask, ones, 1, 1);
        struct wp_cartesian *const plain = p.k;
        assert_non_null(coil);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            struct wp_reconstruct_params params = params_of(&p);
            params.tv = ways[w].tv;
            params.wav = ways[w].wav;
            params.spin = ways[w].spin;
            params.exact = ways[w].exact;
            params.wavelet = ways[w].exact ? "cdf97" : "haar";
            p.k = ways[w].coils ? coil : plain;
            struct wp_reconstruct *r = create(&p, &params);
            const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r);
            wp_text_add(&text, "%dx%dx%d tv %g wav %g%s%s%s: %s, padded %dx%dx%d, %d transforms, "
                               "%.3f complex numbers a sample\n",
                        p.size[0], p.size[1], p.size[2], params.tv, params.wav,
                        params.spin ? " spin" : "", params.exact ? " exact" : "",
                        ways[w].coils ? " coil" : "", info->form, info->padded[0],
                        info->padded[1], info->padded[2], info->transforms,
                        info->bytes / (2 * sizeof(float) * (double)n));
            wp_reconstruct_destroy(&r);
        }
        p.k = plain;
        wp_cartesian_destroy(&coil);
        free(ones);
        end_problem(&p);
    }
    char file[64];
    snprintf(file, sizeof file, "reconstruct_costs_%s.txt", backend);
    assert_golden(file, wp_text_get(&text));
    wp_text_free(&text);
}

// ---- States.

static void assert_not_resumed(struct wp_reconstruct *r, const unsigned char *saved, size_t size,
                               const char *why)
{
    assert_false(wp_reconstruct_resume(r, saved, size));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_string_equal(wp_last_error_text(), why);
}

static unsigned char *save(const struct wp_reconstruct *r)
{
    unsigned char *saved = malloc(wp_reconstruct_state_size(r));
    assert_non_null(saved);
    wp_reconstruct_save(r, saved);
    return saved;
}

// A state holds no more than it takes to go on: of images the result, the data and the Bregman
// variables, and of a step of descent the image's part of the data and, of coils, its data.
static void test_states_hold_what_is_needed(void **state)
{
    (void)state;
    enum { HEAD = 56 };
    static const struct {
        int depth;
        double tv, wav;
        const char *wavelet;
        bool exact, coils, coefficients;
        int images;
    } cases[] = {
        {1, 1, 0, "haar", false, false, false, 2 + 2},
        {4, 1, 0, "haar", false, false, false, 2 + 3},
        {1, 0, 1, "haar", false, false, true, 2 + 1},
        {4, 1, 1, "haar", false, false, true, 2 + 3 + 1},
        {1, 1, 1, "cdf97", false, false, false, 2 + 2 + 1},
        {1, 1, 1, "cdf97", true, false, true, 2 + 2 + 1 + 1},
        {1, 1, 0, "haar", false, true, false, 2 + 2 + 1 + COILS},
        {1, 1, 1, "haar", false, true, true, 2 + 2 + 1 + 1 + COILS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem p;
        make_problem(&p, 32, 24, cases[i].depth, false);
        const size_t image = 2 * samples_of(p.size);
        float *maps = make_maps(p.size), *data = floats(image * COILS);
        struct wp_cartesian *k = wp_cartesian_create(p.size, p.mask, cases[i].coils ? maps : NULL,
                                                     cases[i].coils ? COILS : 1, 1);
        assert_non_null(k);
        struct wp_reconstruct_params params = params_of(&p);
        params.tv = cases[i].tv;
        params.wav = cases[i].wav;
        params.wavelet = cases[i].wavelet;
        params.exact = cases[i].exact;
        struct wp_reconstruct *r = wp_reconstruct_create(&params, wp_cartesian_model(k), data);
        assert_non_null(r);
        const size_t wanted = HEAD + (size_t)cases[i].images * image * sizeof(float);
        // Coefficients of a device have gaps between them.
        const bool gaps = strcmp(backend, "cpu") != 0 && cases[i].coefficients;
        assert_in_range(wp_reconstruct_state_size(r), wanted,
                        gaps ? wanted + image * sizeof(float) / 2 : wanted);
        wp_reconstruct_destroy(&r);
        wp_cartesian_destroy(&k);
        free(maps);
        free(data);
        end_problem(&p);
    }
}

// Each parameter that a result depends on makes it another reconstruction's state, and how long a
// run may go on does not.
static void test_states_of_other_parameters(void **state)
{
    (void)state;
    enum { HEAD = 56, OTHERS = 10 };
    static const char no_state[] = "this is no state of a reconstruction",
                      other[] = "the state is of other data or other parameters";
    struct problem p, turned;
    make_problem(&p, 32, 24, 1, false);
    make_problem(&turned, 24, 32, 1, false);
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.wav = 0.2;
    params.gamma = 3;
    params.wavelet = "haar";
    struct wp_reconstruct_params others[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        others[i] = params;
    others[0].tv = 2;
    others[1].wav = 0.3;
    others[2].mu = 50;
    others[3].lambda = 50;
    others[4].gamma = 4;
    others[5].levels = 1;
    others[6].spin = true;
    others[7].inner = 5;
    others[8].seed = 9;
    others[9].width = 24;
    others[9].height = 32;
    int half = 6;
    struct wp_reconstruct *r = create(&p, &params);
    assert_true(wp_reconstruct_run(r, stop_at, &half));
    const size_t size = wp_reconstruct_state_size(r);
    unsigned char *saved = save(r);
    const struct wp_reconstruct_info before = *wp_reconstruct_get_info(r);
    wp_reconstruct_destroy(&r);
    for (int i = 0; i < OTHERS; i++) {
        r = create(i == 9 ? &turned : &p, &others[i]);
        assert_true(strcmp(backend, "cpu") != 0 || wp_reconstruct_state_size(r) == size);
        assert_not_resumed(r, saved, size, other);
        assert_int_equal(wp_reconstruct_get_info(r)->iterations, 0);
        wp_reconstruct_destroy(&r);
    }
    params.outer = 2;
    r = create(&p, &params);
    assert_not_resumed(r, saved, HEAD - 1, no_state);
    assert_not_resumed(r, saved, HEAD, other);
    assert_not_resumed(r, saved, size - 1, other);
    assert_not_resumed(r, saved, size + 1, other);
    saved[0] ^= 1;
    assert_not_resumed(r, saved, size, no_state);
    saved[0] ^= 1;
    assert_true(wp_reconstruct_resume(r, saved, size));
    const struct wp_reconstruct_info after = *wp_reconstruct_get_info(r);
    assert_true(after.iterations == half && !after.finished && !after.reached_sigma);
    assert_true(after.residual == before.residual && after.seconds == before.seconds);
    wp_reconstruct_destroy(&r);
    params.outer = 1; // fewer than there have been
    r = create(&p, &params);
    assert_true(wp_reconstruct_resume(r, saved, size));
    assert_true(wp_reconstruct_get_info(r)->finished);
    wp_reconstruct_destroy(&r);
    free(saved);
    end_problem(&p);
    end_problem(&turned);
}

// From zeros it goes as ever; from an image that is right already it stays nearer to the data.
static void test_start(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 48, 1, false);
    const size_t n = 2 * samples_of(p.size);
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.wav = 0.2;
    float *usual = solve(&p, &params), *got = floats(n);
    struct wp_reconstruct *r = create(&p, &params);
    assert_true(wp_reconstruct_start(r, got) && wp_reconstruct_run(r, NULL, NULL));
    assert_true(wp_reconstruct_image(r, got));
    assert_memory_equal(got, usual, n * sizeof *got);
    assert_false(wp_reconstruct_start(r, got));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    wp_reconstruct_destroy(&r);
    double residual[2];
    params.tv = 0.5;
    for (int started = 0; started < 2; started++) {
        int one = 1;
        r = create(&p, &params);
        assert_true(!started || wp_reconstruct_start(r, usual));
        assert_true(wp_reconstruct_run(r, stop_at, &one));
        residual[started] = wp_reconstruct_get_info(r)->residual;
        wp_reconstruct_destroy(&r);
    }
    assert_true(residual[1] < 0.5 * residual[0]);
    free(usual);
    free(got);
    end_problem(&p);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 32, 1, false);
    struct wp_reconstruct_params params = params_of(&p);
    params.wav = 1;
    params.spin = true;
    float *a = solve(&p, &params);
    params.seed = 1;
    float *b = solve(&p, &params);
    assert_true(worst_of(a, b, 2 * samples_of(p.size)) > 1e-4);
    free(a);
    free(b);
    end_problem(&p);
}

static void test_sigma(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 32, 32, 1, false);
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.outer = 30;
    params.inner = 8;
    params.sigma = 0.05;
    struct wp_reconstruct *r = create(&p, &params);
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r);
    assert_true(info->residual > 1);
    assert_true(wp_reconstruct_run(r, NULL, NULL));
    assert_true(info->reached_sigma && info->finished && info->residual < 0.05);
    assert_in_range(info->iterations, 8, 30 * 8 - 1);
    assert_int_equal(info->iterations % 8, 0);
    // What is told is |R F u - f|.
    const struct wp_reconstruct_model *model = wp_cartesian_model(p.k);
    float *u = floats(2 * samples_of(p.size)), *ku = floats(2 * samples_of(p.size));
    assert_true(wp_reconstruct_image(r, u) && model->forward(model->user, u, ku));
    double sum = 0;
    for (size_t i = 0; i < 2 * samples_of(p.size); i++)
        sum += pow((double)ku[i] - (double)p.data[i], 2);
    assert_true(fabs(sqrt(sum) / info->residual - 1) < 1e-3);
    wp_reconstruct_destroy(&r);
    // Never reached.
    params.sigma = 1e-12;
    params.outer = 2;
    r = create(&p, &params);
    info = wp_reconstruct_get_info(r);
    assert_true(wp_reconstruct_run(r, NULL, NULL));
    assert_true(info->finished && !info->reached_sigma);
    assert_int_equal(info->iterations, 16);
    wp_reconstruct_destroy(&r);
    free(u);
    free(ku);
    end_problem(&p);
}

static void test_refused(void **state)
{
    (void)state;
    struct problem p;
    make_problem(&p, 16, 16, 1, false);
    const struct wp_reconstruct_model *model = wp_cartesian_model(p.k);
    struct wp_reconstruct_params good = params_of(&p), bad[12];
    good.tv = 1;
    good.wav = 0.1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        bad[i] = good;
    bad[0].tv = -1;
    bad[1].wav = NAN;
    bad[2].mu = -1;
    bad[3].tv = bad[3].wav = 0;
    bad[4].levels = 40;
    bad[5].wavelet = "no-such";
    bad[6].exact = bad[6].spin = true;
    bad[7].width = 0;
    bad[8].inner = -2;
    bad[9].sigma = INFINITY;
    bad[10].struct_size--;
    bad[11].backend = "abacus";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(wp_reconstruct_create(&bad[i], model, p.data));
        assert_int_equal(wp_last_error(), i == 11 ? WP_ERROR_UNAVAILABLE : WP_ERROR_USAGE);
    }
    p.data[5] = NAN;
    assert_null(wp_reconstruct_create(&good, model, p.data));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_null(wp_cartesian_create(p.size, p.mask, NULL, 2, 1));
    end_problem(&p);
}

static void be_quiet(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    (void)level;
    (void)message;
}

// What a backend that is not there says, or NULL.
static const char *reason_against(void)
{
    const int size[3] = {4, 4, 1};
    const unsigned char mask[16] = {1};
    const float data[32] = {0};
    const struct wp_reconstruct_params params =
        WP_RECONSTRUCT_PARAMS(.width = 4, .height = 4, .tv = 1, .backend = backend);
    struct wp_cartesian *k = wp_cartesian_create(size, mask, NULL, 1, 1);
    assert_non_null(k);
    struct wp_reconstruct *r = wp_reconstruct_create(&params, wp_cartesian_model(k), data);
    const bool there = r != NULL;
    wp_reconstruct_destroy(&r);
    wp_cartesian_destroy(&k);
    return there ? NULL : wp_last_error_text();
}

// test_reconstruct [BACKEND [TEST]], TEST with * and ? for several
int main(int argc, char **argv)
{
    enum { SKIPPED = 77 };
    wp_log_set_handler(be_quiet, NULL);
    if (argc > 1)
        backend = argv[1];
    const char *reason = reason_against();
    if (reason) {
        printf("skipped: %s\n", reason);
        return strcmp(backend, "cpu") == 0 ? EXIT_FAILURE : SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_as_written), cmocka_unit_test(test_soft_threshold),
        cmocka_unit_test(test_constant_image),  cmocka_unit_test(test_fully_sampled),
        cmocka_unit_test(test_wavelet_adjoint), cmocka_unit_test(test_model_adjoint),
        cmocka_unit_test(test_coils),           cmocka_unit_test(test_one_model_of_coils),
        cmocka_unit_test(test_map_of_ones),     cmocka_unit_test(test_exact_step),
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_start),
        cmocka_unit_test(test_seeds_differ),    cmocka_unit_test(test_sigma),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_family_adjoint),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_states_hold_what_is_needed),
        cmocka_unit_test(test_states_of_other_parameters),
    };
    const char *pattern = argc > 2 ? argv[2] : "*";
    bool any = false;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        any = any || fnmatch(pattern, tests[i].name, 0) == 0;
    if (!any) {
        printf("there is no test %s\n", pattern);
        return EXIT_FAILURE;
    }
    cmocka_set_test_filter(pattern);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sample_print();
    return failed;
}
