// Replaces font.c on the web page: the browser draws the text with its sans-serif font.
#include "font.h"

#include <emscripten.h>

// Capital letters are 0.63 of the line height; a sans-serif font of 0.86 of it has those.
EM_JS(int, advance, (const char *utf8, float height), {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.font = 0.86 * height + "px sans-serif";
    return Math.ceil(context.measureText(UTF8ToString(utf8)).width);
})

EM_JS(void, blend, (float *plane, int width, int height, int x, int y, float size,
                    const char *utf8, float value), {
    const context = new OffscreenCanvas(width, Math.ceil(size)).getContext("2d");
    context.font = 0.86 * size + "px sans-serif";
    context.textBaseline = "top";
    context.fillText(UTF8ToString(utf8), x, 0);
    const drawn = context.getImageData(0, 0, width, Math.ceil(size));
    for (let row = Math.max(0, -y); row < drawn.height && y + row < height; row++) {
        for (let column = 0; column < width; column++) {
            const at = (plane >> 2) + (y + row) * width + column;
            const cover = drawn.data[4 * (row * width + column) + 3] / 255;
            HEAPF32[at] += cover * (value - HEAPF32[at]);
        }
    }
})

int wp_font_width(const char *utf8, float pixel_height)
{
    return advance(utf8, pixel_height);
}

void wp_font_draw(float *plane, int width, int height, int x, int y, float pixel_height,
                  const char *utf8, float value)
{
    blend(plane, width, height, x, y, pixel_height, utf8, value);
}
