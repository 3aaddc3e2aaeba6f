// The passes of a scheme on a volume: no backend runs passes over octets, so this does, to show
// them.
#ifndef WP_REPORT_OCTETS_H
#define WP_REPORT_OCTETS_H

#include "report_run.h"

// As wp_report_run(), of a description that is sound.
bool wp_report_octets(const struct wp_description *description, const float *volume,
                      const int *voxel, wp_report_watch watch, void *user);

#endif
