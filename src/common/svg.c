#include "svg.h"

#include <math.h>
#include <stdarg.h>
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
            wp_format_short(text, round(*number++ * 100.0) / 100.0, 8);
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

void wp_svg_text(struct wp_text *out, double x, double y, double size, const char *attributes,
                 const char *format, ...)
{
    struct wp_text text = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&text, format, args);
    va_end(args);
    wp_svg_add(out, "<text x=\"@\" y=\"@\" font-size=\"@\"", x, y, size);
    wp_text_add(out, "%s%s>", attributes ? " " : "", attributes ? attributes : "");
    wp_svg_escape(out, wp_text_get(&text));
    wp_text_add(out, "</text>\n");
    wp_text_free(&text);
}

double wp_svg_lines(struct wp_text *out, double x, double y, double size, const char *attributes,
                    double step, size_t columns, const char *text)
{
    while (*text) {
        const size_t rest = strcspn(text, "\n");
        size_t length = rest < columns ? rest : columns;
        while (length < rest && length > 0 && text[length] != ' ')
            length--;
        if (length == 0)
            length = strcspn(text, " \n");
        wp_svg_text(out, x, y, size, attributes, "%.*s", (int)length, text);
        y += step;
        text += length;
        text += *text == '\n' ? 1 : strspn(text, " ");
    }
    return y;
}

void wp_svg_wrap(struct wp_text *out, double width, double height, const char *title,
                 const char *description, const char *body)
{
    wp_svg_add(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"@\" height=\"@\" "
               "viewBox=\"0 0 @ @\" role=\"img\" font-family=\"sans-serif\" fill=\"#222\">\n",
               width, height, width, height);
    wp_text_add(out, "<title>");
    wp_svg_escape(out, title);
    wp_text_add(out, "</title>\n<desc>");
    wp_svg_escape(out, description);
    wp_text_add(out, "</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n",
                body);
}
