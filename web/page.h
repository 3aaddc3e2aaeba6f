// C interface of the page, called from JavaScript.
//
// Returned strings and arrays are valid until the next call of the same function. NULL or 0 is a
// failure, described by page_error(). Images are planes of width x height floats, one after the
// other, row 0 at the top, 0 black and 1 white; coefficients also, in the Mallat layout and the
// normalization "jpeg2000", with the borders of PyWavelets and redundant banks in larger planes.
// Pictures are RGBA, 4 bytes per pixel, in color for three planes; all pictures share one buffer.
#ifndef WP_PAGE_H
#define WP_PAGE_H

#include <emscripten.h>

#define PAGE EMSCRIPTEN_KEEPALIVE

// The reason of the latest failure in one line, without hints for the command line.
PAGE const char *page_error(void);

// Lists with one line per item: name, tab, title. Wavelets of families and files, and borders of
// PyWavelets, have another tab and the name of their group.
PAGE const char *page_wavelets(void);
PAGE const char *page_schemes(void);
PAGE const char *page_patterns(void);
PAGE const char *page_borders(void);
PAGE const char *page_banks(void);

// Opens the CPU backend, or WebGL 2 on the canvas "#wavepass-gl". Image and wavelet are not
// changed; the views are released.
PAGE int page_open(int cpu);

// Returns "fragment", tab, the device, tab, "32" or "16" (bits per sample on the device), tab, "1"
// if page_device_seconds() is available.
PAGE const char *page_device(void);

// The image's size in pixels (0 without an image), the number of planes to be transformed, and its
// samples.
PAGE int page_width(void);
PAGE int page_height(void);
PAGE int page_planes(void);
PAGE float *page_pixels(void);

// The picture buffer, to be filled by the caller. At most 4096x4096 pixels.
PAGE unsigned char *page_picture(int width, int height);

// Makes the picture the image. `gray_too`: use one plane if the picture is gray. If size and number
// of planes do not change, the views stay prepared.
PAGE int page_capture(int gray_too);

// Creates the test pattern "NAME:WxH".
PAGE int page_pattern(const char *text);

// Selects the channel to be transformed, of this and later images: one of wp_channel_words.
PAGE int page_channel(const char *word);

// Nonzero if the image has color channels.
PAGE int page_is_coloured(void);

// Selects a wavelet by name or taps (wp_wavelet_find()).
PAGE int page_wavelet(const char *name);

// Nonzero if the wavelet requires periodic borders.
PAGE int page_wavelet_is_periodic(void);

// Lines of step, tap, index of the sample relative to n, and coefficient, separated by tabs. Steps
// count from 0: predict, update, predict, …
PAGE const char *page_taps(void);

// Changes a coefficient of a step and, for a symmetric wavelet, its mirror image. Lifting stays
// invertible for any coefficients; see page_wavelet_loss() for other properties.
PAGE int page_set_tap(int step, int tap, double value);

// The property of a wavelet that was lost by changes, or "".
PAGE const char *page_wavelet_loss(void);

// Maximum number of levels for the image with the selected wavelet; of the borders of PyWavelets as
// many as they count, of packets at most 5; 0 if the bank does not support the border. Banks may be
// NULL: decimated.
PAGE int page_levels_most(const char *border, const char *bank);

// Defines view 0 or 1. Computes nothing. Views become invalid if the image size, the wavelet or a
// coefficient changes.
PAGE int page_view(int number, const char *scheme, int levels, const char *border,
                   const char *bank);

// The size of a plane of coefficients.
PAGE int page_bands_width(int number);
PAGE int page_bands_height(int number);

// With KHR_parallel_shader_compile: page_begin() starts to link the programs of a transform, and
// page_is_linking() is nonzero while programs are being linked. A transform blocks until its
// programs are linked.
PAGE int page_begin(int number, int inverse);
PAGE int page_is_linking(void);

// Computes the coefficients of the image.
PAGE float *page_forward(int number);

// Sets the input of the inverse: the largest `percent` percent of the coefficients. Returns the
// share of nonzero coefficients, or a negative number after a failure.
PAGE double page_keep(int number, double percent);

// Computes the inverse transform of that input.
PAGE float *page_inverse(int number);

// Wall-clock seconds of the latest transform without transfers; with WebGL between two pixel reads.
PAGE double page_seconds(int number, int inverse);

// The same by the device's timer (EXT_disjoint_timer_query_webgl2): negative until the result is
// available, NaN if something else ran since or the timer was disturbed.
PAGE double page_device_seconds(int number, int inverse);

// PSNR of the inverse's result in dB; infinite if it equals the image.
PAGE double page_psnr(int number);

// Largest difference between the coefficients of the two views, which have the same border.
PAGE double page_difference(void);

// Largest difference between the latest result and the reference interpreter in double precision
// with the same input. Negative after a failure.
PAGE double page_check(int number, int inverse);

// Tolerance of page_check() in float32: 1e-5, or more if the wavelet amplifies rounding errors.
PAGE double page_tolerance(int number, int inverse);

// Lines with the name of each subband.
PAGE const char *page_band_names(int number);

// Lines of name, x, y, width, height of each subband in the coefficient array, minimum, maximum and
// root mean square of its coefficients over all planes, separated by tabs.
PAGE const char *page_bands(int number);

// Pictures of the image, of the inverse's result, and of the coefficients, with details multiplied
// by `gain` around mid-gray. Missing results are computed.
PAGE const unsigned char *page_draw_image(void);
PAGE const unsigned char *page_draw_inverse(int number);
PAGE const unsigned char *page_draw_bands(int number, double gain);

// A picture of one subband.
PAGE const unsigned char *page_draw_band(int number, int band, double gain);

// Number of intermediate results: step 0 is the loaded input, step i the result of operation i. Of
// packets only those of the first level, whose passes every level applies to each node.
PAGE int page_steps(int number, int inverse);

// The components that a step loads or computes (bit c for component c).
PAGE unsigned page_step_components(int number, int inverse, int step);

// Level, tab, number of the pass (from 1; 0: not a pass), tab, number of passes, tab, label.
PAGE const char *page_step_name(int number, int inverse, int step);

// Runs the operations up to a step. Returns its quads, 4 floats each, row by row (see
// page_step_position()), of all planes: texels with WebGL, else values of the interpreter, also for
// the borders of PyWavelets and for packets. Elements of redundant banks are not quads, but the bands
// of a sample.
PAGE float *page_step(int number, int inverse, int step);

// Width, height, and x and y of the first quad, which are negative if a margin is computed.
PAGE const int *page_step_position(void);

// Maximum (`most`) or minimum of 0 and a component of these quads over all planes; and a picture of
// the component with the given values for black and white.
PAGE double page_step_end(int component, int most);
PAGE const unsigned char *page_draw_step(int component, double black, double white);

// Source of the shader of a step; "" for step 0. On the CPU backend only shaders of passes, which
// are not executed.
PAGE const char *page_shader(int number, int inverse, int step);

// The matrices of all passes of a level as text; `numbers`: evaluate symbols. The diagram of these
// passes as SVG. Passes, tab, operations, tab, fetches of a level, forward, per quad or, of redundant
// banks, per sample. The filters of the wavelet as SVG.
PAGE const char *page_matrix(int number, int inverse, int numbers);
PAGE const char *page_diagram(int number, int inverse);
PAGE const char *page_costs(int number);
PAGE const char *page_filters(void);

// An SVG of details of the decimated and the undecimated bank, of a pulse and of the same pulse one
// sample further (wp_shift_make()).
PAGE const char *page_shift(int level, int edge);

// Adds a wavelet file (docs/wavelet-files.md) to page_wavelets(), replacing one with the same name.
// Returns the name, or NULL.
PAGE const char *page_wavelet_file(const char *file, const char *text);

// ---- arithmetic of a sample (page_lesson.c) ----

// The arithmetic of a sample (wp_trace_create()): of the coefficient at x, y of the array, of a
// pixel of the inverse, or of component 0 to 3 of quad x, y of a step. One line each, separated by
// tabs:
//   "trace", name of the result, its meaning, its value, and the value computed by the backend
//   "step", name, quad, label of the pass or "", "1" if quads outside the image are read
//   "line", name or "", component, formula, the same in numbers or "", value
PAGE const char *page_trace_coefficient(int number, int x, int y);
PAGE const char *page_trace_pixel(int number, int x, int y);
PAGE const char *page_trace_step(int number, int inverse, int step, int component, int x, int y);

// ---- the worksheet (page_lesson.c) ----

// Questions about the selected wavelet without changes of coefficients. One line each: question,
// tab, hint. A seed always gives the same questions. They are used until the next call.
PAGE const char *page_questions(int seed);

// Checks an answer to question number `question`: 1 or 0; -1 if it is not a number, with the reason
// in page_error().
PAGE int page_is_right(int question, const char *written);

// The solution, tab, its derivation or "".
PAGE const char *page_solution(int question);

#endif
