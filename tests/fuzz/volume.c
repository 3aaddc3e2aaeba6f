// Volumes and clips, from files: at once, and slice by slice.
#include "fuzz.h"

#include "fuzz_image.h"
#include "slices.h"

#include <stdlib.h>
#include <string.h>

// Videos need ffmpeg, which is disabled.
void fuzz_set_up(void)
{
    setenv("WAVEPASS_FFMPEG", "/nonexistent", 1);
}

enum { SLICES_MOST = 1 << 10, SAMPLES_MOST = 1 << 20 };

// All slices, `step` at a time; NULL after an error, or if there are too many.
static struct wp_image *read_slices(struct wp_slices *slices, int step)
{
    const struct wp_slices_info info = *wp_slices_info(slices);
    const size_t slice = (size_t)info.width * (size_t)info.height;
    float *all = NULL;
    int depth = 0, got = 1;
    bool ok = slice <= SAMPLES_MOST;
    wp_slices_keep_hash(slices);
    while (ok && got > 0 && depth < SLICES_MOST && (size_t)depth * slice < SAMPLES_MOST) {
        all = realloc(all, (size_t)(depth + step) * slice * sizeof *all);
        FUZZ_CHECK(all);
        ok = wp_slices_read(slices, all + (size_t)depth * slice, step, &got);
        depth += ok ? got : 0;
    }
    struct wp_image *image = ok && got == 0 && depth > 0
                                 ? wp_image_create_volume(info.width, info.height, depth, 1, false)
                                 : NULL;
    if (image) {
        memcpy(image->plane[0], all, (size_t)depth * slice * sizeof *all);
        FUZZ_CHECK(wp_slices_hash(slices) == wp_image_hash(image));
    }
    free(all);
    return image;
}

void fuzz(const uint8_t *data, size_t size)
{
    const struct wp_read_params params = {
        .volume = size % 2 ? WP_VOLUME_EITHER : WP_VOLUME_YES,
        .values = (enum wp_values)(size / 2 % WP_VALUES_COUNT),
        .volume_number = size % 11 == 10 ? 2 : 0};
    const char *path = fuzz_file(0, data, size);
    struct wp_slices *slices;
    struct wp_image *image;
    fuzz_check_result(wp_slices_open(path, &params, &slices, &image, NULL));
    struct wp_image *complete = wp_image_read_with(path, &params, NULL);
    fuzz_check_result(complete);
    if (image)
        FUZZ_CHECK(complete && fuzz_same_samples(image, complete));
    if (slices) {
        wp_image_destroy(&image);
        image = read_slices(slices, 1 + (int)(size % 3));
        // A file that is too short may be rejected by only one of the two.
        FUZZ_CHECK(!image || !complete || fuzz_same_samples(image, complete));
    }
    wp_slices_close(&slices);
    wp_image_destroy(&complete);
    wp_image_destroy(&image);
}
