// Measurements of variants in the tuning file.
#include "fuzz.h"

#include "autotune.h"
#include "output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct wp_backend_choice on;

void fuzz_set_up(void)
{
    FUZZ_CHECK(wp_backend_open("cpu", WP_DEVICE_ANY, false, &on));
    snprintf(on.info.name, sizeof on.info.name, "a processor"); // independent of the machine
}

static void check_probe(const struct wp_probe *probe)
{
    for (int i = 0; i < probe->count; i++)
        FUZZ_CHECK(probe->timing[i].seconds > 0 && probe->timing[i].correct);
}

// Stored measurements are found with their key.
static void put_and_get(json_t *file, const struct wp_tuning_key *key)
{
    struct wp_timing timing[] = {
        {.variant = &on.backend->variants[0], .correct = true, .error = 1e-7, .seconds = 0.25}};
    const struct wp_probe put = {.count = 1, .timing = timing, .seconds = 1};
    struct wp_probe got;
    file = wp_tuning_put(file, key, "fuzz", &put);
    FUZZ_CHECK(wp_tuning_get(file, "input", key, &got));
    FUZZ_CHECK(got.count == 1 && got.timing[0].variant == timing[0].variant);
    wp_probe_free(&got);
    json_decref(file);
}

void fuzz(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    json_t *file = wp_tuning_read(path, &on);
    json_t *list = wp_tuning_list(file, path, on.backend);
    FUZZ_CHECK(json_array_size(list) <= json_array_size(json_object_get(file, "choices")));
    json_decref(list);
    const struct wp_tuning_key key = {&on, wp_wavelet_table[0], WP_FORWARD, WP_SIZE_SMALL};
    struct wp_probe probe;
    if (wp_tuning_get(file, path, &key, &probe))
        check_probe(&probe);
    wp_probe_free(&probe);
    put_and_get(file, &key);
}
