// Schedules, checked by tracking reads and writes without computing. Also border extensions and
// transfers, which all backends share.
#include "backend.h"
#include "log.h"
#include "schedule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char last_message[512];

static void keep_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level;
    snprintf(last_message, sizeof last_message, "%s", message);
}

// The valid components of each quad: bit c for component c.
struct tracker {
    const struct wp_schedule *schedule;
    unsigned char **valid;
};

static unsigned char *at(struct tracker *t, int surface, int x, int y)
{
    const struct wp_surface *s = &t->schedule->surface[surface];
    assert_in_range(surface, 0, t->schedule->surface_count - 1);
    assert_true(x >= 0 && x < s->width && y >= 0 && y < s->height);
    return &t->valid[surface][(size_t)y * (size_t)s->width + (size_t)x];
}

static void track_pass(struct tracker *t, const struct wp_op *op)
{
    const struct wp_matrix *core = &op->scheme->pass[op->pass].core;
    const struct wp_rect *d = &op->domain;
    for (int y = d->y; y < d->y + d->height; y++) {
        for (int x = d->x; x < d->x + d->width; x++) {
            for (int i = 0; i < WP_COMPONENTS; i++) {
                for (int j = 0; j < WP_COMPONENTS; j++) {
                    for (int k = 0; k < core->at[i][j].count; k++) {
                        const struct wp_term *term = &core->at[i][j].term[k];
                        const int sx = op->source_x + x + term->at[WP_X];
                        const int sy = op->source_y + y + term->at[WP_Y];
                        assert_true(*at(t, op->source, sx, sy) >> j & 1);
                    }
                }
            }
            *at(t, op->destination, op->destination_x + x, op->destination_y + y) = 15;
        }
    }
}

static void track_transport(struct tracker *t, const struct wp_op *op)
{
    const struct wp_rect *d = &op->domain;
    for (int y = d->y; y < d->y + d->height; y++) {
        for (int x = d->x; x < d->x + d->width; x++) {
            const bool inside = x >= op->interior.x && x < op->interior.x + op->interior.width &&
                                y >= op->interior.y && y < op->interior.y + op->interior.height;
            for (int c = 0; c < (op->kind == WP_OP_GATHER ? WP_COMPONENTS : 1); c++) {
                const int px = 2 * x + (c & 1), py = 2 * y + (c >> 1);
                const int sx = wp_extend(op->extension, px, op->width);
                const int sy = wp_extend(op->extension, py, op->height);
                if (inside) {
                    assert_int_equal(sx, px);
                    assert_int_equal(sy, py);
                }
                if (op->kind == WP_OP_GATHER)
                    assert_true(*at(t, op->source, op->source_x + sx, op->source_y + sy) & 1);
                else
                    assert_true(*at(t, op->source, op->source_x + sx / 4,
                                    op->source_y + sy / 4) >>
                                    (sx / 2 % 2 + 2 * (sy / 2 % 2)) & 1);
            }
            unsigned char *out =
                at(t, op->destination, op->destination_x + x, op->destination_y + y);
            *out = (unsigned char)(op->kind == WP_OP_GATHER ? 15 : *out | 1);
        }
    }
}

static void track_transfers(struct tracker *t, const struct wp_transfer *transfers, int count,
                            bool store)
{
    for (int p = 0; p < count; p++) {
        const struct wp_rect *d = &transfers[p].domain;
        for (int y = d->y; y < d->y + d->height; y++) {
            for (int x = d->x; x < d->x + d->width; x++) {
                unsigned char *quad =
                    at(t, transfers[p].surface, transfers[p].x + x, transfers[p].y + y);
                for (int c = 0; c < WP_COMPONENTS; c++) {
                    if (!transfers[p].used[c])
                        continue;
                    if (store)
                        assert_true(*quad >> c & 1);
                    else
                        *quad = (unsigned char)(*quad | 1 << c);
                }
            }
        }
    }
}

// Quads are written before they are read, all accesses are inside their surface, passes do not read
// the surface that they write, and domains follow the size of their level.
static void check_schedule(const struct wp_schedule *schedule)
{
    struct tracker t = {schedule, calloc((size_t)schedule->surface_count, sizeof *t.valid)};
    for (int s = 0; s < schedule->surface_count; s++)
        t.valid[s] =
            calloc((size_t)schedule->surface[s].width * (size_t)schedule->surface[s].height, 1);
    track_transfers(&t, schedule->load, schedule->load_count, false);
    for (int i = 0; i < schedule->op_count; i++) {
        const struct wp_op *op = &schedule->op[i];
        assert_int_not_equal(op->source, op->destination);
        const int w = wp_level_size(schedule->description.size[WP_X], op->level);
        const int h = wp_level_size(schedule->description.size[WP_Y], op->level);
        assert_in_range(op->domain.width, w, w + 16);
        assert_in_range(op->domain.height, h, h + 16);
        if (op->kind == WP_OP_PASS)
            track_pass(&t, op);
        else
            track_transport(&t, op);
    }
    track_transfers(&t, schedule->store, schedule->store_count, true);
    for (int s = 0; s < schedule->surface_count; s++)
        free(t.valid[s]);
    free(t.valid);
}

static void schedules_read_only_written_quads(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 7}, {2, 2}, {5, 7}, {7, 1}, {16, 16}, {40, 24}};
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int k = 0; k < WP_SCHEME_KINDS; k++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                for (int bits = 0; bits < 8; bits++) {
                    struct wp_description params = {
                        .wavelet = wp_wavelet_table[w],
                        .kind = &wp_scheme_kinds[k],
                        .form = bits & 1 ? WP_FORM_PLAIN : WP_FORM_SHADER,
                        .direction = bits & 2 ? WP_INVERSE : WP_FORWARD,
                        .border = bits & 4 ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC,
                        .size = {sizes[s][0], sizes[s][1]},
                    };
                    const int most = wp_levels_most(params.size, params.border);
                    for (params.levels = 0; params.levels <= most; params.levels++) {
                        struct wp_schedule *schedule = wp_schedule_passes(&params);
                        assert_non_null(schedule);
                        check_schedule(schedule);
                        wp_schedule_destroy(&schedule);
                        assert_null(schedule);
                    }
                }
            }
        }
    }
}

// Each level is one operation, not in place; its input was loaded or written before.
static void check_fused(const struct wp_schedule *schedule)
{
    bool *valid = calloc((size_t)schedule->surface_count, sizeof *valid);
    for (int p = 0; p < schedule->load_count; p++)
        valid[schedule->load[p].surface] = true;
    assert_int_equal(schedule->op_count, schedule->description.levels);
    for (int i = 0; i < schedule->op_count; i++) {
        const struct wp_op *op = &schedule->op[i];
        assert_int_equal(op->kind, WP_OP_LEVEL);
        assert_true(valid[op->source] && op->source != op->destination && op->low < 0);
        const struct wp_surface *surface = &schedule->surface[op->destination];
        const bool wide = surface->planes && surface->layers == 1; // pixels, not quads
        assert_true(surface->width >= op->domain.width * (wide ? 2 : 1));
        assert_true(surface->height >= op->domain.height * (wide ? 2 : 1));
        valid[op->destination] = true;
    }
    for (int p = 0; p < schedule->store_count; p++)
        assert_true(valid[schedule->store[p].surface]);
    free(valid);
}

static void fused_schedules_read_only_written_quads(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct wp_description params = {
            .wavelet = wp_wavelet_table[0],
            .kind = &wp_scheme_kinds[WP_SCHEME_SEP_LIFTING],
            .form = WP_FORM_BLOCK,
            .direction = i ? WP_INVERSE : WP_FORWARD,
            .size = {40, 23},
        };
        const int most = wp_levels_most(params.size, params.border);
        for (params.levels = 0; params.levels <= most; params.levels++) {
            struct wp_schedule *schedule = wp_schedule_fused(&params);
            assert_non_null(schedule);
            check_fused(schedule);
            wp_schedule_destroy(&schedule);
            schedule = wp_schedule_planes(&params);
            assert_non_null(schedule);
            check_fused(schedule);
            wp_schedule_destroy(&schedule);
        }
    }
}

static void extensions_follow_their_definitions(void **state)
{
    (void)state;
    for (int n = 2; n < 9; n++) {
        for (int k = 0; k < n; k++) {
            assert_int_equal(wp_extend(WP_EXTEND_MIRROR, -k, n), k);
            assert_int_equal(wp_extend(WP_EXTEND_MIRROR, n - 1 + k, n), n - 1 - k);
            assert_int_equal(wp_extend(WP_EXTEND_WRAP, k - n, n), k);
            assert_int_equal(wp_extend(WP_EXTEND_WRAP, k + n, n), k);
        }
        for (int i = -40; i < 40; i++) {
            const int mirrored = wp_extend(WP_EXTEND_MIRROR, i, n);
            assert_in_range(mirrored, 0, n - 1);
            assert_int_equal((mirrored - i) % 2, 0);
            // Two reflections, about 0 and about n - 1, are a shift by 2 n - 2.
            assert_int_equal(mirrored, wp_extend(WP_EXTEND_MIRROR, i + 2 * n - 2, n));
        }
        assert_int_equal(wp_extend(WP_EXTEND_CLAMP, n, n), n - 1);
        assert_int_equal(wp_extend(WP_EXTEND_CLAMP, -3, n), 0);
        assert_int_equal(wp_extend(WP_EXTEND_ZERO, n, n), -1);
        assert_int_equal(wp_extend(WP_EXTEND_ZERO, n - 1, n), n - 1);
    }
    assert_int_equal(wp_extend(WP_EXTEND_MIRROR, -5, 1), 0);
    assert_int_equal(wp_extend(WP_EXTEND_MIRROR, 1, 1), 0);
}

// Loading with a margin equals wp_extend() of each sample; storing restores the samples.
static void transfers_extend_and_round_trip(void **state)
{
    (void)state;
    enum { MOST = 12 };
    static const enum wp_extension extensions[] = {WP_EXTEND_MIRROR, WP_EXTEND_WRAP,
                                                   WP_EXTEND_CLAMP, WP_EXTEND_ZERO};
    for (int w = 1; w <= MOST; w++) {
        for (int h = 1; h <= MOST; h += 3) {
            for (int e = 0; e < 4; e++) {
                if (extensions[e] == WP_EXTEND_WRAP && (w % 2 || h % 2))
                    continue;
                struct wp_transfer transfer = {.domain = {-2, -1, (w + 1) / 2 + 3, (h + 1) / 2 + 4},
                                       .width = w, .height = h, .extension = extensions[e]};
                for (int c = 0; c < WP_BAND_COUNT; c++) {
                    transfer.band[c] = (struct wp_transfer_band){.first = {c & 1, c >> 1},
                                                          .every = {2, 2, 1}};
                    transfer.used[c] = true;
                }
                float plane[MOST * MOST], restored[MOST * MOST], quads[4 * 16 * 16];
                for (int i = 0; i < w * h; i++)
                    plane[i] = i % 5 == 0 ? -7.25f : 1000.0f + (float)i;
                memset(restored, 0, sizeof restored);
                const struct wp_description d = {.size = {w, h}};
                const struct wp_operand from = wp_operand_const(&d, plane);
                const struct wp_operand to = wp_operand_dense(&d, restored);
                wp_transfer_load(&d, &transfer, &from, 0, 0, transfer.domain.height, quads);
                for (int y = 0; y < 2 * transfer.domain.height; y++) {
                    for (int x = 0; x < 2 * transfer.domain.width; x++) {
                        const int sx = wp_extend(transfer.extension, 2 * transfer.domain.x + x, w);
                        const int sy = wp_extend(transfer.extension, 2 * transfer.domain.y + y, h);
                        const float expected = sx < 0 || sy < 0 ? 0.0f : plane[sy * w + sx];
                        const int quad = (y / 2) * transfer.domain.width + x / 2;
                        assert_true(quads[4 * quad + x % 2 + 2 * (y % 2)] == expected);
                    }
                }
                const int inside = transfer.domain.width * 4;
                transfer.domain = (struct wp_rect){-2, 0, transfer.domain.width, (h + 1) / 2};
                wp_transfer_store(&d, &transfer, quads + inside, 0, transfer.domain.height, &to, 0);
                assert_memory_equal(plane, restored, (size_t)(w * h) * sizeof *plane);
            }
        }
    }
}

// Transfers of planes: rows are unchanged, samples beyond the band are zero, and stored samples
// equal loaded ones.
static void planes_load_and_store_samples(void **state)
{
    (void)state;
    struct wp_description params = {.wavelet = wp_wavelet_table[1],
                                    .kind = &wp_scheme_kinds[0],
                                    .form = WP_FORM_BLOCK,
                                    .levels = 2,
                                    .size = {13, 7}};
    float image[13 * 7], restored[13 * 7], rows[16 * 7];
    for (int i = 0; i < 13 * 7; i++)
        image[i] = 1.0f + (float)i;
    struct wp_schedule *schedule = wp_schedule_planes(&params);
    assert_int_equal(schedule->load_count, 1);
    assert_int_equal(schedule->load[0].domain.width, 16);
    const struct wp_operand from = wp_operand_const(&params, image);
    const struct wp_operand to = wp_operand_dense(&params, restored);
    wp_transfer_load(&params, &schedule->load[0], &from, 0, 0, 7, rows);
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 16; x++)
            assert_true(rows[16 * y + x] == (x < 13 ? image[13 * y + x] : 0.0f));
    wp_schedule_destroy(&schedule);

    // The bands of both levels cover the plane of coefficients, for loading and for storing.
    memset(restored, 0, sizeof restored);
    for (int i = 0; i < 2; i++) {
        params.direction = i ? WP_FORWARD : WP_INVERSE;
        schedule = wp_schedule_planes(&params);
        const int count = i ? schedule->store_count : schedule->load_count;
        assert_int_equal(count, 3 + 4);
        for (int p = 0; p < count; p++) {
            const struct wp_transfer *transfer = i ? &schedule->store[p] : &schedule->load[p];
            wp_transfer_load(&params, transfer, &from, 0, 1, transfer->domain.height - 1, rows);
            wp_transfer_store(&params, transfer, rows, 1, transfer->domain.height - 1, &to, 0);
            wp_transfer_load(&params, transfer, &from, 0, 0, 1, rows);
            wp_transfer_store(&params, transfer, rows, 0, 1, &to, 0);
        }
        assert_memory_equal(image, restored, sizeof restored);
        wp_schedule_destroy(&schedule);
    }
}

// The rows of a transfer's slice in its surface, where octets of even and of odd slices are
// separate.
static float *rows_of(const struct wp_schedule *schedule, float *const surface[],
                      const struct wp_transfer *transfer)
{
    const struct wp_surface *s = &schedule->surface[transfer->surface];
    const int slice =
        transfer->z + (transfer->slice & 1 ? transfer->slice - 1 : transfer->slice) / 2;
    assert_int_equal(transfer->domain.width, s->width);
    assert_true(transfer->domain.height <= s->height && slice < s->depth);
    return surface[transfer->surface] + 4 * (size_t)s->width * (size_t)s->height *
                                        (size_t)(2 * slice + (transfer->slice & 1));
}

static float **make_surfaces(const struct wp_schedule *schedule)
{
    float **surface = calloc((size_t)schedule->surface_count, sizeof *surface);
    for (int s = 0; s < schedule->surface_count; s++)
        surface[s] =
            calloc((size_t)schedule->surface[s].width * (size_t)schedule->surface[s].height,
                   (size_t)schedule->surface[s].depth * 8 * sizeof(float));
    return surface;
}

static void transfer_all(const struct wp_schedule *schedule, bool loads, float *const surface[],
                         const struct wp_operand *operand)
{
    for (int p = 0; p < (loads ? schedule->load_count : schedule->store_count); p++) {
        struct wp_transfer transfer = loads ? schedule->load[p] : schedule->store[p];
        const struct wp_span slices = wp_transfer_slices(&transfer, loads);
        for (transfer.slice = slices.first; transfer.slice < slices.first + slices.count;
             transfer.slice++) {
            float *rows = rows_of(schedule, surface, &transfer);
            if (loads)
                wp_transfer_load(&schedule->description, &transfer, operand, 0, 0,
                                 transfer.domain.height, rows);
            else
                wp_transfer_store(&schedule->description, &transfer, rows, 0,
                                  transfer.domain.height, operand, 0);
        }
    }
}

// Surface 0 contains the pixels in both directions, and surface l the coefficients of level l.
static void fused_schedules_of_volumes_cover_all_samples(void **state)
{
    (void)state;
    static const int cases[][5] = {{12, 10, 8, 2, 2}, {7, 5, 9, 3, 1}, {1, 6, 5, 1, 3},
                                   {9, 4, 6, 0, 2},   {13, 7, 5, 2, 0}, {2, 1, 3, 1, 1}};
    for (int i = 0; i < 4 * (int)(sizeof cases / sizeof *cases); i++) {
        const int *c = cases[i / 4];
        struct wp_description d = {
            .wavelet = wp_wavelet_table[2],
            .kind = wp_scheme_kind_named("planar-lifting"),
            .layout = i & 1 ? WP_LAYOUT_MIXED : WP_LAYOUT_MALLAT,
            .size = {c[0], c[1], c[2]},
            .levels = c[3],
            .levels_z = c[4],
        };
        const bool samples = i & 2;
        const size_t count = wp_description_samples(&d);
        float *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
        for (size_t k = 0; k < count; k++)
            in[k] = 1.0f + (float)k;
        struct wp_schedule *forward = wp_schedule_fused(&d);
        d.direction = WP_INVERSE;
        struct wp_schedule *inverse = wp_schedule_fused(&d);
        assert_non_null(forward);
        assert_non_null(inverse);
        const struct wp_operand from = wp_operand_const(&d, in), to = wp_operand_dense(&d, out);
        float **surface = make_surfaces(forward);
        transfer_all(samples ? forward : inverse, true, surface, &from);
        transfer_all(samples ? inverse : forward, false, surface, &to);
        assert_memory_equal(in, out, count * sizeof *in);
        for (int s = 0; s < forward->surface_count; s++)
            free(surface[s]);
        free(surface);
        wp_schedule_destroy(&forward);
        wp_schedule_destroy(&inverse);
        free(in);
        free(out);
    }
}

static void impossible_schedules_report_a_reason(void **state)
{
    (void)state;
    wp_log_set_handler(keep_message, NULL);
    struct wp_description params = {.wavelet = wp_wavelet_table[1], .levels = 7,
                                           .size = {40, 40}, .kind = &wp_scheme_kinds[0]};
    assert_null(wp_schedule_passes(&params));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_non_null(strstr(last_message, "at most 6 here"));

    params.border = WP_BORDER_PERIODIC; // 40, 20, 10, 5
    params.levels = 4;
    assert_null(wp_schedule_passes(&params));
    assert_non_null(strstr(last_message, "level 4 would split 5x5"));
    params.levels = 3;
    struct wp_schedule *schedule = wp_schedule_passes(&params);
    assert_non_null(schedule);
    wp_schedule_destroy(&schedule);

    struct wp_wavelet lopsided = *wp_wavelet_table[1];
    lopsided.symmetry = WP_SYMMETRY_NONE;
    params.wavelet = &lopsided;
    params.border = WP_BORDER_SYMMETRIC;
    assert_null(wp_schedule_passes(&params));
    assert_non_null(strstr(last_message, "not symmetric"));
    assert_non_null(strstr(last_message, "hint: border 'periodic'"));
    wp_log_set_handler(NULL, NULL);
}

static void bands_tile_the_plane(void **state)
{
    (void)state;
    for (int w = 1; w < 20; w++) {
        for (int h = 1; h < 20; h += 2) {
            for (int layout = 0; layout < WP_LAYOUT_COUNT; layout++) {
                const int levels = wp_levels_max(w, h);
                unsigned char covered[20 * 20] = {0};
                for (int l = 1; l <= levels; l++) {
                    for (int b = l == levels ? 0 : 1; b < WP_BAND_COUNT; b++) {
                        const struct wp_band_view v = wp_band_view(
                            w, h, l, (enum wp_band)b, (enum wp_layout)layout);
                        for (int y = 0; y < v.height; y++)
                            for (int x = 0; x < v.width; x++)
                                covered[v.offset + x * v.step_x + y * v.step_y]++;
                    }
                }
                for (int i = 0; i < w * h && levels > 0; i++)
                    assert_int_equal(covered[i], 1);
            }
        }
    }
}

// Costs computed by hand: CDF 5/3 in one pass of 9 fetches, for one level without an output margin;
// and fused, where each level is read once and written once.
static void costs_by_hand(void **state)
{
    (void)state;
    struct wp_description params = {.wavelet = wp_wavelet_table[1],
                                    .levels = 1,
                                    .size = {64, 32},
                                    .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION]};
    const double quads = 32 * 16;
    struct wp_schedule *schedule = wp_schedule_passes(&params);
    struct wp_cost cost = wp_schedule_cost(schedule);
    assert_true(cost.bytes == quads * 32);
    assert_true(cost.fetches == quads * 9);
    assert_true(cost.fill == quads);
    wp_schedule_destroy(&schedule);

    params.levels = 2;
    schedule = wp_schedule_fused(&params);
    cost = wp_schedule_cost(schedule);
    assert_true(cost.bytes == quads * (16 + 16) + quads / 4 * (16 + 16));
    wp_schedule_destroy(&schedule);

    // A gather reads components of four quads; a spread writes one sample of a quad, in all
    // channels of its texel.
    struct wp_op op = {.kind = WP_OP_GATHER, .domain = {.width = 8, .height = 4}};
    const struct wp_schedule moving = {.op = &op, .op_count = 1};
    assert_true(wp_schedule_cost(&moving).bytes == 32 * (4 * 16 + 16));
    op.kind = WP_OP_SPREAD;
    assert_true(wp_schedule_cost(&moving).bytes == 32 * (4 + 16));
    assert_true(wp_schedule_cost(&moving).fill == 32 && wp_schedule_cost(&moving).fetches == 32);
}

// Steps are reversible if their taps are multiples of 1/4096 and nothing is scaled: in all pairs,
// for predict and update.
static void bits_of_reversible_steps(void **state)
{
    (void)state;
    for (int bits = 0; bits <= 2 * WP_BITS_MOST; bits++) {
        const int expected = bits <= WP_BITS_MOST ? bits : WP_BITS_MOST + 1;
        const struct wp_filter fine = {.count = 2, .tap = {{0, -3}, {1, 5 * ldexp(1, -bits)}}};
        assert_int_equal(wp_lifting_bits(&fine), expected);
        for (int step = 0; step < 2 * WP_MAX_PAIRS; step++) {
            struct wp_wavelet wavelet = {.pairs = WP_MAX_PAIRS, .zeta = 1};
            struct wp_pair *pair = &wavelet.pair[step / 2];
            *(step % 2 ? &pair->update : &pair->predict) = fine;
            assert_int_equal(wp_lifting_is_reversible(&wavelet), bits <= WP_BITS_MOST);
            wavelet.zeta = 1 + 1e-9;
            assert_false(wp_lifting_is_reversible(&wavelet));
        }
    }
    assert_int_equal(wp_lifting_bits(&(struct wp_filter){0}), 0);
    const struct wp_filter third = {.count = 1, .tap = {{0, 1.0 / 3}}};
    assert_int_equal(wp_lifting_bits(&third), WP_BITS_MOST + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_read_only_written_quads),
        cmocka_unit_test(fused_schedules_read_only_written_quads),
        cmocka_unit_test(extensions_follow_their_definitions),
        cmocka_unit_test(bits_of_reversible_steps),
        cmocka_unit_test(transfers_extend_and_round_trip),
        cmocka_unit_test(planes_load_and_store_samples),
        cmocka_unit_test(fused_schedules_of_volumes_cover_all_samples),
        cmocka_unit_test(impossible_schedules_report_a_reason),
        cmocka_unit_test(bands_tile_the_plane),
        cmocka_unit_test(costs_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
