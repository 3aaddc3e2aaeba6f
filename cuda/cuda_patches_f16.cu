// The kernel of patches for images of f16.
#include "cuda_patches_elements.cuh"

wp_elements_runner wp_find_patches_f16(const wp_cuda_level &level)
{
    using of = wp_f16;
    auto run = wp_find_elements<of, wp_shape_haar, wp_patch_tuning<3, 8, 2, 8>>(level);
    if (!run)
        run = wp_find_elements<of, wp_shape_53, wp_patch_tuning<3, 4, 2, 8>>(level);
    if (!run)
        run = wp_find_elements<of, wp_shape_97, wp_patch_tuning<8, 4, 6, 4>>(level);
    if (!run)
        run = wp_find_elements<of, wp_shape_137, wp_patch_tuning<6, 8, 8, 4>>(level);
    return run;
}
