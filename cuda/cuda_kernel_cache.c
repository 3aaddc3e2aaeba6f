#include "cuda_kernel_cache.h"

#include "cache.h"
#include "cuda_program.h"
#include "memory.h"
#include "output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A file consists of this line, the key and the code.
#define HEAD "wavepass kernel 1, key of %zu bytes, code of %zu, %016llx\n"

static const size_t most_bytes = 16 << 20; // larger files are not of this program

// Adds everything that the code depends on.
static void add_key(struct wp_text *key, const char *source, int capability)
{
    struct wp_cuda_options options;
    wp_cuda_set_options(&options, capability);
    wp_text_add(key, "NVRTC %d\n", wp_cuda_nvrtc_version());
    for (int i = 0; i < WP_CUDA_NVRTC_OPTIONS; i++)
        wp_text_add(key, "%s\n", options.option[i]);
    for (int i = 0; i < WP_CUDA_INCLUDES; i++)
        wp_text_add(key, "%s %016llx\n", wp_cuda_includes[i].name,
                    wp_hash(wp_cuda_includes[i].text));
    wp_text_add(key, "%s", source);
}

static char *path_of(const struct wp_text *key)
{
    char name[64];
    snprintf(name, sizeof name, "kernels/%016llx.cubin", wp_hash(wp_text_get(key)));
    return key->failed ? NULL : wp_cache_path(name);
}

char *wp_cuda_kernel_cache_path(const char *source, int capability)
{
    struct wp_text key = {0};
    add_key(&key, source, capability);
    char *path = path_of(&key);
    wp_text_free(&key);
    return path;
}

// Reads a regular file. NULL if it does not exist or cannot be read.
static char *read_file(const char *path, size_t *size)
{
    struct stat info = {0};
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0 ||
        (unsigned long long)info.st_size > most_bytes)
        return NULL;
    FILE *file = fopen(path, "rb");
    char *data = file ? wp_try_allocate((size_t)info.st_size + 1, 1) : NULL;
    const bool ok = data && fread(data, 1, (size_t)info.st_size, file) == (size_t)info.st_size;
    if (file)
        fclose(file);
    if (ok) {
        *size = (size_t)info.st_size;
        return data;
    }
    free(data);
    return NULL;
}

// Gets the code from the bytes of a file, which end with a 0. False if the file is not complete or
// has another key.
static bool parse(const char *data, size_t size, const struct wp_text *key,
                  struct wp_cuda_cubin *cubin)
{
    size_t key_size = 0, code_size = 0;
    unsigned long long hash = 0;
    char head[128];
    if (sscanf(data, HEAD, &key_size, &code_size, &hash) != 3)
        return false;
    // The header must be exactly as it is written.
    const int length = snprintf(head, sizeof head, HEAD, key_size, code_size, hash);
    if (length <= 0 || (size_t)length > size || memcmp(data, head, (size_t)length) != 0 ||
        key_size != key->length || code_size == 0 ||
        size - (size_t)length < key_size ||
        size - (size_t)length - key_size != code_size ||
        memcmp(data + length, key->data, key_size) != 0 ||
        wp_hash_bytes(data + (size_t)length + key_size, code_size) != hash)
        return false;
    cubin->data = wp_try_allocate(code_size, 1);
    if (!cubin->data)
        return false;
    memcpy(cubin->data, data + (size_t)length + key_size, code_size);
    cubin->size = code_size;
    return true;
}

static bool read_cached(const char *path, const struct wp_text *key, struct wp_cuda_cubin *cubin)
{
    size_t size = 0;
    char *data = read_file(path, &size);
    const bool ok = data && parse(data, size, key, cubin);
    if (data && !ok)
        wp_log(WP_LOG_VERBOSE, "%s is damaged or of another kernel; compiling again", path);
    free(data);
    return ok;
}

static bool write_cached(const char *path, const struct wp_text *key,
                       const struct wp_cuda_cubin *cubin)
{
    struct wp_output *output = wp_cache_open(path);
    if (!output)
        return false;
    FILE *file = wp_output_stream(output);
    fprintf(file, HEAD, key->length, cubin->size, wp_hash_bytes(cubin->data, cubin->size));
    fwrite(key->data, 1, key->length, file);
    fwrite(cubin->data, 1, cubin->size, file);
    return wp_output_commit(&output);
}

// The latest kernels that could not be written, for the rest of this process.
enum { REMEMBERED = 16 };
static struct {
    pthread_mutex_t lock;
    int next;
    struct {
        struct wp_text key;
        struct wp_cuda_cubin cubin;
    } kernel[REMEMBERED];
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool copy_cubin(const struct wp_cuda_cubin *from, struct wp_cuda_cubin *to)
{
    to->data = wp_try_allocate(from->size, 1);
    if (!to->data)
        return false;
    memcpy(to->data, from->data, from->size);
    to->size = from->size;
    return true;
}

static void remember(const struct wp_text *key, const struct wp_cuda_cubin *cubin)
{
    struct wp_cuda_cubin copy = {0};
    struct wp_text copied = {0};
    wp_text_add(&copied, "%s", wp_text_get(key));
    if (copied.failed || !copy_cubin(cubin, &copy)) {
        wp_text_free(&copied);
        return;
    }
    pthread_mutex_lock(&memory.lock);
    const int i = memory.next++ % REMEMBERED;
    wp_text_free(&memory.kernel[i].key);
    wp_cuda_cubin_free(&memory.kernel[i].cubin);
    memory.kernel[i].key = copied;
    memory.kernel[i].cubin = copy;
    pthread_mutex_unlock(&memory.lock);
}

static bool recall(const struct wp_text *key, struct wp_cuda_cubin *cubin)
{
    bool found = false;
    pthread_mutex_lock(&memory.lock);
    for (int i = 0; i < REMEMBERED && !found && !key->failed; i++)
        found = memory.kernel[i].cubin.data && memory.kernel[i].key.length == key->length &&
                memcmp(memory.kernel[i].key.data, key->data, key->length) == 0 &&
                copy_cubin(&memory.kernel[i].cubin, cubin);
    pthread_mutex_unlock(&memory.lock);
    return found;
}

static void store(const char *path, const struct wp_text *key, const struct wp_cuda_cubin *cubin)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    wp_begin_attempt();
    const bool ok = path && write_cached(path, key, cubin);
    wp_end_attempt();
    if (!ok)
        remember(key, cubin);
    if (!ok && !atomic_flag_test_and_set(&reported))
        wp_log(WP_LOG_INFO, "note: compiled kernels cannot be cached, so later runs compile them "
               "again (%s)", path ? wp_last_error_text() : "there is no cache directory");
    if (!ok && path)
        wp_clear_error();
}

bool wp_cuda_get_cubin(const char *source, int capability, const char *progress,
                       struct wp_cuda_cubin *cubin, bool *compiled, struct wp_text *log)
{
    struct wp_text key = {0};
    add_key(&key, source, capability);
    char *path = path_of(&key);
    *cubin = (struct wp_cuda_cubin){0};
    bool ok = (path && read_cached(path, &key, cubin)) || recall(&key, cubin);
    if (compiled)
        *compiled = !ok;
    if (!ok) {
        if (progress)
            wp_log(WP_LOG_INFO, "%s", progress);
        ok = wp_cuda_nvrtc_compile(source, capability, cubin, log);
        if (ok && !key.failed)
            store(path, &key, cubin);
    }
    free(path);
    wp_text_free(&key);
    return ok;
}
