// The functions of solver_rows.h for the instruction set of the including file. Loops are written
// to be vectorized by compilers.
#include "solver_rows.h"

#include <math.h>
#include <stddef.h>

static float maximum(float a, float b)
{
    return a > b ? a : b;
}

// The factor f of the Bregman variable, for a number with this squared magnitude.
static float shrink_factor(float square, float threshold)
{
    return threshold / maximum(sqrtf(square), threshold);
}

// Computes p for an axis and adds its squares.
static void add_axis(const float *restrict u, const float *restrict next,
                     const float *restrict b, float *restrict p, float *restrict squares,
                     int floats)
{
    for (int i = 0; i < floats; i++) {
        p[i] = next[i] - u[i] + b[i];
        squares[i] += p[i] * p[i];
    }
}

static void set_axis_x(const float *restrict u, const float *restrict b, float *restrict p,
                       float *restrict squares, int floats)
{
    for (int i = 0; i < floats - 2; i++) {
        p[i] = u[i + 2] - u[i] + b[i];
        squares[i] = p[i] * p[i];
    }
    for (int i = 0; i < 2; i++) {
        const int last = floats - 2 + i;
        p[last] = u[i] - u[last] + b[last];
        squares[last] = p[last] * p[last];
    }
}

// Replaces the squares of the real and the imaginary part with the factor f, which is the same for
// both.
static void set_factors(float *restrict squares, float threshold, int samples)
{
    for (int i = 0; i < samples; i++) {
        const float f = shrink_factor(squares[2 * i] + squares[2 * i + 1], threshold);
        squares[2 * i] = f;
        squares[2 * i + 1] = f;
    }
}

// Replaces p by d - b, times scale.
static void step_axis(float *restrict p, float *restrict b, const float *restrict f, float scale,
                      bool descent, int floats)
{
    if (descent) {
        for (int i = 0; i < floats; i++) {
            const float new_b = f[i] * p[i];
            p[i] = scale * (b[i] - 2 * new_b);
            b[i] = new_b;
        }
    } else {
        for (int i = 0; i < floats; i++) {
            const float new_b = f[i] * p[i];
            p[i] = scale * (p[i] - 2 * new_b);
            b[i] = new_b;
        }
    }
}

static void set_out_x(const float *restrict g, float *restrict out, bool add, int floats)
{
    if (add)
        for (int i = 0; i < floats; i++)
            out[i] += g[i - 2] - g[i];
    else
        for (int i = 0; i < floats; i++)
            out[i] = g[i - 2] - g[i];
}

// Like the function above, for another axis; adds the result to `out`.
static void step_across(const float *restrict p, float *restrict b, const float *restrict f,
                        float *restrict carry, float *restrict out, float scale, bool descent,
                        int floats)
{
    if (descent) {
        for (int i = 0; i < floats; i++) {
            const float new_b = f[i] * p[i], g = scale * (b[i] - 2 * new_b);
            b[i] = new_b;
            out[i] += carry[i] - g;
            carry[i] = g;
        }
    } else {
        for (int i = 0; i < floats; i++) {
            const float new_b = f[i] * p[i], g = scale * (p[i] - 2 * new_b);
            b[i] = new_b;
            out[i] += carry[i] - g;
            carry[i] = g;
        }
    }
}

static void gradient(const struct wp_gradient_row *row)
{
    const int floats = 2 * row->samples;
    // Room for the sample before the first one, which is the last one (periodic).
    float *factor = row->scratch, *p[WP_SOLVER_AXES] = {factor + floats + 16};
    for (int a = 1; a < WP_SOLVER_AXES; a++)
        p[a] = p[a - 1] + floats;
    set_axis_x(row->u, row->b[0], p[0], factor, floats);
    for (int a = 1; a < WP_SOLVER_AXES; a++)
        if (row->next[a])
            add_axis(row->u, row->next[a], row->b[a], p[a], factor, floats);
    set_factors(factor, row->threshold, row->samples);
    step_axis(p[0], row->b[0], factor, row->scale, row->descent, floats);
    p[0][-2] = p[0][floats - 2];
    p[0][-1] = p[0][floats - 1];
    set_out_x(p[0], row->out, row->add, floats);
    for (int a = 1; a < WP_SOLVER_AXES; a++)
        if (row->next[a])
            step_across(p[a], row->b[a], factor, row->carry[a], row->out, row->scale, row->descent,
                        floats);
}

static void add(float *restrict destination, const float *restrict source, float scale, int floats)
{
    for (int i = 0; i < floats; i++)
        destination[i] += scale * source[i];
}

static void split(const float *restrict source, float *restrict re, float *restrict im, int samples)
{
    for (int i = 0; i < samples; i++) {
        re[i] = source[2 * i];
        im[i] = source[2 * i + 1];
    }
}

static void split_sum(const float *restrict a, const float *restrict b, float *restrict re,
                      float *restrict im, int samples)
{
    for (int i = 0; i < samples; i++) {
        re[i] = a[2 * i] + b[2 * i];
        im[i] = a[2 * i + 1] + b[2 * i + 1];
    }
}

static void merge(const float *restrict re, const float *restrict im, float scale,
                  float *restrict destination, int samples)
{
    for (int i = 0; i < samples; i++) {
        destination[2 * i] = scale * re[i];
        destination[2 * i + 1] = scale * im[i];
    }
}

static void merge_image(const float *restrict re, const float *restrict im,
                        const float *restrict u, float *restrict c, float scale, bool descent,
                        float *restrict out, int samples)
{
    const float subtract_u = descent ? 1 : 0;
    for (int i = 0; i < samples; i++) {
        const float c_re = c[2 * i] + u[2 * i] - re[i];
        const float c_im = c[2 * i + 1] + u[2 * i + 1] - im[i];
        out[2 * i] = scale * (re[i] - c_re - subtract_u * u[2 * i]);
        out[2 * i + 1] = scale * (im[i] - c_im - subtract_u * u[2 * i + 1]);
        c[2 * i] = c_re;
        c[2 * i + 1] = c_im;
    }
}

static void shrink_only(float *restrict re, float *restrict im, float threshold, int samples)
{
    for (int i = 0; i < samples; i++) {
        const float f = 1 - shrink_factor(re[i] * re[i] + im[i] * im[i], threshold);
        re[i] *= f;
        im[i] *= f;
    }
}

static void shrink(float *restrict re, float *restrict im, float *restrict c_re,
                   float *restrict c_im, float threshold, bool descent, int samples)
{
    if (!c_re) {
        shrink_only(re, im, threshold, samples);
        return;
    }
    const float keep_u = descent ? 0 : 1;
    for (int i = 0; i < samples; i++) {
        const float q_re = re[i] + c_re[i], q_im = im[i] + c_im[i];
        const float f = shrink_factor(q_re * q_re + q_im * q_im, threshold);
        re[i] = c_re[i] + keep_u * re[i] - 2 * f * q_re;
        im[i] = c_im[i] + keep_u * im[i] - 2 * f * q_im;
        c_re[i] = f * q_re;
        c_im[i] = f * q_im;
    }
}

// The part of |K u - f|^2 of one value of K'K u - K'f in k-space.
static float misfit(float re, float im, float diagonal)
{
    const float square = re * re + im * im;
    return diagonal > 0 ? square / diagonal : 0;
}

static float safe_inverse(float x)
{
    return x > 0 ? 1 / x : 0;
}

static double divide(const struct wp_divide_row *row)
{
    float *restrict u = row->u, *restrict h = row->h;
    const float *restrict h0 = row->h0, *restrict diagonal = row->diagonal;
    const float *restrict laplacian = row->laplacian;
    const float constant = row->lambda * row->laplacian_yz + row->gamma;
    float sum = 0;
    for (int i = 0; i < row->samples; i++) {
        const float m = row->mu * diagonal[i] + (row->lambda * laplacian[i] + constant);
        const float factor = safe_inverse(m);
        const float re = factor * (row->mu * h[2 * i] + u[2 * i]);
        const float im = factor * (row->mu * h[2 * i + 1] + u[2 * i + 1]);
        sum += misfit(diagonal[i] * re - h0[2 * i], diagonal[i] * im - h0[2 * i + 1],
                      diagonal[i]);
        u[2 * i] = re;
        u[2 * i + 1] = im;
    }
    for (int i = 0; row->update && i < row->samples; i++) {
        h[2 * i] += h0[2 * i] - diagonal[i] * u[2 * i];
        h[2 * i + 1] += h0[2 * i + 1] - diagonal[i] * u[2 * i + 1];
    }
    return sum;
}

static void descend(struct wp_descent_row *d)
{
    const struct wp_divide_row *row = &d->divide;
    const float *restrict r = row->u, *restrict h = row->h, *restrict v = d->v;
    const float *restrict diagonal = row->diagonal, *restrict laplacian = row->laplacian;
    float *restrict z = d->z;
    const float constant = row->lambda * row->laplacian_yz, data = v ? row->mu : 0;
    float r_dot_z = 0, z_dot_az = 0;
    for (int i = 0; i < row->samples; i++) {
        const float smooth = row->lambda * laplacian[i] + constant;
        const float factor = safe_inverse(row->mu * diagonal[i] + smooth + row->gamma);
        float re = r[2 * i], im = r[2 * i + 1];
        if (v) {
            re += data * (h[2 * i] - diagonal[i] * v[2 * i]);
            im += data * (h[2 * i + 1] - diagonal[i] * v[2 * i + 1]);
        }
        const float square = re * re + im * im;
        r_dot_z += factor * square;
        z_dot_az += (data * diagonal[i] + smooth + d->normal_gamma) * factor * factor * square;
        z[2 * i] = factor * re;
        z[2 * i + 1] = factor * im;
    }
    d->r_dot_z = r_dot_z;
    d->z_dot_az = z_dot_az;
}

static double residual(const struct wp_divide_row *row, const float *restrict v)
{
    float *restrict h = row->h;
    const float *restrict h0 = row->h0, *restrict diagonal = row->diagonal;
    float sum = 0;
    for (int i = 0; i < row->samples; i++)
        sum += misfit(diagonal[i] * v[2 * i] - h0[2 * i],
                      diagonal[i] * v[2 * i + 1] - h0[2 * i + 1], diagonal[i]);
    for (int i = 0; row->update && i < row->samples; i++) {
        h[2 * i] += h0[2 * i] - diagonal[i] * v[2 * i];
        h[2 * i + 1] += h0[2 * i + 1] - diagonal[i] * v[2 * i + 1];
    }
    return sum;
}

static double power(const float *a, int floats)
{
    float sum = 0;
    for (int i = 0; i < floats; i++)
        sum += a[i] * a[i];
    return sum;
}

static double distance(const float *a, const float *b, int floats)
{
    float sum = 0;
    for (int i = 0; i < floats; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

const struct wp_solver_rows TABLE = {
    .name = NAME,
    .gradient = gradient,
    .add = add,
    .split = split,
    .split_sum = split_sum,
    .merge = merge,
    .merge_image = merge_image,
    .shrink = shrink,
    .divide = divide,
    .descend = descend,
    .residual = residual,
    .power = power,
    .distance = distance,
};
