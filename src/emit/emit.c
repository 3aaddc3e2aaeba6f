#include "emit.h"

#include "kernel.h"

#include <assert.h>

void wp_emit_head(const struct wp_dialect *dialect, unsigned features, struct wp_text *out)
{
    wp_text_add(out, "%s", dialect->version);
    for (int i = 0; i < WP_FEATURES; i++) {
        if (!(features & 1U << i))
            continue;
        assert(dialect->extension[i]);
        wp_text_add(out, "%s", dialect->extension[i]);
    }
    wp_text_add(out, "%s", dialect->precision);
}

static void write_kernel(const struct wp_kernel *kernel, const struct wp_emit_target *target,
                         struct wp_text *out)
{
    const struct wp_dialect *dialect = target->dialect ? target->dialect : wp_glsl_fragments;
    const struct wp_shape_words *words = dialect->shape[kernel->shape];
    const struct wp_writer writer = {dialect, kernel, target, out};
    assert(words);
    out->failed = out->failed || kernel->failed;
    if (out->failed)
        return;
    wp_emit_head(dialect, kernel->tile.shares ? WP_FEATURE_QUADS : 0, out);
    words->begin(&writer);
    for (int i = 0; i < kernel->instruction_count; i++) {
        const struct wp_instruction *instruction = &kernel->instruction[i];
        assert(words->write[instruction->kind]);
        words->write[instruction->kind](&writer, instruction);
    }
    wp_text_add(out, "%s", dialect->end);
}

void wp_emit_fragment_pass_to(const struct wp_scheme *scheme, int pass,
                              const struct wp_emit_target *target, struct wp_text *out)
{
    struct wp_kernel kernel;
    wp_kernel_of_pass(scheme, pass, &kernel);
    write_kernel(&kernel, target, out);
    wp_kernel_free(&kernel);
}

void wp_emit_fragment_pass(const struct wp_scheme *scheme, int pass, struct wp_text *out)
{
    wp_emit_fragment_pass_to(scheme, pass, &(struct wp_emit_target){0}, out);
}

struct wp_depth_counts wp_emit_depth(const struct wp_lifting *lifting,
                                     const struct wp_emit_target *target, struct wp_text *out)
{
    struct wp_kernel kernel;
    wp_kernel_of_depth(lifting, &kernel);
    const struct wp_depth_counts counts = {kernel.counts.operations, kernel.counts.fetches};
    write_kernel(&kernel, target, out);
    const bool failed = kernel.failed;
    wp_kernel_free(&kernel);
    return failed ? (struct wp_depth_counts){0} : counts;
}

struct wp_tile_counts wp_emit_tile(const struct wp_scheme *scheme, const struct wp_tile *tile,
                                   const struct wp_emit_target *target, struct wp_text *out)
{
    struct wp_kernel kernel;
    wp_kernel_of_tile(scheme, tile, &kernel);
    const struct wp_tile_counts counts = kernel.failed ? (struct wp_tile_counts){0} : kernel.counts;
    if (out)
        write_kernel(&kernel, target, out);
    wp_kernel_free(&kernel);
    return counts;
}

void wp_emit_lines(const struct wp_lifting *lifting, const struct wp_emit_target *target,
                   struct wp_text *out)
{
    struct wp_kernel kernel;
    wp_kernel_of_lines(lifting, &kernel);
    write_kernel(&kernel, target, out);
    wp_kernel_free(&kernel);
}

struct wp_tile_counts wp_emit_strip(const struct wp_lifting *lifting,
                                    const struct wp_strip_shape *strip,
                                    const struct wp_emit_target *target, struct wp_text *out)
{
    struct wp_kernel kernel;
    wp_kernel_of_strip(lifting, strip, &kernel);
    const struct wp_tile_counts counts = kernel.failed ? (struct wp_tile_counts){0} : kernel.counts;
    if (out)
        write_kernel(&kernel, target, out);
    wp_kernel_free(&kernel);
    return counts;
}

struct wp_tile_counts wp_strip_count(const struct wp_lifting *lifting,
                                     const struct wp_strip_shape *strip)
{
    return wp_emit_strip(lifting, strip, NULL, NULL);
}

struct wp_tile_counts wp_tile_count(const struct wp_scheme *scheme, const struct wp_tile *tile)
{
    return wp_emit_tile(scheme, tile, NULL, NULL);
}
