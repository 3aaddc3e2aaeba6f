#include "elements.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

// Elements of this size and of any effective type.
#define COPY(name, type)                                                                           \
    static void name(void *to, ptrdiff_t to_step, const void *from, ptrdiff_t from_step, size_t n) \
    {                                                                                              \
        typedef type __attribute__((may_alias)) element;                                           \
        element *restrict out = to;                                                                \
        const element *restrict in = from;                                                         \
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++)                                               \
            out[i * to_step] = in[i * from_step];                                                  \
    }

COPY(copy_bytes, uint8_t)
COPY(copy_pairs, uint16_t)

void wp_elements_copy(size_t bytes, void *to, ptrdiff_t to_step, const void *from,
                      ptrdiff_t from_step, size_t n)
{
    assert(bytes == 1 || bytes == 2);
    if (to_step == 1 && from_step == 1)
        memcpy(to, from, n * bytes);
    else
        (bytes == 1 ? copy_bytes : copy_pairs)(to, to_step, from, from_step, n);
}
