#include "interrupt.h"

#include "log.h"
#include "messages.h"
#include "output.h"

#include <unistd.h>

volatile sig_atomic_t wp_interrupted;

static void ask(int number)
{
    if (wp_interrupted) {
        if (!wp_output_discard_all_on_signal(number))
            return;
        wp_messages_clear_on_signal();
        _exit(WP_ERROR_INTERRUPTED);
    }
    wp_interrupted = 1;
}

void wp_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = ask};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
