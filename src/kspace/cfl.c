#include "cfl.h"

#include "log.h"
#include "output.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SUFFIX = 4, DIMENSIONS = 16 };

bool wp_cfl_matches(const char *path)
{
    const size_t length = strlen(path);
    const char *suffix = length > SUFFIX ? path + length - SUFFIX : "";
    return strcasecmp(suffix, ".cfl") == 0 || strcasecmp(suffix, ".hdr") == 0;
}

static void set_name(struct wp_text *name, const char *path, const char *suffix)
{
    const size_t length = strlen(path) - (wp_cfl_matches(path) ? SUFFIX : 0);
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

bool wp_cfl_names(const char *path)
{
    return wp_cfl_matches(path) ||
           (access(path, F_OK) != 0 && (exists(path, ".hdr") || exists(path, ".cfl")));
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

struct wp_complex_array *wp_cfl_read(const char *path)
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

bool wp_cfl_write(const char *path, const struct wp_complex_array *array)
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
