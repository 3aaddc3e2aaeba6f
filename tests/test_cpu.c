// Parts of the CPU backend that test_transform does not reach: all sets of row functions, rows of
// several chunks, stripes of several threads. With WP_CPU_F64 the row functions of doubles.
#include "cpu_backend.h"
#include "cpu_sweep.h"
#include "every_wavelet.h"
#include "plan.h"
#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROW = 3 * WP_CPU_SLACK + 100, FIRST = WP_CPU_SLACK + 1, ROWS = 12 };

static wp_real random_value(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (wp_real)(*seed >> 8) / (1 << 24);
}

static void fill(wp_real rows[ROWS][ROW], unsigned seed)
{
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < ROW; i++)
            rows[r][i] = random_value(&seed);
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) < (WP_CPU_ELEMENT == WP_ELEMENT_F64 ? 1e-14 : 2e-6)))
        fail_msg("%.17g instead of %.17g", got, expected);
}

static const int lengths[] = {0, 1, 2, 7, 8, 15, 16, 17, 33, 63, 64, 65, 100};

enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void test_plain_rows(void **state)
{
    (void)state;
    const struct wp_cpu_rows *set;
    static wp_real in[ROWS][ROW], out[ROWS][ROW];
    fill(in, 1);
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int l = 0; l < LENGTHS; l++) {
            const int n = lengths[l];
            fill(out, 2);
            const wp_real next_value[2] = {out[0][FIRST + n], out[1][FIRST + n]};
            set->split(out[0] + FIRST, out[1] + FIRST, in[0] + 3, n);
            for (int i = 0; i < n; i++) {
                assert_true(out[0][FIRST + i] == in[0][3 + 2 * i]);
                assert_true(out[1][FIRST + i] == in[0][4 + 2 * i]);
            }
            set->scale(out[1] + FIRST, in[1] + 2, 0.75f, n);
            for (int i = 0; i < n; i++)
                assert_near(out[1][FIRST + i], 0.75 * (double)in[1][2 + i]);
            assert_true(out[0][FIRST + n] == next_value[0] && out[1][FIRST + n] == next_value[1]);
            const wp_real last = out[2][FIRST + 2 * n];
            set->merge(out[2] + FIRST, in[0] + 1, in[1] + 1, n);
            for (int i = 0; i < 2 * n; i++)
                assert_true(out[2][FIRST + i] == in[i % 2][1 + i / 2]);
            assert_true(out[2][FIRST + 2 * n] == last);
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    const struct wp_cpu_rows *set;
    static wp_real in[ROWS][ROW], out[ROWS][ROW];
    static const wp_real c[9] = {0.5f, 0.5f, -0.25f, 1.0f, 0.125f, -0.3f, 0.7f, 0.01f, -0.9f};
    fill(in, 3);
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int taps = 0; taps <= 9; taps++) {
            for (int l = 0; l < LENGTHS; l++) {
                const int n = lengths[l];
                const wp_real *from[9];
                for (int t = 0; t < taps; t++)
                    from[t] = in[t] + t;
                fill(out, 4);
                const wp_real next_value = out[0][FIRST + n];
                memcpy(out[1], out[0], sizeof out[0]);
                set->lift(out[0] + FIRST, from, c, taps, n);
                set->sum(out[2] + FIRST, from, c, taps, n, false);
                for (int i = 0; i < n; i++) {
                    double sum = 0;
                    for (int t = 0; t < taps; t++)
                        sum += (double)c[t] * (double)from[t][i];
                    assert_near(out[0][FIRST + i], sum + (double)out[1][FIRST + i]);
                    assert_near(out[2][FIRST + i], sum);
                }
                assert_true(out[0][FIRST + n] == next_value);
            }
        }
    }
}

static void assert_row(const wp_real *got, const wp_real *expected, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(got[i] == expected[i]);
    assert_true(got[-1] == 9 && got[n] == 9);
}

// Filters of redundant banks have the bits of sum(), at any alignment, also past the caches.
static void test_filters(void **state)
{
    (void)state;
    enum { TAPS = 5, MORE = 3, RESULTS = 4, SPACE = 384 };
    const struct wp_cpu_rows *set;
    static wp_real in[ROWS][ROW], expected[RESULTS][ROW];
    static wp_real space[RESULTS][SPACE]; // rows are aligned alike
    static const wp_real c[TAPS] = {0.5f, -0.25f, 1.0f, 0.125f, -0.3f};
    static const wp_real d[TAPS] = {0.7f, 0.01f, -0.9f, 0.3f, 1.5f};
    static const int widths[] = {1, 17, 64, 131, 200};
    const wp_real *from[2 * TAPS + 2];
    fill(in, 5);
    for (int t = 0; t < 2 * TAPS + 2; t++)
        from[t] = in[t] + t;
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int k = 0; k < 5 * 4 * 3; k++) {
            const int n = widths[k % 5], taps[2] = {TAPS, MORE};
            const unsigned stream = (unsigned)(k / 5 % 4);
            wp_real *out[RESULTS];
            for (int i = 0; i < RESULTS; i++) {
                for (int x = 0; x < SPACE; x++)
                    space[i][x] = 9;
                out[i] = space[i] + 16 + 3 + (i == 1 ? k / 20 : 0);
            }
            set->sum(expected[0], from, c, TAPS, n, false);
            set->sum(expected[1], from, d, TAPS, n, false);
            set->sum(out[0], from, c, TAPS, n, stream & 1);
            assert_row(out[0], expected[0], n);
            set->sums(out[2], out[1], from, c, d, TAPS, n, stream);
            assert_row(out[2], expected[0], n);
            assert_row(out[1], expected[1], n);
            set->smooth(out[2], out[3], from[TAPS], from, c, TAPS, n, stream);
            assert_row(out[2], expected[0], n);
            for (int i = 0; i < n; i++)
                expected[1][i] = from[TAPS][i] - expected[0][i];
            assert_row(out[3], expected[1], n);
            // Sums of rows of both filters, continued from the first to the second.
            const wp_real *const both[2] = {c, d};
            wp_real weights[TAPS + MORE];
            memcpy(weights, c, sizeof c);
            memcpy(weights + TAPS, d, MORE * sizeof *d);
            set->join(out, 1, from, both, taps, n, stream & 1);
            set->sum(expected[0], from, weights, TAPS + MORE, n, false);
            assert_row(out[0], expected[0], n);
            set->join(out, 2, from, both, taps, n, false);
            for (int i = 0; i < 2; i++) {
                const wp_real *rows[TAPS + MORE];
                for (int t = 0; t < TAPS + MORE; t++)
                    rows[t] = from[t + i + (t >= TAPS)];
                set->sum(expected[0], rows, weights, TAPS + MORE, n, false);
                assert_row(out[i], expected[0], n);
            }
            set->finish_stream();
        }
    }
}

// Runs a sweep from memory to memory, as a chain or step by step.
static void run_sweep(const struct wp_cpu_sweep *from, bool chains, const struct wp_cpu_rows *set,
                      int first, int count)
{
    struct wp_cpu_sweep sweep = *from;
    struct wp_cpu_program program = *from->program;
    if (!chains)
        program.chain.state = 0;
    sweep.program = &program;
    wp_cpu_sweep_finish(&sweep);
    assert_true((sweep.chain.state > 0) == chains);
    const size_t size = (wp_cpu_sweep_ring(&sweep) * sizeof(wp_real) + 63) / 64 * 64;
    wp_real *ring = aligned_alloc(64, size);
    assert_non_null(ring);
    // Old content of the ring must not affect a chain.
    for (size_t i = 0; chains && i < size / sizeof *ring; i++)
        ring[i] = NAN;
    wp_cpu_sweep_run(&sweep, set, first, count, ring);
    free(ring);
}

static void fill_filter(struct wp_filter *filter, int k0, int taps, unsigned *seed)
{
    filter->count = taps;
    for (int t = 0; t < taps; t++)
        filter->tap[t] = (struct wp_tap){.k = k0 + t, .c = (double)random_value(seed) - 0.5};
}

// Checks a wavelet's chain along one axis or both against single steps, with rows that end within
// and at the end of a vector, in one piece and in two stripes.
static void check_chain(const struct wp_wavelet *wavelet, enum wp_direction direction, bool x,
                        bool y)
{
    enum { WIDTH = 112, HEIGHT = 16, BAND = (WIDTH / 2 + 8) * HEIGHT / 2,
           SAMPLES_MAX = WP_BAND_COUNT * BAND };
    static const int sizes[][2] = {{2, 5}, {2, 2}, {3, 4}, {15, 7}, {16, 8}, {17, 9}, {31, 3},
                                   {34, 16}, {63, 5}, {97, 6}, {111, 13}};
    static wp_real in[SAMPLES_MAX], expected[SAMPLES_MAX], got[SAMPLES_MAX];
    const bool forward = direction == WP_FORWARD;
    unsigned seed = 5;
    const struct wp_cpu_rows *set;
    for (int i = 0; i < SAMPLES_MAX; i++)
        in[i] = random_value(&seed);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int width = sizes[s][0], height = sizes[s][1];
        struct wp_cpu_program program;
        struct wp_cpu_sweep sweep = {.size = {width, height}, .along = {x, y},
                                     .program = &program};
        struct wp_lifting lifting =
            wp_lifting_make(wavelet, direction, WP_NORM_NONE, WP_BORDER_SYMMETRIC);
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            sweep.scale_in[b] = 0.5f + 0.25f * (wp_real)b;
            sweep.scale_out[b] = 1.5f - 0.25f * (wp_real)b;
        }
        // Minimal pitches: the next row starts directly after a row.
        const struct wp_cpu_quads interleaved = {.samples = true, .pitch = {width}};
        const struct wp_cpu_quads bands = {
            .pitch = {(width + 1) / 2, width / 2, (width + 1) / 2, width / 2}};
        sweep.from = x && forward ? interleaved : bands;
        sweep.to = y && !forward ? interleaved : bands;
        lifting.extension = s % 2 == 0           ? WP_EXTEND_MIRROR
                            : sweep.from.samples ? WP_EXTEND_CLAMP
                                                 : WP_EXTEND_ZERO;
        wp_cpu_program_set(&program, &lifting);
        for (int b = 0; b < WP_BAND_COUNT; b++) {
            const size_t at = (size_t)(b * BAND);
            sweep.from.data[b] = in + at;
            sweep.to.data[b] = expected + at;
        }
        const int rows = (height + 1) / 2;
        memset(expected, 0, sizeof expected);
        run_sweep(&sweep, false, wp_cpu_rows_get(0), 0, rows);
        for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
            memset(got, 0, sizeof got);
            for (int b = 0; b < WP_BAND_COUNT; b++)
                sweep.to.data[b] = got + (sweep.to.data[b] - (g ? got : expected));
            run_sweep(&sweep, true, set, 0, rows / 2);
            run_sweep(&sweep, true, set, rows / 2, rows - rows / 2);
            // Results have no gaps, so this detects writes outside of rows.
            for (int i = 0; i < SAMPLES_MAX; i++)
                assert_near(got[i], (double)expected[i]);
        }
    }
}

// One or two pairs with filters of one or two taps.
static void test_chains(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (unsigned k = 0; k < 2 * 2 * 2 * 3; k++) {
        const int taps = 1 + (int)(k / 4 % 2);
        struct wp_wavelet wavelet = {.pairs = 1 + (int)(k / 2 % 2)};
        for (int p = 0; p < wavelet.pairs; p++) {
            fill_filter(&wavelet.pair[p].predict, 0, taps, &seed);
            fill_filter(&wavelet.pair[p].update, -1, 2, &seed);
        }
        check_chain(&wavelet, (enum wp_direction)(k % 2), k / 8 != 1, k / 8 != 2);
    }
}

// Four to six steps, beginning with either parity; the first or the last one has a single tap.
static void test_chains_of_steps(void **state)
{
    (void)state;
    unsigned seed = 6;
    for (int steps = WP_CPU_CHAIN_STEPS_MIN; steps <= WP_CPU_CHAIN_STEPS; steps++) {
        for (int k = 0; k < 2 * 2 * 2 * 3; k++) {
            const int first = k / 2 % 2;
            struct wp_wavelet wavelet = {.pairs = 4};
            for (int s = first; s < first + steps; s++) {
                struct wp_pair *pair = &wavelet.pair[s / 2];
                const bool single = s == (k / 4 % 2 ? first : first + steps - 1);
                fill_filter(s % 2 ? &pair->update : &pair->predict, s % 2 ? -1 : single,
                            single ? 1 : 2, &seed);
            }
            check_chain(&wavelet, (enum wp_direction)(k % 2), k / 8 != 1, k / 8 != 2);
        }
    }
}

// Integer chains of each set against the first set, which test_reversible checks, and along one
// axis against steps in a ring. 18-bit integers are exact in both.
static void test_integer_chains(void **state)
{
    (void)state;
    enum { WIDTH = 98, HEIGHT = 13, BAND = 50 * 8, SAMPLES_MAX = WP_BAND_COUNT * BAND };
    static const int sizes[][2] = {{2, 2}, {3, 4}, {15, 7}, {16, 8}, {17, 9}, {63, 5}, {97, 13}};
    static const char *const names[] = {"haar", "cdf53"};
    static wp_real in[SAMPLES_MAX], expected[SAMPLES_MAX], got[SAMPLES_MAX];
    unsigned seed = 9;
    const struct wp_cpu_rows *set;
    for (int i = 0; i < SAMPLES_MAX; i++)
        in[i] = (wp_real)floor(262144 * (double)random_value(&seed)) - 131072;
    for (int k = 0; k < 2 * 2 * 3; k++) {
        const enum wp_direction direction = (enum wp_direction)(k % 2);
        const bool x = k / 4 != 1, y = k / 4 != 2, forward = direction == WP_FORWARD;
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(names[k / 2 % 2], &wavelet));
        struct wp_lifting lifting =
            wp_lifting_make(&wavelet, direction, WP_NORM_NONE, WP_BORDER_SYMMETRIC);
        wp_lifting_set_reversible(&lifting);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int width = sizes[s][0], height = sizes[s][1], rows = (height + 1) / 2;
            struct wp_cpu_program program;
            struct wp_cpu_sweep sweep = {.size = {width, height}, .along = {x, y},
                                         .program = &program};
            const struct wp_cpu_quads interleaved = {.samples = true, .pitch = {width}};
            const struct wp_cpu_quads bands = {
                .pitch = {(width + 1) / 2, width / 2, (width + 1) / 2, width / 2}};
            sweep.from = x && forward ? interleaved : bands;
            sweep.to = y && !forward ? interleaved : bands;
            for (int b = 0; b < WP_BAND_COUNT; b++)
                sweep.scale_in[b] = sweep.scale_out[b] = 1;
            wp_cpu_program_set(&program, &lifting);
            assert_true(program.chain.integer);
            for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
                for (int b = 0; b < WP_BAND_COUNT; b++) {
                    sweep.from.data[b] = in + (size_t)(b * BAND);
                    sweep.to.data[b] = expected + (size_t)(b * BAND);
                }
                // A ring starts with x, so for both axes the chain of the first set is the
                // reference.
                if (g == 0)
                    run_sweep(&sweep, x && y, set, 0, rows);
                for (int b = 0; b < WP_BAND_COUNT; b++)
                    sweep.to.data[b] = got + (size_t)(b * BAND);
                memset(got, 0, sizeof got);
                run_sweep(&sweep, true, set, 0, rows / 2);
                run_sweep(&sweep, true, set, rows / 2, rows - rows / 2);
                for (int i = 0; i < SAMPLES_MAX; i++)
                    assert_true(got[i] == expected[i]);
            }
            memset(expected, 0, sizeof expected);
        }
    }
}

// Integer rows of any length, for each set.
static void test_integer_rows(void **state)
{
    (void)state;
    static wp_real in[2][ROW], out[ROW];
    const wp_real c[] = {-0.5f, 0.25f};
    const struct wp_cpu_rows *set;
    unsigned seed = 11;
    for (int i = 0; i < ROW; i++)
        for (int t = 0; t < 2; t++)
            in[t][i] = (wp_real)floor(65536 * (double)random_value(&seed)) - 32768;
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int l = 0; l < LENGTHS; l++) {
            for (int i = 0; i < ROW; i++)
                out[i] = (wp_real)(i % 7 - 3);
            set->lift_integer(out + FIRST, (const wp_real *[]){in[0], in[1] + 1}, c, 2, 0.25f,
                            lengths[l]);
            for (int i = 0; i < ROW; i++) {
                const int n = i - FIRST;
                wp_real expected = (wp_real)(i % 7 - 3);
                if (n >= 0 && n < lengths[l])
                    expected = (wp_real)floor((double)(expected + c[0] * in[0][n] +
                                                       c[1] * in[1][n + 1] + 0.25f));
                assert_true(out[i] == expected);
            }
        }
    }
}

#ifndef WP_CPU_F64 // test_f64.c runs the backend
static void run_on(const struct wp_backend *backend, const struct wp_description *d,
                   const struct wp_variant *variant, const float *in, float *out)
{
    const struct wp_execute execute = {.backend = backend, .variant = variant};
    // Two runs: the first must not affect the second.
    assert_true(wp_execute(&execute, d, 2, (const float *[]){in, in}, (float *[]){out, out}));
}

// Chunks are 512 quads wide, the last one up to 16 quads wider; stripes have at least 32 rows of
// quads.
static void test_large(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1023, 3}, {1025, 3}, {1056, 2}, {1057, 4}, {1058, 2},
                                   {2080, 5}, {2083, 2}, {300, 290}};
    enum { SAMPLES_MAX = 300 * 290 };
    static float in[SAMPLES_MAX], expected[SAMPLES_MAX], got[SAMPLES_MAX];
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    unsigned seed = 7;
    for (int i = 0; i < SAMPLES_MAX; i++)
        in[i] = random_value(&seed);
    for (int w = 0; w < count; w++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int direction = 0; direction < 2; direction++) {
                struct wp_description params = {
                    .wavelet = &list[w],
                    .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                    .form = WP_FORM_PLAIN,
                    .direction = (enum wp_direction)direction,
                    .levels = 1,
                    .size = {sizes[s][0], sizes[s][1]},
                };
                if (list[w].symmetry == WP_SYMMETRY_NONE) {
                    params.border = WP_BORDER_PERIODIC;
                    params.size[WP_X] &= ~1;
                    params.size[WP_Y] = (params.size[WP_Y] + 1) & ~1;
                }
                const int samples = params.size[WP_X] * params.size[WP_Y];
                if (samples > SAMPLES_MAX)
                    continue;
                run_on(&wp_backend_reference, &params, NULL, in, expected);
                for (const struct wp_variant *v = wp_backend_cpu.variants; v->name; v++) {
                    run_on(&wp_backend_cpu, &params, v, in, got);
                    for (int i = 0; i < samples; i++)
                        if (!(fabs((double)got[i] - (double)expected[i]) < 1e-5))
                            fail_msg("%s %s %dx%d %s at %d: %g instead of %g", v->name,
                                     list[w].name, params.size[WP_X], params.size[WP_Y],
                                     direction ? "inverse" : "forward", i, (double)got[i],
                                     (double)expected[i]);
                }
            }
        }
    }
}

static void test_ceiling(void **state)
{
    (void)state;
    char reason[256];
    struct wp_device *device = wp_backend_cpu.open(-1, false, reason, sizeof reason);
    const struct wp_backend_bench *bench = wp_backend_cpu.bench;
    for (const struct wp_ceiling *c = bench->ceilings; c->name; c++) {
        struct wp_ceiling_run_state *ceiling = bench->ceiling_prepare(device, c, 33, 7);
        assert_non_null(ceiling);
        double seconds = -1;
        assert_true(bench->ceiling_run(&ceiling, 1, &seconds));
        assert_true(seconds >= 0);
        bench->ceiling_release(ceiling);
    }
    wp_backend_cpu.close(device);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_rows),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_chains_of_steps),
        cmocka_unit_test(test_integer_rows),
        cmocka_unit_test(test_integer_chains),
#ifndef WP_CPU_F64
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_ceiling),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
