// Tests of test_reconstruct, by file.
#ifndef WP_TEST_RECONSTRUCT_TESTS_H
#define WP_TEST_RECONSTRUCT_TESTS_H

// reconstruct_answers.c
void test_loop_as_written(void **state);
void test_soft_threshold(void **state);
void test_constant_image(void **state);
void test_fully_sampled(void **state);
void test_exact_step(void **state);

// reconstruct_adjoints.c
void test_wavelet_adjoint(void **state);
void test_family_adjoint(void **state);
void test_model_adjoint(void **state);

// reconstruct_coils.c
void test_coils(void **state);
void test_one_model_of_coils(void **state);
void test_map_of_ones(void **state);

// reconstruct_runs.c
void test_same_bits(void **state);
void test_costs(void **state);
void test_start(void **state);
void test_seeds_differ(void **state);
void test_sigma(void **state);

// reconstruct_states.c
void test_state_size(void **state);
void test_states_of_other_parameters(void **state);

#endif
