// Replaces the viewer in a build without Dear ImGui.
#include "viewer.h"

const char *const wp_viewer_missing = WP_VIEWER_MISSING;

enum wp_error wp_viewer_run(const struct wp_viewer_params *params)
{
    wp_fail(WP_ERROR_UNAVAILABLE,
            "the viewer is not part of this build (%s)\nhint: 'wavepass forward %s --picture "
            "bands.png' makes a picture of its subbands",
            wp_viewer_missing, params->file_count ? params->file[0] : "IN");
    return WP_ERROR_UNAVAILABLE;
}

bool wp_viewer_key(bool reconstructs, int number, const char **keys, const char **label)
{
    (void)reconstructs, (void)number, (void)keys, (void)label;
    return false;
}

enum wp_pyramid_source wp_viewer_pyramid_source(const char *path, const struct wp_read_params *read,
                                                double limit)
{
    (void)path, (void)read, (void)limit;
    return WP_PYRAMID_NONE;
}
