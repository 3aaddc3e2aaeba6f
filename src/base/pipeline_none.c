// Replaces pipeline.c on systems without threads: processes one item after another.
#include "pipeline.h"

#include "clock.h"

bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int caller_stage, void *user)
{
    (void)caller_stage;
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
