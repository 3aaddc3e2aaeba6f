#include "failing_heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Names that the linker's --wrap option defines.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

enum { ALLOCATIONS_MAX = 1 << 14 };

static struct {
    int count; // allocations since failing_heap_from()
    int first; // number of the first allocation that fails; 0: none fails
    bool all;  // all later allocations fail too
    int live;  // allocated blocks
    size_t sum, peak; // bytes of the allocated blocks, and the most since failing_heap_from()
    void *block[ALLOCATIONS_MAX];
    size_t bytes[ALLOCATIONS_MAX]; // sizes of the allocated blocks
    size_t size[ALLOCATIONS_MAX]; // sizes of the counted allocations
} heap;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // threads may allocate

void failing_heap_from(int first, bool all)
{
    heap.count = 0;
    heap.first = first;
    heap.all = all;
    heap.peak = heap.sum;
}

static bool must_fail(size_t size)
{
    pthread_mutex_lock(&lock);
    if (heap.count < ALLOCATIONS_MAX)
        heap.size[heap.count] = size;
    heap.count++;
    const bool fails =
        heap.first && (heap.count == heap.first || (heap.all && heap.count > heap.first));
    pthread_mutex_unlock(&lock);
    return fails;
}

static void *track_block(void *memory, size_t size)
{
    pthread_mutex_lock(&lock);
    assert_in_range(heap.live, 0, ALLOCATIONS_MAX - 1);
    if (memory) {
        heap.bytes[heap.live] = size;
        heap.block[heap.live++] = memory;
        heap.sum += size;
        heap.peak = heap.sum > heap.peak ? heap.sum : heap.peak;
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

size_t failing_heap_bytes(void)
{
    return heap.sum;
}

size_t failing_heap_peak(void)
{
    return heap.peak;
}

// Ignores memory that other code allocated, e.g. scandir().
static void untrack_block(const void *memory)
{
    pthread_mutex_lock(&lock);
    int i = heap.live - 1;
    while (memory && i >= 0 && heap.block[i] != memory)
        i--;
    if (memory && i >= 0) {
        heap.sum -= heap.bytes[i];
        heap.block[i] = heap.block[--heap.live];
        heap.bytes[i] = heap.bytes[heap.live];
    }
    pthread_mutex_unlock(&lock);
}

void *__wrap_malloc(size_t size)
{
    return must_fail(size) ? NULL : track_block(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail(count * size) ? NULL : track_block(__real_calloc(count, size), count * size);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (must_fail(size))
        return NULL;
    untrack_block(old);
    return track_block(__real_realloc(old, size), size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail(size) ? NULL : track_block(__real_aligned_alloc(alignment, size), size);
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *memory)
{
    untrack_block(memory);
    __real_free(memory);
}

static int messages;

void failing_heap_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)message;
    messages += level == WP_LOG_ERROR;
}

void failing_heap_expect_short(void)
{
    if (wp_last_error() != WP_ERROR_TOO_LARGE || !strstr(wp_last_error_text(), "memory"))
        fail_msg("error %d: %s", wp_last_error(), wp_last_error_text());
    assert_int_not_equal(messages, 0);
}

void failing_heap_start(void)
{
    wp_clear_error();
    messages = 0;
}

// True if fewer than `alike` of the `n` allocations before this one have its size.
static bool is_new(const size_t *size, int n, int alike)
{
    int count = 0;
    for (int i = 0; i < n && count < alike; i++)
        count += size[i] == size[n];
    return count < alike;
}

void failing_heap_try(const struct failing_heap_operation *operation, bool all, int alike)
{
    static size_t size[ALLOCATIONS_MAX];
    unsigned char *expected = __real_malloc(operation->size), *got = __real_malloc(operation->size);
    assert_true(expected && got);
    const int live = heap.live;
    failing_heap_from(0, false);
    if (!operation->run(operation->user, expected))
        fail_msg("%s", wp_last_error_text());
    assert_int_equal(heap.live, live);
    const int count = heap.count;
    assert_in_range(count, 1, ALLOCATIONS_MAX);
    memcpy(size, heap.size, sizeof size);
    int tries = 0;
    for (int n = 1; n <= count; n++) {
        if (!is_new(size, n - 1, alike))
            continue;
        tries++;
        failing_heap_from(n, all);
        if (!operation->run(operation->user, got))
            failing_heap_expect_short();
        else
            assert_memory_equal(got, expected, operation->size);
        failing_heap_from(0, false);
        if (heap.live != live)
            fail_msg("%s: %d blocks are left when allocation %d fails", operation->name,
                     heap.live - live, n);
    }
    printf("%s: %d of %d allocations failed%s\n", operation->name, tries, count,
           all ? ", with all after them" : "");
    __real_free(expected);
    __real_free(got);
}
