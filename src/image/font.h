// Text drawn into float planes, in DejaVu Sans, which is part of the program.
//
// Nothing is kept between calls, so that any thread may call at any time as long as no other
// one writes the same plane. Each glyph takes a few kilobytes of memory while it is drawn; one
// for which there is none is left out. Characters that the font lacks appear as empty boxes,
// bytes that are not UTF-8 as U+FFFD. No GL context is needed.
#ifndef WP_FONT_H
#define WP_FONT_H

// Heights are those of a line, from the highest ascender to the lowest descender, in pixels;
// capital letters are 0.63 of it. Outside of 0 < height <= WP_FONT_MAX_HEIGHT text is empty.
#define WP_FONT_MAX_HEIGHT 1000.0F

// How many pixels a line of text advances, kerning included, rounded up. Control characters
// have no meaning here: one call is one line.
int wp_font_width(const char *utf8, float pixel_height);

// Blends `value` into a plane of width x height floats, by how much of each pixel the text
// covers. (x, y) is the top left corner of the line and may lie outside of the plane; what
// falls outside is clipped.
void wp_font_draw(float *plane, int width, int height, int x, int y, float pixel_height,
                  const char *utf8, float value);

#endif
