// `forward --tree best`: the best basis of wavelet packets of a file.
#include "flow.h"

#include "command.h"

#include <jansson.h>
#include <string.h>

const struct wp_option wp_options_cost[] = {
    {.name = "cost",
     .kind = WP_OPTION_TEXT,
     .value = "COST",
     .help = "with --tree best: cost of a node with the coefficients x, in the norm orthonormal: "
             "shannon (default), the entropy; log-energy, the sum of log x^2; threshold:T, the "
             "number of |x| > T; norm:P, the sum of |x|^P; error:T, the sum of min(x^2, T^2), for "
             "denoising"},
    {0},
};

static bool is_best(const char *tree)
{
    return tree && strcmp(tree, "best") == 0;
}

// Splits "norm:1" into a name and a number.
static bool parse_cost(const char *text, char name[32], struct wp_packet_cost *cost)
{
    const char *colon = text ? strchr(text, ':') : NULL;
    const size_t length = colon ? (size_t)(colon - text) : text ? strlen(text) : 0;
    *cost = (struct wp_packet_cost){.name = name};
    snprintf(name, 32, "%.*s", (int)length, text ? text : "");
    if (!text)
        snprintf(name, 32, "shannon");
    return !colon || wp_parse_double(colon + 1, &cost->parameter) ||
           wp_fail(WP_ERROR_USAGE, "invalid number in --cost %s\nhint: for example threshold:0.1",
                   text);
}

bool wp_best_tree_check(const struct wp_transform_params *params, const char *text)
{
    struct wp_packet_cost cost;
    char name[32];
    if (text && !is_best(params->tree))
        return wp_fail(WP_ERROR_USAGE, "--cost is for --tree best");
    if (!is_best(params->tree))
        return true;
    if (!params->bank || strcmp(params->bank, wp_bank_names[WP_BANK_PACKETS]) != 0)
        return wp_fail(WP_ERROR_USAGE, "--tree best is for --bank %s",
                       wp_bank_names[WP_BANK_PACKETS]);
    if (params->gop > 0)
        return wp_fail(WP_ERROR_USAGE, "--tree best does not support --gop: groups have one tree");
    return parse_cost(text, name, &cost);
}

bool wp_best_tree_find(struct wp_transform_params *params, const char *text,
                       const struct wp_operand *image, char tree[WP_TREE_SIZE])
{
    struct wp_packet_cost cost;
    char name[32];
    if (!is_best(params->tree))
        return true;
    params->struct_size = sizeof *params;
    wp_progress("finding the best tree");
    if (!parse_cost(text, name, &cost) || !wp_packets_best(params, image, &cost, tree))
        return false;
    params->tree = tree;
    wp_log(WP_LOG_VERBOSE, "the best tree: %s", tree);
    return true;
}

void wp_best_tree_add_summary(const struct wp_description *d, struct wp_text *text)
{
    int least = WP_MAX_LEVELS, most = 0;
    struct wp_packet_walk walk = {.description = d};
    if (d->bank != WP_BANK_PACKETS)
        return;
    while (wp_packet_next(&walk)) {
        if (walk.split)
            continue;
        least = walk.node.level < least ? walk.node.level : least;
        most = walk.node.level > most ? walk.node.level : most;
    }
    const int leaves = wp_packet_leaves(d);
    wp_text_add(text, ", %d node%s", leaves, WP_PLURAL(leaves));
    if (least < most)
        wp_text_add(text, " of levels %d to %d", least, most);
    else
        wp_text_add(text, " of level %d", least);
}

void wp_best_tree_add_json(const struct wp_description *d, struct json_t *result)
{
    if (d->bank != WP_BANK_PACKETS)
        return;
    json_object_set_new(result, "nodes", json_integer(wp_packet_leaves(d)));
    json_object_set_new(result, "tree", d->tree ? json_string(d->tree) : json_null());
}
