#include "instance_packets.h"

#include "best_basis.h"
#include "edit.h"
#include "memory.h"
#include "operand.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- The tree.

struct search {
    const struct wp_description *description;
    const struct wp_planner *planner;
    const struct wp_plane *plane;
    int count;
};

// Transforms all planes to the full tree of a level; level 0 has the samples.
static bool transform_level(void *user, int level, void *coefficients)
{
    const struct search *s = user;
    const size_t samples = wp_description_samples(s->description);
    struct wp_description d = *s->description;
    d.norm = WP_NORM_ORTHONORMAL;
    d.levels = level;
    d.tree = NULL;
    const struct wp_problem problem = wp_problem_of(&d);
    struct wp_plan *plan = level > 0 ? wp_plan_create(s->planner, &problem) : NULL;
    bool ok = plan || level == 0;
    for (int p = 0; p < s->count && ok; p++) {
        float *out = (float *)coefficients + (size_t)p * samples;
        const struct wp_operand from = wp_operand_const(&d, s->plane[p].samples);
        const struct wp_operand to = wp_operand_coefficients(&d, out);
        struct wp_execution execution = {0};
        if (plan)
            ok = plan->kind->apply(plan, &from, &to, &execution);
        else
            memcpy(out, s->plane[p].samples, samples * sizeof *out);
    }
    wp_plan_destroy(&plan);
    return ok;
}

// From the last level on. Images of one row or column have two children, and costs of 0 elsewhere.
static void add_children(int levels, struct wp_node_costs *costs)
{
    double least[WP_NODES_MAX];
    int last = 0;
    for (int level = 0; level < levels; level++)
        last = 4 * last + 1; // the first node of the last level
    for (int n = WP_NODES_MAX - 1; n >= 0; n--) {
        costs->children[n] = NAN;
        least[n] = costs->cost[n];
        if (n >= last)
            continue;
        const double *child = &least[4 * n + 1];
        costs->children[n] = child[0] + child[1] + child[2] + child[3];
        least[n] = fmin(costs->cost[n], costs->children[n]);
    }
}

// Costs of levels one after the other, by the number of each node.
static void sort_costs(const struct wp_description *d, const double *by_level,
                       struct wp_node_costs *costs)
{
    double *cost = costs->cost;
    struct wp_description full = *d;
    size_t at = 0;
    cost[0] = by_level[at++];
    for (full.levels = 1; full.levels <= d->levels; full.levels++) {
        for (int i = 0; i < wp_packet_leaves(&full); i++) {
            const struct wp_packet leaf = wp_packet_leaf(&full, i);
            cost[wp_node_of(d, &leaf)] = by_level[at++];
        }
    }
    add_children(d->levels, costs);
    costs->known = true;
}

// The best tree, and the costs.
static bool search_tree(struct wp_instance *t, const struct search *s, char tree[WP_TREE_SIZE])
{
    struct wp_instance_packets *p = t->packets;
    struct wp_packet_cost cost;
    char name[WP_COST_NAME_SIZE];
    double by_level[WP_NODES_MAX];
    const struct wp_basis_search search = {
        .cost = &cost, .description = s->description, .planes = s->count,
        .transform = transform_level, .user = (void *)s, .costs = by_level};
    const bool ok = wp_packet_cost_parse(t->params.packets.cost, name, &cost) &&
                    wp_basis_search(&search, tree);
    if (ok)
        sort_costs(s->description, by_level, &p->costs);
    return ok;
}

static bool find_tree(struct wp_instance *t, const struct search *s)
{
    const struct wp_basis_view *view = &t->params.packets;
    char best[WP_TREE_SIZE] = "";
    if ((view->basis == WP_BASIS_BEST || (view->measured && !t->packets->costs.known)) &&
        !search_tree(t, s, best))
        return false;
    switch ((enum wp_basis)view->basis) {
    case WP_BASIS_BEST: memcpy(t->packets->tree, best, WP_NODE_TREE); break;
    case WP_BASIS_WAVELET: wp_tree_write_wavelet(s->description, t->packets->tree); break;
    case WP_BASIS_EDITED: memcpy(t->packets->tree, view->tree, WP_NODE_TREE); break;
    default: return true;
    }
    t->description.tree = t->packets->tree;
    return wp_description_check(&t->description);
}

// ---- Creation.

static bool allocate(struct wp_instance *t)
{
    const struct wp_description *d = &t->description;
    struct wp_instance_packets *p = t->packets;
    p->leaves = wp_packet_leaves(d);
    p->samples = wp_description_samples(d);
    const size_t count = (size_t)p->leaves;
    p->leaf = wp_allocate(count, sizeof *p->leaf, "nodes");
    p->unit = p->leaf ? wp_allocate(count, sizeof *p->unit, "units of nodes") : NULL;
    p->measure = p->unit ? wp_allocate(count, sizeof *p->measure, "statistics of nodes") : NULL;
    p->coefficients =
        p->measure ? wp_allocate(p->samples, sizeof *p->coefficients, "coefficients") : NULL;
    for (int i = 0; i < p->leaves && p->coefficients; i++) {
        p->leaf[i] = wp_packet_leaf(d, i);
        p->unit[i] = wp_edit_unit(d, i);
    }
    p->edited = p->coefficients;
    const struct wp_texture_params params = {
        .width = d->size[WP_X], .height = d->size[WP_Y],
        .half = t->params.view.precision == WP_PRECISION_F16};
    return p->coefficients && wp_gl_make_current(t->gl) &&
           wp_texture_create_from(t->gl, &params, &p->texture);
}

bool wp_instance_packets_find(struct wp_instance *t, const struct wp_planner *planner,
                              const struct wp_plane plane[], int count,
                              const struct wp_instance_packets *known)
{
    const struct wp_description d = t->description;
    const struct search search = {&d, planner, plane, count};
    t->packets = wp_allocate(1, sizeof *t->packets, "packets");
    if (!t->packets || !wp_description_check(&d))
        return false;
    if (known)
        t->packets->costs = known->costs;
    return find_tree(t, &search) && allocate(t);
}

bool wp_instance_packets_share(struct wp_instance *t, const struct wp_instance_packets *first)
{
    t->packets = wp_allocate(1, sizeof *t->packets, "packets");
    if (!t->packets)
        return false;
    memcpy(t->packets->tree, first->tree, sizeof first->tree);
    t->description.tree = t->params.packets.basis == WP_BASIS_FULL ? NULL : t->packets->tree;
    return allocate(t);
}

void wp_instance_packets_destroy(struct wp_instance_packets **slot)
{
    struct wp_instance_packets *p = *slot;
    *slot = NULL;
    if (!p)
        return;
    wp_texture_destroy(&p->texture);
    free(p->leaf);
    free(p->unit);
    free(p->measure);
    free(p->coefficients);
    free(p->changed);
    free(p);
}

// ---- Coefficients.

bool wp_instance_packets_show(struct wp_instance *t, const float *coefficients)
{
    enum { CHUNK = 1 << 18 }; // texels
    struct wp_instance_packets *p = t->packets;
    const int width = p->texture.width, height = p->texture.height;
    const int rows = CHUNK / width + 1 < height ? CHUNK / width + 1 : height;
    float *texels = wp_allocate((size_t)width * (size_t)rows, 4 * sizeof *texels, "rows of texels");
    bool ok = texels;
    for (int y = 0; y < height && ok; y += rows) {
        const int count = height - y < rows ? height - y : rows;
        const float *from = coefficients + (size_t)y * (size_t)width;
        for (size_t i = 0; i < (size_t)width * (size_t)count; i++)
            texels[4 * i] = from[i];
        ok = wp_texture_write(&p->texture, 0, y, width, count, texels);
    }
    free(texels);
    p->edited = coefficients;
    return ok;
}

static bool apply(void *user, const char *name, const char *text)
{
    const struct wp_edit_target *target = user;
    struct wp_edit edit;
    return wp_edit_parse(name, text, &edit) && wp_edit_apply(&edit, NULL, target, NULL);
}

bool wp_instance_packets_edit(struct wp_instance *t, const struct wp_view_edit *edit)
{
    struct wp_instance_packets *p = t->packets;
    if (!edit || !edit->any)
        return p->edited == p->coefficients || wp_instance_packets_show(t, p->coefficients);
    if (!p->changed &&
        !(p->changed = wp_allocate(p->samples, sizeof *p->changed, "edited coefficients")))
        return false;
    struct wp_edit_target target = {&t->description, 1, 1, p->changed};
    memcpy(p->changed, p->coefficients, p->samples * sizeof *p->changed);
    return wp_view_edit_each(edit, &t->description, apply, &target) &&
           wp_instance_packets_show(t, p->changed);
}

// ---- Statistics.

struct measure_job {
    const struct wp_instance *instance;
    int count;
};

static void measure_leaf(void *user, int i, int thread)
{
    const struct measure_job *job = user;
    const struct wp_instance_packets *first = job->instance->packets;
    const struct wp_band_grid *grid = &first->leaf[i].grid;
    const size_t width = (size_t)first->texture.width;
    struct wp_measure sum = {0};
    (void)thread;
    for (int p = 0; p < job->count; p++) {
        struct wp_measure m = {.least = INFINITY, .most = -INFINITY,
                               .samples = (long long)grid->size[WP_X] * grid->size[WP_Y]};
        for (int y = 0; y < grid->size[WP_Y]; y++) {
            const float *row = job->instance[p].packets->edited +
                               (size_t)(grid->first[WP_Y] + y) * width + grid->first[WP_X];
            for (int x = 0; x < grid->size[WP_X]; x++) {
                const double value = (double)row[x];
                m.least = value < m.least ? value : m.least;
                m.most = value > m.most ? value : m.most;
                m.total += value;
                m.squares += value * value;
                m.nonzero += row[x] != 0;
            }
        }
        wp_measure_add(&sum, m);
    }
    first->measure[i] = sum;
}

void wp_instance_packets_measure(struct wp_instance instance[], int count)
{
    const struct measure_job job = {instance, count};
    wp_threads_share(wp_threads_count(), instance->packets->leaves, measure_leaf, (void *)&job);
}
