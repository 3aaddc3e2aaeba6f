// The subbands of a row.
#include "signal_parts.h"

#include "memory.h"
#include "plan.h"
#include "registry.h"
#include "viewer_struct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wp_backend *find_cpu(void)
{
    const struct wp_backend *found = NULL;
    for (int i = 0; wp_backends[i] && !found; i++)
        found = strcmp(wp_backends[i]->name, "cpu") == 0 ? wp_backends[i] : NULL;
    return found;
}

// The row of all planes: their luma, or the single one.
static void copy_row(const struct wp_viewer *v, int ab, int row, float *samples)
{
    static const float luma[WP_COLOURS] = {0.299F, 0.587F, 0.114F};
    const int planes = wp_viewer_planes(v, (enum wp_view_ab)ab);
    const int width = v->instance[ab]->plane.width;
    memset(samples, 0, (size_t)width * sizeof *samples);
    for (int p = 0; p < planes; p++) {
        const float *from = v->instance[ab][p].plane.samples + (size_t)row * (size_t)width;
        for (int x = 0; x < width; x++)
            samples[x] += (planes > 1 ? luma[p] : 1) * from[x];
    }
}

static struct wp_description describe(const struct wp_instance *instance)
{
    struct wp_description d = {
        .wavelet = &instance->wavelet, .bank = instance->description.bank,
        .border = instance->description.border, .norm = instance->description.norm,
        .size = {instance->plane.width, 1}, .levels = instance->levels,
    };
    const int most = wp_description_levels_fit(&d, WP_X);
    d.levels = d.levels < most ? d.levels : most;
    return d;
}

static void measure(struct wp_signal_band *band)
{
    band->least = INFINITY;
    band->most = -INFINITY;
    for (int s = 0; s < 2; s++) {
        band->energy[s] = 0;
        for (int i = 0; i < band->count; i++) {
            const double value = (double)band->value[s][i];
            band->energy[s] += value * value;
            band->least = fmin(band->least, value);
            band->most = fmax(band->most, value);
        }
    }
}

// The positions of coefficients: redundant.h, and in-place lifting. Borders of PyWavelets have
// coefficients beyond both ends.
static void find_positions(const struct wp_description *d, bool high, int level,
                           struct wp_signal_band *band)
{
    const double step = (double)(1 << level), middle = high ? 0.5 * step : 0;
    const bool redundant = wp_description_is_redundant(d);
    const bool moved = d->bank == WP_BANK_UNDECIMATED && d->border == WP_BORDER_PERIODIC;
    band->step = redundant ? 1 : step;
    band->first = redundant ? (moved ? middle : 0) : middle;
    if (wp_description_taps(d) > 0)
        band->first = 0.5 * ((double)d->size[WP_X] - step * (double)(band->count - 1));
}

// Adds a subband, unless it is high-pass along y, which has one sample.
static void add_band(const struct wp_description *d, int index, const float *const coefficients[2],
                     struct wp_signal_row *row)
{
    enum wp_band of;
    const int level = wp_subband_at(d, index, &of);
    const struct wp_band_grid grid = wp_description_band(d, level, of);
    if (grid.size[WP_X] == 0 || grid.size[WP_Y] == 0)
        return;
    struct wp_signal_band *band = &row->band[row->bands++];
    const bool starlet = d->bank == WP_BANK_STARLET;
    snprintf(band->name, sizeof band->name, "%s%d",
             of == WP_BAND_LL ? (starlet ? "C" : "L") : (starlet ? "W" : "H"), level);
    band->count = grid.size[WP_X];
    for (int s = 0; s < 2; s++)
        band->value[s] = coefficients[s] + grid.first[WP_X];
    find_positions(d, of != WP_BAND_LL, level, band);
    measure(band);
}

static bool run(struct wp_viewer *v, int ab, struct wp_signal_row *row)
{
    const struct wp_instance *instance = v->instance[ab];
    const struct wp_description d = describe(instance);
    const size_t width = (size_t)d.size[WP_X], count = wp_description_coefficients(&d);
    const struct wp_execute on = {.backend = find_cpu()};
    row->memory = wp_allocate(2 * (width + count), sizeof *row->memory, "a row");
    if (!row->memory)
        return false;
    float *samples[2] = {row->memory, row->memory + width};
    float *coefficients[2] = {samples[1] + width, samples[1] + width + count};
    copy_row(v, ab, row->source.row, samples[0]);
    const size_t shift = (size_t)((row->source.shift % (int)width + (int)width) % (int)width);
    for (size_t x = 0; x < width; x++)
        samples[1][(x + shift) % width] = samples[0][x];
    if (d.levels > 0 &&
        !wp_execute(&on, &d, 2, (const float *const[]){samples[0], samples[1]}, coefficients))
        return false;
    row->samples = (struct wp_signal_band){.name = "row", .count = (int)width,
                                           .value = {samples[0], samples[1]}, .step = 1};
    measure(&row->samples);
    for (int i = 0; d.levels > 0 && i < wp_subband_count(&d); i++)
        add_band(&d, i, (const float *const[]){coefficients[0], coefficients[1]}, row);
    return true;
}

void wp_signal_update_row(struct wp_viewer *v, int ab)
{
    struct wp_signal_row *row = &v->signal.of[ab];
    const struct wp_instance *instance = v->instance[ab];
    const struct wp_view_state *s = &v->state;
    const int height = instance->plane.height;
    struct wp_signal_source source;
    memset(&source, 0, sizeof source); // compared as bytes
    snprintf(source.wavelet, sizeof source.wavelet, "%s", instance->params.view.wavelet);
    source.bank = (int)instance->description.bank;
    source.border = (int)instance->description.border;
    source.norm = (int)instance->description.norm;
    source.levels = instance->levels;
    source.row = s->signal_row < 0        ? height / 2
                 : s->signal_row < height ? s->signal_row
                                          : height - 1;
    source.shift = s->signal_shift;
    source.version = instance->plane.version;
    if ((row->memory || row->failed) && memcmp(&source, &row->source, sizeof source) == 0)
        return;
    free(row->memory);
    *row = (struct wp_signal_row){.source = source};
    wp_viewer_catch(v);
    row->failed = !run(v, ab, row);
    wp_viewer_caught(v);
    wp_gl_make_current(v->gl);
}

void wp_signal_free(struct wp_signal *signal)
{
    for (int ab = 0; ab < 2; ab++)
        free(signal->of[ab].memory);
    *signal = (struct wp_signal){0};
}
