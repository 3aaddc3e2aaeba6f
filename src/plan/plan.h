// Plans: how a transform is executed, as a tree of nodes. A problem is planned once, and the plan
// executed on any operands that it describes.
//
// The planner tries its solvers in order (plan.c). A solver makes a node, whose children solve
// smaller problems: groups of slices or planes one after the other, a level with another border,
// another element type, one dimension after another, tiles. Leaves are execs of the backend on
// operands of one location.
#ifndef WP_PLAN_H
#define WP_PLAN_H

#include "execute.h"
#include "text.h"

// What a plan transforms. Strides and addresses are those of each execution.
struct wp_problem {
    struct wp_description description; // of all planes and one group of slices
    int slices; // of the operands, in groups of the description's; the last may have fewer
    enum wp_location from, to;
};

// The problem of one group in the host's memory.
struct wp_problem wp_problem_of(const struct wp_description *description);

// Do both have the same direction, element types, planes, slices and locations? For problems of one
// transform.
bool wp_problem_equals(const struct wp_problem *a, const struct wp_problem *b);

// Where problems are planned.
struct wp_planner {
    const struct wp_backend *backend;
    struct wp_device *device;
    const struct wp_variant *variant; // NULL: the backend's default
    bool external_context;            // the device uses the caller's OpenGL context
};

// An execution: its environment and its times.
struct wp_execution {
    void *stream; // of the device's API, for CUDA memory
    int planes;   // of operands that are textures or buffers
    int plane;    // set by the plan: the first plane of the running node
    struct wp_exec_seconds seconds; // increased; 0 for asynchronous work
};

// A node with its children.
struct wp_plan {
    const struct wp_plan_kind {
        // Transforms operands with all strides filled in. Operands of the host that share memory
        // give the same result as separate ones.
        bool (*apply)(const struct wp_plan *plan, const struct wp_operand *from,
                      const struct wp_operand *to, struct wp_execution *execution);
        // Adds the node without its parentheses and children.
        void (*print)(const struct wp_plan *plan, struct wp_text *text);
    } *kind;
    struct wp_planner planner;
    struct wp_problem problem;
    struct wp_plan *child[2]; // NULL: none
    // Batches: `count` planes. Loops: `count` parts of `size` along a dimension by child[0], then
    // the rest by child[1].
    int dimension, count, size;
    struct wp_operand *bands[2];   // loops over planes: those of a plane, of both operands
    struct wp_operand samples, coefficients; // conversions: the converted ones, or without data
    struct wp_borders *borders;    // levels with borders that the backend lacks (borders.c)
    struct wp_packets *packets;    // levels of wavelet packets (packets.c)
    struct wp_axes *axes;          // levels along one axis after the other (axes.c)
    void (*release)(struct wp_plan *node); // frees it; NULL: nothing to free
    struct wp_exec *exec;          // leaves; NULL for tiles
    struct wp_tiled_exec *tiled;   // tiles
};

// NULL after WP_ERROR_TOO_LARGE if no solver's node fits into memory, or after another error of the
// backend's prepare().
struct wp_plan *wp_plan_create(const struct wp_planner *planner, const struct wp_problem *problem);
void wp_plan_destroy(struct wp_plan **plan); // accepts NULL, clears the pointer

// The tree as an expression, with one node per line:
// (loop over planes: 3
//   (cpu/fused 640x480, 3 levels, samples u8))
// Every line is indented by `indent` spaces.
void wp_plan_print(const struct wp_plan *plan, int indent, struct wp_text *text);

// The first exec of the tree, for queries; of tiles that of a tile.
const struct wp_exec *wp_plan_exec(const struct wp_plan *plan);
int wp_plan_planes(const struct wp_plan *plan); // per execution of an exec

// Where wp_execute() runs.
struct wp_execute {
    const struct wp_backend *backend;
    struct wp_device *device;         // NULL: any, opened and closed by the call
    const struct wp_variant *variant; // NULL: default
};

// Plans a description and transforms `count` arrays of floats without gaps.
bool wp_execute(const struct wp_execute *execute, const struct wp_description *description,
                int count, const float *const from[], float *const to[]);

#endif
