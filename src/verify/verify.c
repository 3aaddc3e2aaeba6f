#include "verify.h"

#include "log.h"
#include "memory.h"
#include "min_max.h"
#include "plan.h"
#include "reference.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
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
    [WP_VERIFY_ONE_SLICE] = "one slice",
    [WP_VERIFY_PRODUCTS] = "products",
};

double wp_verify_excess(const struct wp_verify_row *row)
{
    if (row->tolerance > 0)
        return row->error / row->tolerance;
    return row->error > 0 ? INFINITY : 0;
}

// Limits the levels of `axes` axes, and for periodic borders their sizes; see wp_verify_extent().
static void fit(int size[], int axes, int most, enum wp_border border, int *levels)
{
    *levels = *levels < most ? *levels : most;
    // A size of 1 is not transformed; others must contain at least one period.
    for (int a = 0; a < axes && border == WP_BORDER_PERIODIC; a++)
        while (size[a] > 1 && size[a] >> *levels == 0)
            --*levels;
    for (int a = 0; a < axes && border == WP_BORDER_PERIODIC; a++)
        if (size[a] > 1)
            size[a] = size[a] >> *levels << *levels;
}

struct wp_verify_extent wp_verify_extent(const struct wp_verify_extent *extent,
                                         enum wp_border border)
{
    struct wp_verify_extent e = *extent;
    fit(e.size, 2, wp_levels_most(e.size, WP_BORDER_SYMMETRIC), border, &e.levels);
    fit(&e.size[WP_Z], 1, wp_levels_z_most(e.size[WP_Z], WP_BORDER_SYMMETRIC), border, &e.levels_z);
    return e;
}

static bool is_ordinary(const struct wp_description *d)
{
    return d->border < WP_BORDER_NATIVE && !d->adjoint && d->bank == WP_BANK_DECIMATED;
}

// Bit c is set for check c.
static unsigned checks_of(const struct wp_description *d)
{
    return 1U << WP_VERIFY_FORWARD | 1U << WP_VERIFY_INVERSE | 1U << WP_VERIFY_ROUND_TRIP |
           (d->adjoint ? 1U << WP_VERIFY_PRODUCTS : 0) |
           (d->size[WP_Z] > 1 && is_ordinary(d) ? 1U << WP_VERIFY_ONE_SLICE : 0);
}

// Results of the reference for one border mode, and buffers for those of the backend.
struct target {
    enum wp_border border;
    struct wp_verify_extent extent;
    char skipped[256]; // the reason, or empty
    double scale;      // of tolerances: the largest magnitude, at least 1
    float *image, *coefficients, *restored; // of the reference; `image` owns all seven buffers
    float *got, *got_restored[2]; // of the backend: coefficients, and their inverses from those of
                                  // the reference and its own
    float *noise;                 // coefficients for the products of adjoints
};

static struct wp_description describe(const struct wp_verify_params *params,
                                      const struct target *target)
{
    const struct wp_verify_extent *e = &target->extent;
    return (struct wp_description){
        .wavelet = params->tested ? params->tested : params->wavelet,
        .norm = params->norm,
        .precision = params->precision,
        .decomposition = params->decomposition,
        .bank = params->bank,
        .start_level = params->start_level,
        .reversible = params->reversible,
        .border = target->border,
        .adjoint = params->adjoint,
        .layout = WP_LAYOUT_MALLAT,
        .levels = e->levels,
        .levels_z = e->levels_z,
        .size = {e->size[WP_X], e->size[WP_Y], e->size[WP_Z]},
    };
}

static void free_target(struct target *target)
{
    free(target->image);
    *target = (struct target){0};
}

bool wp_verify_reference(struct wp_device *device, const struct wp_description *description,
                         const float *from, float *to)
{
    struct wp_description d = *description;
    const bool forward = d.direction == WP_FORWARD;
    const struct wp_planner planner = {.backend = &wp_backend_reference, .device = device};
    const size_t count = forward ? wp_description_coefficients(&d) : wp_description_samples(&d);
    double *result = wp_allocate(count, sizeof *result, "the reference");
    const struct wp_operand in =
        (forward ? wp_operand_dense : wp_operand_coefficients)(&d, (float *)from);
    struct wp_operand out = (forward ? wp_operand_coefficients : wp_operand_dense)(&d, NULL);
    out.data = result;
    out.type = WP_ELEMENT_F64;
    *(forward ? &d.coefficients : &d.samples) = WP_ELEMENT_F64;
    const struct wp_problem problem = wp_problem_of(&d);
    struct wp_plan *plan = result ? wp_plan_create(&planner, &problem) : NULL;
    const bool ok = plan && plan->kind->apply(plan, &in, &out, &(struct wp_execution){0});
    for (size_t i = 0; i < count && ok; i++)
        to[i] = (float)result[i];
    wp_plan_destroy(&plan);
    free(result);
    return ok;
}

// Sets the coefficients of all bands to -1..1.
static void fill_noise(const struct wp_description *d, float *noise)
{
    const struct wp_operand all = wp_operand_coefficients(d, noise);
    uint32_t seed = 1;
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_band_grid grid = wp_subband_describe(d, i).grid;
        for (int z = 0; z < grid.size[WP_Z]; z++)
            for (int y = 0; y < grid.size[WP_Y]; y++)
                for (int x = 0; x < grid.size[WP_X]; x++) {
                    seed = seed * 1664525U + 1013904223U;
                    noise[(grid.first[WP_X] + x) * all.stride[WP_X] +
                          (grid.first[WP_Y] + y) * all.stride[WP_Y] +
                          (grid.first[WP_Z] + z) * all.stride[WP_Z]] =
                        (float)(seed >> 8) / (1 << 23) - 1;
                }
    }
}

// Crops the image to the target's extent, and computes its transform and the inverse with the
// reference.
static bool prepare_target(const struct wp_verify_params *params, struct wp_device *reference,
                        struct target *target)
{
    const int *const size = target->extent.size, *const all = params->extent.size;
    struct wp_description d = describe(params, target);
    const size_t samples = wp_description_samples(&d), width = (size_t)size[WP_X];
    const size_t coefficients = wp_description_coefficients(&d);
    float *planes = wp_allocate(samples + coefficients, 4 * sizeof *planes, "the channels to verify");
    if (!planes)
        return false;
    target->image = planes;
    target->restored = planes + samples;
    target->got_restored[0] = planes + 2 * samples;
    target->got_restored[1] = planes + 3 * samples;
    target->coefficients = planes + 4 * samples;
    target->got = target->coefficients + coefficients;
    target->noise = target->coefficients + 2 * coefficients;
    target->scale = 1;
    for (int z = 0; z < wp_description_depth(&d); z++)
        for (int y = 0; y < size[WP_Y]; y++)
            memcpy(target->image + ((size_t)z * (size_t)size[WP_Y] + (size_t)y) * width,
                   params->plane +
                       ((size_t)z * (size_t)all[WP_Y] + (size_t)y) * (size_t)all[WP_X],
                   width * sizeof *planes);
    for (size_t i = 0; i < samples && !params->reversible; i++)
        target->scale = fmax(target->scale, fabs((double)target->image[i]));
    if (params->adjoint)
        fill_noise(&d, target->noise);

    d.wavelet = params->wavelet;
    d.kind = wp_description_is_redundant(&d) ? NULL : &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING];
    d.form = WP_FORM_PLAIN;
    d.direction = WP_FORWARD;
    if (!wp_verify_reference(reference, &d, target->image, target->coefficients))
        return false;
    d.direction = WP_INVERSE;
    return wp_verify_reference(reference, &d, target->coefficients, target->restored);
}

// The image scheme that gives the same result for a slice as a volume scheme.
static const struct wp_scheme_kind *kind_of_slice(const struct wp_scheme_kind *kind)
{
    const ptrdiff_t number = kind - wp_scheme_kinds;
    return number < WP_SCHEME_KINDS
               ? kind
               : kind - WP_SCHEME_PLANAR_CONVOLUTION + WP_SCHEME_NONSEP_CONVOLUTION;
}

// Compares the transforms of the first slice as a volume of one slice and as an image, in both
// directions.
static bool compare_slice(const struct wp_execute *on, struct wp_description d,
                          const struct target *target, struct wp_verify_row *row)
{
    float *const results[] = {target->got_restored[0], target->got_restored[1]};
    d.levels_z = 0;
    d.kind = kind_of_slice(d.kind);
    row->status = WP_VERIFY_PASSED;
    row->error = row->tolerance = 0;
    for (int direction = 0; direction < WP_DIRECTION_COUNT; direction++) {
        d.direction = (enum wp_direction)direction;
        const float *from = direction == WP_FORWARD ? target->image : target->coefficients;
        for (int depth = 0; depth < 2; depth++) {
            d.size[WP_Z] = depth;
            if (!wp_execute(on, &d, 1, &from, &results[depth]))
                return false;
        }
        const int width = d.size[WP_X], area = width * d.size[WP_Y];
        for (int i = 0; i < area; i++) {
            const double error = fabs((double)results[0][i] - (double)results[1][i]);
            if (!(error <= row->error)) {
                row->error = isfinite(error) ? error : INFINITY;
                row->status = WP_VERIFY_FAILED;
                memcpy(row->at, (const int[]){i % width, i / width, 0}, sizeof row->at);
            }
        }
    }
    return true;
}

static double product(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

// Compares <W x, y> with <x, W^T y> and <x, W^-1 y> with <W^-T x, y>, for the image x and noise y.
static bool compare_products(const struct wp_execute *on, struct wp_description d,
                             const struct target *target, struct wp_verify_row *row)
{
    const size_t samples = wp_description_samples(&d), count = wp_description_coefficients(&d);
    const float *const x = target->image, *const y = target->noise;
    const double norm_x = sqrt(product(x, x, samples)), norm_y = sqrt(product(y, y, count));
    float *to_x = target->got_restored[0], *to_y = target->got;
    row->tolerance = WP_VERIFY_PRODUCT * wp_verify_tolerance(&d, wp_description_levels(&d));
    row->status = WP_VERIFY_PASSED;
    for (int i = 0; i < 2; i++) {
        d.direction = WP_FORWARD;
        d.adjoint = i;
        if (!wp_execute(on, &d, 1, &x, &to_y))
            return false;
        d.direction = WP_INVERSE;
        d.adjoint = !i;
        if (!wp_execute(on, &d, 1, &y, &to_x))
            return false;
        const double difference = product(to_y, y, count) - product(x, to_x, samples);
        const double scale = fmax(norm_y * sqrt(product(to_y, to_y, count)),
                                  norm_x * sqrt(product(to_x, to_x, samples)));
        const double error = scale > 0 ? fabs(difference) / scale : 0;
        if (!(error <= row->error))
            row->error = isfinite(error) ? error : INFINITY;
    }
    if (row->error > row->tolerance)
        row->status = WP_VERIFY_FAILED;
    return true;
}

// Runs a scheme in both directions. Sets the results of the checks that have their own transforms.
static bool run_scheme(const struct wp_verify_params *params, const struct target *target,
                       struct wp_description d, struct wp_verify_row row[WP_VERIFY_CHECK_COUNT])
{
    const struct wp_execute on = {params->backend, params->device, params->variant};
    const unsigned checks = checks_of(&d);
    if ((checks >> WP_VERIFY_ONE_SLICE & 1 &&
         !compare_slice(&on, d, target, &row[WP_VERIFY_ONE_SLICE])) ||
        (checks >> WP_VERIFY_PRODUCTS & 1 &&
         !compare_products(&on, d, target, &row[WP_VERIFY_PRODUCTS])))
        return false;
    d.direction = WP_FORWARD;
    if (!wp_execute(&on, &d, 1, (const float *[]){target->image}, (float *[]){target->got}))
        return false;
    d.direction = WP_INVERSE;
    return wp_execute(&on, &d, 2, (const float *[]){target->coefficients, target->got},
                   target->got_restored);
}

// True if the variant supports the description, and for spatial-temporal transforms both parts; for
// others than those of backends, periodic levels of larger sizes, which plans make of it.
static bool is_supported(const struct wp_variant *variant, const struct wp_description *given,
                         char *why, size_t size)
{
    struct wp_description chain[WP_CHAIN_MAX], d = *given;
    if (given->border >= WP_BORDER_NATIVE) {
        d.border = WP_BORDER_PERIODIC;
        d.levels = wp_min(d.levels, 1);
        d.levels_z = wp_min(d.levels_z, 1);
        for (int a = 0; a < WP_DIMS_MAX; a++)
            d.size[a] = d.size[a] > 1 ? (d.size[a] + given->wavelet->window + 1) / 2 * 2 : d.size[a];
    }
    for (int s = wp_description_chain(&d, chain); s-- > 0;)
        if (!variant->supports(variant, &chain[s], why, size))
            return false;
    return true;
}

static bool verify_scheme(const struct wp_verify_params *params, const struct target *target,
                          const struct wp_scheme_kind *kind, enum wp_form form,
                          wp_verify_callback callback, void *user)
{
    struct wp_description d = describe(params, target);
    d.kind = kind;
    d.form = form;
    char why[256];
    const char *skipped = target->skipped[0] ? target->skipped : NULL;
    if (d.bank == WP_BANK_STARLET && kind->grouping != WP_GROUP_ALL)
        skipped = "a B3 spline has no lifting steps";
    const struct wp_variant *variant = params->variant;
    if (!skipped && variant && variant->supports && !is_supported(variant, &d, why, sizeof why))
        skipped = why;
    struct wp_verify_row own[WP_VERIFY_CHECK_COUNT] = {0};
    if (!skipped && !run_scheme(params, target, d, own))
        return false;
    d.wavelet = params->wavelet;
    if (wp_backend_is_schemeless(params->backend, &d))
        d.kind = NULL;
    const unsigned checks = checks_of(&d);
    for (int check = 0; checks >> check; check++) {
        struct wp_verify_row row = {.status = WP_VERIFY_SKIPPED};
        if (!(checks >> check & 1))
            continue;
        const float *const got[] = {target->got, target->got_restored[0],
                                    target->got_restored[1]};
        const float *const expected[] = {target->coefficients, target->restored, target->image};
        d.direction = check == WP_VERIFY_FORWARD ? WP_FORWARD : WP_INVERSE;
        if (!skipped && check > WP_VERIFY_ROUND_TRIP)
            row = own[check];
        else if (!skipped)
            wp_verify_judge(&d, target->scale, got[check], expected[check], &row);
        row.kind = d.kind;
        row.form = form;
        row.border = target->border;
        row.adjoint = d.adjoint;
        row.is_last = checks >> check == 1;
        row.check = (enum wp_verify_check)check;
        row.reason = skipped;
        callback(user, &row);
    }
    return true;
}

// Sets the reason if there is no transform.
static void find_reason(const struct wp_verify_params *params, struct target *target)
{
    struct wp_wavelet dual;
    if (params->bank != WP_BANK_DECIMATED) {
        const struct wp_description d = describe(params, target);
        wp_begin_attempt();
        if (!wp_description_check(&d))
            snprintf(target->skipped, sizeof target->skipped, "%.*s",
                     (int)strcspn(wp_last_error_text(), "\n"), wp_last_error_text());
        wp_end_attempt();
        return;
    }
    if (target->border == WP_BORDER_SYMMETRIC && params->wavelet->symmetry == WP_SYMMETRY_NONE)
        snprintf(target->skipped, sizeof target->skipped, "the wavelet is not symmetric");
    wp_begin_attempt();
    if (params->adjoint && !wp_lifting_dual(params->wavelet, params->norm, &dual))
        snprintf(target->skipped, sizeof target->skipped, "%s", wp_last_error_text());
    wp_end_attempt();
}

// Other banks than the decimated one have as many levels along z as in the plane, or none.
static struct wp_verify_extent extent_of(const struct wp_verify_params *params,
                                         enum wp_border border)
{
    struct wp_verify_extent e = params->extent;
    if (params->bank != WP_BANK_DECIMATED) {
        const struct wp_description d = {.bank = params->bank, .start_level = params->start_level,
                                         .size = {e.size[WP_X], e.size[WP_Y], e.size[WP_Z]}};
        e.levels = wp_min(e.levels, wp_description_levels_most(&d, WP_X));
        e.levels_z = wp_min(e.levels_z, wp_description_levels_most(&d, WP_Z));
    }
    if (params->bank != WP_BANK_DECIMATED && e.levels > 0 && e.levels_z > 0)
        e.levels = e.levels_z = wp_min(e.levels, e.levels_z);
    return wp_verify_extent(&e, wp_bank_is_redundant(params->bank) ? WP_BORDER_SYMMETRIC : border);
}

static bool verify_targets(const struct wp_verify_params *params, struct wp_device *reference,
                           struct target target[WP_BORDER_COUNT], wp_verify_callback callback,
                           void *user)
{
    int count = 0;
    const unsigned borders = params->borders ? params->borders : (1U << WP_BORDER_NATIVE) - 1;
    for (int border = 0; border < WP_BORDER_COUNT; border++) {
        if (!(borders >> border & 1))
            continue;
        struct target *t = &target[count++];
        t->border = (enum wp_border)border;
        t->extent = extent_of(params, t->border);
        find_reason(params, t);
        if (!t->skipped[0] && !prepare_target(params, reference, t))
            return false;
    }
    static const enum wp_form forms[] = {WP_FORM_SHADER, WP_FORM_PLAIN};
    const struct wp_description d = describe(params, target);
    const bool schemeless = wp_backend_is_schemeless(params->backend, &d) || d.reversible;
    const bool redundant = wp_description_is_redundant(&d);
    const int form_count = schemeless || redundant || params->one_form ? 1 : sizeof forms / sizeof *forms;
    const enum wp_form first = d.reversible ? WP_FORM_PLAIN : forms[0];
    const int kinds = d.size[WP_Z] > 1 ? WP_SCHEME_VOLUME_KINDS : WP_SCHEME_KINDS;
    for (int k = d.reversible ? WP_SCHEME_SEP_LIFTING : 0; k < kinds; k++) {
        if (params->kinds ? !(params->kinds & 1U << k) && !d.reversible
                          : d.bank == WP_BANK_STARLET &&
                                wp_scheme_kinds[k].grouping != WP_GROUP_ALL)
            continue;
        for (int i = 0; i < count; i++)
            for (int f = 0; f < form_count; f++)
                if (!verify_scheme(params, &target[i], &wp_scheme_kinds[k],
                                   f ? forms[f] : first, callback, user))
                    return false;
        if (schemeless)
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
    for (int i = 0; i < WP_BORDER_COUNT; i++)
        free_target(&target[i]);
    wp_backend_reference.close(reference);
    return ok;
}
