#include "html.h"

#include "explain.h"
#include "svg.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Grey says as much as colour does; on paper nothing is cut.
static const char style[] =
    "body { font: 15px/1.45 sans-serif; color: #222; background: #fff; max-width: 1200px; "
    "margin: 2em auto; padding: 0 1em; }\n"
    "h1, h2, h3 { line-height: 1.2; }\n"
    "h2 { border-top: 2px solid #222; padding-top: .6em; margin-top: 2em; }\n"
    "table { border-collapse: collapse; margin: 1em 0; }\n"
    "th, td { border: 1px solid #777; padding: .2em .6em; text-align: right; }\n"
    "th { background: #eee; font-weight: bold; }\n"
    "th[scope=row], td.text { text-align: left; }\n"
    "td[colspan] { text-align: center; }\n"
    "table.matrix td { text-align: center; min-width: 3.5em; height: 1.6em; }\n"
    "pre { background: #f6f6f6; border: 1px solid #ccc; padding: .6em; font-size: 12px; "
    "white-space: pre-wrap; overflow-wrap: anywhere; }\n"
    "svg { max-width: 100%; height: auto; }\n"
    "div.pass { display: flex; flex-wrap: wrap; gap: 0 2.5em; align-items: flex-start; }\n"
    "figure { display: inline-block; margin: .5em 1em .5em 0; vertical-align: top; "
    "max-width: 100%; }\n"
    "figure img { width: 256px; image-rendering: pixelated; border: 1px solid #777; "
    "display: block; }\n"
    "figcaption { font-size: 13px; max-width: 256px; }\n"
    "sub, sup { font-size: 75%; line-height: 0; }\n"
    "@page { size: A4 landscape; margin: 12mm; }\n"
    "@media print {\n"
    "  body { max-width: none; margin: 0; padding: 0; font-size: 11pt; }\n"
    "  h2 { break-before: page; border: 0; margin-top: 0; }\n"
    "  h1.answers { break-before: page; }\n"
    "  h2.same, h1 + h2 { break-before: auto; }\n"
    "  h2, h3 { break-after: avoid; }\n"
    "  figure, table, svg, div.pass { break-inside: avoid; }\n"
    "  svg { max-height: 170mm; }\n"
    "  pre { font-size: 8pt; columns: 2; }\n"
    "}\n";

void wp_html_begin(struct wp_text *out, const char *title)
{
    wp_text_add(out, "<!DOCTYPE html>\n"
                     "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width\"/>\n");
    wp_html_element(out, "title", title);
    wp_text_add(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
    wp_html_element(out, "h1", title);
}

void wp_html_end(struct wp_text *out)
{
    wp_text_add(out, "</body>\n</html>\n");
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
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned second = i + 1 < size ? bytes[i + 1] : 0;
        const unsigned third = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned bits = (unsigned)bytes[i] << 16 | second << 8 | third;
        wp_text_add(out, "%c%c%c%c", digits[bits >> 18], digits[bits >> 12 & 63],
                    i + 1 < size ? digits[bits >> 6 & 63] : '=',
                    i + 2 < size ? digits[bits & 63] : '=');
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
    static const char head[] = "head-";
    svg = strstr(svg, "<svg");
    wp_text_add(out, "<div>\n");
    while (*svg) {
        const char *id = strstr(svg, head);
        const size_t length = id ? (size_t)(id - svg) : strlen(svg);
        wp_text_add(out, "%.*s", (int)length, svg);
        svg += length;
        if (*svg) {
            wp_text_add(out, "p%d-%s", number, head);
            svg += strlen(head);
        }
    }
    wp_text_add(out, "</div>\n");
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
            wp_text_add(out, "<sup>%.*s</sup>", (int)length - 1, at + 1);
            at += length - 1;
        } else {
            wp_text_add(out, "%c", *at);
        }
    }
    wp_text_free(&text);
}
