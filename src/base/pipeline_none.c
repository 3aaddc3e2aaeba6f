// Instead of pipeline.c where the system has no threads: an item after the other.
#include "pipeline.h"

#include "clock.h"

bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int here, void *user)
{
    (void)here;
    bool end = false;
    for (int item = 0; !end; item++) {
        for (int s = 0; s < count && !end; s++) {
            const double start = wp_clock_seconds();
            if (wp_pipeline_has_item(&stage[s], item) && !stage[s].step(user, item, &end))
                return false;
            stage[s].seconds += wp_clock_seconds() - start;
        }
    }
    return true;
}
