// Lifting on the CPU's vectors and threads. One device, number 0.
#ifndef WP_CPU_BACKEND_H
#define WP_CPU_BACKEND_H

#include "backend.h"

extern const struct wp_backend wp_backend_cpu;

#endif
