// The device and the two views of the image: transforms, times, differences and subbands.
#include "page.h"
#include "page_internal.h"

#include "backend_gl.h"
#include "border.h"
#include "cpu_backend.h"
#include "edit.h"
#include "fragment.h"
#include "functions.h"
#include "log.h"
#include "memory.h"
#include "metrics.h"
#include "plan.h"
#include "program.h"
#include "reference.h"
#include "suggest.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 2 };

// A view: a scheme with its transforms.
struct view {
    struct page_transform transform[2]; // by direction
    float *edited;     // coefficients for the inverse
    float *first;      // of packets: coefficients of the first level of the inverse's result
    bool is_edited;    // they are of the current image
};

static struct page_machine machine;
static struct wp_image image; // the samples belong to page_image.c; no planes: no image
static struct view views[VIEWS];
static const struct page_transform *timed; // the only transform in the context's timer, or NULL

static void release_transform(struct page_transform *transform)
{
    if (transform->exec)
        machine.backend->release(transform->exec);
    transform->exec = NULL;
    wp_plan_destroy(&transform->plan);
    timed = NULL;
    wp_schedule_destroy(&transform->schedule);
    free(transform->result);
    transform->result = NULL;
}

static void release_view(struct view *view)
{
    for (int d = 0; d < 2; d++)
        release_transform(&view->transform[d]);
    free(view->edited);
    free(view->first);
    *view = (struct view){0};
}

static void release_views(void)
{
    for (int s = 0; s < VIEWS; s++)
        release_view(&views[s]);
}

// ---- device ----

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

const struct page_machine *page_machine(void)
{
    return &machine;
}

static void close_device(void)
{
    release_views();
    if (machine.device)
        machine.backend->close(machine.device);
    machine.device = NULL;
    wp_gl_destroy(&machine.gl);
}

int page_open(int cpu)
{
    char reason[512] = "";
    wp_log_set_handler(ignore_message, NULL);
    close_device();
    if (cpu) {
        machine.backend = &wp_backend_cpu;
        machine.device = machine.backend->open(-1, false, reason, sizeof reason);
        return machine.device != NULL;
    }
    machine.backend = &wp_backend_fragment;
    machine.gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (machine.gl)
        machine.device = machine.backend->gl->borrow(machine.gl, reason, sizeof reason);
    if (machine.device)
        return 1;
    wp_gl_destroy(&machine.gl);
    return wp_fail(WP_ERROR_UNAVAILABLE, "%s", reason);
}

const char *page_device(void)
{
    static struct wp_text text;
    struct wp_device_info info;
    machine.backend->describe(machine.device, &info);
    wp_text_clear(&text);
    const struct wp_gl_info *gl = machine.gl ? wp_gl_get_info(machine.gl) : NULL;
    wp_text_add(&text, "%s\t%s\t%d\t%d", machine.backend->name, info.name,
                gl && gl->half_only ? 16 : 32, gl && gl->late_timer);
    return page_get_text(&text, "the device");
}

// ---- the image ----

const struct wp_image *page_image(void)
{
    return image.planes ? &image : NULL;
}

size_t page_plane_samples(void)
{
    return (size_t)image.width * (size_t)image.height;
}

size_t page_elements(const struct page_transform *transform, bool result)
{
    const struct wp_description *d = &transform->description;
    return result == (d->direction == WP_FORWARD) ? wp_description_coefficients(d)
                                                  : wp_description_samples(d);
}

static size_t all_elements(const struct page_transform *transform, bool result)
{
    return page_elements(transform, result) * (size_t)image.planes;
}

int page_width(void)
{
    return image.width;
}

int page_height(void)
{
    return image.height;
}

int page_planes(void)
{
    return image.planes;
}

float *page_pixels(void)
{
    return image.plane[0];
}

void page_set_image(const struct wp_image *next)
{
    const bool fit = image.width == next->width && image.height == next->height &&
                     image.planes == next->planes;
    image = *next;
    for (int s = 0; s < VIEWS; s++) {
        struct view *view = &views[s];
        if (!fit)
            release_view(view);
        view->is_edited = view->transform[0].is_current = view->transform[1].is_current = false;
    }
}

// ---- views ----

static bool is_half(void)
{
    return machine.gl && wp_gl_get_info(machine.gl)->half_only;
}

// NULL is the decimated bank.
static bool find_words(const char *border, const char *bank, struct wp_description *d)
{
    const int found = wp_name_index(border, wp_border_names, WP_BORDER_COUNT);
    const int found_bank = bank ? wp_name_index(bank, wp_bank_names, WP_BANK_COUNT) : 0;
    d->border = (enum wp_border)found;
    d->bank = (enum wp_bank)found_bank;
    return found < 0        ? wp_fail(WP_ERROR_USAGE, "there is no border '%s'", border)
           : found_bank < 0 ? wp_fail(WP_ERROR_USAGE, "there is no bank '%s'", bank)
                            : true;
}

int page_levels_most(const char *border, const char *bank)
{
    struct wp_description d = {.wavelet = page_changed_wavelet(),
                               .size = {page_width(), page_height()}};
    if (!find_words(border, bank, &d))
        return 0;
    if (d.bank == WP_BANK_DECIMATED)
        return wp_description_levels_fit(&d, WP_X);
    // Six levels of packets are 4096 nodes, more than the page can show.
    const int most = d.bank == WP_BANK_PACKETS ? 5 : WP_MAX_LEVELS;
    do
        d.levels++;
    while (d.levels <= most && wp_description_check(&d));
    return d.levels - 1;
}

int page_view(int number, const char *scheme, int levels, const char *border, const char *bank)
{
    struct wp_description words;
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(scheme, 2);
    if (number < 0 || number >= VIEWS || !page_image() || !kind ||
        !find_words(border, bank, &words))
        return 0;
    struct view *view = &views[number];
    release_view(view);
    for (int d = 0; d < 2; d++) {
        view->transform[d].description = (struct wp_description){
            .wavelet = page_changed_wavelet(),
            .direction = d ? WP_INVERSE : WP_FORWARD,
            .border = words.border,
            .bank = words.bank,
            .size = {page_image()->width, page_image()->height},
            .levels = levels,
            .kind = kind,
            .precision = is_half() ? WP_PRECISION_F16 : WP_PRECISION_F32,
        };
        if (!wp_description_check(&view->transform[d].description))
            return 0;
    }
    return 1;
}

struct page_transform *page_find_transform(int number, int inverse)
{
    if (number >= 0 && number < VIEWS) {
        struct page_transform *transform = &views[number].transform[inverse ? 1 : 0];
        if (transform->description.wavelet)
            return transform;
    }
    wp_fail(WP_ERROR_USAGE, "there is no view %d", number);
    return NULL;
}

bool page_is_planned(const struct page_transform *transform)
{
    const struct wp_description *d = &transform->description;
    return !wp_description_is_native(d) || d->bank == WP_BANK_PACKETS;
}

struct wp_description page_passes_of(const struct page_transform *transform)
{
    struct wp_description d = transform->description;
    if (d.bank == WP_BANK_PACKETS) {
        d.bank = WP_BANK_DECIMATED;
        d.levels = 1;
    }
    return d;
}

// The coefficients of the first level are those of the inverse's result, since the transform is
// critically sampled.
const float *page_passes_input(int number, int inverse)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    if (!transform || !inverse || transform->description.bank != WP_BANK_PACKETS)
        return transform ? page_input(number, inverse) : NULL;
    struct view *view = &views[number];
    struct wp_description d = page_passes_of(transform);
    const struct wp_execute on = {.backend = &wp_backend_reference};
    if (!transform->is_current && !page_inverse(number))
        return NULL;
    if (!view->first)
        view->first = wp_allocate(all_elements(transform, true), sizeof *view->first,
                                  "coefficients");
    d.direction = WP_FORWARD;
    d.planes = 1;
    const float *from[WP_IMAGE_MAX_PLANES];
    float *to[WP_IMAGE_MAX_PLANES];
    for (int p = 0; p < image.planes && view->first; p++) {
        from[p] = transform->result + (size_t)p * page_plane_samples();
        to[p] = view->first + (size_t)p * page_plane_samples();
    }
    return view->first && wp_execute(&on, &d, image.planes, from, to) ? view->first : NULL;
}

const struct wp_schedule *page_schedule(struct page_transform *transform)
{
    const struct wp_description passes = page_passes_of(transform), *d = &passes;
    if (transform->schedule)
        return transform->schedule;
    if (wp_description_is_redundant(d)) {
        transform->schedule = wp_schedule_redundant(d, false);
    } else if (wp_description_is_native(d)) {
        transform->schedule = wp_schedule_passes(d);
    } else {
        struct wp_description level = wp_border_level(d, 0);
        level.size[WP_Z] = 0; // an image
        transform->schedule = wp_schedule_passes(&level);
    }
    return transform->schedule;
}

// Plans work with one plane at a time.
static bool make_plan(struct page_transform *transform)
{
    const struct wp_planner planner = {.backend = machine.backend, .device = machine.device};
    const struct wp_problem problem = wp_problem_of(&transform->description);
    transform->plan = wp_plan_create(&planner, &problem);
    return transform->plan;
}

bool page_prepare(struct page_transform *transform)
{
    struct wp_description *d = &transform->description;
    const int planes = page_image()->planes;
    timed = NULL; // the transform will use the timer
    if (transform->exec || transform->plan)
        return true;
    if (page_is_planned(transform))
        return make_plan(transform);
    d->planes = machine.backend->planes_max &&
                        machine.backend->planes_max(machine.device, d) >= planes
                    ? planes
                    : 1;
    transform->exec = machine.backend->prepare(machine.device, d, NULL);
    return transform->exec != NULL;
}

int page_begin(int number, int inverse)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    struct wp_gl *gl = machine.gl;
    if (!transform)
        return 0;
    if (gl && wp_gl_make_current(gl)) {
        wp_gl_link_ahead(gl, true);
        if (wp_gl_links_ahead(gl))
            page_prepare(transform);
        wp_gl_link_ahead(gl, false);
    }
    return 1;
}

int page_is_linking(void)
{
    struct wp_gl *gl = machine.gl;
    return gl && wp_gl_make_current(gl) && wp_gl_is_linking(gl);
}

static bool run(struct page_transform *transform, const struct wp_operand *in,
                const struct wp_operand *out)
{
    struct wp_execution execution = {.seconds = transform->seconds};
    if (transform->exec)
        return wp_exec_transform(machine.backend, transform->exec, in, out, &transform->seconds);
    const bool ok = transform->plan->kind->apply(transform->plan, in, out, &execution);
    transform->seconds = execution.seconds;
    return ok;
}

static bool compute(struct page_transform *transform, const float *from)
{
    bool ok = page_prepare(transform);
    if (ok && !transform->result)
        transform->result =
            wp_allocate(all_elements(transform, true), sizeof *transform->result, "a result");
    ok = ok && transform->result;
    transform->is_current = false;
    transform->seconds = (struct wp_exec_seconds){0};
    const struct wp_description *d = &transform->description;
    const bool forward = d->direction == WP_FORWARD;
    for (int p = 0; p < page_image()->planes && ok; p += wp_description_planes(d)) {
        const float *plane = from + (size_t)p * page_elements(transform, false);
        float *result = transform->result + (size_t)p * page_elements(transform, true);
        const struct wp_operand in =
            (forward ? wp_operand_dense : wp_operand_coefficients)(d, (float *)plane);
        const struct wp_operand out =
            (forward ? wp_operand_coefficients : wp_operand_dense)(d, result);
        ok = run(transform, &in, &out);
    }
    if (ok && transform->exec && page_image()->planes == wp_description_planes(d))
        timed = transform;
    return transform->is_current = ok;
}

float *page_forward(int number)
{
    struct page_transform *transform = page_find_transform(number, 0);
    return transform && compute(transform, page_image()->plane[0]) ? transform->result : NULL;
}

const float *page_coefficients(int number)
{
    const struct page_transform *transform = page_find_transform(number, 0);
    return !transform ? NULL : transform->is_current ? transform->result : page_forward(number);
}

double page_keep(int number, double percent)
{
    const float *from = page_coefficients(number);
    if (!from)
        return -1;
    struct view *view = &views[number];
    const size_t count = all_elements(&view->transform[0], true);
    view->is_edited = view->transform[1].is_current = false;
    if (!view->edited)
        view->edited = wp_allocate(count, sizeof *view->edited, "coefficients");
    if (!view->edited)
        return -1;
    memcpy(view->edited, from, count * sizeof *view->edited);
    const struct wp_edit edit = {.kind = WP_EDIT_KEEP, .number = percent};
    const struct wp_edit_target target = {&view->transform[0].description, 1, page_image()->planes,
                                          view->edited};
    struct wp_edit_amount amount;
    if ((percent < 100 && !wp_edit_apply(&edit, NULL, &target, NULL)) ||
        !wp_edit_measure(&target, &amount))
        return -1;
    view->is_edited = true;
    return amount.nonzero / amount.samples;
}

const float *page_input(int number, int inverse)
{
    if (!inverse)
        return page_image()->plane[0];
    const struct view *view = &views[number];
    return view->is_edited || page_keep(number, 100) >= 0 ? view->edited : NULL;
}

float *page_inverse(int number)
{
    struct page_transform *transform = page_find_transform(number, 1);
    const float *from = transform ? page_input(number, 1) : NULL;
    return from && compute(transform, from) ? transform->result : NULL;
}

double page_seconds(int number, int inverse)
{
    const struct page_transform *transform = page_find_transform(number, inverse);
    return transform ? transform->seconds.run : 0;
}

double page_device_seconds(int number, int inverse)
{
    GLint disjoint = 0;
    const struct page_transform *transform = page_find_transform(number, inverse);
    if (!transform || transform != timed || !machine.gl ||
        !wp_gl_get_info(machine.gl)->late_timer || !wp_gl_make_current(machine.gl))
        return NAN;
    const double seconds = wp_gl_timer_late(machine.gl);
    glGetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
    return disjoint ? NAN : seconds;
}

double page_psnr(int number)
{
    const struct page_transform *transform = page_find_transform(number, 1);
    if (!transform || !transform->is_current)
        return NAN;
    struct wp_image restored = *page_image();
    for (int p = 0; p < restored.planes; p++)
        restored.plane[p] = transform->result + (size_t)p * page_plane_samples();
    return wp_metrics_psnr(page_image(), &restored);
}

static double difference(const float *a, const float *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double distance = fabs((double)a[i] - (double)b[i]);
        // Negated, so that NaN is detected.
        most = distance <= most ? most : distance;
    }
    return most;
}

double page_difference(void)
{
    const float *a = page_coefficients(0), *b = page_coefficients(1);
    return a && b ? difference(a, b, all_elements(&views[0].transform[0], true)) : NAN;
}

double page_check(int number, int inverse)
{
    struct page_transform *transform = page_find_transform(number, inverse);
    const struct wp_execute on = {.backend = &wp_backend_reference};
    const float *from = transform && transform->is_current ? page_input(number, inverse) : NULL;
    if (!from)
        return -1;
    const size_t count = all_elements(transform, true);
    float *reference = wp_allocate(count, sizeof *reference, "a result");
    struct wp_description exact = transform->description;
    exact.precision = WP_PRECISION_F32;
    exact.planes = 1;
    const float *in[WP_IMAGE_MAX_PLANES];
    float *out[WP_IMAGE_MAX_PLANES];
    for (int p = 0; p < page_image()->planes; p++) {
        in[p] = from + (size_t)p * page_elements(transform, false);
        out[p] = reference + (size_t)p * page_elements(transform, true);
    }
    double most = -1;
    if (reference && wp_execute(&on, &exact, page_image()->planes, in, out))
        most = difference(transform->result, reference, count);
    free(reference);
    return most;
}

double page_tolerance(int number, int inverse)
{
    const struct page_transform *transform = page_find_transform(number, inverse);
    return transform ? wp_verify_tolerance(&transform->description,
                                           inverse ? 0 : transform->description.levels)
                     : 0;
}

struct spread {
    double least, most, squares;
};

// Statistics of a band over all planes.
static struct spread measure(const struct page_transform *transform, const float *from,
                             const struct wp_band_grid *grid)
{
    struct spread spread = {INFINITY, -INFINITY, 0};
    const size_t width = (size_t)wp_description_extent(&transform->description, WP_X);
    for (int p = 0; p < page_image()->planes; p++) {
        for (int y = 0; y < grid->size[1]; y++) {
            const float *row = from + (size_t)p * page_elements(transform, true) +
                               (size_t)(grid->first[1] + y) * width + grid->first[0];
            for (int x = 0; x < grid->size[0]; x++) {
                spread.least = fmin(spread.least, row[x]);
                spread.most = fmax(spread.most, row[x]);
                spread.squares += (double)row[x] * row[x];
            }
        }
    }
    return spread;
}

int page_bands_width(int number)
{
    const struct page_transform *transform = page_find_transform(number, 0);
    return transform ? wp_description_extent(&transform->description, WP_X) : 0;
}

int page_bands_height(int number)
{
    const struct page_transform *transform = page_find_transform(number, 0);
    return transform ? wp_description_extent(&transform->description, WP_Y) : 0;
}

const char *page_band_names(int number)
{
    static struct wp_text text;
    const struct page_transform *transform = page_find_transform(number, 0);
    const struct wp_description *d = transform ? &transform->description : NULL;
    wp_text_clear(&text);
    for (int i = 0; d && i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        char name[WP_BAND_NAME_SIZE];
        wp_subband_name(&band, name);
        wp_text_add(&text, "%s\n", name);
    }
    return d ? page_get_text(&text, "the bands") : NULL;
}

const char *page_bands(int number)
{
    static struct wp_text text;
    const float *from = page_coefficients(number);
    if (!from)
        return NULL;
    const struct wp_description *d = &views[number].transform[0].description;
    wp_text_clear(&text);
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband band = wp_subband_describe(d, i);
        const struct spread spread = measure(&views[number].transform[0], from, &band.grid);
        const int *size = band.grid.size;
        const double count = (double)size[0] * size[1] * page_image()->planes;
        char name[WP_BAND_NAME_SIZE];
        wp_subband_name(&band, name);
        wp_text_add(&text, "%s\t%d\t%d\t%d\t%d\t%.9g\t%.9g\t%.9g\n", name,
                    band.grid.first[0], band.grid.first[1], size[0], size[1], spread.least,
                    spread.most, sqrt(spread.squares / count));
    }
    return page_get_text(&text, "the bands");
}
