// Targets for pictures, with 8 bits per channel. All functions require their context to be current.
#ifndef WP_SCREEN_H
#define WP_SCREEN_H

#include "texture.h"

#include <stdbool.h>

struct wp_gl;
struct wp_program;

// Framebuffer 0 is the window of the context.
struct wp_screen {
    unsigned id, framebuffer;
    int width, height; // in pixels
};

// Creates an RGBA8 texture. Returns false after WP_ERROR_TOO_LARGE or WP_ERROR_INTERNAL, with {0}.
bool wp_screen_create(struct wp_gl *gl, int width, int height, struct wp_screen *screen);
void wp_screen_destroy(struct wp_screen *screen); // accepts {0}, leaves {0}

// Makes the screen the target of all following draws.
void wp_screen_target(const struct wp_screen *screen);

// wp_screen_target(), and fills the screen with a color of 0..1.
void wp_screen_begin(const struct wp_screen *screen, const float rgb[3]);

// If `shown` is false, following draws to any target write no pixels, which saves nearly all time
// of software rendering.
void wp_screen_show(bool shown);

// Draws a rectangle of pixels with a program; (0, 0) is the top left pixel of the screen. In the
// fragment shader, gl_FragCoord.y counts from the bottom.
void wp_screen_draw(const struct wp_screen *screen, struct wp_program *program, int x, int y,
                    int width, int height);

// Waits for the GPU and copies a rectangle to rows of RGB, from top to bottom.
void wp_screen_read(const struct wp_screen *screen, int x, int y, int width, int height,
                    unsigned char *rgb);

#endif
