#include "command.h"

#include "build_info.h"
#include "fft.h"
#include "wavepass.h"

const struct wp_build_feature wp_build_features[] = {
    {.name = "GLFW contexts", .missing = WP_BUILD_GLFW_MISSING},
    {.name = "threads", .missing = WP_BUILD_THREADS_MISSING},
    {.name = "CUDA", .missing = WP_BUILD_CUDA_MISSING},
    {.name = "viewer", .missing = WP_BUILD_VIEWER_MISSING},
    {.name = "EXR", .missing = WP_BUILD_EXR_MISSING},
    {.name = "FITS", .missing = WP_BUILD_FITS_MISSING},
    {0},
};

const char *const wp_build_facts[][2] = {
    {"source", WP_BUILD_GIT},
    {"compiler", WP_BUILD_COMPILER},
    {"flags", WP_BUILD_FLAGS},
    {"libraries", WP_BUILD_LIBRARIES},
    {NULL},
};

void wp_build_describe(const char *program, bool details, struct wp_text *text)
{
    wp_text_add(text, "%s %s\n", program, WAVEPASS_VERSION);
    for (int i = 0; details && wp_build_facts[i][0]; i++)
        if (wp_build_facts[i][1][0])
            wp_text_add(text, "%s: %s\n", wp_build_facts[i][0], wp_build_facts[i][1]);
    if (details)
        wp_text_add(text, "FFT: %s (%s)\n", wp_fft_library(), wp_fft_licence());
    for (const struct wp_build_feature *part = wp_build_features; details && part->name; part++)
        wp_text_add(text, "%s: %s%s%s\n", part->name, part->missing ? "not in this build (" : "yes",
                    part->missing ? part->missing : "", part->missing ? ")" : "");
}
