// The OpenGL context that was current before a call is current after it.
#include "context.h"
#include "wavepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct wp_gl *caller_context;

static int open_context(void **state)
{
    (void)state;
    char reason[512];
    caller_context = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (!caller_context)
        fprintf(stderr, "%s\n", reason);
    return caller_context ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    wp_gl_destroy(&caller_context);
    return 0;
}

static void assert_current(const struct wp_gl_current *before, const char *after)
{
    const struct wp_gl_current now = wp_gl_get_current();
    if (now.context != before->context || now.display != before->display ||
        now.draw != before->draw || now.read != before->read || now.api != before->api)
        fail_msg("after %s another context is current", after);
}

// A transform with its own context restores the caller's context, or none if none was current.
static void test_current_context_restored(void **state)
{
    (void)state;
    static const char *const backends[] = {"fragment", "compute", "cuda-gl", "auto"};
    float samples[64] = {0};
    const struct wp_gl_current caller_current = wp_gl_get_current();
    assert_non_null(caller_current.context);
    for (int i = 0; i < 8; i++) {
        const bool none = i % 2;
        if (none)
            wp_gl_set_current(&(struct wp_gl_current){.api = caller_current.api});
        const struct wp_gl_current before = wp_gl_get_current();
        assert_true(none == !before.context);
        struct wp_transform_params params =
            WP_TRANSFORM_PARAMS(.width = 8, .height = 8, .backend = backends[i / 2]);
        struct wp_transform *t = wp_transform_create(&params);
        assert_current(&before, "create");
        if (t) {
            assert_true(wp_transform_forward(t, WP_ARRAY(samples), WP_ARRAY(samples)));
            assert_current(&before, "forward");
            assert_true(wp_transform_inverse(t, WP_ARRAY(samples), WP_ARRAY(samples)));
            assert_current(&before, "inverse");
            assert_false(wp_transform_forward(t, WP_ARRAY(NULL), WP_ARRAY(samples)));
            assert_current(&before, "a call that fails");
            wp_transform_rest(t);
            assert_current(&before, "rest");
        } else {
            print_message("skipped: %s\n", wp_last_error_text());
        }
        wp_transform_destroy(&t);
        assert_current(&before, "destroy");
        params.variant = "none such";
        assert_null(wp_transform_create(&params));
        assert_current(&before, "create that fails");
        wp_gl_set_current(&caller_current);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_current_context_restored, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
