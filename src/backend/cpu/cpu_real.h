// The type of the arithmetic. The files of the backend that include this header, directly or not,
// are compiled twice: for floats, and with WP_CPU_F64 for doubles, where the names below end with
// _f64. Structs with the same name then differ. Comments say floats for values of this type.
#ifndef WP_CPU_REAL_H
#define WP_CPU_REAL_H

#include "elements.h"

#include <stdint.h>

#ifdef WP_CPU_F64

typedef double wp_real;
typedef int64_t wp_real_int; // of the same size
#define WP_CPU_ELEMENT WP_ELEMENT_F64

#define ELEMENT_F64 // element_rows.h
#define wp_element_rows wp_element_rows_f64
#define wp_operand_read wp_operand_read_f64
#define wp_operand_write wp_operand_write_f64

#define wp_cpu_arithmetic_f32 wp_cpu_arithmetic_f64
#define wp_cpu_batch_create wp_cpu_batch_create_f64
#define wp_cpu_batch_destroy wp_cpu_batch_destroy_f64
#define wp_cpu_batch_fits wp_cpu_batch_fits_f64
#define wp_cpu_batch_in_place wp_cpu_batch_in_place_f64
#define wp_cpu_batch_run wp_cpu_batch_run_f64
#define wp_cpu_chain_make wp_cpu_chain_make_f64
#define wp_cpu_columns_destroy wp_cpu_columns_destroy_f64
#define wp_cpu_columns_run wp_cpu_columns_run_f64
#define wp_cpu_elements_avx2 wp_cpu_elements_avx2_f64
#define wp_cpu_elements_base wp_cpu_elements_base_f64
#define wp_cpu_exec_bind wp_cpu_exec_bind_f64
#define wp_cpu_exec_copy wp_cpu_exec_copy_f64
#define wp_cpu_exec_copy_input wp_cpu_exec_copy_input_f64
#define wp_cpu_exec_size wp_cpu_exec_size_f64
#define wp_cpu_exec_sweep wp_cpu_exec_sweep_f64
#define wp_cpu_group_floats wp_cpu_group_floats_f64
#define wp_cpu_group_pointers wp_cpu_group_pointers_f64
#define wp_cpu_group_run wp_cpu_group_run_f64
#define wp_cpu_group_set_level wp_cpu_group_set_level_f64
#define wp_cpu_image_floats wp_cpu_image_floats_f64
#define wp_cpu_image_pointers wp_cpu_image_pointers_f64
#define wp_cpu_images_share wp_cpu_images_share_f64
#define wp_cpu_level_bind wp_cpu_level_bind_f64
#define wp_cpu_level_free wp_cpu_level_free_f64
#define wp_cpu_level_row wp_cpu_level_row_f64
#define wp_cpu_level_set wp_cpu_level_set_f64
#define wp_cpu_level_streams_z wp_cpu_level_streams_z_f64
#define wp_cpu_program_set wp_cpu_program_set_f64
#define wp_cpu_redundant_f32 wp_cpu_redundant_f64
#define wp_cpu_redundant_reach wp_cpu_redundant_reach_f64
#define wp_cpu_redundant_scratch wp_cpu_redundant_scratch_f64
#define wp_cpu_redundant_set wp_cpu_redundant_set_f64
#define wp_cpu_redundant_task wp_cpu_redundant_task_f64
#define wp_cpu_redundant_tasks wp_cpu_redundant_tasks_f64
#define wp_cpu_redundant_weight wp_cpu_redundant_weight_f64
#define wp_cpu_row_sweep_join wp_cpu_row_sweep_join_f64
#define wp_cpu_row_sweep_reads wp_cpu_row_sweep_reads_f64
#define wp_cpu_row_sweep_start wp_cpu_row_sweep_start_f64
#define wp_cpu_row_sweep_state wp_cpu_row_sweep_state_f64
#define wp_cpu_row_sweep_step wp_cpu_row_sweep_step_f64
#define wp_cpu_row_sweep_steps wp_cpu_row_sweep_steps_f64
#define wp_cpu_row_sweep_wrote wp_cpu_row_sweep_wrote_f64
#define wp_cpu_rows_avx2 wp_cpu_rows_avx2_f64
#define wp_cpu_rows_avx512 wp_cpu_rows_avx512_f64
#define wp_cpu_rows_base wp_cpu_rows_base_f64
#define wp_cpu_rows_get wp_cpu_rows_get_f64
#define wp_cpu_signal_converted wp_cpu_signal_converted_f64
#define wp_cpu_signal_floats wp_cpu_signal_floats_f64
#define wp_cpu_signal_lift wp_cpu_signal_lift_f64
#define wp_cpu_signal_run wp_cpu_signal_run_f64
#define wp_cpu_signals_share wp_cpu_signals_share_f64
#define wp_cpu_sink_commit wp_cpu_sink_commit_f64
#define wp_cpu_sink_row wp_cpu_sink_row_f64
#define wp_cpu_stream_z_floats wp_cpu_stream_z_floats_f64
#define wp_cpu_stream_z_rows wp_cpu_stream_z_rows_f64
#define wp_cpu_stream_z_run wp_cpu_stream_z_run_f64
#define wp_cpu_sweep_chain_floats wp_cpu_sweep_chain_floats_f64
#define wp_cpu_sweep_chain_start wp_cpu_sweep_chain_start_f64
#define wp_cpu_sweep_chain_step wp_cpu_sweep_chain_step_f64
#define wp_cpu_sweep_finish wp_cpu_sweep_finish_f64
#define wp_cpu_sweep_ring wp_cpu_sweep_ring_f64
#define wp_cpu_sweep_row_in wp_cpu_sweep_row_in_f64
#define wp_cpu_sweep_run wp_cpu_sweep_run_f64
#define wp_cpu_sweep_slice wp_cpu_sweep_slice_f64
#define wp_cpu_sweep_write wp_cpu_sweep_write_f64

#else

typedef float wp_real;
typedef int wp_real_int;
#define WP_CPU_ELEMENT WP_ELEMENT_F32

#endif

enum { WP_CPU_LINE = 64 / sizeof(wp_real) }; // floats in a cache line

// Rounds up to complete cache lines.
static inline size_t wp_cpu_round_up(size_t floats)
{
    return (floats + WP_CPU_LINE - 1) / WP_CPU_LINE * WP_CPU_LINE;
}

#endif
