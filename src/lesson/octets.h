// Runs the passes of a scheme on a volume, since no backend runs passes over octets.
#ifndef WP_OCTETS_H
#define WP_OCTETS_H

#include "lesson_run.h"

// wp_lesson_run() for a volume with a valid description.
bool wp_lesson_octets(const struct wp_description *description, const float *volume,
                      const int *voxel, wp_lesson_watch watch, void *user);

#endif
