// The axes of a benchmark: one line each, in the order of `member` below.
#include "fuzz.h"

#include "bench.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Only the backends on the CPU, which need no device.
static const char *choose_backends(const char *list)
{
    static const char *const slow[] = {"auto", "all", "fragment", "compute", "cuda"};
    for (size_t i = 0; list && i < sizeof slow / sizeof *slow; i++)
        if (strstr(list, slow[i]))
            list = NULL;
    return list ? list : "cpu,reference";
}

// Limits the size of the cross product: numbers of at most two digits and at most one range.
static bool is_small(const char *text)
{
    int ranges = 0, words = 0;
    for (; *text; text++) {
        ranges += strncmp(text, "..", 2) == 0;
        words += *text == ',';
        if (isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) &&
            isdigit((unsigned char)text[2]))
            return false;
        if (*text == '/' || strncmp(text, "pattern", 7) == 0)
            return false;
    }
    return ranges <= 1 && words <= 12;
}

void fuzz(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    struct wp_bench_axes axes = {.device = WP_DEVICE_ANY};
    const char **const member[] = {
        &axes.wavelet,   &axes.scheme, &axes.form,   &axes.backend, &axes.variant, &axes.size,
        &axes.levels,    &axes.levels_z, &axes.direction, &axes.field[WP_FIELD_BORDER],
        &axes.field[WP_FIELD_NORM], &axes.field[WP_FIELD_LAYOUT], &axes.include, &axes.threads,
        &axes.field[WP_FIELD_PRECISION], &axes.planes, &axes.field[WP_FIELD_BANK], &axes.batch,
        &axes.reversible, &axes.adjoint,
    };
    if (is_small(text)) {
        for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
            const char *line = fuzz_next_line(&rest);
            *member[i] = line && line[0] ? line : NULL;
        }
        axes.backend = choose_backends(axes.backend);
        struct wp_bench_set set = {0};
        const bool ok = wp_bench_set_add(&set, &axes, false);
        fuzz_check_result(ok);
        const int count = set.count;
        // Configurations are not added twice.
        if (ok) {
            FUZZ_CHECK(wp_bench_set_add(&set, &axes, false));
            FUZZ_CHECK(set.count == count);
        }
        for (int i = 0; i < set.count; i++)
            FUZZ_CHECK(wp_description_check(&set.config[i].params));
        wp_bench_set_free(&set);
    }
    free(text);
}
