// Sums of rows and the filters of redundant banks (cpu_rows.h). A part of cpu_rows_impl.h, whose
// functions it uses.
//
// Rows are in a cache, so vectors have SUM_BYTES. The bits are those of sum_all(), which computes
// what is left of a row, and with `stream` what is before the first aligned vector of the output.

#ifndef SUM_BYTES
#define SUM_BYTES VECTOR_BYTES
#endif
enum { SUM_LANES = SUM_BYTES / REAL_BYTES };
typedef wp_real sum_vector __attribute__((vector_size(SUM_BYTES), aligned(REAL_BYTES), may_alias));

INLINE sum_vector load_sum(const wp_real *at)
{
    sum_vector v = *(const sum_vector *)at;
    // Without this, gcc loads a vector again for each of its uses. Most loads cross cache lines.
#if defined __AVX512F__
    __asm__("" : "+v"(v));
#elif defined __AVX2__
    __asm__("" : "+x"(v));
#endif
    return v;
}

// With `stream`, `at` is aligned and is written past the caches.
INLINE void put_sum(wp_real *at, sum_vector v, bool stream)
{
    if (!stream)
        *(sum_vector *)at = v;
#if defined __AVX512F__
    else
        _mm512_stream_si512((__m512i *)(void *)at, (__m512i)v);
#elif defined __AVX2__
    else
        _mm256_stream_si256((__m256i *)(void *)at, (__m256i)v);
#endif
}

#ifdef __AVX2__
enum { CAN_STREAM = 1 };
static void finish_stream(void)
{
    _mm_sfence();
}
#else
enum { CAN_STREAM = 0 };
static void finish_stream(void)
{
}
#endif

// The elements before the first aligned vector of a row that is streamed, -1 if it cannot be.
static int aligned_from(const wp_real *row, int n)
{
    const uintptr_t at = (uintptr_t)row;
    const int head = (int)((SUM_BYTES - at % SUM_BYTES) % SUM_BYTES / REAL_BYTES);
    return !CAN_STREAM || at % REAL_BYTES || head > n ? -1 : head;
}

INLINE int sum_vectors(wp_real *out, const wp_real *const *in, const wp_real *c, int taps, int i,
                       int n, bool stream)
{
    enum { VECTORS = 8 };
    for (; i + VECTORS * SUM_LANES <= n; i += VECTORS * SUM_LANES) {
        sum_vector total[VECTORS] = {{0}};
        for (int t = 0; t < taps; t++)
            for (int v = 0; v < VECTORS; v++)
                total[v] = total[v] + c[t] * *(const sum_vector *)(in[t] + i + v * SUM_LANES);
        for (int v = 0; v < VECTORS; v++)
            put_sum(out + i + v * SUM_LANES, total[v], stream);
    }
    return i;
}

static void sum(wp_real *out, const wp_real *const *in, const wp_real *c, int taps, int n,
                bool stream)
{
    const int head = stream ? aligned_from(out, n) : -1;
    if (head > 0)
        sum_all(out, in, c, taps, 0, head, 0);
    const int i = head >= 0 ? sum_vectors(out, in, c, taps, head, n, true)
                            : sum_vectors(out, in, c, taps, 0, n, false);
    sum_all(out, in, c, taps, i, n, 0);
}

// Two rows of output, of which only the second one, both or none are streamed.
enum { STREAM_HIGH = 2, STREAM_BOTH = 3 };

static int aligned_pair(const wp_real *low, const wp_real *high, int n, unsigned *stream)
{
    const bool apart = ((uintptr_t)low ^ (uintptr_t)high) % SUM_BYTES;
    const int head = *stream & STREAM_HIGH ? aligned_from(high, n) : -1;
    *stream = head < 0 ? 0 : *stream & 1 && !apart ? STREAM_BOTH : STREAM_HIGH;
    return head < 0 ? 0 : head;
}

INLINE int sums_vectors(wp_real *low, wp_real *high, const wp_real *const *in, const wp_real *c,
                        const wp_real *d, int taps, int i, int n, unsigned stream)
{
    enum { VECTORS = 4 };
    for (; i + VECTORS * SUM_LANES <= n; i += VECTORS * SUM_LANES) {
        sum_vector a[VECTORS] = {{0}}, b[VECTORS] = {{0}};
        for (int t = 0; t < taps; t++) {
            const wp_real p = c[t], q = d[t];
            for (int v = 0; v < VECTORS; v++) {
                const sum_vector x = load_sum(in[t] + i + v * SUM_LANES);
                a[v] = a[v] + p * x;
                b[v] = b[v] + q * x;
            }
        }
        for (int v = 0; v < VECTORS; v++) {
            put_sum(low + i + v * SUM_LANES, a[v], stream == STREAM_BOTH);
            put_sum(high + i + v * SUM_LANES, b[v], stream != 0);
        }
    }
    return i;
}

// Calls such a function with a constant `stream`.
#define BY_STREAM(stream, function, ...)                                                           \
    ((stream) == STREAM_BOTH   ? function(__VA_ARGS__, STREAM_BOTH)                                \
     : (stream) == STREAM_HIGH ? function(__VA_ARGS__, STREAM_HIGH)                                \
                               : function(__VA_ARGS__, 0))

static void sums(wp_real *low, wp_real *high, const wp_real *const *in, const wp_real *c,
                 const wp_real *d, int taps, int n, unsigned stream)
{
    const int head = aligned_pair(low, high, n, &stream);
    if (head > 0) {
        sum_all(low, in, c, taps, 0, head, 0);
        sum_all(high, in, d, taps, 0, head, 0);
    }
    const int i = BY_STREAM(stream, sums_vectors, low, high, in, c, d, taps, head, n);
    sum_all(low, in, c, taps, i, n, 0);
    sum_all(high, in, d, taps, i, n, 0);
}

INLINE int smooth_vectors(wp_real *low, wp_real *band, const wp_real *x, const wp_real *const *in,
                          const wp_real *c, int taps, int i, int n, unsigned stream)
{
    enum { VECTORS = 8 };
    for (; i + VECTORS * SUM_LANES <= n; i += VECTORS * SUM_LANES) {
        sum_vector total[VECTORS] = {{0}};
        for (int t = 0; t < taps; t++)
            for (int v = 0; v < VECTORS; v++)
                total[v] = total[v] + c[t] * *(const sum_vector *)(in[t] + i + v * SUM_LANES);
        for (int v = 0; v < VECTORS; v++) {
            const int k = i + v * SUM_LANES;
            put_sum(low + k, total[v], stream == STREAM_BOTH);
            put_sum(band + k, *(const sum_vector *)(x + k) - total[v], stream != 0);
        }
    }
    return i;
}

static void smooth(wp_real *low, wp_real *band, const wp_real *x, const wp_real *const *in,
                   const wp_real *c, int taps, int n, unsigned stream)
{
    const int head = aligned_pair(low, band, n, &stream);
    if (head > 0)
        sum_all(low, in, c, taps, 0, head, 0);
    const int i = BY_STREAM(stream, smooth_vectors, low, band, x, in, c, taps, head, n);
    sum_all(low, in, c, taps, i, n, 0);
    for (int k = 0; k < head; k++)
        band[k] = x[k] - low[k];
    for (int k = i; k < n; k++)
        band[k] = x[k] - low[k];
}

enum { JOIN_VECTORS = 8 };

// `vectors` of the output, a constant, at element i.
INLINE void join_block(wp_real *out, const wp_real *const *in, const wp_real *const c[2],
                       const int taps[2], int i, int vectors, bool stream)
{
    sum_vector total[JOIN_VECTORS] = {{0}};
    for (int f = 0; f < 2; f++) {
        const wp_real *const *row = in + f * taps[0];
        for (int t = 0; t < taps[f]; t++)
            for (int v = 0; v < vectors; v++)
                total[v] = total[v] + c[f][t] * *(const sum_vector *)(row[t] + i + v * SUM_LANES);
    }
    for (int v = 0; v < vectors; v++)
        put_sum(out + i + v * SUM_LANES, total[v], stream);
}

INLINE int join_vectors(wp_real *out, const wp_real *const *in, const wp_real *const c[2],
                        const int taps[2], int i, int n, bool stream)
{
    enum { FEW = 4 };
    for (; i + JOIN_VECTORS * SUM_LANES <= n; i += JOIN_VECTORS * SUM_LANES)
        join_block(out, in, c, taps, i, JOIN_VECTORS, stream);
    for (; i + FEW * SUM_LANES <= n; i += FEW * SUM_LANES)
        join_block(out, in, c, taps, i, FEW, stream);
    for (; i + SUM_LANES <= n; i += SUM_LANES)
        join_block(out, in, c, taps, i, 1, stream);
    return i;
}

// Two results read each row once.
INLINE int join_vectors_twice(wp_real *const *out, const wp_real *const *in,
                              const wp_real *const c[2], const int taps[2], int n)
{
    enum { VECTORS = 4 };
    int i = 0;
    for (; i + VECTORS * SUM_LANES <= n; i += VECTORS * SUM_LANES) {
        sum_vector a[VECTORS] = {{0}}, b[VECTORS] = {{0}};
        for (int f = 0; f < 2; f++) {
            const wp_real *const *row = in + f * (taps[0] + 1);
            const int last = taps[f];
            for (int v = 0; v < VECTORS; v++)
                a[v] = a[v] + c[f][0] * *(const sum_vector *)(row[0] + i + v * SUM_LANES);
            for (int t = 1; t < last; t++) {
                const wp_real p = c[f][t], q = c[f][t - 1];
                for (int v = 0; v < VECTORS; v++) {
                    const sum_vector x = load_sum(row[t] + i + v * SUM_LANES);
                    a[v] = a[v] + p * x;
                    b[v] = b[v] + q * x;
                }
            }
            for (int v = 0; v < VECTORS; v++)
                b[v] = b[v] +
                       c[f][last - 1] * *(const sum_vector *)(row[last] + i + v * SUM_LANES);
        }
        for (int v = 0; v < VECTORS; v++) {
            put_sum(out[0] + i + v * SUM_LANES, a[v], false);
            put_sum(out[1] + i + v * SUM_LANES, b[v], false);
        }
    }
    return i;
}

// Elements `from` to `end` of all results.
static void join_rest(wp_real *const *out, int results, const wp_real *const *in,
                      const wp_real *const c[2], const int taps[2], int from, int end)
{
    for (int k = 0; k < results && from < end; k++) {
        sum_all(out[k], in + k, c[0], taps[0], from, end, 0);
        sum_all(out[k], in + taps[0] + results - 1 + k, c[1], taps[1], from, end, 1);
    }
}

static void join(wp_real *const *out, int results, const wp_real *const *in,
                 const wp_real *const c[2], const int taps[2], int n, bool stream)
{
    // Of short rows, most cache lines that are written past the caches would be written in parts.
    const bool is_long = n >= JOIN_VECTORS * SUM_LANES;
    const int head = stream && is_long && results == 1 ? aligned_from(out[0], n) : -1;
    join_rest(out, results, in, c, taps, 0, head);
    const int i = results == 2 ? join_vectors_twice(out, in, c, taps, n)
                  : head >= 0  ? join_vectors(out[0], in, c, taps, head, n, true)
                               : join_vectors(out[0], in, c, taps, 0, n, false);
    join_rest(out, results, in, c, taps, i, n);
}
