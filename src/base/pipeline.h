// Work on one item after another in several stages, which go on at once.
#ifndef WP_PIPELINE_H
#define WP_PIPELINE_H

#include <stdbool.h>

// Does item 0, 1, 2, … of a stage, each once and in this order. The first stage sets `*end` where
// there is no such item. False after an error (log.h).
struct wp_pipeline_stage {
    bool (*step)(void *user, int item, bool *end);
    double seconds; // gets the time that it worked
};

// Runs the stages, all but number `here`, which the caller's thread takes, in threads of their own.
// An item comes to a stage when the one before is done with it and the one behind is done with the
// item `slots` before, so that two stages share that many places for what goes from the one to the
// other. False where a step failed, whose kind of error is the caller's last one; then no step
// begins any more.
bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int here, int slots, void *user);

#endif
