#include "subbands.h"

#include "sidecar_path.h"
#include "log.h"
#include "memory.h"
#include "npz.h"
#include "operand.h"
#include "text.h"
#include "xmemory.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 1 << 20, WORD = WP_BAND_NAME_SIZE };

static const char description_name[] = "wavepass", alpha_name[] = "alpha";

// A band's array: which samples of the coefficients it has, and their sign there.
struct part {
    char name[WORD];
    struct wp_band_grid grid;
    float sign;
};

const char *wp_subbands_pywt_name(const struct wp_wavelet *wavelet)
{
    static const char *const families[] = {"db", "sym", "coif", "bior", "rbio"};
    if (strcmp(wavelet->name, "haar") == 0)
        return wavelet->name;
    for (const char *name = wavelet->name; name;) {
        for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
            const size_t length = strlen(families[f]);
            if (strncmp(name, families[f], length) == 0 && isdigit((unsigned char)name[length]))
                return name;
        }
        const char *space = name == wavelet->name ? NULL : strchr(name, ' ');
        name = name == wavelet->name ? wavelet->aliases : space ? space + 1 : NULL;
    }
    return NULL;
}

// PyWavelets' filters have one even length L for all four, and the taps of its high band change
// sign with every one, from the first. So the tap of the sample that is lifted here, which is
// positive, is negative there where L / 2 is odd.
static float sign_of(const struct wp_wavelet *wavelet)
{
    double *filter = wp_xcalloc(2 * WP_FILTER_SIZE, sizeof *filter);
    int most = 0;
    wp_wavelet_filters(wavelet, filter, filter + WP_FILTER_SIZE);
    for (int f = 0; f < 2; f++) {
        int first = WP_FILTER_SIZE, last = 0;
        for (int i = 0; i < WP_FILTER_SIZE; i++) {
            // Rounding leaves some behind of taps that are none.
            if (fabs(filter[f * WP_FILTER_SIZE + i]) > 1e-11) {
                first = i < first ? i : first;
                last = i;
            }
        }
        most = last - first + 1 > most ? last - first + 1 : most;
    }
    free(filter);
    return (most + 1) / 2 % 2 ? -1.0F : 1.0F;
}

static bool no_words(const char *what, const char *hint)
{
    return wp_fail(WP_ERROR_USAGE, "subbands 'pywt': %s\nhint: %s", what, hint);
}

static bool check_pywt(const struct wp_sidecar *s)
{
    static const char own[] = "subbands 'wavepass' support everything";
    if (s->depth > 1)
        return no_words("PyWavelets' two-dimensional names are for images only", own);
    if (s->reversible)
        return no_words("PyWavelets has no integers", own);
    if (s->border != WP_BORDER_PERIODIC)
        return no_words("PyWavelets' borders other than 'periodization' have more coefficients "
                        "than the image has samples", "border 'periodic', or subbands 'wavepass'");
    if (s->norm != WP_NORM_ORTHONORMAL)
        return no_words("PyWavelets' filters have one norm", "norm 'orthonormal'");
    if (s->levels == 0 || s->width == 1 || s->height == 1)
        return no_words("an image with one sample along a side", own);
    return (wp_wavelet_is_known(s->wavelet_name) && wp_subbands_pywt_name(&s->wavelet)) ||
           wp_fail(WP_ERROR_USAGE, "subbands 'pywt': PyWavelets has no wavelet '%s'"
                                   "\nhint: haar, db2, sym4, coif1, bior4.4 and others of these "
                                   "families; %s",
                   s->wavelet_name, own);
}

bool wp_subbands_check(const struct wp_sidecar *s)
{
    if (s->gop > 0 && s->gop < s->depth)
        return wp_fail(WP_ERROR_USAGE, "groups of %d of %d slices have separate subbands, for "
                                       "which .npz has no names"
                                       "\nhint: use .npy, or no groups of slices",
                       s->gop, s->depth);
    return s->naming != WP_NAMING_PYWT || check_pywt(s);
}

static struct part part_of(const struct wp_sidecar *s, const struct wp_description *d, int index,
                           float sign)
{
    static const char pywt[WP_BAND_COUNT] = {'A', 'V', 'H', 'D'};
    // PyWavelets has what is high along y first.
    const int swapped = s->naming == WP_NAMING_PYWT && index > 0 && index % 3 != 0;
    const struct wp_subband band =
        wp_subband_describe(d, !swapped ? index : index % 3 == 1 ? index + 1 : index - 1);
    struct part part = {.grid = band.grid, .sign = 1};
    if (s->naming == WP_NAMING_PYWT) {
        snprintf(part.name, sizeof part.name, "c%c%d", pywt[band.band], band.level);
        if (band.band == WP_BAND_HL || band.band == WP_BAND_LH)
            part.sign = sign;
    } else {
        wp_subband_name(&band, part.name);
    }
    return part;
}

static size_t samples_of(const struct part *part)
{
    const int *size = part->grid.size;
    return (size_t)size[WP_X] * (size_t)size[WP_Y] * (size_t)size[WP_Z];
}

// Where a row of a band begins in a plane of coefficients.
static size_t row_at(const struct wp_image *image, const struct wp_band_grid *grid, int y, int z)
{
    const size_t row = (size_t)(grid->first[WP_Z] + z * grid->every[WP_Z]) * (size_t)image->height +
                       (size_t)(grid->first[WP_Y] + y * grid->every[WP_Y]);
    return row * (size_t)image->width + (size_t)grid->first[WP_X];
}

// Calls `move` for each row of a band in each of `planes` planes, one behind the other in `array`.
static void walk(const struct wp_image *image, const struct part *part, int planes, void *array,
                 void (*move)(float *coefficients, int every, float sign, int count, void *array,
                              size_t at))
{
    const struct wp_band_grid *grid = &part->grid;
    size_t at = 0;
    for (int p = 0; p < planes; p++)
        for (int z = 0; z < grid->size[WP_Z]; z++)
            for (int y = 0; y < grid->size[WP_Y]; y++, at += (size_t)grid->size[WP_X])
                move(image->plane[p] + row_at(image, grid, y, z), grid->every[WP_X], part->sign,
                     grid->size[WP_X], array, at);
}

static void move_out(float *coefficients, int every, float sign, int count, void *array, size_t at)
{
    float *to = (float *)array + at;
    for (int x = 0; x < count; x++)
        to[x] = sign * coefficients[(size_t)x * (size_t)every];
}

static void move_out_integers(float *coefficients, int every, float sign, int count, void *array,
                              size_t at)
{
    int32_t *to = (int32_t *)array + at;
    (void)sign;
    for (int x = 0; x < count; x++)
        to[x] = (int32_t)coefficients[(size_t)x * (size_t)every];
}

static void move_in(float *coefficients, int every, float sign, int count, void *array, size_t at)
{
    const float *from = (const float *)array + at;
    for (int x = 0; x < count; x++)
        coefficients[(size_t)x * (size_t)every] = sign * from[x];
}

// Of several planes, or of volumes, with these axes in front.
static int shape_of(const struct part *part, int planes, int depth, size_t shape[WP_NPY_AXES])
{
    int axes = 0;
    if (planes > 1)
        shape[axes++] = (size_t)planes;
    if (depth > 1)
        shape[axes++] = (size_t)part->grid.size[WP_Z];
    shape[axes++] = (size_t)part->grid.size[WP_Y];
    shape[axes++] = (size_t)part->grid.size[WP_X];
    return axes;
}

static bool add_part(struct wp_npz_output *output, const struct wp_image *image,
                     const struct part *part, int planes, bool integers)
{
    size_t shape[WP_NPY_AXES];
    const int axes = shape_of(part, planes, image->depth, shape);
    void *array =
        wp_npz_add(output, part->name, integers ? "i4" : "f4", sizeof(float), axes, shape);
    if (array)
        walk(image, part, planes, array, integers ? move_out_integers : move_out);
    return array;
}

static struct part alpha_of(const struct wp_image *image)
{
    struct part alpha = {.sign = 1};
    snprintf(alpha.name, sizeof alpha.name, "%s", alpha_name);
    alpha.grid = (struct wp_band_grid){.size = {image->width, image->height, image->depth},
                                       .every = {1, 1, 1}};
    return alpha;
}

// The last plane by itself.
static struct wp_image alpha_plane(const struct wp_image *image)
{
    struct wp_image alpha = *image;
    alpha.plane[0] = image->plane[image->planes - 1];
    return alpha;
}

static bool add_description(struct wp_npz_output *output, const struct wp_sidecar *s)
{
    char *text = wp_sidecar_text(s);
    const size_t length = strlen(text);
    void *array = wp_npz_add(output, description_name, "u1", 1, 1, &length);
    if (array)
        memcpy(array, text, length);
    free(text);
    return array;
}

static bool add_all(struct wp_npz_output *output, const struct wp_image *image,
                    const struct wp_sidecar *s)
{
    const struct wp_description d = wp_sidecar_shape(s);
    const float sign = s->naming == WP_NAMING_PYWT ? sign_of(&s->wavelet) : 1;
    bool ok = true;
    for (int i = 0; i < wp_subband_count(&d) && ok; i++) {
        const struct part part = part_of(s, &d, i, sign);
        if (samples_of(&part) > 0)
            ok = add_part(output, image, &part, wp_image_colour_planes(image), s->reversible);
    }
    if (ok && image->alpha) {
        const struct part alpha = alpha_of(image);
        const struct wp_image plane = alpha_plane(image);
        ok = add_part(output, &plane, &alpha, 1, s->reversible);
    }
    return ok && add_description(output, s);
}

bool wp_subbands_write(const struct wp_image *image, const struct wp_sidecar *s, const char *path,
                       bool overwrite)
{
    if (!wp_subbands_check(s))
        return false;
    struct wp_output *output = wp_output_open(path, overwrite);
    if (!output)
        return false;
    wp_output_on_replace(output, wp_sidecar_path_remove);
    struct wp_npz_output *npz = wp_npz_create(path, wp_output_stream(output));
    bool ok = npz && add_all(npz, image, s);
    ok = ok && wp_npz_end(&npz);
    wp_npz_discard(&npz);
    if (ok)
        return wp_output_commit(&output);
    wp_output_discard(&output);
    return false;
}

static bool read_description(struct wp_npz *npz, const char *path, int array,
                             struct wp_sidecar *s)
{
    const struct wp_npy_info *info = wp_npz_info(npz, array);
    if (info->axes != 1 || info->shape[0] > TEXT_MOST || info->is_complex)
        return wp_fail(WP_ERROR_FILE, "%s: the array '%s' is not a text of up to %d bytes", path,
                       description_name, TEXT_MOST);
    struct wp_npy *npy = wp_npz_read(npz, array);
    if (!npy)
        return false;
    float *value = wp_xcalloc(info->shape[0], sizeof *value);
    char *text = wp_xcalloc(info->shape[0], 1);
    bool ok = true;
    wp_npy_get(npy, value);
    wp_npy_destroy(&npy);
    for (size_t i = 0; i < info->shape[0] && ok; i++) {
        ok = value[i] >= 0 && value[i] <= UCHAR_MAX;
        text[i] = ok ? (char)(unsigned char)value[i] : '\0';
    }
    ok = ok ? wp_sidecar_parse(path, text, info->shape[0], s)
            : wp_fail(WP_ERROR_FILE, "%s: the array '%s' is not a text", path, description_name);
    free(value);
    free(text);
    return ok;
}

// The level of the one array that is called so, 0 where there is none.
static int level_of(const struct wp_npz *npz, const char *letters)
{
    char name[WORD];
    for (int level = 1; level <= WP_MAX_LEVELS; level++) {
        snprintf(name, sizeof name, "%s%d", letters, level);
        if (wp_npz_find(npz, name) >= 0)
            return level;
    }
    return 0;
}

// Samples of a band along an axis, from its end: 1 is x. 0 where there is no such band.
static size_t side_of(const struct wp_npz *npz, const char *letters, int level, int axis)
{
    char name[WORD];
    snprintf(name, sizeof name, "%s%d", letters, level);
    const int array = wp_npz_find(npz, name);
    const struct wp_npy_info *info = array < 0 ? NULL : wp_npz_info(npz, array);
    return info && info->axes >= axis ? info->shape[info->axes - axis] : 0;
}

// Low and high bands along an axis have as many samples together as what they were made of.
static bool find_size(const struct wp_npz *npz, const char *path, const char *low,
                      const char *high, int levels, int axis, int *size)
{
    enum { SIDE_MOST = 1 << 24 };
    size_t side = side_of(npz, low, levels, axis);
    for (int level = levels; level > 0; level--)
        side = side <= SIDE_MOST ? side + side_of(npz, high, level, axis) : SIDE_MOST + 1;
    *size = (int)side;
    return (side > 0 && side <= SIDE_MOST) ||
           wp_fail(WP_ERROR_FILE, "%s: its subbands do not form an image", path);
}

// What there is where nobody has written a description: the arrays' names and shapes.
static bool guess(const struct wp_npz *npz, const char *path, const char *wavelet,
                  struct wp_sidecar *s)
{
    static const struct {
        const char *low, *high_x, *high_y;
    } words[WP_NAMING_COUNT] = {[WP_NAMING_WAVEPASS] = {"LL", "HL", "LH"},
                                [WP_NAMING_PYWT] = {"cA", "cV", "cH"}};
    const bool pywt = s->naming == WP_NAMING_PYWT;
    const char *low = words[s->naming].low;
    s->levels = level_of(npz, low);
    if (s->levels == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no subbands (arrays cA3 cH3 cV3 cD3 cH2 …, or LL3 HL3 "
                                      "LH3 HH3 HL2 …)", path);
    if (!find_size(npz, path, low, words[s->naming].high_x, s->levels, 1, &s->width) ||
        !find_size(npz, path, low, words[s->naming].high_y, s->levels, 2, &s->height))
        return false;
    char name[WORD];
    snprintf(name, sizeof name, "%s%d", low, s->levels);
    const struct wp_npy_info *info = wp_npz_info(npz, wp_npz_find(npz, name));
    const size_t planes = info->axes == 3 ? info->shape[0] : 1;
    s->alpha = wp_npz_find(npz, alpha_name) >= 0;
    if (info->axes > 3 || planes + s->alpha > WP_IMAGE_MAX_PLANES)
        return wp_fail(WP_ERROR_FILE, "%s: its subbands are of no image with up to %d planes", path,
                       WP_IMAGE_MAX_PLANES);
    s->planes = (int)planes + s->alpha;
    s->depth = 1;
    s->origin = (struct wp_origin){.bits = 32, .peak = 1};
    s->border = pywt ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC;
    s->norm = pywt ? WP_NORM_ORTHONORMAL : WP_NORM_JPEG2000;
    if (!pywt)
        return true;
    if (!wavelet)
        return wp_fail(WP_ERROR_USAGE,
                       "%s does not name its wavelet (no array '%s')", path, description_name);
    snprintf(s->wavelet_name, sizeof s->wavelet_name, "%s", wavelet);
    return true;
}

// PyWavelets' signs depend on the wavelet.
static bool find_sign(const char *path, struct wp_sidecar *s, float *sign)
{
    *sign = 1;
    if (s->naming == WP_NAMING_WAVEPASS)
        return true;
    if (!wp_sidecar_find_wavelet(s, path, &s->wavelet))
        return false;
    *sign = sign_of(&s->wavelet);
    return true;
}

static const char *hint_of(const struct wp_sidecar *s)
{
    return s->naming != WP_NAMING_PYWT
               ? ""
               : "\nhint: PyWavelets makes subbands of the right size with mode='periodization'";
}

static bool read_part(struct wp_npz *npz, const char *path, const struct wp_sidecar *s,
                      const struct part *part, int planes, const struct wp_image *image)
{
    size_t shape[WP_NPY_AXES];
    const int axes = shape_of(part, planes, image->depth, shape);
    const int array = wp_npz_find(npz, part->name);
    if (array < 0)
        return wp_fail(WP_ERROR_FILE, "%s: no array '%s', a subband of %d level%s of %dx%d", path,
                       part->name, s->levels, WP_PLURAL(s->levels), s->width, s->height);
    const struct wp_npy_info *info = wp_npz_info(npz, array);
    if (info->is_complex)
        return wp_fail(WP_ERROR_FILE, "%s: %s is complex", path, part->name);
    if (info->axes != axes || memcmp(info->shape, shape, (size_t)axes * sizeof *shape) != 0)
        return wp_fail(WP_ERROR_FILE, "%s: %s is not of the shape that it has in an image of "
                                      "%dx%d, %zux%zu%s",
                       path, part->name, s->width, s->height, shape[axes - 1], shape[axes - 2],
                       hint_of(s));
    struct wp_npy *npy = wp_npz_read(npz, array);
    float *value = npy ? wp_allocate(samples_of(part) * (size_t)planes, sizeof *value, path) : NULL;
    if (value) {
        wp_npy_get(npy, value);
        walk(image, part, planes, value, move_in);
    }
    wp_npy_destroy(&npy);
    free(value);
    return value;
}

static bool is_part(const struct wp_sidecar *s, const char *name)
{
    const struct wp_description d = wp_sidecar_shape(s);
    for (int i = 0; i < wp_subband_count(&d); i++) {
        const struct part part = part_of(s, &d, i, 1);
        if (samples_of(&part) > 0 && strcmp(part.name, name) == 0)
            return true;
    }
    return strcmp(name, description_name) == 0 || (s->alpha && strcmp(name, alpha_name) == 0);
}

static bool check_names(const struct wp_npz *npz, const char *path, const struct wp_sidecar *s)
{
    for (int i = 0; i < wp_npz_count(npz); i++)
        if (!is_part(s, wp_npz_name(npz, i)))
            return wp_fail(WP_ERROR_FILE, "%s: the array '%s' is not a subband of %d level%s"
                                          "\nhint: save the subbands without it", path,
                           wp_npz_name(npz, i), s->levels, WP_PLURAL(s->levels));
    return true;
}

// All of them, and nothing else.
static bool read_all(struct wp_npz *npz, const char *path, const struct wp_sidecar *s, float sign,
                     const struct wp_image *image)
{
    const struct wp_description d = wp_sidecar_shape(s);
    const int planes = s->planes - s->alpha;
    bool ok = check_names(npz, path, s);
    for (int i = 0; i < wp_subband_count(&d) && ok; i++) {
        const struct part part = part_of(s, &d, i, sign);
        if (samples_of(&part) > 0)
            ok = read_part(npz, path, s, &part, planes, image);
    }
    if (ok && s->alpha) {
        const struct part alpha = alpha_of(image);
        const struct wp_image plane = alpha_plane(image);
        ok = read_part(npz, path, s, &alpha, 1, &plane);
    }
    return ok;
}

static struct wp_image *read_archive(struct wp_npz *npz, const char *path, const char *wavelet,
                                     struct wp_sidecar *s, bool *described)
{
    const int description = wp_npz_find(npz, description_name);
    float sign;
    *described = description >= 0;
    if (*described && !read_description(npz, path, description, s))
        return NULL;
    s->naming = level_of(npz, "cA") ? WP_NAMING_PYWT : WP_NAMING_WAVEPASS;
    if (!*described && !guess(npz, path, wavelet, s))
        return NULL;
    if (!find_sign(path, s, &sign) || !wp_subbands_check(s))
        return NULL;
    const int most = wp_levels_most((const int[]){s->width, s->height}, s->border);
    if (s->depth == 1 && s->levels > most) {
        wp_fail(WP_ERROR_FILE, "%s: subbands of %d level%s, but %dx%d with %s borders has %d%s",
                path, s->levels, WP_PLURAL(s->levels), s->width, s->height,
                wp_border_names[s->border], most, hint_of(s));
        return NULL;
    }
    struct wp_image *image =
        wp_image_create_volume(s->width, s->height, s->depth, s->planes, s->alpha);
    if (image && !read_all(npz, path, s, sign, image))
        wp_image_destroy(&image);
    if (image)
        image->origin = s->origin;
    return image;
}

struct wp_image *wp_subbands_read(const char *path, const char *wavelet, struct wp_sidecar *s,
                                  bool *described)
{
    *s = (struct wp_sidecar){0};
    *described = false;
    struct wp_npz *npz = wp_npz_open(path);
    struct wp_image *image = npz ? read_archive(npz, path, wavelet, s, described) : NULL;
    wp_npz_close(&npz);
    return image;
}
