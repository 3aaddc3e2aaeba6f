#include "xmemory.h"

#include "log.h"
#include "memory.h"
#include "output.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*on_end)(void);

void wp_xmemory_end(void)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    if (!on_end)
        abort();
    // One thread ends the program; others wait.
    while (atomic_flag_test_and_set(&ending))
        pause();
    on_end();
    wp_output_discard_all();
    // Not exit(): functions of atexit() may allocate, and stdout's buffer may contain a partial
    // result.
    _exit(WP_ERROR_TOO_LARGE);
}

static void end(void)
{
    wp_xmemory_end();
}

// std::set_new_handler(), if the program contains C++.
__attribute__((weak)) void (*_ZSt15set_new_handlerPFvvE(void (*handler)(void)))(void);

void wp_xmemory_set_up(void (*handler)(void))
{
    on_end = handler;
    wp_memory_on_failure(end);
    if (_ZSt15set_new_handlerPFvvE)
        _ZSt15set_new_handlerPFvvE(end);
}

static void *check(void *memory)
{
    if (!memory)
        wp_xmemory_end();
    return memory;
}

void *wp_xmalloc(size_t size)
{
    return check(malloc(size ? size : 1));
}

void *wp_xcalloc(size_t count, size_t size)
{
    return check(wp_try_allocate(count, size));
}

void *wp_xrealloc(void *old, size_t count, size_t size)
{
    return check(wp_try_resize(old, count, size));
}

char *wp_xstrdup(const char *text)
{
    const size_t length = strlen(text) + 1;
    return memcpy(wp_xcalloc(length, 1), text, length);
}
