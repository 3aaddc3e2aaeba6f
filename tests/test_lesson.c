// Arithmetic traces of a sample have the values that the transform computes, after each step.
// Worksheet questions have the right answers.
#include "description.h"
#include "golden.h"
#include "plan.h"
#include "pattern.h"
#include "lesson.h"
#include "log.h"
#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 21, HEIGHT = 18, LEVELS = 2 };

static struct wp_description describe(const char *scheme, enum wp_direction direction,
                                      const struct wp_wavelet *wavelet)
{
    return (struct wp_description){
        .wavelet = wavelet,
        .kind = wp_scheme_kind_find(scheme, 2),
        .direction = direction,
        .border = WP_BORDER_SYMMETRIC,
        .size = {WIDTH, HEIGHT},
        .levels = LEVELS,
    };
}

// A single term that only repeats the sample.
static bool is_identity(const struct wp_trace_line *line)
{
    static const int origin[WP_DIMS_MAX];
    return !line->name.length && line->terms == 1 && line->term[0].c == 1 &&
           memcmp(line->term[0].at, origin, sizeof origin) == 0;
}

// The value of each line is the sum of its terms.
static void check_lines(const struct wp_trace *trace)
{
    for (int s = 0; s < trace->steps; s++) {
        for (int i = 0; i < trace->step[s].lines; i++) {
            const struct wp_trace_line *line = &trace->step[s].line[i];
            double value = 0;
            for (int t = 0; t < line->terms; t++)
                value += line->term[t].c * line->term[t].value;
            assert_true(line->terms ? line->origin.length == 0 : line->origin.length > 0);
            assert_false(is_identity(line));
            if (line->terms)
                assert_float_equal(value, line->value, 1e-12);
        }
    }
}

// Compares each output sample of the transform with its trace.
static void check_all(const char *scheme, enum wp_direction direction)
{
    struct wp_image *image = wp_pattern_create("noise:21x18");
    struct wp_description description = describe(scheme, direction, wp_wavelet_table[2]);
    const struct wp_execute on = {.backend = &wp_backend_reference};
    float result[WIDTH * HEIGHT], *const out = result;
    description.layout = WP_LAYOUT_MIXED;
    const float *from = image->plane[0];
    struct wp_description forward = description;
    forward.direction = WP_FORWARD;
    forward.layout = WP_LAYOUT_MALLAT;
    // Traces of the inverse start from coefficients in the layout Mallat.
    if (direction == WP_INVERSE) {
        float *const coefficients = image->plane[0];
        assert_true(wp_execute(&on, &forward, 1, &from, &coefficients));
        description.layout = WP_LAYOUT_MALLAT;
    }
    assert_true(wp_execute(&on, &description, 1, &from, &out));
    description.layout = WP_LAYOUT_MALLAT;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int position[WP_DIMS_MAX] = {i % WIDTH, i / WIDTH, 0};
        struct wp_trace *trace = wp_trace_create(&description, image, position, 0);
        assert_non_null(trace);
        assert_float_equal(trace->value, (double)result[i], 1e-6);
        check_lines(trace);
        wp_trace_destroy(&trace);
    }
    wp_image_destroy(&image);
}

static void test_all(void **state)
{
    (void)state;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        check_all(wp_scheme_kinds[k].name, WP_FORWARD);
        check_all(wp_scheme_kinds[k].name, WP_INVERSE);
    }
}

// Every coefficient and every sample of a transform with a border of PyWavelets, and what the array
// has between its bands, where no trace begins.
static void check_border(const struct wp_description *forward, struct wp_image *image)
{
    const struct wp_execute on = {.backend = &wp_backend_reference};
    struct wp_description inverse = *forward;
    inverse.direction = WP_INVERSE;
    const int dims = forward->size[WP_Z] ? 3 : 2;
    int extent[WP_DIMS_MAX];
    for (int a = 0; a < WP_DIMS_MAX; a++)
        extent[a] = wp_description_extent(forward, a);
    struct wp_image *array = wp_image_create_volume(extent[WP_X], extent[WP_Y], extent[WP_Z], 1,
                                                    false);
    const float *const from = image->plane[0];
    float *const to = array->plane[0];
    assert_true(wp_execute(&on, forward, 1, &from, &to));
    int traced = 0, bands = 0;
    for (int i = 0; i < wp_subband_count(forward); i++) {
        const int *size = wp_subband_describe(forward, i).grid.size;
        bands += size[WP_X] * size[WP_Y] * size[WP_Z];
    }
    for (int direction = 0; direction < 2; direction++) {
        const struct wp_image *in = direction ? array : image, *out = direction ? image : array;
        const int width = out->width, height = out->height;
        for (size_t i = 0; i < wp_image_samples(out); i++) {
            const int at = (int)i;
            const int position[] = {at % width, at / width % height, at / width / height};
            struct wp_trace *trace =
                wp_trace_create(direction ? &inverse : forward, in, position, 0);
            if (trace) {
                assert_float_equal(trace->value, (double)out->plane[0][i], 2e-5);
                check_lines(trace);
            } else {
                assert_non_null(strstr(wp_last_error_text(), "belongs to no subband"));
            }
            traced += trace && !direction;
            assert_true(trace || !direction);
            wp_trace_destroy(&trace);
        }
        int beyond[WP_DIMS_MAX] = {0};
        beyond[dims - 1] = dims == 3 ? out->depth : height;
        assert_null(wp_trace_create(direction ? &inverse : forward, in, beyond, 0));
        assert_non_null(strstr(wp_last_error_text(), "is outside the "));
    }
    assert_int_equal(traced, bands);
    wp_image_destroy(&array);
}

static void test_borders(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet, *scheme;
    } cases[] = {{"haar", "sep-convolution"}, {"db2", "nonsep-polyconvolution"},
                 {"cdf53", "sep-lifting"}, {"cdf97", "nonsep-lifting"}};
    for (int border = WP_BORDER_NATIVE; border < WP_BORDER_COUNT; border++) {
        for (int dims = 2; dims <= 3; dims++) {
            const int c = (border + dims) % 4;
            struct wp_image *image =
                wp_pattern_create(dims == 3 ? "noise:5x4x3" : border % 2 ? "noise:11x6" : "noise:1x7");
            struct wp_wavelet wavelet;
            assert_true(wp_wavelet_find(cases[c].wavelet, &wavelet));
            const struct wp_description d = {
                .wavelet = &wavelet,
                .kind = wp_scheme_kind_find(cases[c].scheme, dims),
                .border = (enum wp_border)border,
                .norm = border % 3 ? WP_NORM_JPEG2000 : WP_NORM_PYWT,
                .size = {image->width, image->height, dims == 3 ? image->depth : 0},
                .levels = 2,
                .levels_z = dims == 3,
            };
            wp_begin_attempt(); // without messages
            check_border(&d, image);
            wp_end_attempt();
            wp_image_destroy(&image);
        }
    }
}

// Every coefficient and every pixel of redundant banks, also of images of one column.
static void test_banks(void **state)
{
    (void)state;
    static const struct {
        enum wp_bank bank;
        const char *wavelet, *scheme;
        enum wp_border border;
        enum wp_norm norm;
    } cases[] = {
        {WP_BANK_UNDECIMATED, "cdf97", "sep-lifting", WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000},
        {WP_BANK_UNDECIMATED, "cdf53", "nonsep-polyconvolution", WP_BORDER_PERIODIC, WP_NORM_PYWT},
        {WP_BANK_UNDECIMATED, "db2", "sep-convolution", WP_BORDER_PERIODIC, WP_NORM_ORTHONORMAL},
        {WP_BANK_UNDECIMATED, "cdf53", "nonsep-convolution", WP_BORDER_SYMMETRIC, WP_NORM_NONE},
        {WP_BANK_STARLET, "haar", "sep-convolution", WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000},
        {WP_BANK_STARLET, "haar", "nonsep-convolution", WP_BORDER_PERIODIC, WP_NORM_JPEG2000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int odd = 0; odd < 2; odd++) {
            struct wp_image *image = wp_pattern_create(odd ? "noise:11x6" : "noise:1x7");
            struct wp_wavelet wavelet;
            assert_true(wp_wavelet_find(cases[i].wavelet, &wavelet));
            const struct wp_description d = {
                .wavelet = &wavelet,
                .kind = wp_scheme_kind_find(cases[i].scheme, 2),
                .bank = cases[i].bank,
                .border = cases[i].border,
                .norm = cases[i].norm,
                .size = {image->width, image->height},
                .levels = 3,
            };
            wp_begin_attempt(); // without messages
            check_border(&d, image);
            wp_end_attempt();
            wp_image_destroy(&image);
        }
    }
}

// Undecimated details move with the pulse, and decimated ones are some of them.
static void test_shifts(void **state)
{
    (void)state;
    static const char *const names[] = {"haar", "cdf53", "cdf97", "db4", "sym5"};
    double changed = 0;
    for (int n = 0; n < 5; n++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(names[n], &wavelet));
        for (int level = 1; level <= WP_SHIFT_LEVELS; level++) {
            struct wp_shift shift;
            struct wp_text picture = {0};
            assert_true(wp_shift_make(&wavelet, level, 17 * level - 9, &shift));
            double value[2][WP_SHIFT_SAMPLES] = {{0}};
            for (int s = 0; s < 2; s++) {
                const struct wp_shift_details *few = &shift.details[0][s], *all = &shift.details[1][s];
                assert_int_equal(few->count, WP_SHIFT_SAMPLES >> level);
                assert_int_equal(all->count, WP_SHIFT_SAMPLES);
                for (int i = 0; i < all->count; i++)
                    value[s][all->at[i]] = all->value[i];
                for (int i = 0; i < few->count; i++)
                    assert_float_equal(few->value[i], value[s][few->at[i]], 1e-6);
            }
            for (int i = 0; i < WP_SHIFT_SAMPLES; i++)
                assert_float_equal(value[0][i], value[1][(i + 1) % WP_SHIFT_SAMPLES], 1e-6);
            assert_float_equal(shift.details[1][0].energy, shift.details[1][1].energy, 1e-5);
            changed += fabs(shift.details[0][0].energy - shift.details[0][1].energy);
            wp_shift_draw(&shift, &wavelet, &picture);
            assert_non_null(strstr(wp_text_get(&picture), "undecimated ones move along"));
            wp_text_free(&picture);
        }
    }
    assert_true(changed > 1);
    struct wp_shift shift;
    assert_true(wp_shift_make(wp_wavelet_table[0], 99, -1, &shift));
    assert_int_equal(shift.level, WP_SHIFT_LEVELS);
    assert_int_equal(shift.edge, WP_SHIFT_SAMPLES - 1);
}

// A position, and the value there after the step `selected`.
struct shown {
    const int *position;
    int steps, selected;
    int component;
    double value;
};

static bool look(void *user, const struct wp_lesson_state *state)
{
    struct shown *shown = user;
    int at[WP_DIMS_MAX] = {0}, component = 0;
    for (int a = 0; a < 2; a++) {
        at[a] = shown->position[a] >> state->level;
        component |= (shown->position[a] >> (state->level - 1) & 1) << a;
    }
    if (shown->steps++ == shown->selected) {
        shown->component = component;
        shown->value = wp_lesson_value(state, component, at);
    }
    return true;
}

// Traces that end early give the values after that step. The position is one that all levels
// change.
static void check_ends(const char *scheme, enum wp_direction direction,
                       const int position[WP_DIMS_MAX])
{
    struct wp_image *image = wp_pattern_create("noise:21x18");
    struct wp_description description = describe(scheme, direction, wp_wavelet_table[1]);
    struct shown shown = {.position = position, .selected = -1};
    assert_true(wp_lesson_run(&description, image, NULL, look, &shown));
    const int steps = shown.steps;
    assert_true(steps > 2);
    for (int s = 0; s < steps; s++) {
        shown = (struct shown){.position = position, .selected = s};
        assert_true(wp_lesson_run(&description, image, NULL, look, &shown));
        struct wp_trace *trace = wp_trace_create(&description, image, position, s + 1);
        assert_non_null(trace);
        assert_int_equal(trace->steps, s + 1);
        // The trace has no unneeded lines: the last one computes the requested value.
        const struct wp_trace_step *last = &trace->step[s];
        if (last->label.length && last->lines)
            assert_int_equal(last->line[last->lines - 1].component, shown.component);
        assert_float_equal(trace->value, shown.value, 1e-6);
        check_lines(trace);
        wp_trace_destroy(&trace);
    }
    wp_image_destroy(&image);
}

static void test_ends(void **state)
{
    (void)state;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        for (int c = 0; c < 4; c++) {
            const int position[WP_DIMS_MAX] = {8 + 2 * (c & 1), 4 + 2 * (c >> 1), 0};
            check_ends(wp_scheme_kinds[k].name, WP_FORWARD, position);
            const int pixel[WP_DIMS_MAX] = {9 + (c & 1), 5 + (c >> 1), 0};
            check_ends(wp_scheme_kinds[k].name, WP_INVERSE, pixel);
        }
    }
}

// Rejects positions outside the image; accepts more steps than there are.
static void test_rejected(void **state)
{
    (void)state;
    struct wp_image *image = wp_pattern_create("noise:21x18");
    const struct wp_description description =
        describe("sep-lifting", WP_FORWARD, wp_wavelet_table[1]);
    const int beyond[][WP_DIMS_MAX] = {{WIDTH, 0, 0}, {0, HEIGHT, 0}, {-1, 0, 0}, {0, -1, 0}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        assert_null(wp_trace_create(&description, image, beyond[i], 0));
        assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    }
    const int position[WP_DIMS_MAX] = {3, 3, 0};
    struct wp_trace *all = wp_trace_create(&description, image, position, 0);
    struct wp_trace *more = wp_trace_create(&description, image, position, 999);
    assert_int_equal(all->steps, more->steps);
    assert_string_equal(wp_text_get(&all->name), wp_text_get(&more->name));
    wp_trace_destroy(&more);
    wp_trace_destroy(&all);
    wp_trace_destroy(&all);
    wp_image_destroy(&image);
}

// ---- texts ----

static void add_trace(struct wp_text *text, const struct wp_description *d,
                      const struct wp_image *image, const int position[WP_DIMS_MAX], int steps)
{
    struct wp_trace *trace = wp_trace_create(d, image, position, steps);
    assert_non_null(trace);
    wp_text_add(text, "---- %s, %s\n", d->wavelet->name, wp_border_names[d->border]);
    wp_trace_legend(trace, text);
    wp_trace_print(trace, steps > 0, text);
    wp_trace_destroy(&trace);
}

// Edges and interior, levels of some axes only, subbands of both levels, and traces that end early.
static void test_golden_traces(void **state)
{
    (void)state;
    static const struct {
        const char *scheme, *wavelet, *pattern;
        enum wp_direction direction;
        enum wp_border border;
        int levels, levels_z, position[WP_DIMS_MAX], steps;
    } cases[] = {
        {"sep-lifting", "cdf53", "noise:9x6", WP_FORWARD, WP_BORDER_SYMMETRIC, 2, 0, {0, 5}, 0},
        {"sep-lifting", "cdf53", "noise:9x6", WP_FORWARD, WP_BORDER_SYMMETRIC, 2, 0, {6, 4}, 0},
        {"sep-lifting", "cdf53", "noise:9x6", WP_INVERSE, WP_BORDER_SYMMETRIC, 2, 0, {8, 5}, 0},
        {"sep-lifting", "cdf53", "noise:9x6", WP_INVERSE, WP_BORDER_SYMMETRIC, 2, 0, {3, 2}, 3},
        {"nonsep-convolution", "haar", "noise:6x6", WP_FORWARD, WP_BORDER_PERIODIC, 1, 0, {3, 3},
         0},
        {"nonsep-convolution", "haar", "noise:6x6", WP_INVERSE, WP_BORDER_PERIODIC, 1, 0, {2, 3},
         2},
        {"nonsep-lifting", "cdf53", "noise:8x8", WP_FORWARD, WP_BORDER_PERIODIC, 2, 0, {4, 0}, 3},
        {"nonsep-lifting", "cdf53", "noise:6x6", WP_INVERSE, WP_BORDER_PERIODIC, 1, 0, {5, 5}, 0},
        {"planar-lifting", "cdf53", "noise:5x4x6", WP_FORWARD, WP_BORDER_SYMMETRIC, 1, 1, {4, 3, 5},
         0},
        {"planar-lifting", "cdf53", "noise:5x4x6", WP_INVERSE, WP_BORDER_SYMMETRIC, 1, 1, {1, 0, 2},
         0},
        {"sep-lifting", "haar", "noise:4x4x4", WP_FORWARD, WP_BORDER_PERIODIC, 2, 1, {2, 0, 0}, 0},
        {"sep-lifting", "haar", "noise:4x4x4", WP_FORWARD, WP_BORDER_PERIODIC, 1, 2, {0, 2, 3}, 4},
        {"sep-lifting", "haar", "noise:4x4x4", WP_INVERSE, WP_BORDER_PERIODIC, 1, 2, {1, 1, 1}, 0},
        {"sep-lifting", "haar", "noise:4x4x4", WP_INVERSE, WP_BORDER_PERIODIC, 2, 1, {1, 2, 3}, 2},
        {"sep-lifting", "cdf53", "noise:6x5", WP_FORWARD, WP_BORDER_PYWT_ANTIREFLECT, 2, 0, {0, 4},
         0},
        {"nonsep-convolution", "db2", "noise:8x8", WP_INVERSE, WP_BORDER_PYWT_ZERO, 1, 0, {0, 2}, 0},
    };
    struct wp_text text = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wp_wavelet wavelet;
        struct wp_image *image = wp_pattern_create(cases[i].pattern);
        assert_non_null(image);
        assert_true(wp_wavelet_find(cases[i].wavelet, &wavelet));
        const int dims = image->depth > 1 ? 3 : 2;
        struct wp_description d = {
            .wavelet = &wavelet,
            .kind = wp_scheme_kind_find(cases[i].scheme, dims),
            .direction = cases[i].direction,
            .border = cases[i].border,
            .size = {image->width, image->height, dims == 3 ? image->depth : 0},
            .levels = cases[i].levels,
            .levels_z = cases[i].levels_z,
        };
        assert_non_null(d.kind);
        if (cases[i].border == WP_BORDER_PYWT_ZERO) // 8x8 coefficients
            memcpy(d.size, (const int[]){6, 5}, 2 * sizeof(int));
        // Rounded to 8 bits, so that the values are integers.
        for (size_t s = 0; s < wp_image_samples(image); s++)
            image->plane[0][s] = roundf(255 * image->plane[0][s]) / 255;
        image->origin.bits = i % 2 ? 0 : 8;
        add_trace(&text, &d, image, cases[i].position, cases[i].steps);
        wp_image_destroy(&image);
    }
    assert_golden("sums.txt", wp_text_get(&text));
    wp_text_free(&text);
}

// ---- questions ----

static struct wp_questions *ask(const char *name, unsigned long long seed)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    struct wp_questions *questions = wp_questions_create(&wavelet, seed);
    assert_non_null(questions);
    return questions;
}

static bool begins_with(const struct wp_question *question, const char *text)
{
    return strncmp(wp_text_get(&question->text), text, strlen(text)) == 0;
}

// The text after a word of a question.
static const char *text_after(const struct wp_question *question, const char *word)
{
    const char *at = strstr(wp_text_get(&question->text), word);
    assert_non_null(at);
    return at + strlen(word);
}

// CDF 5/3 by its definition.
static double cdf53(const int x[8], int position, bool updated)
{
    const int left = position ? position - 1 : 1, right = position < 7 ? position + 1 : 6;
    if (!updated)
        return x[position] - 0.5 * (x[left] + x[right]);
    return x[position] + 0.25 * (cdf53(x, left, false) + cdf53(x, right, false));
}

static void check_signal(const struct wp_question *question)
{
    int x[8], position;
    assert_int_equal(sscanf(text_after(question, "is "), "%d, %d, %d, %d, %d, %d, %d, %d", &x[0],
                            &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7]),
                     8);
    assert_int_equal(sscanf(text_after(question, "What is x["), "%d", &position), 1);
    assert_float_equal(question->answer,
                       cdf53(x, position, strstr(wp_text_get(&question->text), "update step 1")),
                       1e-12);
}

// Passes of CDF 5/3 from Table 1 of Barina et al. 2017.
static const struct {
    const char *name;
    int passes;
} known[] = {{"nonsep-polyconvolution", 1}, {"nonsep-convolution", 1}, {"nonsep-lifting", 2},
             {"sep-polyconvolution", 2},    {"sep-convolution", 2},    {"sep-lifting", 4}};

static int passes_of(const char *text)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(text, known[i].name, strlen(known[i].name)) == 0)
            return known[i].passes;
    fail_msg("no scheme: %s", text);
    return 0;
}

static int check_known(const struct wp_question *question)
{
    int levels, columns, rows, level;
    char band[3], unit[8];
    const double answer = question->answer;
    if (begins_with(question, "The signal")) {
        check_signal(question);
    } else if (begins_with(question, "How many passes")) {
        assert_float_equal(answer, (float)passes_of(text_after(question, "with ")), 0);
    } else if (begins_with(question, "A barrier")) {
        assert_int_equal(sscanf(text_after(question, "passes of "), "%d", &levels), 1);
        assert_float_equal(answer, (float)(levels * passes_of(text_after(question, "with ")) - 1),
                           0);
    } else if (begins_with(question, "All samples")) {
        assert_float_equal(answer, 1, 1e-12);
    } else if (begins_with(question, "How many vanishing")) {
        assert_float_equal(answer, 2, 0);
    } else if (begins_with(question, "How long is the analysis low")) {
        assert_float_equal(answer, 5, 0);
    } else if (begins_with(question, "How long is the analysis high")) {
        assert_float_equal(answer, 3, 0);
    } else if (begins_with(question, "Which factor multiplies even")) {
        assert_float_equal(answer, -0.5, 0);
    } else if (begins_with(question, "Which factor multiplies odd")) {
        assert_float_equal(answer, 0.25, 0);
    } else if (begins_with(question, "An image has")) {
        assert_int_equal(sscanf(wp_text_get(&question->text),
                                "An image has %d columns and %d rows. "
                                "How many %7s does its subband %2s%d have?",
                                &columns, &rows, unit, band, &level),
                         5);
        int size = strcmp(unit, "rows") == 0 ? rows : columns;
        const bool high = band[strcmp(unit, "rows") == 0] == 'H';
        for (int l = 1; l < level; l++)
            size = (size + 1) / 2;
        assert_float_equal(answer, (float)(high ? size / 2 : (size + 1) / 2), 0);
    } else {
        return 0;
    }
    return 1;
}

static void test_known_answers(void **state)
{
    (void)state;
    int checked = 0;
    for (unsigned long long seed = 1; seed <= 200; seed++) {
        struct wp_questions *questions = ask("cdf53", seed);
        for (int i = 0; i < questions->count; i++)
            checked += check_known(&questions->question[i]);
        wp_questions_destroy(&questions);
    }
    assert_in_range(checked, 1500, 3000);
}

// Each question is complete and accepts its own solution.
static void test_questions(void **state)
{
    (void)state;
    for (const char *const *name = wp_wavelet_family_names; *name; name++) {
        struct wp_questions *questions = ask(*name, 3);
        assert_in_range(questions->count, 12, 15);
        for (int i = 0; i < questions->count; i++) {
            const struct wp_question *q = &questions->question[i];
            struct wp_text answer = {0};
            bool right;
            assert_true(q->text.length && q->text.data[q->text.length - 1] == '?');
            assert_null(strchr(wp_text_get(&q->text), '\n'));
            assert_true(q->hint.length);
            assert_true(isfinite(q->answer));
            assert_true(!q->is_integer ||
                        !(q->answer < round(q->answer) || q->answer > round(q->answer)));
            wp_question_solution(q, &answer);
            assert_null(wp_question_check(q, wp_text_get(&answer), &right));
            assert_true(right);
            wp_text_free(&answer);
        }
        wp_questions_destroy(&questions);
    }
}

static void add_questions(struct wp_text *text, const char *name, unsigned long long seed,
                          bool hints)
{
    struct wp_questions *questions = ask(name, seed);
    for (int i = 0; i < questions->count; i++) {
        const struct wp_question *q = &questions->question[i];
        wp_text_add(text, "%s\n  ", wp_text_get(&q->text));
        wp_question_solution(q, text);
        wp_text_add(text, "%s%s\n", q->working.length ? ": " : "", wp_text_get(&q->working));
        if (hints)
            wp_text_add(text, "  (%s)\n", wp_text_get(&q->hint));
    }
    wp_questions_destroy(&questions);
}

// The questions of a seed do not change between versions.
static void test_golden_questions(void **state)
{
    (void)state;
    struct wp_text text = {0};
    add_questions(&text, "cdf53", 7, false);
    assert_golden("questions_cdf53_7.txt", wp_text_get(&text));
    wp_text_clear(&text);
    static const char *const names[] = {"haar", "cdf97", "d4", "bior3.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned long long seed = 1; seed <= 2; seed++) {
            wp_text_add(&text, "---- %s %llu\n", names[i], seed);
            add_questions(&text, names[i], seed, true);
        }
    assert_golden("questions.txt", wp_text_get(&text));
    wp_text_free(&text);
}

// Accepted spellings of numbers.
static void test_written(void **state)
{
    (void)state;
    const struct {
        double answer;
        bool whole;
        const char *written;
        int result; // 1: right, 0: wrong, -1: not a number
    } row[] = {
        {-0.5, false, "-0.5", 1},       {-0.5, false, "-0,5", 1},    {-0.5, false, " \u22121/2 ", 1},
        {-0.5, false, "-.5", 1},        {-0.5, false, "0.5", 0},     {0.5, false, "\u00bd", 1},
        {0.0625, false, "1/4*1/4", 1},  {0.0625, false, "\u00bc \u00b7 \u00bc", 1},
        {0.0625, false, "6.25e-2", 1},  {8, true, "2 \u00d7 4", 1},  {8, true, "8.0", 1},
        {8, true, "8.001", 0},          {8, true, "7", 0},           {0, false, "0", 1},
        {0, false, "0.01", 0},          {sqrt(2), false, "\u221a2", 1},
        {sqrt(2), false, "sqrt(2)", 1}, {sqrt(2) / 2, false, "sqrt2/2", 1},
        {sqrt(2), false, "1.41", 1},    {sqrt(2), false, "1.4", 0},  {-1.586134342, false, "-1.59", 1},
        {-1.586134342, false, "-1.6", 0}, {-0.052980118, false, "-0,0530", 1},
        {1, true, "", -1},              {1, true, " ", -1},          {1, true, "one", -1},
        {1, true, "1 apple", -1},       {1, true, "1/0", -1},        {1, true, "1.2.3", -1},
        {1, true, "nan", -1},           {1, true, "((((1", -1},      {1, true, "\u221a", -1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct wp_question question = {.answer = row[i].answer, .is_integer = row[i].whole};
        bool right = true;
        const char *problem = wp_question_check(&question, row[i].written, &right);
        if ((problem ? -1 : right) != row[i].result)
            fail_msg("'%s' for %g: %s", row[i].written, row[i].answer,
                     problem ? problem : right ? "right" : "wrong");
    }
    char longest[1000];
    bool right;
    memset(longest, '(', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_non_null(wp_question_check(&(struct wp_question){0}, longest, &right));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_shifts),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_golden_traces),
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_golden_questions),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
