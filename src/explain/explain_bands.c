#include "explain_internal.h"
#include "operand.h"

#include <math.h>
#include <stdio.h>

// A description for the names and levels of bands, which do not depend on the size.
static struct wp_description describe(const struct wp_explain_params *params)
{
    const int dims = wp_explain_dims(params);
    const bool is_default = params->levels == 0 && params->levels_z == 0;
    const int levels_z = is_default ? WP_EXPLAIN_LEVELS : params->levels_z;
    return (struct wp_description){
        .wavelet = params->wavelet,
        .size = {2, 2, dims == 3 ? 2 : 1},
        .levels = is_default ? WP_EXPLAIN_LEVELS : params->levels,
        .levels_z = dims == 3 ? levels_z : 0,
        .decomposition = params->decomposition,
    };
}

static int levels_along(const struct wp_description *d, const struct wp_subband *band, int axis)
{
    const int level = axis == WP_Z ? band->level_z : band->level;
    const int limit = axis == WP_Z ? d->levels_z : d->levels;
    return level < limit ? level : limit;
}

// The number of times that the samples of a band were halved.
static int halvings(const struct wp_description *d, const struct wp_subband *band)
{
    int times = 0;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        times += levels_along(d, band, a);
    return times;
}

// "L2", "H1"; "-" for an axis without levels.
static void format_axis(const struct wp_description *d, const struct wp_subband *band, int axis,
                        char text[8])
{
    const int levels = levels_along(d, band, axis);
    if (levels)
        snprintf(text, 8, "%c%d", band->band >> axis & 1 ? 'H' : 'L', levels);
    else
        snprintf(text, 8, "-");
}

static void add_row(const struct wp_description *d, const struct wp_subband *band, int dims,
                    enum wp_explain_format format, struct wp_text *out)
{
    char name[WP_BAND_NAME_SIZE], along[WP_DIMS_MAX][8], share[WP_NUMBER_SIZE];
    const double parts = ldexp(1, halvings(d, band));
    wp_subband_name(band, name);
    for (int a = 0; a < WP_DIMS_MAX; a++)
        format_axis(d, band, a, along[a]);
    if (format == WP_EXPLAIN_CSV) {
        wp_text_add(out, "%s,%s,%s,%s,%s\n", name, along[WP_X], along[WP_Y], along[WP_Z],
                    wp_format_number(share, 1 / parts, 10));
        return;
    }
    snprintf(share, sizeof share, "1/%.0f", parts);
    const bool md = format == WP_EXPLAIN_MD;
    wp_text_add(out, md ? "| %s" : "%-10s", name);
    for (int a = 0; a < dims; a++)
        wp_text_add(out, md ? " | %s" : " %-4s", along[a]);
    wp_text_add(out, md ? " | %s |\n" : " %s\n", share);
}

static void add_header(int dims, enum wp_explain_format format, struct wp_text *out)
{
    const char *z = dims == 3 ? "z    " : "";
    if (format == WP_EXPLAIN_CSV)
        wp_text_add(out, "band,x,y,z,share\n");
    else if (format == WP_EXPLAIN_MD)
        wp_text_add(out, "| band | x | y |%s share |\n|:---|:---|:---|%s---:|\n",
                    dims == 3 ? " z |" : "", dims == 3 ? ":---|" : "");
    else
        wp_text_add(out, "%-10s x    y    %sof all samples\n", "band", z);
}

static const char *const image_words =
    "Level l splits the low-pass band of level l-1. Names have a letter for x, then one for y: L "
    "is low-pass, H high-pass. Level 1 is the finest.";
static const char *const volume_words[WP_DECOMPOSITION_COUNT] = {
    [WP_DECOMPOSITION_DYADIC] =
        "Level l splits the low-pass band of level l-1 along every axis that has at least l "
        "levels. Names have a letter for each of x, y and z: L is low-pass, H high-pass. Level 1 "
        "is the finest.",
    [WP_DECOMPOSITION_SPATIAL_TEMPORAL] =
        "The spatial-temporal decomposition (t+2D) first transforms each slice over all levels, "
        "like an image, and then every coefficient over all levels along z, the time axis of a "
        "video. Each band of the slices is split into bands along z. Names have the letters and "
        "the level of the slice, a dot, and those of z. With one level each, the coefficients are "
        "equal to those of the dyadic decomposition.",
};

static void add_text(const struct wp_description *d, int dims, struct wp_text *out)
{
    const char *words = dims == 2 ? image_words : volume_words[d->decomposition];
    wp_text_add(out, "%d bands of %s, %d level%s", wp_subband_count(d),
                dims == 2 ? "an image" : "a volume", d->levels, WP_PLURAL(d->levels));
    if (dims == 3)
        wp_text_add(out, " of x and y, %d of z, %s", d->levels_z,
                    wp_decomposition_names[d->decomposition]);
    wp_text_add(out, d->decomposition == WP_DECOMPOSITION_DYADIC ? ".\n\n"
                                                                 : ": (3 x %d + 1) x (%d + 1).\n\n",
                d->levels, d->levels_z);
    wp_explain_wrap(out, 0, words);
    wp_text_add(out, "\n\n");
}

void wp_explain_bands(const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_description d = describe(params);
    const int dims = wp_explain_dims(params);
    if (params->format == WP_EXPLAIN_TXT)
        add_text(&d, dims, out);
    add_header(dims, params->format, out);
    for (int i = 0; i < wp_subband_count(&d); i++) {
        const struct wp_subband band = wp_subband_describe(&d, i);
        add_row(&d, &band, dims, params->format, out);
    }
}
