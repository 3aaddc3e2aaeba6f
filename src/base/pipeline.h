// A pipeline: several stages process a sequence of items concurrently.
#ifndef WP_PIPELINE_H
#define WP_PIPELINE_H

#include <stdbool.h>

struct wp_pipeline_stage {
    // Processes item 0, 1, 2, ..., each once and in this order. The first stage sets `*end` if
    // there is no such item. False after an error (log.h).
    bool (*step)(void *user, int item, bool *end);
    int slots;         // capacity for output items; not used for the last stage
    int until;         // the last stage that reads the output of this stage; 0: the next one
    int phase, period; // only items with item % period == phase; period 0: all items. Consecutive
                       // stages with the same step and different phases share its work.
    double seconds;    // set to the time in `step`
};

static inline bool wp_pipeline_has_item(const struct wp_pipeline_stage *stage, int item)
{
    return stage->period == 0 || item % stage->period == stage->phase;
}

// Runs stage `caller_stage` in the calling thread and the others in threads of their own. A stage
// begins an item when the previous stage has finished it and stage `until` has finished the item
// that used the same slot, `slots` items before. False if a step failed, after which no further
// step begins; the error of that step is then the caller's latest error.
bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int caller_stage, void *user);

#endif
