// Work that goes on beside its caller, turn by turn.
#ifndef WP_BACKGROUND_H
#define WP_BACKGROUND_H

#include <stdbool.h>

struct wp_background;

// A thread that sleeps until it is woken. Then it calls turn(user) until that is false, and sleeps
// again. NULL where there are no threads: the caller is to take the turns itself.
struct wp_background *wp_background_start(bool (*turn)(void *user), void *user);

void wp_background_wake(struct wp_background *background);
void wp_background_wait(struct wp_background *background); // until it sleeps
// Ends it behind the turn that runs. Accepts NULL, clears the pointer.
void wp_background_stop(struct wp_background **background);

// For what turns and caller share. NULL: nothing happens.
void wp_background_lock(struct wp_background *background);
void wp_background_unlock(struct wp_background *background);

#endif
