// Subbands in NumPy archives: they are written again, and restored. Also archives of one array as
// images.
#include "fuzz.h"

#include "coefficients.h"

#include <stdlib.h>

enum { SAMPLES_MOST = 1 << 20 };

static void write_and_read(const struct wp_image *image, struct wp_sidecar *sidecar)
{
    const char *path = fuzz_path("out.npz");
    const struct wp_coefficients_params params = {0};
    struct wp_sidecar again;
    bool described;
    // Both are known for all coefficients that the program writes.
    sidecar->scheme = sidecar->scheme ? sidecar->scheme : wp_scheme_kinds[0].name;
    sidecar->form = sidecar->form ? sidecar->form : wp_form_names[0];
    FUZZ_CHECK(wp_coefficients_write(image, sidecar, path, true));
    struct wp_image *restored = wp_coefficients_read(path, &params, &again, &described, NULL);
    FUZZ_CHECK(restored && described && again.naming == sidecar->naming);
    FUZZ_CHECK(wp_image_hash(restored) == wp_image_hash(image));
    wp_image_destroy(&restored);
}

void fuzz(const uint8_t *data, size_t size)
{
    static struct wp_sidecar sidecar;
    const struct wp_coefficients_params params = {.changed = true, .wavelet = "db2"};
    const char *path = fuzz_path("in.npz");
    bool described;
    fuzz_save(path, data, size);
    struct wp_image *image = wp_coefficients_read(path, &params, &sidecar, &described, NULL);
    fuzz_check_result(image);
    // Metadata without steps is from another program.
    if (image && described && sidecar.has_steps && wp_image_samples(image) < SAMPLES_MOST &&
        !sidecar.description.reversible)
        write_and_read(image, &sidecar);
    wp_image_destroy(&image);
    wp_clear_error();
    image = wp_image_read_with(path, &(struct wp_read_params){.volume = WP_VOLUME_EITHER}, NULL);
    fuzz_check_result(image);
    wp_image_destroy(&image);
}
