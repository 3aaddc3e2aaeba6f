// Leaks memory, so that the sanitizers must report an error. With a driver's library loaded,
// src/base/leaks.c must report it.
#include "memory.h"

#include <dlfcn.h>
#include <stdio.h>

enum { SKIPPED = 77 };

int main(int count, char **arguments)
{
    if (count > 1 && !dlopen(arguments[1], RTLD_NOW)) {
        printf("skipped: %s\n", dlerror());
        return SKIPPED;
    }
    char *volatile memory = wp_allocate(1, 100, "a leak");
    printf("%s\n", memory ? "allocated" : "no memory");
    memory = NULL;
    return 0;
}
