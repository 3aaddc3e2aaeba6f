// A small problem of reconstruction, as the tests of test_reconstruct want it.
#ifndef WP_TEST_RECONSTRUCT_PROBLEM_H
#define WP_TEST_RECONSTRUCT_PROBLEM_H

#include "wavepass_reconstruct.h"

#include <stdbool.h>
#include <stddef.h>

extern const char *backend; // that is tested

// From -0.5 to 0.5.
double noise(unsigned *state);
size_t samples_of(const int size[3]);
// Zeros; free() them.
float *floats(size_t count);
float *random_floats(size_t count, unsigned seed);
double product(const float *a, const float *b, size_t count);
// The largest difference.
double worst_of(const float *a, const float *b, size_t count);

// A picture with edges and a phase, complex numbers; free() it.
float *make_image(const int size[3]);
enum { COILS = 3 };
// Maps of that many coils, whose squares sum to 1; free() them.
float *make_maps(const int size[3]);

struct problem {
    int size[3];
    unsigned char *mask;
    float *image, *data; // complex numbers
    struct wp_cartesian *k;
};

// The data of make_image(), of all samples or about one of three.
void make_problem(struct problem *p, int x, int y, int z, bool all);
void end_problem(struct problem *p);
struct wp_reconstruct_params params_of(const struct problem *p);

struct wp_reconstruct *create(const struct problem *p, const struct wp_reconstruct_params *params);
// For wp_reconstruct_run(): ends after `user`, an int, iterations.
bool stop_at(void *user, struct wp_reconstruct *r);
// The image; free() it.
float *solve(const struct problem *p, const struct wp_reconstruct_params *params);
// The state; free() it.
unsigned char *save(const struct wp_reconstruct *r);

#endif
