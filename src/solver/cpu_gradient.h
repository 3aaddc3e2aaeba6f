// Total variation's part of an iteration on the CPU, in one walk through memory: gradient,
// shrinkage, Bregman variable and the gradient's adjoint of what comes out.
#ifndef WP_CPU_GRADIENT_H
#define WP_CPU_GRADIENT_H

#include "engine.h"
#include "solver_memory.h"

struct wp_cpu_gradient;

struct wp_cpu_gradient *wp_cpu_gradient_create(const struct wp_task *task, bool descent);
void wp_cpu_gradient_destroy(struct wp_cpu_gradient **gradient); // accepts NULL, clears it

// `out` = lambda grad'(d - b), or has that added.
void wp_cpu_gradient_step(struct wp_cpu_gradient *gradient, const float *u, bool add, float *out);

struct wp_floats *wp_cpu_gradient_state(struct wp_cpu_gradient *gradient); // b
double wp_cpu_gradient_bytes(const struct wp_cpu_gradient *gradient, bool add);

#endif
