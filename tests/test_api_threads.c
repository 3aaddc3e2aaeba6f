// Transforms and threads: a transform moves between threads from call to call, transforms run side by
// side, and two threads that use one transform at the same time get an error.
//
//     test_api_threads BACKEND
#include "sample.h"
#include "wavepass.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 20, HEIGHT = 14, SAMPLES = WIDTH * HEIGHT, THREADS = 8, TRANSFORMS = 100, STEPS = 4 };

static const char *backend;
static float image[SAMPLES], expected[SAMPLES];

static void silence(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

static struct wp_transform *create(const char *name, int width, int height)
{
    const struct wp_transform_params params =
        WP_TRANSFORM_PARAMS(.width = width, .height = height, .wavelet = "cdf53", .levels = 1,
                            .backend = name);
    return wp_transform_create(&params);
}

static bool is_near(const float *a, const float *b)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!(fabsf(a[i] - b[i]) < 1e-5F))
            return false;
    return true;
}

static int setup(void **state)
{
    (void)state;
    wp_log_set_handler(silence, NULL);
    for (int i = 0; i < SAMPLES; i++)
        image[i] = (float)(i * 37 % 101) / 100;
    struct wp_transform *t = create("reference", WIDTH, HEIGHT);
    const bool ok = t && wp_transform_forward(t, image, expected);
    wp_transform_destroy(&t);
    return !ok;
}

static bool is_here(void)
{
    struct wp_transform *t = create(backend, WIDTH, HEIGHT);
    if (!t)
        print_message("skipped: %s\n", wp_last_error_text());
    const bool here = t;
    wp_transform_destroy(&t);
    return here;
}

// Each transform takes its steps in order: create, forward, inverse, destroy; each in the thread that
// draws it.
struct work {
    pthread_mutex_t lock;
    int count, left;
    unsigned seed;
    struct item {
        struct wp_transform *transform;
        float coefficients[SAMPLES];
        int step;
        bool taken;
    } item[TRANSFORMS];
    char failure[512];
};

static const char *take_step(struct item *item)
{
    float back[SAMPLES];
    switch (item->step) {
    case 0:
        item->transform = create(backend, WIDTH, HEIGHT);
        return item->transform ? NULL : wp_last_error_text();
    case 1:
        if (!wp_transform_forward(item->transform, image, item->coefficients))
            return wp_last_error_text();
        return is_near(item->coefficients, expected) ? NULL : "the coefficients are wrong";
    case 2:
        if (!wp_transform_inverse(item->transform, item->coefficients, back))
            return wp_last_error_text();
        return is_near(back, image) ? NULL : "the samples are wrong";
    default:
        wp_transform_destroy(&item->transform);
        return item->transform ? wp_last_error_text() : NULL;
    }
}

// Locked.
static struct item *draw(struct work *w)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    for (int i = 0; i < w->count; i++) {
        struct item *item = &w->item[((w->seed >> 8) + (unsigned)i) % (unsigned)w->count];
        if (!item->taken && item->step < STEPS)
            return item;
    }
    return NULL;
}

static void *work_on(void *user)
{
    struct work *w = user;
    pthread_mutex_lock(&w->lock);
    while (w->left > 0 && !w->failure[0]) {
        struct item *item = draw(w);
        if (!item)
            break; // other threads have the rest
        item->taken = true;
        pthread_mutex_unlock(&w->lock);
        const char *failure = take_step(item);
        pthread_mutex_lock(&w->lock);
        item->taken = false;
        if (failure)
            snprintf(w->failure, sizeof w->failure, "step %d: %s", item->step, failure);
        item->step++;
        w->left--;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void test_steps_in_random_threads(void **state)
{
    (void)state;
    static struct work work;
    pthread_t thread[THREADS];
    if (!is_here())
        skip();
    work = (struct work){.lock = PTHREAD_MUTEX_INITIALIZER, .seed = 5};
    work.count = (int)sample_count(TRANSFORMS);
    work.left = work.count * STEPS;
    // Threads end where others have what is left, so some begin again.
    while (work.left > 0 && !work.failure[0]) {
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, work_on, &work), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    for (int i = 0; i < work.count; i++)
        wp_transform_destroy(&work.item[i].transform);
    if (work.failure[0])
        fail_msg("%s", work.failure);
}

// Threads that use one transform until each has met another one in it, or has tried often enough.
enum { SIDE = 256, MOST_CALLS = 20000 };

struct shared {
    struct wp_transform *transform;
    float image[SIDE * SIDE];
    pthread_mutex_t lock;
    int refused, ran;
    char failure[512];
};

static void *use(void *user)
{
    struct shared *s = user;
    float *out = malloc(sizeof s->image);
    bool more = true;
    for (int i = 0; more && i < MOST_CALLS; i++) {
        wp_clear_error();
        const bool ok = out && wp_transform_forward(s->transform, s->image, out);
        const bool in_use = strstr(wp_last_error_text(), "in use by another thread");
        pthread_mutex_lock(&s->lock);
        s->ran += ok;
        s->refused += in_use;
        if (!ok && !in_use)
            snprintf(s->failure, sizeof s->failure, "%s", wp_last_error_text());
        // A constant has no details.
        for (int k = 0; ok && k < SIDE * SIDE; k++)
            if (fabsf(out[k] - (k % SIDE < SIDE / 2 && k / SIDE < SIDE / 2 ? 1.0F : 0.0F)) > 1e-5F)
                snprintf(s->failure, sizeof s->failure, "sample %d is %g", k, (double)out[k]);
        more = !s->failure[0] && (s->ran < 2 || s->refused < 2);
        pthread_mutex_unlock(&s->lock);
    }
    free(out);
    return NULL;
}

static void test_one_transform_in_two_threads(void **state)
{
    (void)state;
    static struct shared shared;
    pthread_t thread[2];
    if (!is_here())
        skip();
    shared = (struct shared){.lock = PTHREAD_MUTEX_INITIALIZER};
    shared.transform = create(backend, SIDE, SIDE);
    assert_non_null(shared.transform);
    for (int i = 0; i < SIDE * SIDE; i++)
        shared.image[i] = 1;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use, &shared), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    wp_transform_destroy(&shared.transform);
    if (shared.failure[0])
        fail_msg("%s", shared.failure);
    assert_true(shared.ran >= 2 && shared.refused >= 2);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        print_error("usage: test_api_threads BACKEND\n");
        return 2;
    }
    backend = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_in_random_threads),
        cmocka_unit_test(test_one_transform_in_two_threads),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
