// Samples and coefficients as a caller has them: any steps, and bands at places of their own. What
// comes out is what arrays without gaps get, and nothing else is touched.
#include "fuzz.h"

#include "wavepass.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, DEPTH = 3, ROOM = 4096 };

struct side {
    float *memory; // ROOM floats
    struct wp_view view;
    int size[3];
};

// Steps along the three axes, in any order, with gaps.
static void take_view(struct fuzz_bytes *bytes, const int size[3], struct side *side)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *order = orders[fuzz_next_int(bytes, 0, 5)];
    ptrdiff_t step = 1;
    memcpy(side->size, size, sizeof side->size);
    for (int i = 0; i < 3; i++) {
        const int axis = order[i];
        step += (ptrdiff_t)(fuzz_next(bytes, 1) % 3);
        side->view.step[axis] = step;
        step *= size[axis];
    }
    side->view.data = side->memory + 16;
    FUZZ_CHECK(16 + step <= ROOM);
}

static float *at(const struct side *side, int x, int y, int z)
{
    const struct wp_view *v = &side->view;
    return v->data + x * v->step[0] + y * v->step[1] + z * v->step[2];
}

// Into the view, or out of it; afterwards all of the view is 0.
static void copy(const struct side *side, float *array, bool in)
{
    for (int z = 0; z < side->size[2]; z++)
        for (int y = 0; y < side->size[1]; y++)
            for (int x = 0; x < side->size[0]; x++, array++) {
                float *place = at(side, x, y, z);
                if (in) {
                    *place = *array;
                } else {
                    *array = *place;
                    *place = 0;
                }
            }
}

static bool is_clean(const struct side *side)
{
    for (int i = 0; i < ROOM; i++)
        if (side->memory[i] != 0)
            return false;
    return true;
}

static struct wp_transform *take_transform(struct fuzz_bytes *bytes, int size[3])
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

// Steps that overlap are refused, and any others are taken.
static void refuse(struct wp_transform *transform, struct fuzz_bytes *bytes, const int size[3],
                   struct side *in, const struct side *out)
{
    // 0 stands for the distance of an array without gaps.
    ptrdiff_t reach = 0, usual = 1;
    for (int axis = 0; axis < 3; axis++) {
        in->view.step[axis] = fuzz_next_int(bytes, -20, 120);
        const ptrdiff_t step = in->view.step[axis] ? in->view.step[axis] : usual;
        reach += (step < 0 ? -step : step) * (size[axis] - 1);
        usual = step * size[axis];
    }
    // No steps are taken that lead out of the memory, since none of these is refused.
    if (reach >= ROOM / 2)
        return;
    in->view.data = in->memory + ROOM / 2;
    const struct wp_memory a = {.array = in->view}, b = {.array = out->view};
    fuzz_check_result(wp_transform_forward_at(transform, &a, &b));
    memset(out->memory, 0, ROOM * sizeof *out->memory);
}

void fuzz(const uint8_t *data, size_t size)
{
    static float from[ROOM], to[ROOM];
    struct fuzz_bytes bytes = {data, size};
    struct side in = {.memory = from}, out = {.memory = to};
    int sides[3];
    float sample[SIDE * SIDE * DEPTH], wanted[SIDE * SIDE * DEPTH], got[SIDE * SIDE * DEPTH];
    struct wp_transform *transform = take_transform(&bytes, sides);
    FUZZ_CHECK(transform);
    const size_t count = (size_t)(sides[0] * sides[1] * sides[2]);
    for (size_t i = 0; i < count; i++)
        sample[i] = (float)(i * 37 % 101) / 101;
    take_view(&bytes, sides, &in);
    take_view(&bytes, sides, &out);
    const bool inverse = fuzz_next(&bytes, 1) % 2;
    copy(&in, sample, true);
    const struct wp_memory a = {.array = in.view}, b = {.array = out.view};
    FUZZ_CHECK((inverse ? wp_transform_inverse : wp_transform_forward)(transform, sample, wanted));
    FUZZ_CHECK((inverse ? wp_transform_inverse_at : wp_transform_forward_at)(transform, &a, &b));
    copy(&out, got, false);
    FUZZ_CHECK(memcmp(wanted, got, count * sizeof *got) == 0);
    copy(&in, got, false);
    FUZZ_CHECK(memcmp(sample, got, count * sizeof *got) == 0);
    FUZZ_CHECK(is_clean(&in) && is_clean(&out));
    fuzz_forget_errors();
    refuse(transform, &bytes, sides, &in, &out);
    wp_transform_destroy(&transform);
}
