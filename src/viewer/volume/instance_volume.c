#include "instance.h"

#include "edit.h"
#include "measure.h"
#include "memory.h"
#include "threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum wp_edit_kind add_impulse(const struct wp_view_edit *e, const struct wp_description *d,
                                     struct wp_text *text)
{
    const int number = wp_subband_number(d, e->level, (enum wp_band)e->band);
    const struct wp_subband subband = wp_subband_describe(d, number);
    const int *size = subband.grid.size;
    char name[WP_BAND_NAME_SIZE];
    // LL of a level before the last is not a subband.
    if (subband.level != e->level || e->x >= size[WP_X] || e->y >= size[WP_Y] ||
        e->z >= size[WP_Z]) {
        wp_text_add(text, "0");
        return WP_EDIT_KEEP;
    }
    wp_subband_name(&subband, name);
    wp_text_add(text, "%s:%d,%d", name, e->x, e->y);
    if (wp_description_depth(d) > 1)
        wp_text_add(text, ",%d", e->z);
    return WP_EDIT_IMPULSE;
}

// Appends the shortest decimal that parses to the same number.
static void add_number(struct wp_text *text, double value)
{
    char number[WP_NUMBER_SIZE];
    double same;
    for (int digits = 6; digits <= 17; digits++)
        if (wp_parse_double(wp_format_number(number, value, digits), &same) && same == value)
            break;
    wp_text_add(text, "%s", number);
}

// Appends "BAND=" of subband number `i`, after a comma if there is one before it.
static void add_band(struct wp_text *text, const struct wp_description *d, int i, bool is_first)
{
    const struct wp_subband subband = wp_subband_describe(d, i);
    char name[WP_BAND_NAME_SIZE];
    wp_subband_name(&subband, name);
    wp_text_add(text, "%s%s=", is_first ? "" : ",", name);
}

// Appends "soft:0.1", or "soft:HL1=0.1,HH1=0.2" if the thresholds differ.
static void add_threshold(const struct wp_view_edit *e, const struct wp_description *d,
                          struct wp_text *text)
{
    double least = INFINITY, most = 0;
    for (int i = 1; i < wp_subband_count(d); i++) {
        const struct wp_subband s = wp_subband_describe(d, i);
        least = fmin(least, e->limit[s.level][s.band]);
        most = fmax(most, e->limit[s.level][s.band]);
    }
    wp_text_add(text, "%s:", wp_threshold_names[e->threshold]);
    if (least >= most)
        add_number(text, most);
    bool is_first = true;
    for (int i = 1; i < wp_subband_count(d) && least < most; i++) {
        const struct wp_subband s = wp_subband_describe(d, i);
        const double limit = e->limit[s.level][s.band];
        if (limit == 0)
            continue;
        add_band(text, d, i, is_first);
        add_number(text, limit);
        is_first = false;
    }
}

// Appends "HL1=2,HH1=0.5".
static void add_gains(const struct wp_view_edit *e, const struct wp_description *d,
                      struct wp_text *text)
{
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband s = wp_subband_describe(d, i);
        const double gain = e->gain[s.level][s.band];
        if (gain == 1 || e->zeroed[s.level][s.band])
            continue;
        add_band(text, d, i, text->length == 0);
        add_number(text, gain);
    }
}

bool wp_view_edit_each(const struct wp_view_edit *e, const struct wp_description *d,
                       bool (*use)(void *user, const char *name, const char *text), void *user)
{
    struct wp_text text = {0};
    bool ok = true;
    if (e->impulse) {
        const enum wp_edit_kind kind = add_impulse(e, d, &text);
        ok = use(user, wp_edit_names[kind], wp_text_get(&text));
        wp_text_clear(&text);
    }
    for (int i = 0; i < wp_subband_count(d); i++) {
        const struct wp_subband subband = wp_subband_describe(d, i);
        char name[WP_BAND_NAME_SIZE];
        if (!e->zeroed[subband.level][subband.band])
            continue;
        wp_subband_name(&subband, name);
        wp_text_add(&text, "%s%s", text.length ? "," : "", name);
    }
    if (ok && text.length)
        ok = use(user, wp_edit_names[WP_EDIT_ZERO], wp_text_get(&text));
    wp_text_clear(&text);
    if (ok && e->threshold != WP_THRESHOLD_NONE) {
        add_threshold(e, d, &text);
        ok = use(user, wp_edit_names[WP_EDIT_THRESHOLD], wp_text_get(&text));
        wp_text_clear(&text);
    }
    add_gains(e, d, &text);
    if (ok && text.length)
        ok = use(user, wp_edit_names[WP_EDIT_SCALE], wp_text_get(&text));
    wp_text_free(&text);
    return ok;
}

static const struct wp_description *description(const struct wp_instance_volume *v)
{
    return wp_transform_description(v->transform);
}

static size_t elements(const int size[WP_DIMS_MAX])
{
    return (size_t)size[WP_X] * (size_t)size[WP_Y] * (size_t)size[WP_Z];
}

static float *make_array(const int size[WP_DIMS_MAX], const char *purpose)
{
    return wp_allocate(elements(size), sizeof(float), purpose);
}

// Sets the sizes of the arrays. Banks and borders with more coefficients than samples have no
// groups.
static void set_sizes(struct wp_instance_volume *v)
{
    const struct wp_description *d = description(v);
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        v->size[a] = a == WP_Z ? v->depth : d->size[a];
        v->extent[a] = wp_description_is_expansive(d) ? wp_description_extent(d, a) : v->size[a];
    }
}

// The samples, the result of the inverse, as much for the backend, and the coefficients before and
// after edits.
static bool check_memory(const struct wp_instance_volume *v, int planes, double limit)
{
    struct wp_description d = *description(v);
    d.size[WP_Z] = v->depth;
    const double count = 3 * (double)elements(v->size) + 2 * (double)elements(v->extent);
    return wp_instance_check_memory(&d, planes, count * planes * (double)sizeof(float), limit);
}

static struct wp_instance_volume *create(const struct wp_transform_params *params, int planes,
                                         double limit)
{
    struct wp_instance_volume *v = wp_allocate(1, sizeof *v, "a volume's transform");
    if (!v)
        return NULL;
    v->depth = params->depth;
    v->transform = wp_transform_create(params);
    if (v->transform) {
        set_sizes(v);
        if (check_memory(v, planes, limit))
            v->coefficients = make_array(v->extent, "coefficients");
    }
    v->edited = v->coefficients;
    if (!v->coefficients)
        wp_instance_volume_destroy(&v);
    return v;
}

void wp_instance_volume_destroy(struct wp_instance_volume **slot)
{
    struct wp_instance_volume *v = *slot;
    *slot = NULL;
    if (!v)
        return;
    wp_transform_destroy(&v->transform);
    free(v->coefficients);
    free(v->changed);
    free(v->image);
    free(v);
}

// The levels along z: of redundant banks those of the plane, or none.
static int levels_along_z(const struct wp_instance *t, int most)
{
    const int requested = t->params.levels_z < 0 ? t->levels : t->params.levels_z;
    if (wp_bank_is_redundant((enum wp_bank)t->params.view.bank) && t->levels > 0 && requested > 0)
        return t->levels;
    return requested < most ? requested : most;
}

bool wp_instance_make_volume(struct wp_instance *t, double limit, int planes)
{
    const struct wp_instance_params *p = &t->params;
    const int depth = p->gop > 0 && p->gop < t->plane.depth ? p->gop : t->plane.depth;
    const struct wp_description d = {.wavelet = &t->wavelet, .border = (enum wp_border)p->border,
                                     .size = {t->plane.width, t->plane.height, depth}};
    const int levels_z = levels_along_z(t, wp_description_levels_fit(&d, WP_Z));
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = t->plane.width, .height = t->plane.height,
                            .depth = t->plane.depth, .wavelet = p->view.wavelet,
                            .scheme = wp_scheme_kinds[p->view.scheme].name, .plain = p->view.plain,
                            .border = wp_border_names[p->border], .norm = wp_norm_names[p->norm],
                            .precision = wp_precision_names[p->view.precision],
                            .bank = wp_bank_names[p->view.bank],
                            .reversible = p->view.reversible, .adjoint = p->adjoint,
                            .backend = t->backend->name,
                            .variant = p->view.variant[0] ? p->view.variant : NULL,
                            .levels = t->levels > 0 ? t->levels : WP_LEVELS_NONE,
                            .levels_z = levels_z > 0 ? levels_z : WP_LEVELS_NONE,
                            .gop = p->gop);
    t->volume = create(&params, planes, limit);
    if (!t->volume || !wp_gl_make_current(t->gl))
        return false;
    const struct wp_transform_info *info = wp_transform_get_info(t->volume->transform);
    t->description = *wp_transform_description(t->volume->transform);
    snprintf(t->name, sizeof t->name, "%s", info->name);
    t->steps = info->steps;
    t->operations = info->operations;
    t->fetches = info->fetches;
    // Some backends reject a volume only when they plan.
    return wp_transform_describe(t->volume->transform, false, NULL, NULL) &&
           wp_gl_make_current(t->gl);
}

bool wp_instance_volume_run(struct wp_instance_volume *v, enum wp_direction direction,
                            const float *samples, double *seconds)
{
    const bool inverse = direction == WP_INVERSE;
    if (inverse && !v->image && !(v->image = make_array(v->size, "a volume")))
        return false;
    v->edited = inverse ? v->edited : v->coefficients;
    v->is_applied = inverse && v->is_applied;
    const bool ok =
        inverse ? wp_transform_inverse(v->transform, WP_ARRAY(v->edited), WP_ARRAY(v->image))
                : wp_transform_forward(v->transform, WP_ARRAY(samples), WP_ARRAY(v->coefficients));
    *seconds = wp_transform_get_info(v->transform)->seconds;
    return ok;
}

int wp_instance_volume_groups(const struct wp_instance_volume *v)
{
    const int depth = wp_description_depth(description(v));
    return v->depth / depth + (v->depth % depth != 0);
}

struct wp_description wp_instance_volume_group(const struct wp_instance_volume *v, int group,
                                               int *first)
{
    const int depth = wp_description_depth(description(v));
    *first = group * depth;
    return wp_transform_group(v->transform, v->depth - *first < depth ? v->depth - *first : depth);
}

// A box of an array, or of its difference to the box of the same size in another one.
struct box {
    const float *array; // may be NULL
    const int *size;    // of the array
    int first[WP_DIMS_MAX];
};

struct measure_job {
    struct box a, b;
    const int *size; // of the boxes
    struct wp_measure *part; // one per thread
};

static const float *row_of(const struct box *box, int y, int z)
{
    const size_t row = (size_t)(box->first[WP_Z] + z) * (size_t)box->size[WP_Y] +
                       (size_t)(box->first[WP_Y] + y);
    return box->array + row * (size_t)box->size[WP_X] + box->first[WP_X];
}

static void measure_slice(void *user, int z, int thread)
{
    const struct measure_job *w = user;
    struct wp_measure s = {.least = INFINITY, .most = -INFINITY,
                           .samples = (long long)w->size[WP_X] * w->size[WP_Y]};
    for (int y = 0; y < w->size[WP_Y]; y++) {
        const float *a = row_of(&w->a, y, z), *b = w->b.array ? row_of(&w->b, y, z) : NULL;
        for (int x = 0; x < w->size[WP_X]; x++) {
            const double value = b ? (double)a[x] - (double)b[x] : (double)a[x];
            s.least = value < s.least ? value : s.least;
            s.most = value > s.most ? value : s.most;
            s.total += value;
            s.squares += value * value;
            s.nonzero += value != 0;
        }
    }
    wp_measure_add(&w->part[thread], s);
}

static struct wp_measure measure_boxes(struct box a, struct box b, const int size[WP_DIMS_MAX])
{
    struct wp_measure part[WP_THREADS_MAX] = {{0}}, sum = {0};
    const int threads = wp_threads_count();
    struct measure_job job = {a, b, size, part};
    wp_threads_share(threads, size[WP_Z], measure_slice, &job);
    for (int t = 0; t < threads; t++)
        wp_measure_add(&sum, part[t]);
    return sum;
}

static struct box box_of(const struct wp_instance_volume *v, const struct wp_band_grid *grid,
                         int slice)
{
    struct box box = {v->edited, v->extent, {0}};
    memcpy(box.first, grid->first, sizeof box.first);
    box.first[WP_Z] += slice;
    return box;
}

// ---- Edits, of the subbands whose edit has changed.

struct copy_job {
    struct box from;
    float *to; // an array of the same size
    const int *size; // of the box
};

static void copy_slice(void *user, int z, int thread)
{
    const struct copy_job *w = user;
    (void)thread;
    for (int y = 0; y < w->size[WP_Y]; y++) {
        const float *row = row_of(&w->from, y, z);
        memcpy(w->to + (row - w->from.array), row, (size_t)w->size[WP_X] * sizeof *row);
    }
}

// Copies the unedited coefficients of a band to `changed`.
static void restore_band(struct wp_instance_volume *v, int level, enum wp_band number)
{
    for (int g = 0; g < wp_instance_volume_groups(v); g++) {
        int first;
        const struct wp_description d = wp_instance_volume_group(v, g, &first);
        if (number & ~wp_description_axes(&d, level))
            continue;
        const struct wp_band_grid grid = wp_description_band(&d, level, number);
        struct copy_job job = {box_of(v, &grid, first), v->changed, grid.size};
        job.from.array = v->coefficients;
        wp_threads_share(wp_threads_count(), grid.size[WP_Z], copy_slice, &job);
    }
}

static bool is_same_edit(const struct wp_view_edit *a, const struct wp_view_edit *b, int level,
                         enum wp_band band)
{
    return a->threshold == b->threshold && a->gain[level][band] == b->gain[level][band] &&
           a->limit[level][band] == b->limit[level][band] &&
           a->zeroed[level][band] == b->zeroed[level][band];
}

// Restores the bands whose edit has changed, and sets what is to be applied to them. Impulses are
// edits of all bands.
static struct wp_view_edit prepare_edit(struct wp_instance_volume *v,
                                        const struct wp_view_edit *edit)
{
    const struct wp_description *d = description(v);
    const bool all = !v->is_applied || edit->impulse || v->applied.impulse;
    struct wp_view_edit rest = *edit;
    bool has_limit = all;
    if (all)
        memcpy(v->changed, v->coefficients, elements(v->extent) * sizeof(float));
    for (int i = 0; i < wp_subband_count(d) && !all; i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        if (is_same_edit(edit, &v->applied, level, band)) {
            rest.gain[level][band] = 1;
            rest.limit[level][band] = 0;
            rest.zeroed[level][band] = false;
        } else {
            restore_band(v, level, band);
        }
        has_limit = has_limit || rest.limit[level][band] > 0;
    }
    if (!has_limit)
        rest.threshold = WP_THRESHOLD_NONE;
    return rest;
}

static bool apply(void *user, const char *name, const char *text)
{
    const struct wp_edit_target *target = user;
    struct wp_edit edit;
    return wp_edit_parse(name, text, &edit) && wp_edit_apply(&edit, NULL, target, NULL);
}

bool wp_instance_volume_edit(struct wp_instance_volume *v, const struct wp_view_edit *edit)
{
    if (!v->changed && !(v->changed = make_array(v->extent, "edited coefficients")))
        return false;
    struct wp_edit_target target = {description(v), v->depth, 1, v->changed};
    const struct wp_view_edit rest = prepare_edit(v, edit);
    v->edited = v->changed;
    v->applied = *edit;
    v->is_applied = wp_view_edit_each(&rest, description(v), apply, &target);
    return v->is_applied;
}

// ---- Measurements.

struct wp_measure wp_instance_volume_measure(const struct wp_instance_volume *v, int level,
                                             enum wp_band number,
                                             const struct wp_instance_volume *other)
{
    struct wp_measure sum = {0};
    for (int g = 0; g < wp_instance_volume_groups(v); g++) {
        int first, size[WP_DIMS_MAX];
        const struct wp_description d = wp_instance_volume_group(v, g, &first);
        // A shorter last group may not have the band.
        if (number & ~wp_description_axes(&d, level))
            continue;
        const struct wp_band_grid grid = wp_description_band(&d, level, number);
        struct box a = box_of(v, &grid, first), b = {0};
        memcpy(size, grid.size, sizeof size);
        if (other) {
            // Of wavelets with other numbers of taps, a band has other sizes with some borders.
            const struct wp_description of_other = wp_instance_volume_group(other, g, &first);
            const struct wp_band_grid to = wp_description_band(&of_other, level, number);
            b = box_of(other, &to, first);
            for (int axis = 0; axis < WP_DIMS_MAX; axis++)
                size[axis] = to.size[axis] < size[axis] ? to.size[axis] : size[axis];
        }
        wp_measure_add(&sum, measure_boxes(a, b, size));
    }
    return sum;
}

struct wp_measure wp_instance_volume_measure_all(const struct wp_instance_volume *v, const float *a,
                                                 const float *b)
{
    return measure_boxes((struct box){a, v->size, {0}}, (struct box){b, v->size, {0}}, v->size);
}
