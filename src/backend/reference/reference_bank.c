#include "reference_bank.h"

#include "elements.h"
#include "redundant.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct wp_reference_bank {
    struct wp_description description; // its wavelet may no longer exist
    struct wp_redundant bank;
    int size[WP_DIMS_MAX];
    size_t samples;
    // Arrays of all samples without gaps. The low band of the last level is c.
    double *c, *filtered, *line, **band;
};

void wp_reference_bank_destroy(struct wp_reference_bank *b)
{
    if (!b)
        return;
    for (int i = 1; b->band && i < wp_subband_count(&b->description); i++)
        free(b->band[i]);
    free(b->band);
    free(b->c);
    free(b->filtered);
    free(b->line);
    free(b);
}

static bool allocate(struct wp_reference_bank *b)
{
    const int bands = wp_subband_count(&b->description);
    b->c = wp_allocate(b->samples, sizeof *b->c, "an image");
    b->filtered = wp_allocate(b->samples, sizeof *b->filtered, "a filtered image");
    b->line = wp_allocate(b->samples, sizeof *b->line, "a line");
    b->band = wp_allocate((size_t)bands, sizeof *b->band, "the bands");
    bool ok = b->c && b->filtered && b->line && b->band;
    for (int i = 1; i < bands && ok; i++) {
        b->band[i] = wp_allocate(b->samples, sizeof *b->band[i], "a band");
        ok = b->band[i];
    }
    return ok;
}

struct wp_reference_bank *wp_reference_bank_create(const struct wp_description *d)
{
    struct wp_reference_bank *b = wp_allocate(1, sizeof *b, "a transform");
    if (!b)
        return NULL;
    b->description = *d;
    b->samples = wp_description_samples(d);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        b->size[a] = wp_description_size(d, a, 0);
    if (wp_redundant_make(d, &b->bank) && allocate(b))
        return b;
    wp_reference_bank_destroy(b);
    return NULL;
}

// The weight of sample (0, y, z), and of sample x of a row relative to it.
static double row_weight(const struct wp_reference_bank *b, int y, int z)
{
    const double along_y = b->bank.axes >> WP_Y & 1 ? wp_redundant_weight(y, b->size[WP_Y]) : 1;
    return along_y * (b->bank.axes >> WP_Z & 1 ? wp_redundant_weight(z, b->size[WP_Z]) : 1);
}

static void weight(const struct wp_reference_bank *b, double *array, bool divide)
{
    const int width = b->size[WP_X], height = b->size[WP_Y];
    for (size_t i = 0; i < b->samples && b->bank.weighted; i++) {
        const int x = (int)(i % (size_t)width), row = (int)(i / (size_t)width);
        const double w = row_weight(b, row % height, row / height) *
                         (b->bank.axes >> WP_X & 1 ? wp_redundant_weight(x, width) : 1);
        array[i] *= divide ? 1 / w : w;
    }
}

// Copies a band of the operand, or level 0, the samples, from or to an array.
static void copy(const struct wp_reference_bank *b, const struct wp_operand *operand, int level,
                 enum wp_band band, double *array, bool load)
{
    const struct wp_operand view = wp_operand_band(&b->description, operand, level, band, 0);
    for (int z = 0; z < b->size[WP_Z]; z++) {
        for (int y = 0; y < b->size[WP_Y]; y++, array += b->size[WP_X]) {
            const ptrdiff_t at = z * view.stride[WP_Z] + y * view.stride[WP_Y];
            if (load)
                wp_operand_read_f64(&wp_element_rows_f64, array, &view, at, false, b->size[WP_X]);
            else
                wp_operand_write_f64(&wp_element_rows_f64, &view, at, array, false,
                                     b->size[WP_X]);
        }
    }
}

static void copy_bands(const struct wp_reference_bank *b, const struct wp_operand *operand,
                       bool load)
{
    for (int i = 0; i < wp_subband_count(&b->description); i++) {
        enum wp_band band;
        const int level = wp_subband_at(&b->description, i, &band);
        double *array = i ? b->band[i] : b->c;
        if (!load)
            weight(b, array, false);
        copy(b, operand, level, band, array, load);
        if (load)
            weight(b, array, true);
    }
}

void wp_reference_bank_load(struct wp_reference_bank *b, const struct wp_operand *from)
{
    if (b->description.direction == WP_INVERSE) {
        copy_bands(b, from, true);
        return;
    }
    copy(b, from, 0, WP_BAND_LL, b->c, true);
    weight(b, b->c, true);
}

void wp_reference_bank_store(const struct wp_reference_bank *b, const struct wp_operand *to)
{
    if (b->description.direction == WP_FORWARD) {
        copy_bands(b, to, false);
        return;
    }
    weight(b, b->c, false);
    copy(b, to, 0, WP_BAND_LL, b->c, false);
}

// Filters a line of n samples in place.
static void filter_line(const struct wp_reference_bank *b, const struct wp_redundant_filter *filter,
                        int dilation, double *data, ptrdiff_t step, int n)
{
    for (int i = 0; i < n; i++) {
        b->line[i] = 0;
        for (int t = 0; t < filter->count; t++) {
            const int from = wp_extend(b->bank.extension, i + (filter->first + t) * dilation, n);
            b->line[i] += filter->tap[t] * data[from * step];
        }
    }
    for (int i = 0; i < n; i++)
        data[i * step] = b->line[i];
}

// Filters an array in place along all axes of the bank.
static void filter_array(const struct wp_reference_bank *b, int level, unsigned band, double *array)
{
    const int *size = b->size;
    const ptrdiff_t step[] = {1, size[WP_X], (ptrdiff_t)size[WP_X] * size[WP_Y]};
    const int dilation = wp_redundant_dilation(&b->bank, level);
    for (int axis = 0; axis < WP_DIMS_MAX; axis++) {
        const int p = (axis + 1) % WP_DIMS_MAX, q = (axis + 2) % WP_DIMS_MAX;
        if (!(b->bank.axes >> axis & 1))
            continue;
        for (int i = 0; i < size[p]; i++)
            for (int k = 0; k < size[q]; k++)
                filter_line(b, &b->bank.filter[band >> axis & 1], dilation,
                            array + i * step[p] + k * step[q], step[axis], size[axis]);
    }
}

static double *band_of(const struct wp_reference_bank *b, int level, unsigned band)
{
    return b->band[wp_subband_number(&b->description, level, (enum wp_band)band)];
}

// The bands that a level adds, of enum wp_band.
static bool is_band(const struct wp_reference_bank *b, unsigned band)
{
    return band > 0 && (band & ~b->bank.axes) == 0;
}

static void split(struct wp_reference_bank *b, int level)
{
    for (unsigned band = 1; band < WP_OCTET_BANDS; band++) {
        if (!is_band(b, band))
            continue;
        memcpy(band_of(b, level, band), b->c, b->samples * sizeof *b->c);
        filter_array(b, level, band, band_of(b, level, band));
    }
    filter_array(b, level, 0, b->c);
}

static void join(struct wp_reference_bank *b, int level)
{
    filter_array(b, level, 0, b->c);
    for (unsigned band = 1; band < WP_OCTET_BANDS; band++) {
        if (!is_band(b, band))
            continue;
        memcpy(b->filtered, band_of(b, level, band), b->samples * sizeof *b->c);
        filter_array(b, level, band, b->filtered);
        for (size_t i = 0; i < b->samples; i++)
            b->c[i] += b->filtered[i];
    }
}

// The rules of the starlet.
static void run_starlet(struct wp_reference_bank *b, int level)
{
    double *w = band_of(b, level, b->bank.axes);
    const bool difference = b->bank.rule == WP_LEVEL_DIFFERENCE;
    for (size_t i = 0; i < b->samples; i++)
        b->filtered[i] = b->c[i] - (difference ? 0 : w[i]);
    if (b->bank.rule == WP_LEVEL_DIFFERENCE || b->bank.rule == WP_LEVEL_MERGE)
        filter_array(b, level, 0, b->filtered);
    for (size_t i = 0; i < b->samples; i++) {
        switch (b->bank.rule) {
        case WP_LEVEL_DIFFERENCE:
            w[i] = b->c[i] - b->filtered[i];
            b->c[i] = b->filtered[i];
            break;
        case WP_LEVEL_SUM: b->c[i] += w[i]; break;
        case WP_LEVEL_MERGE: b->c[i] = b->filtered[i] + w[i]; break;
        case WP_LEVEL_REPEAT: w[i] = b->c[i]; break;
        case WP_LEVEL_SPLIT:
        case WP_LEVEL_JOIN: break;
        }
    }
}

void wp_reference_bank_run(struct wp_reference_bank *b)
{
    const int levels = b->bank.levels;
    for (int i = 0; i < levels; i++) {
        const int level = b->description.direction == WP_FORWARD ? i + 1 : levels - i;
        if (b->bank.rule == WP_LEVEL_SPLIT)
            split(b, level);
        else if (b->bank.rule == WP_LEVEL_JOIN)
            join(b, level);
        else
            run_starlet(b, level);
    }
}
