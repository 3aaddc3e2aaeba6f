// Preloaded before the program, makes memory run out in one place. A place is a call stack: the
// hash of the return addresses that lie in the program itself, so that what a library does inside
// counts as one. WAVEPASS_FAULT says what happens:
//
//   memory-list:FILE   nothing fails. FILE gets a line for each place, in the order in which the
//                      program came there: its hash, how often, the library that asked ("-" is the
//                      program, by itself or by way of the C library), the addresses
//   memory-one:HASH    the first allocation there fails
//   memory-all:HASH    and so do all after it, of all threads
//
// When it comes to that, stderr gets "memory fault: LIBRARY".
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

// What glibc's own functions are called by those who replace them.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { SITES_MAX = 1 << 16, FRAMES_MAX = 64 };

struct range {
    uintptr_t start, end;
};

struct place {
    uint64_t hash;
    unsigned count, order;
    const char *library;
    int frames;
    uintptr_t frame[FRAMES_MAX]; // in the program, from its start
};

static enum { OFF, LIST, ONE, ALL } mode;
static uint64_t wanted;
static const char *list_path;
static struct range program, own, c_library, loader;
static struct place *places;
static unsigned place_count;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static atomic_bool begun; // to fail
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
        own = range;
    *first = false;
    return 0;
}

static bool is_in(uintptr_t address, const struct range *range)
{
    return address >= range->start && address < range->end;
}

struct walk {
    struct place *place;
    uintptr_t asked; // the innermost address beside the C library
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *user)
{
    struct walk *walk = user;
    const uintptr_t at = _Unwind_GetIP(context);
    if (is_in(at, &own))
        return _URC_NO_REASON;
    if (!walk->asked && !is_in(at, &c_library) && !is_in(at, &loader))
        walk->asked = at;
    if (!is_in(at, &program))
        return _URC_NO_REASON;
    struct place *place = walk->place;
    if (place->frames == FRAMES_MAX)
        return _URC_NORMAL_STOP;
    place->frame[place->frames++] = at - program.start;
    return _URC_NO_REASON;
}

// FNV-1a.
static void set_hash(struct place *place)
{
    place->hash = 14695981039346656037ULL;
    for (int i = 0; i < place->frames; i++)
        place->hash = (place->hash ^ place->frame[i]) * 1099511628211ULL;
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

static void note(const struct place *here, uintptr_t asked)
{
    while (atomic_flag_test_and_set(&busy))
        ;
    struct place *place = &places[here->hash % SITES_MAX];
    while (place->count && place->hash != here->hash)
        place = place == places + SITES_MAX - 1 ? places : place + 1;
    if (!place->count) {
        *place = *here;
        place->order = place_count++;
        place->library = library_at(asked);
    }
    place->count++;
    atomic_flag_clear(&busy);
}

static bool fails(void)
{
    if (mode == OFF || inside)
        return false;
    const bool all = mode == ALL && begun;
    if (mode != LIST && begun && !all)
        return false;
    bool fails = all;
    if (!all) {
        inside = true;
        struct place here = {0};
        struct walk walk = {.place = &here};
        _Unwind_Backtrace(step, &walk);
        set_hash(&here);
        if (mode == LIST)
            note(&here, walk.asked);
        else if (here.hash == wanted && !atomic_exchange(&begun, true)) {
            dprintf(STDERR_FILENO, "memory fault: %s\n", library_at(walk.asked));
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

static bool takes(const char *text, const char *name, const char **rest)
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
    // What a program starts in turn is left alone.
    unsetenv("LD_PRELOAD");
    if (takes(text, "memory-list:", &rest)) {
        list_path = rest;
        places = __libc_calloc(SITES_MAX, sizeof *places);
        mode = places ? LIST : OFF;
    } else if (takes(text, "memory-one:", &rest) || takes(text, "memory-all:", &rest)) {
        wanted = strtoull(rest, NULL, 16);
        mode = text[strlen("memory-")] == 'o' ? ONE : ALL;
    }
}

static int by_order(const void *a, const void *b)
{
    const struct place *const *x = a, *const *y = b;
    return (*x)->order < (*y)->order ? -1 : 1;
}

__attribute__((destructor)) static void end(void)
{
    if (mode != LIST)
        return;
    mode = OFF;
    const struct place **sorted = __libc_calloc(place_count, sizeof *sorted);
    FILE *file = sorted ? fopen(list_path, "w") : NULL;
    if (!file)
        abort();
    unsigned count = 0;
    for (int i = 0; i < SITES_MAX; i++)
        if (places[i].count)
            sorted[count++] = &places[i];
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
