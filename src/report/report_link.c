#include "report_link.h"

#include "html.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

bool wp_report_link_check(const char *page)
{
    if (strchr(page, '#') || page[strcspn(page, "\r\n\t ")] != '\0')
        return wp_fail(WP_ERROR_USAGE, "'%s' is not a valid address for links"
                                       "\nhint: use one without blanks and '#', such as index.html "
                                       "or https://example.org/wavepass/", page);
    return true;
}

// Whether the web page, which has the built-in wavelets, finds this wavelet by name.
static bool has_wavelet(const struct wp_wavelet *wavelet)
{
    struct wp_wavelet builtin;
    char *file = wp_wavelet_path(wavelet->name);
    const bool built_in = !file;
    free(file);
    if (!built_in || !wp_wavelet_is_known(wavelet->name) ||
        !wp_wavelet_find(wavelet->name, &builtin) || builtin.pairs != wavelet->pairs)
        return false;
    bool is_same = !(builtin.zeta < wavelet->zeta) && !(builtin.zeta > wavelet->zeta);
    for (int p = 0; p < builtin.pairs; p++) {
        const struct wp_filter *const a[] = {&builtin.pair[p].predict, &builtin.pair[p].update};
        const struct wp_filter *const b[] = {&wavelet->pair[p].predict, &wavelet->pair[p].update};
        for (int f = 0; f < 2; f++) {
            is_same = is_same && a[f]->count == b[f]->count;
            for (int t = 0; t < a[f]->count && is_same; t++)
                is_same = a[f]->tap[t].k == b[f]->tap[t].k && !(a[f]->tap[t].c < b[f]->tap[t].c) &&
                       !(a[f]->tap[t].c > b[f]->tap[t].c);
        }
    }
    return is_same;
}

// The name in "pattern:text:64x64" and its length; NULL for other images.
static const char *pattern_of(const char *image, int *length)
{
    static const char prefix[] = "pattern:";
    if (!image || strncmp(image, prefix, strlen(prefix)) != 0)
        return NULL;
    const char *name = image + strlen(prefix);
    *length = (int)strcspn(name, ":");
    return name;
}

static void add_link(const char *address, const char *words, struct wp_text *out)
{
    wp_text_add(out, "<p class=\"link\"><a href=\"");
    wp_html_text(out, address);
    wp_text_add(out, "\">%s</a>", words);
}

static void add_address(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                        int pass, struct wp_text *out)
{
    const struct wp_report_input *input = &params->input;
    int length;
    const char *pattern = pattern_of(input->image, &length);
    wp_text_add(out, "%s#", params->page);
    if (has_wavelet(params->explain.wavelet))
        wp_text_add(out, "w=%s&", params->explain.wavelet->name);
    wp_text_add(out, "s=%s&l=%d", kind->name, input->levels > 0 ? input->levels : 1);
    if (pattern)
        wp_text_add(out, "&i=%.*s", length, pattern);
    if (input->border)
        wp_text_add(out, "&b=%s", input->border);
    if (params->explain.direction == WP_INVERSE)
        wp_text_add(out, "&d=inverse");
    if (pass)
        wp_text_add(out, "&p=%d", pass);
}

void wp_report_link(const struct wp_report_params *params, const struct wp_scheme_kind *kind,
                    int pass, struct wp_text *out)
{
    struct wp_text address = {0};
    int length;
    if (!params->page || wp_explain_dims(&params->explain) == 3)
        return;
    add_address(params, kind, pass, &address);
    add_link(wp_text_get(&address),
             pass ? "Run this pass in a browser" : "Run this scheme in a browser", out);
    if (!pass && !has_wavelet(params->explain.wavelet))
        wp_text_add(out, ", with another wavelet (to use this one, drop its wavelet file on that "
                         "page)");
    if (!pass && params->input.image && !pattern_of(params->input.image, &length))
        wp_text_add(out, ", on a test pattern (to use this image, drop it on that page)");
    wp_text_add(out, "</p>\n");
    wp_text_free(&address);
}

void wp_report_link_questions(const struct wp_report_params *params, int seed,
                              struct wp_text *out)
{
    struct wp_text address = {0};
    if (!params->page || !has_wavelet(params->explain.wavelet))
        return;
    wp_text_add(&address, "%s#w=%s&q=%d", params->page, params->explain.wavelet->name, seed);
    add_link(wp_text_get(&address), "Answer and check these questions in a browser", out);
    wp_text_add(out, "</p>\n");
    wp_text_free(&address);
}
