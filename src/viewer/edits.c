#include "edits.h"

#include "denoise.h"
#include "memory.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The threshold of a subband.
static double limit_of(const struct wp_view_state *s, int level, int band)
{
    const double own = s->limits[level][band];
    return s->threshold == WP_THRESHOLD_NONE ? 0 : own >= 0 ? own : s->limit;
}

static void find_band(const struct wp_view_state *s, const char *const *names, int number,
                      int level, enum wp_band band, struct wp_view_edit *edit)
{
    edit->gain[level][band] = s->gains[level][band];
    edit->limit[level][band] = band == WP_BAND_LL ? 0 : limit_of(s, level, (int)band);
    edit->zeroed[level][band] = (s->kept >= 0 && number >= s->kept) ||
                                wp_view_is_zeroed(s, names, level, band);
    edit->any = edit->any || edit->gain[level][band] != 1 || edit->zeroed[level][band];
}

void wp_viewer_find_edit(const struct wp_viewer *v, int ab, struct wp_view_edit *edit)
{
    const struct wp_view_state *s = &v->state;
    const struct wp_instance *a = v->instance[ab];
    memset(edit, 0, sizeof *edit);
    edit->threshold = (enum wp_threshold)s->threshold;
    edit->impulse = s->impulse;
    edit->any = edit->threshold != WP_THRESHOLD_NONE || edit->impulse;
    if (s->impulse) {
        edit->level = s->level;
        edit->band = s->band;
        edit->x = s->impulse_x;
        edit->y = s->impulse_y;
        edit->z = a->volume ? s->impulse_z : 0;
    }
    for (int i = 0; a->backend && i < wp_subband_count(&a->description); i++) {
        enum wp_band band;
        const int level = wp_subband_at(&a->description, i, &band);
        if (level > 0)
            find_band(s, wp_instance_band_names(a), i, level, band, edit);
    }
}

// ---- Sliders.

// With the digits that a command should have.
static double rounded(double value, int digits)
{
    char text[WP_NUMBER_SIZE];
    double number = value;
    wp_parse_double(wp_format_number(text, value, digits), &number);
    return number;
}

// Calls use() for a band, or for the details of a level. Returns their number.
static int each_band(const struct wp_viewer *v, int level, int band,
                     void (*use)(void *user, int level, int band), void *user)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    int count = 0;
    for (int i = 0; i < wp_subband_count(d); i++) {
        enum wp_band at;
        if (wp_subband_at(d, i, &at) != level ||
            (band == WP_SLIDER_LEVEL ? at == WP_BAND_LL : (int)at != band))
            continue;
        use(user, level, (int)at);
        count++;
    }
    return count;
}

struct change {
    struct wp_view_state *state;
    enum wp_slider slider;
    double sum, factor, value; // factor 0: `value` is set
};

static void add_value(void *user, int level, int band)
{
    struct change *c = user;
    c->sum += c->slider == WP_SLIDER_GAIN ? c->state->gains[level][band]
                                          : limit_of(c->state, level, band);
}

static void set_value(void *user, int level, int band)
{
    const struct change *c = user;
    double *at = c->slider == WP_SLIDER_GAIN ? &c->state->gains[level][band]
                                             : &c->state->limits[level][band];
    const double before = c->slider == WP_SLIDER_GAIN ? *at : limit_of(c->state, level, band);
    *at = rounded(c->factor > 0 ? c->factor * before : c->value, 3);
}

double wp_slider_get(const struct wp_viewer *v, enum wp_slider slider, int level, int band)
{
    struct change c = {.state = (struct wp_view_state *)&v->state, .slider = slider};
    const int count = each_band(v, level, band, add_value, &c);
    return count > 0 ? c.sum / count : 0;
}

void wp_slider_set(struct wp_viewer *v, enum wp_slider slider, int level, int band, double value)
{
    struct wp_view_state *s = &v->state;
    // The first threshold does not change other subbands.
    if (slider == WP_SLIDER_LIMIT && s->threshold == WP_THRESHOLD_NONE) {
        wp_view_reset_limits(s);
        s->threshold = WP_THRESHOLD_SOFT;
        s->limit = 0;
    }
    const double now = wp_slider_get(v, slider, level, band);
    struct change c = {s, slider, 0, band == WP_SLIDER_LEVEL && now > 0 ? value / now : 0, value};
    each_band(v, level, band, set_value, &c);
}

static void reset_value(void *user, int level, int band)
{
    const struct change *c = user;
    if (c->slider == WP_SLIDER_GAIN)
        c->state->gains[level][band] = 1;
    else
        c->state->limits[level][band] = -1;
}

void wp_slider_reset(struct wp_viewer *v, enum wp_slider slider, int level, int band)
{
    each_band(v, level, band, reset_value, &(struct change){.state = &v->state, .slider = slider});
}

double wp_slider_most(const struct wp_viewer *v, enum wp_slider slider)
{
    return slider == WP_SLIDER_GAIN ? 4 : 2 * (double)wp_viewer_peak(v);
}

// ---- Denoising. Planes have the same thresholds: the harmonic mean of their own, which for
// BayesShrink is that of the mean of X/S^2.

// With few digits, not below `value`: a threshold may be that of the largest coefficient.
static double rounded_up(double value)
{
    return rounded(value * 1.0005, 4);
}

static void set_limits(struct wp_viewer *v, const struct wp_edit_limit *limit, int planes)
{
    struct wp_view_state *s = &v->state;
    const struct wp_description *d = &v->instance[WP_A]->description;
    const int count = wp_subband_count(d);
    double sigma = 0, smallest = INFINITY, largest = 0;
    for (int i = 1; i < count; i++) {
        enum wp_band band;
        const int level = wp_subband_at(d, i, &band);
        double sum = 0, noise = 0;
        for (int p = 0; p < planes; p++) {
            sum += 1 / limit[p * count + i].threshold;
            noise += limit[p * count + i].sigma / planes;
        }
        const double t = rounded_up(planes / sum);
        s->limits[level][band] = t;
        sigma = fmax(sigma, noise);
        smallest = fmin(smallest, t);
        largest = fmax(largest, t);
    }
    s->threshold = s->threshold == WP_THRESHOLD_NONE ? WP_THRESHOLD_SOFT : s->threshold;
    v->noise = sigma;
    wp_viewer_notice(v, WP_LOG_INFO, "%s: noise %.3g%s, thresholds %.3g to %.3g",
                     wp_denoise_methods[s->method], sigma, s->sigma > 0 ? "" : " (estimated)",
                     smallest, largest);
}

// Finds the thresholds of each band of a plane. Coefficients of a volume are in host memory.
static bool find_plane(const struct wp_view_state *s, struct wp_instance *a,
                       const struct wp_edit_noise *noise)
{
    float *copy = a->volume ? NULL : wp_allocate(wp_instance_coefficients(a), sizeof *copy,
                                                 "coefficients");
    const struct wp_edit edit = {.kind = WP_EDIT_THRESHOLD, .rule = wp_denoise_rules[s->method]};
    const struct wp_edit_target target = {&a->description, a->plane.depth, 1,
                                          a->volume ? a->volume->coefficients : copy};
    const bool ok = wp_instance_edit(a, NULL) && target.coefficients &&
                    (a->volume || wp_instance_read_coefficients(a, copy)) &&
                    wp_edit_find_thresholds(&edit, noise, &target);
    free(copy);
    return ok;
}

// Thresholds of each band of each plane; the caller frees them. NULL after an error.
static struct wp_edit_limit *find_limits(struct wp_viewer *v, int planes)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    const size_t count = (size_t)wp_subband_count(d);
    struct wp_edit_limit *limit =
        wp_allocate((size_t)planes * count, sizeof *limit, "thresholds");
    double *gain = limit ? wp_allocate(count, sizeof *gain, "gains of noise") : NULL;
    bool ok = gain && wp_edit_noise_gains(d, gain);
    for (int p = 0; p < planes && ok; p++)
        ok = find_plane(&v->state, &v->instance[WP_A][p],
                        &(struct wp_edit_noise){.sigma = v->state.sigma, .gain = gain,
                                                .limit = limit + (size_t)p * count});
    free(gain);
    if (!ok)
        free(limit);
    return ok ? limit : NULL;
}

void wp_viewer_denoise(struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    const int planes = wp_viewer_planes(v, WP_A);
    if (!v->denoises || !v->ready[WP_A] || v->stepped.valid)
        return;
    v->denoises = false;
    if (wp_description_levels(&a->description) == 0) {
        wp_fail(WP_ERROR_USAGE, "denoising requires at least one level");
        return;
    }
    struct wp_edit_limit *limit = find_limits(v, planes);
    v->edited[WP_A] = 0; // edits are applied again
    if (limit)
        set_limits(v, limit, planes);
    free(limit);
}
