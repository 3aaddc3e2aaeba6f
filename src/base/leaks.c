// Of builds with the sanitizers alone: leaks are looked for at the end of every process. Where a
// driver of a GPU was loaded, the sanitizer does not do it: drivers keep memory until the end, and
// what they had loaded may be gone by then, so that nothing tells whose it is. There nothing may be
// left of what this program's own code has asked for since main(), whoever points to it.
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

// LISTS of blocks, by address; blocks that are too many at a time are not watched. What is kept of
// an address is its complement, or the sanitizer would take all of them for being in use.
enum { LISTS = 1 << 16, BLOCKS = 1 << 20, DEPTH = 16, EXIT_CODE = 23 };

int __lsan_is_turned_off(void); // the sanitizer's name for it
int __real_main(int count, char **arguments, char **environment); // the linker's names
int __wrap_main(int count, char **arguments, char **environment);
extern const char __executable_start[], etext[];

struct block {
    uintptr_t hidden;
    struct block *next;
};

static struct {
    pthread_mutex_t lock;
    struct block *list[LISTS], *unused, block[BLOCKS];
    int count; // of blocks that were taken
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct block **list_of(uintptr_t hidden)
{
    return &watched.list[hidden / 16 % LISTS];
}

static void lock(void)
{
    pthread_mutex_lock(&watched.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&watched.lock);
}

static void allocated(const volatile void *memory, size_t size)
{
    void *stack[2] = {0}; // malloc() and who has called it
    int thread;
    (void)size;
    if (!memory || __asan_get_alloc_stack((void *)memory, stack, 2, &thread) < 2 ||
        (const char *)stack[1] < __executable_start || (const char *)stack[1] >= etext)
        return;
    const uintptr_t hidden = ~(uintptr_t)memory;
    lock();
    struct block *b = watched.unused;
    if (b)
        watched.unused = b->next;
    else if (watched.count < BLOCKS)
        b = &watched.block[watched.count++];
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
        b->next = watched.unused;
        watched.unused = b;
    }
    unlock();
}

// Of C++, which drivers' compilers share with the program, nobody can say whose it is.
static bool tell(uintptr_t hidden)
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
    // Of vendors, as libglvnd names them; of Mesa; of CUDA.
    static const char *const names[] = {"libEGL_", "libGLX_", "_dri.so", "libgallium", "libcuda."};
    (void)size;
    (void)user;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(info->dlpi_name, names[i]))
            return 1;
    return 0;
}

static int has_driver;

// Before libraries end, and unload drivers, and CUDA's runtime library, which is in the program,
// asks for more; the sanitizer comes after them.
static void look(void)
{
    has_driver = dl_iterate_phdr(is_driver, NULL);
    bool leaks = false;
    for (int i = 0; has_driver && i < LISTS; i++)
        for (const struct block *b = watched.list[i]; b; b = b->next)
            leaks = tell(b->hidden) || leaks;
    if (leaks) {
        fflush(NULL);
        _exit(EXIT_CODE);
    }
}

int __wrap_main(int count, char **arguments, char **environment)
{
    pthread_atfork(lock, unlock, unlock);
    __sanitizer_install_malloc_and_free_hooks(allocated, freed);
    (void)atexit(look);
    return __real_main(count, arguments, environment);
}

int __lsan_is_turned_off(void)
{
    return has_driver;
}
