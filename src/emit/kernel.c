#include "kernel.h"

#include "memory.h"

#include <stdlib.h>

struct wp_instruction *wp_kernel_add(struct wp_kernel *kernel, enum wp_instruction_kind kind)
{
    if (kernel->instruction_count == kernel->instruction_room) {
        kernel->instruction_room = 2 * kernel->instruction_room + 64;
        kernel->instruction = wp_xrealloc(kernel->instruction, (size_t)kernel->instruction_room,
                                          sizeof *kernel->instruction);
    }
    struct wp_instruction *added = &kernel->instruction[kernel->instruction_count++];
    *added = (struct wp_instruction){.kind = kind, .first = kernel->operand_count};
    return added;
}

void wp_kernel_add_operand(struct wp_kernel *kernel, double c, struct wp_value value)
{
    if (kernel->operand_count == kernel->operand_room) {
        kernel->operand_room = 2 * kernel->operand_room + 64;
        kernel->operand = wp_xrealloc(kernel->operand, (size_t)kernel->operand_room,
                                      sizeof *kernel->operand);
    }
    kernel->operand[kernel->operand_count++] = (struct wp_operand){.c = c, .value = value};
    kernel->instruction[kernel->instruction_count - 1].count++;
}

struct wp_operand *wp_kernel_add_row(struct wp_kernel *kernel, const struct wp_pass *pass, int row)
{
    const int first = kernel->operand_count;
    for (int n = pass->reach.top; n <= pass->reach.bottom; n++) {
        for (int m = pass->reach.left; m <= pass->reach.right; m++) {
            for (int column = 0; column < WP_COMPONENTS; column++) {
                const struct wp_poly *entry = &pass->core.at[row][column];
                const struct wp_value value = {
                    .component = column, .at = {m, n}, .step = WP_LOADED};
                for (int t = 0; t < entry->count; t++)
                    if (entry->term[t].m == m && entry->term[t].n == n)
                        wp_kernel_add_operand(kernel, entry->term[t].c, value);
            }
        }
    }
    return &kernel->operand[first];
}

void wp_kernel_note(struct wp_kernel *kernel, const char *text)
{
    wp_kernel_add(kernel, WP_NOTE)->note = wp_xstrdup(text);
}

void wp_kernel_free(struct wp_kernel *kernel)
{
    for (int i = 0; i < kernel->instruction_count; i++)
        free(kernel->instruction[i].note);
    free(kernel->instruction);
    free(kernel->operand);
    *kernel = (struct wp_kernel){0};
}
