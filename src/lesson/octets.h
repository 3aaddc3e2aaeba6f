// The passes of a scheme on a volume: no backend runs passes over octets, so this does, to show
// them.
#ifndef WP_OCTETS_H
#define WP_OCTETS_H

#include "lesson_run.h"

// As wp_lesson_run(), of a description that is sound.
bool wp_lesson_octets(const struct wp_description *description, const float *volume,
                      const int *voxel, wp_lesson_watch watch, void *user);

#endif
