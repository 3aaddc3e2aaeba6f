// Executes transforms: a prepared description on the caller's memory.
#ifndef WP_EXECUTE_H
#define WP_EXECUTE_H

#include "backend.h"
#include "operand.h"

// Seconds per phase. Load and store are 0 for backends that work directly on the caller's memory.
struct wp_exec_seconds {
    double load, run, store;
};

// Transforms all planes of a prepared description. `from` and `to` may be the same memory.
// `seconds` (or NULL) is increased by the time of this call.
bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_operand *from, const struct wp_operand *to,
                       struct wp_exec_seconds *seconds);

// ---- conversion of operands ----

// Allocates an array of type F32 or F64 for the samples or the coefficients of all planes of a
// description, without gaps. `purpose` is for the error message. `data` is NULL after
// WP_ERROR_TOO_LARGE; else the caller frees it.
struct wp_operand wp_convert_scratch(const struct wp_description *description, bool coefficients,
                                     enum wp_element type, const char *purpose);

// Convert between such an array and pixels or coefficients of the description's type, using one
// thread per processor. Return the elapsed seconds.
double wp_convert_read(const struct wp_description *description, bool coefficients,
                       const struct wp_operand *from, const struct wp_operand *to);
double wp_convert_write(const struct wp_description *description, bool coefficients,
                        const struct wp_operand *from, const struct wp_operand *to);

#endif
