// The CPU backend: lifting with vector instructions and threads. It has one device, number 0.
#ifndef WP_CPU_BACKEND_H
#define WP_CPU_BACKEND_H

#include "backend.h"

extern const struct wp_backend wp_backend_cpu;

// The image that this backend's ceiling copies, followed by its copy, of `floats` floats each.
float *wp_cpu_ceiling_images(struct wp_ceiling_run_state *ceiling, size_t *floats);

#endif
