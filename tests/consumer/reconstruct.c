// An external program that uses an installed libwavepass-reconstruct: reconstructs a square from a
// third of its k-space. Errors of one library are reported by the other.
#include <wavepass.h>
#include <wavepass_reconstruct.h>

#include <math.h>
#include <stdio.h>

enum { SIDE = 32, SAMPLES = SIDE * SIDE };

static unsigned char mask[SAMPLES];
static float image[2 * SAMPLES], data[2 * SAMPLES], got[2 * SAMPLES];

int main(void)
{
    const int size[3] = {SIDE, SIDE, 1};
    const struct wp_reconstruct_params params = WP_RECONSTRUCT_PARAMS(
        .width = SIDE, .height = SIDE, .tv = 1, .wav = 0.1, .inner = 8);
    for (int i = 0; i < SAMPLES; i++) {
        mask[i] = i % SIDE < 3 || i % SIDE > 29 || i * 7919 % 101 < 25;
        image[2 * i] = i % SIDE > 8 && i % SIDE < 20 && i / SIDE > 4 && i / SIDE < 25 ? 1 : 0;
    }
    struct wp_cartesian *k = wp_cartesian_create(size, mask, NULL, 1, 1);
    const struct wp_reconstruct_model *model = k ? wp_cartesian_model(k) : NULL;
    struct wp_reconstruct *r = NULL;
    if (model && model->forward(model->user, image, data))
        r = wp_reconstruct_create(&params, model, data);
    double worst = INFINITY;
    if (r && wp_reconstruct_run(r, NULL, NULL) && wp_reconstruct_image(r, got)) {
        worst = 0;
        for (int i = 0; i < 2 * SAMPLES; i++)
            worst = fmax(worst, fabs((double)got[i] - (double)image[i]));
    }
    wp_reconstruct_destroy(&r);
    wp_clear_error();
    const struct wp_reconstruct_params wrong = WP_RECONSTRUCT_PARAMS(.width = SIDE);
    const int has_message = model && !wp_reconstruct_create(&wrong, model, data) &&
                            wp_last_error() == WP_ERROR_USAGE && wp_last_error_text()[0];
    wp_cartesian_destroy(&k);
    if (worst > 0.02 || !has_message)
        printf("max error %g, error message %s\n", worst, has_message ? "present" : "missing");
    return worst > 0.02 || !has_message;
}
