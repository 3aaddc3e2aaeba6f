#include "execute.h"

#include "clock.h"

bool wp_exec_transform(const struct wp_backend *backend, struct wp_exec *exec,
                       const struct wp_operand *from, const struct wp_operand *to,
                       struct wp_exec_seconds *seconds)
{
    double ran = 0;
    if (backend->transform) {
        const bool ok = backend->transform(exec, from, to, &ran);
        if (seconds)
            seconds->run += ran;
        return ok;
    }
    const double start = wp_clock_seconds();
    if (!backend->load(exec, from))
        return false;
    const double loaded = wp_clock_seconds();
    if (backend->expect)
        backend->expect(exec, to);
    if (!backend->run(exec, &ran))
        return false;
    const double run = wp_clock_seconds();
    if (!backend->store(exec, to))
        return false;
    if (seconds) {
        seconds->load += loaded - start;
        seconds->run += ran;
        seconds->store += wp_clock_seconds() - run;
    }
    return true;
}
