// The functions of cpu_rows.h for vectors of LANES floats; the including file names the table
// TABLE and its instruction set NAME, and is compiled for it. GNU C's vectors: gcc and clang
// make them from whatever the target has.
#include "cpu_rows.h"

#include <stdbool.h>
#include <stddef.h>

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline vector load(const float *at)
{
    return *(const vector *)at;
}

static inline void put(float *at, vector v)
{
    *(vector *)at = v;
}

#if LANES == 4
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define UP 1, 2, 3, 4
#define DOWN 3, 4, 5, 6
#elif LANES == 8
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define UP 1, 2, 3, 4, 5, 6, 7, 8
#define DOWN 7, 8, 9, 10, 11, 12, 13, 14
#endif

static void split(float *restrict even, float *restrict odd, const float *restrict in, int n)
{
    for (int i = 0; i < n; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
}

static void merge(float *restrict out, const float *restrict even, const float *restrict odd,
                  int n)
{
    for (int i = 0; i < n; i++) {
        out[2 * i] = even[i];
        out[2 * i + 1] = odd[i];
    }
}

static void scale(float *restrict out, const float *restrict in, float c, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = c * in[i];
}

// Two taps, the commonest case, with one multiplication where they are equal.
static void lift_pair(float *restrict out, const float *restrict a, const float *restrict b,
                      float ca, float cb, int n)
{
    if (ca == cb)
        for (int i = 0; i < n; i++)
            out[i] += ca * (a[i] + b[i]);
    else
        for (int i = 0; i < n; i++)
            out[i] += ca * a[i] + cb * b[i];
}

// The sum, with `count` vectors of it in registers, for elements `from` on.
static inline void sum_block(vector *total, int count, const float *const *in, const float *c,
                             int taps, int from)
{
    for (int t = 0; t < taps; t++)
        for (int v = 0; v < count; v++)
            total[v] += c[t] * load(in[t] + from + v * LANES);
}

static inline void sum_all(float *out, const float *const *in, const float *c, int taps, int n,
                           float keep)
{
    enum { VECTORS = 8 };
    int i = 0;
    for (; i + VECTORS * LANES <= n; i += VECTORS * LANES) {
        vector total[VECTORS] = {0};
        for (int v = 0; keep != 0 && v < VECTORS; v++)
            total[v] = load(out + i + v * LANES);
        sum_block(total, VECTORS, in, c, taps, i);
        for (int v = 0; v < VECTORS; v++)
            put(out + i + v * LANES, total[v]);
    }
    for (; i < n; i++) {
        float total = keep != 0 ? out[i] : 0;
        for (int t = 0; t < taps; t++)
            total += c[t] * in[t][i];
        out[i] = total;
    }
}

static void lift(float *out, const float *const *in, const float *c, int taps, int n)
{
    if (taps == 2)
        lift_pair(out, in[0], in[1], c[0], c[1], n);
    else
        sum_all(out, in, c, taps, n, 1);
}

static void sum(float *out, const float *const *in, const float *c, int taps, int n)
{
    sum_all(out, in, c, taps, n, 0);
}

// Coefficients into registers: in memory, stores to rows might change them. Where all pairs of
// them are `same`, they take half as many.
static inline void spread(vector c[WP_CPU_CHAIN_PAIRS][4], const struct wp_cpu_chain *chain,
                          int pairs, bool same)
{
    for (int p = 0; p < pairs; p++) {
        for (int i = 0; i < 4; i += 2) {
            c[p][i] = chain->c[p][i] - (vector){0};
            c[p][i + 1] = chain->c[p][same ? i : i + 1] - (vector){0};
        }
    }
}

// Below, `pairs` and `same` are constants wherever a function is called, so that all loops over
// pairs unroll and every state is a register. What limits them is how long one result waits for
// another; so sums are in the order in which their terms become known, and in rows a pair takes
// what the one before it made of the vector before.

// Both rows interleaved in `a_in` where `b_in` is NULL, and not scaled.
static inline __attribute__((always_inline)) void
chain_row(float *a_out, float *b_out, const float *a_in, const float *b_in, float a_scale,
          float b_scale, int n, const struct wp_cpu_chain *chain, int pairs, bool same)
{
    vector c[WP_CPU_CHAIN_PAIRS][4];
    spread(c, chain, pairs, same);
    // For each pair: what goes in next, what went in last, and b as it came out last.
    vector a[WP_CPU_CHAIN_PAIRS + 1] = {0}, b[WP_CPU_CHAIN_PAIRS + 1] = {0};
    vector a_old[WP_CPU_CHAIN_PAIRS] = {0}, b_old[WP_CPU_CHAIN_PAIRS] = {0},
           b_done[WP_CPU_CHAIN_PAIRS] = {0};
    const int lag = (2 * pairs - 1) * LANES;
    for (int i = -LANES; i < n + lag; i += LANES) {
        if (b_in) {
            a[0] = a_scale * load(a_in + i);
            b[0] = b_scale * load(b_in + i);
        } else {
            const vector first = load(a_in + 2 * i), second = load(a_in + 2 * i + LANES);
            a[0] = __builtin_shufflevector(first, second, EVEN);
            b[0] = __builtin_shufflevector(first, second, ODD);
        }
        for (int p = pairs - 1; p >= 0; p--) {
            const vector a_up = __builtin_shufflevector(a_old[p], a[p], UP);
            const vector done = b_old[p] + c[p][0] * a_old[p] + c[p][1] * a_up;
            const vector b_down = __builtin_shufflevector(b_done[p], done, DOWN);
            a[p + 1] = a_old[p] + c[p][3] * done + c[p][2] * b_down;
            b[p + 1] = done;
            a_old[p] = a[p];
            b_old[p] = b[p];
            b_done[p] = done;
        }
        if (i >= lag) {
            put(a_out + i - lag, a[pairs]);
            put(b_out + i - lag, b[pairs]);
        }
    }
}

static inline __attribute__((always_inline)) void
chain_rows(const struct wp_cpu_chain_y *rows, int n, const struct wp_cpu_chain *chain, int pairs,
           bool same)
{
    const struct wp_cpu_chain_y r = *rows;
    vector c[WP_CPU_CHAIN_PAIRS][4];
    spread(c, chain, pairs, same);
    for (int i = 0; i < n; i += LANES) {
        vector a = load(r.a_new + i), a_old = load(r.a_old + i), b_old = load(r.b_old + i), b = a;
        for (int p = 0; p < pairs; p++) {
            const vector b_done = load(r.state[2 * p] + i);
            b = b_old + c[p][0] * a_old + c[p][1] * a;
            a = a_old + c[p][2] * b_done + c[p][3] * b;
            put(r.state[2 * p] + i, b);
            if (p + 1 < pairs) {
                a_old = load(r.state[2 * p + 1] + i);
                b_old = b_done;
                put(r.state[2 * p + 1] + i, a);
            }
        }
        put(r.a_out + i, r.a_scale * a);
        put(r.b_out + i, r.b_scale * b);
    }
}

static bool is_same(const struct wp_cpu_chain *chain)
{
    bool same = true;
    for (int p = 0; p < chain->pairs; p++)
        same = same && chain->c[p][0] == chain->c[p][1] && chain->c[p][2] == chain->c[p][3];
    return same;
}

static inline __attribute__((always_inline)) void
chain_any_row(float *a_out, float *b_out, const float *a, const float *b, float a_scale,
              float b_scale, int n, const struct wp_cpu_chain *chain)
{
    if (chain->pairs == 1 && is_same(chain))
        chain_row(a_out, b_out, a, b, a_scale, b_scale, n, chain, 1, true);
    else if (chain->pairs == 1)
        chain_row(a_out, b_out, a, b, a_scale, b_scale, n, chain, 1, false);
    else if (is_same(chain))
        chain_row(a_out, b_out, a, b, a_scale, b_scale, n, chain, 2, true);
    else
        chain_row(a_out, b_out, a, b, a_scale, b_scale, n, chain, 2, false);
}

static void chain_x(float *a_out, float *b_out, const float *a, const float *b, float a_scale,
                    float b_scale, int n, const struct wp_cpu_chain *chain)
{
    chain_any_row(a_out, b_out, a, b, a_scale, b_scale, n, chain);
}

static void chain_split(float *a_out, float *b_out, const float *in, int n,
                        const struct wp_cpu_chain *chain)
{
    chain_any_row(a_out, b_out, in, NULL, 1, 1, n, chain);
}

static void chain_y(const struct wp_cpu_chain_y *rows, int n, const struct wp_cpu_chain *chain)
{
    if (chain->pairs == 1 && is_same(chain))
        chain_rows(rows, n, chain, 1, true);
    else if (chain->pairs == 1)
        chain_rows(rows, n, chain, 1, false);
    else if (is_same(chain))
        chain_rows(rows, n, chain, 2, true);
    else
        chain_rows(rows, n, chain, 2, false);
}

extern const struct wp_cpu_rows TABLE;
const struct wp_cpu_rows TABLE = {
    .name = NAME,
    .lanes = LANES,
    .split = split,
    .merge = merge,
    .scale = scale,
    .lift = lift,
    .sum = sum,
    .chain_x = chain_x,
    .chain_split = chain_split,
    .chain_y = chain_y,
};
