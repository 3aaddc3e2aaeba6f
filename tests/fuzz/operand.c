// Operands of a caller, with any steps. Results equal those of arrays without gaps, and no other
// memory is changed.
#include "fuzz.h"

#include "wavepass.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, DEPTH = 3, CAPACITY = 4096 };

struct operand {
    float *memory; // CAPACITY floats
    struct wp_operand view;
    int size[3];
};

// Reads steps along the three axes, in any order, with gaps.
static void read_view(struct fuzz_bytes *bytes, const int size[3], struct operand *operand)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *order = orders[fuzz_next_int(bytes, 0, 5)];
    ptrdiff_t step = 1;
    memcpy(operand->size, size, sizeof operand->size);
    for (int i = 0; i < 3; i++) {
        const int axis = order[i];
        step += (ptrdiff_t)(fuzz_next(bytes, 1) % 3);
        operand->view.stride[axis] = step;
        step *= size[axis];
    }
    operand->view.data = operand->memory + 16;
    FUZZ_CHECK(16 + step <= CAPACITY);
}

static float *at(const struct operand *operand, int x, int y, int z)
{
    const struct wp_operand *v = &operand->view;
    float *data = v->data;
    return data + x * v->stride[0] + y * v->stride[1] + z * v->stride[2];
}

// Copies to the view, or from it and clears it.
static void copy(const struct operand *operand, float *array, bool in)
{
    for (int z = 0; z < operand->size[2]; z++)
        for (int y = 0; y < operand->size[1]; y++)
            for (int x = 0; x < operand->size[0]; x++, array++) {
                float *sample = at(operand, x, y, z);
                if (in) {
                    *sample = *array;
                } else {
                    *array = *sample;
                    *sample = 0;
                }
            }
}

static bool is_clean(const struct operand *operand)
{
    for (int i = 0; i < CAPACITY; i++)
        if (operand->memory[i] != 0)
            return false;
    return true;
}

static struct wp_transform *create_transform(struct fuzz_bytes *bytes, int size[3])
{
    static const char *const wavelets[] = {"haar", "cdf53", "cdf97", "dd137"};
    static const char *const backends[] = {"cpu", "reference"};
    static const char *const layouts[] = {"mallat", "mixed"};
    size[0] = fuzz_next_int(bytes, 1, SIDE);
    size[1] = fuzz_next_int(bytes, 1, SIDE);
    size[2] = fuzz_next_int(bytes, 1, DEPTH);
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = size[0], .height = size[1], .depth = size[2],
        .wavelet = wavelets[fuzz_next_int(bytes, 0, 3)],
        .layout = layouts[fuzz_next_int(bytes, 0, 1)],
        .backend = backends[fuzz_next_int(bytes, 0, 1)], .threads = 1);
    return wp_transform_create(&params);
}

// Overlapping steps are rejected, and all others are accepted.
static void check_overlaps(struct wp_transform *transform, struct fuzz_bytes *bytes,
                           const int size[3], struct operand *in, const struct operand *out)
{
    // 0 stands for the distance in an array without gaps.
    ptrdiff_t reach = 0, dense = 1;
    for (int axis = 0; axis < 3; axis++) {
        in->view.stride[axis] = fuzz_next_int(bytes, -20, 120);
        const ptrdiff_t step = in->view.stride[axis] ? in->view.stride[axis] : dense;
        reach += (step < 0 ? -step : step) * (size[axis] - 1);
        dense = step * size[axis];
    }
    // Skips steps that lead out of the memory, since they are not rejected.
    if (reach >= CAPACITY / 2)
        return;
    in->view.data = in->memory + CAPACITY / 2;
    fuzz_check_result(wp_transform_forward(transform, &in->view, &out->view));
    memset(out->memory, 0, CAPACITY * sizeof *out->memory);
}

void fuzz(const uint8_t *data, size_t size)
{
    static float from[CAPACITY], to[CAPACITY];
    struct fuzz_bytes bytes = {data, size};
    struct operand in = {.memory = from}, out = {.memory = to};
    int extents[3];
    float sample[SIDE * SIDE * DEPTH], expected[SIDE * SIDE * DEPTH], got[SIDE * SIDE * DEPTH];
    struct wp_transform *transform = create_transform(&bytes, extents);
    FUZZ_CHECK(transform);
    const size_t count = (size_t)(extents[0] * extents[1] * extents[2]);
    for (size_t i = 0; i < count; i++)
        sample[i] = (float)(i * 37 % 101) / 101;
    read_view(&bytes, extents, &in);
    read_view(&bytes, extents, &out);
    const bool inverse = fuzz_next(&bytes, 1) % 2;
    copy(&in, sample, true);
    bool (*const run)(struct wp_transform *, const struct wp_operand *, const struct wp_operand *) =
        inverse ? wp_transform_inverse : wp_transform_forward;
    FUZZ_CHECK(run(transform, WP_ARRAY(sample), WP_ARRAY(expected)));
    FUZZ_CHECK(run(transform, &in.view, &out.view));
    copy(&out, got, false);
    FUZZ_CHECK(memcmp(expected, got, count * sizeof *got) == 0);
    copy(&in, got, false);
    FUZZ_CHECK(memcmp(sample, got, count * sizeof *got) == 0);
    FUZZ_CHECK(is_clean(&in) && is_clean(&out));
    fuzz_forget_errors();
    check_overlaps(transform, &bytes, extents, &in, &out);
    wp_transform_destroy(&transform);
}
