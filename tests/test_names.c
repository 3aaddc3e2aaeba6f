// Look-up of names and the messages about unknown names; plural forms; line wrapping; fractions.
#include "suggest.h"
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const names[] = {"symmetric", "periodic", "zero"};
enum { NAMES = sizeof names / sizeof *names };

static char logged[512];

static void store_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level;
    snprintf(logged, sizeof logged, "%s", message);
}

static int install_handler(void **state)
{
    (void)state;
    wp_log_set_handler(store_message, NULL);
    return 0;
}

static void test_index(void **state)
{
    (void)state;
    assert_int_equal(wp_name_index("zero", names, NAMES), 2);
    assert_int_equal(wp_name_index("zer", names, NAMES), -1);
    assert_int_equal(wp_name_index(NULL, names, NAMES), -1);
    assert_int_equal(wp_name_find("border", "periodic", names, NAMES, "there are "), 1);
}

static void test_nothing_near(void **state)
{
    (void)state;
    wp_clear_error();
    assert_int_equal(wp_name_find("border", "mirror", names, NAMES, "there are "), -1);
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_string_equal(logged, "unknown border 'mirror'\n"
                              "hint: there are symmetric, periodic, zero");
}

static void test_something_near(void **state)
{
    (void)state;
    assert_int_equal(wp_name_find("border", "Symetric", names, NAMES, "there are "), -1);
    assert_string_equal(logged, "unknown border 'Symetric'\nhint: did you mean 'symmetric'?  "
                              "there are symmetric, periodic, zero");
}

static void expect_nearest(const char *name, const char *nearest)
{
    struct wp_lookup lookup = {.name = name};
    for (int i = 0; i < NAMES; i++)
        assert_false(wp_lookup_is(&lookup, names[i]));
    if (nearest)
        assert_string_equal(lookup.nearest, nearest);
    else
        assert_null(lookup.nearest);
}

// One edit in a word of four letters, two in one of eight, three in longer ones.
static void test_how_near(void **state)
{
    (void)state;
    expect_nearest("zreo", "zero"); // swapped neighbors are one edit
    expect_nearest("zexx", NULL);
    expect_nearest("periXXic", "periodic");
    expect_nearest("perXXXic", NULL);
    expect_nearest("symmeXXXc", "symmetric");
    expect_nearest("symmXXXXc", NULL);
    expect_nearest("a word that is longer than any name can be", NULL);
}

static void test_without_a_list(void **state)
{
    (void)state;
    struct wp_lookup lookup = {.name = "nero"};
    assert_false(wp_lookup_is(&lookup, "zero"));
    assert_false(wp_lookup_fail(&lookup, NULL, "%d unknown", 1));
    assert_string_equal(logged, "1 unknown\nhint: did you mean 'zero'?");
    wp_lookup_fail(&(struct wp_lookup){.name = "nero"}, NULL, "unknown");
    assert_string_equal(logged, "unknown");
}

static void test_plural(void **state)
{
    (void)state;
    struct wp_text text = {0};
    for (int i = 0; i < 3; i++)
        wp_text_add(&text, "%d step%s, pass%s, value%s.", i, WP_PLURAL(i), WP_PLURAL_ES(i),
                    WP_PLURAL_IS(i));
    assert_string_equal(wp_text_get(&text), "0 steps, passes, values are."
                                            "1 step, pass, value is."
                                            "2 steps, passes, values are.");
    wp_text_free(&text);
}

// Each character has the width 1.
static float count_characters(const char *line)
{
    float width = 0;
    for (; *line; line++)
        width += ((unsigned char)*line & 0xC0) != 0x80;
    return width;
}

static void test_fitted(void **state)
{
    (void)state;
    static const struct {
        const char *words, *fitted;
        float width;
        int lines;
    } row[] = {
        {"", "", 5, 1},
        {"one two three", "one two three", 13, 1},
        {"one two three", "one two\nthree", 12, 2},
        {"one  two\n  three", "one\ntwo\n  three", 7, 3},
        {"abcdefghij k", "abcd\nefgh\nij k", 4, 3},
        {"|A\u2212B| is", "|A\u2212B|\nis", 5, 2},
        {"\u2212\u2212\u2212", "\u2212\n\u2212\n\u2212", 1, 3},
        {"ab", "a\nb", 0, 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct wp_text text = {0};
        const int lines = wp_text_add_fitted(&text, row[i].words, row[i].width, count_characters);
        assert_string_equal(wp_text_get(&text), row[i].fitted);
        assert_int_equal(lines, row[i].lines);
        wp_text_free(&text);
    }
}

// A number or a percentage, at least 0, with at most 63 characters.
static void test_fraction(void **state)
{
    (void)state;
    char longest[65] = "";
    for (int i = 0; i < 64; i++)
        longest[i] = i == 1 ? '.' : '0';
    longest[62] = '5';
    double value = -1;
    assert_false(wp_parse_fraction(longest, &value)); // 64 characters
    longest[63] = '\0';
    assert_true(wp_parse_fraction(longest, &value) && value > 0 && value < 1e-59);
    longest[62] = '%';
    assert_true(wp_parse_fraction(longest, &value) && value == 0);
    assert_true(wp_parse_fraction("5%", &value) && value == 0.05);
    assert_true(wp_parse_fraction("0.25", &value) && value == 0.25);
    assert_true(wp_parse_fraction("0", &value) && value == 0);
    static const char *const invalid[] = {"", "%", "-1", "-1%", "5%%", "5 %", "%5", "nan", "five"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_false(wp_parse_fraction(invalid[i], &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),         cmocka_unit_test(test_nothing_near),
        cmocka_unit_test(test_something_near), cmocka_unit_test(test_how_near),
        cmocka_unit_test(test_without_a_list), cmocka_unit_test(test_plural),
        cmocka_unit_test(test_fitted),        cmocka_unit_test(test_fraction),
    };
    return cmocka_run_group_tests(tests, install_handler, NULL);
}
