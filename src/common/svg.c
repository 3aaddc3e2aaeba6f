#include "svg.h"

#include <math.h>
#include <string.h>

void wp_svg_add_numbers(struct wp_text *out, const char *pattern, const double *number)
{
    while (*pattern) {
        const size_t length = strcspn(pattern, "@");
        wp_text_add(out, "%.*s", (int)length, pattern);
        pattern += length;
        if (*pattern == '@') {
            // Rounded to hundredths of a pixel.
            char text[WP_NUMBER_SIZE];
            wp_format_number(text, round(*number++ * 100.0) / 100.0, 8);
            const size_t end = strlen(text);
            if (end > 2 && strcmp(text + end - 2, ".0") == 0)
                text[end - 2] = '\0';
            wp_text_add(out, "%s", strcmp(text, "-0") == 0 ? "0" : text);
            pattern++;
        }
    }
}

void wp_svg_escape(struct wp_text *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': wp_text_add(out, "&amp;"); break;
        case '<': wp_text_add(out, "&lt;"); break;
        case '>': wp_text_add(out, "&gt;"); break;
        case '"': wp_text_add(out, "&quot;"); break;
        default: wp_text_add(out, "%c", *text); break;
        }
    }
}

void wp_svg_text(struct wp_text *out, const struct wp_svg_label *label, const char *text)
{
    const double size = label->size > 0.0 ? label->size : 12.0;
    wp_svg_add(out, "<text x=\"@\" y=\"@\" font-size=\"@\"", label->x, label->y, size);
    if (label->anchor)
        wp_text_add(out, " text-anchor=\"%s\"", label->anchor);
    wp_text_add(out, "%s%s>", label->style ? " " : "", label->style ? label->style : "");
    wp_svg_escape(out, text);
    wp_text_add(out, "</text>\n");
}

void wp_svg_wrap(struct wp_text *out, const struct wp_svg_page *page, const char *body)
{
    wp_svg_add(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"@\" height=\"@\" "
               "viewBox=\"0 0 @ @\" role=\"img\" font-family=\"sans-serif\" fill=\"#222\">\n",
               page->width, page->height, page->width, page->height);
    wp_text_add(out, "<title>");
    wp_svg_escape(out, page->title);
    wp_text_add(out, "</title>\n<desc>");
    wp_svg_escape(out, page->description);
    wp_text_add(out, "</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n",
                body);
}
