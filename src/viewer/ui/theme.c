#include "theme.h"

const char *const wp_theme_names[WP_THEME_COUNT] = {"dark", "light", "contrast"};

typedef unsigned char palette[WP_UI_COLOURS][3];

// In the order of enum wp_ui_colour. The contrast of text on panels is at least 7:1 in all themes,
// of dim text 4.5:1.
static const palette palettes[WP_THEME_COUNT] = {
    {{226, 229, 233}, {150, 157, 166}, {94, 170, 245}, {255, 176, 84}, {24, 26, 29},
     {36, 39, 43}, {66, 71, 78}, {12, 13, 15}, {240, 242, 245}, {111, 182, 247},
     {247, 166, 90}, {255, 105, 97}, {92, 214, 110}, {105, 160, 255}},
    {{28, 31, 36}, {92, 99, 108}, {18, 92, 176}, {168, 78, 0}, {214, 217, 221},
     {243, 244, 246}, {196, 200, 206}, {255, 255, 255}, {24, 26, 30}, {14, 84, 164},
     {164, 76, 0}, {190, 20, 20}, {0, 120, 30}, {20, 60, 210}},
    {{255, 255, 255}, {220, 220, 220}, {120, 205, 255}, {255, 214, 0}, {0, 0, 0}, {0, 0, 0},
     {190, 190, 190}, {0, 0, 0}, {255, 255, 255}, {120, 205, 255}, {255, 190, 60},
     {255, 110, 110}, {110, 255, 110}, {130, 170, 255}},
};

// In the same order.
const char *const wp_ui_colour_names[WP_UI_COLOURS] = {"text", "dim", "accent", "warning", "back",
                                                       "panel", "edge", "black", "white", "a", "b",
                                                       "red", "green", "blue"};

const unsigned char *wp_theme_colour(enum wp_theme theme, enum wp_ui_colour colour)
{
    return palettes[theme][colour];
}
