// Runs a target with inputs of libFuzzer, or with the files and directories of the command line.
#define _GNU_SOURCE
#include "fuzz.h"

#include "../scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int errors;

static void count_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    // Messages quote the input: read all of them.
    FUZZ_CHECK(strlen(message) < 1 << 20);
    errors += level == WP_LOG_ERROR;
}

void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\nlatest error: %s\n", file, line, condition,
            wp_last_error_text());
    abort();
}

void fuzz_forget_errors(void)
{
    errors = 0;
}

void fuzz_check_result(bool result)
{
    FUZZ_CHECK(result || errors == 1);
    FUZZ_CHECK(!result || errors == 0);
    fuzz_forget_errors();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

char *fuzz_next_line(char **rest)
{
    char *line = *rest;
    char *end = line ? strchr(line, '\n') : NULL;
    if (end)
        *end = '\0';
    *rest = end ? end + 1 : NULL;
    return line;
}

unsigned fuzz_next(struct fuzz_bytes *bytes, int count)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++) {
        value = value << 8 | (bytes->size ? *bytes->data : 0U);
        bytes->data += bytes->size > 0;
        bytes->size -= bytes->size > 0;
    }
    return value;
}

int fuzz_next_int(struct fuzz_bytes *bytes, int least, int most)
{
    return least + (int)(fuzz_next(bytes, 2) % (unsigned)(most - least + 1));
}

float fuzz_next_float(struct fuzz_bytes *bytes)
{
    return (float)(int)fuzz_next(bytes, 4) * 0x1p-29F;
}

double fuzz_next_any(struct fuzz_bytes *bytes)
{
    const uint64_t high = fuzz_next(bytes, 4), bits = high << 32 | fuzz_next(bytes, 4);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *fuzz_file(int slot, const void *data, size_t size)
{
    static struct {
        int file;
        char path[32];
    } slots[FUZZ_SLOTS];
    if (!slots[slot].path[0]) {
        slots[slot].file = memfd_create("input", MFD_CLOEXEC);
        FUZZ_CHECK(slots[slot].file >= 0);
        snprintf(slots[slot].path, sizeof slots[slot].path, "/proc/self/fd/%d", slots[slot].file);
    }
    FUZZ_CHECK(ftruncate(slots[slot].file, 0) == 0);
    FUZZ_CHECK(pwrite(slots[slot].file, data, size, 0) == (ssize_t)size);
    return slots[slot].path;
}

static char directory[SCRATCH_SIZE];

static void remove_directory(void)
{
    DIR *listing = opendir(directory);
    const struct dirent *entry;
    while (listing && (entry = readdir(listing)))
        unlinkat(dirfd(listing), entry->d_name, 0); // not "." and ".."
    if (listing)
        closedir(listing);
    rmdir(directory);
}

const char *fuzz_path(const char *name)
{
    enum { PATHS = 4 };
    static char paths[PATHS][sizeof directory + 64];
    static bool created;
    static int next;
    if (!created) {
        FUZZ_CHECK(make_scratch(directory));
        atexit(remove_directory);
        created = true;
    }
    char *path = paths[next++ % PATHS];
    snprintf(path, sizeof paths[0], "%s/%.60s", directory, name);
    return path;
}

void fuzz_save(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file);
    FUZZ_CHECK(fwrite(data, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
}

unsigned char *fuzz_load(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file && fstat(fileno(file), &info) == 0);
    *size = (size_t)info.st_size;
    unsigned char *data = malloc(*size ? *size : 1); // exact, for sanitizers
    FUZZ_CHECK(data && fread(data, 1, *size, file) == *size);
    fclose(file);
    return data;
}

static void run(const uint8_t *data, size_t size)
{
    wp_clear_error();
    fuzz_forget_errors();
    fuzz(data, size);
}

static void set_up(void)
{
    wp_log_set_handler(count_message, NULL);
    // Only built-in wavelets, so that results do not depend on the machine.
    unsetenv("WAVEPASS_WAVELETS");
    // "-" reads stdin, which is empty.
    const int file = open("/dev/null", O_RDONLY);
    FUZZ_CHECK(file >= 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO);
    close(file);
    fuzz_set_up();
}

#ifdef WP_FUZZ

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    set_up();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size);
    return 0;
}

#else

static int run_file(const char *path)
{
    size_t size;
    unsigned char *data = fuzz_load(path, &size);
    fprintf(stderr, "%s\n", path); // the last one is the one that failed
    run(data, size);
    free(data);
    return 1;
}

static int run_path(const char *path)
{
    DIR *listing = opendir(path);
    const struct dirent *entry;
    int count = 0;
    if (!listing)
        return run_file(path);
    while ((entry = readdir(listing))) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            count += run_file(inside);
    }
    closedir(listing);
    return count;
}

int main(int argc, char *argv[])
{
    int count = 0;
    set_up();
    for (int i = 1; i < argc; i++)
        count += run_path(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}

#endif
