// NPZ archives (NumPy): libzip reads and writes the archive, npy.c its arrays.
#include "npz.h"

#include "memory.h"
#include "rows_io.h"
#include "text.h"
#include "xmemory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

struct array {
    char *name;  // without ".npy"
    char *label; // for messages: "c.npz: HL1.npy"
    struct wp_npy_info info;
    unsigned long long size; // in bytes, with its header
};

struct wp_npz {
    char *path;
    zip_t *zip;
    int count;
    struct array *array;
};

static bool fail_to_open(const char *path, int code)
{
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const bool memory = zip_error_code_zip(&error) == ZIP_ER_MEMORY;
    const bool missing = zip_error_code_zip(&error) == ZIP_ER_NOENT;
    if (missing)
        wp_fail(WP_ERROR_FILE, "cannot read %s (%s)", path, strerror(ENOENT));
    else
        wp_fail(memory ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE, "%s: not an NPZ archive (%s)", path,
                zip_error_strerror(&error));
    zip_error_fini(&error);
    return false;
}

static bool fail_to_read(const char *label, zip_error_t *error)
{
    return wp_fail(zip_error_code_zip(error) == ZIP_ER_MEMORY ? WP_ERROR_TOO_LARGE : WP_ERROR_FILE,
                   "%s: damaged (%s)", label, zip_error_strerror(error));
}

// Reads up to `size` bytes from the start of a file. At its end libzip checks the checksum.
static bool read_start(const struct wp_npz *npz, int number, unsigned char *to, size_t size,
                       size_t *got)
{
    const char *label = npz->array[number].label;
    zip_file_t *file = zip_fopen_index(npz->zip, (zip_uint64_t)number, 0);
    zip_int64_t part = 1;
    if (!file)
        return fail_to_read(label, zip_get_error(npz->zip));
    *got = 0;
    while (*got < size && part > 0) {
        part = zip_fread(file, to + *got, size - *got);
        *got += part > 0 ? (size_t)part : 0;
    }
    const bool ok = part >= 0 || fail_to_read(label, zip_file_get_error(file));
    zip_fclose(file);
    return ok;
}

// The name without ".npy", or NULL if it does not end in ".npy". The caller frees it.
static char *stem_of(const char *name)
{
    static const char suffix[] = ".npy";
    const size_t length = strlen(name), suffix_length = sizeof suffix - 1;
    if (length <= suffix_length || strcmp(name + length - suffix_length, suffix) != 0)
        return NULL;
    char *stem = wp_xstrdup(name);
    stem[length - suffix_length] = '\0';
    return stem;
}

// Rejects wrong sizes before memory is allocated. The ratio of deflate is at most 1032.
static bool check_size(const struct array *array, const zip_stat_t *stat, unsigned long long total)
{
    enum { DEFLATE_MOST = 1032 };
    if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
        return wp_fail(WP_ERROR_FILE, "%s: not supported (compression method %u)", array->label,
                       (unsigned)stat->comp_method);
    if (stat->encryption_method != ZIP_EM_NONE)
        return wp_fail(WP_ERROR_FILE, "%s: not supported (encrypted)", array->label);
    if (stat->size != total || stat->size / DEFLATE_MOST > stat->comp_size)
        return wp_fail(WP_ERROR_FILE,
                       "%s: damaged (%llu bytes, %llu compressed, but the header requires %llu)",
                       array->label, (unsigned long long)stat->size,
                       (unsigned long long)stat->comp_size, total);
    return true;
}

// Sets the names of an array.
static bool name_array(struct wp_npz *npz, int number, zip_stat_t *stat)
{
    static const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                       ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    struct array *array = &npz->array[number];
    if (zip_stat_index(npz->zip, (zip_uint64_t)number, 0, stat) != 0)
        return fail_to_read(npz->path, zip_get_error(npz->zip));
    if ((stat->valid & needed) != needed)
        return wp_fail(WP_ERROR_FILE, "%s: damaged (no metadata for file %d)", npz->path, number);
    struct wp_text label = {0};
    wp_text_add(&label, "%s: %s", npz->path, stat->name);
    array->label = wp_xstrdup(wp_text_get(&label));
    wp_text_free(&label);
    array->name = stem_of(stat->name);
    if (!array->name)
        return wp_fail(WP_ERROR_FILE, "%s: not an array (its name must end in .npy)", array->label);
    for (int i = 0; i < number; i++)
        if (strcmp(npz->array[i].name, array->name) == 0)
            return wp_fail(WP_ERROR_FILE, "%s: duplicate name", array->label);
    return true;
}

static bool check_array(struct wp_npz *npz, int number, const zip_stat_t *stat)
{
    enum { HEAD = 4096 };
    struct array *array = &npz->array[number];
    unsigned char head[HEAD];
    unsigned long long total;
    struct wp_source source = {.name = array->label, .data = head};
    array->size = stat->size;
    return read_start(npz, number, head, sizeof head, &source.size) &&
           wp_npy_get_info(&source, &array->info, &total) && check_size(array, stat, total);
}

static struct wp_npz *open_archive(const char *path)
{
    int code = 0;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
    if (!zip) {
        fail_to_open(path, code);
        return NULL;
    }
    struct wp_npz *npz = wp_xcalloc(1, sizeof *npz);
    npz->zip = zip;
    npz->path = wp_xstrdup(path);
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    bool ok = count <= WP_NPZ_ARRAYS ||
              wp_fail(WP_ERROR_FILE, "%s: more than %d arrays", path, WP_NPZ_ARRAYS);
    npz->count = ok ? (int)count : 0;
    npz->array = wp_xcalloc((size_t)npz->count + 1, sizeof *npz->array);
    if (!ok)
        wp_npz_close(&npz);
    return npz;
}

struct wp_npz *wp_npz_open(const char *path)
{
    struct wp_npz *npz = open_archive(path);
    zip_stat_t stat;
    for (int i = 0; npz && i < npz->count; i++)
        if (!name_array(npz, i, &stat) || !check_array(npz, i, &stat))
            wp_npz_close(&npz);
    return npz;
}

bool wp_npz_has_one_array(const char *path)
{
    int code = 0;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
    const bool one = zip && zip_get_num_entries(zip, 0) == 1;
    if (zip)
        zip_discard(zip);
    return one;
}

// Returns -1 after an error that lists the arrays.
static int select_array(const struct wp_npz *npz, const char *name)
{
    const int found = name ? wp_npz_find(npz, name) : npz->count == 1 ? 0 : -1;
    if (found >= 0)
        return found;
    enum { MOST = 8 };
    struct wp_text names = {0};
    for (int i = 0; i < npz->count && i < MOST; i++)
        wp_text_add(&names, "%s%s", i ? ", " : "", npz->array[i].name);
    if (npz->count > MOST)
        wp_text_add(&names, ", …");
    if (npz->count == 0)
        wp_fail(WP_ERROR_FILE, "%s: the archive has no arrays", npz->path);
    else if (name)
        wp_fail(WP_ERROR_FILE, "%s: no array '%s'\nhint: the archive has %s", npz->path, name,
                wp_text_get(&names));
    else
        wp_fail(WP_ERROR_FILE,
                "%s: an archive of %d arrays (%s)\n"
                "hint: select one with %s:%s, or use 'wavepass inverse' if they are subbands",
                npz->path, npz->count, wp_text_get(&names), npz->path, npz->array[0].name);
    wp_text_free(&names);
    return -1;
}

struct wp_npz *wp_npz_open_array(const char *path, const char *name, int *array)
{
    struct wp_npz *npz = open_archive(path);
    zip_stat_t stat;
    for (int i = 0; npz && i < npz->count; i++)
        if (!name_array(npz, i, &stat))
            wp_npz_close(&npz);
    *array = npz ? select_array(npz, name) : -1;
    if (npz && (*array < 0 ||
                zip_stat_index(npz->zip, (zip_uint64_t)*array, 0, &stat) != 0 ||
                !check_array(npz, *array, &stat)))
        wp_npz_close(&npz);
    return npz;
}

void wp_npz_close(struct wp_npz **slot)
{
    struct wp_npz *npz = *slot;
    *slot = NULL;
    if (!npz)
        return;
    for (int i = 0; i < npz->count; i++) {
        free(npz->array[i].name);
        free(npz->array[i].label);
    }
    free(npz->array);
    free(npz->path);
    zip_discard(npz->zip);
    free(npz);
}

int wp_npz_count(const struct wp_npz *npz)
{
    return npz->count;
}

const struct wp_npy_info *wp_npz_info(const struct wp_npz *npz, int array)
{
    return &npz->array[array].info;
}

const char *wp_npz_name(const struct wp_npz *npz, int array)
{
    return npz->array[array].name;
}

int wp_npz_find(const struct wp_npz *npz, const char *name)
{
    for (int i = 0; i < npz->count; i++)
        if (strcmp(npz->array[i].name, name) == 0)
            return i;
    return -1;
}

const char *wp_npz_label(const struct wp_npz *npz, int array)
{
    return npz->array[array].label;
}

unsigned char *wp_npz_read_bytes(struct wp_npz *npz, int number, size_t *size)
{
    const struct array *array = &npz->array[number];
    // One byte more than expected, so that libzip reads to the end and checks the checksum.
    unsigned char *data = wp_allocate((size_t)array->size + 1, 1, array->label);
    if (data && !read_start(npz, number, data, (size_t)array->size + 1, size)) {
        free(data);
        data = NULL;
    }
    return data;
}

struct wp_npy *wp_npz_read(struct wp_npz *npz, int number)
{
    size_t size;
    unsigned char *data = wp_npz_read_bytes(npz, number, &size);
    return data ? wp_npy_read_samples(npz->array[number].label, data, size) : NULL;
}

// ---- Arrays as images and volumes -----------------------------------------------------------

// The start of the array's name, or the end of the path if it has none. NULL if it is not an NPZ.
static const char *find_array(const char *path)
{
    static const char suffix[] = ".npz";
    const size_t length = strlen(path), suffix_length = sizeof suffix - 1;
    if (length > suffix_length && strcmp(path + length - suffix_length, suffix) == 0)
        return path + length;
    const char *at = strstr(path, ".npz:");
    return at && at > path && access(path, F_OK) != 0 ? at + suffix_length + 1 : NULL;
}

bool wp_npz_names_array(const char *path)
{
    return find_array(path);
}

static struct wp_image *read_array(struct wp_npz *npz, int array,
                                   const struct wp_read_params *params)
{
    struct wp_source source = wp_source_of(wp_npz_label(npz, array), params);
    unsigned char *data = wp_npz_read_bytes(npz, array, &source.size);
    source.data = data;
    struct wp_image *image = data ? wp_read_raster(&source, wp_npy_layout, NULL) : NULL;
    if (params->facts)
        params->facts->format = "NPZ";
    free(data);
    return image;
}

// FILE.npz, or FILE.npz:NAME.
struct wp_image *wp_read_npz(const char *path, const struct wp_read_params *params)
{
    const char *name = find_array(path);
    char *file = wp_xstrdup(path);
    int array;
    if (name && *name)
        file[name - path - 1] = '\0';
    struct wp_npz *npz = wp_npz_open_array(file, name && *name ? name : NULL, &array);
    struct wp_image *image = npz ? read_array(npz, array, params) : NULL;
    wp_npz_close(&npz);
    free(file);
    return image;
}

// ---- Writing ------------------------------------------------------------------------------

// Receives the archive from libzip through a custom zip_source_t and writes it to the stream.
struct sink {
    FILE *stream;
    bool failed;
    int saved_errno; // errno
    zip_error_t error;
};

struct wp_npz_output {
    char *path;
    struct sink sink;
    zip_t *zip;
};

static zip_int64_t fail_write(struct sink *sink)
{
    sink->failed = true;
    sink->saved_errno = errno;
    zip_error_set(&sink->error, ZIP_ER_WRITE, errno);
    return -1;
}

static zip_int64_t seek(struct sink *sink, void *data, zip_uint64_t size)
{
    const zip_source_args_seek_t *args =
        ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, size, &sink->error);
    if (!args)
        return -1;
    return fseeko(sink->stream, (off_t)args->offset, args->whence) == 0 ? 0 : fail_write(sink);
}

// Callback of the zip source. The archive is only written: there is no old one to read.
static zip_int64_t handle_command(void *user, void *data, zip_uint64_t size,
                                  zip_source_cmd_t command)
{
    struct sink *sink = user;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&sink->error, data, size);
    case ZIP_SOURCE_STAT:
        zip_error_set(&sink->error, ZIP_ER_READ, ENOENT);
        return -1;
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_FREE:
        return 0;
    case ZIP_SOURCE_WRITE:
        return fwrite(data, 1, (size_t)size, sink->stream) == size ? (zip_int64_t)size
                                                                   : fail_write(sink);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek(sink, data, size);
    case ZIP_SOURCE_TELL_WRITE: {
        const off_t at = ftello(sink->stream);
        return at >= 0 ? (zip_int64_t)at : fail_write(sink);
    }
    case ZIP_SOURCE_COMMIT_WRITE:
        return fflush(sink->stream) == 0 ? 0 : fail_write(sink);
    case ZIP_SOURCE_ROLLBACK_WRITE:
        return 0;
    default:
        zip_error_set(&sink->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

// If memory is exhausted, libzip may set no error or fail to allocate its message.
static bool fail_output(const struct wp_npz_output *output, zip_error_t *error)
{
    zip_error_t no_error;
    zip_error_init(&no_error);
    const char *message = zip_error_strerror(error);
    const bool silent = strcmp(message, zip_error_strerror(&no_error)) == 0;
    return wp_fail(WP_ERROR_TOO_LARGE, "cannot write %s (%s)", output->path,
                   silent ? "out of memory" : message);
}

struct wp_npz_output *wp_npz_create(const char *path, FILE *stream)
{
    struct wp_npz_output *output = wp_xcalloc(1, sizeof *output);
    output->path = wp_xstrdup(path);
    output->sink.stream = stream;
    zip_error_init(&output->sink.error);
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_function_create(handle_command, &output->sink, &error);
    output->zip = source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error) : NULL;
    if (!output->zip) {
        fail_output(output, &error);
        if (source)
            zip_source_free(source);
        wp_npz_discard(&output);
    }
    zip_error_fini(&error);
    return output;
}

// Allocates an array: the NPY header, and memory for the values after it.
static unsigned char *make_array(const char *label, const char *type, size_t bytes, int axes,
                                 const size_t *shape, size_t *head, size_t *size)
{
    char *header = NULL;
    size_t count = 1;
    FILE *stream = open_memstream(&header, head);
    if (!stream)
        wp_xmemory_end();
    wp_npy_write_header(stream, type, axes, shape);
    // If memory was exhausted, fclose() may succeed without a buffer.
    if (fclose(stream) != 0 || !header)
        wp_xmemory_end();
    for (int i = 0; i < axes; i++)
        count *= shape[i];
    *size = *head + count * bytes;
    unsigned char *array = wp_allocate(*size, 1, label);
    if (array)
        memcpy(array, header, *head);
    free(header);
    return array;
}

void *wp_npz_add(struct wp_npz_output *output, const char *name, const char *type, size_t bytes,
                 int axes, const size_t *shape)
{
    enum { NAME = 64, FIRST_DAY = 1 << 5 | 1 }; // DOS date of 1980-01-01
    char file[NAME];
    size_t head, size;
    snprintf(file, sizeof file, "%s.npy", name);
    unsigned char *array = make_array(output->path, type, bytes, axes, shape, &head, &size);
    if (!array)
        return NULL;
    zip_source_t *source = zip_source_buffer(output->zip, array, size, 1);
    if (!source)
        free(array);
    const zip_int64_t number = source ? zip_file_add(output->zip, file, source, 0) : -1;
    if (source && number < 0)
        zip_source_free(source);
    if (number < 0 ||
        zip_set_file_compression(output->zip, (zip_uint64_t)number, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(output->zip, (zip_uint64_t)number, 0, FIRST_DAY, 0) != 0) {
        fail_output(output, zip_get_error(output->zip));
        return NULL;
    }
    return array + head;
}

bool wp_npz_end(struct wp_npz_output **slot)
{
    struct wp_npz_output *output = *slot;
    bool ok = zip_close(output->zip) == 0;
    if (ok)
        output->zip = NULL;
    else if (ferror(output->sink.stream))
        ok = true; // the caller, who commits the output, reports it
    else if (output->sink.failed)
        wp_fail(WP_ERROR_FILE, "cannot write %s (%s)", output->path,
                strerror(output->sink.saved_errno));
    else
        fail_output(output, zip_get_error(output->zip));
    const int saved_errno = output->sink.saved_errno;
    wp_npz_discard(slot);
    errno = saved_errno;
    return ok;
}

void wp_npz_discard(struct wp_npz_output **slot)
{
    struct wp_npz_output *output = *slot;
    *slot = NULL;
    if (!output)
        return;
    if (output->zip)
        zip_discard(output->zip);
    zip_error_fini(&output->sink.error);
    free(output->path);
    free(output);
}
