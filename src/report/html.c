#include "html.h"

#include "explain.h"
#include "svg.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// page.css, page.js and intro.html, each with a terminating zero.
extern const unsigned char wp_page_style[], wp_page_script[], wp_page_introduction[];

static const char *text_of(const unsigned char *file)
{
    return (const char *)file;
}

void wp_html_page(struct wp_text *out, const char *title, const char *contents,
                  const struct wp_text *body)
{
    wp_text_add(out, "<!DOCTYPE html>\n"
                     "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width\"/>\n");
    wp_html_element(out, "title", title);
    wp_text_add(out, "<style>\n%s</style>\n</head>\n<body>\n<div class=\"page\">\n",
                text_of(wp_page_style));
    wp_html_element(out, "h1", title);
    wp_text_add(out, "<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n%s</ol>\n"
                     "<p class=\"muted\">Only open sections are printed.</p>\n"
                     "<button type=\"button\" class=\"open-all\" hidden=\"hidden\">Open all"
                     "</button>\n</nav>\n<main>\n%s</main>\n</div>\n"
                     "<script>\n%s</script>\n</body>\n</html>\n",
                contents, wp_text_get(body), text_of(wp_page_script));
}

void wp_html_introduction(struct wp_text *out)
{
    wp_text_add(out, "%s", text_of(wp_page_introduction));
}

void wp_html_begin_wide(struct wp_text *out, const char *name)
{
    wp_text_add(out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
    wp_html_text(out, name);
    wp_text_add(out, "\">\n");
}

void wp_html_end_wide(struct wp_text *out)
{
    wp_text_add(out, "</div>\n");
}

void wp_html_heading_cell(struct wp_text *out, const char *name)
{
    const char *const word = strstr(name, "polyconvolution");
    wp_text_add(out, "<th scope=\"col\">%.*s%s%s</th>", word ? (int)(word - name) : -1, name,
                word ? "poly<wbr/>" : "", word ? word + strlen("poly") : "");
}

void wp_html_text(struct wp_text *out, const char *text)
{
    wp_svg_escape(out, text);
}

void wp_html_element(struct wp_text *out, const char *element, const char *text)
{
    wp_text_add(out, "<%s>", element);
    wp_html_text(out, text);
    wp_text_add(out, "</%s>\n", element);
}

static void add_base64(struct wp_text *out, const unsigned char *bytes, size_t size)
{
    static const char base64_digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned second = i + 1 < size ? bytes[i + 1] : 0;
        const unsigned third = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned bits = (unsigned)bytes[i] << 16 | second << 8 | third;
        wp_text_add(out, "%c%c%c%c", base64_digits[bits >> 18], base64_digits[bits >> 12 & 63],
                    i + 1 < size ? base64_digits[bits >> 6 & 63] : '=',
                    i + 2 < size ? base64_digits[bits & 63] : '=');
    }
}

bool wp_html_picture(struct wp_text *out, const struct wp_image *image, const char *alt,
                     const char *caption)
{
    size_t size;
    unsigned char *png = wp_image_encode_png(image, &size);
    if (!png)
        return false;
    wp_text_add(out, "<figure><img src=\"data:image/png;base64,");
    add_base64(out, png, size);
    wp_text_add(out, "\" alt=\"");
    wp_html_text(out, alt);
    wp_text_add(out, "\"/>");
    wp_html_element(out, "figcaption", caption);
    wp_text_add(out, "</figure>\n");
    free(png);
    return true;
}

void wp_html_svg(struct wp_text *out, const char *svg, int number)
{
    static const char prefix[] = "head-";
    svg = strstr(svg, "<svg");
    while (*svg) {
        const char *id = strstr(svg, prefix);
        const size_t length = id ? (size_t)(id - svg) : strlen(svg);
        wp_text_add(out, "%.*s", (int)length, svg);
        svg += length;
        if (*svg) {
            wp_text_add(out, "p%d-%s", number, prefix);
            svg += strlen(prefix);
        }
    }
}

void wp_html_label(struct wp_text *out, const char *label)
{
    while (*label) {
        if (*label == '^' || *label == '_') {
            const char *element = *label == '^' ? "sup" : "sub";
            const size_t length = 1 + strcspn(label + 1, "_ ");
            wp_text_add(out, "<%s>%.*s</%s>", element, (int)length - 1, label + 1, element);
            label += length;
        } else {
            wp_text_add(out, "%c", *label++);
        }
    }
}

void wp_html_poly(struct wp_text *out, const struct wp_poly *poly)
{
    struct wp_text text = {0};
    wp_explain_poly(&text, poly);
    for (const char *at = wp_text_get(&text); *at; at++) {
        if (*at == 'z') {
            wp_text_add(out, "z<sub>%c</sub>", *++at);
        } else if (*at == '^') {
            const size_t length = 1 + strspn(at + 1, "-0123456789");
            char power[16];
            snprintf(power, sizeof power, "%.*s", (int)length - 1, at + 1);
            wp_text_add(out, "<sup>");
            wp_text_add_signed(out, power);
            wp_text_add(out, "</sup>");
            at += length - 1;
        } else {
            wp_text_add_signed(out, (const char[]){*at, '\0'});
        }
    }
    wp_text_free(&text);
}
