#include "fuzz_wavelet.h"

#include "fuzz.h"
#include "text.h"
#include "wavelet_taps.h"

#include <math.h>

static bool same_filter(const struct wp_filter *a, const struct wp_filter *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = a->tap[i].k == b->tap[i].k && a->tap[i].c == b->tap[i].c;
    return same;
}

bool fuzz_same_steps(const struct wp_wavelet *a, const struct wp_wavelet *b)
{
    bool same = a->pairs == b->pairs && a->zeta == b->zeta;
    for (int i = 0; same && i < a->pairs; i++)
        same = same_filter(&a->pair[i].predict, &b->pair[i].predict) &&
               same_filter(&a->pair[i].update, &b->pair[i].update);
    return same;
}

void fuzz_write_and_read_wavelet(const struct wp_wavelet *wavelet)
{
    struct wp_text text = {0};
    struct wp_wavelet again;
    wp_wavelet_write(wavelet, &text);
    FUZZ_CHECK(wp_wavelet_parse("again.wavelet", wp_text_get(&text), &again));
    FUZZ_CHECK(fuzz_same_steps(wavelet, &again));
    wp_text_free(&text);
}

static double sum_of(const struct wp_filter *filter)
{
    double sum = 0;
    for (int i = 0; i < filter->count; i++)
        sum += fabs(filter->tap[i].c);
    return sum;
}

double fuzz_growth(const struct wp_wavelet *wavelet)
{
    double once = fmax(fabs(wavelet->zeta), 1 / fabs(wavelet->zeta));
    for (int i = 0; i < wavelet->pairs; i++)
        once *= (1 + sum_of(&wavelet->pair[i].predict)) * (1 + sum_of(&wavelet->pair[i].update));
    return once * once * once * once; // two axes, forward and inverse
}
