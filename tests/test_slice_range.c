// The ranges of slices that dispatches of a volume access: all reads and writes are inside, and the
// ranges are within the limits of shaders.
#include "log.h"
#include "planes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char message[1024];

static void keep_message(void *user, enum wp_log_level level, const char *text)
{
    (void)user, (void)level;
    snprintf(message, sizeof message, "%s", text);
}

// One surface after the other, as in a buffer.
static void arrange(struct wp_planes *planes)
{
    size_t end = 0;
    planes->part = calloc((size_t)planes->schedule->surface_count, sizeof *planes->part);
    assert_non_null(planes->part);
    for (int s = 0; s < planes->schedule->surface_count; s++) {
        const struct wp_surface *surface = &planes->schedule->surface[s];
        planes->part[s].first = end;
        end += wp_planes_stride(surface) * (size_t)surface->slices;
        planes->part[s].count = end - planes->part[s].first;
    }
}

// Slice number `i` of the level is a slice of the surface and lies within the part.
static void check_slice(const struct wp_planes *planes, int surface, int step,
                        const struct wp_buffer_part *part, int i, const int mapping[2])
{
    const size_t stride = wp_planes_stride(&planes->schedule->surface[surface]);
    const size_t at = (size_t)(i - mapping[1]) * (size_t)mapping[0];
    assert_true(i >= mapping[1]);
    assert_true(at + stride <= part->count);
    assert_int_equal(part->first + at,
                     planes->part[surface].first + (size_t)(i * step) * stride);
    assert_true(i * step < planes->schedule->surface[surface].slices);
}

static void check_range(const struct wp_planes *planes, const struct wp_op *op,
                        const struct wp_lines_reach *reach, const struct wp_slice_range *range)
{
    const struct wp_buffer_part *part[] = {&range->source, &range->result};
    for (int p = 0; p < 2; p++) {
        assert_int_equal(part[p]->first % WP_BUFFER_ALIGN, 0);
        assert_true(part[p]->count * sizeof(float) <= planes->max_range);
    }
    for (int i = range->first - reach->before; i < range->end + reach->after; i++) {
        const int from = wp_extend(op->extension, i, op->slices);
        check_slice(planes, op->source, op->source_step, part[0], from < 0 ? 0 : from,
                    range->step);
    }
    for (int i = range->first; i < range->end; i++)
        check_slice(planes, op->destination, op->destination_step, part[1], i, range->step + 2);
}

// The number of ranges; 0 if rejected.
static int check_op(const struct wp_planes *planes, const struct wp_op *op,
                    const struct wp_lines_reach *reach)
{
    int count = 0, next = 0;
    const int most = wp_slice_range_max(planes, op, reach);
    for (int first = 0; first < op->slices && most; first += most, count++) {
        struct wp_slice_range range;
        assert_true(wp_slice_range_find(planes, op, reach, first, most, &range));
        assert_int_equal(range.first, next);
        assert_true(range.end > range.first);
        assert_true(!op->along_z || range.first % 2 == 0);
        next = range.end;
        check_range(planes, op, reach, &range);
    }
    assert_true(!most || next == op->slices);
    return count;
}

static void check_schedule(const struct wp_description *d, bool apart, int ranges[])
{
    const struct wp_lifting lifting = wp_description_lifting(d);
    const struct wp_lines_reach along = wp_lines_reach(&lifting), none = {0};
    struct wp_planes planes = {.schedule = wp_schedule_slices(d, apart)};
    assert_non_null(planes.schedule);
    arrange(&planes);
    for (planes.max_range = 1 << 22; planes.max_range > 1 << 10;
         planes.max_range -= planes.max_range / 8)
        for (int i = 0; i < planes.schedule->op_count; i++) {
            const struct wp_op *op = &planes.schedule->op[i];
            const int count = check_op(&planes, op, op->along_z ? &along : &none);
            ranges[count < 2 ? count : 2]++;
        }
    free(planes.part);
    struct wp_schedule *schedule = (struct wp_schedule *)planes.schedule;
    wp_schedule_destroy(&schedule);
}

static void ranges_cover_all_accesses(void **state)
{
    (void)state;
    int ranges[3] = {0}; // rejected, one range, several ranges
    wp_log_set_handler(keep_message, NULL);
    for (int i = 0; i < 8; i++) {
        const struct wp_description d = {
            .wavelet = wp_wavelet_table[i % 4],
            .direction = i / 4 ? WP_INVERSE : WP_FORWARD,
            .border = i % 2 ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC,
            .size = {40, 24, i % 2 ? 48 : 53},
            .levels = i % 3 + 1,
            .levels_z = 3,
        };
        check_schedule(&d, false, ranges);
        check_schedule(&d, true, ranges);
    }
    for (int i = 0; i < 3; i++)
        assert_true(ranges[i] > 0);
    // The smallest reach was tested last.
    assert_non_null(strstr(message, "GL_MAX_SHADER_STORAGE_BLOCK_SIZE"));
    assert_non_null(strstr(message, "backend 'cpu'"));
    wp_log_set_handler(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_cover_all_accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
