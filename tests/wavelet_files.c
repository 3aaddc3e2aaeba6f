// Reading of wavelet files, and search by name.
#include "scratch.h"
#include "text.h"
#include "wavelet_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[SCRATCH_SIZE];

int make_directory(void **state)
{
    return setup(state) || !make_scratch(directory);
}

static const char *path_of(const char *name)
{
    static char path[SCRATCH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

int remove_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"mine.wavelet", "broken.wavelet", "d4.wavelet",
                                        "plain.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(path_of(names[i]));
    return rmdir(directory);
}

// A wavelet file of the maximum size, padded with a comment, is read; one more byte is an error.
void test_longest_file(void **state)
{
    (void)state;
    enum { MOST = 65536 };
    static char text[MOST + 2];
    struct wp_wavelet w;
    for (int more = 0; more <= 1; more++) {
        const int size = MOST + more, start = snprintf(text, sizeof text, "source s\n" HAAR);
        for (int i = start; i < size; i++)
            text[i] = i % 100 == 0 ? '\n' : '#';
        text[size] = '\0';
        write_file("mine.wavelet", text, (size_t)size);
        assert_int_equal(wp_wavelet_parse("f", text, &w), !more);
        assert_int_equal(errors, more);
        forget();
        assert_int_equal(wp_wavelet_read(path_of("mine.wavelet"), &w), !more);
        assert_int_equal(errors, more);
        forget();
    }
}

static void assert_read_fails(const char *name, const char *why)
{
    struct wp_wavelet w;
    char message[SCRATCH_SIZE + 256];
    snprintf(message, sizeof message, "%s%s", path_of(name), why);
    assert_false(wp_wavelet_read(path_of(name), &w));
    assert_failed(WP_ERROR_FILE, message);
}

void test_read(void **state)
{
    (void)state;
    static const char text[] = "source s\n" HAAR;
    struct wp_wavelet w;
    write_file("mine.wavelet", text, sizeof text - 1);
    assert_true(wp_wavelet_read(path_of("mine.wavelet"), &w));
    assert_string_equal(w.name, "mine");
    assert_int_equal(w.symmetry, WP_SYMMETRY_LOCAL);
    write_file("mine.wavelet", text, sizeof text); // with the NUL at its end
    assert_read_fails("mine.wavelet", ":4: not a text file (byte 0x00)");
    write_file("mine.wavelet", "", 0);
    assert_read_fails("mine.wavelet", ": the file is empty");
    static char large[65537];
    memset(large, '\n', sizeof large);
    memcpy(large, text, sizeof text - 1);
    write_file("mine.wavelet", large, sizeof large - 1);
    assert_true(wp_wavelet_read(path_of("mine.wavelet"), &w));
    write_file("mine.wavelet", large, sizeof large);
    assert_read_fails("mine.wavelet", ": larger than 65536 bytes (not a wavelet file)");
    assert_read_fails("none.wavelet", ": cannot be read (No such file or directory)");
    assert_read_fails("", ": cannot be read (Is a directory)");
}

void test_find(void **state)
{
    (void)state;
    struct wp_wavelet w;
    assert_true(wp_wavelet_find("legall", &w));
    assert_string_equal(w.name, "cdf53");
    assert_true(wp_wavelet_find("9/7", &w));
    assert_string_equal(w.name, "cdf97");
    assert_false(wp_wavelet_find("cdf79", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet 'cdf79'\n"
                                  "hint: did you mean 'cdf97'?  'wavepass info' lists all");
    assert_false(wp_wavelet_find("bior2.9", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet 'bior2.9'\n"
                                  "hint: bior has 1.1 1.3 1.5 2.2 2.4 2.6 2.8 3.1 3.3 3.5 3.7 3.9 "
                                  "4.4 5.5 6.8; 'wavepass info' lists all");
    assert_false(wp_wavelet_find("9/8", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet '9/8'\n"
                                  "hint: did you mean '9/7'?  'wavepass info' lists all");
    assert_false(wp_wavelet_find("Morlet", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet 'Morlet'\nhint: 'wavepass info' lists all");
    assert_false(wp_wavelet_find("cdf97.wavelet", &w));
    assert_failed(WP_ERROR_FILE, "cdf97.wavelet: no such file");
    assert_false(wp_wavelet_find("no/where", &w));
    assert_failed(WP_ERROR_FILE, "no/where: no such file");
    assert_false(wp_wavelet_find("", &w));
    assert_failed(WP_ERROR_USAGE, "unknown wavelet ''\nhint: 'wavepass info' lists all");
}

static bool has_name(char **names, const char *name)
{
    int count = 0;
    for (int i = 0; names[i]; i++)
        count += strcmp(names[i], name) == 0;
    assert_true(count <= 1);
    return count == 1;
}

static void check_path(const char *name, const char *expected)
{
    char *path = wp_wavelet_path(name);
    if (expected)
        assert_string_equal(path, expected);
    else
        assert_null(path);
    free(path);
}

void test_directories(void **state)
{
    (void)state;
    struct wp_wavelet w;
    static const char mine[] = "source s\nname own\naliases other\n" HAAR;
    static const char db2[] = "source not the shipped one\n" HAAR;
    write_file("mine.wavelet", mine, sizeof mine - 1);
    write_file("d4.wavelet", db2, sizeof db2 - 1);
    write_file("broken.wavelet", "source s\nnonsense\n", 18);
    write_file("plain.txt", mine, sizeof mine - 1);
    assert_false(wp_wavelet_find("own", &w));
    forget();
    assert_null(wp_wavelet_path("d4"));
    char both[1024];
    snprintf(both, sizeof both, "%s:/nonexistent:%s", directory, WP_TEST_ASSETS);
    setenv("WAVEPASS_WAVELETS", both, 1);
    // Found by file name, name, alias and path. The first directory takes precedence, and every
    // directory takes precedence over built-in wavelets.
    assert_true(wp_wavelet_find("mine", &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find("own", &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find("other", &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find(path_of("plain.txt"), &w) && strcmp(w.name, "own") == 0);
    assert_true(wp_wavelet_find("d4", &w));
    assert_string_equal(w.source, "not the shipped one");
    check_path("d4", path_of("d4.wavelet"));
    check_path("own", path_of("mine.wavelet"));
    check_path("d6", WP_TEST_ASSETS "/d6.wavelet");
    check_path("cdf97", NULL);
    check_path("db4", NULL);
    assert_int_equal(errors, 0); // the broken file is only reported if it is named
    assert_false(wp_wavelet_find("broken", &w));
    assert_non_null(strstr(logged, "/broken.wavelet:2: unknown keyword 'nonsense'"));
    assert_int_equal(wp_last_error(), WP_ERROR_FILE);

    char **names = wp_wavelet_names();
    static const char *const expected[] = {"haar", "cdf97", "9/7", "own", "other", "broken",
                                           "d4", "daub4", "cdf93", "bior2.4"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!has_name(names, expected[i]))
            fail_msg("%s is not listed", expected[i]);
    assert_false(has_name(names, "mine"));
    assert_false(has_name(names, "plain"));
    wp_wavelet_free_names(names);
    wp_wavelet_free_names(NULL);

    forget();
    setenv("WAVEPASS_WAVELETS", directory, 1);
    assert_true(wp_wavelet_find("d6", &w) && wp_wavelet_find("daub6", &w));
    check_path("d6", NULL);
    assert_true(wp_wavelet_find("d4", &w));
    assert_string_equal(w.source, "not the shipped one");
    // Only the built-in wavelet has this alias.
    assert_true(wp_wavelet_find("daub4", &w));
    assert_string_not_equal(w.source, "not the shipped one");
    assert_int_equal(errors, 0);
}
