// Execution of a description by the CPU backend, with arithmetic in floats or in doubles.
#ifndef WP_CPU_EXEC_H
#define WP_CPU_EXEC_H

#include "cpu_level.h"

struct wp_cpu_exec; // one struct for each arithmetic

// The functions of struct wp_backend.
struct wp_cpu_arithmetic {
    struct wp_cpu_exec *(*prepare)(const struct wp_description *description,
                                   const struct wp_cpu_method *method, int threads);
    void (*release)(struct wp_cpu_exec *exec); // accepts NULL
    bool (*load)(struct wp_cpu_exec *exec, const struct wp_operand *from);
    bool (*run)(struct wp_cpu_exec *exec, double *seconds);
    bool (*store)(struct wp_cpu_exec *exec, const struct wp_operand *to);
    bool (*transform)(struct wp_cpu_exec *exec, const struct wp_operand *from,
                      const struct wp_operand *to, double *seconds);
};

extern const struct wp_cpu_arithmetic wp_cpu_arithmetic_f32;
extern const struct wp_cpu_arithmetic wp_cpu_redundant_f32; // redundant banks with levels
#ifndef WP_CPU_F64
extern const struct wp_cpu_arithmetic wp_cpu_arithmetic_f64;
extern const struct wp_cpu_arithmetic wp_cpu_redundant_f64;
#endif

#endif
