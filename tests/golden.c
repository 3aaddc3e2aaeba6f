#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void write_golden(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        fail_msg("cannot write %s", path);
    const bool written = fputs(text, file) >= 0;
    assert_int_equal(fclose(file), 0);
    assert_true(written);
    print_message("wrote %s\n", path);
}

// Returns the content of the file, or NULL if it cannot be opened. The caller frees it.
static char *read_golden(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    enum { SIZE_MAX_GOLDEN = 1 << 20 };
    char *text = calloc(SIZE_MAX_GOLDEN + 1, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, SIZE_MAX_GOLDEN, file) < SIZE_MAX_GOLDEN);
    fclose(file);
    return text;
}

static void print_lines(char mark, const char *from, const char *to)
{
    while (from < to) {
        const int length = (int)strcspn(from, "\n");
        print_message("%c %.*s\n", mark, length, from);
        from += length + (from[length] == '\n');
    }
}

// Prints the lines between the common start and the common end.
static void print_difference(const char *golden, const char *text)
{
    const char *a = golden, *b = text;
    while (*a && *a == *b) {
        const size_t n = strcspn(a, "\n") + 1;
        if (strncmp(a, b, n) != 0)
            break;
        a += n;
        b += n;
    }
    const char *a_end = golden + strlen(golden), *b_end = text + strlen(text);
    while (a_end > a && b_end > b && a_end[-1] == b_end[-1]) {
        a_end--;
        b_end--;
    }
    // Extend to ends of lines.
    a_end += strcspn(a_end, "\n");
    b_end += strcspn(b_end, "\n");
    print_lines('-', a, a_end);
    print_lines('+', b, b_end);
}

void assert_golden(const char *file, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", WP_TEST_GOLDEN, file);
    if (getenv("WP_UPDATE_GOLDEN")) {
        write_golden(path, text);
        return;
    }
    char *golden = read_golden(path);
    if (!golden)
        fail_msg("no %s; WP_UPDATE_GOLDEN=1 writes it", path);
    const bool same = strcmp(golden, text) == 0;
    if (!same) {
        print_message("%s has changed (- golden, + now):\n", file);
        print_difference(golden, text);
    }
    free(golden);
    if (!same)
        fail_msg("%s differs; WP_UPDATE_GOLDEN=1 rewrites it", file);
}
