// Each wavelet, scheme, form, border, direction, size and level on one backend (the program's
// argument), compared with the oracle. Ends with "N passed, N failed, N skipped".
#include "registry.h"
#include "log.h"
#include "oracle.h"
#include "schedule.h"
#include "sample.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PIXELS = 640 * 480 };

static const struct {
    int width, height, planes;
} sizes[] = {{1, 1, 1},   {1, 7, 1},     {7, 1, 1},     {5, 7, 1},     {5, 7, 3},
             {64, 64, 1}, {64, 64, 3},   {511, 513, 1}, {511, 513, 3}, {640, 480, 1},
             {640, 480, 3}};

enum { SIZES = sizeof sizes / sizeof *sizes };

static struct {
    int passed, failed, skipped;
    double worst;
    char worst_of[32];
} total;

// --quick: for slow builds, such as those with sanitizers.
static int largest = MAX_PIXELS;
enum { QUICK_PIXELS = 64 * 64 };

// --hardware: the exit status if the device is a software renderer.
enum { SKIPPED = 77 };

static double oracle_image[MAX_PIXELS], oracle_coefficients[MAX_PIXELS], gains[MAX_PIXELS],
    mixed[MAX_PIXELS];

// --planes: number of planes that are transformed at once.
enum { MAX_STACK = 4 };
static int stack = 1;
static float plane[MAX_STACK * MAX_PIXELS], result[MAX_STACK * MAX_PIXELS];

// The parameters of a case.
struct test_case {
    const struct wp_wavelet *wavelet;
    const struct wp_scheme_kind *kind;
    enum wp_form form;
    enum wp_border border;
    enum wp_norm norm;
    enum wp_layout layout;
    enum wp_direction direction;
    int width, height, levels;
};

static void print_case(const struct test_case *c)
{
    printf("%s/%s/%s %s %s %s %s %dx%d levels %d", c->wavelet->name, c->kind->name,
           wp_form_names[c->form], wp_border_names[c->border], wp_norm_names[c->norm],
           wp_layout_names[c->layout], c->direction == WP_FORWARD ? "forward" : "inverse",
           c->width, c->height, c->levels);
}

static void random_image(double *image, int count, unsigned seed)
{
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (double)(seed >> 8) / (1 << 24);
    }
}

static void to_oracle_filter(const struct wp_filter *filter, struct oracle_filter *out)
{
    memset(out, 0, sizeof *out);
    if (filter->count == 0)
        return;
    out->first = filter->tap[0].k;
    out->count = filter->tap[filter->count - 1].k - out->first + 1;
    for (int t = 0; t < filter->count; t++)
        out->tap[filter->tap[t].k - out->first] = filter->tap[t].c;
}

// The oracle's published taps for the wavelet's name or an alias; otherwise the taps computed from
// the lifting steps. The normalization `none` depends on the factorization, so zeta is the
// wavelet's.
static bool find_filters(const struct wp_wavelet *wavelet, struct oracle_filters *filters)
{
    char names[sizeof wavelet->name + sizeof wavelet->aliases + 1];
    snprintf(names, sizeof names, "%s %s", wavelet->name, wavelet->aliases);
    for (const char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        if (oracle_filters_find(name, filters)) {
            filters->zeta = wavelet->zeta;
            return true;
        }
    }
    printf("%s: filters for the oracle from the lifting steps\n", wavelet->name);
    struct oracle_filter steps[2 * WP_MAX_PAIRS];
    for (int k = 0; k < wavelet->pairs; k++) {
        to_oracle_filter(&wavelet->pair[k].predict, &steps[2 * k]);
        to_oracle_filter(&wavelet->pair[k].update, &steps[2 * k + 1]);
    }
    return oracle_filters_from_lifting(2 * wavelet->pairs, steps, wavelet->zeta, filters);
}

// Prints each reason once, and counts.
static void skip_unsupported(const struct test_case *c, const char *why)
{
    static char last[256];
    total.skipped++;
    if (strcmp(last, why) == 0)
        return;
    snprintf(last, sizeof last, "%s", why);
    printf("skipped ");
    print_case(c);
    printf(" and others: %s\n", why);
}

// --scheme: the only scheme to test, or NULL.
static const struct wp_scheme_kind *only;

// --variant: a variant of the backend, or NULL for its default.
static const struct wp_variant *variant;

// Runs `in` through the backend. Returns the largest error relative to `scale`, infinity if the
// call failed, or -1 after a message if the variant does not support the case. Each plane of a
// stack is half of the one before it, which is exact and identifies the planes.
static double run_case(const struct wp_backend_choice *on, const struct test_case *c,
                       const double *in, const double *expected, const double *scale)
{
    const struct wp_description params = {
        .wavelet = c->wavelet,
        .kind = c->kind,
        .form = c->form,
        .direction = c->direction,
        .norm = c->norm,
        .border = c->border,
        .layout = c->layout,
        .levels = c->levels,
        .size = {c->width, c->height},
        .planes = stack,
    };
    const int count = c->width * c->height;
    for (int i = 0; i < stack * count; i++)
        plane[i] = (float)ldexp(in[i % count], -(i / count));
    char why[256] = "";
    if (variant && variant->supports && !variant->supports(variant, &params, why, sizeof why)) {
        skip_unsupported(c, why);
        return -1;
    }
    // Directly on the caller's memory if the backend supports it, and with load, run and store.
    double worst = 0;
    for (int parts = on->backend->transform == NULL; parts < 2; parts++) {
        struct wp_exec *exec = on->backend->prepare(on->device, &params, variant);
        const struct wp_operand from = wp_operand_const(&params, plane);
        const struct wp_operand to = wp_operand_dense(&params, result);
        for (int i = 0; i < stack * count; i++)
            result[i] = NAN;
        const bool ran = exec && (parts ? on->backend->load(exec, &from) &&
                                              on->backend->run(exec, NULL) &&
                                              on->backend->store(exec, &to)
                                        : on->backend->transform(exec, &from, &to, NULL));
        on->backend->release(exec);
        worst = ran ? worst : INFINITY;
        for (int i = 0; i < stack * count && ran; i++) {
            const double got = ldexp((double)result[i], i / count);
            const double error = fabs(got - expected[i % count]) / (scale ? scale[i % count] : 1.0);
            worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
        }
    }
    return worst;
}

static void record_result(const struct test_case *c, double error)
{
    if (error < 0)
        return;
    const struct wp_description d = {.wavelet = c->wavelet,
                                     .kind = c->kind,
                                     .form = c->form,
                                     .direction = c->direction,
                                     .levels = c->levels};
    const double tolerance = wp_verify_tolerance(&d, c->levels);
    const bool ok = error <= tolerance;
    total.passed += ok;
    total.failed += !ok;
    if (ok && error > total.worst) {
        total.worst = error;
        snprintf(total.worst_of, sizeof total.worst_of, "%s", c->wavelet->name);
    }
    if (!ok && total.failed <= 20) {
        printf("FAIL ");
        print_case(c);
        printf(": max|err| %.2e > %.1e\n", error, tolerance);
    }
}

// Selects the schemes and forms of a wavelet to run. False if there are none.
static bool choose_schemes(const struct wp_backend_choice *on, const struct wp_wavelet *wavelet,
                           bool chosen[WP_SCHEME_KINDS][2])
{
    bool any = false;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        for (int form = 0; form < 2; form++) {
            const bool same = (only && only != &wp_scheme_kinds[k]) ||
                              (form && on->backend->schemeless);
            chosen[k][form] =
                !same && sample_has("%s %s %s %s", on->backend->name, wavelet->name,
                                      wp_scheme_kinds[k].name, form ? "plain" : "shader");
            any = any || chosen[k][form];
        }
    }
    return any;
}

// Forward and inverse of all schemes for one wavelet, border, size, level and normalization.
static void run_schemes(const struct wp_backend_choice *on, struct test_case c,
                        const struct oracle_filters *filters, int planes)
{
    static const enum oracle_border borders[] = {ORACLE_SYMMETRIC, ORACLE_PERIODIC};
    static const enum oracle_norm norms[] = {[WP_NORM_JPEG2000] = ORACLE_JPEG2000,
                                             [WP_NORM_ORTHONORMAL] = ORACLE_ORTHONORMAL,
                                             [WP_NORM_NONE] = ORACLE_NONE};
    static double gain_layout[MAX_PIXELS];
    for (int p = 0; p < planes; p++) {
        bool chosen[WP_SCHEME_KINDS][2];
        if (!choose_schemes(on, c.wavelet, chosen))
            continue;
        random_image(oracle_image, c.width * c.height, (unsigned)(p + 1));
        if (!oracle_forward(filters, borders[c.border], norms[c.norm], c.levels, c.width,
                            c.height, oracle_image, oracle_coefficients)) {
            printf("FAIL the oracle rejects ");
            print_case(&c);
            printf("\n");
            total.failed++;
            return;
        }
        oracle_gains(filters, norms[c.norm], c.levels, c.width, c.height, gains);
        const double *coefficients = oracle_coefficients, *scale = gains;
        if (c.layout == WP_LAYOUT_MIXED) {
            oracle_to_mixed(c.width, c.height, c.levels, oracle_coefficients, mixed);
            oracle_to_mixed(c.width, c.height, c.levels, gains, gain_layout);
            coefficients = mixed;
            scale = gain_layout;
        }
        for (int k = 0; k < WP_SCHEME_KINDS; k++) {
            for (int form = 0; form < 2; form++) {
                if (!chosen[k][form])
                    continue;
                c.kind = &wp_scheme_kinds[k];
                c.form = form ? WP_FORM_PLAIN : WP_FORM_SHADER;
                c.direction = WP_FORWARD;
                record_result(&c, run_case(on, &c, oracle_image, coefficients, scale));
                c.direction = WP_INVERSE;
                record_result(&c, run_case(on, &c, coefficients, oracle_image, NULL));
            }
        }
    }
}

static void skip(const struct wp_wavelet *wavelet, enum wp_border border, int width, int height,
                 const char *reason)
{
    total.skipped++;
    printf("skipped %s %s", wavelet->name, wp_border_names[border]);
    if (width)
        printf(" %dx%d", width, height);
    printf(": %s\n", reason);
}

static void run_wavelet(const struct wp_backend_choice *on, const struct wp_wavelet *wavelet)
{
    struct oracle_filters filters;
    if (!find_filters(wavelet, &filters)) {
        printf("FAIL %s: the oracle finds no filters\n", wavelet->name);
        total.failed++;
        return;
    }
    for (int border = 0; border < WP_BORDER_NATIVE; border++) {
        struct test_case c = {.wavelet = wavelet, .border = (enum wp_border)border};
        if (border == WP_BORDER_SYMMETRIC && wavelet->symmetry == WP_SYMMETRY_NONE) {
            skip(wavelet, c.border, 0, 0, "the wavelet is not symmetric");
            continue;
        }
        for (int s = 0; s < SIZES; s++) {
            c.width = sizes[s].width;
            c.height = sizes[s].height;
            if (c.width * c.height > largest) {
                skip(wavelet, c.border, c.width, c.height, "omitted by --quick");
                continue;
            }
            const int most = wp_levels_most((const int[]){c.width, c.height}, c.border);
            if (most == 0 && c.width * c.height > 1) {
                skip(wavelet, c.border, c.width, c.height, "periodic borders need even sizes");
                continue;
            }
            const int levels[3] = {1, 3, most};
            for (int l = 0; l < 3; l++) {
                if ((l < 2 && levels[l] >= most) && !(l == 0 && most == 0))
                    continue; // equal to the last entry
                c.levels = levels[l] < most ? levels[l] : most;
                run_schemes(on, c, &filters, sizes[s].planes);
                if (most == 0)
                    break;
            }
        }
        // One size is enough for the other normalizations and the mixed layout.
        for (int norm = 0; norm < WP_NORM_PYWT; norm++) {
            for (int layout = 0; layout < WP_LAYOUT_COUNT; layout++) {
                c.norm = (enum wp_norm)norm;
                c.layout = (enum wp_layout)layout;
                c.width = border == WP_BORDER_PERIODIC ? 24 : 13;
                c.height = border == WP_BORDER_PERIODIC ? 8 : 6;
                c.levels = 3;
                run_schemes(on, c, &filters, 1);
            }
        }
    }
}

// Values far outside 0..1 are not clamped.
static void run_large_values(const struct wp_backend_choice *on)
{
    const struct wp_wavelet *wavelet = wp_wavelet_table[0];
    struct oracle_filters filters;
    if (!find_filters(wavelet, &filters))
        abort();
    struct test_case c = {.wavelet = wavelet, .width = 2, .height = 2, .levels = 1,
                          .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING]};
    const double image[4] = {-7.25, 1000, 1000, -7.25}, scale[4] = {1000, 1000, 1000, 1000};
    double coefficients[4];
    oracle_forward(&filters, ORACLE_SYMMETRIC, ORACLE_JPEG2000, 1, 2, 2, image, coefficients);
    record_result(&c, run_case(on, &c, image, coefficients, scale));
}

// A wrong coefficient is detected: with an error of 1e-3 in one tap all schemes fail.
static void run_planted_error(const struct wp_backend_choice *on)
{
    for (int i = 0; wp_wavelet_table[i]; i++) {
        struct wp_wavelet wrong = *wp_wavelet_table[i];
        struct oracle_filters filters;
        if (!find_filters(&wrong, &filters))
            abort();
        wrong.pair[0].update.tap[0].c += 1e-3;
        for (int k = 0; k < WP_SCHEME_KINDS; k++) {
            if (only && only != &wp_scheme_kinds[k])
                continue;
            const struct test_case c = {.wavelet = &wrong, .width = 64, .height = 64,
                                        .levels = 1, .kind = &wp_scheme_kinds[k]};
            random_image(oracle_image, 64 * 64, 1);
            oracle_forward(&filters, ORACLE_SYMMETRIC, ORACLE_JPEG2000, 1, 64, 64, oracle_image,
                           oracle_coefficients);
            const double error = run_case(on, &c, oracle_image, oracle_coefficients, NULL);
            if (error < 0)
                continue;
            const bool detected = error > 1e-4 && error < 1;
            total.passed += detected;
            total.failed += !detected;
            if (!detected)
                printf("FAIL a planted error of 1e-3 in %s/%s shows as %.1e\n", wrong.name,
                       c.kind->name, error);
        }
    }
}

int main(int argc, char **argv)
{
    struct wp_backend_choice on;
    int first = 2;
    bool hardware = false;
    const char *name = NULL, *scheme = NULL;
    for (; argc > first && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--quick") == 0)
            largest = QUICK_PIXELS;
        else if (strcmp(argv[first], "--hardware") == 0)
            hardware = true;
        else if (strcmp(argv[first], "--variant") == 0 && first + 1 < argc)
            name = argv[++first];
        else if (strcmp(argv[first], "--scheme") == 0 && first + 1 < argc)
            scheme = argv[++first];
        else if (strcmp(argv[first], "--planes") == 0 && first + 1 < argc)
            stack = atoi(argv[++first]);
        else
            argc = 0;
    }
    if (argc < 2 || !wp_backend_open(argv[1], WP_DEVICE_ANY, false, &on) ||
        !wp_backend_find_variant(on.backend, name, NULL, &variant) ||
        (scheme && !(only = wp_scheme_kind_find(scheme, 2))) || stack < 1 || stack > MAX_STACK ||
        (stack > 1 && !on.backend->planes_max)) {
        fprintf(stderr, "usage: test_transform BACKEND [--quick] [--hardware] [--variant NAME] "
                        "[--scheme NAME] [--planes N] [WAVELET...]\n");
        return 1;
    }
    // All schemes would give the same results.
    if (on.backend->schemeless && !only)
        only = &wp_scheme_kinds[0];
    printf("backend %s%s%s on %s, %d at a time\n", on.backend->name, variant ? ", variant " : "",
           variant ? variant->name : "", on.info.name, stack);
    if (hardware && on.info.software) {
        printf("skipped: this device is not a GPU\n");
        wp_backend_close(&on);
        return SKIPPED;
    }
    char why[256];
    if (variant && variant->runs_on && !variant->runs_on(variant, on.device, why, sizeof why)) {
        printf("skipped: %s\n", why);
        wp_backend_close(&on);
        return SKIPPED;
    }
    if (argc > first) {
        for (int i = first; i < argc; i++) {
            struct wp_wavelet wavelet;
            if (wp_wavelet_find(argv[i], &wavelet))
                run_wavelet(&on, &wavelet);
            else
                total.failed++;
        }
    } else {
        for (int i = 0; wp_wavelet_table[i]; i++)
            run_wavelet(&on, wp_wavelet_table[i]);
        run_large_values(&on);
        run_planted_error(&on);
    }
    wp_backend_close(&on);
    sample_print();
    printf("worst error passed: %.2e (%s)\n", total.worst,
           total.worst_of[0] ? total.worst_of : "-");
    printf("%d passed, %d failed, %d skipped\n", total.passed, total.failed, total.skipped);
    return total.failed != 0;
}
