// Wavelets from a text of taps: "LOW;HIGH".
#include "log.h"
#include "wavelet_internal.h"
#include "wavelet_taps.h"

#include <stdatomic.h>
#include <string.h>

static const char separators[] = " \t,";

bool wp_wavelet_is_taps(const char *name)
{
    return strchr(name, ';');
}

// Reads the taps of [text, text + length), from position 0 on. False with the reason.
static bool read_series(const char *text, size_t length, struct wp_series *series,
                        struct wp_text *why)
{
    *series = (struct wp_series){0};
    const char *const end = text + length;
    for (int k = 0; (text += strspn(text, separators)) < end; k++) {
        char number[80];
        double c;
        const size_t word = strcspn(text, " \t,;");
        if (word >= sizeof number) {
            wp_text_add(why, "bad number '%.40s' (too long)", text);
            return false;
        }
        memcpy(number, text, word);
        number[word] = '\0';
        text += word;
        const char *problem = wp_wavelet_evaluate(number, &c);
        if (problem) {
            wp_text_add(why, "bad number '%s' (%s)", number, problem);
            return false;
        }
        if (k == WP_SERIES_MAX) {
            wp_text_add(why, "too many taps (at most %d per filter)", WP_FACTOR_TAPS);
            return false;
        }
        series->count = k + 1;
        series->c[k] = c;
    }
    wp_series_trim(series, 0);
    return true;
}

// Centers a filter: of odd length at `center`, of even length at 1/2.
static void center_filter(struct wp_series *series, int center)
{
    series->first = series->count % 2 ? center - series->count / 2 : 1 - series->count / 2;
}

static bool read_pair(const char *text, struct wp_series *low, struct wp_series *high,
                      struct wp_text *why)
{
    const size_t length = strcspn(text, ";");
    const char *const second = text + length + 1;
    if (strchr(second, ';')) {
        wp_text_add(why, "more than two filters");
        return false;
    }
    if (!read_series(text, length, low, why) || !read_series(second, strlen(second), high, why))
        return false;
    const bool orthogonal = !second[strspn(second, separators)];
    center_filter(low, 0);
    center_filter(high, 1);
    if (orthogonal && low->count % 2 && low->count <= WP_FACTOR_TAPS) {
        wp_text_add(why, "an orthogonal low-pass has an even number of taps, and this one has %d; "
                         "other filters need a high-pass after the ';'", low->count);
        return false;
    }
    if (orthogonal)
        *high = wp_factor_high(low);
    return true;
}

// Warns once, although the text is parsed for each file and size.
static void warn_of_reversed(const struct wp_series *low)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    const char *name = wp_wavelet_reversed(low);
    if (name && !atomic_flag_test_and_set(&warned))
        wp_log(WP_LOG_WARNING, "the taps are those of %s in reverse order"
                               "\nhint: for %s give PyWavelets' rec_lo, not dec_lo",
               name, name);
}

bool wp_wavelet_from_text(const char *text, struct wp_wavelet *wavelet)
{
    struct wp_series low, high;
    struct wp_text why = {0};
    *wavelet = (struct wp_wavelet){.name = "taps", .title = "custom filter taps",
                                   .source = "custom filter taps"};
    const bool done =
        read_pair(text, &low, &high, &why) &&
        wp_wavelet_from_taps(wavelet, &low, &high, WP_FACTOR_MOVE, &why);
    if (done) {
        const char *reason = wp_wavelet_finish(wavelet);
        if (reason)
            wp_text_add(&why, "%s", reason);
    } else if (!why.length) {
        wp_fail(WP_ERROR_TOO_LARGE, "not enough memory to factor a wavelet");
        return false;
    }
    if (!why.length)
        warn_of_reversed(&low);
    else
        wp_fail(WP_ERROR_USAGE, "the taps are not a wavelet: %s", wp_text_get(&why));
    const bool good = !why.length;
    wp_text_free(&why);
    return good;
}
