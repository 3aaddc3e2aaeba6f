// k-space and masks: the first byte selects the kind; a header of BART ends at a zero byte, and its
// samples follow.
#include "fuzz.h"

#include "kspace.h"

#include <stdlib.h>
#include <string.h>

static bool same(const struct wp_complex_array *a, const struct wp_complex_array *b)
{
    return memcmp(a->size, b->size, sizeof a->size) == 0 && a->coils == b->coils &&
           memcmp(a->value, b->value,
                  wp_complex_samples(a) * (size_t)a->coils * sizeof *a->value) == 0;
}

// Even sizes, for which the phases of centered k-space are exact.
static bool has_even_sizes(const struct wp_complex_array *array)
{
    for (int axis = 0; axis < 3; axis++)
        if (array->size[axis] % 2 && array->size[axis] > 1)
            return false;
    return true;
}

// Equal except for the sign of zeros.
static bool equal(const struct wp_complex_array *a, const struct wp_complex_array *b)
{
    for (size_t i = 0; i < wp_complex_samples(a) * (size_t)a->coils; i++)
        if (a->value[i] != b->value[i])
            return false;
    return true;
}

// Reads an array, writes it in one of the formats, and reads it again.
static void read_array(const char *path)
{
    struct wp_complex_array *array = wp_complex_read(path);
    fuzz_check_result(array);
    if (array) {
        const char *out = fuzz_path(array->size[0] % 2 ? "out.npy" : "out.cfl");
        FUZZ_CHECK(wp_complex_write(out, array));
        struct wp_complex_array *again = wp_complex_read(out);
        FUZZ_CHECK(again && same(array, again));
        wp_complex_centre(again);
        wp_complex_uncentre(again);
        FUZZ_CHECK(!has_even_sizes(array) || equal(array, again));
        wp_complex_destroy(&again);
    }
    wp_complex_destroy(&array);
}

static void read_mask(const uint8_t *data, size_t size, bool centered)
{
    static const int sizes[][3] = {{4, 3, 1}, {4, 3, 2}};
    const char *path = fuzz_file(0, data, size);
    for (int i = 0; i < 2; i++) {
        struct wp_mask *mask = wp_mask_read(path, sizes[i], centered);
        fuzz_check_result(mask);
        if (mask) {
            const char *out = fuzz_path("out.npy");
            FUZZ_CHECK(wp_mask_count(mask) > 0 && wp_mask_write(out, mask, centered));
            struct wp_mask *again = wp_mask_read(out, sizes[i], centered);
            FUZZ_CHECK(again && memcmp(again->sampled, mask->sampled, (size_t)(12 * (i + 1))) == 0);
            wp_mask_destroy(&again);
        }
        wp_mask_destroy(&mask);
    }
}

static void read_cfl(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    const char *path = fuzz_path("in.cfl");
    fuzz_save(fuzz_path("in.hdr"), data, length);
    fuzz_save(path, end ? end + 1 : data, end ? size - length - 1 : 0);
    read_array(path);
}

void fuzz(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    switch (data[0] % 4) {
    case 0: read_array(fuzz_file(0, data + 1, size - 1)); break;
    case 1: read_cfl(data + 1, size - 1); break;
    case 2: read_mask(data + 1, size - 1, false); break;
    case 3: read_mask(data + 1, size - 1, true); break;
    }
}
