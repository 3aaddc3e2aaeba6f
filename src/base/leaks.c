// Leak check of sanitizer builds for processes that have loaded a GPU driver, in which
// LeakSanitizer is turned off: drivers keep memory until the process ends, and their libraries may
// be unloaded by then, so that leaks cannot be attributed. Instead, no memory that this program's
// code has allocated since main() may be left at exit, even if a pointer to it exists.
#define _GNU_SOURCE // dl_iterate_phdr()
#include <link.h>
#include <pthread.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A hash table of LISTS lists of allocated blocks; blocks beyond BLOCKS at a time are not tracked.
// Addresses are stored as their complement, so that LeakSanitizer does not find them.
enum { LISTS = 1 << 16, BLOCKS = 1 << 20, DEPTH = 16, EXIT_CODE = 23 };

int __lsan_is_turned_off(void);                                   // called by LeakSanitizer
int __real_main(int count, char **arguments, char **environment); // from the linker's --wrap
int __wrap_main(int count, char **arguments, char **environment);
extern const char __executable_start[], etext[];

struct block {
    uintptr_t hidden;
    struct block *next;
};

static struct {
    pthread_mutex_t lock;
    struct block *list[LISTS], *unused, block[BLOCKS];
    int count; // of used elements of `block`
} tracked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct block **list_of(uintptr_t hidden)
{
    return &tracked.list[hidden / 16 % LISTS];
}

static void lock(void)
{
    pthread_mutex_lock(&tracked.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&tracked.lock);
}

static void allocated(const volatile void *memory, size_t size)
{
    void *stack[2] = {0}; // malloc() and its caller
    int thread;
    (void)size;
    if (!memory || __asan_get_alloc_stack((void *)memory, stack, 2, &thread) < 2 ||
        (const char *)stack[1] < __executable_start || (const char *)stack[1] >= etext)
        return;
    const uintptr_t hidden = ~(uintptr_t)memory;
    lock();
    struct block *b = tracked.unused;
    if (b)
        tracked.unused = b->next;
    else if (tracked.count < BLOCKS)
        b = &tracked.block[tracked.count++];
    if (b) {
        *b = (struct block){hidden, *list_of(hidden)};
        *list_of(hidden) = b;
    }
    unlock();
}

static void freed(const volatile void *memory)
{
    const uintptr_t hidden = ~(uintptr_t)memory;
    lock();
    struct block **at = list_of(hidden);
    while (*at && (*at)->hidden != hidden)
        at = &(*at)->next;
    struct block *b = *at;
    if (b) {
        *at = b->next;
        b->next = tracked.unused;
        tracked.unused = b;
    }
    unlock();
}

// Prints a leak and returns true. Returns false for C++ allocations, since drivers' compilers share
// operator new with the program.
static bool print_leak(uintptr_t hidden)
{
    const volatile void *memory = (const volatile void *)~hidden;
    void *stack[DEPTH];
    int thread;
    char text[256];
    const size_t depth = __asan_get_alloc_stack((void *)memory, stack, DEPTH, &thread);
    __sanitizer_symbolize_pc(stack[0], "%f", text, sizeof text);
    if (strstr(text, "operator new"))
        return false;
    fprintf(stderr, "leak of %zu bytes\n", __sanitizer_get_allocated_size(memory));
    for (size_t i = 0; i < depth; i++) {
        __sanitizer_symbolize_pc(stack[i], "%f %S", text, sizeof text);
        fprintf(stderr, "    %s\n", text);
    }
    return true;
}

static int is_driver(struct dl_phdr_info *info, size_t size, void *user)
{
    // Vendors' drivers as libglvnd names them, Mesa's, and CUDA's.
    static const char *const names[] = {"libEGL_", "libGLX_", "_dri.so", "libgallium", "libcuda."};
    (void)size;
    (void)user;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(info->dlpi_name, names[i]))
            return 1;
    return 0;
}

static int has_driver;

// Runs before libraries unload drivers and before the CUDA runtime, which is linked into the
// program, allocates more memory. LeakSanitizer runs later.
static void check_leaks(void)
{
    has_driver = dl_iterate_phdr(is_driver, NULL);
    bool leaks = false;
    for (int i = 0; has_driver && i < LISTS; i++)
        for (const struct block *b = tracked.list[i]; b; b = b->next)
            leaks = print_leak(b->hidden) || leaks;
    if (leaks) {
        fflush(NULL);
        _exit(EXIT_CODE);
    }
}

int __wrap_main(int count, char **arguments, char **environment)
{
    pthread_atfork(lock, unlock, unlock);
    __sanitizer_install_malloc_and_free_hooks(allocated, freed);
    (void)atexit(check_leaks);
    return __real_main(count, arguments, environment);
}

int __lsan_is_turned_off(void)
{
    return has_driver;
}
