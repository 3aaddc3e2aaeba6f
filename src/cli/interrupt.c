// For sigaltstack().
#define _XOPEN_SOURCE 700
#include "interrupt.h"

#include "log.h"
#include "messages.h"
#include "output.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

volatile sig_atomic_t wp_interrupted;

enum { CRASHES = 5, STACK_SIZE = 1 << 16 };

static const int crash[CRASHES] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[CRASHES];

static void clean_up(int number, siginfo_t *info, void *context)
{
    (void)context;
    wp_output_discard_all();
    for (int i = 0; i < CRASHES; i++)
        if (crash[i] == number)
            sigaction(number, &before[i], NULL);
    // A fault is raised again when this handler returns; a signal that was sent is not.
    if (info->si_code <= 0)
        raise(number);
}

void wp_interrupt_crashes(void)
{
    // The handler needs its own stack for stack overflows.
    static char handler_stack[STACK_SIZE];
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = clean_up, .sa_flags = SA_SIGINFO};
    if (sigaltstack(&stack, NULL) == 0)
        action.sa_flags |= SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CRASHES; i++)
        sigaction(crash[i], &action, &before[i]);
    atexit(wp_output_discard_all);
}

static void request_stop(int number)
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
    wp_interrupt_handle(request_stop);
}
