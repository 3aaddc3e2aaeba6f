// Fragment shaders: a few golden texts, and rules that all shaders must follow.
#include "emit.h"
#include "every_wavelet.h"
#include "golden.h"

#include <ctype.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct golden {
    const char *wavelet;
    int kind;
    enum wp_form form;
    enum wp_direction direction;
    enum wp_norm norm;
    int dims; // 0 means 2
} goldens[] = {
    {"cdf53", WP_SCHEME_NONSEP_LIFTING, WP_FORM_SHADER, WP_FORWARD, WP_NORM_JPEG2000, 0},
    {"cdf53", WP_SCHEME_NONSEP_CONVOLUTION, WP_FORM_SHADER, WP_INVERSE, WP_NORM_JPEG2000, 0},
    {"cdf97", WP_SCHEME_SEP_CONVOLUTION, WP_FORM_SHADER, WP_FORWARD, WP_NORM_JPEG2000, 0},
    {"cdf97", WP_SCHEME_SEP_LIFTING, WP_FORM_PLAIN, WP_INVERSE, WP_NORM_ORTHONORMAL, 0},
    {"haar", WP_SCHEME_NONSEP_CONVOLUTION, WP_FORM_SHADER, WP_FORWARD, WP_NORM_JPEG2000, 0},
    {"haar", WP_SCHEME_NONSEP_CONVOLUTION, WP_FORM_SHADER, WP_INVERSE, WP_NORM_ORTHONORMAL, 0},
    {"cdf53", WP_SCHEME_PLANAR_LIFTING, WP_FORM_SHADER, WP_FORWARD, WP_NORM_JPEG2000, 3},
};

static void test_goldens(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(goldens); i++) {
        const struct golden *golden = &goldens[i];
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find(golden->wavelet, &wavelet));
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = &wavelet,
            .kind = &wp_scheme_kinds[golden->kind],
            .form = golden->form,
            .direction = golden->direction,
            .norm = golden->norm,
            .dims = golden->dims,
        });
        struct wp_text text = {0};
        for (int p = 0; p < scheme->pass_count; p++)
            wp_emit_fragment_pass(scheme, p, &text);
        char file[128];
        snprintf(file, sizeof file, "%s_%s_%s_%s.frag", golden->wavelet, scheme->kind->alias,
                 wp_form_names[golden->form],
                 golden->direction == WP_FORWARD ? "forward" : "inverse");
        assert_golden(file, wp_text_get(&text));
        wp_text_free(&text);
        wp_scheme_destroy(&scheme);
    }
}

// All steps along z of CDF 9/7. Unused slices are not fetched: nine of ten are.
static void test_depth(void **state)
{
    (void)state;
    for (int d = 0; d < WP_DIRECTION_COUNT; d++) {
        struct wp_wavelet wavelet;
        assert_true(wp_wavelet_find("cdf97", &wavelet));
        const struct wp_lifting lifting = wp_lifting_make(&wavelet, (enum wp_direction)d,
                                                          WP_NORM_JPEG2000, WP_BORDER_SYMMETRIC);
        struct wp_text text = {0};
        const struct wp_depth_counts counts =
            wp_emit_depth(&lifting, &(struct wp_emit_target){.half = d}, &text);
        assert_int_equal(counts.fetches, 9);
        char file[128];
        snprintf(file, sizeof file, "cdf97_depth_%s.frag", wp_direction_names[d]);
        assert_golden(file, wp_text_get(&text));
        wp_text_free(&text);
    }
}

static int count_string(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

// The statements of main() without comments and integers: all remaining numbers must be
// floating-point literals.
static char *code_of(const char *shader)
{
    const char *body = strstr(shader, "void main()");
    assert_non_null(body);
    char *code = calloc(strlen(body) + 1, 1), *out = code;
    assert_non_null(code);
    while (*body) {
        if (strncmp(body, "//", 2) == 0)
            body += strcspn(body, "\n");
        else if (strncmp(body, "ivec2(", 6) == 0 && strncmp(body, "ivec2(gl_", 9) != 0)
            body += strcspn(body, ")") + 1;
        else if (strncmp(body, ", 0);", 5) == 0)
            body += 5;
        else
            *out++ = *body++;
    }
    return code;
}

static void fail_shader(const struct wp_scheme *scheme, const char *shader, const char *problem)
{
    print_message("%s\n", shader);
    fail_msg("%s, %s: %s", scheme->name,
             scheme->direction == WP_FORWARD ? "forward" : "inverse", problem);
}

static void check_literals(const struct wp_scheme *scheme, const char *shader, const char *code)
{
    static const char *const forbidden[] = {"*1.0", "* 1.0;", "* 1.0 ", "+-", "+ -", "- -", "--",
                                            "+ ;", "= ;", "inf", "nan"};
    for (int i = 0; i < COUNT(forbidden); i++)
        if (strstr(code, forbidden[i]))
            fail_shader(scheme, shader, forbidden[i]);
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const char *at = code; *at;) {
        if (!isdigit((unsigned char)*at)) {
            const size_t length = strspn(at, word);
            at += length ? length : 1;
            continue;
        }
        const size_t mantissa = strspn(at, "0123456789.");
        size_t length = mantissa;
        if (at[length] == 'e')
            length += 2 + strspn(at + length + 2, "0123456789");
        char literal[64];
        assert_true(length < sizeof literal);
        snprintf(literal, sizeof literal, "%.*s", (int)length, at);
        double value;
        if (!strpbrk(literal, ".e") || !wp_parse_double(literal, &value))
            fail_shader(scheme, shader, "not a floating-point literal");
        else if (value == 0)
            fail_shader(scheme, shader, "adds or multiplies by zero");
        else if (value == 1 && strncmp(at + length, " *", 2) == 0)
            fail_shader(scheme, shader, "multiplies by one");
        at += length;
    }
}

// Every fetched quad is used, and their number is that of the scheme.
static void check_fetches(const struct wp_scheme *scheme, const struct wp_pass *pass,
                          const char *shader, const char *code)
{
    int fetches = 0;
    for (const char *at = strstr(code, "vec4 q_"); at; at = strstr(at + 1, "vec4 q_")) {
        char name[64];
        const size_t length = strcspn(at + 5, " ");
        assert_true(length + 2 < sizeof name);
        snprintf(name, sizeof name, "%.*s.", (int)length, at + 5);
        bool used = strstr(code, name) != NULL;
        snprintf(name, sizeof name, "= %.*s;", (int)length, at + 5);
        used = used || strstr(code, name);
        if (!used)
            fail_shader(scheme, shader, "a fetch that nothing uses");
        fetches++;
    }
    assert_int_equal(fetches, count_string(code, "texelFetch("));
    if (fetches != pass->reach.fetches)
        fail_shader(scheme, shader, "not the number of fetches that the scheme has");
}

// Counts operations in the text: each product or operand of the sums, except a row's own component
// without a factor, and each "q.r += ...".
static void check_operations(const struct wp_scheme *scheme, const struct wp_pass *pass,
                             const char *shader, const char *code)
{
    int operations = count_string(code, "+= ") + count_string(code, "-= ");
    for (int row = 0; row < WP_COMPONENTS; row++) {
        char begin[16], continuation[16], component[16], center[24];
        snprintf(begin, sizeof begin, "    q.%c = ", "rgba"[row]);
        snprintf(continuation, sizeof continuation, "    q.%c += ", "rgba"[row]);
        snprintf(component, sizeof component, ".%c", "rgba"[row]);
        snprintf(center, sizeof center, "q_0_0.%c", "rgba"[row]);
        const char *at = strstr(code, begin);
        if (!at)
            continue;
        at += strlen(begin);
        char *sum = calloc(strlen(at) + 1, 1);
        assert_non_null(sum);
        size_t length = strcspn(at, ";");
        memcpy(sum, at, length);
        // A long sum continues in further statements, which also read quads.
        for (at = strstr(at, continuation); at; at = strstr(at + 1, continuation)) {
            char *further = sum + length;
            memcpy(further, at, strcspn(at, ";"));
            if (!strstr(further, "q_")) {
                memset(further, 0, strlen(further));
                continue;
            }
            length += strlen(further);
            operations--;
        }
        operations += count_string(sum, "q_");
        const char *diagonal = strstr(sum, center);
        const bool bare = diagonal && (diagonal == sum || diagonal[-2] == '+');
        if (count_string(sum, component) == 1 && bare)
            operations--;
        free(sum);
    }
    if (operations != wp_pass_operations(pass)) {
        print_message("%d, not %d\n", operations, wp_pass_operations(pass));
        fail_shader(scheme, shader, "not the number of operations that the scheme has");
    }
}

static void check_pass(const struct wp_scheme *scheme, int pass)
{
    struct wp_text text = {0}, again = {0};
    wp_emit_fragment_pass(scheme, pass, &text);
    wp_emit_fragment_pass(scheme, pass, &again);
    assert_string_equal(wp_text_get(&text), wp_text_get(&again));
    const char *shader = wp_text_get(&text);
    assert_int_equal(strncmp(shader, "#version 330 core\n", 18), 0);
    assert_non_null(strstr(shader, scheme->name));
    assert_non_null(strstr(shader, scheme->pass[pass].label));
    char *code = code_of(shader);
    check_literals(scheme, shader, code);
    check_fetches(scheme, &scheme->pass[pass], shader, code);
    // Scaling that is folded into a sum makes its diagonal a product, which is not counted.
    if (scheme->direction == WP_FORWARD || strstr(code, "q_0_0 *= ") || scheme->scale_in[0] == 1.0)
        check_operations(scheme, &scheme->pass[pass], shader, code);
    free(code);
    // The text for ES 3.00 differs only in the first line.
    wp_text_clear(&again);
    wp_emit_fragment_pass_to(scheme, pass, &(struct wp_emit_target){.dialect = &wp_glsl_es_300},
                             &again);
    assert_int_equal(strncmp(wp_text_get(&again), "#version 300 es\n", 16), 0);
    assert_string_equal(strchr(wp_text_get(&again), '\n'), strchr(shader, '\n'));
    wp_text_free(&text);
    wp_text_free(&again);
}

static void for_every_scheme(void (*check)(const struct wp_scheme *scheme, int pass))
{
    static const enum wp_form forms[] = {WP_FORM_SHADER, WP_FORM_PLAIN};
    static const enum wp_norm norms[] = {WP_NORM_NONE, WP_NORM_ORTHONORMAL};
    struct wp_wavelet *list = calloc(EVERY_WAVELET_MAX, sizeof *list);
    assert_non_null(list);
    const int count = every_wavelet(list);
    for (int i = 0; i < count * WP_SCHEME_KINDS * COUNT(forms) * COUNT(norms) * 2 * 3; i++) {
        int rest = i;
        struct wp_scheme_params params = {0};
        params.axes = (enum wp_axis)(1 + rest % 3), rest /= 3;
        params.direction = rest % 2 ? WP_INVERSE : WP_FORWARD, rest /= 2;
        params.norm = norms[rest % COUNT(norms)], rest /= COUNT(norms);
        params.form = forms[rest % COUNT(forms)], rest /= COUNT(forms);
        params.kind = &wp_scheme_kinds[rest % WP_SCHEME_KINDS], rest /= WP_SCHEME_KINDS;
        params.wavelet = &list[rest];
        struct wp_scheme *scheme = wp_scheme_create(&params);
        for (int p = 0; p < scheme->pass_count; p++)
            check(scheme, p);
        wp_scheme_destroy(&scheme);
    }
    free(list);
}

// Browsers limit expressions to 256 terms.
static void test_long_sums(void **state)
{
    (void)state;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("db8", &wavelet));
    struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
        .wavelet = &wavelet,
        .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION],
    });
    assert_non_null(scheme);
    struct wp_text text = {0};
    wp_emit_fragment_pass(scheme, 0, &text);
    char *code = code_of(wp_text_get(&text));
    int products = 0, max_terms = 0;
    for (char *statement = strtok(code, ";"); statement; statement = strtok(NULL, ";")) {
        const int terms = count_string(statement, " * ");
        max_terms = terms > max_terms ? terms : max_terms;
        products += terms;
    }
    assert_true(products > 900 && max_terms > 200);
    assert_true(max_terms < 256);
    free(code);
    wp_text_free(&text);
    wp_scheme_destroy(&scheme);
}

static void test_every_shader(void **state)
{
    (void)state;
    for_every_scheme(check_pass);
}

// The text depends only on the scheme: equal parameters give equal shaders.
static void test_text_is_a_key(void **state)
{
    (void)state;
    struct wp_wavelet wavelet;
    assert_true(wp_wavelet_find("cdf53", &wavelet));
    unsigned long long hash[2 * WP_NORM_COUNT];
    for (int i = 0; i < COUNT(hash); i++) {
        struct wp_scheme *scheme = wp_scheme_create(&(struct wp_scheme_params){
            .wavelet = &wavelet,
            .kind = &wp_scheme_kinds[WP_SCHEME_NONSEP_CONVOLUTION],
            .norm = (enum wp_norm)(i % WP_NORM_COUNT),
        });
        struct wp_text text = {0};
        wp_emit_fragment_pass(scheme, 0, &text);
        hash[i] = wp_hash(wp_text_get(&text));
        wp_text_free(&text);
        wp_scheme_destroy(&scheme);
    }
    for (int i = 0; i < WP_NORM_COUNT; i++)
        assert_true(hash[i] == hash[i + WP_NORM_COUNT]);
    // zeta is 1, so norm none equals jpeg2000, but orthonormal differs.
    assert_true(hash[WP_NORM_JPEG2000] != hash[WP_NORM_ORTHONORMAL]);
}

static void test_decimal_comma(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8",
                                        "de_DE", "fr_FR"};
    bool comma = false;
    for (int i = 0; i < COUNT(names) && !comma; i++)
        comma = setlocale(LC_NUMERIC, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0;
    if (!comma) {
        setlocale(LC_NUMERIC, "C");
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    for_every_scheme(check_pass);
    test_goldens(state);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_every_shader),
        cmocka_unit_test(test_long_sums),
        cmocka_unit_test(test_text_is_a_key),
        cmocka_unit_test(test_decimal_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
