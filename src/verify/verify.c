#include "verify.h"

#include "log.h"
#include "memory.h"
#include "once.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const wp_verify_status_names[WP_VERIFY_STATUS_COUNT] = {
    [WP_VERIFY_PASSED] = "pass",
    [WP_VERIFY_FAILED] = "fail",
    [WP_VERIFY_SKIPPED] = "skip",
};

const char *const wp_verify_check_names[WP_VERIFY_CHECK_COUNT] = {
    [WP_VERIFY_FORWARD] = "forward",
    [WP_VERIFY_INVERSE] = "inverse",
    [WP_VERIFY_ROUND_TRIP] = "round trip",
};

double wp_verify_tolerance(const struct wp_wavelet *wavelet, int levels,
                           enum wp_precision precision)
{
    // Significands have 24 and 11 bits.
    const double one = precision == WP_PRECISION_F16 ? 1e-5 * 8192 : 1e-5;
    return one * pow(fmax(1, wp_wavelet_noise_gain(wavelet)), levels);
}

struct wp_verify_size wp_verify_size(int width, int height, int levels, enum wp_border border)
{
    const int most = wp_levels_most((const int[]){width, height}, WP_BORDER_SYMMETRIC);
    struct wp_verify_size size = {width, height, levels < most ? levels : most};
    if (border == WP_BORDER_SYMMETRIC)
        return size;
    // A side of 1 stays as it is; any other one must hold at least one period.
    while ((width > 1 && width >> size.levels == 0) || (height > 1 && height >> size.levels == 0))
        size.levels--;
    if (width > 1)
        size.width = width >> size.levels << size.levels;
    if (height > 1)
        size.height = height >> size.levels << size.levels;
    return size;
}

// What the reference gives under one border, and room for the backend's results.
struct target {
    enum wp_border border;
    struct wp_verify_size size;
    const char *skipped; // the reason, or NULL
    double scale;        // of tolerances: the largest magnitude, at least 1
    float *image, *coefficients, *restored; // the reference's
    float *got, *got_restored[2];           // the backend's
};

static struct wp_description describe(const struct wp_verify_params *params,
                                         const struct target *target)
{
    return (struct wp_description){
        .wavelet = params->tested ? params->tested : params->wavelet,
        .norm = params->norm,
        .precision = params->precision,
        .border = target->border,
        .layout = WP_LAYOUT_MALLAT,
        .levels = target->size.levels,
        .size = {target->size.width, target->size.height},
    };
}

static void free_target(struct target *target)
{
    free(target->image);
    *target = (struct target){0};
}

// Cuts the image to size and lets the reference transform it there and back.
static bool make_target(const struct wp_verify_params *params, struct wp_device *reference,
                        struct target *target)
{
    enum { PLANES = 6 };
    const int width = target->size.width, height = target->size.height;
    const size_t samples = (size_t)width * (size_t)height;
    float *planes = wp_allocate(samples, PLANES * sizeof *planes, "the planes to verify");
    if (!planes)
        return false;
    target->image = planes;
    target->coefficients = planes + samples;
    target->restored = planes + 2 * samples;
    target->got = planes + 3 * samples;
    target->got_restored[0] = planes + 4 * samples;
    target->got_restored[1] = planes + 5 * samples;
    target->scale = 1;
    for (int y = 0; y < height; y++)
        memcpy(target->image + (size_t)y * (size_t)width,
               params->plane + (size_t)y * (size_t)params->width, (size_t)width * sizeof *planes);
    for (size_t i = 0; i < samples; i++)
        target->scale = fmax(target->scale, fabs((double)target->image[i]));

    struct wp_description d = describe(params, target);
    d.wavelet = params->wavelet;
    d.kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    d.form = WP_FORM_PLAIN;
    d.direction = WP_FORWARD;
    const struct wp_once on = {&wp_backend_reference, reference, NULL};
    if (!wp_once(&on, &d, 1, (const float *[]){target->image},
                 (float *[]){target->coefficients}))
        return false;
    d.direction = WP_INVERSE;
    return wp_once(&on, &d, 1, (const float *[]){target->coefficients},
                   (float *[]){target->restored});
}

// Looks at one band, or at the image, for a place worse than the worst so far.
static void check_view(const struct wp_band_view *view, const float *got, const float *expected,
                       double tolerance, int level, enum wp_band band, struct wp_verify_row *row)
{
    for (int y = 0; y < view->height; y++) {
        for (int x = 0; x < view->width; x++) {
            const ptrdiff_t at = view->offset + x * view->step_x + y * view->step_y;
            double error = fabs((double)got[at] - (double)expected[at]);
            if (!isfinite(error))
                error = INFINITY;
            if (error / tolerance > row->error / row->tolerance || row->tolerance <= 0) {
                row->error = error;
                row->tolerance = tolerance;
                row->level = level;
                row->band = band;
                row->x = x;
                row->y = y;
            }
        }
    }
}

static void check_image(const struct wp_description *d, double scale, const float *got,
                        const float *expected, struct wp_verify_row *row)
{
    const struct wp_band_view whole = {d->size[WP_X], d->size[WP_Y], 0, 1, d->size[WP_X]};
    const double tolerance = wp_verify_tolerance(d->wavelet, d->levels, d->precision);
    check_view(&whole, got, expected, tolerance * scale, 0, WP_BAND_LL, row);
}

static void check_bands(const struct wp_description *d, double scale, const float *got,
                        const float *expected, struct wp_verify_row *row)
{
    const double low = sqrt(wp_norm_gain(d->wavelet, d->norm, WP_BAND_LL));
    double scale_here = scale; // of the level's input
    for (int level = 1; level <= d->levels; level++) {
        // An axis of one sample passes through without a gain.
        const double low_x = wp_level_size(d->size[WP_X], level - 1) > 1 ? low : 1;
        const double low_y = wp_level_size(d->size[WP_Y], level - 1) > 1 ? low : 1;
        const double tolerance = wp_verify_tolerance(d->wavelet, level, d->precision);
        for (int b = level < d->levels ? WP_BAND_HL : WP_BAND_LL; b < WP_BAND_COUNT; b++) {
            const enum wp_band band = (enum wp_band)b;
            const struct wp_band_view view =
                wp_band_view(d->size[WP_X], d->size[WP_Y], level, band, d->layout);
            const double gain = (b & 1 ? 1 / low_x : low_x) * (b & 2 ? 1 / low_y : low_y);
            check_view(&view, got, expected, tolerance * scale_here * gain, level, band, row);
        }
        scale_here *= low_x * low_y;
    }
}

void wp_verify_judge(const struct wp_description *d, double scale, const float *got,
                     const float *expected, struct wp_verify_row *row)
{
    if (d->direction == WP_FORWARD && d->levels > 0)
        check_bands(d, scale, got, expected, row);
    else
        check_image(d, scale, got, expected, row);
    row->status = row->error <= row->tolerance ? WP_VERIFY_PASSED : WP_VERIFY_FAILED;
}

static bool verify_scheme(const struct wp_verify_params *params, const struct target *target,
                          const struct wp_scheme_kind *kind, enum wp_form form,
                          wp_verify_callback callback, void *user)
{
    struct wp_description d = describe(params, target);
    d.kind = kind;
    d.form = form;
    char why[256];
    const char *skipped = target->skipped;
    const struct wp_variant *variant = params->variant;
    if (!skipped && variant && variant->supports &&
        !variant->supports(variant, &d, why, sizeof why))
        skipped = why;
    if (!skipped) {
        d.direction = WP_FORWARD;
        const struct wp_once on = {params->backend, params->device, variant};
        if (!wp_once(&on, &d, 1, (const float *[]){target->image}, (float *[]){target->got}))
            return false;
        d.direction = WP_INVERSE;
        if (!wp_once(&on, &d, 2, (const float *[]){target->coefficients, target->got},
                     target->got_restored))
            return false;
    }
    for (int check = 0; check < WP_VERIFY_CHECK_COUNT; check++) {
        struct wp_verify_row row = {
            .kind = params->backend->schemeless ? NULL : kind,
            .form = form,
            .border = target->border,
            .check = (enum wp_verify_check)check,
            .status = WP_VERIFY_SKIPPED,
            .reason = skipped,
        };
        const float *const got[] = {target->got, target->got_restored[0],
                                    target->got_restored[1]};
        const float *const expected[] = {target->coefficients, target->restored, target->image};
        d.wavelet = params->wavelet;
        d.direction = check == WP_VERIFY_FORWARD ? WP_FORWARD : WP_INVERSE;
        if (!skipped)
            wp_verify_judge(&d, target->scale, got[check], expected[check], &row);
        callback(user, &row);
    }
    return true;
}

static bool verify_targets(const struct wp_verify_params *params, struct wp_device *reference,
                           struct target target[WP_BORDER_COUNT], wp_verify_callback callback,
                           void *user)
{
    for (int border = 0; border < WP_BORDER_COUNT; border++) {
        target[border].border = (enum wp_border)border;
        target[border].size =
            wp_verify_size(params->width, params->height, params->levels, (enum wp_border)border);
        if (border == WP_BORDER_SYMMETRIC && params->wavelet->symmetry == WP_SYMMETRY_NONE)
            target[border].skipped = "the wavelet is not symmetric";
        else if (!make_target(params, reference, &target[border]))
            return false;
    }
    static const enum wp_form forms[] = {WP_FORM_SHADER, WP_FORM_PLAIN};
    const bool once = params->backend->schemeless;
    for (int k = 0; k < WP_SCHEME_KINDS; k++) {
        if (params->kinds && !(params->kinds & 1U << k))
            continue;
        for (int border = 0; border < WP_BORDER_COUNT; border++)
            for (size_t f = 0; f < (once ? 1 : sizeof forms / sizeof *forms); f++)
                if (!verify_scheme(params, &target[border], &wp_scheme_kinds[k], forms[f],
                                   callback, user))
                    return false;
        if (once)
            break;
    }
    return true;
}

bool wp_verify(const struct wp_verify_params *params, wp_verify_callback callback, void *user)
{
    char reason[256];
    struct wp_device *reference = wp_backend_reference.open(-1, false, reason, sizeof reason);
    if (!reference)
        return false;
    struct target target[WP_BORDER_COUNT] = {0};
    const bool ok = verify_targets(params, reference, target, callback, user);
    for (int border = 0; border < WP_BORDER_COUNT; border++)
        free_target(&target[border]);
    wp_backend_reference.close(reference);
    return ok;
}
