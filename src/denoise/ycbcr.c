#include "ycbcr.h"

#include <math.h>
#include <string.h>

// ITU-R BT.601: Y, (B - Y) / 1.772 and (R - Y) / 1.402.
static const float red = 0.299F, green = 0.587F, blue = 0.114F, to_blue = 1.772F, to_red = 1.402F;

void wp_ycbcr_from_rgb(float *r, float *g, float *b, int n)
{
    for (int i = 0; i < n; i++) {
        const float y = red * r[i] + green * g[i] + blue * b[i];
        const float cb = (b[i] - y) / to_blue, cr = (r[i] - y) / to_red;
        r[i] = y;
        g[i] = cb;
        b[i] = cr;
    }
}

void wp_ycbcr_to_rgb(float *y, float *cb, float *cr, int n)
{
    for (int i = 0; i < n; i++) {
        const float r = y[i] + to_red * cr[i], b = y[i] + to_blue * cb[i];
        const float g = (y[i] - red * r - blue * b) / green;
        y[i] = r;
        cb[i] = g;
        cr[i] = b;
    }
}

double wp_ycbcr_noise(int plane)
{
    float v[WP_YCBCR_PLANES], squares = 0;
    for (int c = 0; c < WP_YCBCR_PLANES; c++) {
        memset(v, 0, sizeof v);
        v[c] = 1;
        wp_ycbcr_from_rgb(&v[0], &v[1], &v[2], 1);
        squares += v[plane] * v[plane];
    }
    return sqrt((double)squares);
}
