// Redundant banks on an OpenGL backend, compared with `reference`: wavelets, sizes, levels, borders,
// norms, adjoints, schemes, planes, slices and volumes, element types and operands per band. One
// device is used for all checks. Shaders depend on bank, wavelet, scheme, axes, norm and direction,
// but not on size, level and border.
//
//     test_bank_gl BACKEND [VARIANT]
//
// A variant computes what it supports, the default one the rest.
#include "registry.h"
#include "log.h"
#include "operand.h"
#include "plan.h"
#include "reference.h"
#include "redundant.h"
#include "sample.h"
#include "wavelet.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wp_backend_choice tested, reference;
static struct {
    int passed, failed;
    double worst;
} total;

static const struct wp_variant *variant; // NULL: the default

static uint32_t seed = 1;

static double noise(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

static bool transform(const struct wp_backend_choice *choice, const struct wp_description *d,
                      const struct wp_operand *from, const struct wp_operand *to)
{
    char why[256];
    const bool named = variant && choice == &tested && wp_description_levels(d) > 0 &&
                       variant->supports(variant, d, why, sizeof why);
    const struct wp_planner planner = {.backend = choice->backend, .device = choice->device,
                                       .variant = named ? variant : NULL};
    const struct wp_problem problem = wp_problem_of(d);
    struct wp_plan *plan = wp_plan_create(&planner, &problem);
    const bool ok = plan && plan->kind->apply(plan, from, to, &(struct wp_execution){0});
    wp_plan_destroy(&plan);
    return ok;
}

static const char *describe(const struct wp_description *d, char text[256])
{
    snprintf(text, 256, "%s %s %dx%dx%d, %d planes, levels %d from %d z %d, axes %u, %s, %s%s%s, %s %s",
             wp_bank_names[d->bank], d->wavelet->name, d->size[WP_X], d->size[WP_Y],
             d->size[WP_Z], d->planes, d->levels, d->start_level,
             d->levels_z, d->axes, wp_border_names[d->border],
             wp_norm_names[d->norm], d->adjoint ? ", adjoint" : "",
             d->direction == WP_INVERSE ? ", inverse" : "", d->kind ? d->kind->name : "",
             wp_elements[d->samples].name);
    return text;
}

static void judge(const struct wp_description *d, const char *what, double error, double tolerance)
{
    char text[256];
    const bool ok = error <= tolerance;
    total.passed += ok;
    total.failed += !ok;
    total.worst = error > total.worst && ok ? error : total.worst;
    if (!ok)
        printf("%s: %s: error %g, tolerance %g\n", describe(d, text), what, error, tolerance);
}

// Relative to the largest magnitude.
static double distance(const float *got, const float *expected, size_t count)
{
    double largest = 0, worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)got[i] - (double)expected[i]);
        if (!(error <= worst))
            worst = isnan(error) ? INFINITY : error;
        largest = fmax(largest, fabs((double)expected[i]));
    }
    return worst / fmax(largest, 1e-30);
}

// Compares one direction; inputs are noise, so that every tap counts. `apart`: one operand per band.
static void check_direction(struct wp_description d, enum wp_direction direction, bool apart,
                            double tolerance)
{
    d.direction = direction;
    const bool forward = direction == WP_FORWARD;
    const size_t planes = (size_t)wp_description_planes(&d);
    const size_t samples = wp_description_samples(&d) * planes;
    const size_t coefficients = wp_description_coefficients(&d) * planes;
    const size_t in_count = forward ? samples : coefficients;
    const size_t out_count = forward ? coefficients : samples;
    float *in = allocate(in_count, sizeof *in), *out[2];
    for (size_t i = 0; i < in_count; i++)
        in[i] = (float)noise();
    for (int i = 0; i < 2; i++)
        out[i] = allocate(out_count, sizeof *out[i]);
    char text[256];
    const int bands = wp_subband_count(&d);
    struct wp_operand *band = allocate((size_t)bands, sizeof *band);
    for (int i = 0; i < 2; i++) {
        struct wp_operand from = forward ? wp_operand_dense(&d, in) : wp_operand_coefficients(&d, in);
        struct wp_operand to =
            forward ? wp_operand_coefficients(&d, out[i]) : wp_operand_dense(&d, out[i]);
        struct wp_operand *array = forward ? &to : &from;
        const struct wp_operand whole = *array;
        for (int b = 0; b < bands && apart && i == 0; b++) {
            enum wp_band which;
            const int level = wp_subband_at(&d, b, &which);
            band[b] = wp_operand_band(&d, &whole, level, which, 0);
            array->band = band;
            array->bands = bands;
        }
        if (!transform(i ? &reference : &tested, &d, &from, &to)) {
            printf("%s: %s\n", describe(&d, text), wp_last_error_text());
            total.failed++;
        }
    }
    judge(&d, forward ? "forward" : "inverse", distance(out[0], out[1], out_count), tolerance);
    free(band);
    free(in);
    free(out[0]);
    free(out[1]);
}

static void check(const struct wp_description *d)
{
    // Filters have rounded taps, and errors grow with the sums of their magnitudes and the levels.
    const double tolerance = d->precision == WP_PRECISION_F16 ? 4e-3 : 3e-6;
    for (int direction = WP_FORWARD; direction <= WP_INVERSE; direction++)
        check_direction(*d, (enum wp_direction)direction, seed >> 8 & 1, tolerance);
}

// Integers as samples, which the backend converts on the device.
static void check_integers(struct wp_description d)
{
    const size_t planes = (size_t)wp_description_planes(&d);
    const size_t samples = wp_description_samples(&d) * planes;
    const size_t coefficients = wp_description_coefficients(&d) * planes;
    uint8_t *in = allocate(samples, 1), *back = allocate(samples, 1);
    float *out[2];
    d.samples = WP_ELEMENT_U8;
    for (size_t i = 0; i < samples; i++)
        in[i] = (uint8_t)(128 + 127 * noise());
    struct wp_operand image = wp_operand_dense(&d, NULL), restored = image;
    image.data = in;
    restored.data = back;
    image.type = restored.type = WP_ELEMENT_U8;
    for (int i = 0; i < 2; i++) {
        out[i] = allocate(coefficients, sizeof *out[i]);
        const struct wp_operand to = wp_operand_coefficients(&d, out[i]);
        if (!transform(i ? &reference : &tested, &d, &image, &to))
            judge(&d, wp_last_error_text(), INFINITY, 0);
    }
    judge(&d, "integers", distance(out[0], out[1], coefficients), 3e-6);
    d.direction = WP_INVERSE;
    const struct wp_operand from = wp_operand_coefficients(&d, out[0]);
    if (!transform(&tested, &d, &from, &restored))
        judge(&d, wp_last_error_text(), INFINITY, 0);
    judge(&d, "restored integers", memcmp(in, back, samples) ? 1 : 0, 0);
    free(in);
    free(back);
    free(out[0]);
    free(out[1]);
}

static int most_levels(const struct wp_description *d)
{
    const int most = wp_description_levels_most(d, WP_X);
    return most < 5 ? most : 5;
}

// Sizes from 1 to 40 with one program, and a larger one with all levels that it has, and two later
// levels.
static void check_sizes(struct wp_description d)
{
    static const int lengths[] = {1, 2, 3, 5, 8, 13, 17, 31, 40};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < COUNT; k += 1 + (i + k) % 3) {
            d.size[WP_X] = lengths[i];
            d.size[WP_Y] = lengths[k];
            // Also axes of one sample, with the same programs.
            d.axes = 3;
            d.levels = most_levels(&d);
            if (d.levels == 0)
                continue;
            d.levels = 1 + (i + k) % d.levels;
            check(&d);
        }
    }
    d.size[WP_X] = 203;
    d.size[WP_Y] = 97;
    d.levels = wp_description_levels_most(&d, WP_X);
    check(&d);
    d.start_level = 3;
    d.levels = 2;
    check(&d);
}

static const struct wp_scheme_kind *kind_of(const char *name)
{
    return name ? wp_scheme_kind_named(name) : NULL;
}

struct wavelets {
    struct wp_wavelet haar, cdf53, cdf97, d4, dd137, bior;
};

static void check_images(const struct wavelets *w)
{
    const struct {
        enum wp_bank bank;
        const struct wp_wavelet *wavelet;
        enum wp_border border;
        enum wp_norm norm;
        bool adjoint;
        const char *scheme;
    } cases[] = {
        {WP_BANK_STARLET, &w->cdf97, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, false, NULL},
        {WP_BANK_STARLET, &w->cdf97, WP_BORDER_PERIODIC, WP_NORM_JPEG2000, true, NULL},
        {WP_BANK_STARLET, &w->cdf97, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, true, NULL},
        {WP_BANK_STARLET, &w->haar, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, false, "sep-convolution"},
        {WP_BANK_STARLET, &w->haar, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, true, "sep-convolution"},
        {WP_BANK_UNDECIMATED, &w->haar, WP_BORDER_PERIODIC, WP_NORM_PYWT, false, NULL},
        {WP_BANK_UNDECIMATED, &w->cdf53, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, false, NULL},
        {WP_BANK_UNDECIMATED, &w->cdf53, WP_BORDER_SYMMETRIC, WP_NORM_NONE, true,
         "nonsep-convolution"},
        {WP_BANK_UNDECIMATED, &w->cdf53, WP_BORDER_PERIODIC, WP_NORM_ORTHONORMAL, true, NULL},
        {WP_BANK_UNDECIMATED, &w->cdf97, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, false, NULL},
        {WP_BANK_UNDECIMATED, &w->cdf97, WP_BORDER_SYMMETRIC, WP_NORM_ORTHONORMAL, true, NULL},
        {WP_BANK_UNDECIMATED, &w->cdf97, WP_BORDER_PERIODIC, WP_NORM_PYWT, false,
         "nonsep-convolution"},
        {WP_BANK_UNDECIMATED, &w->d4, WP_BORDER_PERIODIC, WP_NORM_ORTHONORMAL, false, NULL},
        {WP_BANK_UNDECIMATED, &w->d4, WP_BORDER_PERIODIC, WP_NORM_PYWT, true, "sep-convolution"},
        {WP_BANK_UNDECIMATED, &w->bior, WP_BORDER_PERIODIC, WP_NORM_PYWT, false, NULL},
        {WP_BANK_UNDECIMATED, &w->cdf97, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, false,
         "sep-lifting"},
        {WP_BANK_UNDECIMATED, &w->d4, WP_BORDER_PERIODIC, WP_NORM_PYWT, false, "nonsep-lifting"},
        {WP_BANK_UNDECIMATED, &w->cdf53, WP_BORDER_SYMMETRIC, WP_NORM_NONE, true, "sep-lifting"},
        {WP_BANK_UNDECIMATED, &w->cdf97, WP_BORDER_PERIODIC, WP_NORM_ORTHONORMAL, true,
         "nonsep-polyconvolution"},
        {WP_BANK_UNDECIMATED, &w->dd137, WP_BORDER_SYMMETRIC, WP_NORM_JPEG2000, true, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (sample_has("%zu", i))
            check_sizes((struct wp_description){
                .bank = cases[i].bank,
                .wavelet = cases[i].wavelet,
                .border = cases[i].border,
                .norm = cases[i].norm,
                .adjoint = cases[i].adjoint,
                .kind = kind_of(cases[i].scheme),
            });
    sample_print();
}

// Signals, columns, planes, slices, volumes, integers and halves.
static void check_shapes(const struct wavelets *w)
{
    const bool volumes = strcmp(tested.backend->name, "fragment") != 0;
    for (int bank = WP_BANK_UNDECIMATED; bank <= WP_BANK_STARLET; bank++) {
        const struct wp_description base = {
            .bank = (enum wp_bank)bank, .wavelet = &w->cdf53, .size = {33, 21}, .levels = 3};
        struct wp_description d = base;
        d.size[WP_Y] = 1;
        check(&d);
        d = base;
        d.size[WP_X] = 1;
        check(&d);
        d.axes = 1 << WP_X;
        check(&d);
        d = base;
        d.planes = 5;
        check(&d);
        check_integers(d);
        d.border = WP_BORDER_PERIODIC;
        d.adjoint = true;
        check(&d);
        d = base;
        d.size[WP_Z] = 4;
        check(&d);
        check_integers(d);
        d.size[WP_Z] = 11;
        d.levels_z = 3;
        for (int border = 0; border < 2 && volumes; border++) {
            for (int adjoint = 0; adjoint < 2; adjoint++) {
                d.border = border ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC;
                d.adjoint = adjoint;
                d.levels = 3;
                check(&d);
                d.levels = 0;
                check(&d);
            }
        }
        const char *const schemes[] = {"planar-convolution", "nonsep-convolution"};
        for (int i = 0; i < 2 && volumes; i++) {
            d.levels = 3;
            d.kind = kind_of(schemes[i]);
            check(&d);
        }
        d.kind = NULL;
        if (volumes)
            check_integers(d);
        d = base;
        check_integers(d);
        d.precision = WP_PRECISION_F16;
        if (tested.backend->half)
            check(&d);
        // Without levels: a copy.
        d = base;
        d.levels = 0;
        check(&d);
    }
}

static void expect(const struct wp_description *d, const char *part)
{
    const struct wp_planner planner = {.backend = tested.backend, .device = tested.device};
    const struct wp_problem problem = wp_problem_of(d);
    struct wp_plan *plan = wp_plan_create(&planner, &problem);
    const bool ok = !plan && strstr(wp_last_error_text(), part);
    if (!ok)
        printf("expected '%s', got '%s'\n", part, plan ? "a plan" : wp_last_error_text());
    wp_plan_destroy(&plan);
    judge(d, part, !ok, 0);
}

static void check_errors(const struct wavelets *w)
{
    struct wp_description d = {.bank = WP_BANK_STARLET, .wavelet = &w->cdf97, .size = {16, 16},
                               .levels = 2, .kind = kind_of("sep-lifting")};
    expect(&d, "scheme 'sep-lifting' does not apply to bank 'starlet'");
    d.bank = WP_BANK_UNDECIMATED;
    d.kind = NULL;
    d.size[WP_Z] = 4;
    d.levels_z = 2;
    if (strcmp(tested.backend->name, "fragment") == 0)
        expect(&d, "does not transform volumes along z");
    d.size[WP_Z] = 0;
    d.levels_z = 0;
    d.size[WP_X] = 1 << 28;
    expect(&d, strcmp(tested.backend->name, "fragment") == 0
                   ? "268435456x16 samples exceeds this device's textures of"
                   : "17179869184 bytes of samples exceed");
}

static void find(const char *name, struct wp_wavelet *wavelet)
{
    if (!wp_wavelet_find(name, wavelet)) {
        fprintf(stderr, "%s\n", wp_last_error_text());
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct wavelets w;
    find("haar", &w.haar);
    find("cdf53", &w.cdf53);
    find("cdf97", &w.cdf97);
    find("d4", &w.d4);
    find("dd137", &w.dd137);
    find("bior2.8", &w.bior);
    if (argc < 2 || !wp_backend_open("reference", -1, WP_IN_SOFTWARE_ANY, &reference) ||
        !wp_backend_open(argv[1], -1, WP_IN_SOFTWARE_ANY, &tested)) {
        printf("skipped: %s\n", wp_last_error_text());
        return argc < 2 ? 2 : 77;
    }
    for (variant = argc > 2 ? tested.backend->variants : NULL;
         variant && variant->name && strcmp(variant->name, argv[2]) != 0;)
        variant++;
    if (argc > 2 && (!variant || !variant->name || !variant->supports)) {
        printf("backend '%s' has no variant '%s' with a condition\n", argv[1], argv[2]);
        return 2;
    }
    check_images(&w);
    check_shapes(&w);
    check_errors(&w);
    printf("%s: %d passed, %d failed, largest error %.3g\n", argv[1], total.passed, total.failed,
           total.worst);
    wp_backend_close(&tested);
    wp_backend_close(&reference);
    return total.failed > 0;
}
