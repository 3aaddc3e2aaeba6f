// A small reconstruction problem for the tests of test_reconstruct.
#ifndef WP_TEST_RECONSTRUCT_PROBLEM_H
#define WP_TEST_RECONSTRUCT_PROBLEM_H

#include "wavepass_reconstruct.h"

#include <stdbool.h>
#include <stddef.h>

extern const char *backend; // backend under test

// A random number from -0.5 to 0.5.
double noise(unsigned *state);
size_t samples_of(const int size[3]);
// Returns zeros; the caller frees them.
float *floats(size_t count);
float *random_floats(size_t count, unsigned seed);
double product(const float *a, const float *b, size_t count);
// The maximum absolute difference.
double worst_of(const float *a, const float *b, size_t count);

// Returns a complex image with edges and a phase. The caller frees it.
float *make_image(const int size[3]);
enum { COILS = 3 };
// Returns COILS sensitivity maps, whose squared magnitudes sum to 1. The caller frees them.
float *make_maps(const int size[3]);

struct problem {
    int size[3];
    unsigned char *mask;
    float *image, *data; // complex numbers
    struct wp_cartesian *k;
};

// Simulates the data of make_image(), with all samples or about one third of them.
void make_problem(struct problem *p, int x, int y, int z, bool all);
void end_problem(struct problem *p);
struct wp_reconstruct_params params_of(const struct problem *p);

struct wp_reconstruct *create(const struct problem *p, const struct wp_reconstruct_params *params);
// Callback of wp_reconstruct_run() that stops after a number of iterations; `user` points to an
// int.
bool stop_at(void *user, struct wp_reconstruct *r);
// Returns the image. The caller frees it.
float *solve(const struct problem *p, const struct wp_reconstruct_params *params);
// Returns the saved state. The caller frees it.
unsigned char *save(const struct wp_reconstruct *r);

#endif
