// Leaks, so that the sanitizers have to end it with an error.
#include "memory.h"

#include <stdio.h>

int main(void)
{
    char *volatile memory = wp_allocate(1, 100, "a leak");
    printf("%s\n", memory ? "allocated" : "no memory");
    memory = NULL;
    return 0;
}
