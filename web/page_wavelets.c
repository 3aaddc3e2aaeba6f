// The wavelets of the page: built-in wavelets, files and families.
#include "page.h"
#include "page_internal.h"

#include "memory.h"
#include "text.h"

#include <string.h>

// wavelets of the visitor's files
static struct wp_wavelet *custom;
static int custom_count;

static const struct wp_wavelet_family *family_of(const char *name)
{
    const size_t letters = strcspn(name, "0123456789");
    const struct wp_wavelet_family *family = wp_wavelet_families;
    while (family->name && (strncmp(family->name, name, letters) != 0 ||
                            !strchr("0123456789", family->name[letters])))
        family++;
    return family->name ? family : NULL;
}

const char *page_wavelets(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; wp_wavelet_table[i]; i++)
        wp_text_add(&text, "%s\t%s\n", wp_wavelet_table[i]->name, wp_wavelet_table[i]->title);
    for (int i = 0; wp_wavelet_files[i].name; i++) {
        struct wp_wavelet wavelet;
        if (wp_wavelet_parse(wp_wavelet_files[i].name, wp_wavelet_files[i].text, &wavelet))
            wp_text_add(&text, "%s\t%s\tfiles of wavepass\n", wavelet.name, wavelet.title);
    }
    for (int i = 0; i < custom_count; i++)
        wp_text_add(&text, "%s\t%s\tfiles of your own\n", custom[i].name, custom[i].title);
    for (int i = 0; wp_wavelet_family_names[i]; i++) {
        const struct wp_wavelet_family *family = family_of(wp_wavelet_family_names[i]);
        wp_text_add(&text, "%s\t%s\t%s\n", wp_wavelet_family_names[i],
                    family ? family->title : "", family ? family->name : "");
    }
    return wp_text_is_complete(&text, "the wavelets") ? wp_text_get(&text) : NULL;
}

static struct wp_wavelet *find_custom(const char *name)
{
    int i = 0;
    while (i < custom_count && strcmp(custom[i].name, name) != 0)
        i++;
    return i < custom_count ? &custom[i] : NULL;
}

bool page_find_wavelet(const char *name, struct wp_wavelet *wavelet)
{
    const struct wp_wavelet *found = find_custom(name);
    if (found)
        *wavelet = *found;
    return found || wp_wavelet_find(name, wavelet);
}

const char *page_wavelet_file(const char *file, const char *text)
{
    struct wp_wavelet wavelet;
    if (!wp_wavelet_parse(file, text, &wavelet))
        return NULL;
    if (wp_wavelet_is_known(wavelet.name)) {
        wp_fail(WP_ERROR_FILE, "%s: name '%s' is taken by a wavelet of the page", file,
                wavelet.name);
        return NULL;
    }
    struct wp_wavelet *slot = find_custom(wavelet.name);
    if (!slot) {
        struct wp_wavelet *more =
            wp_try_resize(custom, (size_t)custom_count + 1, sizeof *custom);
        if (!more) {
            wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for another wavelet");
            return NULL;
        }
        custom = more;
        slot = &custom[custom_count++];
    }
    *slot = wavelet;
    return slot->name;
}
