#define ELEMENT_ROWS wp_element_rows
#include "elements.h"

#include "element_rows.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

const struct wp_element_kind wp_elements[WP_ELEMENT_COUNT] = {
    [WP_ELEMENT_F32] = {"f32", 4, 0},
    [WP_ELEMENT_F16] = {"f16", 2, 0},
    [WP_ELEMENT_U8] = {"u8", 1, 255},
    [WP_ELEMENT_U16] = {"u16", 2, 65535},
    [WP_ELEMENT_F64] = {"f64", 8, 0},
    [WP_ELEMENT_BF16] = {"bf16", 2, 0},
};

struct wp_element_scale wp_operand_scale(const struct wp_operand *array, bool reversible)
{
    const float largest = wp_elements[array->type].largest;
    const float one = array->maximum > 0 ? array->maximum : largest;
    return reversible ? (struct wp_element_scale){1, largest}
                      : (struct wp_element_scale){one, one};
}

static void add(size_t *count, size_t more)
{
    if (more)
        __atomic_fetch_add(count, more, __ATOMIC_RELAXED);
}

void wp_lost_add(struct wp_lost *lost, size_t outside, size_t no_number)
{
    add(&lost->outside, outside);
    add(&lost->no_number, no_number);
}

void wp_element_range(struct wp_element_scale scale, float range[2])
{
    const float slack = 0.5F / scale.one;
    range[0] = -slack;
    range[1] = scale.largest / scale.one + slack;
}

// The functions of one arithmetic, whose operands of type `element` are copied.
#define OPERAND_ROWS(suffix, real, element)                                                        \
    static void count_lost##suffix(struct wp_lost *lost, const real *samples,                      \
                                   struct wp_element_scale scale, int n)                           \
    {                                                                                              \
        const real slack = (real)0.5 / (real)scale.one;                                            \
        const real greatest = (real)scale.largest / (real)scale.one + slack;                       \
        unsigned outside = 0, no_number = 0;                                                       \
        for (int i = 0; i < n; i++) {                                                              \
            outside += (unsigned)(samples[i] < -slack) | (unsigned)(samples[i] > greatest);        \
            no_number += samples[i] != samples[i];                                                 \
        }                                                                                          \
        wp_lost_add(lost, outside, no_number);                                                     \
    }                                                                                              \
    void wp_operand_read##suffix(const struct wp_element_rows##suffix *rows, real *to,             \
                                 const struct wp_operand *array, ptrdiff_t at, bool reversible,    \
                                 int n)                                                            \
    {                                                                                              \
        const void *from = wp_operand_at(array, at);                                               \
        if (array->type == (element) && array->stride[0] == 1)                                     \
            memcpy(to, from, (size_t)n * sizeof *to);                                              \
        else                                                                                       \
            rows->read[array->type](to, from, array->stride[0],                                    \
                                    wp_operand_scale(array, reversible), n);                       \
    }                                                                                              \
    void wp_operand_write##suffix(const struct wp_element_rows##suffix *rows,                      \
                                  const struct wp_operand *array, ptrdiff_t at, const real *from,  \
                                  bool reversible, int n)                                          \
    {                                                                                              \
        const struct wp_element_scale scale = wp_operand_scale(array, reversible);                 \
        void *to = wp_operand_at(array, at);                                                       \
        if (array->type == (element) && array->stride[0] == 1)                                     \
            memcpy(to, from, (size_t)n * sizeof *from);                                            \
        else                                                                                       \
            rows->write[array->type](to, array->stride[0], from, scale, n);                        \
        if (array->lost && scale.largest > 0)                                                      \
            count_lost##suffix(array->lost, from, scale, n);                                       \
    }

OPERAND_ROWS(, float, WP_ELEMENT_F32)
OPERAND_ROWS(_f64, double, WP_ELEMENT_F64)

void *wp_operand_at(const struct wp_operand *array, ptrdiff_t at)
{
    // A band without samples has no data.
    return array->data ? (char *)array->data + at * (ptrdiff_t)wp_elements[array->type].bytes
                       : NULL;
}

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
COPY(copy_doubles, uint64_t)

void wp_elements_copy(size_t bytes, void *to, ptrdiff_t to_step, const void *from,
                      ptrdiff_t from_step, size_t n)
{
    assert(bytes == 1 || bytes == 2 || bytes == 8);
    if (to_step == 1 && from_step == 1)
        memcpy(to, from, n * bytes);
    else
        (bytes == 1   ? copy_bytes
         : bytes == 2 ? copy_pairs
                      : copy_doubles)(to, to_step, from, from_step, n);
}
