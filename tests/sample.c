#include "sample.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SANITIZED = 4 }; // under sanitizers, one of this number

static struct {
    bool read;
    unsigned long seed, one_of;
    uint64_t cases, selected;
    uint64_t first; // hash of the first program's name
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

// splitmix64: adjacent numbers have uncorrelated hashes.
static uint64_t mix(uint64_t n)
{
    n += UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

bool sample_is_selected(void)
{
    if (!sample.read)
        read_environment();
    return sample.one_of > 1;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0;
    for (const char *c = name; *c; c++)
        hash = mix(hash + (unsigned char)*c);
    return hash;
}

// True if sanitizer builds run only a part of the sample.
static bool is_shared(void)
{
    return WP_TEST_SANITIZED && sample_is_selected();
}

// Selects one of N * `share`, all if N is 1. Under sanitizers a quarter of that.
static bool is_drawn(uint64_t number, bool first, unsigned long share)
{
    const unsigned long one_of = !sample_is_selected() ? 1
                                 : is_shared()       ? sample.one_of * share * SANITIZED
                                                     : sample.one_of * share;
    const bool selected = first || mix(mix(sample.seed) + number) % one_of == 0;
    sample.cases++;
    sample.selected += selected;
    return selected;
}

bool sample_has(const char *program, ...)
{
    char name[256];
    va_list arguments;
    va_start(arguments, program);
    vsnprintf(name, sizeof name, program, arguments);
    va_end(arguments);
    const uint64_t hash = hash_of(name);
    if (sample.cases == 0)
        sample.first = hash;
    return is_drawn(hash, hash == sample.first, 1);
}

bool sample_has_case(void)
{
    return is_drawn(sample.cases, sample.cases == 0, 1);
}

bool sample_has_costly_case(void)
{
    return is_drawn(sample.cases, sample.cases == 0, 4);
}

unsigned sample_count(unsigned count)
{
    return is_shared() ? count / SANITIZED : count;
}

bool sample_has_name(const char *name)
{
    return !is_shared() || mix(mix(sample.seed) + hash_of(name)) % SANITIZED == 0;
}

void sample_print(void)
{
    if (sample.one_of > 1)
        printf("a sample of %llu of %llu cases: WAVEPASS_SAMPLE=%lu:%lu selects the same\n",
               (unsigned long long)sample.selected, (unsigned long long)sample.cases, sample.seed,
               sample.one_of);
    sample.cases = sample.selected = 0;
}
