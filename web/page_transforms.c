// Two sides beside each other: their transforms, times, differences and bands.
#include "page.h"
#include "page_internal.h"

#include "backend_gl.h"
#include "edit.h"
#include "functions.h"
#include "log.h"
#include "memory.h"
#include "metrics.h"
#include "execute.h"
#include "paint.h"
#include "program.h"
#include "reference.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2 };

// One of the two that stand beside each other.
struct side {
    struct page_variant variant[2]; // by direction
    float *edited;     // coefficients that go into the inverse
    bool is_edited;    // those of this image
};

static struct side sides[SIDES];
static const struct page_variant *timed; // whose run the context's timer took last, NULL: none's alone

static void rest(struct page_variant *variant)
{
    if (variant->exec)
        page_machine()->backend->release(variant->exec);
    variant->exec = NULL;
    timed = NULL;
    wp_plan_destroy(&variant->plan);
    free(variant->result);
    variant->result = NULL;
}

static void forget(struct side *side)
{
    for (int d = 0; d < 2; d++)
        rest(&side->variant[d]);
    free(side->edited);
    *side = (struct side){0};
}

void page_forget_views(void)
{
    for (int s = 0; s < SIDES; s++)
        forget(&sides[s]);
}

void page_renew_views(bool fit)
{
    for (int s = 0; s < SIDES; s++) {
        struct side *side = &sides[s];
        if (!fit)
            forget(side);
        side->is_edited = side->variant[0].is_there = side->variant[1].is_there = false;
    }
}

static bool is_half(void)
{
    return page_machine()->gl && wp_gl_get_info(page_machine()->gl)->half_only;
}

int page_levels_most(int periodic)
{
    return wp_levels_most((const int[]){page_width(), page_height()},
                          periodic ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC);
}

int page_view(int number, const char *scheme, int levels, int periodic)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(scheme, 2);
    if (number < 0 || number >= SIDES || !page_image() || !kind)
        return 0;
    struct side *side = &sides[number];
    forget(side);
    for (int d = 0; d < 2; d++) {
        side->variant[d].description = (struct wp_description){
            .wavelet = page_changed_wavelet(),
            .direction = d ? WP_INVERSE : WP_FORWARD,
            .border = periodic ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC,
            .size = {page_image()->width, page_image()->height},
            .levels = levels,
            .kind = kind,
            .precision = is_half() ? WP_PRECISION_F16 : WP_PRECISION_F32,
        };
        if (!wp_description_check(&side->variant[d].description))
            return 0;
    }
    return 1;
}

struct page_variant *page_find_variant(int number, int inverse)
{
    if (number >= 0 && number < SIDES) {
        struct page_variant *variant = &sides[number].variant[inverse ? 1 : 0];
        if (variant->description.wavelet)
            return variant;
    }
    wp_fail(WP_ERROR_USAGE, "there is no side %d", number);
    return NULL;
}

const struct wp_plan *page_plan(struct page_variant *variant)
{
    if (!variant->plan)
        variant->plan = wp_plan_passes(&variant->description);
    return variant->plan;
}

bool page_prepare(struct page_variant *variant)
{
    struct wp_description *d = &variant->description;
    const int planes = page_image()->planes;
    timed = NULL; // who wants to work takes the timer
    if (variant->exec)
        return true;
    d->planes = page_machine()->backend->planes_max && page_machine()->backend->planes_max(page_machine()->device, d) >= planes
                    ? planes : 1;
    variant->exec = page_machine()->backend->prepare(page_machine()->device, d, NULL);
    return variant->exec != NULL;
}

int page_begin(int number, int inverse)
{
    struct page_variant *variant = page_find_variant(number, inverse);
    struct wp_gl *gl = page_machine()->gl;
    if (!variant)
        return 0;
    if (gl && wp_gl_make_current(gl)) {
        wp_gl_link_ahead(gl, true);
        if (wp_gl_links_ahead(gl))
            page_prepare(variant);
        wp_gl_link_ahead(gl, false);
    }
    return 1;
}

int page_is_linking(void)
{
    struct wp_gl *gl = page_machine()->gl;
    return gl && wp_gl_make_current(gl) && wp_gl_is_linking(gl);
}

static bool compute(struct page_variant *variant, const float *from)
{
    bool ok = page_prepare(variant);
    if (ok && !variant->result)
        variant->result = wp_allocate(page_all_samples(), sizeof *variant->result, "a result");
    ok = ok && variant->result;
    variant->is_there = false;
    variant->seconds = (struct wp_exec_seconds){0};
    const struct wp_description *d = &variant->description;
    for (int p = 0; p < page_image()->planes && ok; p += wp_description_planes(d)) {
        const struct wp_operand in = wp_operand_const(d, from + (size_t)p * page_plane_samples());
        const struct wp_operand out = wp_operand_dense(d, variant->result + (size_t)p * page_plane_samples());
        ok = wp_exec_transform(page_machine()->backend, variant->exec, &in, &out, &variant->seconds);
    }
    if (ok && page_image()->planes == wp_description_planes(d))
        timed = variant;
    return variant->is_there = ok;
}

float *page_forward(int number)
{
    struct page_variant *variant = page_find_variant(number, 0);
    return variant && compute(variant, page_image()->plane[0]) ? variant->result : NULL;
}

const float *page_coefficients(int number)
{
    const struct page_variant *variant = page_find_variant(number, 0);
    return !variant ? NULL : variant->is_there ? variant->result : page_forward(number);
}

double page_keep(int number, double percent)
{
    const float *from = page_coefficients(number);
    if (!from)
        return -1;
    struct side *side = &sides[number];
    side->is_edited = side->variant[1].is_there = false;
    if (!side->edited)
        side->edited = wp_allocate(page_all_samples(), sizeof *side->edited, "coefficients");
    if (!side->edited)
        return -1;
    memcpy(side->edited, from, page_all_samples() * sizeof *side->edited);
    const struct wp_edit edit = {.kind = WP_EDIT_KEEP, .number = percent};
    const struct wp_edit_target target = {&side->variant[0].description, 1, page_image()->planes,
                                          side->edited};
    struct wp_edit_amount amount;
    if ((percent < 100 && !wp_edit_apply(&edit, 0, &target, NULL)) ||
        !wp_edit_measure(&target, &amount))
        return -1;
    side->is_edited = true;
    return amount.nonzero / amount.samples;
}

const float *page_input(int number, int inverse)
{
    if (!inverse)
        return page_image()->plane[0];
    const struct side *side = &sides[number];
    return side->is_edited || page_keep(number, 100) >= 0 ? side->edited : NULL;
}

float *page_inverse(int number)
{
    struct page_variant *variant = page_find_variant(number, 1);
    const float *from = variant ? page_input(number, 1) : NULL;
    return from && compute(variant, from) ? variant->result : NULL;
}

double page_seconds(int number, int inverse)
{
    const struct page_variant *variant = page_find_variant(number, inverse);
    return variant ? variant->seconds.run : 0;
}

double page_device_seconds(int number, int inverse)
{
    GLint disjoint = 0;
    const struct page_variant *variant = page_find_variant(number, inverse);
    if (!variant || variant != timed || !page_machine()->gl || !wp_gl_get_info(page_machine()->gl)->late_timer ||
        !wp_gl_make_current(page_machine()->gl))
        return NAN;
    const double seconds = wp_gl_timer_late(page_machine()->gl);
    glGetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
    return disjoint ? NAN : seconds;
}

double page_psnr(int number)
{
    const struct page_variant *variant = page_find_variant(number, 1);
    if (!variant || !variant->is_there)
        return NAN;
    struct wp_image restored = *page_image();
    for (int p = 0; p < restored.planes; p++)
        restored.plane[p] = variant->result + (size_t)p * page_plane_samples();
    return wp_metrics_psnr(page_image(), &restored);
}

static double difference(const float *a, const float *b)
{
    double most = 0;
    for (size_t i = 0; i < page_all_samples(); i++) {
        const double apart = fabs((double)a[i] - (double)b[i]);
        // Negated, so that it notices a NaN.
        most = apart <= most ? most : apart;
    }
    return most;
}

double page_difference(void)
{
    const float *a = page_coefficients(0), *b = page_coefficients(1);
    return a && b ? difference(a, b) : NAN;
}

double page_check(int number, int inverse)
{
    struct page_variant *variant = page_find_variant(number, inverse);
    const struct wp_execute on = {.backend = &wp_backend_reference};
    const float *from = variant && variant->is_there ? page_input(number, inverse) : NULL;
    if (!from)
        return -1;
    float *wanted = wp_allocate(page_all_samples(), sizeof *wanted, "a result");
    struct wp_description exact = variant->description;
    exact.precision = WP_PRECISION_F32;
    exact.planes = 1;
    const float *in[PAINT_COLOURS];
    float *out[PAINT_COLOURS];
    for (int p = 0; p < page_image()->planes; p++) {
        in[p] = from + (size_t)p * page_plane_samples();
        out[p] = wanted + (size_t)p * page_plane_samples();
    }
    double most = -1;
    if (wanted && wp_execute(&on, &exact, page_image()->planes, in, out))
        most = difference(variant->result, wanted);
    free(wanted);
    return most;
}

double page_tolerance(int number, int inverse)
{
    const struct page_variant *variant = page_find_variant(number, inverse);
    return variant ? wp_verify_tolerance(&variant->description, inverse ? 0 : variant->description.levels) : 0;
}

struct spread {
    double least, most, squares;
};

// Of a band in all planes.
static struct spread measure(const float *from, const struct wp_band_grid *grid)
{
    struct spread spread = {INFINITY, -INFINITY, 0};
    for (int p = 0; p < page_image()->planes; p++) {
        for (int y = 0; y < grid->size[1]; y++) {
            const float *row = from + (size_t)p * page_plane_samples() +
                               (size_t)(grid->first[1] + y) * (size_t)page_image()->width +
                               grid->first[0];
            for (int x = 0; x < grid->size[0]; x++) {
                spread.least = fmin(spread.least, row[x]);
                spread.most = fmax(spread.most, row[x]);
                spread.squares += (double)row[x] * row[x];
            }
        }
    }
    return spread;
}

const char *page_bands(int number)
{
    static struct wp_text text;
    const float *from = page_coefficients(number);
    if (!from)
        return NULL;
    const struct wp_description *d = &sides[number].variant[0].description;
    wp_text_clear(&text);
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        const struct spread spread = measure(from, &band.grid);
        const int *size = band.grid.size;
        const double count = (double)size[0] * size[1] * page_image()->planes;
        char name[WP_BAND_NAME_SIZE];
        wp_subband_name(&band, name);
        wp_text_add(&text, "%s\t%d\t%d\t%d\t%d\t%.9g\t%.9g\t%.9g\n", name,
                    band.grid.first[0], band.grid.first[1], size[0], size[1], spread.least,
                    spread.most, sqrt(spread.squares / count));
    }
    return page_give(&text, "the bands");
}
