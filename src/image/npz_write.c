// Writes NPZ archives.
#include "memory.h"
#include "npz.h"
#include "xmemory.h"

#include "log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

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
static bool fail(const struct wp_npz_output *output, zip_error_t *error)
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
        fail(output, &error);
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
        fail(output, zip_get_error(output->zip));
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
        fail(output, zip_get_error(output->zip));
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
