// The selected wavelet and its lifting coefficients, which can be changed.
#include "page.h"
#include "page_internal.h"

#include "log.h"
#include "wavelet.h"

#include <math.h>

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
    if (!page_find_wavelet(name, &wavelet))
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
