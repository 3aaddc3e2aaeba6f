#include "kernel.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

// Resizes an array of `count` elements for one more, and updates its capacity. NULL if memory is
// exhausted.
static void *grow(void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    void *larger = wp_try_resize(array, 2 * (size_t)*capacity + 64, size);
    if (larger)
        *capacity = 2 * *capacity + 64;
    return larger;
}

struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind)
{
    const struct wp_instruction added = {.kind = kind, .first = kernel->operand_count};
    struct wp_instruction *all =
        kernel->failed ? NULL : grow(kernel->instruction, kernel->instruction_count,
                                     &kernel->instruction_capacity, sizeof *all);
    if (!all) {
        kernel->failed = true;
        kernel->spare = added;
        return &kernel->spare;
    }
    kernel->instruction = all;
    all[kernel->instruction_count] = added;
    return &all[kernel->instruction_count++];
}

void wp_kernel_add_operand(struct wp_kernel *kernel, double c, struct wp_value value)
{
    struct wp_kernel_term *all =
        kernel->failed ? NULL : grow(kernel->operand, kernel->operand_count,
                                     &kernel->operand_capacity, sizeof *all);
    if (!all) {
        kernel->failed = true;
        return;
    }
    kernel->operand = all;
    all[kernel->operand_count++] = (struct wp_kernel_term){.c = c, .value = value};
    kernel->instruction[kernel->instruction_count - 1].count++;
}

int wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row)
{
    const int first = kernel->operand_count;
    const int *low = pass->reach.low, *high = pass->reach.high;
    struct wp_value value = {.step = WP_LOADED};
    int *at = value.at;
    for (at[WP_Z] = low[WP_Z]; at[WP_Z] <= high[WP_Z]; at[WP_Z]++) {
        for (at[WP_Y] = low[WP_Y]; at[WP_Y] <= high[WP_Y]; at[WP_Y]++) {
            for (at[WP_X] = low[WP_X]; at[WP_X] <= high[WP_X]; at[WP_X]++) {
                for (int column = 0; column < pass->core.components; column++) {
                    const struct wp_term *term = wp_poly_find(&pass->core.at[row][column], at);
                    value.component = column;
                    if (term)
                        wp_kernel_add_operand(kernel, term->c, value);
                }
            }
        }
    }
    return first;
}

void wp_kernel_round(struct wp_instruction *sum, const struct wp_pass *pass, int row)
{
    sum->rounded = pass->rounded >> row & 1;
    sum->round = pass->round;
}

void wp_kernel_free(struct wp_kernel *kernel)
{
    free(kernel->instruction);
    free(kernel->operand);
    *kernel = (struct wp_kernel){0};
}
