#include "reconstruct_oracle.h"
#include "reconstruct_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

double complex *doubles(size_t count)
{
    double complex *memory = calloc(count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

// The unitary Fourier transform along an axis, by direct summation.
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

// One level of the Haar transform along an axis, in place: sums and differences of pairs. It is its
// own inverse.
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

void haar(double complex *w, const struct oracle *o, bool inverse)
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

double complex shrink(double complex x, double length, double threshold)
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

static double laplacian_of(const struct oracle *o, size_t i)
{
    const int *s = o->size;
    const int p[3] = {(int)(i % (size_t)s[0]), (int)(i / (size_t)s[0] % (size_t)s[1]),
                      (int)(i / (size_t)s[0] / (size_t)s[1])};
    double sum = 0;
    for (int a = 0; a < 3; a++)
        sum += 2 - 2 * cos(2 * pi * p[a] / s[a]);
    return sum;
}

void solve_reference(struct oracle *o, const struct wp_reconstruct_params *p,
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
                u[i] = (right[i] + p->mu * fk[i]) /
                       (p->mu * mask[i] + lam * laplacian_of(o, i) + gam);
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
