#include "coefficients.h"

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

// The array of a band: its name, its samples in the coefficients, and the sign of the array.
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

// The sign of the arrays of bands that are high-pass along one axis.
static float sign_of(const struct wp_sidecar *s)
{
    const bool differs = s->naming == WP_NAMING_PYWT && s->description.norm != WP_NORM_PYWT;
    return differs ? (float)wp_norm_high_sign(&s->wavelet, WP_NORM_PYWT) : 1;
}

static bool fail_pywt(const char *reason, const char *hint)
{
    return wp_fail(WP_ERROR_USAGE, "subbands 'pywt': %s\nhint: %s", reason, hint);
}

static bool check_pywt(const struct wp_sidecar *s)
{
    static const char use_wavepass[] = "use subbands 'wavepass'";
    if (s->description.size[WP_Z] > 1)
        return fail_pywt("PyWavelets' two-dimensional names are only for images", use_wavepass);
    if (s->description.bank != WP_BANK_DECIMATED)
        return fail_pywt("pywt.waverec2() inverts only decimated transforms", use_wavepass);
    if (s->description.reversible)
        return fail_pywt("PyWavelets has no integer transforms", use_wavepass);
    if (s->description.adjoint)
        return fail_pywt("PyWavelets has no adjoints", use_wavepass);
    if (s->description.border == WP_BORDER_SYMMETRIC)
        return fail_pywt("PyWavelets' borders have more coefficients than the image has samples, "
                         "except 'periodization'",
                         "use border 'periodic', 'pywt-reflect', … or subbands 'wavepass'");
    if (!wp_norm_is_orthonormal(s->description.norm))
        return fail_pywt("PyWavelets' filters are orthonormal", "use norm 'orthonormal'");
    if (s->description.levels == 0 || s->description.size[WP_X] == 1 ||
        s->description.size[WP_Y] == 1)
        return fail_pywt("the image has one row or column, or no levels", use_wavepass);
    return (wp_wavelet_is_known(s->wavelet_name) && wp_subbands_pywt_name(&s->wavelet)) ||
           wp_fail(WP_ERROR_USAGE, "subbands 'pywt': PyWavelets has no wavelet '%s'"
                                   "\nhint: use haar, db2, sym4, coif1, bior4.4 or others of "
                                   "these families, or %s",
                   s->wavelet_name, "subbands 'wavepass'");
}

bool wp_subbands_check(const struct wp_sidecar *s)
{
    if (s->gop > 0 && s->gop < s->description.size[WP_Z])
        return wp_fail(WP_ERROR_USAGE, "groups of %d of %d slices have separate subbands, for "
                                       "which .npz has no names"
                                       "\nhint: use .npy, or no groups of slices",
                       s->gop, s->description.size[WP_Z]);
    // One is the metadata.
    const struct wp_description d = wp_sidecar_description(s);
    const int arrays = wp_subband_count(&d) + s->alpha + 1;
    if (arrays > WP_NPZ_ARRAYS)
        return wp_fail(WP_ERROR_USAGE, "%d subbands need %d arrays, and a .npz has at most %d"
                                       "\nhint: use .npy, or fewer levels",
                       wp_subband_count(&d), arrays, (int)WP_NPZ_ARRAYS);
    return s->naming != WP_NAMING_PYWT || check_pywt(s);
}

static struct part part_of(const struct wp_sidecar *s, const struct wp_description *d, int index,
                           float sign)
{
    static const char pywt[WP_BAND_COUNT] = {'A', 'V', 'H', 'D'};
    // PyWavelets' order has the band that is high along y first.
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

// The index of a band's row in a plane of coefficients.
static size_t row_at(const struct wp_image *image, const struct wp_band_grid *grid, int y, int z)
{
    const size_t row = (size_t)(grid->first[WP_Z] + z * grid->every[WP_Z]) * (size_t)image->height +
                       (size_t)(grid->first[WP_Y] + y * grid->every[WP_Y]);
    return row * (size_t)image->width + (size_t)grid->first[WP_X];
}

// Calls `copy` for each row of a band in `planes` planes; `at` is its index in `array`.
static void for_each_row(
    const struct wp_image *image, const struct part *part, int planes, void *array,
    void (*copy)(float *coefficients, int every, float sign, int count, void *array, size_t at))
{
    const struct wp_band_grid *grid = &part->grid;
    size_t at = 0;
    for (int p = 0; p < planes; p++)
        for (int z = 0; z < grid->size[WP_Z]; z++)
            for (int y = 0; y < grid->size[WP_Y]; y++, at += (size_t)grid->size[WP_X])
                copy(image->plane[p] + row_at(image, grid, y, z), grid->every[WP_X], part->sign,
                     grid->size[WP_X], array, at);
}

static void copy_out(float *coefficients, int every, float sign, int count, void *array, size_t at)
{
    float *to = (float *)array + at;
    for (int x = 0; x < count; x++)
        to[x] = sign * coefficients[(size_t)x * (size_t)every];
}

static void copy_out_integers(float *coefficients, int every, float sign, int count, void *array,
                              size_t at)
{
    int32_t *to = (int32_t *)array + at;
    (void)sign;
    for (int x = 0; x < count; x++)
        to[x] = (int32_t)coefficients[(size_t)x * (size_t)every];
}

static void copy_in(float *coefficients, int every, float sign, int count, void *array, size_t at)
{
    const float *from = (const float *)array + at;
    for (int x = 0; x < count; x++)
        coefficients[(size_t)x * (size_t)every] = sign * from[x];
}

// Several planes are an axis in front, slices of a volume an axis after it.
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
        for_each_row(image, part, planes, array, integers ? copy_out_integers : copy_out);
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

// An image of only the last plane.
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
    const struct wp_description d = wp_sidecar_description(s);
    const float sign = sign_of(s);
    bool ok = true;
    for (int i = 0; i < wp_subband_count(&d) && ok; i++) {
        const struct part part = part_of(s, &d, i, sign);
        if (samples_of(&part) > 0)
            ok = add_part(output, image, &part, wp_image_colour_planes(image),
                          s->description.reversible);
    }
    if (ok && image->alpha) {
        const struct part alpha = alpha_of(image);
        const struct wp_image plane = alpha_plane(image);
        ok = add_part(output, &plane, &alpha, 1, s->description.reversible);
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

// The first level whose array with these letters exists; 0 if there is none.
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

// The length of a band's array along an axis, counted from the last: 1 is x. 0 if it does not
// exist.
static size_t side_of(const struct wp_npz *npz, const char *letters, int level, int axis)
{
    char name[WORD];
    snprintf(name, sizeof name, "%s%d", letters, level);
    const int array = wp_npz_find(npz, name);
    const struct wp_npy_info *info = array < 0 ? NULL : wp_npz_info(npz, array);
    return info && info->axes >= axis ? info->shape[info->axes - axis] : 0;
}

// Finds the size of an axis: the sum of the low band and all high bands.
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

// Infers the transform from the names and shapes of the arrays if there is no metadata.
static bool infer_metadata(const struct wp_npz *npz, const char *path, const char *wavelet,
                           struct wp_sidecar *s)
{
    static const struct {
        const char *low, *high_x, *high_y;
    } names[WP_NAMING_COUNT] = {[WP_NAMING_WAVEPASS] = {"LL", "HL", "LH"},
                                [WP_NAMING_PYWT] = {"cA", "cV", "cH"}};
    const bool pywt = s->naming == WP_NAMING_PYWT;
    const char *low = names[s->naming].low;
    s->description.levels = level_of(npz, low);
    if (s->description.levels == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no subbands (arrays cA3 cH3 cV3 cD3 cH2 …, or LL3 HL3 "
                                      "LH3 HH3 HL2 …)", path);
    if (!find_size(npz, path, low, names[s->naming].high_x, s->description.levels, 1,
                   &s->description.size[WP_X]) ||
        !find_size(npz, path, low, names[s->naming].high_y, s->description.levels, 2,
                   &s->description.size[WP_Y]))
        return false;
    char name[WORD];
    snprintf(name, sizeof name, "%s%d", low, s->description.levels);
    const struct wp_npy_info *info = wp_npz_info(npz, wp_npz_find(npz, name));
    const size_t planes = info->axes == 3 ? info->shape[0] : 1;
    s->alpha = wp_npz_find(npz, alpha_name) >= 0;
    if (info->axes > 3 || planes + s->alpha > WP_IMAGE_MAX_PLANES)
        return wp_fail(WP_ERROR_FILE, "%s: its subbands are not of an image of up to %d planes",
                       path, WP_IMAGE_MAX_PLANES);
    s->planes = (int)planes + s->alpha;
    s->description.size[WP_Z] = 1;
    s->origin = (struct wp_origin){.bits = 32, .peak = 1};
    s->description.border = pywt ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC;
    s->description.norm = pywt ? WP_NORM_ORTHONORMAL : WP_NORM_JPEG2000;
    if (!pywt)
        return true;
    if (!wavelet)
        return wp_fail(WP_ERROR_USAGE,
                       "%s does not name its wavelet (no array '%s')", path, description_name);
    snprintf(s->wavelet_name, sizeof s->wavelet_name, "%s", wavelet);
    return true;
}

// PyWavelets' signs depend on the wavelet, which must be known.
static bool find_sign(const char *path, struct wp_sidecar *s, float *sign)
{
    *sign = 1;
    if (s->naming == WP_NAMING_WAVEPASS)
        return true;
    if (!wp_sidecar_find_wavelet(s, path, &s->wavelet))
        return false;
    *sign = sign_of(s);
    return true;
}

static const char *hint_of(const struct wp_sidecar *s)
{
    return s->naming != WP_NAMING_PYWT
               ? ""
               : "\nhint: use PyWavelets with mode='periodization'";
}

static bool read_part(struct wp_npz *npz, const char *path, const struct wp_sidecar *s,
                      const struct part *part, int planes, const struct wp_image *image)
{
    size_t shape[WP_NPY_AXES];
    const int axes = shape_of(part, planes, image->depth, shape);
    const int array = wp_npz_find(npz, part->name);
    if (array < 0)
        return wp_fail(WP_ERROR_FILE, "%s: no array '%s', a subband of %d level%s of %dx%d", path,
                       part->name, s->description.levels, WP_PLURAL(s->description.levels),
                       s->description.size[WP_X], s->description.size[WP_Y]);
    const struct wp_npy_info *info = wp_npz_info(npz, array);
    if (info->is_complex)
        return wp_fail(WP_ERROR_FILE, "%s: %s is complex", path, part->name);
    if (info->axes != axes || memcmp(info->shape, shape, (size_t)axes * sizeof *shape) != 0)
        return wp_fail(WP_ERROR_FILE,
                       "%s: %s does not have the shape for an image of %dx%d, which "
                       "is %zux%zu%s",
                       path, part->name, s->description.size[WP_X], s->description.size[WP_Y],
                       shape[axes - 1], shape[axes - 2], hint_of(s));
    struct wp_npy *npy = wp_npz_read(npz, array);
    float *value = npy ? wp_allocate(samples_of(part) * (size_t)planes, sizeof *value, path) : NULL;
    if (value) {
        wp_npy_get(npy, value);
        for_each_row(image, part, planes, value, copy_in);
    }
    wp_npy_destroy(&npy);
    free(value);
    return value;
}

static bool is_expected(const struct wp_sidecar *s, const char *name)
{
    const struct wp_description d = wp_sidecar_description(s);
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
        if (!is_expected(s, wp_npz_name(npz, i)))
            return wp_fail(WP_ERROR_FILE,
                           "%s: the array '%s' is not a subband of %d level%s"
                           "\nhint: save the subbands without it",
                           path, wp_npz_name(npz, i), s->description.levels,
                           WP_PLURAL(s->description.levels));
    return true;
}

// Reads all subbands; other arrays are errors.
static bool read_all(struct wp_npz *npz, const char *path, const struct wp_sidecar *s, float sign,
                     const struct wp_image *image)
{
    const struct wp_description d = wp_sidecar_description(s);
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
                                     struct wp_sidecar *s, bool *has_metadata)
{
    const int description = wp_npz_find(npz, description_name);
    float sign;
    *has_metadata = description >= 0;
    if (*has_metadata && !read_description(npz, path, description, s))
        return NULL;
    s->naming = level_of(npz, "cA") ? WP_NAMING_PYWT : WP_NAMING_WAVEPASS;
    if (!*has_metadata && !infer_metadata(npz, path, wavelet, s))
        return NULL;
    if (!find_sign(path, s, &sign) || !wp_subbands_check(s))
        return NULL;
    const struct wp_description d = wp_sidecar_description(s);
    const int most = wp_description_levels_most(&d, WP_X);
    if (s->description.size[WP_Z] == 1 && s->description.levels > most) {
        wp_fail(WP_ERROR_FILE, "%s: subbands of %d level%s, but %dx%d with %s borders has %d%s",
                path, s->description.levels, WP_PLURAL(s->description.levels),
                s->description.size[WP_X], s->description.size[WP_Y],
                wp_border_names[s->description.border], most, hint_of(s));
        return NULL;
    }
    struct wp_image *image =
        wp_image_create_volume(wp_description_extent(&d, WP_X), wp_description_extent(&d, WP_Y),
                               wp_description_extent(&d, WP_Z), s->planes, s->alpha);
    if (image && !read_all(npz, path, s, sign, image))
        wp_image_destroy(&image);
    if (image)
        image->origin = s->origin;
    return image;
}

struct wp_image *wp_subbands_read(const char *path, const char *wavelet, struct wp_sidecar *s,
                                  bool *has_metadata)
{
    *s = (struct wp_sidecar){0};
    *has_metadata = false;
    struct wp_npz *npz = wp_npz_open(path);
    struct wp_image *image = npz ? read_archive(npz, path, wavelet, s, has_metadata) : NULL;
    wp_npz_close(&npz);
    return image;
}
