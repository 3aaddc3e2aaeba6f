// For targets that have nothing to set up: a library, so that theirs goes first.
#include "fuzz.h"

void fuzz_set_up(void)
{
}
