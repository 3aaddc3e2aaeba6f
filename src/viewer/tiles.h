// What the canvas shows, as rectangles of samples.
#ifndef WP_VIEWER_TILES_H
#define WP_VIEWER_TILES_H

#include "measure.h"
#include "side.h"

struct wp_viewer;

// A rectangle of the canvas that shows one band, image or surface.
struct wp_tile {
    float x, y, unit;    // left, top, and side of a sample, in the view's coordinates
    int width, height;   // samples
    struct wp_quads quads[2]; // of A and B; b.texture is NULL where there is no B
    int component;       // 0..3: of each quad; 4: all four, where they lie in the image
    int stride_log;      // -1, or of the mixed-band layout (display.frag)
    bool low_only;       // there: component 0, else the other three
    bool picture;        // not signed
    int level, band;     // level 0: an image
    float low, high;     // what is black and white, or as far from zero as can be shown
};

enum { WP_TILES_MAX = 4 * WP_MAX_LEVELS };

// B is shown with A.
bool wp_viewer_comparing(const struct wp_viewer *v);

void wp_viewer_make_tiles(struct wp_viewer *v);

// Adds the measurements of a tile, of A or of A - B: one, or in the mixed-band layout one a
// band.
void wp_tile_request(const struct wp_tile *tile, bool difference,
                     struct wp_measure_request *request, int *count);

#endif
