#include "best_basis.h"

#include "elements.h"
#include "log.h"
#include "memory.h"
#include "text.h"
#include "threads.h"
#include "transform_struct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Costs.

static double shannon(double x, double parameter)
{
    const double square = x * x;
    (void)parameter;
    return square > 0 ? -square * log(square) : 0;
}

static double log_energy(double x, double parameter)
{
    (void)parameter;
    return x * x > 0 ? log(x * x) : 0;
}

static double threshold(double x, double parameter)
{
    return fabs(x) > parameter;
}

static double norm(double x, double parameter)
{
    return parameter == 1 ? fabs(x) : x == 0 ? 0 : pow(fabs(x), parameter);
}

static double error(double x, double parameter)
{
    return fmin(x * x, parameter * parameter);
}

static const struct cost {
    const char *name;
    double (*of)(double x, double parameter);
    bool has_parameter;
} costs[] = {
    {"shannon", shannon, false},
    {"log-energy", log_energy, false},
    {"threshold", threshold, true},
    {"norm", norm, true},
    {"error", error, true},
};
enum { COSTS = sizeof costs / sizeof *costs };

// NULL after WP_ERROR_USAGE, or for the caller's function.
static bool find_cost(const struct wp_packet_cost *given, const struct cost **found)
{
    *found = NULL;
    if (!given || (!given->name && !given->function))
        return wp_fail(WP_ERROR_USAGE, "the best basis requires a cost, by name or as a function");
    for (int i = 0; given->name && i < COSTS; i++)
        if (strcmp(given->name, costs[i].name) == 0)
            *found = &costs[i];
    if (given->name && !*found)
        return wp_fail(WP_ERROR_USAGE, "unknown cost '%s'\nhint: use %s, %s, %s, %s or %s",
                       given->name, costs[0].name, costs[1].name, costs[2].name, costs[3].name,
                       costs[4].name);
    if (*found && !(*found)->has_parameter && given->parameter != 0)
        return wp_fail(WP_ERROR_USAGE, "the cost '%s' has no parameter, and %g was given\nhint: omit it",
                       given->name, given->parameter);
    return !*found || !(*found)->has_parameter || given->parameter > 0 ||
           wp_fail(WP_ERROR_USAGE, "the cost '%s' requires a positive parameter, not %g"
                   "\nhint: %s:1, for example", given->name, given->parameter, given->name);
}

bool wp_packet_cost_parse(const char *text, char name[WP_COST_NAME_SIZE],
                          struct wp_packet_cost *cost)
{
    const char *given = text ? text : costs[0].name, *colon = strchr(given, ':');
    const size_t length = colon ? (size_t)(colon - given) : strlen(given);
    const struct cost *found;
    *cost = (struct wp_packet_cost){.name = name};
    snprintf(name, WP_COST_NAME_SIZE, "%.*s", (int)length, given);
    if (colon && !wp_parse_double(colon + 1, &cost->parameter))
        return wp_fail(WP_ERROR_USAGE, "the cost '%s' has an invalid number\nhint: for example "
                                       "threshold:0.1", text);
    return find_cost(cost, &found);
}

// ---- The nodes of a level.

struct search {
    const struct wp_basis_search *of;
    const struct cost *cost; // NULL: the caller's function
    int levels, children, bits;
    double *least; // of each node, the levels one after the other from the root on
    bool *split;   // likewise, but not of the last level
    void *coefficients;
    double *node; // coefficients of a node, for the caller's function; else NULL
    // The level that is measured.
    struct wp_description description; // of the full tree of this level
    size_t first; // number of the level's first node in `least`
};

// The number of nodes of all levels before `level`.
static size_t nodes_before(const struct search *s, int level)
{
    size_t nodes = 0;
    for (int l = 0; l < level; l++)
        nodes += (size_t)1 << l * s->bits;
    return nodes;
}

static double row_cost(const struct search *s, const char *row, int count)
{
    double sum = 0;
    for (int x = 0; x < count; x++)
        sum += s->cost->of(s->of->wide ? ((const double *)(const void *)row)[x]
                                   : (double)((const float *)(const void *)row)[x],
                           s->of->cost->parameter);
    return sum;
}

static void copy_row(const struct search *s, const char *row, int count, double *to)
{
    for (int x = 0; x < count; x++)
        to[x] = s->of->wide ? ((const double *)(const void *)row)[x]
                        : (double)((const float *)(const void *)row)[x];
}

static void measure_node(void *user, int i, int thread)
{
    struct search *s = user;
    (void)thread;
    const struct wp_description *d = &s->description;
    const struct wp_packet node = wp_packet_leaf(d, i);
    const size_t bytes = s->of->wide ? sizeof(double) : sizeof(float);
    const size_t width = (size_t)d->size[WP_X];
    const size_t rows = (size_t)d->size[WP_Y] * (size_t)wp_description_depth(d);
    double sum = 0;
    size_t count = 0;
    for (int p = 0; p < s->of->planes; p++) {
        for (int z = 0; z < node.grid.size[WP_Z]; z++) {
            for (int y = 0; y < node.grid.size[WP_Y]; y++) {
                const size_t row = (size_t)(node.grid.first[WP_Z] + z) * (size_t)d->size[WP_Y] +
                                   (size_t)(node.grid.first[WP_Y] + y);
                const size_t at = ((size_t)p * rows + row) * width + (size_t)node.grid.first[WP_X];
                const char *from = (const char *)s->coefficients + at * bytes;
                if (s->cost)
                    sum += row_cost(s, from, node.grid.size[WP_X]);
                else
                    copy_row(s, from, node.grid.size[WP_X], &s->node[count]);
                count += (size_t)node.grid.size[WP_X];
            }
        }
    }
    s->least[s->first + (size_t)i] =
        s->cost ? sum : s->of->cost->function(s->of->cost->user, s->node, count);
}

static bool measure_level(struct search *s, int level)
{
    if (!s->of->transform(s->of->user, level, s->coefficients))
        return false;
    s->description = *s->of->description;
    s->description.tree = NULL;
    s->description.levels = s->description.levels > 0 ? level : 0;
    s->description.levels_z = s->description.levels_z > 0 ? level : 0;
    s->first = nodes_before(s, level);
    wp_threads_share(s->cost ? wp_threads_count() : 1, 1 << level * s->bits, measure_node, s);
    return true;
}

// ---- The tree.

// From the last level on. NaN splits no node.
static void choose(struct search *s)
{
    for (int level = s->levels - 1; level >= 0; level--) {
        const size_t first = nodes_before(s, level), next = nodes_before(s, level + 1);
        for (size_t i = 0; i < (size_t)1 << level * s->bits; i++) {
            double sum = 0;
            for (int c = 0; c < s->children; c++)
                sum += s->least[next + i * (size_t)s->children + (size_t)c];
            s->split[first + i] = sum < s->least[first + i];
            if (s->split[first + i])
                s->least[first + i] = sum;
        }
    }
}

// Writes the digits of a node and its descendants; the end of the text.
static char *write_node(const struct search *s, int level, size_t index, char *digit)
{
    if (level == s->levels)
        return digit;
    const bool split = s->split[nodes_before(s, level) + index];
    *digit++ = split ? '1' : '0';
    for (int c = 0; split && c < s->children; c++)
        digit = write_node(s, level + 1, index * (size_t)s->children + (size_t)c, digit);
    return digit;
}

static bool allocate(struct search *s, size_t samples)
{
    const size_t nodes = nodes_before(s, s->levels + 1);
    s->least = wp_allocate(nodes, sizeof *s->least, "costs of packets");
    s->split = s->least ? wp_allocate(nodes, sizeof *s->split, "costs of packets") : NULL;
    s->coefficients =
        s->split ? wp_allocate_pages(samples, s->of->wide ? sizeof(double) : sizeof(float),
                                     "coefficients of packets")
                 : NULL;
    if (s->coefficients && !s->cost)
        s->node = wp_allocate_pages(samples, sizeof(double), "coefficients of a node");
    return s->coefficients && (s->cost || s->node);
}

static bool check_size(const struct search *s)
{
    const int *size = s->of->description->size;
    if (s->levels == 0)
        return wp_fail(WP_ERROR_USAGE, "the best basis requires at least one level, and %dx%dx%d "
                                       "samples have none", size[WP_X], size[WP_Y],
                       wp_description_depth(s->of->description));
    return nodes_before(s, s->levels) < WP_TREE_SIZE ||
           wp_fail(WP_ERROR_USAGE, "the best basis of %d levels has %zu nodes above the last level, "
                   "and %d are supported\nhint: fewer levels", s->levels,
                   nodes_before(s, s->levels), (int)WP_TREE_SIZE - 1);
}

bool wp_basis_search(const struct wp_basis_search *of, char tree[WP_TREE_SIZE])
{
    const struct wp_description *d = of->description;
    struct search s = {.of = of, .levels = wp_description_levels(d),
                       .children = wp_packet_children(d)};
    s.bits = __builtin_ctz((unsigned)s.children);
    bool ok = find_cost(of->cost, &s.cost) && check_size(&s) &&
              allocate(&s, wp_description_samples(d) * (size_t)of->planes);
    for (int level = 0; level <= s.levels && ok; level++)
        ok = measure_level(&s, level);
    if (ok && of->costs)
        memcpy(of->costs, s.least, nodes_before(&s, s.levels + 1) * sizeof *s.least);
    if (ok) {
        choose(&s);
        *write_node(&s, 0, 0, tree) = '\0';
    }
    free(s.coefficients);
    free(s.node);
    free(s.split);
    free(s.least);
    return ok;
}

// ---- The search of an operand.

struct operand_search {
    const struct wp_transform_params *params;
    const struct wp_operand *image;
    bool wide;
};

// Transforms to the full tree of a level; level 0 is the image, a tree that is only the root.
static bool transform_level(void *user, int level, void *coefficients)
{
    const struct operand_search *s = user;
    const struct wp_transform_params *given = s->params;
    struct wp_transform_params params = *given;
    params.norm = wp_norm_names[WP_NORM_ORTHONORMAL];
    params.tree = level == 0 ? "0" : NULL;
    params.levels = given->levels == WP_LEVELS_NONE ? WP_LEVELS_NONE : level > 0 ? level : 1;
    params.levels_z = given->levels_z == WP_LEVELS_NONE || given->depth <= 1
                          ? given->levels_z
                          : (level > 0 ? level : 1);
    struct wp_transform *t = wp_transform_create(&params);
    const struct wp_operand to = {.data = coefficients,
                                  .type = s->wide ? WP_ELEMENT_F64 : WP_ELEMENT_F32};
    const bool ok = t && wp_transform_forward(t, s->image, &to);
    wp_transform_destroy(&t);
    return ok;
}

static bool check(const struct wp_transform *t, const struct wp_operand *image)
{
    if (t->description.bank != WP_BANK_PACKETS)
        return wp_fail(WP_ERROR_USAGE, "the best basis requires bank '%s', not '%s'",
                       wp_bank_names[WP_BANK_PACKETS], wp_bank_names[t->description.bank]);
    if (!image || image->location != WP_LOCATION_HOST)
        return wp_fail(WP_ERROR_USAGE, "the best basis requires an image in the host's memory");
    return t->depth <= wp_transform_group_depth(t) ||
           wp_fail(WP_ERROR_USAGE, "the best basis does not support slices in groups");
}

// All planes and entries of the batch.
static int planes_of(const struct wp_transform *t)
{
    int size[WP_DIMENSIONS];
    size_t samples = 1;
    wp_transform_sizes(t, true, size);
    for (int a = 0; a < WP_DIMENSIONS; a++)
        samples *= (size_t)(size[a] > 1 ? size[a] : 1);
    return (int)(samples / wp_description_samples(&t->description));
}

bool wp_packets_best(const struct wp_transform_params *given, const struct wp_operand *image,
                     const struct wp_packet_cost *cost, char tree[WP_TREE_SIZE])
{
    struct wp_transform_params params;
    const struct cost *found;
    if (!wp_transform_read_params(given, &params) || !find_cost(cost, &found))
        return false;
    params.tree = NULL;
    struct wp_transform *t = wp_transform_create(&params);
    bool ok = t && check(t, image);
    if (ok) {
        if (t->description.levels == 0)
            params.levels = WP_LEVELS_NONE;
        if (t->description.levels_z == 0 && t->depth > 1)
            params.levels_z = WP_LEVELS_NONE;
        struct operand_search of_image = {&params, image, image->type == WP_ELEMENT_F64};
        const struct wp_basis_search search = {
            .cost = cost, .description = &t->description, .planes = planes_of(t),
            .wide = of_image.wide, .transform = transform_level, .user = &of_image};
        ok = wp_basis_search(&search, tree);
    }
    wp_transform_destroy(&t);
    return ok;
}
