#include "centre.h"

static void swap(unsigned char *a, unsigned char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void reverse(unsigned char *items, size_t count, size_t bytes)
{
    for (size_t i = 0; i + 1 < count - i; i++)
        swap(items + i * bytes, items + (count - 1 - i) * bytes, bytes);
}

// Rotates items so that the first one moves to index `shift`.
static void rotate(unsigned char *items, size_t count, size_t shift, size_t bytes)
{
    if (shift == 0)
        return;
    reverse(items, count, bytes);
    reverse(items, shift, bytes);
    reverse(items + shift * bytes, count - shift, bytes);
}

static void shift_axes(void *items, size_t bytes, const int size[3], int round_up)
{
    const size_t total = (size_t)size[0] * (size_t)size[1] * (size_t)size[2] * bytes;
    for (int axis = 0; axis < 3; axis++) {
        const size_t n = (size_t)size[axis];
        for (size_t at = 0; at < total; at += n * bytes)
            rotate((unsigned char *)items + at, n, (n + (size_t)round_up) / 2 % n, bytes);
        bytes *= n;
    }
}

void wp_centre(void *items, size_t bytes, const int size[3])
{
    shift_axes(items, bytes, size, 0);
}

void wp_uncentre(void *items, size_t bytes, const int size[3])
{
    shift_axes(items, bytes, size, 1);
}
