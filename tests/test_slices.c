// Streaming through slices: the instruction lists, interpreted here on a line of one sample per
// slice, are compared with the lifting program on the complete line; and the size of the state.
#include "every_wavelet.h"
#include "kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LONGEST = 40, MARGIN = 200, NAMES = 80 };

struct line {
    int n;
    double sample[LONGEST];
};

// An invocation, with one component of each quad that it stores.
struct machine {
    const struct wp_kernel *k;
    const struct wp_lifting *lifting;
    const struct line *line;
    double states[WP_CHAIN_STATES][NAMES];
    double loaded, result[LONGEST];
    int written[LONGEST];
};

static double random_value(void)
{
    static unsigned seed = 7;
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 24);
}

// The border rule at the input, and the input gain of the inverse.
static double input_at(const struct wp_lifting *lifting, const struct line *line, int i)
{
    const int at = wp_extend(lifting->extension, i, line->n);
    const double gain = lifting->direction == WP_FORWARD ? 1 : lifting->gain[i & 1];
    return at < 0 ? 0 : line->sample[at] * gain;
}

// Executes each step on all of the line and beyond its ends.
static void lift(const struct wp_lifting *lifting, const struct line *line, double result[LONGEST])
{
    double all[LONGEST + 2 * MARGIN], *x = all + MARGIN;
    for (int i = -MARGIN; i < line->n + MARGIN; i++)
        x[i] = input_at(lifting, line, i);
    for (int s = 0; s < lifting->steps; s++) {
        const struct wp_lifting_step *step = &lifting->step[s];
        for (int i = -step->before; 2 * i < line->n + 2 * step->after; i++)
            for (int t = 0; t < step->filter.count; t++)
                x[2 * i + step->odd] +=
                    step->filter.tap[t].c * x[2 * (i + step->filter.tap[t].k) + !step->odd];
    }
    for (int i = 0; i < line->n; i++)
        result[i] = x[i] * (lifting->direction == WP_FORWARD ? lifting->gain[i & 1] : 1);
}

static double term_value(const struct machine *m, const struct wp_kernel_term *o)
{
    const struct wp_value *v = &o->value;
    return o->c * (v->step == WP_LOADED ? m->loaded : m->states[v->step][v->layer]);
}

// Adds the newest value of a state and shifts the older values that are still read.
static void push(struct machine *m, int state, double value)
{
    const int names = wp_chain_names(&m->k->chain.state[state]);
    assert_in_range(names, 1, NAMES);
    for (int age = names - 1; age > 0; age--)
        m->states[state][age] = m->states[state][age - 1];
    m->states[state][0] = value;
}

static double sum_of(const struct machine *m, const struct wp_instruction *i, int count)
{
    double sum = 0;
    for (int n = 0; n < count; n++)
        sum += term_value(m, &m->k->operand[i->first + n]);
    return sum;
}

// The index of the instruction after the END of the block that begins at `at`.
static int end_of_block(const struct wp_kernel *k, int at)
{
    int depth = 0;
    do {
        const enum wp_instruction_kind kind = k->instruction[at++].kind;
        depth += kind == WP_SLICES || kind == WP_PARITY || kind == WP_RESULT;
        depth -= kind == WP_END;
    } while (depth > 0);
    return at;
}

static void run_slice(struct machine *m, int slice, int first, int end)
{
    const struct wp_kernel *k = m->k;
    int result = 0;
    m->loaded = input_at(m->lifting, m->line, slice);
    for (int at = 1; at < k->instruction_count; at++) {
        const struct wp_instruction *i = &k->instruction[at];
        switch (i->kind) {
        case WP_PARITY: at = i->index == (slice & 1) ? at : end_of_block(k, at) - 1; break;
        case WP_ARRIVE: push(m, i->value.step, sum_of(m, i, 1)); break;
        case WP_LIFT: push(m, i->value.step, sum_of(m, i, i->count)); break;
        case WP_RESULT:
            result = slice - i->index;
            at = result >= first && result < end ? at : end_of_block(k, at) - 1;
            break;
        case WP_STORE:
            m->result[result] = sum_of(m, i, 1) * (i->scaled ? m->lifting->gain[result & 1] : 1);
            m->written[result]++;
            break;
        default: assert_true(i->kind == WP_LOAD || i->kind == WP_END);
        }
    }
}

// Layers of workgroups with `layer` slices each. States from before a layer are NaN.
static void check_line(const struct wp_lifting *lifting, const struct line *line, int layer)
{
    struct wp_kernel k;
    double expected[LONGEST];
    wp_kernel_of_lines(lifting, &k);
    struct machine m = {.k = &k, .lifting = lifting, .line = line};
    assert_int_equal(k.instruction[0].kind, WP_SLICES);
    for (int first = 0; first < line->n; first += layer) {
        const int end = first + layer < line->n ? first + layer : line->n;
        for (int s = 0; s < WP_CHAIN_STATES; s++)
            for (int age = 0; age < NAMES; age++)
                m.states[s][age] = NAN;
        for (int slice = first - k.chain.lead; slice < end + k.chain.late[end & 1]; slice++)
            run_slice(&m, slice, first, end);
    }
    lift(lifting, line, expected);
    for (int i = 0; i < line->n; i++) {
        assert_int_equal(m.written[i], 1);
        if (!(fabs(m.result[i] - expected[i]) < 1e-9))
            fail_msg("sample %d of %d in layers of %d is %g and not %g", i, line->n, layer,
                     m.result[i], expected[i]);
    }
    wp_kernel_free(&k);
}

static void check_wavelet(const struct wp_wavelet *wavelet, enum wp_border border)
{
    for (int direction = 0; direction < WP_DIRECTION_COUNT; direction++) {
        const struct wp_lifting lifting = wp_lifting_make(
            wavelet, (enum wp_direction)direction, WP_NORM_ORTHONORMAL, border);
        for (struct line line = {2, {0}}; line.n <= LONGEST; line.n++) {
            if (border == WP_BORDER_PERIODIC && line.n % 2)
                continue;
            for (int i = 0; i < line.n; i++)
                line.sample[i] = random_value();
            for (int layer = 2; layer < LONGEST; layer = 3 * layer - 2)
                check_line(&lifting, &line, layer);
        }
    }
}

static void slices_compute_lines(void **state)
{
    (void)state;
    struct wp_wavelet list[EVERY_WAVELET_MAX];
    const int count = every_wavelet(list);
    for (int w = 0; w < count; w++) {
        check_wavelet(&list[w], WP_BORDER_PERIODIC);
        if (list[w].symmetry != WP_SYMMETRY_NONE)
            check_wavelet(&list[w], WP_BORDER_SYMMETRIC);
    }
}

// Computed by hand. After an odd slice CDF 5/3 stores that slice, the even slice before it for two
// steps, and the last high-pass coefficient; each further pair of steps stores two more values.
static void state_is_minimal(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        struct wp_lines_reach reach;
    } known[] = {
        {"haar", {0, 1, 1}}, {"cdf53", {2, 2, 3}}, {"cdf97", {4, 4, 5}}, {"dd137", {6, 6, 8}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct wp_lifting lifting =
            wp_lifting_make(table_wavelet(known[i].wavelet), WP_FORWARD, WP_NORM_JPEG2000,
                            WP_BORDER_SYMMETRIC);
        const struct wp_lines_reach reach = wp_lines_reach(&lifting);
        assert_int_equal(reach.before, known[i].reach.before);
        assert_int_equal(reach.after, known[i].reach.after);
        assert_int_equal(reach.stored, known[i].reach.stored);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_compute_lines),
        cmocka_unit_test(state_is_minimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
