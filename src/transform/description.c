#include "description.h"

#include "log.h"
#include "text.h"

const char *const wp_precision_names[WP_PRECISION_COUNT] = {
    [WP_PRECISION_F32] = "f32",
    [WP_PRECISION_F16] = "f16",
};

size_t wp_precision_bytes(enum wp_precision precision)
{
    return precision == WP_PRECISION_F16 ? sizeof(float) / 2 : sizeof(float);
}

int wp_description_planes(const struct wp_description *d)
{
    return d->planes > 1 ? d->planes : 1;
}

size_t wp_description_samples(const struct wp_description *d)
{
    return (size_t)d->size[WP_X] * (size_t)d->size[WP_Y];
}

struct wp_band_grid wp_description_band(const struct wp_description *d, int level,
                                        enum wp_band band)
{
    return wp_band_grid(d->size[WP_X], d->size[WP_Y], level, band, d->layout);
}

struct wp_lifting wp_description_lifting(const struct wp_description *d)
{
    return wp_lifting_make(d->wavelet, d->direction, d->norm, d->border);
}

struct wp_scheme *wp_description_scheme(const struct wp_description *d, unsigned axes)
{
    return wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = d->wavelet,
        .kind = d->kind ? d->kind : &wp_scheme_kinds[WP_SCHEME_NONSEP_POLYCONVOLUTION],
        .form = d->form,
        .direction = d->direction,
        .norm = d->norm,
        .axes = (enum wp_axis)axes,
    });
}

int wp_levels_most(const int size[2], enum wp_border border)
{
    const int most = wp_levels_max(size[WP_X], size[WP_Y]);
    if (border == WP_BORDER_SYMMETRIC)
        return most;
    for (int level = 0; level < most; level++) {
        for (int a = WP_X; a <= WP_Y; a++) {
            const int n = wp_level_size(size[a], level);
            if (n % 2 && n > 1)
                return level;
        }
    }
    return most;
}

bool wp_levels_any(const int size[2], enum wp_border border)
{
    return wp_levels_most(size, border) > 0 || (size[WP_X] == 1 && size[WP_Y] == 1) ||
           wp_fail(WP_ERROR_USAGE,
                   "%dx%d takes no level with %s borders (they need even sizes)"
                   "\nhint: --border %s takes every size",
                   size[WP_X], size[WP_Y], wp_border_names[border],
                   wp_border_names[WP_BORDER_SYMMETRIC]);
}

static bool check_levels(const struct wp_description *d)
{
    const int most = wp_levels_max(d->size[WP_X], d->size[WP_Y]);
    const int even = wp_levels_most(d->size, d->border);
    if (d->levels < 0)
        return wp_fail(WP_ERROR_USAGE, "%d levels make no sense", d->levels);
    if (d->levels > most)
        return wp_fail(WP_ERROR_USAGE,
                       "%d level%s more than a %dx%d image takes\nhint: -l max means %d here",
                       d->levels, WP_PLURAL_IS(d->levels), d->size[WP_X], d->size[WP_Y],
                       even);
    if (d->levels > even)
        return wp_fail(WP_ERROR_USAGE,
                       "periodic borders need even sizes, and level %d would split %dx%d"
                       "\nhint: %d level%s at most here; %s",
                       even + 1, wp_level_size(d->size[WP_X], even),
                       wp_level_size(d->size[WP_Y], even), even, WP_PLURAL(even),
                       d->wavelet->symmetry == WP_SYMMETRY_NONE
                           ? "crop the image, because this wavelet takes no other borders"
                           : "--border symmetric takes any size");
    return true;
}

// What the description has room for and nothing here computes.
static bool check_known(const struct wp_description *d)
{
    const struct {
        bool asked;
        const char *what;
    } unknown[] = {
        {(d->dims != 0 && d->dims != 2) || d->size[WP_Z] > 1 || d->levels_z != 0,
         "a third axis"},
        {d->frames != 0, "groups of frames"},
        {d->samples != WP_ELEMENT_F32 || d->coefficients != WP_ELEMENT_F32,
         "samples or coefficients that are not 32-bit floats"},
        {d->reversible, "steps that round to integers"},
        {d->strip != 0, "an image that arrives strip by strip"},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (unknown[i].asked)
            return wp_fail(WP_ERROR_USAGE, "%s cannot be transformed by this version",
                           unknown[i].what);
    return true;
}

bool wp_description_check(const struct wp_description *d)
{
    if (d->size[WP_X] < 1 || d->size[WP_Y] < 1)
        return wp_fail(WP_ERROR_USAGE, "an image of %dx%d has no pixels", d->size[WP_X],
                       d->size[WP_Y]);
    if (d->border == WP_BORDER_SYMMETRIC && d->wavelet->symmetry == WP_SYMMETRY_NONE)
        return wp_fail(WP_ERROR_USAGE,
                       "wavelet '%s' is not symmetric, so symmetric borders cannot be inverted"
                       "\nhint: --border periodic works with every wavelet",
                       d->wavelet->name);
    return check_known(d) && check_levels(d);
}
