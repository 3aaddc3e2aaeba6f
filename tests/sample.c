#include "sample.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    bool read;
    unsigned long seed, one_of;
    uint64_t cases, taken;
} sample;

static void read_environment(void)
{
    const char *text = getenv("WAVEPASS_SAMPLE");
    char rest;
    sample.read = true;
    sample.one_of = 1;
    if (!text || !text[0])
        return;
    if (sscanf(text, "%lu:%lu%c", &sample.seed, &sample.one_of, &rest) != 2 || !sample.one_of) {
        fprintf(stderr, "WAVEPASS_SAMPLE: '%s' is not SEED:N\n", text);
        exit(2);
    }
}

// splitmix64: neighbours of a number are far from each other.
static uint64_t mix(uint64_t n)
{
    n += UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

bool sample_takes(void)
{
    if (!sample.read)
        read_environment();
    const uint64_t number = sample.cases++;
    const bool taken = number == 0 || mix(mix(sample.seed) + number) % sample.one_of == 0;
    sample.taken += taken;
    return taken;
}

void sample_print(void)
{
    if (sample.one_of > 1)
        printf("a sample of %llu of %llu cases: WAVEPASS_SAMPLE=%lu:%lu takes the same\n",
               (unsigned long long)sample.taken, (unsigned long long)sample.cases, sample.seed,
               sample.one_of);
    sample.cases = sample.taken = 0;
}
