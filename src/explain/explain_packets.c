// The nodes of wavelet packets.
#include "explain_internal.h"

#include "packets.h"

#include <math.h>
#include <stdio.h>

// The least size that has the levels.
static struct wp_description describe(const struct wp_explain_params *params)
{
    const bool volume = wp_explain_dims(params) == 3;
    const bool is_default = params->levels == 0 && params->levels_z == 0;
    const int levels = is_default ? WP_EXPLAIN_LEVELS : params->levels;
    const int levels_z = !volume ? 0 : is_default ? WP_EXPLAIN_LEVELS : params->levels_z;
    const int most = levels > levels_z ? levels : levels_z, n = 1 << (most < 24 ? most : 24);
    return (struct wp_description){
        .wavelet = params->wavelet,
        .bank = WP_BANK_PACKETS,
        .tree = params->tree,
        .border = WP_BORDER_PERIODIC,
        .size = {n, n, volume ? n : 1},
        .levels = levels,
        .levels_z = levels_z,
    };
}

// "LHL": the filters of the levels along an axis.
static void add_path(const struct wp_packet *node, int axis, char path[WP_MAX_LEVELS + 1])
{
    for (int l = 0; l < node->level; l++)
        path[l] = node->index[axis] >> (node->level - 1 - l) & 1 ? 'H' : 'L';
    path[node->level] = '\0';
}

static void add_node(const struct wp_description *d, const struct wp_packet *node,
                     enum wp_explain_format format, struct wp_text *out)
{
    static const char *const cells[WP_EXPLAIN_FORMAT_COUNT] = {
        [WP_EXPLAIN_TXT] = "%-12s", [WP_EXPLAIN_CSV] = "%s,", [WP_EXPLAIN_MD] = "| %s "};
    const unsigned axes = wp_packet_axes(d);
    char text[WP_PACKET_NAME_SIZE];
    double parts = 1;
    wp_packet_name(d, node, text);
    wp_text_add(out, cells[format], text[0] ? text : "(all)");
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        if (!(axes >> a & 1))
            continue;
        add_path(node, a, text);
        wp_text_add(out, cells[format], text);
        snprintf(text, sizeof text, "%u", wp_packet_frequency(node->index[a]));
        wp_text_add(out, cells[format], text);
        parts = ldexp(parts, node->level);
    }
    wp_text_add(out, format == WP_EXPLAIN_MD ? "| 1/%.0f |\n" : "1/%.0f\n", parts);
}

static void add_header(const struct wp_description *d, enum wp_explain_format format,
                       struct wp_text *out)
{
    static const char names[] = "xyz";
    const unsigned axes = wp_packet_axes(d);
    const bool md = format == WP_EXPLAIN_MD;
    wp_text_add(out, md ? "| %s" : format == WP_EXPLAIN_CSV ? "%s" : "%-12s", "node");
    for (int a = 0; a < WP_DIMS_MAX; a++)
        if (axes >> a & 1)
            wp_text_add(out, md                          ? " | %c | by frequency"
                             : format == WP_EXPLAIN_CSV ? ",%c,frequency"
                                                         : "%-12cfrequency   ", names[a]);
    wp_text_add(out, md ? " | share |\n" : format == WP_EXPLAIN_CSV ? ",share\n" : "of all\n");
    if (!md)
        return;
    wp_text_add(out, "|:---|");
    for (int a = 0; a < WP_DIMS_MAX; a++)
        if (axes >> a & 1)
            wp_text_add(out, ":---|---:|");
    wp_text_add(out, "---:|\n");
}

bool wp_explain_packets(const struct wp_explain_params *params, struct wp_text *out)
{
    const struct wp_description d = describe(params);
    const int leaves = wp_description_check(&d) ? wp_packet_leaves(&d) : 0;
    if (leaves == 0)
        return false;
    if (params->format == WP_EXPLAIN_TXT) {
        const int levels = wp_description_levels(&d);
        wp_text_add(out, "%d node%s of wavelet packets of %s, %d level%s.\n\n", leaves,
                    WP_PLURAL(leaves), wp_explain_dims(params) == 3 ? "a volume" : "an image", levels,
                    WP_PLURAL(levels));
        wp_explain_wrap(out, 0, wp_packet_children(&d) == 4
            ? "A level splits low and high bands alike. Names have a letter for each level: a "
              "is low-pass, v high-pass along x, h along y, d along both. Columns x and y: L "
              "(low-pass) or H (high-pass) for each level along that axis, and the position in "
              "order of frequency, 0 for the lowest. It differs from the order of names, "
              "because decimation reverses the frequencies of high bands."
            : "A level splits low and high bands alike. Names have three letters for each level, "
              "along z, y and x: a is low-pass, d high-pass. Columns x, y and z: L (low-pass) or H "
              "(high-pass) for each level along that axis, and the position in order of frequency, "
              "0 for the lowest. It differs from the order of names, because decimation reverses "
              "the frequencies of high bands.");
        wp_text_add(out, "\n\n");
    }
    add_header(&d, params->format, out);
    struct wp_packet_walk walk = {.description = &d};
    while (wp_packet_next(&walk))
        if (!walk.split)
            add_node(&d, &walk.node, params->format, out);
    return true;
}
