// The parts of an execution: its memory, its sweeps, and copies of operands. Internal to
// cpu_exec.c, cpu_exec_sweep.c and cpu_exec_copy.c.
#ifndef WP_CPU_EXEC_PARTS_H
#define WP_CPU_EXEC_PARTS_H

#include "cpu_batch.h"
#include "cpu_exec.h"
#include "cpu_memory.h"
#include "operand.h"

// The memory of a transform's samples and of the bands of each level.
struct wp_cpu_operands {
    struct wp_cpu_quads pixels;
    struct wp_cpu_quads bands[WP_MAX_LEVELS]; // LL is the next level's samples
    struct wp_operand typed[WP_MAX_LEVELS][WP_BAND_COUNT]; // bands of an image that are not floats
};

struct wp_cpu_exec {
    const struct wp_cpu_rows *rows;
    int threads;
    struct wp_description description; // its wavelet may no longer exist
    const struct wp_cpu_method *method;
    struct wp_cpu_program program;
    struct wp_cpu_level *level;
    struct wp_cpu_block inner; // LL of all levels but the last, and memory between two sweeps
    struct wp_cpu_quads low[WP_MAX_LEVELS], between;
    struct wp_cpu_quads slices; // components along x and y, of levels with a separate step along z
    struct wp_cpu_block strips; // one per thread, for levels that stream along z
    size_t strip_size;          // floats of one
    struct wp_cpu_block samples, bands; // copies of the caller's data; allocated on first use
    struct wp_cpu_operands buffers;
    struct wp_cpu_block rings; // one per thread
    size_t ring_size;          // floats of one
    // Slices without levels along z: as a batch (or NULL), and one after the other, with an exec
    // and views of bands per thread that does this.
    struct wp_cpu_batch *batch;
    struct wp_cpu_exec **image;
    struct wp_operand *views;
    int images;
};

static inline int wp_cpu_exec_levels(const struct wp_cpu_exec *exec)
{
    return wp_description_levels(&exec->description);
}

// Does level l have band b? It depends on the axes that the level transforms.
static inline bool wp_cpu_exec_has_band(const struct wp_description *d, int l, int b)
{
    return ((unsigned)b & ~wp_description_axes(d, l + 1)) == 0;
}

// Is the caller's input (or output) samples, not coefficients?
static inline bool wp_cpu_exec_is_samples(const struct wp_cpu_exec *exec, bool in)
{
    return wp_cpu_exec_levels(exec) == 0 || in == (exec->description.direction == WP_FORWARD);
}

// The size of component b of level l (from 0) if it transforms the given axes.
void wp_cpu_exec_size(const struct wp_description *description, int l, unsigned axes, int b,
                      int size[WP_DIMS_MAX]);

// Runs all levels on these operands; returns the seconds.
double wp_cpu_exec_sweep(const struct wp_cpu_exec *exec, const struct wp_cpu_operands *operands);

// Copies the caller's samples or coefficients to the execution's memory, or back.
void wp_cpu_exec_copy(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                      bool to_caller);

// Copies the input of a transform to an array without gaps, whose data the caller frees. False after
// WP_ERROR_TOO_LARGE.
bool wp_cpu_exec_copy_input(const struct wp_cpu_exec *exec, const struct wp_operand *from,
                            struct wp_operand *copy);

// Binds the caller's samples or coefficients. False if they must be copied instead: the samples of
// a row are not contiguous, or sweeps do not convert their type.
bool wp_cpu_exec_bind(const struct wp_cpu_exec *exec, const struct wp_operand *operand,
                      bool samples, struct wp_cpu_operands *operands);

#endif
