// Saved states: their size, and which reconstructions accept them.
#include "reconstruct_problem.h"
#include "reconstruct_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_not_resumed(struct wp_reconstruct *r, const unsigned char *saved, size_t size,
                               const char *why)
{
    assert_false(wp_reconstruct_resume(r, saved, size));
    assert_int_equal(wp_last_error(), WP_ERROR_USAGE);
    assert_string_equal(wp_last_error_text(), why);
}

// A state contains only what is required to resume: the result, the data and the Bregman variables;
// for steps of descent also the forward transform of the image and, with coils, its data.
void test_state_size(void **state)
{
    (void)state;
    enum { HEAD = 56 };
    static const struct {
        int depth;
        double tv, wav;
        const char *wavelet;
        bool exact, coils, coefficients;
        int images;
    } cases[] = {
        {1, 1, 0, "haar", false, false, false, 2 + 2},
        {4, 1, 0, "haar", false, false, false, 2 + 3},
        {1, 0, 1, "haar", false, false, true, 2 + 1},
        {4, 1, 1, "haar", false, false, true, 2 + 3 + 1},
        {1, 1, 1, "cdf97", false, false, false, 2 + 2 + 1},
        {1, 1, 1, "cdf97", true, false, true, 2 + 2 + 1 + 1},
        {1, 1, 0, "haar", false, true, false, 2 + 2 + 1 + COILS},
        {1, 1, 1, "haar", false, true, true, 2 + 2 + 1 + 1 + COILS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem p;
        make_problem(&p, 32, 24, cases[i].depth, false);
        const size_t image = 2 * samples_of(p.size);
        float *maps = make_maps(p.size), *data = floats(image * COILS);
        struct wp_cartesian *k = wp_cartesian_create(p.size, p.mask, cases[i].coils ? maps : NULL,
                                                     cases[i].coils ? COILS : 1, 1);
        assert_non_null(k);
        struct wp_reconstruct_params params = params_of(&p);
        params.tv = cases[i].tv;
        params.wav = cases[i].wav;
        params.wavelet = cases[i].wavelet;
        params.exact = cases[i].exact;
        struct wp_reconstruct *r = wp_reconstruct_create(&params, wp_cartesian_model(k), data);
        assert_non_null(r);
        const size_t expected = HEAD + (size_t)cases[i].images * image * sizeof(float);
        // Coefficients on a device are padded.
        const bool gaps = strcmp(backend, "cpu") != 0 && cases[i].coefficients;
        assert_in_range(wp_reconstruct_state_size(r), expected,
                        gaps ? expected + image * sizeof(float) / 2 : expected);
        wp_reconstruct_destroy(&r);
        wp_cartesian_destroy(&k);
        free(maps);
        free(data);
        end_problem(&p);
    }
}

// A state is rejected if any parameter that affects the result differs, but not if only the number
// of outer iterations does.
void test_states_of_other_parameters(void **state)
{
    (void)state;
    enum { HEAD = 56, OTHERS = 10 };
    static const char not_a_state[] = "the file is not a state of a reconstruction",
                      other[] = "the state belongs to other data or parameters";
    struct problem p, transposed;
    make_problem(&p, 32, 24, 1, false);
    make_problem(&transposed, 24, 32, 1, false);
    struct wp_reconstruct_params params = params_of(&p);
    params.tv = 1;
    params.wav = 0.2;
    params.gamma = 3;
    params.wavelet = "haar";
    struct wp_reconstruct_params others[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        others[i] = params;
    others[0].tv = 2;
    others[1].wav = 0.3;
    others[2].mu = 50;
    others[3].lambda = 50;
    others[4].gamma = 4;
    others[5].levels = 1;
    others[6].spin = true;
    others[7].inner = 5;
    others[8].seed = 9;
    others[9].width = 24;
    others[9].height = 32;
    int half = 6;
    struct wp_reconstruct *r = create(&p, &params);
    assert_true(wp_reconstruct_run(r, stop_at, &half));
    const size_t size = wp_reconstruct_state_size(r);
    unsigned char *saved = save(r);
    const struct wp_reconstruct_info before = *wp_reconstruct_get_info(r);
    wp_reconstruct_destroy(&r);
    for (int i = 0; i < OTHERS; i++) {
        r = create(i == 9 ? &transposed : &p, &others[i]);
        assert_true(strcmp(backend, "cpu") != 0 || wp_reconstruct_state_size(r) == size);
        assert_not_resumed(r, saved, size, other);
        assert_int_equal(wp_reconstruct_get_info(r)->iterations, 0);
        wp_reconstruct_destroy(&r);
    }
    params.outer = 2;
    r = create(&p, &params);
    assert_not_resumed(r, saved, HEAD - 1, not_a_state);
    assert_not_resumed(r, saved, HEAD, other);
    assert_not_resumed(r, saved, size - 1, other);
    assert_not_resumed(r, saved, size + 1, other);
    saved[0] ^= 1;
    assert_not_resumed(r, saved, size, not_a_state);
    saved[0] ^= 1;
    assert_true(wp_reconstruct_resume(r, saved, size));
    const struct wp_reconstruct_info after = *wp_reconstruct_get_info(r);
    assert_true(after.iterations == half && !after.finished && !after.reached_sigma);
    assert_true(after.residual == before.residual && after.seconds == before.seconds);
    wp_reconstruct_destroy(&r);
    params.outer = 1; // fewer than in the saved state
    r = create(&p, &params);
    assert_true(wp_reconstruct_resume(r, saved, size));
    assert_true(wp_reconstruct_get_info(r)->finished);
    wp_reconstruct_destroy(&r);
    free(saved);
    end_problem(&p);
    end_problem(&transposed);
}
