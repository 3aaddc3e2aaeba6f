// Preloaded library that makes allocations fail at one call site. A call site is a call stack,
// identified by the hash of the return addresses in the program itself; frames inside libraries are
// ignored. Values of WAVEPASS_FAULT:
//
//   memory-list:FILE   no fault: writes one line per call site to FILE, in call order: hash,
//                      number of calls, calling library ("-": the program, directly or through the
//                      C library), addresses
//   memory-one:HASH    the first allocation at the call site fails
//   memory-all:HASH    it fails, and so do all later allocations of all threads
//
// Prints "memory fault: LIBRARY" to stderr at the first failure.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

// glibc's names for the replaced functions.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { SITES_MAX = 1 << 16, FRAMES_MAX = 64 };

struct range {
    uintptr_t start, end;
};

struct site {
    uint64_t hash;
    unsigned count, order;
    const char *library;
    int frames;
    uintptr_t frame[FRAMES_MAX]; // addresses relative to the start of the program
};

static enum { OFF, LIST, ONE, ALL } mode;
static uint64_t target_hash;
static const char *list_path;
static struct range program, self, c_library, loader;
static struct site *sites;
static unsigned site_count;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_bool has_failed; // the first allocation has failed
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static int find_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    bool *first = user;
    struct range range = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD)
            continue;
        range.start = start < range.start ? start : range.start;
        range.end = start + header->p_memsz > range.end ? start + header->p_memsz : range.end;
    }
    if (*first)
        program = range;
    else if (strstr(info->dlpi_name, "/libc.so"))
        c_library = range;
    else if (strstr(info->dlpi_name, "/ld-linux"))
        loader = range;
    else if (strstr(info->dlpi_name, "memory_fault"))
        self = range;
    *first = false;
    return 0;
}

static bool is_in(uintptr_t address, const struct range *range)
{
    return address >= range->start && address < range->end;
}

struct backtrace {
    struct site *site;
    uintptr_t caller; // innermost return address outside the C library and the loader
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *user)
{
    struct backtrace *backtrace = user;
    const uintptr_t at = _Unwind_GetIP(context);
    if (is_in(at, &self))
        return _URC_NO_REASON;
    if (!backtrace->caller && !is_in(at, &c_library) && !is_in(at, &loader))
        backtrace->caller = at;
    if (!is_in(at, &program))
        return _URC_NO_REASON;
    struct site *site = backtrace->site;
    if (site->frames == FRAMES_MAX)
        return _URC_NORMAL_STOP;
    site->frame[site->frames++] = at - program.start;
    return _URC_NO_REASON;
}

// FNV-1a.
static void set_hash(struct site *site)
{
    site->hash = 14695981039346656037ULL;
    for (int i = 0; i < site->frames; i++)
        site->hash = (site->hash ^ site->frame[i]) * 1099511628211ULL;
}

static const char *library_at(uintptr_t address)
{
    Dl_info info;
    if (is_in(address, &program))
        return "-";
    if (!address || !dladdr((void *)address, &info) || !info.dli_fname)
        return "?";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static void record_site(const struct site *current, uintptr_t caller)
{
    while (atomic_flag_test_and_set(&busy))
        ;
    struct site *site = &sites[current->hash % SITES_MAX];
    while (site->count && site->hash != current->hash)
        site = site == sites + SITES_MAX - 1 ? sites : site + 1;
    if (!site->count) {
        *site = *current;
        site->order = site_count++;
        site->library = library_at(caller);
    }
    site->count++;
    atomic_flag_clear(&busy);
}

static bool fails(void)
{
    if (mode == OFF || inside)
        return false;
    const bool all = mode == ALL && has_failed;
    if (mode != LIST && has_failed && !all)
        return false;
    bool fails = all;
    if (!all) {
        inside = true;
        struct site current = {0};
        struct backtrace backtrace = {.site = &current};
        _Unwind_Backtrace(step, &backtrace);
        set_hash(&current);
        if (mode == LIST)
            record_site(&current, backtrace.caller);
        else if (current.hash == target_hash && !atomic_exchange(&has_failed, true)) {
            dprintf(STDERR_FILENO, "memory fault: %s\n", library_at(backtrace.caller));
            fails = true;
        }
        inside = false;
    }
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *found = memalign(alignment, size);
    if (found)
        *memory = found;
    return found ? 0 : ENOMEM;
}

static bool has_prefix(const char *text, const char *name, const char **rest)
{
    const size_t length = strlen(name);
    *rest = text + length;
    return strncmp(text, name, length) == 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("WAVEPASS_FAULT"), *rest;
    if (!text)
        return;
    bool first = true;
    dl_iterate_phdr(find_object, &first);
    // Child processes are not affected.
    unsetenv("LD_PRELOAD");
    if (has_prefix(text, "memory-list:", &rest)) {
        list_path = rest;
        sites = __libc_calloc(SITES_MAX, sizeof *sites);
        mode = sites ? LIST : OFF;
    } else if (has_prefix(text, "memory-one:", &rest) || has_prefix(text, "memory-all:", &rest)) {
        target_hash = strtoull(rest, NULL, 16);
        mode = text[strlen("memory-")] == 'o' ? ONE : ALL;
    }
}

static int by_order(const void *a, const void *b)
{
    const struct site *const *x = a, *const *y = b;
    return (*x)->order < (*y)->order ? -1 : 1;
}

__attribute__((destructor)) static void end(void)
{
    if (mode != LIST)
        return;
    mode = OFF;
    const struct site **sorted = __libc_calloc(site_count, sizeof *sorted);
    FILE *file = sorted ? fopen(list_path, "w") : NULL;
    if (!file)
        abort();
    unsigned count = 0;
    for (int i = 0; i < SITES_MAX; i++)
        if (sites[i].count)
            sorted[count++] = &sites[i];
    qsort(sorted, count, sizeof *sorted, by_order);
    for (unsigned i = 0; i < count; i++) {
        fprintf(file, "%016llx %u %s", (unsigned long long)sorted[i]->hash, sorted[i]->count,
                sorted[i]->library);
        for (int f = 0; f < sorted[i]->frames; f++)
            fprintf(file, " %zx", (size_t)sorted[i]->frame[f]);
        fprintf(file, "\n");
    }
    fclose(file);
}
