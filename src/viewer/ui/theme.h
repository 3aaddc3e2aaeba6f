// Colors of the themes.
#ifndef WP_THEME_H
#define WP_THEME_H

#include "ui.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char *const wp_ui_colour_names[WP_UI_COLOURS];

// Red, green and blue, 0 to 255.
const unsigned char *wp_theme_colour(enum wp_theme theme, enum wp_ui_colour colour);

#ifdef __cplusplus
}
#endif

#endif
