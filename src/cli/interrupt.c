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

void wp_interrupt_handle(void (*handler)(int number))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

void wp_interrupt_catch(void)
{
    wp_interrupt_handle(ask);
}
