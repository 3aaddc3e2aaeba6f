// Lifting on the CPU's vectors and threads. One device, number 0.
#ifndef WP_CPU_BACKEND_H
#define WP_CPU_BACKEND_H

#include "backend.h"

extern const struct wp_backend wp_backend_cpu;

// What a ceiling of this backend copies, and behind it as many floats that are the copy.
float *wp_cpu_ceiling_images(struct wp_ceiling_run_state *ceiling, size_t *floats);

#endif
