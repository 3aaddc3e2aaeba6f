// Shared tasks: each index is run once, concurrent tasks have different thread numbers, for any
// number of callers and workers; idle workers sleep.
#ifdef __linux__
#define _GNU_SOURCE // sched_setaffinity()
#endif
#include "clock.h"
#include "threads.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 2000 };

// The record of a call. Tasks count errors, because cmocka assertions must run in the main thread.
struct record {
    int threads, count;
    int expected;          // number of threads that tasks wait for; 0: no wait
    struct record *nested; // shared by task 0
    atomic_int ran[MOST];  // for each index
    atomic_int busy[MOST]; // running tasks with this thread number
    atomic_bool used[MOST];
    atomic_int used_count; // number of different thread numbers
    atomic_int wrong;
};

static bool share(struct record *record);

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000L * ms}, NULL);
}

static void task(void *user, int i, int thread)
{
    struct record *r = user;
    if (i < 0 || i >= r->count || thread < 0 || thread >= r->threads) {
        atomic_fetch_add(&r->wrong, 1);
        return;
    }
    if (atomic_fetch_add(&r->busy[thread], 1) != 0)
        atomic_fetch_add(&r->wrong, 1);
    if (!atomic_exchange(&r->used[thread], true))
        atomic_fetch_add(&r->used_count, 1);
    for (int ms = 0; atomic_load(&r->used_count) < r->expected && ms < 30000; ms++)
        sleep_ms(1);
    if (i == 0 && r->nested && !share(r->nested))
        atomic_fetch_add(&r->wrong, 1);
    atomic_fetch_add(&r->ran[i], 1);
    atomic_fetch_sub(&r->busy[thread], 1);
}

// True if all indices ran once and without errors.
static bool share(struct record *r)
{
    for (int i = 0; i < MOST; i++) {
        atomic_store(&r->ran[i], 0);
        atomic_store(&r->used[i], false);
    }
    atomic_store(&r->used_count, 0);
    wp_threads_share(r->threads, r->count, task, r);
    for (int i = 0; i < MOST; i++)
        if (atomic_load(&r->ran[i]) != (i < r->count))
            return false;
    return atomic_load(&r->wrong) == 0 &&
           (r->expected == 0 || atomic_load(&r->used_count) == r->expected);
}

// Runs check() in a child process without workers, for at most a minute.
static void run_child(bool (*check)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(check() ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_every_index_once(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8, 40}, counts[] = {0, 1, 2, 7, 63, 64, MOST};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            static struct record record;
            record.threads = threads[t];
            record.count = counts[c];
            assert_true(share(&record));
        }
}

static void count_task(void *user, int i, int thread)
{
    (void)i;
    atomic_fetch_add((atomic_int *)user, thread == 0 ? 1 : 1000);
}

static void test_few(void **state)
{
    (void)state;
    static const int invalid[] = {0, -1, INT_MIN};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        atomic_int ran = 0;
        wp_threads_share(5, invalid[i], count_task, &ran);
        wp_threads_share(invalid[i], invalid[i], count_task, &ran);
        assert_int_equal(ran, 0);
        wp_threads_share(invalid[i], 5, count_task, &ran);
        assert_int_equal(ran, 5); // all with thread number 0
    }
}

static bool can_share_with_many(void)
{
    static struct record record = {.threads = INT_MAX, .count = MOST};
    return share(&record);
}

static void test_absurd_threads(void **state)
{
    (void)state;
    run_child(can_share_with_many);
}

static void test_nested(void **state)
{
    (void)state;
    static struct record inner = {.threads = 4, .count = 100};
    static struct record middle = {.threads = 3, .count = 50, .nested = &inner};
    static struct record outer = {.threads = 8, .count = 200, .nested = &middle};
    for (int i = 0; i < 100; i++)
        assert_true(share(&outer));
}

static void *call_many_times(void *user)
{
    struct record *record = user;
    for (int i = 0; i < 300; i++)
        if (!share(record))
            atomic_fetch_add(&record->wrong, 1);
    return NULL;
}

static void test_many_callers(void **state)
{
    (void)state;
    enum { CALLERS = 6 };
    static struct record record[CALLERS], nested[CALLERS];
    pthread_t caller[CALLERS];
    for (int c = 0; c < CALLERS; c++) {
        nested[c] = (struct record){.threads = 3, .count = 10};
        record[c] = (struct record){.threads = 1 + c, .count = 40 + c};
        record[c].nested = c % 2 ? &nested[c] : NULL;
        assert_int_equal(pthread_create(&caller[c], NULL, call_many_times, &record[c]), 0);
    }
    for (int c = 0; c < CALLERS; c++) {
        assert_int_equal(pthread_join(caller[c], NULL), 0);
        assert_int_equal(record[c].wrong, 0);
    }
}

static bool can_share(void)
{
    static struct record record = {.threads = 4, .count = 40, .expected = 4};
    return share(&record);
}

static void test_fork(void **state)
{
    (void)state;
    assert_true(can_share());
    run_child(can_share);
    assert_true(can_share());
}

static void fork_task(void *user, int i, int thread)
{
    (void)user, (void)thread;
    if (i == 20)
        run_child(can_share);
}

static void test_fork_by_a_task(void **state)
{
    (void)state;
    wp_threads_share(1, 40, fork_task, NULL);
    static struct record other = {.threads = 4, .count = 40, .expected = 4};
    pthread_t caller;
    assert_int_equal(pthread_create(&caller, NULL, call_many_times, &other), 0);
    for (int i = 0; i < 3; i++)
        run_child(can_share);
    assert_int_equal(pthread_join(caller, NULL), 0);
    assert_int_equal(other.wrong, 0);
}

static atomic_int created, allowed = INT_MAX;

// Replaces pthread_create() in the library.
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    if (created >= allowed)
        return EAGAIN;
    created++;
    return __real_pthread_create(thread, attributes, start, argument);
}

static bool can_share_without_workers(void)
{
    static struct record record = {.threads = 8, .count = 40};
    for (int workers = 0; workers < 8; workers++) {
        allowed = created + (workers > 0);
        record.expected = 1 + workers;
        if (!share(&record))
            return false;
    }
    return true;
}

static void test_thread_creation_fails(void **state)
{
    (void)state;
    run_child(can_share_without_workers);
}

static bool sleeps(void)
{
    // No more threads than processors, since surplus workers do not spin.
    static struct record record = {.threads = 2, .count = 40};
    const double start = wp_clock_seconds();
    const clock_t used = clock();
    for (int i = 0; i < 100; i++) {
        if (!share(&record))
            return false;
        sleep_ms(10);
    }
    const double seconds = (double)(clock() - used) / CLOCKS_PER_SEC;
    return seconds < 0.3 * (wp_clock_seconds() - start);
}

static void test_workers_sleep(void **state)
{
    (void)state;
    run_child(sleeps);
}

static void share_at_the_end(void)
{
    static struct record record = {.threads = 8, .count = 40, .expected = 1};
    const int before = created;
    _exit(share(&record) && created == before ? 0 : 1);
}

static bool can_share_after_exit(void)
{
    atexit(share_at_the_end); // registered before the library's handler, so it runs after it
    exit(can_share() ? 0 : 1);
}

static void test_exit(void **state)
{
    (void)state;
    // Before all other tests: a child inherits the handlers that its parent registered.
    run_child(can_share_after_exit);
}

static int count_for(const char *value)
{
    setenv("OMP_NUM_THREADS", value, 1);
    return wp_threads_count();
}

static void test_count(void **state)
{
    (void)state;
    assert_int_equal(count_for("3"), 3);
    assert_int_equal(count_for(" 4,2"), 4);
    assert_int_equal(count_for("100000"), WP_THREADS_MAX);
    assert_int_equal(count_for("99999999999999999999999"), WP_THREADS_MAX);
    unsetenv("OMP_NUM_THREADS");
    const int default_count = wp_threads_count();
    assert_in_range(default_count, 1, WP_THREADS_MAX);
    static const char *const invalid[] = {"", "0", "-1", "-99999999999999999999999", "many"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_int_equal(count_for(invalid[i]), default_count);
    unsetenv("OMP_NUM_THREADS");
#ifdef __linux__
    cpu_set_t old, one;
    CPU_ZERO(&one);
    assert_int_equal(sched_getaffinity(0, sizeof old, &old), 0);
    assert_int_equal(default_count, CPU_COUNT(&old));
    size_t first = 0;
    while (!CPU_ISSET(first, &old))
        first++;
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(wp_threads_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof old, &old), 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit),
        cmocka_unit_test(test_every_index_once),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_absurd_threads),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_many_callers),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_by_a_task),
        cmocka_unit_test(test_thread_creation_fails),
        cmocka_unit_test(test_workers_sleep),
        cmocka_unit_test(test_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
