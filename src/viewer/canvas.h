// The part of the window that shows tiles.
#ifndef WP_VIEWER_CANVAS_H
#define WP_VIEWER_CANVAS_H

#include "viewer_struct.h"

void wp_canvas_draw(struct wp_viewer *v);    // draws the tiles, below the interface
void wp_canvas_overlay(struct wp_viewer *v); // captions, lines, numbers
void wp_canvas_hover(struct wp_viewer *v);   // finds the sample under the pointer

// Text on a dark background.
void wp_canvas_label(float x, float y, enum wp_ui_colour colour, const char *text);

#endif
