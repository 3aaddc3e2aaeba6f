#include "font.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb/stb_truetype.h>

// Made from DejaVuSans.ttf at build time.
extern const unsigned char wp_font_data[];

// A position in a line of text.
struct cursor {
    stbtt_fontinfo font;
    float scale; // pixels per font unit
    const char *rest;
    float x;
    int glyph; // the previous glyph, or -1 at the start of the line
};

static bool cursor_start(struct cursor *cursor, const char *utf8, float pixel_height)
{
    *cursor = (struct cursor){.rest = utf8, .glyph = -1};
    // Written so that NaN fails.
    if (!(pixel_height > 0.0F && pixel_height <= WP_FONT_MAX_HEIGHT) ||
        !stbtt_InitFont(&cursor->font, wp_font_data, 0))
        return false;
    cursor->scale = stbtt_ScaleForPixelHeight(&cursor->font, pixel_height);
    return true;
}

// Consumes one character of *text, which is not empty. A byte that does not begin a well-formed
// UTF-8 sequence becomes U+FFFD, and decoding continues with the next byte.
static int next_character(const char **text)
{
    const unsigned char *byte = (const unsigned char *)*text;
    const int length = byte[0] < 0x80 ? 1 : byte[0] >> 5 == 6 ? 2 : byte[0] >> 4 == 14 ? 3
                     : byte[0] >> 3 == 30 ? 4 : 0;
    // The smallest code point of each length; smaller ones are overlong forms.
    static const int least[5] = {0, 0, 0x80, 0x800, 0x10000};
    int character = length == 1 ? byte[0] : byte[0] & (0x7F >> length);
    for (int i = 1; i < length; i++) {
        if (byte[i] >> 6 != 2) {
            character = -1;
            break;
        }
        character = character << 6 | (byte[i] & 0x3F);
    }
    const bool surrogate = character >= 0xD800 && character < 0xE000;
    if (length == 0 || character < least[length] || character > 0x10FFFF || surrogate) {
        *text += 1;
        return 0xFFFD;
    }
    *text += length;
    return character;
}

// Advances to the next glyph and gets its pen position. False at the end of the line.
static bool cursor_next(struct cursor *cursor, float *pen)
{
    if (!*cursor->rest)
        return false;
    const int glyph = stbtt_FindGlyphIndex(&cursor->font, next_character(&cursor->rest));
    if (cursor->glyph >= 0)
        cursor->x += cursor->scale *
                     (float)stbtt_GetGlyphKernAdvance(&cursor->font, cursor->glyph, glyph);
    *pen = cursor->x;
    int advance, bearing;
    stbtt_GetGlyphHMetrics(&cursor->font, glyph, &advance, &bearing);
    cursor->x += cursor->scale * (float)advance;
    cursor->glyph = glyph;
    return true;
}

int wp_font_width(const char *utf8, float pixel_height)
{
    struct cursor cursor;
    float pen;
    if (!cursor_start(&cursor, utf8, pixel_height))
        return 0;
    while (cursor_next(&cursor, &pen))
        continue;
    return (int)ceilf(cursor.x);
}

void wp_font_draw(float *plane, int width, int height, int x, int y, float pixel_height,
                  const char *utf8, float value)
{
    struct cursor cursor;
    float pen;
    if (!cursor_start(&cursor, utf8, pixel_height))
        return;
    int ascent, descent, gap;
    stbtt_GetFontVMetrics(&cursor.font, &ascent, &descent, &gap);
    // On an integer row, so that baselines are sharp.
    const int baseline = (int)lrintf(cursor.scale * (float)ascent);
    while (cursor_next(&cursor, &pen)) {
        const float pixel_x = floorf(pen);
        int glyph_width, glyph_height, left, top;
        unsigned char *coverage = stbtt_GetGlyphBitmapSubpixel(
            &cursor.font, cursor.scale, cursor.scale, pen - pixel_x, 0.0F, cursor.glyph,
            &glyph_width, &glyph_height, &left, &top);
        if (!coverage)
            continue; // a space has no bitmap
        // In 64 bits: x and y may be any int.
        const long long from_x = (long long)x + (int)pixel_x + left;
        const long long from_y = (long long)y + baseline + top;
        for (int row = 0; row < glyph_height; row++) {
            for (int column = 0; column < glyph_width; column++) {
                const long long at_x = from_x + column, at_y = from_y + row;
                const unsigned char covered = coverage[row * glyph_width + column];
                if (covered == 0 || at_x < 0 || at_x >= width || at_y < 0 || at_y >= height)
                    continue;
                float *pixel = plane + at_y * width + at_x;
                const float share = (float)covered / 255.0F;
                *pixel = *pixel * (1.0F - share) + value * share;
            }
        }
        stbtt_FreeBitmap(coverage, cursor.font.userdata);
    }
}
