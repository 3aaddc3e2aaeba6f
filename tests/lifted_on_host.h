// Reference for a level of the CUDA kernels: lifting of an image in double precision, by its
// definition.
#ifndef LIFTED_ON_HOST_H
#define LIFTED_ON_HOST_H

#include "cuda_access.cuh"

#include <math.h>
#include <vector>

namespace {

enum { MARGIN = 24 }; // maximum distance beyond the ends of a line that steps read

// Lifts n samples with stride `step` in place.
void lift_line(const wp_cuda_level &level, double *x, int n, int step)
{
    std::vector<double> line((size_t)(n + n % 2 + 2 * MARGIN));
    for (int i = 0; i < (int)line.size(); i++) {
        const int from = wp_device_extend(level.extension, i - MARGIN, n);
        line[(size_t)i] = from < 0 ? 0.0 : x[from * step];
    }
    const int pairs = (int)line.size() / 2;
    for (int s = 0; s < level.steps; s++) {
        const int target = (s % 2 == 0) != level.inverse;
        for (int p = 0; p < pairs; p++) {
            double sum = line[(size_t)(2 * p + target)];
            for (int t = 0; t < level.step[s].count; t++) {
                const int q = p + level.step[s].k[t];
                sum += q < 0 || q >= pairs ? 0.0
                                           : (double)level.step[s].c[t] *
                                                 line[(size_t)(2 * q + 1 - target)];
            }
            line[(size_t)(2 * p + target)] =
                level.reversible ? floor(sum + (double)level.step[s].round) : sum;
        }
    }
    for (int i = 0; i < n; i++)
        x[i * step] = line[(size_t)(i + MARGIN)];
}

void lift_image(const wp_cuda_level &level, std::vector<double> &image)
{
    for (int axis = 0; axis < 2; axis++) {
        const bool along_y = (axis == 0) != level.inverse; // the forward transform starts with y
        if (along_y)
            for (int x = 0; x < level.width; x++)
                lift_line(level, &image[(size_t)x], level.height, level.width);
        else
            for (int y = 0; y < level.height; y++)
                lift_line(level, &image[(size_t)(y * level.width)], level.width, 1);
    }
}

} // namespace

#endif
