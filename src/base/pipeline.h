// Work on one item after another in several stages, which go on at once.
#ifndef WP_PIPELINE_H
#define WP_PIPELINE_H

#include <stdbool.h>

struct wp_pipeline_stage {
    // Does item 0, 1, 2, … of a stage, each once and in this order. The first stage sets `*end`
    // where there is no such item. False after an error (log.h).
    bool (*step)(void *user, int item, bool *end);
    int slots;      // places for what it makes; the last stage needs none
    int until;      // the last stage that uses what it makes; 0: the next one
    int turn, turns; // takes each item whose number leaves `turn` when divided by `turns`, and lets
                     // the others pass; 0: takes all. Such stages behind each other do one work
                     // in several threads.
    double seconds;  // gets the time that it worked
};

static inline bool wp_pipeline_has_item(const struct wp_pipeline_stage *stage, int item)
{
    return stage->turns == 0 || item % stage->turns == stage->turn;
}

// Runs the stages, all but number `here`, which the caller's thread takes, in threads of their own.
// An item comes to a stage when the one before is done with it, and when stage `until` is done with
// the item that had the place before it, which is `slots` before. False where a step failed, whose
// kind of error is the caller's last one; then no step begins any more.
bool wp_pipeline_run(struct wp_pipeline_stage *stage, int count, int here, void *user);

#endif
