// The kernel of patches for images of u8.
#include "cuda_patches_elements.cuh"

wp_elements_runner wp_find_patches_u8(const wp_cuda_level &level)
{
    using of = wp_u8;
    auto run = wp_find_elements<of, wp_shape_haar, wp_patch_tuning<4, 8, 2, 8>>(level);
    if (!run)
        run = wp_find_elements<of, wp_shape_53, wp_patch_tuning<2, 8, 3, 8>>(level);
    if (!run)
        run = wp_find_elements<of, wp_shape_97, wp_patch_tuning<6, 4, 6, 4, WP_EDGES_BY_ROW>>(
            level);
    if (!run)
        run = wp_find_elements<of, wp_shape_137, wp_patch_tuning<4, 4, 8, 4>>(level);
    return run;
}
