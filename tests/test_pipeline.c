// Stages of a pipeline: every item once and in order, no more of them on their way than there are
// places, at once, and ended by the first that fails.
#include "log.h"
#include "pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

enum { STAGES = 3, SLOTS = 2 };

// Steps count what is wrong: an assertion of cmocka must be this thread's.
struct record {
    int items;
    int fail_stage, fail_item; // -1: none
    int meet;                  // stage 0 has to do this item before stage 2 does its first; 0: none
    int until;                 // of stage 0
    atomic_int began[STAGES], done[STAGES], wrong;
};

static bool step(struct record *r, int stage, int item, bool *end)
{
    if (stage == 0 && item == r->items) {
        *end = true;
        return true;
    }
    const bool in_order = atomic_fetch_add(&r->began[stage], 1) == item;
    const bool there = stage == 0 || atomic_load(&r->done[stage - 1]) > item;
    const int until = stage == 0 && r->until ? r->until : stage + 1;
    const bool room = stage == STAGES - 1 || atomic_load(&r->done[until]) > item - SLOTS;
    if (!in_order || !there || !room)
        atomic_fetch_add(&r->wrong, 1);
    for (int ms = 0; stage == 2 && item == 0 && atomic_load(&r->done[0]) < r->meet; ms++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (ms > 30000)
            return wp_fail(WP_ERROR_INTERNAL, "no other stage goes on");
    }
    if (stage == r->fail_stage && item == r->fail_item)
        return wp_fail(WP_ERROR_MISMATCH, "item %d", item);
    atomic_fetch_add(&r->done[stage], 1);
    return true;
}

static bool first(void *user, int item, bool *end)
{
    return step(user, 0, item, end);
}

static bool second(void *user, int item, bool *end)
{
    return step(user, 1, item, end);
}

static bool third(void *user, int item, bool *end)
{
    return step(user, 2, item, end);
}

static bool run(struct record *r, int here)
{
    struct wp_pipeline_stage stage[STAGES] = {
        {.step = first, .slots = SLOTS, .until = r->until},
        {.step = second, .slots = SLOTS},
        {.step = third},
    };
    const bool ok = wp_pipeline_run(stage, STAGES, here, r);
    assert_int_equal(r->wrong, 0);
    return ok;
}

static void test_every_item(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 50, 1000};
    for (int i = 0; i < 6; i++) {
        for (int here = 0; here < STAGES; here++) {
            struct record r = {.items = counts[i], .fail_stage = -1};
            assert_true(run(&r, here));
            for (int s = 0; s < STAGES; s++)
                assert_int_equal(r.done[s], counts[i]);
        }
    }
}

// As far as there are places: two behind the first stage and two behind the second.
static void test_stages_go_on_at_once(void **state)
{
    (void)state;
    for (int here = 0; here < STAGES; here++) {
        struct record r = {.items = 9, .fail_stage = -1, .meet = 2 * SLOTS};
        assert_true(run(&r, here));
        assert_int_equal(r.done[2], 9);
    }
}

// What the first stage makes may be wanted by the last one still.
static void test_a_place_is_kept(void **state)
{
    (void)state;
    for (int here = 0; here < STAGES; here++) {
        struct record r = {.items = 1000, .fail_stage = -1, .meet = SLOTS, .until = 2};
        assert_true(run(&r, here));
        assert_int_equal(r.done[2], 1000);
    }
}

static void quiet(void *user, enum wp_log_level level, const char *message)
{
    (void)message;
    *(int *)user += level == WP_LOG_ERROR;
}

static void test_the_first_failure_ends_all(void **state)
{
    (void)state;
    for (int stage = 0; stage < STAGES; stage++) {
        for (int item = 0; item < 5; item += 4) {
            for (int here = 0; here < STAGES; here++) {
                struct record r = {.items = 1000, .fail_stage = stage, .fail_item = item};
                int errors = 0;
                wp_clear_error();
                wp_log_set_handler(quiet, &errors);
                assert_false(run(&r, here));
                wp_log_set_handler(NULL, NULL);
                assert_int_equal(wp_last_error(), WP_ERROR_MISMATCH);
                assert_int_equal(errors, 1);
                assert_int_equal(r.done[stage], item);
                assert_true(r.done[0] <= item + 2 * SLOTS);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item),
        cmocka_unit_test(test_stages_go_on_at_once),
        cmocka_unit_test(test_a_place_is_kept),
        cmocka_unit_test(test_the_first_failure_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
