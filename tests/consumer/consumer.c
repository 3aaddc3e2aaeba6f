// A program outside of the tree that uses an installed libwavepass: a ramp, forward and back.
#include <wavepass.h>

#include <math.h>
#include <stdio.h>

enum { WIDTH = 21, HEIGHT = 14, PIXELS = WIDTH * HEIGHT };

int main(void)
{
    float image[PIXELS], coefficients[PIXELS], back[PIXELS];
    for (int i = 0; i < PIXELS; i++)
        image[i] = (float)(i % WIDTH + i / WIDTH) / (WIDTH + HEIGHT - 2);

    struct wp_transform_params params = {.width = WIDTH, .height = HEIGHT, .planes = -1};
    if (wp_transform_create(&params))
        return 1;
    params.planes = 0;
    struct wp_transform *t = wp_transform_create(&params);
    if (!t || !wp_transform_forward(t, image, coefficients) ||
        !wp_transform_inverse(t, coefficients, back))
        return 1;

    double error = 0, energy[2] = {0};
    for (int i = 0; i < PIXELS; i++) {
        error = fmax(error, fabs((double)back[i] - (double)image[i]));
        // Mallat layout: all but the top left eighth of each axis are details.
        const int is_detail = i % WIDTH >= (WIDTH + 7) / 8 || i / WIDTH >= (HEIGHT + 7) / 8;
        energy[is_detail] += (double)coefficients[i] * (double)coefficients[i];
    }
    const struct wp_transform_info *info = wp_transform_get_info(t);
    printf("%s, %d levels, %s: round trip %.1e, energy %.3g in LL, %.3g in details\n", info->name,
           info->levels, info->backend, error, energy[0], energy[1]);
    wp_transform_destroy(&t);
    return error < 1e-5 && energy[1] < energy[0] && !t ? 0 : 1;
}
