#include "memory.h"
#include "plan.h"

#include <stdlib.h>

// Where the two samples of a quad along one axis come from: parity and index in the band of
// that parity, or index -1 for zero.
struct origin {
    int parity, index;
};

static struct origin find_origin(enum wp_extension extension, int sample, int size)
{
    const int found = wp_extend(extension, sample, size);
    return found < 0 ? (struct origin){0, -1} : (struct origin){found & 1, found >> 1};
}

static float fetch(const struct wp_port *port, const float *plane, struct origin x,
                   struct origin y)
{
    const int band = x.parity + 2 * y.parity;
    if (x.index < 0 || y.index < 0 || !port->used[band])
        return 0.0f;
    const struct wp_band_view *view = &port->band[band];
    return plane[view->offset + x.index * view->step_x + y.index * view->step_y];
}

void wp_port_load(const struct wp_port *port, const float *plane, int first_row, int rows,
                  float *quads)
{
    // Quads first..end-1 of a row lie inside the samples.
    const struct wp_rect *domain = &port->domain;
    const int first = domain->x < 0 ? 0 : domain->x;
    const int whole = port->width / 2;
    const int end = domain->x + domain->width < whole ? domain->x + domain->width : whole;
    for (int row = 0; row < rows; row++) {
        for (int cy = 0; cy < 2; cy++) {
            const int sample_y = 2 * (domain->y + first_row + row) + cy;
            const struct origin y = find_origin(port->extension, sample_y, port->height);
            float *out = quads + (size_t)row * (size_t)domain->width * 4 + 2 * cy;
            for (int x = domain->x; x < domain->x + domain->width; x++) {
                if (x == first && first < end) {
                    for (int cx = 0; cx < 2; cx++) {
                        const int band = cx + 2 * y.parity;
                        const struct wp_band_view *view = &port->band[band];
                        if (!port->used[band] || y.index < 0) {
                            for (int i = first; i < end; i++)
                                out[4 * (i - domain->x) + cx] = 0.0f;
                            continue;
                        }
                        const float *in = plane + view->offset + y.index * view->step_y;
                        for (int i = first; i < end; i++)
                            out[4 * (i - domain->x) + cx] = in[i * view->step_x];
                    }
                    x = end - 1;
                    continue;
                }
                for (int cx = 0; cx < 2; cx++)
                    out[4 * (x - domain->x) + cx] =
                        fetch(port, plane, find_origin(port->extension, 2 * x + cx, port->width),
                              y);
            }
        }
    }
}

void wp_port_store(const struct wp_port *port, const float *quads, int first_row, int rows,
                   float *plane)
{
    const struct wp_rect *domain = &port->domain;
    for (int row = 0; row < rows; row++) {
        const int y = domain->y + first_row + row;
        const float *in = quads + (size_t)row * (size_t)domain->width * 4;
        for (int band = 0; band < WP_BAND_COUNT; band++) {
            const struct wp_band_view *view = &port->band[band];
            if (!port->used[band] || y >= view->height)
                continue;
            float *out = plane + view->offset + y * view->step_y;
            for (int x = 0; x < view->width; x++)
                out[x * view->step_x] = in[4 * (x - domain->x) + band];
        }
    }
}
