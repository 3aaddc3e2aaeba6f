#include "every_wavelet.h"

#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int every_wavelet(struct wp_wavelet list[EVERY_WAVELET_MAX])
{
    assert_int_equal(unsetenv("WAVEPASS_WAVELETS"), 0);
    int count = 0, files = 0;
    char **names = wp_wavelet_names();
    for (int i = 0; names[i]; i++) {
        assert_true(count < EVERY_WAVELET_MAX);
        struct wp_wavelet *wavelet = &list[count];
        assert_true(wp_wavelet_find(names[i], wavelet));
        // The names include aliases.
        if (strcmp(wavelet->name, names[i]) != 0)
            continue;
        bool in_table = false;
        for (int t = 0; wp_wavelet_table[t]; t++)
            in_table = in_table || strcmp(wp_wavelet_table[t]->name, names[i]) == 0;
        files += !in_table;
        count += in_table || sample_has_name(names[i]);
    }
    wp_wavelet_free_names(names);
    assert_true(files > 0);
    return count;
}

const struct wp_wavelet *table_wavelet(const char *name)
{
    for (int i = 0; wp_wavelet_table[i]; i++)
        if (strcmp(wp_wavelet_table[i]->name, name) == 0)
            return wp_wavelet_table[i];
    fail_msg("no wavelet %s in the table", name);
    return NULL;
}
