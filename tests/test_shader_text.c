// A golden table of all shaders that the emitter writes: for each group their number, length,
// counts, and a hash of their texts. A changed row names the group; compare the output of
// dump_shaders before and after to see the difference.
#include "every_shader.h"
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct table {
    struct wp_text rows, texts;
    char group[256];
    int shaders;
    struct wp_tile_counts counts; // sums
};

static void end_group(struct table *table)
{
    const char *texts = wp_text_get(&table->texts);
    if (table->shaders)
        wp_text_add(&table->rows, "%-60s %3d %7zu %6d %5d %6d %5d %016llx\n", table->group,
                    table->shaders, strlen(texts), table->counts.operations,
                    table->counts.fetches, table->counts.exchanged, table->counts.cells,
                    wp_hash(texts));
    table->counts = (struct wp_tile_counts){0};
    table->shaders = 0;
    wp_text_clear(&table->texts);
}

static void add_shader(void *user, const struct shader *shader)
{
    struct table *table = user;
    if (strcmp(shader->group, table->group) != 0) {
        end_group(table);
        snprintf(table->group, sizeof table->group, "%s", shader->group);
    }
    assert_true(shader->text[0] != '\0');
    table->shaders++;
    table->counts.operations += shader->counts.operations;
    table->counts.fetches += shader->counts.fetches;
    table->counts.exchanged += shader->counts.exchanged;
    table->counts.cells += shader->counts.cells;
    wp_text_add(&table->texts, "%s%s", shader->stage, shader->text);
}

static void shaders_are_unchanged(void **state)
{
    (void)state;
    struct table table = {0};
    wp_text_add(&table.rows, "%-60s %3s %7s %6s %5s %6s %5s %s\n", "group", "", "bytes", "ops",
                "reads", "shared", "cells", "hash");
    every_shader(add_shader, &table);
    end_group(&table);
    assert_golden("shaders.txt", wp_text_get(&table.rows));
    wp_text_free(&table.rows);
    wp_text_free(&table.texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shaders_are_unchanged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
