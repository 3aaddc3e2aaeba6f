// The default fuzz_set_up(), in a library, so that a target's own definition takes precedence.
#include "fuzz.h"

void fuzz_set_up(void)
{
}
