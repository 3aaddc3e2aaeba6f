// SHA-256 against the examples that NIST publishes with FIPS 180-4, and lengths around a block
// against themselves in pieces.
#include "sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *message, size_t times, const char *digest)
{
    struct wp_sha256 sha;
    char text[WP_SHA256_TEXT];
    wp_sha256_begin(&sha);
    for (size_t i = 0; i < times; i++)
        wp_sha256_add(&sha, message, strlen(message));
    wp_sha256_end(&sha, text);
    assert_string_equal(text, digest);
}

static void test_published(void **state)
{
    (void)state;
    expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
           "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 1,
           "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    expect("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_pieces(void **state)
{
    (void)state;
    char bytes[200];
    memset(bytes, 'x', sizeof bytes);
    for (size_t size = 50; size < sizeof bytes; size++) {
        struct wp_sha256 whole, pieces;
        char one[WP_SHA256_TEXT], other[WP_SHA256_TEXT];
        wp_sha256_begin(&whole);
        wp_sha256_add(&whole, bytes, size);
        wp_sha256_end(&whole, one);
        wp_sha256_begin(&pieces);
        for (size_t at = 0, step; at < size; at += step) {
            step = at % 7 + 1 < size - at ? at % 7 + 1 : size - at;
            wp_sha256_add(&pieces, bytes + at, step);
        }
        wp_sha256_end(&pieces, other);
        assert_string_equal(one, other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
