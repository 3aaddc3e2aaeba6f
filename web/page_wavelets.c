// The wavelets of the page: built-in wavelets, files and families; the selected wavelet and its
// lifting coefficients, which can be changed.
#include "page.h"
#include "page_internal.h"

#include "log.h"
#include "memory.h"
#include "text.h"
#include "wavelet.h"

#include <math.h>
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
    return page_get_text(&text, "the wavelets");
}

static struct wp_wavelet *find_custom(const char *name)
{
    int i = 0;
    while (i < custom_count && strcmp(custom[i].name, name) != 0)
        i++;
    return i < custom_count ? &custom[i] : NULL;
}

static bool find_wavelet(const char *name, struct wp_wavelet *wavelet)
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

// ---- the selected wavelet ----

static struct wp_wavelet selected, changed;
static const char *loss; // lost property of the changed wavelet, or NULL

const struct wp_wavelet *page_selected_wavelet(void)
{
    return &selected;
}

const struct wp_wavelet *page_changed_wavelet(void)
{
    return &changed;
}

int page_wavelet(const char *name)
{
    struct wp_wavelet wavelet;
    if (!find_wavelet(name, &wavelet))
        return 0;
    selected = changed = wavelet;
    loss = NULL;
    return 1;
}

int page_wavelet_is_periodic(void)
{
    return changed.symmetry == WP_SYMMETRY_NONE;
}

static struct wp_filter *step_filter(int step)
{
    struct wp_pair *pair = &changed.pair[step / 2];
    return step % 2 ? &pair->update : &pair->predict;
}

const char *page_taps(void)
{
    static struct wp_text text;
    char number[WP_NUMBER_SIZE];
    wp_text_clear(&text);
    for (int step = 0; step < 2 * changed.pairs; step++)
        for (int tap = 0; tap < step_filter(step)->count; tap++)
            wp_text_add(&text, "%d\t%d\t%d\t%s\n", step, tap, step_filter(step)->tap[tap].k,
                        wp_format_number(number, step_filter(step)->tap[tap].c, 9));
    return page_get_text(&text, "the steps");
}

int page_set_tap(int step, int tap, double value)
{
    struct wp_filter *filter =
        step >= 0 && step < 2 * changed.pairs ? step_filter(step) : NULL;
    if (!filter || tap < 0 || tap >= filter->count)
        return wp_fail(WP_ERROR_USAGE, "step %d has no coefficient %d", step, tap);
    if (!isfinite(value) || fabs(value) > 16)
        return wp_fail(WP_ERROR_USAGE, "a coefficient is a number from -16 to 16");
    const bool symmetric = changed.symmetry == WP_SYMMETRY_WHOLE;
    // 0 would remove the tap
    filter->tap[tap].c = fabs(value) < 1e-9 ? 1e-9 : value;
    if (symmetric)
        filter->tap[filter->count - 1 - tap].c = filter->tap[tap].c;
    loss = wp_wavelet_finish(&changed);
    return 1;
}

const char *page_wavelet_loss(void)
{
    return loss ? loss : "";
}
