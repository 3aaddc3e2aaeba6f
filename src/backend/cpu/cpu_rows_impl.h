// The functions of cpu_rows.h. The including file defines VECTOR_BYTES, TABLE, the name of the
// table, ELEMENTS, the name of the table of element conversions, and NAME, the
// instruction set for which it is compiled. Uses the vector extensions of GNU C (gcc and clang).
#include "cpu_rows.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#ifdef WP_CPU_F64
#define LANES (VECTOR_BYTES / 8)
#else
#define LANES (VECTOR_BYTES / 4)
#endif

enum { REAL_BYTES = sizeof(wp_real) };

typedef wp_real vector
    __attribute__((vector_size(REAL_BYTES * LANES), aligned(REAL_BYTES), may_alias));
typedef wp_real_int int_vector __attribute__((vector_size(REAL_BYTES * LANES)));

static inline vector load(const wp_real *at)
{
    return *(const vector *)at;
}

static inline void put(wp_real *at, vector v)
{
    *(vector *)at = v;
}

#if LANES == 2
#define EVEN 0, 2
#define ODD 1, 3
#define UP 1, 2
#define DOWN UP
#define LOW EVEN
#define HIGH ODD
#elif LANES == 4
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define UP 1, 2, 3, 4
#define DOWN 3, 4, 5, 6
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define PAIR_LOW 0, 1, 4, 5
#define PAIR_HIGH 2, 3, 6, 7
#define UNPACK_LOW LOW
#define UNPACK_HIGH HIGH
#elif LANES == 8
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define UP 1, 2, 3, 4, 5, 6, 7, 8
#define DOWN 7, 8, 9, 10, 11, 12, 13, 14
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
// Within each half of a vector.
#define UNPACK_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define UNPACK_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define PAIR_LOW 0, 1, 8, 9, 4, 5, 12, 13
#define PAIR_HIGH 2, 3, 10, 11, 6, 7, 14, 15
#endif

static void split(wp_real *restrict even, wp_real *restrict odd, const wp_real *restrict in, int n)
{
    for (int i = 0; i < n; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
}

static void merge(wp_real *restrict out, const wp_real *restrict even, const wp_real *restrict odd,
                  int n)
{
    for (int i = 0; i < n; i++) {
        out[2 * i] = even[i];
        out[2 * i + 1] = odd[i];
    }
}

static void scale(wp_real *restrict out, const wp_real *restrict in, wp_real c, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = c * in[i];
}

static void lift_one(wp_real *restrict out, const wp_real *restrict in, wp_real c, int n)
{
    for (int i = 0; i < n; i++)
        out[i] += c * in[i];
}

// Two taps, the most frequent case, with one multiplication if they are equal. Adding the terms one
// after the other takes 15 % longer.
static void lift_pair(wp_real *restrict out, const wp_real *restrict a, const wp_real *restrict b,
                      wp_real ca, wp_real cb, int n)
{
    if (ca == cb)
        for (int i = 0; i < n; i++)
            out[i] += ca * (a[i] + b[i]);
    else
        for (int i = 0; i < n; i++)
            out[i] += ca * a[i] + cb * b[i];
}

// Adds the taps to `count` vectors in registers, for elements `from` on.
static inline void sum_block(vector *total, int count, const wp_real *const *in, const wp_real *c,
                             int taps, int from)
{
    for (int t = 0; t < taps; t++) {
        const wp_real weight = c[t];
        for (int v = 0; v < count; v++) {
            const vector before = total[v], x = load(in[t] + from + v * LANES);
            // Product and sum are in one expression without loads, so that they are fused in every
            // build, also with sanitizers, like those of sum_all().
            total[v] = before + weight * x;
        }
    }
}

// From element i on.
static inline void sum_all(wp_real *out, const wp_real *const *in, const wp_real *c, int taps,
                           int i, int n, wp_real accumulate)
{
    enum { VECTORS = 8 };
    for (; i + VECTORS * LANES <= n; i += VECTORS * LANES) {
        vector total[VECTORS] = {0};
        for (int v = 0; accumulate != 0 && v < VECTORS; v++)
            total[v] = load(out + i + v * LANES);
        sum_block(total, VECTORS, in, c, taps, i);
        for (int v = 0; v < VECTORS; v++)
            put(out + i + v * LANES, total[v]);
    }
    for (; i + LANES <= n; i += LANES) {
        vector total = {0};
        if (accumulate != 0)
            total = load(out + i);
        sum_block(&total, 1, in, c, taps, i);
        put(out + i, total);
    }
    // All lanes for one tap after the other: the compiler might vectorize a sum over the taps, with
    // products that are not fused.
    wp_real rest[LANES] = {0};
    for (int k = 0; accumulate != 0 && k < n - i; k++)
        rest[k] = out[i + k];
    for (int t = 0; t < taps; t++) {
        const wp_real weight = c[t], *const x = in[t] + i;
        for (int k = 0; k < n - i; k++)
            rest[k] = rest[k] + weight * x[k];
    }
    for (int k = 0; k < n - i; k++)
        out[i + k] = rest[k];
}

static void lift(wp_real *out, const wp_real *const *in, const wp_real *c, int taps, int n)
{
    if (taps == 1)
        lift_one(out, in[0], c[0], n);
    else if (taps == 2)
        lift_pair(out, in[0], in[1], c[0], c[1], n);
    else
        sum_all(out, in, c, taps, 0, n, 1);
}

static void lift_integer(wp_real *out, const wp_real *const *in, const wp_real *c, int taps,
                         wp_real round, int n)
{
    for (int i = 0; i < n; i++) {
        wp_real total = out[i] + round;
        for (int t = 0; t < taps; t++)
            total += c[t] * in[t][i];
        // Truncated toward zero, corrected for negative numbers: available in all instruction sets.
        const wp_real integer = (wp_real)(wp_real_int)total;
        out[i] = integer - (integer > total ? 1.0F : 0.0F);
    }
}

#include "cpu_rows_bank.h"

// In the functions below `pairs` and all bools are constants at every call, so that loops over
// pairs are unrolled and states are registers. Speed is limited by latency: sums are in the order
// in which their terms become available, and along x a pair processes the previous vector's output
// of the pair before it.
// State of one pair along x: the next input, and values of the previous vector.
struct pair_x {
    vector a, b, a_old, b_old, b_done;
};

enum { PAIRS = WP_CPU_CHAIN_PAIRS };

// The taps of a chain. In a reversible chain vectors are integers.
struct taps {
    enum wp_cpu_integer_steps integer;
    bool mirrored;
    vector c[PAIRS][4];
};

// target + c[i] * x + c[j] * y, added in this order; the greater index identifies the step.
INLINE vector lift_by(const struct taps *taps, int p, vector target, int i, vector x, int j,
                      vector y)
{
    if (!taps->integer)
        return target + taps->c[p][i] * x + taps->c[p][j] * y;
    const bool second = i >> 1, update = second != taps->mirrored;
    int_vector added;
    if (taps->integer == WP_CPU_INTEGER_53) {
        added = (int_vector)x + (int_vector)y;
        added = update ? (added + 2) >> 2 : added >> 1;
    } else {
        // Haar uses only the sample of the target's own pair.
        const int partner = taps->mirrored ? 1 + second : 3 * second;
        added = (int_vector)(i == partner ? x : y);
        added = update ? added >> 1 : added;
    }
    return second ? (vector)((int_vector)target + added) : (vector)((int_vector)target - added);
}

// Scaling or conversion to integers of input, and from integers of output.
INLINE vector enter(enum wp_cpu_integer_steps integer, wp_real scale, vector v)
{
    if (!integer)
        return scale * v;
    return (vector)__builtin_convertvector(v, int_vector);
}

INLINE vector leave(enum wp_cpu_integer_steps integer, wp_real scale, vector v)
{
    if (!integer)
        return scale * v;
    return (vector)__builtin_convertvector((int_vector)v, vector);
}

// The output is 2 * pairs - 1 vectors behind the input.
INLINE void chain_x(struct pair_x pair[PAIRS], const struct taps *taps, int pairs, bool mirrored,
                    vector *a, vector *b)
{
    pair[0].a = *a;
    pair[0].b = *b;
    for (int p = pairs - 1; p >= 0; p--) {
        struct pair_x *s = &pair[p];
        vector b_done, a_out, b_out;
        if (mirrored) {
            const vector a_down = __builtin_shufflevector(s->a_old, s->a, DOWN);
            b_done = lift_by(taps, p, s->b, 1, s->a, 0, a_down);
            const vector b_up = __builtin_shufflevector(s->b_done, b_done, UP);
            a_out = lift_by(taps, p, s->a_old, 2, s->b_done, 3, b_up);
            b_out = s->b_done;
        } else {
            const vector a_up = __builtin_shufflevector(s->a_old, s->a, UP);
            b_done = lift_by(taps, p, s->b_old, 0, s->a_old, 1, a_up);
            const vector b_down = __builtin_shufflevector(s->b_done, b_done, DOWN);
            a_out = lift_by(taps, p, s->a_old, 3, b_done, 2, b_down);
            b_out = b_done;
        }
        s->a_old = s->a;
        s->b_old = s->b;
        s->b_done = b_done;
        *(p + 1 < pairs ? &s[1].a : a) = a_out;
        *(p + 1 < pairs ? &s[1].b : b) = b_out;
    }
}

// Along y; `state` has 2 * pairs vectors.
INLINE void chain_y(wp_real *state, const struct taps *taps, int pairs, vector *a, vector *b)
{
    vector a_old = load(state), b_old = *b;
    put(state, *a);
    for (int p = 0; p < pairs; p++) {
        wp_real *const done = state + (2 * p + 1) * LANES, *const next = done + LANES;
        const vector b_done = load(done);
        *b = lift_by(taps, p, b_old, 0, a_old, 1, *a);
        *a = lift_by(taps, p, a_old, 2, b_done, 3, *b);
        put(done, *b);
        if (p + 1 < pairs) {
            a_old = load(next);
            b_old = b_done;
            put(next, *a);
        }
    }
}

// Loads and stores the state along x between calls.
INLINE struct pair_x load_pair(const wp_real *at)
{
    return (struct pair_x){load(at), load(at + LANES), load(at + 2 * LANES), load(at + 3 * LANES),
                           load(at + 4 * LANES)};
}

INLINE void put_pair(wp_real *at, struct pair_x pair)
{
    put(at, pair.a);
    put(at + LANES, pair.b);
    put(at + 2 * LANES, pair.a_old);
    put(at + 3 * LANES, pair.b_old);
    put(at + 4 * LANES, pair.b_done);
}

INLINE struct taps load_taps(const struct wp_cpu_chain *chain, int pairs, bool mirrored,
                             enum wp_cpu_integer_steps integer)
{
    struct taps taps = {.integer = integer, .mirrored = mirrored};
    for (int p = 0; p < pairs && !integer; p++)
        for (int k = 0; k < 4; k++)
            taps.c[p][k] = chain->c[p][k] - (vector){0};
    return taps;
}

enum { COLUMNS = WP_CPU_LINE / LANES }; // vectors of a cache line

#ifndef WP_CPU_SMALL
#include "cpu_rows_steps.h"
#else
#define steps_rows(...) ((void)0)
#endif

// Calls a function of a chain that is not reversible with constants after the given arguments.
#define BY_CHAIN(call, ...)                                                                        \
    do {                                                                                           \
        if (chain->pairs == 1 && chain->mirrored)                                                  \
            call(__VA_ARGS__, 1, true);                                                            \
        else if (chain->pairs == 1)                                                                \
            call(__VA_ARGS__, 1, false);                                                           \
        else if (chain->mirrored)                                                                  \
            call(__VA_ARGS__, 2, true);                                                            \
        else                                                                                       \
            call(__VA_ARGS__, 2, false);                                                           \
    } while (false)

#ifndef WP_CPU_SMALL
#include "cpu_rows_batch.h"
#endif

// A reversible chain along both axes runs in the order of wp_lifting_y_first(): chains that are not
// mirrored are forward.
INLINE void chain_rows(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain,
                       int pairs, bool mirrored, enum wp_cpu_integer_steps integer, bool x, bool y,
                       bool z, bool merged)
{
    const bool y_first = integer && !mirrored && x && y;
    const int begin = rows->enter, stop = rows->stop;
    wp_real *const state = rows->state;
    const wp_real *const other = rows->other;
    const ptrdiff_t length = rows->length;
    wp_real scale_in[2][2], scale_out[2][2][2];
    memcpy(scale_in, rows->scale_in, sizeof scale_in);
    memcpy(scale_out, rows->scale_out, sizeof scale_out);
    struct pair_x pair[2][PAIRS] = {0};
    const struct taps taps = load_taps(chain, pairs, mirrored, integer);
    for (int k = 0; x && k < 2 * pairs; k++)
        pair[k & 1][k >> 1] = load_pair(rows->state_x + 5 * k * LANES);
    // Only vectors change in the inner loop.
    for (int s = 0; s < WP_CPU_SEGMENTS; s++) {
        const struct wp_cpu_segment segment = rows->segment[s];
        const int first = segment.from > begin ? segment.from : begin;
        const int until = segment.until < stop ? segment.until : stop;
        const struct wp_cpu_piece piece = rows->piece[segment.piece];
        struct wp_cpu_target target = rows->target[segment.target];
        for (int k = 0; segment.tail && k < 4 + 4 * z; k++)
            target.out[k >> 2][k >> 1 & 1][k & 1] =
                target.tail + k * rows->tail_pitch - (merged ? 2 * rows->end : rows->end);
        // The state of the segment's own rows, or of the previous rows.
        wp_real *const state_y =
            state + 4 * pairs * (ptrdiff_t)(!y_first ? segment.out : segment.from < 0 ? length : 0);
        for (int i = first; i < until; i += LANES) {
            const int from = i + segment.in, to = i + segment.out;
            vector v[2][2][2]; // [cz][cy][cx]
            for (int cy = 0; cy < 2; cy++) {
                const wp_real *const *in = piece.in[cy];
                vector *const now = v[z][cy];
                if (x && !mirrored) {
                    // Integer steps take longer, so that fewer loads are in flight.
                    for (int k = 0; integer && k < 2 * LANES; k += WP_CPU_LINE)
                        __builtin_prefetch(in[0] + 2 * from + k + 8 * WP_CPU_LINE);
                    const vector one = enter(integer, 1, load(in[0] + 2 * from));
                    const vector two = enter(integer, 1, load(in[0] + 2 * from + LANES));
                    now[0] = __builtin_shufflevector(one, two, EVEN);
                    now[1] = __builtin_shufflevector(one, two, ODD);
                } else {
                    for (int cx = 0; cx < 2; cx++)
                        now[cx] = enter(integer, scale_in[cy][cx], load(in[cx] + from));
                }
                if (x && !y_first)
                    chain_x(pair[cy], &taps, pairs, mirrored, &now[mirrored], &now[!mirrored]);
            }
            for (int cx = 0; y && cx < 2; cx++)
                chain_y(state_y + 2 * pairs * (2 * i + cx * LANES), &taps, pairs,
                        &v[z][mirrored][cx], &v[z][!mirrored][cx]);
            for (int cy = 0; y_first && cy < 2; cy++)
                chain_x(pair[cy], &taps, pairs, mirrored, &v[0][cy][0], &v[0][cy][1]);
            for (int k = 0; z && k < 4; k++) {
                const int cy = k >> 1, cx = k & 1;
                v[0][cy][cx] = load(other + k * length + to);
                chain_y(target.state + 2 * pairs * (4 * to + k * LANES), &taps, pairs,
                        &v[mirrored][cy][cx], &v[!mirrored][cy][cx]);
            }
            for (int cz = 0; cz < 1 + z; cz++) {
                for (int cy = 0; cy < 2; cy++) {
                    wp_real *const *row = target.out[cz][cy];
                    if (merged) {
                        wp_real *const out = row[0] + 2 * to;
                        const vector even = leave(integer, 1, v[cz][cy][0]);
                        const vector odd = leave(integer, 1, v[cz][cy][1]);
                        put(out, __builtin_shufflevector(even, odd, LOW));
                        put(out + LANES, __builtin_shufflevector(even, odd, HIGH));
                    } else {
                        for (int cx = 0; cx < 2; cx++)
                            put(row[cx] + to, leave(integer, scale_out[cz][cy][cx], v[cz][cy][cx]));
                    }
                }
            }
        }
    }
    for (int k = 0; x && k < 2 * pairs; k++)
        put_pair(rows->state_x + 5 * k * LANES, pair[k & 1][k >> 1]);
}

INLINE void chain_axes(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain,
                       enum wp_cpu_integer_steps integer, int pairs, bool mirrored)
{
    if (WP_CPU_CHAIN_VOLUMES && rows->z && !integer)
        chain_rows(rows, chain, pairs, mirrored, integer, true, true, true, mirrored);
    else if (rows->x && rows->y && (!mirrored || rows->merged))
        chain_rows(rows, chain, pairs, mirrored, integer, true, true, false, mirrored);
    else if (rows->x && rows->y)
        chain_rows(rows, chain, pairs, mirrored, integer, true, true, false, false);
    else if (rows->x)
        chain_rows(rows, chain, pairs, mirrored, integer, true, false, false, false);
    else if (mirrored && rows->merged)
        chain_rows(rows, chain, pairs, mirrored, integer, false, true, false, true);
    else
        chain_rows(rows, chain, pairs, mirrored, integer, false, true, false, false);
}

static void chain(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain)
{
    const enum wp_cpu_integer_steps integer = chain->integer;
    if (wp_cpu_chain_has_steps(chain))
        steps_rows(rows, chain);
    else if (WP_CPU_CHAIN_INTEGERS && integer == WP_CPU_INTEGER_HAAR && chain->mirrored)
        chain_axes(rows, chain, WP_CPU_INTEGER_HAAR, 1, true);
    else if (WP_CPU_CHAIN_INTEGERS && integer == WP_CPU_INTEGER_HAAR)
        chain_axes(rows, chain, WP_CPU_INTEGER_HAAR, 1, false);
    else if (WP_CPU_CHAIN_INTEGERS && integer && chain->mirrored)
        chain_axes(rows, chain, WP_CPU_INTEGER_53, 1, true);
    else if (WP_CPU_CHAIN_INTEGERS && integer)
        chain_axes(rows, chain, WP_CPU_INTEGER_53, 1, false);
    else
        BY_CHAIN(chain_axes, rows, chain, WP_CPU_FLOATS);
}

extern const struct wp_element_rows ELEMENTS;
extern const struct wp_cpu_rows TABLE;
const struct wp_cpu_rows TABLE = {
    .name = NAME,
    .lanes = LANES,
    .split = split,
    .merge = merge,
    .scale = scale,
    .lift = lift,
    .lift_integer = lift_integer,
    .sum = sum,
    .sums = sums,
    .smooth = smooth,
    .join = join,
    .finish_stream = finish_stream,
#ifndef WP_CPU_SMALL
    .scale_stream = scale_stream,
    .merge_stream = merge_stream,
    .interleave = interleave,
    .separate = separate,
    .chain_row = chain_row,
    .chain_columns = chain_columns,
    .chain_neighbors = chain_neighbors,
    .chain_signal = chain_signal,
#endif
    .chain = chain,
    .elements = &ELEMENTS,
};
