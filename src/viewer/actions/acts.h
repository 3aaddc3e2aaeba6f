// Functions of the actions' table (actions.c), by subject.
#ifndef WP_ACTS_H
#define WP_ACTS_H

#include "actions.h"

#include <limits.h>

// The value after `step` steps, of 0..count-1, cyclically.
static inline int wp_wrap(int value, int step, int count)
{
    return ((value + step) % count + count) % count;
}

enum { WP_LAST_SLICE = INT_MAX }; // next_slice(): to the last slice; -WP_LAST_SLICE: to the first

// ---- act_view.c: what the canvas shows.
void wp_act_cycle_mode(struct wp_viewer *v, int step);
void wp_act_set_mode(struct wp_viewer *v, int mode);
void wp_act_change_direction(struct wp_viewer *v, int step);
void wp_act_select_band(struct wp_viewer *v, int band);
void wp_act_arrow(struct wp_viewer *v, int direction);
void wp_act_next_page(struct wp_viewer *v, int step);
void wp_act_next_slice(struct wp_viewer *v, int step);
void wp_act_cycle_map(struct wp_viewer *v, int step);
void wp_act_change_gain(struct wp_viewer *v, int step);
void wp_act_change_offset(struct wp_viewer *v, int step);
void wp_act_set_range(struct wp_viewer *v, int range);
void wp_act_reset_display(struct wp_viewer *v);
void wp_act_one_to_one(struct wp_viewer *v);
void wp_act_zoom(struct wp_viewer *v, int step);
void wp_act_centre(struct wp_viewer *v);
void wp_act_cycle_compare(struct wp_viewer *v, int step);
void wp_act_swap_instances(struct wp_viewer *v);
void wp_act_move_split(struct wp_viewer *v, int step);
void wp_act_step_pass(struct wp_viewer *v, int step);
void wp_act_cycle_quads(struct wp_viewer *v, int step);
void wp_act_play(struct wp_viewer *v);
void wp_act_signal(struct wp_viewer *v);
void wp_act_move_signal(struct wp_viewer *v, int step);

// ---- act_transform.c: settings of A, and edits.
void wp_act_cycle_wavelet(struct wp_viewer *v, int step);
void wp_act_cycle_scheme(struct wp_viewer *v, int step);
void wp_act_cycle_backend(struct wp_viewer *v, int step);
void wp_act_change_levels(struct wp_viewer *v, int step);
void wp_act_cycle_border(struct wp_viewer *v, int step);
void wp_act_cycle_channel(struct wp_viewer *v, int step);
void wp_act_zero_band(struct wp_viewer *v);
void wp_act_restore_bands(struct wp_viewer *v);
void wp_act_add_band(struct wp_viewer *v, int step);
void wp_act_impulse(struct wp_viewer *v);
void wp_act_cycle_bank(struct wp_viewer *v);
void wp_act_denoise(struct wp_viewer *v);
void wp_act_show_scales(struct wp_viewer *v);

// ---- act_window.c: files, texts, popups and panels.
void wp_act_copy_command(struct wp_viewer *v);
void wp_act_copy_text(struct wp_viewer *v);
void wp_act_screenshot(struct wp_viewer *v, int full_window);
void wp_act_run_solver(struct wp_viewer *v);
void wp_act_solver_axis(struct wp_viewer *v);
void wp_act_save(struct wp_viewer *v);
void wp_act_save_diagram(struct wp_viewer *v);
void wp_act_reload(struct wp_viewer *v);
void wp_act_open_popup(struct wp_viewer *v, int popup);
void wp_act_close_top(struct wp_viewer *v);
void wp_act_full_screen(struct wp_viewer *v);
void wp_act_enter_panels(struct wp_viewer *v, int step);
void wp_act_scale_ui(struct wp_viewer *v, int step);
void wp_act_quit(struct wp_viewer *v);

#endif
