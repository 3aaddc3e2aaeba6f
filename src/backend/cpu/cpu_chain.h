// Makes a chain (cpu_rows.h) of a lifting program.
#ifndef WP_CPU_CHAIN_H
#define WP_CPU_CHAIN_H

#include "cpu_rows.h"
#include "lifting.h"

// Without state: the program has none. Programs of one or two pairs with
// neighboring taps are chains of pairs, others chains of steps if these
// suffice.
struct wp_cpu_chain wp_cpu_chain_make(const struct wp_lifting *lifting);

#endif
