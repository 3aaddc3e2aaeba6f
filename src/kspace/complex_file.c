// Reads and writes complex arrays: NPY here, BART's files in cfl.c.
#include "complex_array.h"

#include "cfl.h"
#include "log.h"
#include "npy.h"
#include "output.h"

#include <math.h>
#include <string.h>
#include <strings.h>

// Assigns axes from the last one: x, y, z, coils. Missing ones keep their value.
static bool find_shape(const char *path, const struct wp_npy_info *info, int size[3], int *coils)
{
    int *const sides[] = {&size[0], &size[1], &size[2], coils};
    if (!info->is_complex)
        return wp_fail(WP_ERROR_FILE, "%s: real numbers instead of complex ones"
                                      "\nhint: save it as complex64", path);
    if (info->axes < 2)
        return wp_fail(WP_ERROR_FILE, "%s: an array of %d ax%s\nhint: the shape must be "
                       "(height, width), (depth, height, width) or (coils, depth, height, width)",
                       path, info->axes, info->axes == 1 ? "is" : "es");
    for (int i = 0; i < info->axes; i++) {
        const size_t side = info->shape[info->axes - 1 - i];
        if (side > WP_COMPLEX_MAX_SIDE)
            return wp_fail(WP_ERROR_FILE, "%s: too large (a side of %zu; the limit is %d)", path,
                           side, WP_COMPLEX_MAX_SIDE);
        *sides[i] = (int)side;
    }
    return true;
}

static struct wp_complex_array *read_npy(const char *path)
{
    struct wp_npy_info info;
    struct wp_complex_array *array = NULL;
    int size[3] = {1, 1, 1}, coils = 1;
    struct wp_npy *npy = wp_npy_read(path, &info);
    if (npy && find_shape(path, &info, size, &coils))
        array = wp_complex_create(size, coils);
    if (array)
        wp_npy_get(npy, (float *)array->value);
    wp_npy_destroy(&npy);
    return array;
}

static size_t count_nonfinite(const struct wp_complex_array *array)
{
    const float *part = (const float *)array->value;
    size_t count = 0;
    for (size_t i = 0; i < 2 * wp_complex_samples(array) * (size_t)array->coils; i++)
        count += isfinite(part[i]) ? 0 : 1;
    return count;
}

struct wp_complex_array *wp_complex_read(const char *path)
{
    struct wp_complex_array *array = wp_cfl_names(path) ? wp_cfl_read(path) : read_npy(path);
    const size_t nonfinite = array ? count_nonfinite(array) : 0;
    if (nonfinite > 0) {
        wp_fail(WP_ERROR_FILE, "%s: %zu part%s not finite (NaN or infinite)", path, nonfinite,
                nonfinite == 1 ? " of a value is" : "s of values are");
        wp_complex_destroy(&array);
    }
    return array;
}

bool wp_complex_can_write(const char *path)
{
    const size_t length = strlen(path);
    return strcmp(path, "-") == 0 || (length > 4 && strcasecmp(path + length - 4, ".npy") == 0) ||
           wp_cfl_matches(path) ||
           wp_fail(WP_ERROR_FILE, "cannot write %s (unknown suffix)\nhint: use .npy or .cfl", path);
}

bool wp_complex_write(const char *path, const struct wp_complex_array *array)
{
    if (!wp_complex_can_write(path))
        return false;
    if (wp_cfl_matches(path))
        return wp_cfl_write(path, array);
    struct wp_output *output = wp_output_open(path, true);
    if (!output)
        return false;
    const int *size = array->size;
    const size_t shape[WP_NPY_AXES] = {(size_t)array->coils, (size_t)size[2], (size_t)size[1],
                                       (size_t)size[0]};
    const int axes = array->coils > 1 ? 4 : size[2] > 1 ? 3 : 2;
    FILE *stream = wp_output_stream(output);
    wp_npy_write_header(stream, "c8", axes, shape + WP_NPY_AXES - axes);
    fwrite(array->value, sizeof *array->value, wp_complex_samples(array) * (size_t)array->coils,
           stream);
    return wp_output_commit(&output);
}
