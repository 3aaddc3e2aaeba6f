// Errors, lists and explanations.
#include "page.h"
#include "page_internal.h"

#include "explain.h"
#include "log.h"
#include "pattern.h"

#include <string.h>

// ---- errors ----

const char *page_error(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    wp_text_add(&text, "%.*s", (int)strcspn(wp_last_error_text(), "\n"), wp_last_error_text());
    return wp_text_get(&text);
}

// ---- lists ----

const char *page_schemes(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < WP_SCHEME_KINDS; i++)
        wp_text_add(&text, "%s\t%s\n", wp_scheme_kinds[i].name, wp_scheme_kinds[i].summary);
    return page_get_text(&text, "the schemes");
}

const char *page_patterns(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < wp_pattern_count(); i++)
        wp_text_add(&text, "%s\t%s\n", wp_pattern_get(i)->name, wp_pattern_get(i)->description);
    return page_get_text(&text, "the patterns");
}

const char *page_borders(void)
{
    static const char group[] = "PyWavelets, for any wavelet and size";
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < WP_BORDER_COUNT; i++)
        wp_text_add(&text, "%s\t%s\t%s\n", wp_border_names[i], i < WP_BORDER_NATIVE ? "" : group,
                    i < WP_BORDER_NATIVE ? "" : group);
    return page_get_text(&text, "the borders");
}

// ---- explanations ----

const char *page_explain(int number, int inverse, const char *topic, const char *format,
                         int numbers)
{
    static struct wp_text text;
    const struct page_transform *transform = page_find_transform(number, inverse);
    struct wp_explain_params params = {
        .wavelet = page_changed_wavelet(),
        .direction = inverse ? WP_INVERSE : WP_FORWARD,
        .numbers = numbers,
        .topic = WP_EXPLAIN_TOPIC_COUNT,
        .format = WP_EXPLAIN_FORMAT_COUNT,
    };
    for (int i = 0; i < WP_EXPLAIN_TOPIC_COUNT; i++)
        if (strcmp(wp_explain_topic_names[i], topic) == 0)
            params.topic = (enum wp_explain_topic)i;
    for (int i = 0; i < WP_EXPLAIN_FORMAT_COUNT; i++)
        if (strcmp(wp_explain_format_names[i], format) == 0)
            params.format = (enum wp_explain_format)i;
    wp_text_clear(&text);
    if (!transform || params.topic == WP_EXPLAIN_TOPIC_COUNT ||
        params.format == WP_EXPLAIN_FORMAT_COUNT)
        return NULL;
    params.kind = transform->description.kind;
    return wp_explain(&params, &text) ? page_get_text(&text, "an explanation") : NULL;
}
