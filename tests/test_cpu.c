// What the matrix of test_transform does not reach of the CPU backend: every set of row
// functions, rows of more than one chunk, stripes of several threads.
#include "backends.h"
#include "cpu_rows.h"
#include "every_wavelet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROW = 3 * WP_CPU_SLACK + 100, FIRST = WP_CPU_SLACK + 1, ROWS = 12 };

static float random_value(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (1 << 24);
}

static void fill(float rows[ROWS][ROW], unsigned seed)
{
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < ROW; i++)
            rows[r][i] = random_value(&seed);
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) < 2e-6))
        fail_msg("%.9g instead of %.9g", got, expected);
}

static const int lengths[] = {0, 1, 2, 7, 8, 15, 16, 17, 33, 63, 64, 65, 100};

enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void test_plain_rows(void **state)
{
    (void)state;
    const struct wp_cpu_rows *set;
    static float in[ROWS][ROW], out[ROWS][ROW];
    fill(in, 1);
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int l = 0; l < LENGTHS; l++) {
            const int n = lengths[l];
            fill(out, 2);
            const float behind[2] = {out[0][FIRST + n], out[1][FIRST + n]};
            set->split(out[0] + FIRST, out[1] + FIRST, in[0] + 3, n);
            for (int i = 0; i < n; i++) {
                assert_true(out[0][FIRST + i] == in[0][3 + 2 * i]);
                assert_true(out[1][FIRST + i] == in[0][4 + 2 * i]);
            }
            set->scale(out[1] + FIRST, in[1] + 2, 0.75f, n);
            for (int i = 0; i < n; i++)
                assert_near(out[1][FIRST + i], 0.75 * (double)in[1][2 + i]);
            assert_true(out[0][FIRST + n] == behind[0] && out[1][FIRST + n] == behind[1]);
            const float last = out[2][FIRST + 2 * n];
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
    static float in[ROWS][ROW], out[ROWS][ROW];
    static const float c[9] = {0.5f, 0.5f, -0.25f, 1.0f, 0.125f, -0.3f, 0.7f, 0.01f, -0.9f};
    fill(in, 3);
    for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
        for (int taps = 0; taps <= 9; taps++) {
            for (int l = 0; l < LENGTHS; l++) {
                const int n = lengths[l];
                const float *from[9];
                for (int t = 0; t < taps; t++)
                    from[t] = in[t] + t;
                fill(out, 4);
                const float behind = out[0][FIRST + n];
                memcpy(out[1], out[0], sizeof out[0]);
                set->lift(out[0] + FIRST, from, c, taps, n);
                set->sum(out[2] + FIRST, from, c, taps, n);
                for (int i = 0; i < n; i++) {
                    double sum = 0;
                    for (int t = 0; t < taps; t++)
                        sum += (double)c[t] * (double)from[t][i];
                    assert_near(out[0][FIRST + i], sum + (double)out[1][FIRST + i]);
                    assert_near(out[2][FIRST + i], sum);
                }
                assert_true(out[0][FIRST + n] == behind);
            }
        }
    }
}

// A chain by its definition, in double precision, over elements -pairs..n+pairs-1.
static void chain_by_definition(double *a, double *b, int n, const struct wp_cpu_chain *chain)
{
    for (int p = 0; p < chain->pairs; p++) {
        const int margin = chain->pairs - p;
        const float *c = chain->c[p];
        for (int i = -margin; i < n + margin - 1; i++)
            b[i] += (double)c[0] * a[i] + (double)c[1] * a[i + 1];
        for (int i = 1 - margin; i < n + margin - 1; i++)
            a[i] += (double)c[2] * b[i - 1] + (double)c[3] * b[i];
    }
}

static const struct wp_cpu_chain chains[] = {
    {1, {{-0.5f, -0.5f, 0.25f, 0.25f}}},
    {1, {{-1.0f, 0.0f, 0.0f, 0.5f}}},
    {2, {{-0.6f, -0.6f, -0.05f, -0.05f}, {0.9f, 0.9f, 0.4f, 0.4f}}},
    {2, {{-0.6f, 0.3f, -0.05f, 0.2f}, {0.9f, 0.1f, 0.4f, -0.7f}}},
};

static void test_chains_in_x(void **state)
{
    (void)state;
    const struct wp_cpu_rows *set;
    static float in[ROWS][ROW], out[ROWS][ROW];
    static double a[ROW], b[ROW];
    fill(in, 5);
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
            for (int l = 0; l < LENGTHS; l++) {
                const int n = lengths[l];
                set->chain_x(out[0] + FIRST, out[1] + FIRST, in[0] + FIRST, in[1] + FIRST, 0.5f,
                             1.5f, n, &chains[k]);
                for (int i = 0; i < ROW; i++) {
                    a[i] = 0.5 * (double)in[0][i];
                    b[i] = 1.5 * (double)in[1][i];
                }
                chain_by_definition(a + FIRST, b + FIRST, n, &chains[k]);
                for (int i = 0; i < n; i++) {
                    assert_near(out[0][FIRST + i], a[FIRST + i]);
                    assert_near(out[1][FIRST + i], b[FIRST + i]);
                }
                if (2 * n > ROW - 3 * WP_CPU_SLACK)
                    continue;
                set->chain_split(out[0] + FIRST, out[1] + FIRST, in[2] + FIRST, n, &chains[k]);
                for (int i = -2; i < n + 2; i++) {
                    a[FIRST + i] = (double)in[2][FIRST + 2 * i];
                    b[FIRST + i] = (double)in[2][FIRST + 2 * i + 1];
                }
                chain_by_definition(a + FIRST, b + FIRST, n, &chains[k]);
                for (int i = 0; i < n; i++) {
                    assert_near(out[0][FIRST + i], a[FIRST + i]);
                    assert_near(out[1][FIRST + i], b[FIRST + i]);
                }
            }
        }
    }
}

static void test_chains_in_y(void **state)
{
    (void)state;
    const struct wp_cpu_rows *set;
    enum { COUNT = 24 }; // rows -2..ROWS / 2 - 3 of a and of b
    static float in[ROWS][ROW], out[2][ROW], kept[WP_CPU_CHAIN_ROWS][ROW];
    double a[ROWS / 2], b[ROWS / 2];
    fill(in, 6);
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        const int pairs = chains[k].pairs, rows = ROWS / 2;
        for (int g = 0; (set = wp_cpu_rows_get(g)) != NULL; g++) {
            memset(kept, 0, sizeof kept);
            for (int j = 1; j < rows; j++) {
                struct wp_cpu_chain_y y = {
                    .a_old = in[2 * j - 2], .b_old = in[2 * j - 1], .a_new = in[2 * j],
                    .a_out = out[0], .b_out = out[1], .a_scale = 2, .b_scale = 0.5f,
                };
                for (int s = 0; s < WP_CPU_CHAIN_ROWS; s++)
                    y.state[s] = kept[s];
                set->chain_y(&y, COUNT, &chains[k]);
                if (j < 2 * pairs)
                    continue;
                for (int i = 0; i < COUNT; i++) {
                    for (int r = 0; r < rows; r++) {
                        a[r] = (double)in[2 * r][i];
                        b[r] = (double)in[2 * r + 1][i];
                    }
                    chain_by_definition(a + pairs, b + pairs, rows - 2 * pairs, &chains[k]);
                    assert_near(out[0][i], 2 * a[j - pairs]);
                    assert_near(out[1][i], 0.5 * b[j - pairs]);
                }
            }
        }
    }
}

static void run_on(const struct wp_backend *backend, const struct wp_plan *plan,
                   const struct wp_variant *variant, const float *in, float *out)
{
    char reason[256];
    struct wp_device *device = backend->open(-1, false, reason, sizeof reason);
    assert_non_null(device);
    struct wp_exec *exec = backend->prepare(device, plan, variant);
    assert_non_null(exec);
    // Twice: nothing of the first run may show in the second.
    for (int i = 0; i < 2; i++)
        assert_true(backend->load(exec, in) && backend->run(exec, NULL));
    assert_true(backend->store(exec, out));
    backend->release(exec);
    backend->close(device);
}

// Chunks are 512 quads wide, and the last one up to 16 wider; stripes 32 rows of quads and more.
static void test_large(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1023, 3}, {1025, 3}, {1056, 2}, {1057, 4}, {1058, 2},
                                   {2080, 5}, {2083, 2}, {300, 290}};
    enum { MOST = 300 * 290 };
    static float in[MOST], expected[MOST], got[MOST];
    static struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    unsigned seed = 7;
    for (int i = 0; i < MOST; i++)
        in[i] = random_value(&seed);
    for (int w = 0; w < count; w++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int direction = 0; direction < 2; direction++) {
                struct wp_plan_params params = {
                    .wavelet = &list[w],
                    .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
                    .form = WP_FORM_PLAIN,
                    .direction = (enum wp_direction)direction,
                    .levels = 1,
                    .width = sizes[s][0],
                    .height = sizes[s][1],
                };
                if (list[w].symmetry == WP_SYMMETRY_NONE) {
                    params.border = WP_BORDER_PERIODIC;
                    params.width &= ~1;
                    params.height = (params.height + 1) & ~1;
                }
                if (params.width * params.height > MOST)
                    continue;
                struct wp_plan *plan = wp_plan_create(&params);
                assert_non_null(plan);
                run_on(&wp_backend_reference, plan, NULL, in, expected);
                for (const struct wp_variant *v = wp_backend_cpu.variants; v->name; v++) {
                    run_on(&wp_backend_cpu, plan, v, in, got);
                    for (int i = 0; i < params.width * params.height; i++)
                        if (!(fabs((double)got[i] - (double)expected[i]) < 1e-5))
                            fail_msg("%s %s %dx%d %s at %d: %g instead of %g", v->name,
                                     list[w].name, params.width, params.height,
                                     direction ? "inverse" : "forward", i, (double)got[i],
                                     (double)expected[i]);
                }
                wp_plan_destroy(&plan);
            }
        }
    }
}

static void test_ceiling(void **state)
{
    (void)state;
    char reason[256];
    struct wp_device *device = wp_backend_cpu.open(-1, false, reason, sizeof reason);
    for (const struct wp_ceiling *c = wp_backend_cpu.ceilings; c->name; c++) {
        struct wp_exec *exec = wp_backend_cpu.prepare_ceiling(device, c, 33, 7);
        assert_non_null(exec);
        double seconds = -1;
        assert_true(wp_backend_cpu.run(exec, &seconds));
        assert_true(seconds >= 0);
        wp_backend_cpu.release(exec);
    }
    wp_backend_cpu.close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_rows),  cmocka_unit_test(test_sums),
        cmocka_unit_test(test_chains_in_x), cmocka_unit_test(test_chains_in_y),
        cmocka_unit_test(test_large),       cmocka_unit_test(test_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
