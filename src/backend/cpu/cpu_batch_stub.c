// Replaces batches in the web page.
#include "cpu_batch.h"

bool wp_cpu_batch_fits(const struct wp_description *d, const struct wp_cpu_level *level,
                       const struct wp_cpu_program *program, const struct wp_cpu_rows *rows,
                       int threads)
{
    (void)d, (void)level, (void)program, (void)rows, (void)threads;
    return false;
}

struct wp_cpu_batch *wp_cpu_batch_create(const struct wp_description *d,
                                         const struct wp_cpu_level *level,
                                         const struct wp_cpu_program *program,
                                         const struct wp_cpu_rows *rows, int threads)
{
    (void)d, (void)level, (void)program, (void)rows, (void)threads;
    return NULL;
}

void wp_cpu_batch_destroy(struct wp_cpu_batch *batch)
{
    (void)batch;
}

bool wp_cpu_batch_in_place(const struct wp_cpu_batch *batch, const struct wp_operand *from,
                           const struct wp_operand *to)
{
    (void)batch, (void)from, (void)to;
    return false;
}

void wp_cpu_batch_run(struct wp_cpu_batch *batch, const struct wp_operand *from,
                      const struct wp_operand *to, bool in_place)
{
    (void)batch, (void)from, (void)to, (void)in_place;
}
