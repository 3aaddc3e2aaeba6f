// Tiles: the results of their kernels and their counts. shaders_test.sh tests the texts.
#include "kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct wp_scheme *make(const struct wp_wavelet *wavelet, int kind, enum wp_form form,
                              enum wp_direction direction)
{
    return wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = wavelet,
        .kind = &wp_scheme_kinds[kind],
        .form = form,
        .direction = direction,
    });
}

// The state of a workgroup, a fragment, or 2x2 fragments that share values: all lanes execute one
// instruction after the other. Fragments are called lanes here, too.
struct machine {
    const struct wp_kernel *k;
    struct wp_matrix product; // the product of the scheme
    int lanes, size[2], steps;
    int apart[2];     // lanes: 0; fragments that share: distance in quads
    double *value;    // by lane, step, layer, component, position; NAN before it is assigned
    double *cell;     // shared
    int *sent, *read; // the last barrier before a cell was written or read
    int barriers, writes;
    bool retired;
};

// Component c of a quad of an infinite image.
static double input_at(int c, int x, int y)
{
    const unsigned n = ((unsigned)c + 4U * (unsigned)x + 4096U * (unsigned)y) * 2654435761U;
    return (double)(n >> 8) / (1 << 24) - 0.5;
}

static double output_at(const struct machine *m, int c, int x, int y)
{
    double sum = 0;
    for (int j = 0; j < WP_COMPONENTS; j++) {
        const struct wp_poly *entry = &m->product.at[c][j];
        for (int t = 0; t < entry->count; t++)
            sum += entry->term[t].c *
                   input_at(j, x + entry->term[t].at[WP_X], y + entry->term[t].at[WP_Y]);
    }
    return sum;
}

static double *value_at(const struct machine *m, int lane, const struct wp_value *v)
{
    assert_in_range(v->step + 1, 0, m->steps);
    assert_in_range(v->at[0], 0, m->size[0] - 1);
    assert_in_range(v->at[1], 0, m->size[1] - 1);
    int i = (lane * (m->steps + 1) + v->step + 1) * WP_COMPONENTS + v->layer;
    i = (i * WP_COMPONENTS + v->component) * m->size[1] + v->at[1];
    return &m->value[i * m->size[0] + v->at[0]];
}

static void assign(const struct machine *m, int lane, const struct wp_value *v, double value)
{
    assert_true(isnan(*value_at(m, lane, v)));
    *value_at(m, lane, v) = value;
}

// A cell of the lane at `distance` from this one.
static int cell_at(const struct machine *m, int lane, int slot, int distance)
{
    const int cell = slot * m->lanes + lane + m->k->padding + distance;
    assert_in_range(cell, 0, m->k->counts.exchanged - 1);
    return cell;
}

static double term_value(const struct machine *m, int lane, const struct wp_kernel_term *o)
{
    if (!o->lane_offset)
        return o->c * *value_at(m, lane, &o->value);
    const int cell = cell_at(m, lane, o->slot, o->lane_offset);
    assert_true(m->sent[cell] < m->barriers);
    m->read[cell] = m->barriers;
    return o->c * m->cell[cell];
}

static double sum_of(const struct machine *m, int lane, const struct wp_instruction *i)
{
    double sum = 0;
    for (int n = 0; n < i->count; n++)
        sum += term_value(m, lane, &m->k->operand[i->first + n]);
    return sum;
}

static bool is_lanes(const struct machine *m)
{
    return m->k->shape == WP_SHAPE_LANES;
}

// The column (axis 0) or row (axis 1) of a fragment in its 2x2 group.
static int position_of(const struct machine *m, int lane, int axis)
{
    return is_lanes(m) ? 0 : lane >> axis & 1;
}

static void load(const struct machine *m, int lane, struct wp_value texel)
{
    const struct wp_kernel *k = m->k;
    const struct wp_reach *loads = &k->counts.loads;
    for (int axis = 0; axis < 2 && k->tile.shares; axis++) {
        const int quads = k->loads_bands ? 2 : 1;
        const int first = quads * (k->load_first[axis] + texel.at[axis]);
        const int last = (axis ? k->tile.rows : k->tile.columns) - 1;
        assert_true(first >= loads->low[axis] && first + quads - 1 <= last + loads->high[axis]);
    }
    const int x = k->load_first[0] + texel.at[0] +
                  (is_lanes(m) ? lane : position_of(m, lane, 0) * k->load_step[0]);
    const int y = k->load_first[1] + texel.at[1] + position_of(m, lane, 1) * k->load_step[1];
    for (int i = 0; i < WP_COMPONENTS; i++) {
        texel.component = i;
        assign(m, lane, &texel,
               m->k->loads_bands ? input_at(texel.layer, 2 * x + i % 2, 2 * y + i / 2)
                                 : input_at(i, x, y));
    }
}

// The value that the neighbor sends is already assigned.
static void share(const struct machine *m, int lane, const struct wp_instruction *i)
{
    const int neighbor = lane ^ (1 << i->index);
    struct wp_value sent = (&m->k->operand[i->first])[position_of(m, neighbor, i->index)].value;
    struct wp_value got = i->value;
    for (int c = 0; c < WP_COMPONENTS; c++) {
        sent.component = got.component = c;
        const double value = *value_at(m, neighbor, &sent);
        assert_true(value == value);
        assign(m, lane, &got, value);
    }
}

static void send(const struct machine *m, int lane, const struct wp_instruction *i)
{
    const int cell = cell_at(m, lane, i->index, 0);
    assert_true(m->read[cell] < m->barriers);
    m->sent[cell] = m->barriers;
    m->cell[cell] = *value_at(m, lane, &i->value);
}

// Lanes write a quad in their own column; blocks write a quad (inverse) or one component of 2x2
// quads (forward).
static void check_write(struct machine *m, int lane, const struct wp_instruction *i)
{
    const struct wp_kernel *k = m->k;
    const bool lanes = is_lanes(m);
    const bool bands = !lanes && k->scheme->direction == WP_FORWARD;
    const int column = lanes ? lane + k->load_first[0] : i->value.at[0];
    const int row = lanes ? i->value.at[1] + k->load_first[1] : i->value.at[1];
    assert_true(m->retired == lanes);
    if (lanes && (column < 0 || column >= k->write_step[0]))
        return;
    assert_true(lanes || i->index == m->writes / m->lanes);
    m->writes++;
    for (int n = 0; n < WP_COMPONENTS; n++) {
        const int c = bands ? i->value.layer : n;
        const int x = bands ? 2 * column + n % 2 : column, y = bands ? 2 * row + n / 2 : row;
        const double got = term_value(m, lane, &k->operand[i->first + n]);
        const double expected = output_at(m, c, x + position_of(m, lane, 0) * m->apart[0],
                                        y + position_of(m, lane, 1) * m->apart[1]);
        if (!(fabs(got - expected) < 1e-10))
            fail_msg("%s: %d of (%d, %d) is %g and not %g", k->scheme->name, c, x, y, got,
                     expected);
    }
}

static void run(struct machine *m, int lane, const struct wp_instruction *i)
{
    switch (i->kind) {
    case WP_LOAD:
        for (int n = 0; n < i->count; n++)
            load(m, lane, m->k->operand[i->first + n].value);
        break;
    case WP_SHARE: share(m, lane, i); break;
    case WP_SUM: assign(m, lane, &i->value, sum_of(m, lane, i)); break;
    case WP_SEND: send(m, lane, i); break;
    case WP_BARRIER: m->barriers += lane == 0; break;
    case WP_RETIRE: m->retired = true; break;
    case WP_WRITE: check_write(m, lane, i); break;
    default: assert_int_equal(i->kind, WP_NOTE);
    }
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

// Each result equals that of the scheme's matrix, for any values outside the tile; each value is
// assigned once, and barriers separate the writes and reads of a cell.
static void check_tile(const struct wp_scheme *scheme, const struct wp_tile *tile)
{
    struct wp_kernel k;
    wp_kernel_of_tile(scheme, tile, &k);
    struct machine m = {
        .k = &k,
        .product = wp_scheme_product(scheme),
        .lanes = tile->lanes    ? tile->lanes
                 : tile->shares ? 4
                                : 1,
        .apart = {tile->columns, tile->rows},
        .barriers = 1,
    };
    for (int axis = 0; axis < 2; axis++)
        m.size[axis] = (k.loads_bands ? 2 : 1) * (axis == 0 && tile->lanes ? 1 : k.load_size[axis]);
    for (int i = 0; i < k.instruction_count; i++)
        m.steps = m.steps > k.instruction[i].value.step ? m.steps : k.instruction[i].value.step + 1;
    const int values = m.lanes * (m.steps + 1) * 16 * m.size[0] * m.size[1];
    const size_t cells = (size_t)k.counts.exchanged + 1;
    m.value = allocate((size_t)values, sizeof *m.value);
    m.cell = allocate(cells, sizeof *m.cell);
    m.sent = allocate(cells, sizeof *m.sent);
    m.read = allocate(cells, sizeof *m.read);
    for (int v = 0; v < values; v++)
        m.value[v] = NAN;
    for (size_t c = 0; c < cells; c++)
        m.cell[c] = NAN;
    for (int i = 0; i < k.instruction_count; i++)
        for (int lane = 0; lane < m.lanes; lane++)
            run(&m, lane, &k.instruction[i]);
    const int columns = tile->lanes ? 1 : tile->columns;
    assert_int_equal(m.writes,
                     (tile->lanes ? k.write_step[0] : columns * m.lanes) * tile->rows);
    // A tile performs all operations of its quads, plus those of its halo.
    assert_true(k.counts.operations >= columns * tile->rows * wp_scheme_operations(scheme));
    assert_true(tile->shares || k.counts.fetches >= columns * tile->rows);
    free(m.value);
    free(m.cell);
    free(m.sent);
    free(m.read);
    wp_matrix_free(&m.product);
    wp_kernel_free(&k);
}

static void tiles_compute_their_scheme(void **state)
{
    (void)state;
    static const struct wp_tile tiles[] = {{.lanes = 64, .rows = 8},
                                           {.lanes = 40, .rows = 1},
                                           {.columns = 2, .rows = 2},
                                           {.columns = 4, .rows = 6},
                                           {.columns = 2, .rows = 2, .shares = true}};
    enum { TILES = sizeof tiles / sizeof *tiles };
    for (int w = 0; wp_wavelet_table[w]; w++) {
        for (int i = 0; i < WP_SCHEME_KINDS * WP_FORM_COUNT * 2 * TILES; i++) {
            const int shape = i / TILES;
            struct wp_scheme *scheme =
                make(wp_wavelet_table[w], shape / 2 % WP_SCHEME_KINDS,
                     (enum wp_form)(shape / 2 / WP_SCHEME_KINDS),
                     shape % 2 ? WP_INVERSE : WP_FORWARD);
            check_tile(scheme, &tiles[i % TILES]);
            wp_scheme_destroy(&scheme);
        }
    }
}

static struct wp_tile_counts counts_of(const char *name, const struct wp_tile *tile)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    struct wp_scheme *scheme = make(&wavelet, WP_SCHEME_SEP_LIFTING, WP_FORM_BLOCK, WP_FORWARD);
    const struct wp_tile_counts counts = wp_tile_count(scheme, tile);
    wp_scheme_destroy(&scheme);
    return counts;
}

// Computed by hand for 8 rows of results. Haar has no halo. With lifting, a step of CDF 5/3 also
// computes the halo rows that later steps read.
static void counts_include_the_halo(void **state)
{
    (void)state;
    const struct wp_tile tile = {.lanes = 64, .rows = 8};
    struct wp_tile_counts counts = counts_of("haar", &tile);
    assert_int_equal(counts.operations, 8 * 8);
    assert_int_equal(counts.fetches, 8);
    assert_int_equal(counts.exchanged, 0);

    counts = counts_of("cdf53", &tile);
    // T^H: odd columns of 10 even rows and 9 odd rows; T^V: 9 odd rows of both columns; S^H: even
    // columns of 8 even and 9 odd rows; S^V: 8 even rows of both. Two taps each.
    assert_int_equal(counts.operations, 2 * (10 + 9) + 2 * 2 * 9 + 2 * (8 + 9) + 2 * 2 * 8);
    assert_int_equal(counts.fetches, 10);
}

// The reads of a block of 2x2 quads: CDF 5/3 one more quad on each side, 9/7 two, DD 13/7 three.
// Operations of 5/3 with lifting, computed by hand, two taps each: S^V 2 even rows of 4 columns;
// S^H 2 even columns in these and the 3 odd rows that S^V reads; T^V these 3 in 5 columns; T^H 3
// odd columns in 7 rows.
static void counts_of_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        int fetches;
    } known[] = {{"haar", 4}, {"cdf53", 16}, {"cdf97", 36}, {"dd137", 64}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct wp_tile_counts counts =
            counts_of(known[i].wavelet, &(struct wp_tile){.columns = 2, .rows = 2});
        assert_int_equal(counts.fetches, known[i].fetches);
        if (i == 0)
            assert_int_equal(counts.operations, 4 * 8);
        if (i == 1)
            assert_int_equal(counts.operations, 2 * (2 * 4 + 2 * 5 + 3 * 5 + 3 * 7));
    }
}

// The halo occupies lanes, and workgroups write multiples of 8 quads.
static void steps_are_multiples_of_eight(void **state)
{
    (void)state;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("cdf97", &wavelet));
    struct wp_scheme *scheme = make(&wavelet, WP_SCHEME_SEP_LIFTING, WP_FORM_BLOCK, WP_FORWARD);
    assert_int_equal(wp_tile_step(scheme, &(struct wp_tile){.lanes = 64}), 56);
    assert_int_equal(wp_tile_step(scheme, &(struct wp_tile){.lanes = 63}), 56);
    assert_int_equal(wp_tile_step(scheme, &(struct wp_tile){.lanes = 8}), 4);
    assert_true(wp_tile_step(scheme, &(struct wp_tile){.lanes = 4}) <= 0);
    wp_scheme_destroy(&scheme);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_compute_their_scheme),
        cmocka_unit_test(counts_include_the_halo),
        cmocka_unit_test(counts_of_blocks),
        cmocka_unit_test(steps_are_multiples_of_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
