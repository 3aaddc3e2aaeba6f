// Functions shared by the files of this layer.
#ifndef WP_LESSON_INTERNAL_H
#define WP_LESSON_INTERNAL_H

#include "axis_map.h"
#include "description.h"
#include "lesson.h"

// wp_lesson_run() for a valid description with a border of PyWavelets (lesson_border.c). `run` is
// wp_lesson_run(), for the periodic transforms of its levels.
typedef bool (*wp_lesson_runner)(const struct wp_description *description,
                                 const struct wp_image *image, const struct wp_lesson_path *path,
                                 wp_lesson_watch watch, void *user);
bool wp_lesson_run_border(const struct wp_description *description, const float *input,
                          const struct wp_lesson_path *path, wp_lesson_watch watch, void *user,
                          wp_lesson_runner run);

// wp_lesson_run() for a valid description of an image with a redundant bank (lesson_bank.c).
bool wp_lesson_run_bank(const struct wp_description *description, const float *input,
                        const struct wp_lesson_path *path, wp_lesson_watch watch, void *user);

// The sample of component 0 of quad or octet 0 of a level along an axis. Not 0 if the border has more
// coefficients than samples.
int wp_lesson_origin(const struct wp_description *description, int axis, int level);

// The samples of which a sample of a level is made by a border of PyWavelets, those with a weight of
// zero left out: their number, possibly none; also if memory is exhausted.
enum { WP_LESSON_SOURCES = 3 };
int wp_lesson_extend(const struct wp_description *description, int axis, int level, int sample,
                     struct wp_axis_entry entry[WP_LESSON_SOURCES]);

// Adds the source of component `c` of a quad or octet of a loaded, gathered or spread state:
// "pixel(3,4)", "LL1(3,4)", or, where the border extends, a sum such as "2 pixel(0,4) - pixel(1,4)".
void wp_lesson_name_source(const struct wp_description *description,
                           const struct wp_lesson_state *now, int c, const int at[WP_DIMS_MAX],
                           struct wp_text *out);

// Adds "(3,4)" or "(3,4,5)".
void wp_lesson_add_position(struct wp_text *out, int dims, const int at[WP_DIMS_MAX]);

static inline bool wp_lesson_is_origin(const int at[WP_DIMS_MAX])
{
    return at[WP_X] == 0 && at[WP_Y] == 0 && at[WP_Z] == 0;
}

// "HL", "HLL".
const char *wp_lesson_band_name(int dims, int band);

// "HL", of the starlet "W".
const char *wp_lesson_band_of(enum wp_bank bank, int component);

#endif
