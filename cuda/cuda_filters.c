// The filters that are equivalent to the lifting steps of a level.
#include "cuda_internal.h"

#include <string.h>

enum {
    REACH = 256,                // maximum reach in samples while steps are multiplied
    SIZE = 2 * REACH + 1
};

bool wp_cuda_make_filters(const struct wp_cuda_level *level, int length,
                          struct wp_cuda_filter filter[2])
{
    // sum[p][REACH + i]: the weight of x[2n + i] in result 2n + p.
    double sum[2][SIZE] = {{0}};
    sum[0][REACH] = 1;
    sum[1][REACH + 1] = 1;
    for (int s = 0; s < level->steps && length > 1; s++) {
        const int target = (s % 2 == 0) != level->inverse;
        double added[SIZE] = {0};
        for (int t = 0; t < level->step[s].count; t++) {
            const int shift = 2 * level->step[s].k[t];
            for (int i = 0; i < SIZE; i++) {
                if (sum[1 - target][i] == 0)
                    continue;
                if (i + shift < 0 || i + shift >= SIZE)
                    return false;
                added[i + shift] += (double)level->step[s].c[t] * sum[1 - target][i];
            }
        }
        for (int i = 0; i < SIZE; i++)
            sum[target][i] += added[i];
    }
    for (int p = 0; p < 2; p++) {
        int first = 0, last = SIZE - 1;
        while (sum[p][first] == 0)
            first++;
        while (sum[p][last] == 0)
            last--;
        if (last - first >= WP_CUDA_FILTER_MAX)
            return false;
        memset(&filter[p], 0, sizeof filter[p]);
        filter[p].first = first - REACH;
        filter[p].count = last - first + 1;
        for (int i = first; i <= last; i++)
            filter[p].c[i - first] = (float)sum[p][i];
    }
    return true;
}
