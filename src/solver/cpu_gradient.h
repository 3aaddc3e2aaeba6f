// The total variation part of an iteration on the CPU, in one pass over memory: gradient,
// shrinkage, update of the Bregman variable b, and the adjoint of the gradient.
#ifndef WP_CPU_GRADIENT_H
#define WP_CPU_GRADIENT_H

#include "engine.h"
#include "solver_memory.h"

struct wp_cpu_gradient;

struct wp_cpu_gradient *wp_cpu_gradient_create(const struct wp_task *task, bool descent);
void wp_cpu_gradient_destroy(struct wp_cpu_gradient **gradient); // accepts NULL, sets it to NULL

// Computes lambda grad'(d - b), which is added to `out` if `add`.
void wp_cpu_gradient_step(struct wp_cpu_gradient *gradient, const float *u, bool add, float *out);

struct wp_floats *wp_cpu_gradient_state(struct wp_cpu_gradient *gradient); // b
double wp_cpu_gradient_bytes(const struct wp_cpu_gradient *gradient, bool add);

#endif
