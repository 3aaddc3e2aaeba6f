// Input: events of windows and scripts, and changed files.
#ifndef WP_VIEWER_INPUT_H
#define WP_VIEWER_INPUT_H

#include <stdbool.h>

struct wp_viewer;

void wp_viewer_mouse_move(struct wp_viewer *v, float x, float y);
void wp_viewer_mouse_button(struct wp_viewer *v, int button, bool down);
void wp_viewer_wheel(struct wp_viewer *v, float notches);
void wp_viewer_key_event(struct wp_viewer *v, int key, bool down);
void wp_viewer_character(struct wp_viewer *v, unsigned character);
void wp_viewer_drop(struct wp_viewer *v, const char *path);
bool wp_viewer_resize(struct wp_viewer *v, int width, int height);

// Polls files: reloads images and shaders that changed on disk.
void wp_viewer_watch(struct wp_viewer *v);

#endif
