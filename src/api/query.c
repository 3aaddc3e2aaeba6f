#include "wavepass_query.h"

#include "field_table.h"
#include "log.h"
#include "memory.h"
#include "redundant.h"
#include "registry.h"
#include "scheme.h"
#include "suggest.h"
#include "transform_struct.h"
#include "transform.h"
#include "wavelet_taps.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 64 };

// Lists that are not tables.
struct source {
    const struct wp_backend *backend;
    char **wavelets;
    int wavelet_count, device_count;
    char device[DEVICES_MAX][sizeof((struct wp_device_info *)0)->name];
};

static const char *word_at(enum wp_field field, int i)
{
    return i < wp_fields[field].count ? wp_fields[field].words[i] : NULL;
}

static const char *scheme_at(int dims, int i)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_at(dims, i);
    return kind ? kind->name : NULL;
}

static const char *name_at(enum wp_query query, const struct source *s, int i)
{
    switch (query) {
    case WP_QUERY_WAVELETS:
        return i < s->wavelet_count ? s->wavelets[i]
                                    : wp_wavelet_family_names[i - s->wavelet_count];
    case WP_QUERY_SCHEMES:
        return scheme_at(2, i);
    case WP_QUERY_VOLUME_SCHEMES:
        return scheme_at(3, i);
    case WP_QUERY_BORDERS:
        return word_at(WP_FIELD_BORDER, i);
    case WP_QUERY_NORMS:
        return word_at(WP_FIELD_NORM, i);
    case WP_QUERY_LAYOUTS:
        return word_at(WP_FIELD_LAYOUT, i);
    case WP_QUERY_PRECISIONS:
        return word_at(WP_FIELD_PRECISION, i);
    case WP_QUERY_DECOMPOSITIONS:
        return word_at(WP_FIELD_DECOMPOSITION, i);
    case WP_QUERY_BANKS:
        return word_at(WP_FIELD_BANK, i);
    case WP_QUERY_BACKENDS:
        return wp_backends[i] ? wp_backends[i]->name : NULL;
    case WP_QUERY_VARIANTS:
        return s->backend->variants ? s->backend->variants[i].name : NULL;
    case WP_QUERY_DEVICES:
        return i < s->device_count ? s->device[i] : NULL;
    }
    return NULL;
}

// OpenGL has a fixed list of devices, some of which may not work. For other backends the list ends
// at the first number that does not work.
static void find_devices(struct source *s)
{
    const int devices = wp_textures_device_count(s->backend);
    const int most = devices > 0 && devices < DEVICES_MAX ? devices : DEVICES_MAX;
    struct wp_textures_scope scope;
    char reason[512];
    wp_textures_enter(&scope, NULL, s->backend->gl, false);
    for (int i = 0; i < most; i++) {
        struct wp_backend_choice on = {.backend = s->backend};
        on.device = s->backend->open(i, true, reason, sizeof reason);
        if (!on.device && devices == 0)
            break;
        if (on.device) {
            s->backend->describe(on.device, &on.info);
            memcpy(s->device[i], on.info.name, sizeof on.info.name);
            wp_backend_close(&on);
        }
        s->device_count = i + 1;
    }
    wp_textures_leave(&scope);
}

static bool find_names(enum wp_query query, const char *backend, struct source *s)
{
    if (query == WP_QUERY_VARIANTS || query == WP_QUERY_DEVICES) {
        s->backend = wp_backend_find(backend ? backend : "NULL");
        if (s->backend && query == WP_QUERY_DEVICES)
            find_devices(s);
        return s->backend;
    }
    if ((int)query < 0 || query > WP_QUERY_BANKS)
        return wp_fail(WP_ERROR_USAGE, "there is no list number %d", (int)query);
    if (query != WP_QUERY_WAVELETS)
        return true;
    s->wavelets = wp_wavelet_names();
    while (s->wavelets && s->wavelets[s->wavelet_count])
        s->wavelet_count++;
    return s->wavelets;
}

// One allocation: the pointers, then the characters.
static char **copy_names(enum wp_query query, const struct source *s)
{
    size_t count = 0, bytes = 0;
    for (const char *name; (name = name_at(query, s, (int)count)); count++)
        bytes += strlen(name) + 1;
    char **names = wp_allocate(1, (count + 1) * sizeof *names + bytes, "names");
    char *at = (char *)(names + count + 1);
    for (size_t i = 0; names && i < count; i++) {
        const char *name = name_at(query, s, (int)i);
        const size_t size = strlen(name) + 1;
        names[i] = memcpy(at, name, size);
        at += size;
    }
    return names;
}

char **wp_query_names(enum wp_query query, const char *backend)
{
    struct source *s = wp_allocate(1, sizeof *s, "names");
    char **names = s && find_names(query, backend, s) ? copy_names(query, s) : NULL;
    if (s && s->wavelets)
        wp_wavelet_free_names(s->wavelets);
    free(s);
    return names;
}

void wp_query_free(char **names)
{
    free(names);
}

bool wp_query_levels(const struct wp_transform_params *given, int *levels, int *levels_z)
{
    struct wp_transform_params params;
    struct wp_wavelet wavelet;
    struct wp_description description;
    if (!wp_transform_read_params(given, &params))
        return false;
    params.levels = WP_LEVELS_MOST;
    params.levels_z = params.depth > 1 ? WP_LEVELS_MOST : 0;
    if (!wp_transform_resolve(&params, &wavelet, &description))
        return false;
    *levels = description.levels;
    if (levels_z)
        *levels_z = description.levels_z;
    return true;
}

int wp_query_filter(const char *name, const char *norm_name, enum wp_query_filter filter,
                    int *first, double *taps, int capacity)
{
    static const enum wp_filter_kind kinds[] = {
        [WP_QUERY_ANALYSIS_LOW] = WP_ANALYSIS_LOW,
        [WP_QUERY_ANALYSIS_HIGH] = WP_ANALYSIS_HIGH,
        [WP_QUERY_SYNTHESIS_LOW] = WP_SYNTHESIS_LOW,
        [WP_QUERY_SYNTHESIS_HIGH] = WP_SYNTHESIS_HIGH,
    };
    struct wp_wavelet wavelet;
    const int norm =
        norm_name ? wp_name_find("norm", norm_name, wp_norm_names, WP_NORM_COUNT, "there are ") : 0;
    if (norm < 0 || !wp_wavelet_find(name ? name : "cdf97", &wavelet))
        return 0;
    if ((int)filter < 0 || (size_t)filter >= sizeof kinds / sizeof *kinds || !first ||
        (capacity > 0 && !taps)) {
        wp_fail(WP_ERROR_USAGE, "filter number %d cannot be written (%s)", (int)filter,
                first ? "taps is NULL, or there is no such filter" : "first is NULL");
        return 0;
    }
    const struct wp_taps all = wp_wavelet_filter_taps(&wavelet, kinds[filter]);
    if (!all.tap)
        return 0;
    const int count = all.last - all.first + 1;
    const enum wp_filter_kind kind = kinds[filter];
    const double gain = wp_filter_gain(&wavelet, (enum wp_norm)norm,
                                       kind == WP_SYNTHESIS_LOW || kind == WP_SYNTHESIS_HIGH,
                                       kind == WP_ANALYSIS_HIGH || kind == WP_SYNTHESIS_HIGH);
    *first = all.first;
    for (int i = 0; i < count && i < capacity; i++)
        taps[i] = gain * all.tap[i];
    free(all.tap);
    return count;
}
