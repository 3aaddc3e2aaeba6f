// What the canvas shows, as rectangles of samples.
#ifndef WP_VIEWER_TILES_H
#define WP_VIEWER_TILES_H

#include "orientation_view.h"
#include "measure.h"
#include "instance.h"

struct wp_viewer;

// What tiles lie on: the canvas itself, or a face of a cube. A point (x, y) on it is at
// origin + x across + y down in the view's coordinates.
struct wp_face {
    float origin[2], across[2], down[2];
    float shade; // what lies on it is as bright as this part of it
};

// A rectangle of the canvas that shows one band, image or surface.
struct wp_tile {
    float x, y;          // left and top on its face
    float unit[2];       // there: width and height of a sample
    struct wp_face face;
    int width, height;   // samples
    int planes;          // 1, or WP_COLOURS that are seen as red, green and blue
    struct wp_quads quads[2][WP_COLOURS]; // of A and B; B's textures are NULL where there is no B
    int component;       // 0..3: of each quad; 4: all four, where they lie in the image
    int stride_log;      // -1, or of the mixed-band layout (display.frag)
    bool low_only;       // there: component 0, else the other three
    bool picture;        // not signed
    int level, band;     // level 0: an image
    float low, high;     // what is black and white, or as far from zero as can be shown
    bool apart;          // each component of its quads has its own way of being seen:
    struct wp_tile_style {
        bool picture;
        float low, high;
    } style[WP_COMPONENTS];

    // Of a slice (volume_tiles.h):
    bool single;         // one sample a texel: its first component, or of colour three
    struct wp_slice_orientation orientation;
    int at[WP_DIMS_MAX]; // its first sample in the array; the slice along its axis
    int origin[WP_DIMS_MAX], shift[WP_DIMS_MAX]; // sample i there is at origin + (i << shift)
};

enum { WP_TILES_MAX = 1024 };

// B is shown with A.
bool wp_viewer_comparing(const struct wp_viewer *v);

void wp_viewer_make_tiles(struct wp_viewer *v); // of an image

// A tile more, of an image of 0..1; NULL where there is nothing of it, or no room.
struct wp_tile *wp_tile_add(struct wp_viewer *v, float x, float y, const float unit[2], int width,
                            int height);
// The values of a band, or of an image, that are black and white or furthest from zero.
void wp_tile_set_range(const struct wp_viewer *v, struct wp_tile *tile);
void wp_tile_set_picture_range(const struct wp_viewer *v, struct wp_tile *tile, bool wide);

// What the components of its quads are called: bands, or of images and between passes neighbours.
const char *const *wp_tile_names(const struct wp_tile *tile);

// Of a sample of a tile: which component of its quad it is.
int wp_tile_component(const struct wp_tile *tile, int x, int y);

// Adds the measurements of a tile, of A or of A - B: one, or in the mixed-band layout one a
// band; those of a plane behind those of another.
void wp_tile_request(const struct wp_tile *tile, bool difference,
                     struct wp_measure_request *request, int *count);

#endif
