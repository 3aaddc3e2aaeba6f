// The wavelet packets of an instance: the tree, and the coefficients in host memory, where plans
// compute them, and on a texture of one texel per coefficient, which is displayed.
#ifndef WP_INSTANCE_PACKETS_H
#define WP_INSTANCE_PACKETS_H

#include "measure.h"
#include "packet_tree.h"

struct wp_instance_packets {
    char tree[WP_NODE_TREE];  // to which descriptions refer; unused for the full tree
    int leaves;
    struct wp_packet *leaf;   // in preorder, as subbands
    double *unit;             // of each leaf: the factor to the orthonormal norm
    // Only the instance of the first plane has costs and statistics. A cost is the sum over all
    // planes, before edits, of a node of any level; its index is wp_node_of().
    struct wp_node_costs {
        bool known;
        double cost[WP_NODES_MAX];
        double children[WP_NODES_MAX]; // the least sum of the leaves of its children; NaN: none
    } costs;
    struct wp_measure *measure;
    size_t samples;
    float *coefficients;
    float *changed;           // edited coefficients; NULL before the first edit
    const float *edited;      // `coefficients` or `changed`
    struct wp_texture texture; // component 0 has the edited coefficients
};

// Finds the tree for `count` planes, and if params->measured the costs. `known` (may be NULL) has
// the costs of an equal transform. The instance is that of the first plane and has its description;
// sets its tree. False after an error.
bool wp_instance_packets_find(struct wp_instance *instance, const struct wp_planner *planner,
                              const struct wp_plane plane[], int count,
                              const struct wp_instance_packets *known);
// Likewise for the other planes, with the tree of the first one.
bool wp_instance_packets_share(struct wp_instance *instance,
                               const struct wp_instance_packets *first);
// Accepts NULL, sets the pointer to NULL. The context must be current.
void wp_instance_packets_destroy(struct wp_instance_packets **packets);

// Displays the coefficients.
bool wp_instance_packets_show(struct wp_instance *instance, const float *coefficients);
bool wp_instance_packets_edit(struct wp_instance *instance, const struct wp_view_edit *edit);

// Statistics of each leaf of `count` instances to `measure` of the first one.
void wp_instance_packets_measure(struct wp_instance instance[], int count);

#endif
