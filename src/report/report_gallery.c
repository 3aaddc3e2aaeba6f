// Pictures of the steps of a transform, for the page of `explain --show report`.
#include "report_internal.h"

#include "channel.h"
#include "explain_grid.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The picture of a step. Planes are transformed one after another, and each adds its part.
struct shot {
    struct wp_image *image;
    struct wp_text name, alt;
};

struct gallery {
    const struct wp_report_params *params;
    const struct wp_image *image; // one plane, or three in color
    bool color;
    double range;
    int plane;
    struct shot *shot; // one per step, after the first run has counted them
    int count, next;
    struct wp_report_pictures *to;
};

// The number of planes to transform.
static int planes_of(const struct gallery *gallery)
{
    return gallery->color ? WP_COLOURS : 1;
}

static bool measure(void *user, const struct wp_lesson_state *state)
{
    struct gallery *gallery = user;
    const double range = wp_report_step_range(state);
    if (isfinite(range))
        gallery->range = fmax(gallery->range, range);
    gallery->count += gallery->plane == 0;
    return true;
}

int wp_report_slice(const struct wp_report_params *params)
{
    const int *position = params->pixel;
    return position && position[WP_Z] != WP_REPORT_NO_Z ? position[WP_Z] : params->size[WP_Z] / 2;
}

static int find_layer(const struct wp_report_params *params, const struct wp_lesson_state *state)
{
    const struct wp_description d = wp_report_describe(params);
    int layer = wp_report_slice(params);
    for (int level = 1; level <= state->level; level++)
        layer >>= wp_description_axes(&d, level) >> WP_Z & 1;
    return layer;
}

// Whether a step's values are subbands; otherwise they are polyphase components of samples.
static bool is_subbands(const struct wp_lesson_state *state)
{
    const bool pass = state->step == WP_LESSON_PASS;
    return state->scheme->direction == WP_INVERSE
               ? !pass
               : pass && state->pass == state->scheme->pass_count - 1;
}

// Adds the names of the quadrants of a slice's picture: "LL, HL above LH, HH".
static void add_quadrants(const struct wp_lesson_state *state, int first, struct wp_text *out)
{
    const int dims = state->components > WP_COMPONENTS ? 3 : 2;
    static const char *const before[WP_COMPONENTS] = {"", ", ", " above ", ", "};
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_text_add(out, "%s%s", before[c],
                    is_subbands(state) ? wp_grid_band(first + c, dims)
                                       : wp_explain_component(first + c, dims));
}

static void describe_shot(const struct gallery *gallery, const struct wp_lesson_state *state,
                          int layer, struct shot *shot)
{
    const bool volume = state->components > WP_COMPONENTS;
    char number[WP_NUMBER_SIZE];
    wp_lesson_state_name(&shot->name, state);
    if (volume)
        wp_text_add(&shot->name, ", layer %d of octets", layer);
    wp_text_add(&shot->name, ": ");
    add_quadrants(state, 0, &shot->name);
    if (volume) {
        wp_text_add(&shot->name, "; on the right ");
        add_quadrants(state, WP_COMPONENTS, &shot->name);
    }
    wp_format_number(number, gallery->range, 3);
    wp_text_add(&shot->alt, "%s, %s. ", state->scheme->name, wp_text_get(&shot->name));
    if (gallery->color)
        wp_text_add(&shot->alt, "Red, green and blue planes in color. Zero is mid-gray, -%s is "
                                "none of a color and %s is its full value.", number, number);
    else
        wp_text_add(&shot->alt, "Zero is mid-gray, -%s is black and %s is white.", number, number);
}

// Adds a plane to a step's picture. The first plane sets its text, the last one adds it to the
// page.
static bool add_picture(void *user, const struct wp_lesson_state *state)
{
    struct gallery *gallery = user;
    struct shot *shot = &gallery->shot[gallery->next++];
    const int planes = planes_of(gallery);
    const int layer = state->components > WP_COMPONENTS ? find_layer(gallery->params, state) : 0;
    struct wp_image *image = wp_report_step_picture(state, gallery->range, true, layer);
    if (gallery->plane == 0)
        describe_shot(gallery, state, layer, shot);
    if (image && gallery->plane == 0)
        shot->image = wp_image_create(image->width, image->height, planes, false);
    const bool ok = image && shot->image;
    if (ok)
        memcpy(shot->image->plane[gallery->plane], image->plane[0],
               wp_image_samples(image) * sizeof(float));
    wp_image_destroy(&image);
    if (!ok || gallery->plane < planes - 1)
        return ok;
    struct wp_text *out = state->step == WP_LESSON_PASS ? &gallery->to->after[state->pass]
                                                        : &gallery->to->before;
    const bool added =
        wp_html_picture(out, shot->image, wp_text_get(&shot->alt), wp_text_get(&shot->name));
    wp_image_destroy(&shot->image);
    return added;
}

static bool run_plane(struct gallery *gallery, const struct wp_description *description, int plane,
                      wp_lesson_watch watch)
{
    struct wp_image one = *gallery->image;
    one.plane[0] = one.plane[plane];
    gallery->plane = plane;
    gallery->next = 0;
    return wp_lesson_run(description, &one, NULL, watch, gallery);
}

static bool run_planes(struct gallery *gallery, const struct wp_description *description,
                       wp_lesson_watch watch)
{
    bool ok = true;
    for (int p = 0; p < planes_of(gallery) && ok; p++)
        ok = run_plane(gallery, description, p, watch);
    return ok;
}

bool wp_report_add_pictures(const struct wp_report_params *params, const struct wp_image *image,
                            const struct wp_image *color, const struct wp_description *description,
                            struct wp_report_pictures *pictures)
{
    struct gallery gallery = {
        .params = params, .image = color ? color : image, .color = color != NULL, .to = pictures};
    bool ok = run_planes(&gallery, description, measure);
    if (ok) {
        gallery.shot = wp_allocate((size_t)gallery.count, sizeof *gallery.shot, "pictures");
        ok = gallery.shot && run_planes(&gallery, description, add_picture);
    }
    for (int i = 0; i < gallery.count && gallery.shot; i++) {
        wp_image_destroy(&gallery.shot[i].image);
        wp_text_free(&gallery.shot[i].name);
        wp_text_free(&gallery.shot[i].alt);
    }
    free(gallery.shot);
    return ok;
}
