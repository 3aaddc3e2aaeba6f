// Batches: many small images or signals, one per slice, transformed completely while they are in a
// thread's cache. The results are bit-identical to those of the sweeps (cpu_sweep.h).
//
// Borders that sweeps do not support are only computed here, also for single and large images: row
// by row, with neighbors along x in the vectors; threads then share the levels of an image.
//
// Images fill the vectors with neighbors of the batch: a group of as many images as a vector has
// lanes is transposed when its samples are read, and again when its coefficients are written.
// Signals (height 1) of some length fill them with their own samples, or, if neighbors of the batch
// are neighbors in memory and their own samples are not, with these.
#ifndef WP_CPU_BATCH_H
#define WP_CPU_BATCH_H

#include "cpu_level.h"

struct wp_cpu_batch;

// Can the slices of a description be transformed as a batch, with levels from wp_cpu_level_set(),
// and is that faster than one after the other? Borders that are not native fit always.
bool wp_cpu_batch_fits(const struct wp_description *description, const struct wp_cpu_level *level,
                       const struct wp_cpu_program *program, const struct wp_cpu_rows *rows,
                       int threads);

// For a description that fits. The program must outlive the batch. NULL after WP_ERROR_TOO_LARGE.
struct wp_cpu_batch *wp_cpu_batch_create(const struct wp_description *description,
                                         const struct wp_cpu_level *level,
                                         const struct wp_cpu_program *program,
                                         const struct wp_cpu_rows *rows, int threads);
void wp_cpu_batch_destroy(struct wp_cpu_batch *batch); // accepts NULL

// Can it transform between operands that share memory? Only if they are the same array, and not for
// long signals.
bool wp_cpu_batch_in_place(const struct wp_cpu_batch *batch, const struct wp_operand *from,
                           const struct wp_operand *to);

// Transforms all slices. `in_place`: the operands share memory.
void wp_cpu_batch_run(struct wp_cpu_batch *batch, const struct wp_operand *from,
                      const struct wp_operand *to, bool in_place);

#endif
