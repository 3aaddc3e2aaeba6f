// Pipelines: the steps of each item run once and in order, concurrently but with at most as many
// items between two stages as there are slots, and the first failure ends all.
#include "log.h"
#include "threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

enum { STAGES = 3, SLOTS = 2 };

// Steps count errors, because cmocka assertions must run in the main thread.
struct record {
    int items;
    int fail_stage, fail_item; // -1: no failure
    int ahead; // items that stage 0 completes before stage 2 completes its first; 0: no wait
    int until; // of stage 0
    atomic_int began[STAGES], done[STAGES], wrong;
};

static bool step(struct record *r, int stage, int item, bool *end)
{
    if (stage == 0 && item == r->items) {
        *end = true;
        return true;
    }
    const bool in_order = atomic_fetch_add(&r->began[stage], 1) == item;
    const bool previous_done = stage == 0 || atomic_load(&r->done[stage - 1]) > item;
    const int until = stage == 0 && r->until ? r->until : stage + 1;
    const bool has_slot = stage == STAGES - 1 || atomic_load(&r->done[until]) > item - SLOTS;
    if (!in_order || !previous_done || !has_slot)
        atomic_fetch_add(&r->wrong, 1);
    for (int ms = 0; stage == 2 && item == 0 && atomic_load(&r->done[0]) < r->ahead; ms++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (ms > 30000)
            return wp_fail(WP_ERROR_INTERNAL, "the other stages do not progress");
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

static bool run(struct record *r, int calling_stage)
{
    struct wp_pipeline_stage stage[STAGES] = {
        {.step = first, .slots = SLOTS, .until = r->until},
        {.step = second, .slots = SLOTS},
        {.step = third},
    };
    const bool ok = wp_pipeline_run(stage, STAGES, calling_stage, r);
    assert_int_equal(r->wrong, 0);
    return ok;
}

static void test_every_item(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 50, 1000};
    for (int i = 0; i < 6; i++) {
        for (int calling_stage = 0; calling_stage < STAGES; calling_stage++) {
            struct record r = {.items = counts[i], .fail_stage = -1};
            assert_true(run(&r, calling_stage));
            for (int s = 0; s < STAGES; s++)
                assert_int_equal(r.done[s], counts[i]);
        }
    }
}

// Concurrent up to the number of slots: two after the first stage and two after the second.
static void test_stages_run_concurrently(void **state)
{
    (void)state;
    for (int calling_stage = 0; calling_stage < STAGES; calling_stage++) {
        struct record r = {.items = 9, .fail_stage = -1, .ahead = 2 * SLOTS};
        assert_true(run(&r, calling_stage));
        assert_int_equal(r.done[2], 9);
    }
}

// An item of the first stage may be in use until the last stage has completed it.
static void test_slots_until_a_later_stage(void **state)
{
    (void)state;
    for (int calling_stage = 0; calling_stage < STAGES; calling_stage++) {
        struct record r = {.items = 1000, .fail_stage = -1, .ahead = SLOTS, .until = 2};
        assert_true(run(&r, calling_stage));
        assert_int_equal(r.done[2], 1000);
    }
}

static void count_errors(void *user, enum wp_log_level level, const char *message)
{
    (void)message;
    *(int *)user += level == WP_LOG_ERROR;
}

static void test_the_first_failure_ends_all(void **state)
{
    (void)state;
    for (int stage = 0; stage < STAGES; stage++) {
        for (int item = 0; item < 5; item += 4) {
            for (int calling_stage = 0; calling_stage < STAGES; calling_stage++) {
                struct record r = {.items = 1000, .fail_stage = stage, .fail_item = item};
                int errors = 0;
                wp_clear_error();
                wp_log_set_handler(count_errors, &errors);
                assert_false(run(&r, calling_stage));
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
        cmocka_unit_test(test_stages_run_concurrently),
        cmocka_unit_test(test_slots_until_a_later_stage),
        cmocka_unit_test(test_the_first_failure_ends_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
