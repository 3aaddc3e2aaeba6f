// Nodes of plans. Internal to this layer.
#ifndef WP_PLAN_NODE_H
#define WP_PLAN_NODE_H

#include "plan.h"
#include "tiled_exec.h"

// A problem of a node, with what its parents have decided.
struct wp_subproblem {
    struct wp_problem whole;
    bool together;  // planes are not split
    bool direct;    // the backend has the border, or computes the packets
    bool converted; // of floats that a parent converts
    bool row_wise;  // rows are independent and may be split, to be transformed in place
    bool weighted;  // a parent multiplies the ends of an adjoint (borders.c)
    unsigned ends;  // of the samples that a parent has left to multiply, bits of borders.c
    void *memory[2]; // of a parent with a border, for its children with borders; or NULL
    // The planner, for the children of a node. NULL after an error.
    struct wp_plan *(*solve)(const struct wp_planner *planner,
                             const struct wp_subproblem *problem);
};

// A node without children. NULL after WP_ERROR_TOO_LARGE.
struct wp_plan *wp_node_create(const struct wp_plan_kind *kind, const struct wp_planner *planner,
                               const struct wp_problem *problem);
// Returns the node, or NULL after destroying it if a child that it requires is NULL.
struct wp_plan *wp_node_check(struct wp_plan *node, bool complete);

// The plan of a problem that may fail because there is an alternative: NULL without an error.
struct wp_plan *wp_node_attempt(const struct wp_planner *planner,
                                const struct wp_subproblem *problem);

// The type in which a problem is computed: F64 if that is required and supported, else F32.
enum wp_element wp_plan_arithmetic(const struct wp_planner *planner,
                                   const struct wp_problem *problem);
// True for a volume that wp_solve_axes can compute in doubles.
bool wp_node_has_axes(const struct wp_planner *planner, const struct wp_problem *problem);
// A loop over groups of `size` planes, and the rest.
struct wp_plan *wp_node_loop_planes(const struct wp_planner *planner,
                                    const struct wp_subproblem *problem, int size);

// The coefficients of a node without the bands of its first level, for child[1].
struct wp_operand wp_node_rest(const struct wp_plan *node, const struct wp_operand *coefficients);

// The planes of the first batch of a tree; 0 without one.
int wp_plan_batch(const struct wp_plan *plan);

// The first solver that applies is used. applies() and solve() never change the problem.
struct wp_solver {
    bool (*applies)(const struct wp_planner *planner, const struct wp_subproblem *problem);
    struct wp_plan *(*solve)(const struct wp_planner *planner,
                             const struct wp_subproblem *problem);
    bool alternative; // also tried if the solver before it lacked memory
};

extern const struct wp_solver wp_solve_groups;   // groups of slices, one after the other
extern const struct wp_solver wp_solve_packets;  // levels of wavelet packets
extern const struct wp_solver wp_solve_borders;  // borders that the backend lacks
extern const struct wp_solver wp_solve_together; // all planes in one exec
extern const struct wp_solver wp_solve_batches;  // planes as slices of one exec
extern const struct wp_solver wp_solve_planes;   // one plane after the other
extern const struct wp_solver wp_solve_axes;     // signals along z, then slices
extern const struct wp_solver wp_solve_convert;  // element types that the backend lacks
extern const struct wp_solver wp_solve_sequence; // slices, then the axis z, or the reverse
extern const struct wp_solver wp_solve_rows;     // slabs of independent rows
extern const struct wp_solver wp_solve_exec;     // the backend
extern const struct wp_solver wp_solve_tiles;    // tiles of an image that the device cannot hold

#endif
