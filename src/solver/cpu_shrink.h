// The wavelet part of an iteration on the CPU.
#ifndef WP_CPU_SHRINK_H
#define WP_CPU_SHRINK_H

#include "engine.h"
#include "solver_rows.h"

struct wp_cpu_shrink;

// `descent`: results are for a descent step (solver_rows.h). NULL after an error.
struct wp_cpu_shrink *wp_cpu_shrink_create(const struct wp_task *task, bool descent);
void wp_cpu_shrink_destroy(struct wp_cpu_shrink **shrink); // accepts NULL, sets it to NULL

// Shrinks W u + c as the task's form requires and computes `out` = gamma W'(w - c). False after an
// error.
bool wp_cpu_shrink_step(struct wp_cpu_shrink *shrink, int number, const float *u, float *out);

// Computes |W z|^2. False after an error.
bool wp_cpu_shrink_power(struct wp_cpu_shrink *shrink, const float *z, double *power);

struct wp_floats *wp_cpu_shrink_state(struct wp_cpu_shrink *shrink); // c
const int *wp_cpu_shrink_padded(const struct wp_cpu_shrink *shrink);
double wp_cpu_shrink_bytes(const struct wp_cpu_shrink *shrink); // least traffic of a step

#endif
