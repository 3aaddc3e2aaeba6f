// Replaces tiles and volumes in the web page, which transforms images in passes.
#include "block.h"
#include "volumes.h"

#include <stdio.h>

bool wp_block_supports(const struct wp_variant *variant, const struct wp_description *description,
                       char *why, size_t why_size)
{
    (void)variant, (void)description;
    snprintf(why, why_size, "not in the web page");
    return false;
}

bool wp_block_runs_on(const struct wp_variant *variant, const struct wp_device *device, char *why,
                      size_t why_size)
{
    (void)variant, (void)device;
    snprintf(why, why_size, "not in the web page");
    return false;
}

struct wp_counts wp_block_counts(const struct wp_variant *variant, const struct wp_scheme *scheme)
{
    (void)variant, (void)scheme;
    return (struct wp_counts){0};
}

struct wp_schedule *wp_block_schedule(const struct wp_block *block,
                                      const struct wp_description *description)
{
    (void)block, (void)description;
    return NULL;
}

struct wp_block_programs wp_block_get(const struct wp_block *block, struct wp_gl *gl,
                                      const struct wp_op *op,
                                      const struct wp_description *description)
{
    (void)block, (void)gl, (void)op, (void)description;
    return (struct wp_block_programs){0};
}

void wp_block_draw(const struct wp_block *block, struct wp_gl *gl, const struct wp_op *op,
                   const struct wp_block_programs *programs, const struct wp_surfaces *surfaces,
                   bool primes)
{
    (void)block, (void)gl, (void)op, (void)programs, (void)surfaces, (void)primes;
}

struct wp_program *wp_depth_get(struct wp_gl *gl, const struct wp_description *description,
                                struct wp_counts *counts)
{
    (void)gl, (void)description, (void)counts;
    return NULL;
}

void wp_depth_draw(const struct wp_op *op, struct wp_program *program,
                   const struct wp_surfaces *surfaces, bool primes)
{
    (void)op, (void)program, (void)surfaces, (void)primes;
}

struct wp_program *wp_octets_get(struct wp_gl *gl, const struct wp_op *op,
                                 const struct wp_description *description)
{
    (void)gl, (void)op, (void)description;
    return NULL;
}

void wp_octets_draw(const struct wp_op *op, struct wp_program *program,
                    const struct wp_surfaces *surfaces, bool primes)
{
    (void)op, (void)program, (void)surfaces, (void)primes;
}
