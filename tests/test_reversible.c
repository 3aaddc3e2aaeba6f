// Reversible transforms on one backend, bit for bit: forward compared with the published integer
// lifting, and inverse with the image. Ends with "N passed, N failed, N skipped".
//
//     test_reversible BACKEND [--quick] [--one] [VARIANT]
//
// --quick: only small images; --one: only cdf53.
#include "registry.h"
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 521 * 301, SKIPPED = 77 };

// target[n] += sign * floor((sum of weight[i] * other[n + first + i] + round) / 2^shift)
struct step {
    int first, count, weight[4], round, shift, sign;
};

// Published steps: cdf53 in ISO/IEC 15444-1, Annex F; haar (the S transform), dd137 (13/7-T), dd97
// (9/7-M) and ak511 (5/11-C) in M. D. Adams and F. Kossentini, Reversible integer-to-integer
// wavelet transforms for image compression, 2000, table I.
static const struct published {
    const char *name;
    int steps;
    struct step step[3]; // for odd, even, odd samples
    bool local;          // a sample without a partner is unchanged
} published[] = {
    {"cdf53", 2, {{0, 2, {1, 1}, 0, 1, -1}, {-1, 2, {1, 1}, 2, 2, 1}}, false},
    {"haar", 2, {{0, 1, {1}, 0, 0, -1}, {0, 1, {1}, 0, 1, 1}}, true},
    {"dd137", 2, {{-1, 4, {1, -9, -9, 1}, 8, 4, 1}, {-2, 4, {-1, 9, 9, -1}, 16, 5, 1}}, false},
    {"dd97", 2, {{-1, 4, {1, -9, -9, 1}, 8, 4, 1}, {-1, 2, {1, 1}, 2, 2, 1}}, false},
    {"ak511", 3, {{0, 2, {1, 1}, 0, 1, -1}, {-1, 2, {1, 1}, 2, 2, 1},
                  {-1, 4, {1, -1, -1, 1}, 8, 4, 1}}, false},
};

static const struct {
    int width, height;
} sizes[] = {{1, 1},   {1, 7},   {7, 1},   {2, 1},    {1, 2},    {2, 2},    {3, 3},
             {5, 7},   {16, 8},  {17, 31}, {64, 64},  {63, 65},  {130, 66}, {257, 40},
             {96, 32}, {33, 95}, {256, 128}, {521, 301}};

enum { SIZES = sizeof sizes / sizeof *sizes, PUBLISHED = sizeof published / sizeof *published };

static int passed, failed, skipped;
static int image[MOST], expected[MOST], laid_out[MOST], line[1024];
static float from[MOST], to[MOST];

static int floor_shift(int a, int shift)
{
    const int divisor = 1 << shift;
    return a >= 0 ? a / divisor : -((-a + divisor - 1) / divisor);
}

// The index of the sample of an interleaved line at index i of its extension.
static int index_of(int i, int n, enum wp_border border)
{
    if (border == WP_BORDER_PERIODIC)
        return (i % n + n) % n;
    while (i < 0 || i >= n)
        i = i < 0 ? -i : 2 * (n - 1) - i;
    return i;
}

static void run_step(const struct published *p, const struct step *step, bool odd, int n,
                     enum wp_border border)
{
    for (int i = odd; i < n; i += 2) {
        // For Haar, the last sample of an odd length is unchanged: its partner's detail is zero.
        if (p->local && (i ^ 1) >= n)
            continue;
        int sum = step->round;
        for (int t = 0; t < step->count; t++) {
            const int at = i + (odd ? -1 : 1) + 2 * (step->first + t);
            sum += step->weight[t] * line[index_of(at, n, border)];
        }
        line[i] += step->sign * floor_shift(sum, step->shift);
    }
}

// Transforms a line of `n` samples with the distance `step` to low-pass and then high-pass samples.
// One sample is unchanged.
static void transform_line(const struct published *p, int *at, int step, int n,
                           enum wp_border border)
{
    for (int i = 0; i < n; i++)
        line[i] = at[i * step];
    for (int s = 0; s < p->steps && n > 1; s++)
        run_step(p, &p->step[s], s % 2 == 0, n, border);
    for (int i = 0; i < n; i++)
        at[(i % 2 ? (n + 1) / 2 + i / 2 : i / 2) * step] = line[i];
}

// Vertical before horizontal.
static void transform_image(const struct published *p, int width, int height, int levels,
                            enum wp_border border)
{
    const int row = width;
    for (int l = 0; l < levels; l++, width = (width + 1) / 2, height = (height + 1) / 2) {
        for (int x = 0; x < width; x++)
            transform_line(p, expected + x, row, height, border);
        for (int y = 0; y < height; y++)
            transform_line(p, expected + y * row, 1, width, border);
    }
}

// Moves the expected coefficients from the layout Mallat to that of the description.
static void lay_out(const struct wp_description *d)
{
    struct wp_description mallat = *d;
    mallat.layout = WP_LAYOUT_MALLAT;
    for (int l = 1; l <= d->levels; l++) {
        for (int b = l < d->levels ? WP_BAND_HL : WP_BAND_LL; b < WP_BAND_COUNT; b++) {
            const struct wp_band_grid source = wp_description_band(&mallat, l, (enum wp_band)b);
            const struct wp_band_grid target = wp_description_band(d, l, (enum wp_band)b);
            for (int y = 0; y < source.size[WP_Y]; y++)
                for (int x = 0; x < source.size[WP_X]; x++)
                    laid_out[(target.first[WP_Y] + y * target.every[WP_Y]) * d->size[WP_X] +
                             target.first[WP_X] + x * target.every[WP_X]] =
                        expected[(source.first[WP_Y] + y) * d->size[WP_X] + source.first[WP_X] + x];
        }
    }
    if (d->levels > 0)
        memcpy(expected, laid_out, (size_t)(d->size[WP_X] * d->size[WP_Y]) * sizeof *expected);
}

// Noise up to 2^bits - 1, a third of it at the extremes; signed noise is centered on zero.
static void make_noise(int count, int bits, unsigned seed, bool is_signed)
{
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        const int value = (int)(seed >> 8 & ((1u << bits) - 1));
        const unsigned kind = seed >> 28;
        image[i] = kind < 4 ? 0 : kind < 8 ? (1 << bits) - 1 : value;
        if (is_signed)
            image[i] -= 1 << (bits - 1);
    }
}

// The index of the first sample that differs, or -1.
static int first_wrong(const float *actual, const int *reference, int count)
{
    for (int i = 0; i < count; i++)
        if (!(actual[i] == (float)reference[i]))
            return i;
    return -1;
}

static bool run_one(const struct wp_backend_choice *on, const struct wp_variant *variant,
                    const struct wp_description *d)
{
    const struct wp_execute exec = {
        .backend = on->backend, .device = on->device, .variant = variant};
    for (int i = 0; i < d->size[WP_X] * d->size[WP_Y]; i++)
        to[i] = NAN;
    return wp_execute(&exec, d, 1, (const float *const[]){from}, (float *const[]){to});
}

static void record_result(const struct wp_description *d, const struct wp_variant *variant,
                          int bits, bool ran, int wrong, const int *reference)
{
    passed += ran && wrong < 0;
    failed += !ran || wrong >= 0;
    if ((ran && wrong < 0) || failed > 20)
        return;
    printf("FAIL %s %s %s %s %s, %dx%d, %d levels, %d bits: ", variant ? variant->name : "",
           d->wavelet->name, wp_direction_names[d->direction], wp_border_names[d->border],
           wp_layout_names[d->layout],
           d->size[WP_X], d->size[WP_Y], d->levels, bits);
    if (ran)
        printf("(%d, %d) is %.9g, not %d\n", wrong % d->size[WP_X], wrong / d->size[WP_X],
               (double)to[wrong], reference[wrong]);
    else
        printf("not run\n");
}

static void run_image(const struct wp_backend_choice *on, const struct wp_variant *variant,
                      const struct published *p, struct wp_description *d, int bits)
{
    const int width = d->size[WP_X], height = d->size[WP_Y], count = width * height;
    d->direction = WP_FORWARD;
    char why[256] = "";
    if (variant && variant->supports && !variant->supports(variant, d, why, sizeof why)) {
        if (!skipped)
            printf("skipped %s and others: %s\n", variant->name, why);
        skipped++;
        return;
    }
    make_noise(count, bits, (unsigned)(width * 7 + height + bits + d->levels), bits % 2);
    const double headroom = wp_description_headroom(d, bits % 2 ? -(1 << (bits - 1)) : 0,
                                            (1 << (bits - bits % 2)) - 1);
    if (headroom < 1) {
        printf("FAIL %s, %d levels: no headroom for %d bits (%.3f)\n", p->name, d->levels, bits,
               headroom);
        failed++;
        return;
    }
    memcpy(expected, image, (size_t)count * sizeof *image);
    transform_image(p, width, height, d->levels, d->border);
    lay_out(d);
    for (int i = 0; i < count; i++)
        from[i] = (float)image[i];
    bool ran = run_one(on, variant, d);
    record_result(d, variant, bits, ran, first_wrong(to, expected, count), expected);
    for (int i = 0; i < count; i++)
        from[i] = (float)expected[i];
    d->direction = WP_INVERSE;
    ran = run_one(on, variant, d);
    record_result(d, variant, bits, ran, first_wrong(to, image, count), image);
}

static void run_wavelet(const struct wp_backend_choice *on, const struct wp_variant *variant,
                        const struct published *p, int largest)
{
    static const int depths[] = {8, 12, 16, 11}; // odd: signed
    struct wp_wavelet wavelet;
    if (!wp_wavelet_find(p->name, &wavelet)) {
        failed++;
        return;
    }
    for (int s = 0; s < SIZES; s++) {
        const int size[] = {sizes[s].width, sizes[s].height};
        for (int border = 0; border < WP_BORDER_NATIVE && size[0] * size[1] <= largest; border++) {
            const int most = wp_levels_most(size, (enum wp_border)border);
            for (int levels = most > 0; levels <= most; levels++) {
                struct wp_description d = {.wavelet = &wavelet, .border = (enum wp_border)border,
                                           .reversible = true, .levels = levels,
                                           .layout = (s + border) % 2 ? WP_LAYOUT_MIXED
                                                                      : WP_LAYOUT_MALLAT,
                                           .size = {size[0], size[1]}};
                if (!wp_description_check(&d))
                    failed++;
                else
                    run_image(on, variant, p, &d, depths[(s + levels) % 4]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct wp_backend_choice on;
    int largest = MOST;
    const char *only = NULL;
    bool one = false; // only the first wavelet
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            largest = 66 * 66;
        else if (strcmp(argv[i], "--one") == 0)
            one = true;
        else
            only = argv[i];
    }
    if (argc < 2 || !wp_backend_open(argv[1], WP_DEVICE_ANY, false, &on)) {
        fprintf(stderr, "usage: test_reversible BACKEND [--quick] [--one] [VARIANT]\n");
        return 1;
    }
    printf("backend %s on %s\n", on.backend->name, on.info.name);
    const struct wp_variant *v = on.backend->variants;
    do {
        char why[256];
        if (v && only && strcmp(v->name, only) != 0)
            continue;
        if (v && v->runs_on && !v->runs_on(v, on.device, why, sizeof why)) {
            printf("skipped %s: %s\n", v->name, why);
            skipped++;
            continue;
        }
        const int before[] = {passed, skipped};
        for (int p = 0; p < (one ? 1 : PUBLISHED); p++)
            run_wavelet(&on, v, &published[p], largest);
        printf("%s: %d passed, %d skipped\n", v ? v->name : on.backend->name, passed - before[0],
               skipped - before[1]);
    } while (v && (++v)->name);
    wp_backend_close(&on);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0 || passed == 0;
}
