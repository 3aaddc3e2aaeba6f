// Pictures for people: targets of 8 bits a channel that programs draw on. All functions need
// their context to be current.
#ifndef WP_SCREEN_H
#define WP_SCREEN_H

#include "texture.h"

#include <stdbool.h>

struct wp_gl;
struct wp_program;

// With a framebuffer of 0 it is the window of the context.
struct wp_screen {
    unsigned id, framebuffer;
    int width, height; // in pixels
};

// An RGBA8 texture instead of a window. False after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL,
// with {0} left.
bool wp_screen_create(struct wp_gl *gl, int width, int height, struct wp_screen *screen);
void wp_screen_destroy(struct wp_screen *screen); // accepts {0}, leaves {0}

// Makes it the target of what others draw from here on.
void wp_screen_target(const struct wp_screen *screen);

// The same, filled with one colour of 0..1.
void wp_screen_begin(const struct wp_screen *screen, const float rgb[3]);

// Whether what is drawn from here on, on whatever target, becomes pixels. The calls and the vertices
// are the same, but in software nearly all of the time goes into the pixels.
void wp_screen_show(bool shown);

// Runs a program on a rectangle of pixels, (0, 0) being the top left one of the screen. The
// fragment's gl_FragCoord counts from the bottom.
void wp_screen_draw(const struct wp_screen *screen, struct wp_program *program, int x, int y,
                    int width, int height);

// Waits for the GPU and copies a rectangle as rows of RGB, the top one first.
void wp_screen_read(const struct wp_screen *screen, int x, int y, int width, int height,
                    unsigned char *rgb);

#endif
