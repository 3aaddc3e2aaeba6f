// Without threads.
#include "background.h"

#include <stddef.h>

struct wp_background *wp_background_start(bool (*turn)(void *user), void *user)
{
    (void)turn, (void)user;
    return NULL;
}

void wp_background_wake(struct wp_background *background)
{
    (void)background;
}

void wp_background_wait(struct wp_background *background)
{
    (void)background;
}

void wp_background_stop(struct wp_background **background)
{
    (void)background;
}

void wp_background_lock(struct wp_background *background)
{
    (void)background;
}

void wp_background_unlock(struct wp_background *background)
{
    (void)background;
}
