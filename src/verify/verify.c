#include "verify.h"

#include "log.h"
#include "memory.h"

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
    const int most = wp_plan_levels_max(width, height, WP_BORDER_SYMMETRIC);
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

// Runs a plan for each of `count` planes.
static bool run(const struct wp_backend *backend, struct wp_device *device,
                const struct wp_variant *variant, const struct wp_plan_params *params, int count,
                const float *const in[], float *const out[])
{
    struct wp_plan *plan = wp_plan_create(params);
    struct wp_exec *exec = plan ? backend->prepare(device, plan, variant) : NULL;
    bool ok = exec != NULL;
    for (int i = 0; i < count && ok; i++)
        ok = backend->load(exec, in[i]) && backend->run(exec, NULL) &&
             backend->store(exec, out[i]);
    if (exec)
        backend->release(exec);
    wp_plan_destroy(&plan);
    return ok;
}

static struct wp_plan_params plan_params(const struct wp_verify_params *params,
                                         const struct target *target)
{
    return (struct wp_plan_params){
        .wavelet = params->tested ? params->tested : params->wavelet,
        .norm = params->norm,
        .precision = params->precision,
        .border = target->border,
        .layout = WP_LAYOUT_MALLAT,
        .levels = target->size.levels,
        .width = target->size.width,
        .height = target->size.height,
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

    struct wp_plan_params plan = plan_params(params, target);
    plan.wavelet = params->wavelet;
    plan.kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    plan.form = WP_FORM_PLAIN;
    plan.direction = WP_FORWARD;
    if (!run(&wp_backend_reference, reference, NULL, &plan, 1, (const float *[]){target->image},
             (float *[]){target->coefficients}))
        return false;
    plan.direction = WP_INVERSE;
    return run(&wp_backend_reference, reference, NULL, &plan, 1,
               (const float *[]){target->coefficients}, (float *[]){target->restored});
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

static void check_image(const struct wp_plan_params *plan, double scale, const float *got,
                        const float *expected, struct wp_verify_row *row)
{
    const struct wp_band_view whole = {plan->width, plan->height, 0, 1, plan->width};
    const double tolerance = wp_verify_tolerance(plan->wavelet, plan->levels, plan->precision);
    check_view(&whole, got, expected, tolerance * scale, 0, WP_BAND_LL, row);
}

static void check_bands(const struct wp_plan_params *plan, double scale, const float *got,
                        const float *expected, struct wp_verify_row *row)
{
    const double low = sqrt(wp_norm_gain(plan->wavelet, plan->norm, WP_BAND_LL));
    double scale_here = scale; // of the level's input
    for (int level = 1; level <= plan->levels; level++) {
        // An axis of one sample passes through without a gain.
        const double low_x = wp_level_size(plan->width, level - 1) > 1 ? low : 1;
        const double low_y = wp_level_size(plan->height, level - 1) > 1 ? low : 1;
        const double tolerance = wp_verify_tolerance(plan->wavelet, level, plan->precision);
        for (int b = level < plan->levels ? WP_BAND_HL : WP_BAND_LL; b < WP_BAND_COUNT; b++) {
            const enum wp_band band = (enum wp_band)b;
            const struct wp_band_view view =
                wp_band_view(plan->width, plan->height, level, band, plan->layout);
            const double gain = (b & 1 ? 1 / low_x : low_x) * (b & 2 ? 1 / low_y : low_y);
            check_view(&view, got, expected, tolerance * scale_here * gain, level, band, row);
        }
        scale_here *= low_x * low_y;
    }
}

void wp_verify_judge(const struct wp_plan_params *plan, double scale, const float *got,
                     const float *expected, struct wp_verify_row *row)
{
    if (plan->direction == WP_FORWARD && plan->levels > 0)
        check_bands(plan, scale, got, expected, row);
    else
        check_image(plan, scale, got, expected, row);
    row->status = row->error <= row->tolerance ? WP_VERIFY_PASSED : WP_VERIFY_FAILED;
}

// False, with the reason, where the variant cannot execute the plan.
static bool supports(const struct wp_variant *variant, const struct wp_plan_params *params,
                     char *why, size_t why_size)
{
    if (!variant || !variant->supports)
        return true;
    struct wp_plan *plan = wp_plan_create(params);
    // Where there is no plan, running it says so.
    const bool ok = !plan || variant->supports(plan, why, why_size);
    wp_plan_destroy(&plan);
    return ok;
}

static bool verify_scheme(const struct wp_verify_params *params, const struct target *target,
                          const struct wp_scheme_kind *kind, enum wp_form form,
                          wp_verify_callback callback, void *user)
{
    struct wp_plan_params plan = plan_params(params, target);
    plan.kind = kind;
    plan.form = form;
    char why[256];
    const char *skipped = target->skipped;
    if (!skipped && !supports(params->variant, &plan, why, sizeof why))
        skipped = why;
    if (!skipped) {
        plan.direction = WP_FORWARD;
        if (!run(params->backend, params->device, params->variant, &plan, 1,
                 (const float *[]){target->image}, (float *[]){target->got}))
            return false;
        plan.direction = WP_INVERSE;
        if (!run(params->backend, params->device, params->variant, &plan, 2,
                 (const float *[]){target->coefficients, target->got}, target->got_restored))
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
        plan.wavelet = params->wavelet;
        plan.direction = check == WP_VERIFY_FORWARD ? WP_FORWARD : WP_INVERSE;
        if (!skipped)
            wp_verify_judge(&plan, target->scale, got[check], expected[check], &row);
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
