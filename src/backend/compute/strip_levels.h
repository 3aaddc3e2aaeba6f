// Large levels of images by a few wide workgroups that go down the rows (emit_strip.h): when, and in
// which shape.
#ifndef WP_STRIP_LEVELS_H
#define WP_STRIP_LEVELS_H

#include "backend.h"
#include "context.h"
#include "emit_strip.h"
#include "plan.h"
#include "program.h"

// Samples from which on a level is walked where nobody names the variant. What is smaller, and all but
// the first level where somebody does, goes by tiles: workgroups as wide are too few then.
#define WP_STRIPS_MIN_SAMPLES ((size_t)1 << 24)

struct wp_strip_level {
    struct wp_strip_shape shape; // {0}: none
    int rows;            // that a workgroup writes
    struct wp_counts counts;
};

// As wp_variant.supports: images by separable lifting without rounding, of wavelets that reach not
// too far.
bool wp_compute_strips_support(const struct wp_variant *variant, const struct wp_description *description,
                      char *why, size_t why_size);

// What is computed and read for a quad, on a GPU which sets no limits. False where such a scheme is
// not walked.
bool wp_compute_strips_count(const struct wp_scheme *scheme, struct wp_counts *counts);

// Of images of such a size, where they are supported.
bool wp_compute_strips_are_default(const struct wp_gl_info *info, int width, int height);

// How a level of such a description is walked, whatever its size. False where it has one axis, or sides
// that strips and pairs of rows do not divide.
bool wp_compute_strips_fit(const struct wp_gl_info *info, const struct wp_op *op,
                   struct wp_strip_level *level);

// With its counts. NULL after an error.
struct wp_program *wp_compute_strips_program(struct wp_gl *gl, const struct wp_op *op,
                                    struct wp_strip_level *level, bool stacked);

#endif
