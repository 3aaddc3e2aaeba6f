// Metadata of coefficients: COEFFS.json.
#include "fuzz.h"

#include "sidecar.h"

#include <stdlib.h>
#include <string.h>

static bool same_geometry(const struct wp_geometry *a, const struct wp_geometry *b)
{
    return a->has_size == b->has_size && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           a->frames == b->frames && memcmp(a->rate, b->rate, sizeof a->rate) == 0 &&
           a->qform_code == b->qform_code && a->sform_code == b->sform_code;
}

static bool same(const struct wp_sidecar *a, const struct wp_sidecar *b)
{
    return strcmp(a->wavelet_name, b->wavelet_name) == 0 &&
           a->description.border == b->description.border &&
           a->description.norm == b->description.norm &&
           a->description.layout == b->description.layout &&
           a->description.levels == b->description.levels &&
           a->description.size[WP_X] == b->description.size[WP_X] &&
           a->description.size[WP_Y] == b->description.size[WP_Y] && a->planes == b->planes &&
           a->origin.bits == b->origin.bits &&
           a->description.size[WP_Z] == b->description.size[WP_Z] &&
           a->description.levels_z == b->description.levels_z && a->gop == b->gop &&
           a->description.decomposition == b->description.decomposition && a->alpha == b->alpha &&
           a->scheme_named == b->scheme_named && a->has_hash == b->has_hash && a->hash == b->hash &&
           (!a->has_steps || wp_wavelet_same_steps(&a->wavelet, &b->wavelet)) &&
           same_geometry(&a->geometry, &b->geometry) &&
           wp_array_shape_equals(&a->array, &b->array);
}

static void write_and_read(const struct wp_sidecar *sidecar)
{
    struct wp_sidecar filled = *sidecar, again;
    bool found;
    // Both are known for all coefficients that the program writes.
    filled.scheme = filled.scheme ? filled.scheme : wp_scheme_kinds[0].name;
    filled.form = filled.form ? filled.form : wp_form_names[0];
    filled.backend = "cpu";
    filled.precision = wp_precision_names[0];
    const char *path = fuzz_path("out.json");
    struct wp_output *output = wp_output_open(path, true);
    FUZZ_CHECK(output && wp_sidecar_write(&filled, path, output) && wp_output_commit(&output));
    FUZZ_CHECK(wp_sidecar_read(path, &again, &found) && found);
    FUZZ_CHECK(same(sidecar, &again));
}

// The wavelet that an inverse transform uses.
static void find_wavelet(const struct wp_sidecar *sidecar)
{
    static struct wp_wavelet_steps lost;
    struct wp_wavelet wavelet;
    fuzz_check_result(wp_sidecar_find_wavelet(sidecar, "input", &wavelet));
    if (wp_sidecar_lost_wavelet(sidecar, &lost))
        FUZZ_CHECK(lost.data.steps > 0 && lost.data.steps <= 2 * WP_MAX_PAIRS);
}

void fuzz(const uint8_t *data, size_t size)
{
    static struct wp_sidecar sidecar;
    bool found;
    const bool ok = wp_sidecar_read(fuzz_file(0, data, size), &sidecar, &found);
    fuzz_check_result(ok);
    if (ok) {
        FUZZ_CHECK(found);
        find_wavelet(&sidecar);
        if (sidecar.has_steps)
            write_and_read(&sidecar);
    }
}
