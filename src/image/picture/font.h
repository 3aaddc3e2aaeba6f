// Draws text into float planes with DejaVu Sans, which is embedded in the program.
//
// The functions have no state: threads may call them at the same time for different planes. Each
// glyph allocates a few kilobytes while it is drawn and is omitted if that fails. Characters
// missing from the font are drawn as empty boxes, bytes that are not UTF-8 as U+FFFD.
#ifndef WP_FONT_H
#define WP_FONT_H

// Heights are line heights, from the highest ascender to the lowest descender, in pixels; capital
// letters are 0.63 of it. Outside of 0 < height <= WP_FONT_MAX_HEIGHT nothing is drawn.
#define WP_FONT_MAX_HEIGHT 1000.0F

// The width of a line of text in pixels, with kerning, rounded up. Control characters are not
// interpreted.
int wp_font_width(const char *utf8, float pixel_height);

// Blends `value` into a plane of width x height floats, weighted by the text's coverage of each
// pixel. (x, y) is the top left corner of the line; it may lie outside the plane, which clips the
// text.
void wp_font_draw(float *plane, int width, int height, int x, int y, float pixel_height,
                  const char *utf8, float value);

#endif
