#include "kernel.h"

#include "memory.h"

#include <stdlib.h>

// An array that has `count` of `*room` things, with room for one more; NULL where memory is short.
static void *grow(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    void *larger = wp_try_resize(array, 2 * (size_t)*room + 64, size);
    if (larger)
        *room = 2 * *room + 64;
    return larger;
}

struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind)
{
    const struct wp_instruction added = {.kind = kind, .first = kernel->operand_count};
    struct wp_instruction *all =
        kernel->failed ? NULL : grow(kernel->instruction, kernel->instruction_count,
                                     &kernel->instruction_room, sizeof *all);
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
    struct wp_operand *all =
        kernel->failed ? NULL : grow(kernel->operand, kernel->operand_count,
                                     &kernel->operand_room, sizeof *all);
    if (!all) {
        kernel->failed = true;
        return;
    }
    kernel->operand = all;
    all[kernel->operand_count++] = (struct wp_operand){.c = c, .value = value};
    kernel->instruction[kernel->instruction_count - 1].count++;
}

int wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row)
{
    const int first = kernel->operand_count;
    for (int n = pass->reach.low[WP_Y]; n <= pass->reach.high[WP_Y]; n++) {
        for (int m = pass->reach.low[WP_X]; m <= pass->reach.high[WP_X]; m++) {
            for (int column = 0; column < WP_COMPONENTS; column++) {
                const struct wp_poly *entry = &pass->core.at[row][column];
                const struct wp_value value = {
                    .component = column, .at = {m, n}, .step = WP_LOADED};
                for (int t = 0; t < entry->count; t++)
                    if (entry->term[t].at[WP_X] == m && entry->term[t].at[WP_Y] == n)
                        wp_kernel_add_operand(kernel, entry->term[t].c, value);
            }
        }
    }
    return first;
}

void wp_kernel_free(struct wp_kernel *kernel)
{
    free(kernel->instruction);
    free(kernel->operand);
    *kernel = (struct wp_kernel){0};
}
