#ifdef __linux__
#define _DEFAULT_SOURCE // madvise()
#endif
#include "memory.h"

#include "log.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sysinfo.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum {
    PAGES = 1 << 16,    // bytes; a multiple of the page size of every machine
    HUGE_FROM = 1 << 23 // bytes of a large array; the heap uses the memory of others again
};

static void *check_allocated(void *memory, size_t count, size_t size, const char *purpose)
{
    if (!memory)
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for %s (%.1f MiB)", purpose,
                (double)count * (double)size / 1048576.0);
    return memory;
}

// PTRDIFF_MAX is the limit of malloc(); larger requests make sanitizers stop.
static bool is_valid_size(size_t count, size_t size)
{
    return size == 0 || count <= (PTRDIFF_MAX - PAGES) / size;
}

void *wp_allocate(size_t count, size_t size, const char *purpose)
{
    return check_allocated(is_valid_size(count, size) ? calloc(count ? count : 1, size ? size : 1)
                                                      : NULL,
                           count, size, purpose);
}

// The first access to a page takes longer than that to its samples later. Those of large arrays are
// huge if the system has such pages on request.
static void *allocate_pages(size_t bytes)
{
    const size_t rounded = (bytes ? (bytes + PAGES - 1) / PAGES : 1) * PAGES;
    void *memory = aligned_alloc(PAGES, rounded);
#ifdef MADV_HUGEPAGE
    if (memory && bytes >= HUGE_FROM)
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

void *wp_allocate_pages(size_t count, size_t size, const char *purpose)
{
    return check_allocated(is_valid_size(count, size) ? allocate_pages(count * size) : NULL, count,
                           size, purpose);
}

static void (*failure_handler)(void);

void wp_memory_on_failure(void (*handler)(void))
{
    failure_handler = handler;
}

static void *check(void *memory)
{
    if (!memory && failure_handler)
        failure_handler();
    return memory;
}

void wp_memory_failed(void)
{
    check(NULL);
}

void *wp_try_allocate(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *wp_try_resize(void *old, size_t count, size_t size)
{
    return check(realloc(old, count && size ? count * size : 1));
}

// The beginning of a file of the kernel; "" if it does not exist. Avoids FILE, which allocates
// memory and is flushed at exit.
enum { KERNEL_TEXT = 4096 };
static const char *read_kernel_file(const char *path, char text[KERNEL_TEXT])
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, KERNEL_TEXT - 1) : 0;
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

// The number after `name`; infinite if there is none or if it is not a number ("max").
static double find_number(const char *text, const char *name)
{
    double number = INFINITY;
    const char *found = strstr(text, name);
    return found && sscanf(found + strlen(name), "%lf", &number) == 1 ? number : INFINITY;
}

#ifdef __linux__
// The memory and swap limit of the process's control group, found by its path or, in a container,
// at the root.
static double group_limit(void)
{
    static const char root[] = "/sys/fs/cgroup", *const names[] = {"memory.max", "memory.swap.max"};
    char text[KERNEL_TEXT], path[KERNEL_TEXT + 64];
    double limit = 0;
    for (int i = 0; i < 2; i++) {
        const char *group = strstr(read_kernel_file("/proc/self/cgroup", text), "0::");
        group = group ? group + strlen("0::") : "";
        snprintf(path, sizeof path, "%s%.*s/%s", root, (int)strcspn(group, "\n"), group, names[i]);
        if (access(path, R_OK) != 0)
            snprintf(path, sizeof path, "%s/%s", root, names[i]);
        limit += find_number(read_kernel_file(path, text), "");
    }
    return limit;
}
#endif

double wp_memory_total(void)
{
#ifdef __linux__
    struct sysinfo info;
    if (sysinfo(&info) != 0)
        return 0;
    const double units = (double)info.totalram + (double)info.totalswap;
    return fmin(units * info.mem_unit, group_limit());
#else
    const double pages = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return pages > 0 ? pages : 0;
#endif
}

void wp_memory_limit_process(void)
{
#ifdef RLIMIT_DATA
    const double total = wp_memory_total();
    char status[KERNEL_TEXT];
    const double used =
        1024 * find_number(read_kernel_file("/proc/self/status", status), "VmData:");
    struct rlimit limit;
    if (!(total > 0) || !(used < total / 2) || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY || (double)limit.rlim_cur > total) {
        limit.rlim_cur = (rlim_t)total;
        setrlimit(RLIMIT_DATA, &limit);
    }
#endif
}

// AddressSanitizer replaces the heap, so that mallinfo2() reports nothing.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

size_t wp_memory_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
#ifdef __GLIBC__
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}
