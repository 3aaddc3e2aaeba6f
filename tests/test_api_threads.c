// Threads: a transform can be used by different threads one after the other, transforms can run
// concurrently, and two threads that use one transform at the same time get an error.
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

enum { WIDTH = 20, HEIGHT = 14, SAMPLES = WIDTH * HEIGHT, THREADS = 8, TRANSFORMS = 100,
       STEPS = 4 };

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
    const bool ok = t && wp_transform_forward(t, WP_ARRAY(image), WP_ARRAY(expected));
    wp_transform_destroy(&t);
    return !ok;
}

static bool is_available(void)
{
    struct wp_transform *t = create(backend, WIDTH, HEIGHT);
    if (!t)
        print_message("skipped: %s\n", wp_last_error_text());
    const bool available = t;
    wp_transform_destroy(&t);
    return available;
}

// Each transform runs its steps in order (create, forward, inverse, destroy), each in the thread
// that selects it.
struct queue {
    pthread_mutex_t lock;
    int count, left;
    unsigned seed;
    struct item {
        struct wp_transform *transform;
        float coefficients[SAMPLES];
        int step;
        bool busy;
    } item[TRANSFORMS];
    char failure[512];
};

static const char *run_step(struct item *item)
{
    float restored[SAMPLES];
    switch (item->step) {
    case 0:
        item->transform = create(backend, WIDTH, HEIGHT);
        return item->transform ? NULL : wp_last_error_text();
    case 1:
        if (!wp_transform_forward(item->transform, WP_ARRAY(image), WP_ARRAY(item->coefficients)))
            return wp_last_error_text();
        return is_near(item->coefficients, expected) ? NULL : "the coefficients are wrong";
    case 2:
        if (!wp_transform_inverse(item->transform, WP_ARRAY(item->coefficients),
                                  WP_ARRAY(restored)))
            return wp_last_error_text();
        return is_near(restored, image) ? NULL : "the samples are wrong";
    default:
        wp_transform_destroy(&item->transform);
        return item->transform ? wp_last_error_text() : NULL;
    }
}

// Returns a random available transform, or NULL. The caller has locked the mutex.
static struct item *select_item(struct queue *w)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    for (int i = 0; i < w->count; i++) {
        struct item *item = &w->item[((w->seed >> 8) + (unsigned)i) % (unsigned)w->count];
        if (!item->busy && item->step < STEPS)
            return item;
    }
    return NULL;
}

static void *run_steps(void *user)
{
    struct queue *w = user;
    pthread_mutex_lock(&w->lock);
    while (w->left > 0 && !w->failure[0]) {
        struct item *item = select_item(w);
        if (!item)
            break; // other threads run the remaining steps
        item->busy = true;
        pthread_mutex_unlock(&w->lock);
        const char *failure = run_step(item);
        pthread_mutex_lock(&w->lock);
        item->busy = false;
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
    static struct queue queue;
    pthread_t thread[THREADS];
    if (!is_available())
        skip();
    queue = (struct queue){.lock = PTHREAD_MUTEX_INITIALIZER, .seed = 5};
    queue.count = (int)sample_count(TRANSFORMS);
    queue.left = queue.count * STEPS;
    // Threads end if other threads have all remaining transforms, so start them again.
    while (queue.left > 0 && !queue.failure[0]) {
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, run_steps, &queue), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    for (int i = 0; i < queue.count; i++)
        wp_transform_destroy(&queue.item[i].transform);
    if (queue.failure[0])
        fail_msg("%s", queue.failure);
}

// Threads use one transform until each has been rejected, up to a maximum number of calls.
enum { SIDE = 256, CALLS_MAX = 20000 };

struct shared {
    struct wp_transform *transform;
    float image[SIDE * SIDE];
    pthread_mutex_t lock;
    int rejected, ran;
    char failure[512];
};

static void *use(void *user)
{
    struct shared *s = user;
    float *out = malloc(sizeof s->image);
    bool more = true;
    for (int i = 0; more && i < CALLS_MAX; i++) {
        wp_clear_error();
        const bool ok =
            out && wp_transform_forward(s->transform, WP_ARRAY(s->image), WP_ARRAY(out));
        const bool in_use = strstr(wp_last_error_text(), "in use by another thread");
        pthread_mutex_lock(&s->lock);
        s->ran += ok;
        s->rejected += in_use;
        if (!ok && !in_use)
            snprintf(s->failure, sizeof s->failure, "%s", wp_last_error_text());
        // The transform of a constant image has no details.
        for (int k = 0; ok && k < SIDE * SIDE; k++)
            if (fabsf(out[k] - (k % SIDE < SIDE / 2 && k / SIDE < SIDE / 2 ? 1.0F : 0.0F)) > 1e-5F)
                snprintf(s->failure, sizeof s->failure, "sample %d is %g", k, (double)out[k]);
        more = !s->failure[0] && (s->ran < 2 || s->rejected < 2);
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
    if (!is_available())
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
    assert_true(shared.ran >= 2 && shared.rejected >= 2);
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
