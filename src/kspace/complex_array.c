#include "kspace.h"

#include "fft.h"
#include "log.h"
#include "npy.h"
#include "output.h"
#include "text.h"
#include "words.h"
#include "xmemory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void swap(unsigned char *a, unsigned char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void reverse(unsigned char *items, size_t count, size_t bytes)
{
    for (size_t i = 0; i + 1 < count - i; i++)
        swap(items + i * bytes, items + (count - 1 - i) * bytes, bytes);
}

// Rotates items so that the first one moves to index `shift`.
static void rotate(unsigned char *items, size_t count, size_t shift, size_t bytes)
{
    if (shift == 0)
        return;
    reverse(items, count, bytes);
    reverse(items, shift, bytes);
    reverse(items + shift * bytes, count - shift, bytes);
}

static void shift_axes(void *items, size_t bytes, const int size[3], int round_up)
{
    const size_t total = (size_t)size[0] * (size_t)size[1] * (size_t)size[2] * bytes;
    for (int axis = 0; axis < 3; axis++) {
        const size_t n = (size_t)size[axis];
        for (size_t at = 0; at < total; at += n * bytes)
            rotate((unsigned char *)items + at, n, (n + (size_t)round_up) / 2 % n, bytes);
        bytes *= n;
    }
}

void wp_centre(void *items, size_t bytes, const int size[3])
{
    shift_axes(items, bytes, size, 0);
}

void wp_uncentre(void *items, size_t bytes, const int size[3])
{
    shift_axes(items, bytes, size, 1);
}

struct wp_complex_array *wp_complex_create(const int size[3], int coils)
{
    struct wp_complex_array *array = wp_xcalloc(1, sizeof *array);
    memcpy(array->size, size, sizeof array->size);
    array->coils = coils;
    const size_t count = wp_complex_samples(array) * (size_t)coils;
    const size_t bytes = (count * sizeof *array->value + WP_FFT_ALIGNMENT - 1) /
                         WP_FFT_ALIGNMENT * WP_FFT_ALIGNMENT;
    array->value = aligned_alloc(WP_FFT_ALIGNMENT, bytes);
    if (array->value) {
        memset(array->value, 0, bytes);
    } else {
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for %zu complex samples (%.1f MiB)", count,
                (double)bytes / 1048576);
        wp_complex_destroy(&array);
    }
    return array;
}

void wp_complex_destroy(struct wp_complex_array **slot)
{
    struct wp_complex_array *array = *slot;
    *slot = NULL;
    if (!array)
        return;
    free(array->value);
    free(array);
}

size_t wp_complex_samples(const struct wp_complex_array *array)
{
    return (size_t)array->size[0] * (size_t)array->size[1] * (size_t)array->size[2];
}

static void for_each_coil(struct wp_complex_array *array,
                          void (*move)(void *items, size_t bytes, const int size[3]))
{
    for (int i = 0; i < array->coils; i++)
        move(array->value + (size_t)i * wp_complex_samples(array), sizeof *array->value,
             array->size);
}

// Fills phase[k] = exp(sign 2 pi i k c/n) with c = n/2: exactly 1, -1, 1, ... if n is even.
static void fill_phases(int n, int sign, float complex *phase)
{
    for (int k = 0; k < n; k++) {
        const double fraction = (double)((long long)k * (n / 2) % n) / n;
        const double angle = sign * 2 * acos(-1) * fraction;
        phase[k] = n % 2 ? (float complex)cexp(angle * I) : k % 2 ? -1 : 1;
    }
}

// Moves the origin of the image, by phases in k-space with DC at index 0.
static void shift_phases(struct wp_complex_array *array, int sign)
{
    const int *n = array->size;
    float complex *phase = wp_xcalloc((size_t)n[0] + (size_t)n[1] + (size_t)n[2], sizeof *phase);
    float complex *const phase_y = phase + n[0], *const phase_z = phase_y + n[1];
    for (int axis = 0, at = 0; axis < 3; at += n[axis++])
        fill_phases(n[axis], sign, phase + at);
    float complex *value = array->value;
    for (int coil = 0; coil < array->coils; coil++)
        for (int z = 0; z < n[2]; z++)
            for (int y = 0; y < n[1]; y++, value += n[0])
                for (int x = 0; x < n[0]; x++)
                    value[x] *= phase[x] * (phase_y[y] * phase_z[z]);
    free(phase);
}

void wp_complex_centre(struct wp_complex_array *kspace)
{
    shift_phases(kspace, 1);
    for_each_coil(kspace, wp_centre);
}

void wp_complex_uncentre(struct wp_complex_array *kspace)
{
    for_each_coil(kspace, wp_uncentre);
    shift_phases(kspace, -1);
}

// ---- BART's files ----

enum { SUFFIX = 4, DIMENSIONS = 16 };

// true for the name of either file
static bool cfl_matches(const char *path)
{
    return wp_has_suffix(path, ".cfl") || wp_has_suffix(path, ".hdr");
}

static void set_name(struct wp_text *name, const char *path, const char *suffix)
{
    const size_t length = strlen(path) - (cfl_matches(path) ? SUFFIX : 0);
    wp_text_add(name, "%.*s%s", (int)length, path, suffix);
}

static bool exists(const char *path, const char *suffix)
{
    struct wp_text name = {0};
    set_name(&name, path, suffix);
    const bool found = access(wp_text_get(&name), F_OK) == 0;
    wp_text_free(&name);
    return found;
}

static FILE *open_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file && errno == ENOENT)
        wp_fail(WP_ERROR_FILE, "%s: no such file", name);
    else if (!file)
        wp_fail(wp_error_of_errno(), "cannot read %s (%s)", name, strerror(errno));
    return file;
}

// Parses the line after "# Dimensions"; missing dimensions are 1.
static bool parse_dimensions(const char *name, char *text, int size[3], int *coils)
{
    int *const target[] = {&size[0], &size[1], &size[2], coils};
    const char *at = strstr(text, "# Dimensions");
    at = at ? strchr(at, '\n') : NULL;
    if (!at)
        return wp_fail(WP_ERROR_FILE, "%s: not a header of BART (no '# Dimensions')", name);
    size[0] = size[1] = size[2] = *coils = 1;
    at++;
    for (int i = 0; *at && *at != '\n'; i++) {
        char *end;
        const long value = strtol(at, &end, 10);
        if (end == at || value < 1 || value > WP_COMPLEX_MAX_SIDE || i == DIMENSIONS)
            return wp_fail(WP_ERROR_FILE, "%s: damaged dimensions", name);
        if (i < 4)
            *target[i] = (int)value;
        else if (value > 1)
            return wp_fail(WP_ERROR_FILE, "%s: dimension %d has length %ld\nhint: only x, y, z and "
                           "coils (0 to 3) may be longer than 1", name, i, value);
        at = end + strspn(end, " \t\r");
    }
    return true;
}

static bool read_header(const char *name, int size[3], int *coils)
{
    char text[8192];
    FILE *file = open_file(name);
    if (!file)
        return false;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    const bool ok = !ferror(file) || wp_fail(wp_error_of_errno(), "cannot read %s (%s)", name,
                                             strerror(errno));
    fclose(file);
    return ok && parse_dimensions(name, text, size, coils);
}

static bool check_length(const char *name, FILE *file, unsigned long long expected)
{
    const bool ok = fseeko(file, 0, SEEK_END) == 0;
    const off_t length = ok ? ftello(file) : -1;
    if (length < 0 || fseeko(file, 0, SEEK_SET) != 0)
        return wp_fail(wp_error_of_errno(), "cannot read %s (%s)", name, strerror(errno));
    return (unsigned long long)length == expected ||
           wp_fail(WP_ERROR_FILE, "%s: %llu bytes, but the header requires %llu", name,
                   (unsigned long long)length, expected);
}

static struct wp_complex_array *read_samples(const char *name, const int size[3], int coils)
{
    const unsigned long long limit = WP_COMPLEX_MAX_SAMPLES;
    unsigned long long count = (unsigned long long)size[0] * (unsigned long long)size[1];
    struct wp_complex_array *array = NULL;
    FILE *file = open_file(name);
    if (!file)
        return NULL;
    count = count > limit / (unsigned)size[2] ? limit + 1 : count * (unsigned)size[2];
    count = count > limit / (unsigned)coils ? limit + 1 : count * (unsigned)coils;
    if (check_length(name, file, count * sizeof(float complex)))
        array = wp_complex_create(size, coils);
    if (array && fread(array->value, sizeof *array->value, (size_t)count, file) != count) {
        wp_fail(WP_ERROR_FILE, "cannot read %s", name);
        wp_complex_destroy(&array);
    }
    fclose(file);
    return array;
}

static struct wp_complex_array *cfl_read(const char *path)
{
    struct wp_text header = {0}, samples = {0};
    struct wp_complex_array *array = NULL;
    int size[3], coils;
    set_name(&header, path, ".hdr");
    set_name(&samples, path, ".cfl");
    if (read_header(wp_text_get(&header), size, &coils))
        array = read_samples(wp_text_get(&samples), size, coils);
    wp_text_free(&header);
    wp_text_free(&samples);
    return array;
}

static bool cfl_write(const char *path, const struct wp_complex_array *array)
{
    struct wp_text header_name = {0}, samples_name = {0};
    set_name(&header_name, path, ".hdr");
    set_name(&samples_name, path, ".cfl");
    struct wp_output *samples = wp_output_open(wp_text_get(&samples_name), true);
    struct wp_output *header = samples ? wp_output_open(wp_text_get(&header_name), true) : NULL;
    bool ok = header != NULL;
    if (ok) {
        FILE *stream = wp_output_stream(header);
        fprintf(stream, "# Dimensions\n%d %d %d %d", array->size[0], array->size[1],
                array->size[2], array->coils);
        for (int i = 4; i < DIMENSIONS; i++)
            fputs(" 1", stream);
        fputs("\n", stream);
        fwrite(array->value, sizeof *array->value,
               wp_complex_samples(array) * (size_t)array->coils, wp_output_stream(samples));
        ok = wp_output_commit(&samples) && wp_output_commit(&header);
    }
    wp_output_discard(&samples);
    wp_output_discard(&header);
    wp_text_free(&header_name);
    wp_text_free(&samples_name);
    return ok;
}

// ---- files ----

// Assigns axes from the last one: x, y, z, coils. Missing ones keep their value.
static bool find_shape(const char *path, const struct wp_npy_info *info, int size[3], int *coils)
{
    int *const sides[] = {&size[0], &size[1], &size[2], coils};
    if (!info->is_complex)
        return wp_fail(WP_ERROR_FILE, "%s: real numbers instead of complex ones"
                                      "\nhint: save it as complex64", path);
    if (info->axes < 2 || info->axes > 4)
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
    // NAME is NAME.cfl if no file has exactly that name.
    const bool cfl = cfl_matches(path) ||
                     (access(path, F_OK) != 0 && (exists(path, ".hdr") || exists(path, ".cfl")));
    struct wp_complex_array *array = cfl ? cfl_read(path) : read_npy(path);
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
    return strcmp(path, "-") == 0 || wp_has_suffix(path, ".npy") || cfl_matches(path) ||
           wp_fail(WP_ERROR_FILE, "cannot write %s (unknown suffix)\nhint: use .npy or .cfl", path);
}

bool wp_complex_write(const char *path, const struct wp_complex_array *array)
{
    if (!wp_complex_can_write(path))
        return false;
    if (cfl_matches(path))
        return cfl_write(path, array);
    struct wp_output *output = wp_output_open(path, true);
    if (!output)
        return false;
    const int *size = array->size;
    enum { AXES = 4 };
    const size_t shape[AXES] = {(size_t)array->coils, (size_t)size[2], (size_t)size[1],
                                (size_t)size[0]};
    const int axes = array->coils > 1 ? 4 : size[2] > 1 ? 3 : 2;
    FILE *stream = wp_output_stream(output);
    wp_npy_write_header(stream, "c8", axes, shape + AXES - axes);
    fwrite(array->value, sizeof *array->value, wp_complex_samples(array) * (size_t)array->coils,
           stream);
    return wp_output_commit(&output);
}
