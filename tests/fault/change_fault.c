// Preloaded library that counts read() and pread() of the file whose path ends in
// WAVEPASS_FAULT_FILE and changes the file before one of them. Values of WAVEPASS_FAULT:
//
//   change-cut:N    truncate the file to half before call N
//   change-zero:N   zero the second half before call N
//
// Prints "change fault" to stderr when it changes the file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void change(const char *path, bool truncate_only)
{
    struct stat about;
    if (stat(path, &about) != 0 || truncate(path, about.st_size / 2) != 0)
        abort();
    // Extending the file fills it with zeros.
    if (!truncate_only && truncate(path, about.st_size) != 0)
        abort();
    dprintf(STDERR_FILENO, "change fault\n");
}

static void count(int file)
{
    static atomic_int calls;
    const char *fault = getenv("WAVEPASS_FAULT"), *name = getenv("WAVEPASS_FAULT_FILE");
    const char *colon = fault ? strchr(fault, ':') : NULL;
    if (!colon || !name)
        return;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    const ssize_t rest = length - (ssize_t)strlen(name);
    if (rest < 0)
        return;
    path[length] = '\0';
    if (strcmp(path + rest, name) == 0 && atomic_fetch_add(&calls, 1) + 1 == atoi(colon + 1))
        change(path, strncmp(fault, "change-cut", 8) == 0);
}

static void *find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

ssize_t read(int file, void *to, size_t size)
{
    ssize_t (*real)(int, void *, size_t);
    *(void **)&real = find("read");
    count(file);
    return real(file, to, size);
}

ssize_t pread(int file, void *to, size_t size, off_t at)
{
    ssize_t (*real)(int, void *, size_t, off_t);
    *(void **)&real = find("pread");
    count(file);
    return real(file, to, size, at);
}
