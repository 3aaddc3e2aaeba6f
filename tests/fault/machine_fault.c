// Preloaded before the program, makes the computer a smaller one. WAVEPASS_FAULT is
// machine-memory:MIB, all that sysinfo() says there is of memory.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

int sysinfo(struct sysinfo *info)
{
    static const char option[] = "machine-memory:";
    const char *wanted = getenv("WAVEPASS_FAULT");
    int (*real)(struct sysinfo *);
    *(void **)&real = dlsym(RTLD_NEXT, "sysinfo");
    if (!real)
        abort();
    const int result = real(info);
    if (wanted && strncmp(wanted, option, strlen(option)) == 0) {
        info->mem_unit = 1 << 20;
        info->totalram = strtoul(wanted + strlen(option), NULL, 10);
        info->totalswap = 0;
    }
    return result;
}
