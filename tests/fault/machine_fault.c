// Preloaded library that reduces the memory that sysinfo() reports.
// WAVEPASS_FAULT=machine-memory:MIB sets the total.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

int sysinfo(struct sysinfo *info)
{
    static const char option[] = "machine-memory:";
    const char *requested = getenv("WAVEPASS_FAULT");
    int (*real)(struct sysinfo *);
    *(void **)&real = dlsym(RTLD_NEXT, "sysinfo");
    if (!real)
        abort();
    const int result = real(info);
    if (requested && strncmp(requested, option, strlen(option)) == 0) {
        info->mem_unit = 1 << 20;
        info->totalram = strtoul(requested + strlen(option), NULL, 10);
        info->totalswap = 0;
    }
    return result;
}
