// Chains of steps (cpu_rows.h). A part of cpu_rows_impl.h, whose types and functions it uses.
//
// The two parities are named by their role in the first step: its input and its target. `steps`,
// `odd` and bools are constants at every call of an inline function.

// Loops whose arrays have to be registers.
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

enum { STAGES = (WP_CPU_CHAIN_STEPS + 1) / 2 };

// The vector one quad before `now`; along x it has other lanes of the same vectors.
INLINE vector one_before(vector last, vector now, bool x)
{
    if (!x)
        return last;
    return __builtin_shufflevector(last, now, DOWN);
}

// Does a step on the newest vectors. The sample before the input is then the target of the next
// step, and this target its input. `last` is the step's latest input.
INLINE void do_step(vector *last, const wp_real c[2], bool x, vector *in, vector *target)
{
    const vector now = *in, old = one_before(*last, now, x);
    *last = now;
    *in = *target + c[0] * old + c[1] * now;
    *target = old;
}

// Delays an odd first target by one quad. Its state keeps the compiler from fusing the scaling of
// the target with the step, which would round once less.
INLINE vector enter_target(vector *last, bool odd, bool x, vector target)
{
    const vector old = one_before(*last, target, x);
    *last = target;
    return odd ? old : target;
}

// Are the odd samples the last target? If the even ones are, odd ones need no delay at the end.
INLINE bool last_is_odd(int steps, bool odd)
{
    return odd == (steps % 2 == 1);
}

// The state along x: the last inputs of the first target's delay and of all steps. A stage of two
// steps processes what the one before it has computed for the previous vector, because speed is
// limited by latency.
struct steps_x {
    vector last[WP_CPU_CHAIN_STEPS + 1];
    vector newest; // the last step's input
    vector in[STAGES], target[STAGES];
};

INLINE void run_steps_x(struct steps_x *x, const struct wp_cpu_chain *chain, int steps, bool odd,
                        vector *in, vector *target)
{
    x->in[0] = *in;
    x->target[0] = enter_target(&x->last[0], odd, true, *target);
    UNROLLED
    for (int stage = (steps - 1) / 2; stage >= 0; stage--) {
        vector a = x->in[stage], b = x->target[stage];
        UNROLLED
        for (int s = 2 * stage; s < 2 * stage + 2; s++) {
            if (s + 1 == steps)
                x->newest = a;
            if (s < steps)
                do_step(&x->last[s + 1], chain->step[s], true, &a, &b);
        }
        if (2 * stage + 2 < steps) {
            x->in[stage + 1] = a;
            x->target[stage + 1] = b;
        } else {
            *in = a;
            *target = last_is_odd(steps, odd) ? b : x->newest;
        }
    }
}

// Between vectors of neighboring quads, with the last inputs of the first target and of all steps.
INLINE void run_steps_lanes(vector *last, const struct wp_cpu_chain *chain, int steps, bool odd,
                            vector v[2])
{
    vector in = v[!odd], newest = in, target = enter_target(&last[0], odd, false, v[odd]);
    UNROLLED
    for (int s = 0; s < steps; s++) {
        newest = in;
        do_step(&last[s + 1], chain->step[s], false, &in, &target);
    }
    v[last_is_odd(steps, odd)] = in;
    v[!last_is_odd(steps, odd)] = last_is_odd(steps, odd) ? target : newest;
}

// Along y and z, with the last inputs of all steps in memory; an odd first target is read late
// instead of delayed.
INLINE void run_steps_y(wp_real *state, const struct wp_cpu_chain *chain, int steps, bool odd,
                        vector *in, vector *target)
{
    vector newest = *in;
    UNROLLED
    for (int s = 0; s < steps; s++) {
        vector last = load(state + s * LANES);
        newest = *in;
        do_step(&last, chain->step[s], false, in, target);
        put(state + s * LANES, last);
    }
    if (!last_is_odd(steps, odd))
        *target = newest;
}

INLINE void steps_row_of(wp_real *even, wp_real *odd_samples, const struct wp_cpu_chain *chain,
                         int n, int steps, bool odd)
{
    vector last[WP_CPU_CHAIN_STEPS + 1] = {0};
    for (int i = 0; i < n; i++) {
        vector v[2] = {load(even + i * LANES), load(odd_samples + i * LANES)};
        run_steps_lanes(last, chain, steps, odd, v);
        if (i >= chain->lag) {
            put(even + (i - chain->lag) * LANES, v[0]);
            put(odd_samples + (i - chain->lag) * LANES, v[1]);
        }
    }
}

INLINE void steps_columns_at(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                             int quads, int x, int columns, int steps, bool odd)
{
    vector last[COLUMNS][WP_CPU_CHAIN_STEPS + 1] = {0};
    for (int k = 0; k < columns; k++)
        UNROLLED
    for (int s = 0; s <= steps; s++)
        last[k][s] = load(state + ((steps + 1) * (x / LANES + k) + s) * LANES);
    for (int i = 0; i < quads; i++) {
        const int to = 2 * (i - chain->lag);
        for (int k = 0; k < columns; k++) {
            const int at = x + k * LANES;
            vector v[2] = {load(row[2 * i] + at), load(row[2 * i + 1] + at)};
            run_steps_lanes(last[k], chain, steps, odd, v);
            put(row[to] + at, v[0]);
            put(row[to + 1] + at, v[1]);
        }
    }
    for (int k = 0; k < columns; k++)
        UNROLLED
    for (int s = 0; s <= steps; s++)
        put(state + ((steps + 1) * (x / LANES + k) + s) * LANES, last[k][s]);
}

INLINE void steps_columns_of(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                             int quads, int n, int steps, bool odd)
{
    int x = 0;
    for (; x + WP_CPU_LINE <= n; x += WP_CPU_LINE)
        steps_columns_at(row, state, chain, quads, x, COLUMNS, steps, odd);
    for (; x < n; x += LANES)
        steps_columns_at(row, state, chain, quads, x, 1, steps, odd);
}

INLINE void steps_signal_of(wp_real *even, wp_real *odd_samples, const struct wp_cpu_chain *chain,
                            int n, int steps, bool odd)
{
    const int lag = wp_cpu_chain_delay(chain, LANES);
    wp_real *const half[2] = {even, odd_samples};
    struct steps_x x = {0};
    for (int i = 0; i < n + lag; i += LANES) {
        vector in = load(half[!odd] + i), target = load(half[odd] + i);
        run_steps_x(&x, chain, steps, odd, &in, &target);
        if (i + LANES > lag) {
            put(half[last_is_odd(steps, odd)] + i - lag, in);
            put(half[!last_is_odd(steps, odd)] + i - lag, target);
        }
    }
}

// Bools need not be constants, but the function is then slower.
INLINE void steps_rows_of(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain,
                          bool x, bool y, bool z, bool split, bool merged, int steps, bool odd)
{
    const bool last = last_is_odd(steps, odd);
    const int begin = rows->enter, stop = rows->stop;
    const ptrdiff_t length = rows->length;
    wp_real *const state = rows->state;
    const wp_real *const other = rows->other;
    wp_real scale_in[2][2], scale_out[2][2][2];
    memcpy(scale_in, rows->scale_in, sizeof scale_in);
    memcpy(scale_out, rows->scale_out, sizeof scale_out);
    struct steps_x row[2] = {0};
    for (int cy = 0; cy < 2; cy++) {
        const wp_real *from = rows->state_x + cy * (WP_CPU_CHAIN_STATE_X / 2);
        UNROLLED
        for (int s = 0; s <= steps; s++)
            row[cy].last[s] = load(from + s * LANES);
        from += (steps + 1) * LANES;
        UNROLLED
        for (int stage = 1; stage < (steps + 1) / 2; stage++) {
            row[cy].in[stage] = load(from + 2 * stage * LANES);
            row[cy].target[stage] = load(from + (2 * stage + 1) * LANES);
        }
    }
    for (int s = 0; s < WP_CPU_SEGMENTS; s++) {
        const struct wp_cpu_segment segment = rows->segment[s];
        const int first = segment.from > begin ? segment.from : begin;
        const int until = segment.until < stop ? segment.until : stop;
        const struct wp_cpu_piece piece = rows->piece[segment.piece];
        struct wp_cpu_target target = rows->target[segment.target];
        for (int k = 0; segment.tail && k < 4 + 4 * z; k++)
            target.out[k >> 2][k >> 1 & 1][k & 1] =
                target.tail + k * rows->tail_pitch - (merged ? 2 * rows->end : rows->end);
        for (int i = first; i < until; i += LANES) {
            const int from = i + segment.in, to = i + segment.out;
            vector v[2][2][2]; // [cz][cy][cx]
            UNROLLED
            for (int cy = 0; cy < 2; cy++) {
                vector *const now = v[z][cy];
                if (split) {
                    const vector one = load(piece.in[cy][0] + 2 * from);
                    const vector two = load(piece.in[cy][0] + 2 * from + LANES);
                    now[0] = __builtin_shufflevector(one, two, EVEN);
                    now[1] = __builtin_shufflevector(one, two, ODD);
                } else {
                    for (int cx = 0; cx < 2; cx++)
                        now[cx] = scale_in[cy][cx] * load(piece.in[cy][cx] + from);
                }
                if (x) {
                    vector a = now[!odd], b = now[odd];
                    run_steps_x(&row[cy], chain, steps, odd, &a, &b);
                    now[last] = a;
                    now[!last] = b;
                }
            }
            UNROLLED
            for (int cx = 0; cx < 2; cx++) {
                if (y) {
                    vector a = v[z][!odd][cx], b = v[z][odd][cx];
                    run_steps_y(state + steps * (2 * to + cx * LANES), chain, steps, odd, &a, &b);
                    v[z][last][cx] = a;
                    v[z][!last][cx] = b;
                }
            }
            for (int k = 0; z && k < 4; k++) {
                const int cy = k >> 1, cx = k & 1;
                v[0][cy][cx] = load(other + k * length + to);
                vector a = v[!odd][cy][cx], b = v[odd][cy][cx];
                run_steps_y(target.state + steps * (4 * to + k * LANES), chain, steps, odd, &a, &b);
                v[last][cy][cx] = a;
                v[!last][cy][cx] = b;
            }
            for (int cz = 0; cz < 1 + z; cz++) {
                for (int cy = 0; cy < 2; cy++) {
                    wp_real *const *const out = target.out[cz][cy];
                    const vector even = v[cz][cy][0], high = v[cz][cy][1];
                    if (merged) {
                        put(out[0] + 2 * to, __builtin_shufflevector(even, high, LOW));
                        put(out[0] + 2 * to + LANES, __builtin_shufflevector(even, high, HIGH));
                    } else {
                        put(out[0] + to, scale_out[cz][cy][0] * even);
                        put(out[1] + to, scale_out[cz][cy][1] * high);
                    }
                }
            }
        }
    }
    for (int cy = 0; cy < 2; cy++) {
        wp_real *to = rows->state_x + cy * (WP_CPU_CHAIN_STATE_X / 2);
        UNROLLED
        for (int s = 0; s <= steps; s++)
            put(to + s * LANES, row[cy].last[s]);
        to += (steps + 1) * LANES;
        UNROLLED
        for (int stage = 1; stage < (steps + 1) / 2; stage++) {
            put(to + 2 * stage * LANES, row[cy].in[stage]);
            put(to + (2 * stage + 1) * LANES, row[cy].target[stage]);
        }
    }
}

// Calls a function with the number of steps and the parity of the first target as constants after
// the given arguments.
#define BY_STEPS(call, ...)                                                                        \
    do {                                                                                           \
        if (chain->steps == 4 && chain->odd)                                                       \
            call(__VA_ARGS__, 4, true);                                                            \
        else if (chain->steps == 4)                                                                \
            call(__VA_ARGS__, 4, false);                                                           \
        else if (chain->steps == 5 && chain->odd)                                                  \
            call(__VA_ARGS__, 5, true);                                                            \
        else if (chain->steps == 5)                                                                \
            call(__VA_ARGS__, 5, false);                                                           \
        else if (chain->odd)                                                                       \
            call(__VA_ARGS__, 6, true);                                                            \
        else                                                                                       \
            call(__VA_ARGS__, 6, false);                                                           \
    } while (false)

static void steps_row(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n)
{
    BY_STEPS(steps_row_of, even, odd, chain, n);
}

static void steps_columns(wp_real *const *row, wp_real *state, const struct wp_cpu_chain *chain,
                          int quads, int n)
{
    BY_STEPS(steps_columns_of, row, state, chain, quads, n);
}

static void steps_signal(wp_real *even, wp_real *odd, const struct wp_cpu_chain *chain, int n)
{
    BY_STEPS(steps_signal_of, even, odd, chain, n);
}

static void steps_rows(const struct wp_cpu_chain_rows *rows, const struct wp_cpu_chain *chain)
{
    if (rows->z)
        BY_STEPS(steps_rows_of, rows, chain, true, true, true, rows->split, rows->merged);
    else if (rows->x && rows->y && rows->split && !rows->merged)
        BY_STEPS(steps_rows_of, rows, chain, true, true, false, true, false);
    else if (rows->x && rows->y && !rows->split && rows->merged)
        BY_STEPS(steps_rows_of, rows, chain, true, true, false, false, true);
    else
        BY_STEPS(steps_rows_of, rows, chain, rows->x, rows->y, false, rows->split, rows->merged);
}
