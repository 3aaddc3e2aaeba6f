// Tiles: the counts, and what must hold for the text of every one.
#include "emit_tile.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// Every variable of the forms q5 and g5_2 is declared once, and before it is used.
static void check_variables(const char *text)
{
    struct wp_text declared = {0};
    for (const char *at = text; *at;) {
        if (!isalpha((unsigned char)*at)) {
            at++;
            continue;
        }
        const char *end = at;
        while (isalnum((unsigned char)*end) || *end == '_')
            end++;
        char word[64];
        snprintf(word, sizeof word, " %.*s ", (int)(end - at), at);
        if (strchr("qsrgba", word[1]) && isdigit((unsigned char)word[2])) {
            const bool declares = (at - text >= 6 && strncmp(at - 6, "float ", 6) == 0) ||
                                  (at - text >= 5 && strncmp(at - 5, "vec4 ", 5) == 0);
            const bool known = strstr(wp_text_get(&declared), word) != NULL;
            if (known == declares)
                print_error("%s in\n%s", word, text);
            assert_true(known != declares);
            if (declares)
                wp_text_add(&declared, "%s", word);
        }
        at = end;
    }
    wp_text_free(&declared);
}

// Every place in shared memory that a lane touches exists for the first and the last lane.
static void check_cells(const char *text, const struct wp_scheme *scheme,
                        const struct wp_tile *tile, const struct wp_tile_counts *counts)
{
    const struct wp_reach reach = wp_tile_reach(scheme);
    const int room = reach.right - reach.left;
    const int cells = counts->exchanged / (tile->tiers ? tile->tiers : 1);
    const char *access = tile->tiers ? "cell[gl_LocalInvocationID.y][lane + " : "cell[lane + ";
    int found = 0;
    for (const char *at = strstr(text, access); at; at = strstr(at, access), found++) {
        at += strlen(access);
        const int offset = atoi(at);
        assert_true(room + offset >= 0);
        assert_true(room + tile->lanes - 1 + offset < cells);
    }
    assert_int_equal(found > 0, cells > 0);
}

static void check_wavelet(const struct wp_wavelet *wavelet)
{
    static const struct wp_tile tiles[] = {{.lanes = 64, .rows = 8},
                                           {.lanes = 64, .rows = 1, .keep_loops = true},
                                           {.lanes = 40, .rows = 4, .tiers = 8}};
    for (int i = 0; i < WP_SCHEME_KINDS * WP_FORM_COUNT * 2 * 3; i++) {
        const struct wp_tile *tile = &tiles[i % 3];
        struct wp_scheme *scheme =
            make(wavelet, i / 6 % WP_SCHEME_KINDS, (enum wp_form)(i / 6 / WP_SCHEME_KINDS),
                 i / 3 % 2 ? WP_INVERSE : WP_FORWARD);
        struct wp_text text = {0}, again = {0};
        struct wp_tile_counts counts;
        wp_emit_tile(scheme, tile, &text, &counts);
        wp_emit_tile(scheme, tile, &again, &counts);
        assert_string_equal(wp_text_get(&text), wp_text_get(&again));
        check_variables(wp_text_get(&text));
        check_cells(wp_text_get(&text), scheme, tile, &counts);
        // A tile does all the work of its quads, and that of its halo on top.
        assert_true(counts.operations >= tile->rows * wp_scheme_operations(scheme));
        assert_true(counts.fetches >= tile->rows);
        wp_text_free(&text);
        wp_text_free(&again);
        wp_scheme_destroy(&scheme);
    }
}

// Blocks of fragments share nothing, so a variable is all there is to a value.
static void check_blocks(const struct wp_wavelet *wavelet)
{
    static const struct wp_tile tiles[] = {{.columns = 2, .rows = 2},
                                           {.columns = 4, .rows = 6, .keep_loops = true}};
    for (int i = 0; i < WP_SCHEME_KINDS * WP_FORM_COUNT * 2 * 2; i++) {
        const struct wp_tile *tile = &tiles[i % 2];
        const int quads = tile->columns * tile->rows;
        struct wp_scheme *scheme =
            make(wavelet, i / 4 % WP_SCHEME_KINDS, (enum wp_form)(i / 4 / WP_SCHEME_KINDS),
                 i / 2 % 2 ? WP_INVERSE : WP_FORWARD);
        struct wp_text text = {0};
        struct wp_tile_counts counts;
        wp_emit_tile(scheme, tile, &text, &counts);
        check_variables(wp_text_get(&text));
        int writes = 0;
        for (const char *at = wp_text_get(&text); (at = strstr(at, "WRITE(")); at++)
            writes++;
        assert_int_equal(writes, quads);
        assert_true(counts.operations >= quads * wp_scheme_operations(scheme));
        assert_true(counts.fetches >= quads);
        assert_int_equal(counts.exchanged, 0);
        wp_text_free(&text);
        wp_scheme_destroy(&scheme);
    }
}

static void texts_are_sound(void **state)
{
    (void)state;
    for (int i = 0; wp_wavelet_table[i]; i++)
        check_wavelet(wp_wavelet_table[i]);
    for (int i = 0; wp_wavelet_table[i]; i++)
        check_blocks(wp_wavelet_table[i]);
}

static void counts_of(const char *name, int kind, int rows, struct wp_tile_counts *counts,
                      struct wp_text *text)
{
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find(name, &wavelet));
    struct wp_scheme *scheme = make(&wavelet, kind, WP_FORM_BLOCK, WP_FORWARD);
    wp_emit_tile(scheme, &(struct wp_tile){.lanes = 64, .rows = rows}, text, counts);
    wp_scheme_destroy(&scheme);
}

// By hand. Haar has no halo. CDF 5/3 by lifting, 8 rows of results: all rows count 4 for T^H
// but for the last row of LH and HH, which nothing uses; and so on down to 8 rows.
static void counts_include_the_halo(void **state)
{
    (void)state;
    struct wp_tile_counts counts;
    struct wp_text text = {0};
    counts_of("haar", WP_SCHEME_SEP_LIFTING, 8, &counts, &text);
    assert_int_equal(counts.operations, 8 * 8);
    assert_int_equal(counts.fetches, 8);
    assert_null(strstr(wp_text_get(&text), "barrier"));
    wp_text_clear(&text);

    counts_of("cdf53", WP_SCHEME_SEP_LIFTING, 8, &counts, &text);
    // T^H: odd columns of 10 even rows and 9 odd rows; T^V: 9 odd rows of both columns;
    // S^H: even columns of 8 even and 9 odd rows; S^V: 8 even rows of both. Two taps each.
    assert_int_equal(counts.operations, 2 * (10 + 9) + 2 * 2 * 9 + 2 * (8 + 9) + 2 * 2 * 8);
    assert_int_equal(counts.fetches, 10);
    wp_text_free(&text);
}

// What a block of 2x2 quads reads: 5/3 a quad more on each side, 9/7 two, DD 13/7 three. 5/3 by
// lifting, by hand, two taps each: S^V 2 even rows of 4 columns; S^H 2 even columns in these and
// the 3 odd rows that S^V reads; T^V these 3 in 5 columns; T^H 3 odd columns in 7 rows.
static void counts_of_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *wavelet;
        int fetches;
    } known[] = {{"haar", 4}, {"cdf53", 16}, {"cdf97", 36}, {"dd137", 64}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(known[i].wavelet, &wavelet));
        struct wp_scheme *scheme = make(&wavelet, WP_SCHEME_SEP_LIFTING, WP_FORM_BLOCK, WP_FORWARD);
        const struct wp_tile tile = {.columns = 2, .rows = 2};
        struct wp_tile_counts counts;
        struct wp_text text = {0};
        wp_emit_tile(scheme, &tile, &text, &counts);
        assert_int_equal(counts.fetches, known[i].fetches);
        if (i == 0)
            assert_int_equal(counts.operations, 4 * 8);
        if (i == 1)
            assert_int_equal(counts.operations, 2 * (2 * 4 + 2 * 5 + 3 * 5 + 3 * 7));
        wp_text_free(&text);
        wp_scheme_destroy(&scheme);
    }
}

// The halo takes lanes, and workgroups write whole blocks of 8 quads.
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
        cmocka_unit_test(texts_are_sound),
        cmocka_unit_test(counts_include_the_halo),
        cmocka_unit_test(counts_of_blocks),
        cmocka_unit_test(steps_are_multiples_of_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
