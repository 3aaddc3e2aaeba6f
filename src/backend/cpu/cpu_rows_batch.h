// The functions for batches (cpu_rows.h): transposition of images to the lanes of vectors, and chains
// in lanes. A part of cpu_rows_impl.h, whose types and functions it uses.

// Rows are read and written by four samples, or two if a vector has no more. Four floats are in one
// cache line if the row is aligned to 16 bytes, as malloc() does it.
enum { BLOCK = LANES < 4 ? LANES : 4 };
#if LANES == 8
typedef wp_real four
    __attribute__((vector_size(BLOCK * REAL_BYTES), aligned(REAL_BYTES), may_alias));
#endif

// The samples of row r, and of row r + 4 if there are as many lanes.
static inline vector load_block(const wp_real *const *row, ptrdiff_t at, int r)
{
#if LANES == 8
    const four low = *(const four *)(row[r] + at), high = *(const four *)(row[r + BLOCK] + at);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return load(row[r] + at);
#endif
}

static inline void put_block(wp_real *const *row, int rows, ptrdiff_t at, int r, vector v)
{
#if LANES == 8
    if (r < rows)
        *(four *)(row[r] + at) = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    if (r + BLOCK < rows)
        *(four *)(row[r + BLOCK] + at) = __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    if (r < rows)
        put(row[r] + at, v);
#endif
}

// Transposes each `BLOCK` lanes.
INLINE void transpose(vector v[BLOCK])
{
#if LANES == 2
    const vector even = __builtin_shufflevector(v[0], v[1], EVEN);
    v[1] = __builtin_shufflevector(v[0], v[1], ODD);
    v[0] = even;
#else
    const vector a = __builtin_shufflevector(v[0], v[1], UNPACK_LOW);
    const vector b = __builtin_shufflevector(v[0], v[1], UNPACK_HIGH);
    const vector c = __builtin_shufflevector(v[2], v[3], UNPACK_LOW);
    const vector d = __builtin_shufflevector(v[2], v[3], UNPACK_HIGH);
    v[0] = __builtin_shufflevector(a, c, PAIR_LOW);
    v[1] = __builtin_shufflevector(a, c, PAIR_HIGH);
    v[2] = __builtin_shufflevector(b, d, PAIR_LOW);
    v[3] = __builtin_shufflevector(b, d, PAIR_HIGH);
#endif
}

// Are the rows neighbors in memory, so that a vector is contiguous there? Rows without samples are
// NULL.
static inline bool are_neighbors(const wp_real *const *row)
{
    bool all = row[0] != NULL;
    for (int r = 1; r < LANES; r++)
        all = all && row[r] == row[0] + r;
    return all;
}

// The vectors of sample `at` and the next one; those of later pairs follow at distances of a step.
static inline void pair_at(wp_real *const v[2], ptrdiff_t step, int at, wp_real *pair[2])
{
    pair[0] = v[at & 1] + (at >> 1) * step;
    pair[1] = v[~at & 1] + ((at + 1) >> 1) * step;
}

INLINE void interleave_block(wp_real *const v[2], ptrdiff_t step, const wp_real *const *row,
                            ptrdiff_t first, wp_real c, int at)
{
    vector block[BLOCK];
    wp_real *pair[2];
    pair_at(v, step, at, pair);
    for (int r = 0; r < BLOCK; r++)
        block[r] = load_block(row, first + at, r);
    transpose(block);
    for (int i = 0; i < BLOCK; i++)
        put(pair[i & 1] + (i >> 1) * step, c * block[i]);
}

// The last block repeats some of the samples before it.
static void interleave(wp_real *const v[2], ptrdiff_t step, const wp_real *const *row,
                       ptrdiff_t first, ptrdiff_t gap, wp_real c, int n)
{
    if (gap == 1 && n >= BLOCK) {
        for (int i = 0; i + BLOCK <= n; i += BLOCK)
            interleave_block(v, step, row, first, c, i);
        if (n % BLOCK)
            interleave_block(v, step, row, first, c, n - BLOCK);
    } else if (are_neighbors(row)) {
        for (int i = 0; i < n; i++)
            put(v[i & 1] + (i >> 1) * step, c * load(row[0] + first + i * gap));
    } else {
        for (int i = 0; i < n; i++)
            for (int r = 0; r < LANES; r++)
                v[i & 1][(i >> 1) * step + r] = c * row[r][first + i * gap];
    }
}

INLINE void separate_block(wp_real *const *row, int rows, ptrdiff_t first,
                           const wp_real *const v[2], ptrdiff_t step, wp_real c, int at)
{
    vector block[BLOCK];
    wp_real *pair[2];
    pair_at((wp_real *const *)v, step, at, pair);
    for (int i = 0; i < BLOCK; i++)
        block[i] = c * load(pair[i & 1] + (i >> 1) * step);
    transpose(block);
    for (int r = 0; r < BLOCK; r++)
        put_block(row, rows, first + at, r, block[r]);
}

static void separate(wp_real *const *row, int rows, ptrdiff_t first, ptrdiff_t gap,
                     const wp_real *const v[2], ptrdiff_t step, wp_real c, int n)
{
    if (gap == 1 && n >= BLOCK) {
        for (int i = 0; i + BLOCK <= n && rows == LANES; i += BLOCK)
            separate_block(row, LANES, first, v, step, c, i);
        for (int i = 0; i + BLOCK <= n && rows < LANES; i += BLOCK)
            separate_block(row, rows, first, v, step, c, i);
        if (n % BLOCK)
            separate_block(row, rows, first, v, step, c, n - BLOCK);
    } else if (rows == LANES && are_neighbors((const wp_real *const *)row)) {
        for (int i = 0; i < n; i++)
            put(row[0] + first + i * gap, c * load(v[i & 1] + (i >> 1) * step));
    } else {
        for (int r = 0; r < rows; r++)
            for (int i = 0; i < n; i++)
                row[r][first + i * gap] = c * v[i & 1][(i >> 1) * step + r];
    }
}

// The state of a pair between vectors of neighboring quads: its last input, and its last b.
struct pair_lanes {
    vector a, b, b_done;
};

// A chain for images in lanes, where the neighbors of a vector are other vectors. The order of
// terms is that of chain_x() or chain_y(). The output is `pairs` quads behind the input.
INLINE void chain_lanes(struct pair_lanes pair[PAIRS], const struct taps *taps, int pairs,
                        bool mirrored, bool y, vector *a, vector *b)
{
    for (int p = 0; p < pairs; p++) {
        const struct pair_lanes old = pair[p];
        vector b_done;
        if (mirrored && y)
            b_done = lift_by(taps, p, *b, 0, old.a, 1, *a);
        else if (mirrored)
            b_done = lift_by(taps, p, *b, 1, *a, 0, old.a);
        else
            b_done = lift_by(taps, p, old.b, 0, old.a, 1, *a);
        pair[p] = (struct pair_lanes){*a, *b, b_done};
        *a = mirrored || y ? lift_by(taps, p, old.a, 2, old.b_done, 3, b_done)
                           : lift_by(taps, p, old.a, 3, b_done, 2, old.b_done);
        *b = mirrored ? old.b_done : b_done;
    }
}

INLINE void chain_row_of(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n,
                         int pairs, bool mirrored)
{
    const struct taps taps = load_taps(chain, pairs, mirrored, WP_CPU_FLOATS);
    struct pair_lanes pair[PAIRS] = {0};
    for (int i = 0; i < n; i++) {
        vector v[2] = {load(even + i * LANES), load(odd + i * LANES)};
        chain_lanes(pair, &taps, pairs, mirrored, false, &v[mirrored], &v[!mirrored]);
        if (i >= pairs) {
            put(even + (i - pairs) * LANES, v[0]);
            put(odd + (i - pairs) * LANES, v[1]);
        }
    }
}

// Runs a chain down `columns` vectors.
INLINE void chain_columns_at(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                             int pairs, bool mirrored, bool y, int quads, int at, int columns)
{
    const struct taps taps = load_taps(chain, pairs, mirrored, WP_CPU_FLOATS);
    struct pair_lanes pair[COLUMNS][PAIRS] = {0};
    for (int k = 0; k < columns * pairs; k++) {
        const wp_real *const from = state + 3 * pairs * at + 3 * LANES * k;
        pair[k / pairs][k % pairs] =
            (struct pair_lanes){load(from), load(from + LANES), load(from + 2 * LANES)};
    }
    for (int i = 0; i < quads; i++) {
        for (int k = 0; k < columns; k++) {
            const int x = at + k * LANES;
            vector v[2] = {load(row[2 * i] + x), load(row[2 * i + 1] + x)};
            chain_lanes(pair[k], &taps, pairs, mirrored, y, &v[mirrored], &v[!mirrored]);
            put(row[2 * (i - pairs)] + x, v[0]);
            put(row[2 * (i - pairs) + 1] + x, v[1]);
        }
    }
    for (int k = 0; k < columns * pairs; k++) {
        const struct pair_lanes s = pair[k / pairs][k % pairs];
        wp_real *const to = state + 3 * pairs * at + 3 * LANES * k;
        put(to, s.a);
        put(to + LANES, s.b);
        put(to + 2 * LANES, s.b_done);
    }
}

INLINE void chain_columns_of(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                             bool y, int quads, int n, int pairs, bool mirrored)
{
    int at = 0;
    for (; at + WP_CPU_LINE <= n; at += WP_CPU_LINE)
        chain_columns_at(row, state, chain, pairs, mirrored, y, quads, at, COLUMNS);
    for (; at < n; at += LANES)
        chain_columns_at(row, state, chain, pairs, mirrored, y, quads, at, 1);
}

// A chain along a signal: vectors `lag` behind the input are complete.
INLINE void chain_signal_of(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n,
                            int pairs, bool mirrored)
{
    const struct taps taps = load_taps(chain, pairs, mirrored, WP_CPU_FLOATS);
    const int lag = (2 * pairs - 1) * LANES;
    struct pair_x pair[PAIRS] = {0};
    for (int i = 0; i < n + lag; i += LANES) {
        vector v[2] = {load(even + i), load(odd + i)};
        chain_x(pair, &taps, pairs, mirrored, &v[mirrored], &v[!mirrored]);
        if (i >= lag) {
            put(even + i - lag, v[0]);
            put(odd + i - lag, v[1]);
        }
    }
}

// Scales and merges past the caches, with the bits of scale() and merge().
static void scale_stream(wp_real *out, const wp_real *in, wp_real c, int n)
{
    const int head = aligned_from(out, n);
    int i = head > 0 ? head : 0;
    scale(out, in, c, i);
    for (; head >= 0 && i + SUM_LANES <= n; i += SUM_LANES)
        put_sum(out + i, c * *(const sum_vector *)(in + i), true);
    scale(out + i, in + i, c, n - i);
}

static void merge_stream(wp_real *out, const wp_real *even, const wp_real *odd, int n)
{
    const int head = aligned_from(out, 2 * n);
    const bool stream = CAN_STREAM && head >= 0 && head % 2 == 0;
    int i = stream ? head / 2 : 0;
    merge(out, even, odd, i);
#ifdef __AVX2__
    for (; stream && i + LANES <= n; i += LANES) {
        const vector a = load(even + i), b = load(odd + i);
        const vector low = __builtin_shufflevector(a, b, LOW);
        const vector high = __builtin_shufflevector(a, b, HIGH);
        _mm256_stream_si256((__m256i *)(void *)(out + 2 * i), (__m256i)low);
        _mm256_stream_si256((__m256i *)(void *)(out + 2 * i + LANES), (__m256i)high);
    }
#endif
    merge(out + 2 * i, even + i, odd + i, n - i);
}

static void chain_row(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n)
{
    if (wp_cpu_chain_has_steps(chain))
        steps_row(even, odd, chain, n);
    else
        BY_CHAIN(chain_row_of, even, odd, chain, n);
}

static void chain_columns(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                          int quads, int n)
{
    if (wp_cpu_chain_has_steps(chain))
        steps_columns(row, state, chain, quads, n);
    else
        BY_CHAIN(chain_columns_of, row, state, chain, true, quads, n);
}

static void chain_neighbors(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                            int quads, int n)
{
    if (wp_cpu_chain_has_steps(chain))
        steps_columns(row, state, chain, quads, n);
    else
        BY_CHAIN(chain_columns_of, row, state, chain, false, quads, n);
}

static void chain_signal(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n)
{
    if (wp_cpu_chain_has_steps(chain))
        steps_signal(even, odd, chain, n);
    else
        BY_CHAIN(chain_signal_of, even, odd, chain, n);
}
