// Wavelets that were found: the factorization of the longest filters of families takes most of a
// second, and the check of all embedded files some milliseconds. A program that transforms arrays of
// many sizes finds its wavelet for each of them.
#include "wavelet_internal.h"

#include <stdatomic.h>
#include <string.h>

// All families, embedded files, and taps. Static memory, which costs nothing before it is used.
enum { ENTRIES = 128, KEY = 2048 };
static struct {
    char key[KEY]; // "": free
    struct wp_wavelet wavelet;
} memo[ENTRIES];
static int next;
static atomic_flag busy = ATOMIC_FLAG_INIT; // held for a search or a copy, not while computing

static void acquire(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void release(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static int find(const char *key)
{
    int i = 0;
    while (i < ENTRIES && strcmp(memo[i].key, key) != 0)
        i++;
    return i;
}

bool wp_wavelet_recall(const char *key, struct wp_wavelet *wavelet)
{
    acquire();
    const int i = key[0] ? find(key) : ENTRIES;
    if (i < ENTRIES)
        *wavelet = memo[i].wavelet;
    release();
    return i < ENTRIES;
}

void wp_wavelet_remember(const char *key, const struct wp_wavelet *wavelet)
{
    const size_t length = strlen(key);
    if (length >= KEY)
        return;
    acquire();
    if (find(key) == ENTRIES) { // else another thread was faster
        memcpy(memo[next].key, key, length + 1);
        memo[next].wavelet = *wavelet;
        next = (next + 1) % ENTRIES;
    }
    release();
}
