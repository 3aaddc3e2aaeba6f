// Errors, lists and explanations.
#include "page.h"
#include "page_internal.h"

#include "explain.h"
#include "log.h"
#include "pattern.h"
#include "redundant.h"

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

const char *page_banks(void)
{
    static const char *const summaries[WP_BANK_COUNT] = {
        [WP_BANK_DECIMATED] = "as many coefficients as samples",
        [WP_BANK_UNDECIMATED] = "all bands have the size of the image (a trous, SWT)",
        [WP_BANK_STARLET] = "planes of the size of the image, whose sum is the image",
        [WP_BANK_PACKETS] = "each level splits all bands",
    };
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < WP_BANK_COUNT; i++)
        wp_text_add(&text, "%s\t%s\n", wp_bank_names[i], summaries[i]);
    return page_get_text(&text, "the banks");
}

// ---- explanations ----

static struct wp_explain_params params_of(const struct page_transform *transform,
                                          enum wp_explain_topic topic,
                                          enum wp_explain_format format)
{
    return (struct wp_explain_params){
        .wavelet = page_changed_wavelet(),
        .kind = transform->description.kind,
        .direction = transform->description.direction,
        .bank = wp_description_is_redundant(&transform->description)
                    ? transform->description.bank
                    : WP_BANK_DECIMATED,
        .topic = topic,
        .format = format,
    };
}

// The scheme of a level, which the caller destroys. NULL after an error.
static struct wp_scheme *create_scheme(const struct page_transform *transform,
                                       enum wp_explain_topic topic,
                                       enum wp_explain_format format)
{
    const struct wp_explain_params params = params_of(transform, topic, format);
    return !wp_explain_check(&params)          ? NULL
           : params.bank != WP_BANK_DECIMATED ? wp_redundant_scheme(&transform->description)
                                              : wp_explain_scheme(&params, params.kind, params.form);
}

const char *page_matrix(int number, int inverse, int numbers)
{
    static struct wp_text text;
    const struct page_transform *transform = page_find_transform(number, inverse);
    struct wp_scheme *scheme =
        transform ? create_scheme(transform, WP_EXPLAIN_MATRIX, WP_EXPLAIN_TXT) : NULL;
    if (!scheme)
        return NULL;
    wp_text_clear(&text);
    wp_text_add(&text, "%s, %s\n\n", scheme->name, wp_direction_names[scheme->direction]);
    wp_explain_matrix(scheme, numbers, &text);
    wp_scheme_destroy(&scheme);
    return page_get_text(&text, "a matrix");
}

const char *page_diagram(int number, int inverse)
{
    static struct wp_text text;
    const struct page_transform *transform = page_find_transform(number, inverse);
    struct wp_scheme *scheme =
        transform ? create_scheme(transform, WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_SVG) : NULL;
    if (!scheme)
        return NULL;
    const struct wp_explain_params params =
        params_of(transform, WP_EXPLAIN_DIAGRAM, WP_EXPLAIN_SVG);
    wp_text_clear(&text);
    (scheme->redundant ? wp_explain_bank_diagram : wp_explain_diagram)(scheme, &params, &text);
    wp_scheme_destroy(&scheme);
    return page_get_text(&text, "a diagram");
}

const char *page_costs(int number)
{
    static struct wp_text text;
    const struct page_transform *transform = page_find_transform(number, 0);
    struct wp_scheme *scheme =
        transform ? create_scheme(transform, WP_EXPLAIN_OPS, WP_EXPLAIN_CSV) : NULL;
    if (!scheme)
        return NULL;
    wp_text_clear(&text);
    wp_text_add(&text, "%d\t%d\t%d", scheme->pass_count, wp_scheme_operations(scheme),
                wp_scheme_fetches(scheme));
    wp_scheme_destroy(&scheme);
    return page_get_text(&text, "the costs");
}

const char *page_filters(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    wp_explain_filters(page_changed_wavelet(), WP_EXPLAIN_SVG, &text);
    return page_get_text(&text, "a drawing");
}
