// What the page asks of wavepass. JavaScript calls these functions; nothing here knows of the page.
//
// Texts and arrays that are returned are valid until the next call of the same function, and NULL
// or 0 stands for a failure that page_error() tells of. Images are planes of width*height floats, one
// behind the other, row 0 at the top, 0 black and 1 white; coefficients likewise, in the layout
// Mallat and the norm jpeg2000. Pictures are RGBA, 4 bytes a pixel; that of three planes is in
// colour. All pictures share one piece of memory.
#ifndef WP_PAGE_H
#define WP_PAGE_H

#include <emscripten.h>

#define PAGE EMSCRIPTEN_KEEPALIVE

// The reason of the latest failure in one line, without hints for the command line.
PAGE const char *page_error(void);

// Lists: a line for each, its name, a tab, what it is; behind wavelets of a family or of files another
// tab and what they are called together.
PAGE const char *page_wavelets(void);
PAGE const char *page_schemes(void);
PAGE const char *page_patterns(void);

// Begins anew on the CPU, or by WebGL 2 on the canvas "#wavepass-gl". The image and the wavelet
// stay, the sides go.
PAGE int page_open(int cpu);

// "fragment", tab, the device, tab, "32" or "16", the bits that samples are kept in, tab, "1" where
// page_device_seconds() has a timer.
PAGE const char *page_device(void);

// The image's size in pixels, 0 where there is none, how many planes of it are transformed, and its
// samples.
PAGE int page_width(void);
PAGE int page_height(void);
PAGE int page_planes(void);
PAGE float *page_pixels(void);

// Room for a picture, to be filled by the caller. At most 4096 pixels a side.
PAGE unsigned char *page_picture(int width, int height);

// Makes that the image; `gray_too`: of one plane where it has no colours. An image as large as the
// one before, with as many planes, keeps the sides and what is ready for them.
PAGE int page_capture(int gray_too);

// Draws "NAME:WxH".
PAGE int page_pattern(const char *text);

// What of colour is transformed, of this image and those to come: one of wp_channel_words.
PAGE int page_channel(const char *word);

// Nonzero where the image has colours to choose from.
PAGE int page_is_coloured(void);

// Takes a wavelet by its name or its taps (wp_wavelet_find()).
PAGE int page_wavelet(const char *name);

// Nonzero where borders are to be periodic.
PAGE int page_wavelet_is_periodic(void);

// Lines of step, tap, the sample that it reads, and the coefficient, with tabs between. Steps count
// from 0: predict, update, predict, …
PAGE const char *page_taps(void);

// Changes a coefficient of a step and, of a symmetric wavelet, its mirror image. Lifting stays
// invertible whatever the coefficients; page_wavelet_loss() tells what is lost.
PAGE int page_set_tap(int step, int tap, double value);

// Why the wavelet is none any more, "" where nothing is lost.
PAGE const char *page_wavelet_loss(void);

// The most levels that the image takes.
PAGE int page_levels_most(int periodic);

// Says what side 0 or 1 is to be. Nothing is computed yet. The sides go with a new image; after
// another wavelet or coefficient they are to be set again.
PAGE int page_view(int number, const char *scheme, int levels, int periodic);

// Where the browser links programs aside (KHR_parallel_shader_compile): begins those of a transform,
// and tells whether some are not there yet. Who does not wait for them here waits in the transform.
PAGE int page_begin(int number, int inverse);
PAGE int page_is_linking(void);

// Coefficients of the image.
PAGE float *page_forward(int number);

// What goes into the inverse: the coefficients, of which `percent` are kept, the largest ones.
// Returns the share that is not zero, or a negative number.
PAGE double page_keep(int number, double percent);

// The image that comes of them.
PAGE float *page_inverse(int number);

// Seconds of the latest transform by the clock, without the way there and back: with WebGL from a
// pixel that was read back to the next one.
PAGE double page_seconds(int number, int inverse);

// The same by the device's own timer, EXT_disjoint_timer_query_webgl2: negative until the browser
// had its turn, NaN where something else ran since or the timer was disturbed.
PAGE double page_device_seconds(int number, int inverse);

// Of the inverse's result, in dB; infinite where it is the image.
PAGE double page_psnr(int number);

// The largest difference between the coefficients of the two sides.
PAGE double page_difference(void);

// The largest difference between the latest result and that of the reference interpreter, in double
// precision, from the same input. Negative where it failed.
PAGE double page_check(int number, int inverse);

// What that may be in 32 bits: 1e-5, or more where the wavelet amplifies rounding.
PAGE double page_tolerance(int number, int inverse);

// Lines of name, x, y, width, height of each band in the array of coefficients, its least and
// greatest coefficient and their root mean square over all planes, with tabs between.
PAGE const char *page_bands(int number);

// Pictures of the image, of the inverse's result, and of the coefficients, whose details are `gain`
// times as strong about mid-grey. What is not there is computed.
PAGE const unsigned char *page_draw_image(void);
PAGE const unsigned char *page_draw_inverse(int number);
PAGE const unsigned char *page_draw_bands(int number, double gain);

// What stands between two passes: stage 0 was loaded, stage i is what operation i has left.
PAGE int page_steps(int number, int inverse);

// Level, tab, number of the pass from 1 or 0 for what is none, tab, how many passes, tab, label.
PAGE const char *page_step_name(int number, int inverse, int stage);

// Runs the operations up to a stage; the quads that it has left, 4 floats each, row by row, on
// page_step_position(), of all planes. With WebGL they are texels of the texture, else the
// interpreter's.
PAGE float *page_step(int number, int inverse, int stage);

// Width, height, and the first quad's x and y, which are negative where a margin is computed.
PAGE const int *page_step_position(void);

// The greatest or the least value of a component of these quads in all planes, and 0; and what it
// looks like between what is black and what is white.
PAGE double page_step_end(int component, int most);
PAGE const unsigned char *page_draw_step(int component, double black, double white);

// The text of the shader that left a stage; "" for stage 0. On the CPU that of passes alone, which
// nothing runs.
PAGE const char *page_shader(int number, int inverse, int stage);

// As wp_explain(): `what` and `format` by name, e.g. "matrix" and "txt"; `numbers`: multiplied out.
PAGE const char *page_explain(int number, int inverse, const char *what, const char *format,
                              int numbers);

// Takes a wavelet file (docs/wavelet-files.md) of the visitor's, which page_wavelets() has from now
// on; one of the same name is replaced. Returns that name, or NULL.
PAGE const char *page_wavelet_file(const char *file, const char *text);

// ---- a sample's sums (page_trace.c) ----

// The sums that made a sample, as wp_trace_create() finds them: of the coefficient that stands at
// x, y of the array, of a pixel of the inverse, or of a component (0 to 3) of the quad x, y of a
// stage. A line each, with tabs between:
//   "sums", what it is called, what that is, its value, and the value that was computed here
//   "stage", name, quad, label of the pass or "", "1" where quads beyond the edge are read
//   "line", what it is called or "", letter, formula, the same in numbers or "", value
PAGE const char *page_trace_coefficient(int number, int x, int y);
PAGE const char *page_trace_pixel(int number, int x, int y);
PAGE const char *page_trace_step(int number, int inverse, int stage, int component, int x, int y);

// ---- the worksheet (page_worksheet.c) ----

// Questions on the wavelet as it was taken, whatever became of its coefficients: a line each, the
// question, tab, a hint. Those of a seed are the same everywhere. They stay until the next call.
PAGE const char *page_questions(int seed);

// Whether what is written is the answer to question number `question`: 1 or 0; -1 where it is no
// number, and page_error() tells why.
PAGE int page_is_right(int question, const char *written);

// The answer, tab, how it comes about or "".
PAGE const char *page_solution(int question);

#endif
