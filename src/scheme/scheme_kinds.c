// The schemes by name.
#include "scheme.h"

#include "log.h"
#include "suggest.h"

#include <stddef.h>

const struct wp_scheme_kind wp_scheme_kinds[WP_SCHEME_VOLUME_KINDS] = {
    [WP_SCHEME_SEP_CONVOLUTION] =
        {"sep-convolution", "sep-conv", WP_FUSE_NONE, WP_GROUP_ALL,
         "all lifting steps of one axis multiplied into one filter pair: two passes",
         "all lifting steps of one axis multiplied into one filter pair: three passes"},
    [WP_SCHEME_SEP_POLYCONVOLUTION] =
        {"sep-polyconvolution", "sep-poly", WP_FUSE_NONE, WP_GROUP_PAIR,
         "one filter pair for each lifting pair and axis", NULL},
    [WP_SCHEME_SEP_LIFTING] =
        {"sep-lifting", "sep-lift", WP_FUSE_NONE, WP_GROUP_STEP,
         "one lifting step of one axis at a time: fewest operations, most barriers", NULL},
    [WP_SCHEME_NONSEP_CONVOLUTION] =
        {"nonsep-convolution", "ns-conv", WP_FUSE_ALL, WP_GROUP_ALL,
         "both axes and all lifting steps in one 2-D filter bank: one pass, most operations",
         "all axes and all lifting steps in one 3-D filter bank: one pass, by far the most "
         "operations"},
    [WP_SCHEME_NONSEP_POLYCONVOLUTION] =
        {"nonsep-polyconvolution", "ns-poly", WP_FUSE_ALL, WP_GROUP_PAIR,
         "both axes of one lifting pair in one 2-D filter bank: one pass per pair",
         "all axes of one lifting pair in one 3-D filter bank: one pass per pair"},
    [WP_SCHEME_NONSEP_LIFTING] =
        {"nonsep-lifting", "ns-lift", WP_FUSE_ALL, WP_GROUP_STEP,
         "both axes of one lifting step at a time: half the barriers of separable lifting",
         "all axes of one lifting step at a time: a third of separable lifting's barriers"},
    [WP_SCHEME_PLANAR_CONVOLUTION] =
        {"planar-convolution", "pl-conv", WP_FUSE_PLANE, WP_GROUP_ALL,
         "all lifting steps of a slice in one 2-D filter bank, those along z in a filter pair",
         NULL},
    [WP_SCHEME_PLANAR_POLYCONVOLUTION] =
        {"planar-polyconvolution", "pl-poly", WP_FUSE_PLANE, WP_GROUP_PAIR,
         "one lifting pair of a slice in one 2-D filter bank, then along z in a filter pair",
         NULL},
    [WP_SCHEME_PLANAR_LIFTING] =
        {"planar-lifting", "pl-lift", WP_FUSE_PLANE, WP_GROUP_STEP,
         "both axes of a slice of one lifting step at a time, then that step along z", NULL},
};

const char *const wp_form_names[WP_FORM_COUNT] = {
    [WP_FORM_SHADER] = "optimized",
    [WP_FORM_BLOCK] = "block",
    [WP_FORM_PLAIN] = "plain",
};

static int count_kinds(int dims)
{
    return dims == 2 ? WP_SCHEME_KINDS : WP_SCHEME_VOLUME_KINDS;
}

const struct wp_scheme_kind *wp_scheme_kind_at(int dims, int number)
{
    if (number >= count_kinds(dims))
        return NULL;
    // Planar kinds, which only volumes have, follow the others in the table.
    for (int fusion = WP_FUSE_NONE;; fusion++)
        for (int i = 0; i < count_kinds(dims); i++)
            if ((int)wp_scheme_kinds[i].fusion == fusion && number-- == 0)
                return &wp_scheme_kinds[i];
}

const char *wp_scheme_kind_summary(const struct wp_scheme_kind *kind, int dims)
{
    return dims == 3 && kind->volume_summary ? kind->volume_summary : kind->summary;
}

static const struct wp_scheme_kind *look_up(struct wp_lookup *lookup, int kinds)
{
    for (int i = 0; i < kinds; i++)
        if (wp_lookup_is(lookup, wp_scheme_kinds[i].name) ||
            wp_lookup_is(lookup, wp_scheme_kinds[i].alias))
            return &wp_scheme_kinds[i];
    return NULL;
}

const struct wp_scheme_kind *wp_scheme_kind_named(const char *name)
{
    return look_up(&(struct wp_lookup){.name = name}, WP_SCHEME_VOLUME_KINDS);
}

const struct wp_scheme_kind *wp_scheme_kind_of_slices(const struct wp_scheme_kind *kind)
{
    int i = 0;
    if (kind < wp_scheme_kinds + WP_SCHEME_KINDS)
        return kind;
    while (wp_scheme_kinds[i].fusion != WP_FUSE_ALL ||
           wp_scheme_kinds[i].grouping != kind->grouping)
        i++;
    return &wp_scheme_kinds[i];
}

const struct wp_scheme_kind *wp_scheme_kind_find(const char *name, int dims)
{
    struct wp_lookup lookup = {.name = name};
    const struct wp_scheme_kind *kind = look_up(&lookup, count_kinds(dims));
    if (kind)
        return kind;
    const struct wp_scheme_kind *other = wp_scheme_kind_named(name);
    if (other)
        wp_fail(WP_ERROR_USAGE, "scheme '%s' is only for volumes: it transforms slices, then the "
                                "axis across them"
                                "\nhint: '%s' is the same scheme for images",
                                name, wp_scheme_kind_of_slices(other)->name);
    else
        wp_lookup_fail(&lookup, "'wavepass info' lists all", "unknown scheme '%s'", name);
    return NULL;
}
