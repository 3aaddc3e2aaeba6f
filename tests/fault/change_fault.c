// Preloaded before the program, counts read() and pread() of the file that WAVEPASS_FAULT_FILE names (the
// end of its path) and changes it just before one of them. WAVEPASS_FAULT says how:
//
//   change-cut:N    before the N-th the file loses its second half
//   change-zero:N   the second half becomes zeros
//
// and stderr gets "change fault" when it comes to that.
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

static void change(const char *path, bool cut)
{
    struct stat about;
    if (stat(path, &about) != 0 || truncate(path, about.st_size / 2) != 0)
        abort();
    // What is beyond the end reads as zeros.
    if (!cut && truncate(path, about.st_size) != 0)
        abort();
    dprintf(STDERR_FILENO, "change fault\n");
}

static void count(int file)
{
    static atomic_int calls;
    const char *way = getenv("WAVEPASS_FAULT"), *name = getenv("WAVEPASS_FAULT_FILE");
    const char *colon = way ? strchr(way, ':') : NULL;
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
        change(path, strncmp(way, "change-cut", 8) == 0);
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
