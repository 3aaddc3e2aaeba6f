#include "page.h"
#include "page_way.h"

#include "backend_gl.h"
#include "channel.h"
#include "cpu_backend.h"
#include "edit.h"
#include "emit.h"
#include "explain.h"
#include "fragment.h"
#include "functions.h"
#include "log.h"
#include "memory.h"
#include "metrics.h"
#include "once.h"
#include "paint.h"
#include "pattern.h"
#include "plan.h"
#include "program.h"
#include "reference.h"
#include "surfaces.h"
#include "text.h"
#include "verify.h"
#include "wavelet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2, SIDE_MAX = 4096 };

// A transform of the image, in one direction.
struct way {
    struct wp_description description;
    struct wp_exec *exec;
    struct wp_plan *plan; // of passes, whatever the backend does
    float *result;        // planes one behind the other; NULL before the first run
    bool is_there;        // the result of this image
    struct wp_exec_seconds seconds;
};

// One of the two that stand beside each other.
struct side {
    struct way way[2]; // by direction
    float *edited;     // coefficients that go into the inverse
    bool is_edited;    // those of this image
};

static struct page {
    const struct wp_backend *backend;
    struct wp_gl *gl; // NULL on the CPU
    struct wp_device *device;
    struct wp_wavelet own; // as it was taken
    struct wp_wavelet wavelet;
    const char *loss; // why it is none of wavepass's, or NULL
    struct wp_image *source; // 1 or 3 planes
    enum wp_channel channel; // what of colour is transformed
    struct wp_image *image;  // that; the source itself where it is all
    struct {
        unsigned char *bytes; // RGBA
        int width, height;
    } picture; // the latest that came in or goes out
    struct side side[SIDES];
    const struct way *timed; // whose run the context's timer took last, NULL: none's alone
} page;

// ---- texts ----

static const char *give(struct wp_text *text, const char *what)
{
    return wp_text_is_whole(text, what) ? wp_text_get(text) : NULL;
}

const char *page_error(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    wp_text_add(&text, "%.*s", (int)strcspn(wp_last_error_text(), "\n"), wp_last_error_text());
    return wp_text_get(&text);
}

static void say_nothing(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

// ---- lists ----

const char *page_schemes(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < WP_SCHEME_KINDS; i++)
        wp_text_add(&text, "%s\t%s\n", wp_scheme_kinds[i].name, wp_scheme_kinds[i].summary);
    return give(&text, "the schemes");
}

const char *page_patterns(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < wp_pattern_count(); i++)
        wp_text_add(&text, "%s\t%s\n", wp_pattern_get(i)->name, wp_pattern_get(i)->description);
    return give(&text, "the patterns");
}

// ---- what it runs on ----

static void rest(struct way *way)
{
    if (way->exec)
        page.backend->release(way->exec);
    way->exec = NULL;
    page.timed = NULL;
    wp_plan_destroy(&way->plan);
    free(way->result);
    way->result = NULL;
}

static void forget(struct side *side)
{
    for (int d = 0; d < 2; d++)
        rest(&side->way[d]);
    free(side->edited);
    *side = (struct side){0};
}

static void close_device(void)
{
    for (int s = 0; s < SIDES; s++)
        forget(&page.side[s]);
    if (page.device)
        page.backend->close(page.device);
    page.device = NULL;
    wp_gl_destroy(&page.gl);
}

int page_open(int cpu)
{
    char reason[512] = "";
    wp_log_set_handler(say_nothing, NULL);
    close_device();
    if (cpu) {
        page.backend = &wp_backend_cpu;
        page.device = page.backend->open(-1, false, reason, sizeof reason);
        return page.device != NULL;
    }
    page.backend = &wp_backend_fragment;
    page.gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (page.gl)
        page.device = page.backend->gl->borrow(page.gl, reason, sizeof reason);
    if (page.device)
        return 1;
    wp_gl_destroy(&page.gl);
    return wp_fail(WP_ERROR_UNAVAILABLE, "%s", reason);
}

const char *page_device(void)
{
    static struct wp_text text;
    struct wp_device_info info;
    page.backend->describe(page.device, &info);
    wp_text_clear(&text);
    const struct wp_gl_info *gl = page.gl ? wp_gl_get_info(page.gl) : NULL;
    wp_text_add(&text, "%s\t%s\t%d\t%d", page.backend->name, info.name,
                gl && gl->half_only ? 16 : 32, gl && gl->late_timer);
    return give(&text, "the device");
}

// ---- the image ----

int page_width(void)
{
    return page.image ? page.image->width : 0;
}

int page_height(void)
{
    return page.image ? page.image->height : 0;
}

static size_t samples(void)
{
    return (size_t)page.image->width * (size_t)page.image->height;
}

// What was made ready for an image does for the next one of the same kind.
static void keep_sides(bool fit)
{
    for (int s = 0; s < SIDES; s++) {
        struct side *side = &page.side[s];
        if (!fit)
            forget(side);
        side->is_edited = side->way[0].is_there = side->way[1].is_there = false;
    }
}

static void drop_image(void)
{
    if (page.image != page.source)
        wp_image_destroy(&page.image);
    page.image = NULL;
}

// What the channel is of the source. The source itself where memory is short.
static bool take_channel(void)
{
    const struct wp_image *source = page.source;
    struct wp_image *image = NULL;
    drop_image();
    page.image = page.source;
    if (page.channel == WP_CHANNEL_RGB || source->planes == 1)
        return true;
    image = wp_image_create(source->width, source->height, source->planes, false);
    if (!image)
        return false;
    memcpy(image->plane[0], source->plane[0],
           samples() * (size_t)source->planes * sizeof *image->plane[0]);
    wp_image_take_channel(image, page.channel, "the image");
    page.image = image;
    return true;
}

static bool renew_image(struct wp_image *source)
{
    const int width = page_width(), height = page_height();
    const int planes = page.image ? page.image->planes : 0;
    if (!source)
        return false;
    drop_image();
    if (source != page.source)
        wp_image_destroy(&page.source);
    page.source = source;
    const bool whole = take_channel();
    keep_sides(page_width() == width && page_height() == height && page.image->planes == planes);
    return whole;
}

unsigned char *page_picture(int width, int height)
{
    const bool fits = width == page.picture.width && height == page.picture.height;
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
        wp_fail(WP_ERROR_TOO_LARGE, "%dx%d pixels are too many (at most %d a side)", width, height,
                SIDE_MAX);
        return NULL;
    }
    if (!fits) {
        free(page.picture.bytes);
        page.picture.width = page.picture.height = 0;
        page.picture.bytes = wp_allocate((size_t)width * (size_t)height, PAINT_BYTES, "a picture");
    }
    if (page.picture.bytes) {
        page.picture.width = width;
        page.picture.height = height;
    }
    return page.picture.bytes;
}

int page_take_picture(int gray_too)
{
    const int width = page.picture.width, height = page.picture.height;
    const size_t pixels = (size_t)width * (size_t)height;
    const int planes =
        gray_too && paint_is_gray(page.picture.bytes, pixels) ? 1 : PAINT_COLOURS;
    struct wp_image *source = page.source;
    if (!pixels)
        return wp_fail(WP_ERROR_USAGE, "there is no picture");
    if (!source || source->width != width || source->height != height || source->planes != planes)
        source = wp_image_create(width, height, planes, false);
    if (source)
        paint_take(page.picture.bytes, pixels, planes, source->plane[0]);
    return renew_image(source);
}

int page_pattern(const char *text)
{
    return renew_image(wp_pattern_create(text));
}

int page_channel(const char *word)
{
    return wp_channel_find(word, &page.channel) && (!page.source || renew_image(page.source));
}

int page_planes(void)
{
    return page.image ? page.image->planes : 0;
}

int page_is_coloured(void)
{
    return page.source && page.source->planes > 1;
}

float *page_pixels(void)
{
    return page.image ? page.image->plane[0] : NULL;
}

// ---- the wavelet ----

int page_wavelet(const char *name)
{
    struct wp_wavelet wavelet;
    if (!page_find_wavelet(name, &wavelet))
        return 0;
    page.own = page.wavelet = wavelet;
    page.loss = NULL;
    return 1;
}

int page_wavelet_is_periodic(void)
{
    return page.wavelet.symmetry == WP_SYMMETRY_NONE;
}

static struct wp_filter *step_filter(int step)
{
    struct wp_pair *pair = &page.wavelet.pair[step / 2];
    return step % 2 ? &pair->update : &pair->predict;
}

const char *page_taps(void)
{
    static struct wp_text text;
    char number[WP_NUMBER_SIZE];
    wp_text_clear(&text);
    for (int step = 0; step < 2 * page.wavelet.pairs; step++)
        for (int tap = 0; tap < step_filter(step)->count; tap++)
            wp_text_add(&text, "%d\t%d\t%d\t%s\n", step, tap, step_filter(step)->tap[tap].k,
                        wp_format_number(number, step_filter(step)->tap[tap].c, 9));
    return give(&text, "the steps");
}

int page_set_tap(int step, int tap, double value)
{
    struct wp_filter *filter =
        step >= 0 && step < 2 * page.wavelet.pairs ? step_filter(step) : NULL;
    if (!filter || tap < 0 || tap >= filter->count)
        return wp_fail(WP_ERROR_USAGE, "step %d has no coefficient %d", step, tap);
    if (!isfinite(value) || fabs(value) > 16)
        return wp_fail(WP_ERROR_USAGE, "a coefficient is a number from -16 to 16");
    const bool symmetric = page.wavelet.symmetry == WP_SYMMETRY_WHOLE;
    // A coefficient of 0 would be none.
    filter->tap[tap].c = fabs(value) < 1e-9 ? 1e-9 : value;
    if (symmetric)
        filter->tap[filter->count - 1 - tap].c = filter->tap[tap].c;
    page.loss = wp_wavelet_finish(&page.wavelet);
    return 1;
}

const char *page_wavelet_loss(void)
{
    return page.loss ? page.loss : "";
}

// ---- transforms ----

static bool is_half(void)
{
    return page.gl && wp_gl_get_info(page.gl)->half_only;
}

int page_levels_most(int periodic)
{
    return wp_levels_most((const int[]){page_width(), page_height()},
                          periodic ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC);
}

int page_side(int number, const char *scheme, int levels, int periodic)
{
    const struct wp_scheme_kind *kind = wp_scheme_kind_find(scheme, 2);
    if (number < 0 || number >= SIDES || !page.image || !kind)
        return 0;
    struct side *side = &page.side[number];
    forget(side);
    for (int d = 0; d < 2; d++) {
        side->way[d].description = (struct wp_description){
            .wavelet = &page.wavelet,
            .direction = d ? WP_INVERSE : WP_FORWARD,
            .border = periodic ? WP_BORDER_PERIODIC : WP_BORDER_SYMMETRIC,
            .size = {page.image->width, page.image->height},
            .levels = levels,
            .kind = kind,
            .precision = is_half() ? WP_PRECISION_F16 : WP_PRECISION_F32,
        };
        if (!wp_description_check(&side->way[d].description))
            return 0;
    }
    return 1;
}

static size_t all_samples(void)
{
    return samples() * (size_t)page.image->planes;
}

static struct way *find_way(int number, int inverse)
{
    if (number >= 0 && number < SIDES) {
        struct way *way = &page.side[number].way[inverse ? 1 : 0];
        if (way->description.wavelet)
            return way;
    }
    wp_fail(WP_ERROR_USAGE, "there is no side %d", number);
    return NULL;
}

// Planes go through together where they can.
static bool prepare(struct way *way)
{
    struct wp_description *d = &way->description;
    const int planes = page.image->planes;
    if (way->exec)
        return true;
    d->planes = page.backend->planes_max && page.backend->planes_max(page.device, d) >= planes
                    ? planes : 1;
    way->exec = page.backend->prepare(page.device, d, NULL);
    return way->exec != NULL;
}

static bool compute(struct way *way, const float *from)
{
    bool ok = prepare(way);
    if (ok && !way->result)
        way->result = wp_allocate(all_samples(), sizeof *way->result, "a result");
    ok = ok && way->result;
    way->is_there = false;
    page.timed = NULL;
    way->seconds = (struct wp_exec_seconds){0};
    const struct wp_description *d = &way->description;
    for (int p = 0; p < page.image->planes && ok; p += wp_description_planes(d)) {
        const struct wp_place in = wp_place_const(d, from + (size_t)p * samples());
        const struct wp_place out = wp_place_dense(d, way->result + (size_t)p * samples());
        ok = wp_exec_transform(page.backend, way->exec, &in, &out, &way->seconds);
    }
    if (ok && page.image->planes == wp_description_planes(d))
        page.timed = way;
    return way->is_there = ok;
}

float *page_forward(int number)
{
    struct way *way = find_way(number, 0);
    return way && compute(way, page.image->plane[0]) ? way->result : NULL;
}

// The coefficients of a side, computed where they are not there.
static const float *coefficients(int number)
{
    const struct way *way = find_way(number, 0);
    return !way ? NULL : way->is_there ? way->result : page_forward(number);
}

double page_keep(int number, double percent)
{
    const float *from = coefficients(number);
    if (!from)
        return -1;
    struct side *side = &page.side[number];
    side->is_edited = side->way[1].is_there = false;
    if (!side->edited)
        side->edited = wp_allocate(all_samples(), sizeof *side->edited, "coefficients");
    if (!side->edited)
        return -1;
    memcpy(side->edited, from, all_samples() * sizeof *side->edited);
    const struct wp_edit edit = {.kind = WP_EDIT_KEEP, .number = percent};
    const struct wp_edit_target target = {&side->way[0].description, 1, page.image->planes,
                                          side->edited};
    struct wp_edit_amount amount;
    if ((percent < 100 && !wp_edit_apply(&edit, 0, &target, NULL)) ||
        !wp_edit_measure(&target, &amount))
        return -1;
    side->is_edited = true;
    return amount.nonzero / amount.samples;
}

// What goes into a way.
static const float *input(int number, int inverse)
{
    if (!inverse)
        return page.image->plane[0];
    const struct side *side = &page.side[number];
    return side->is_edited || page_keep(number, 100) >= 0 ? side->edited : NULL;
}

float *page_inverse(int number)
{
    struct way *way = find_way(number, 1);
    const float *from = way ? input(number, 1) : NULL;
    return from && compute(way, from) ? way->result : NULL;
}

double page_seconds(int number, int inverse)
{
    const struct way *way = find_way(number, inverse);
    return way ? way->seconds.run : 0;
}

double page_device_seconds(int number, int inverse)
{
    GLint disjoint = 0;
    const struct way *way = find_way(number, inverse);
    if (!way || way != page.timed || !page.gl || !wp_gl_get_info(page.gl)->late_timer ||
        !wp_gl_make_current(page.gl))
        return NAN;
    const double seconds = wp_gl_timer_late(page.gl);
    glGetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
    return disjoint ? NAN : seconds;
}

double page_psnr(int number)
{
    const struct way *way = find_way(number, 1);
    if (!way || !way->is_there)
        return NAN;
    struct wp_image restored = *page.image;
    for (int p = 0; p < restored.planes; p++)
        restored.plane[p] = way->result + (size_t)p * samples();
    return wp_metrics_psnr(page.image, &restored);
}

static double difference(const float *a, const float *b)
{
    double most = 0;
    for (size_t i = 0; i < all_samples(); i++) {
        const double apart = fabs((double)a[i] - (double)b[i]);
        // Negated, so that it notices a NaN.
        most = apart <= most ? most : apart;
    }
    return most;
}

double page_difference(void)
{
    const float *a = coefficients(0), *b = coefficients(1);
    return a && b ? difference(a, b) : NAN;
}

double page_check(int number, int inverse)
{
    struct way *way = find_way(number, inverse);
    const struct wp_once on = {.backend = &wp_backend_reference};
    const float *from = way && way->is_there ? input(number, inverse) : NULL;
    if (!from)
        return -1;
    float *wanted = wp_allocate(all_samples(), sizeof *wanted, "a result");
    struct wp_description exact = way->description;
    exact.precision = WP_PRECISION_F32;
    exact.planes = 1;
    const float *in[PAINT_COLOURS];
    float *out[PAINT_COLOURS];
    for (int p = 0; p < page.image->planes; p++) {
        in[p] = from + (size_t)p * samples();
        out[p] = wanted + (size_t)p * samples();
    }
    double most = -1;
    if (wanted && wp_once(&on, &exact, page.image->planes, in, out))
        most = difference(way->result, wanted);
    free(wanted);
    return most;
}

double page_tolerance(int number, int inverse)
{
    const struct way *way = find_way(number, inverse);
    return way ? wp_verify_tolerance(&way->description, inverse ? 0 : way->description.levels) : 0;
}

// ---- bands ----

struct spread {
    double least, most, squares;
};

// Of a band in all planes.
static struct spread measure(const float *from, const struct wp_band_grid *grid)
{
    struct spread spread = {INFINITY, -INFINITY, 0};
    for (int p = 0; p < page.image->planes; p++) {
        for (int y = 0; y < grid->size[1]; y++) {
            const float *row = from + (size_t)p * samples() +
                               (size_t)(grid->first[1] + y) * (size_t)page.image->width +
                               grid->first[0];
            for (int x = 0; x < grid->size[0]; x++) {
                spread.least = fmin(spread.least, row[x]);
                spread.most = fmax(spread.most, row[x]);
                spread.squares += (double)row[x] * row[x];
            }
        }
    }
    return spread;
}

const char *page_bands(int number)
{
    static struct wp_text text;
    const float *from = coefficients(number);
    if (!from)
        return NULL;
    const struct wp_description *d = &page.side[number].way[0].description;
    wp_text_clear(&text);
    for (int i = 0; i < wp_place_bands(d); i++) {
        const struct wp_band_place band = wp_place_band_describe(d, i);
        const struct spread spread = measure(from, &band.grid);
        const int *size = band.grid.size;
        const double count = (double)size[0] * size[1] * page.image->planes;
        char name[WP_BAND_NAME_SIZE];
        wp_place_band_name(&band, name);
        wp_text_add(&text, "%s\t%d\t%d\t%d\t%d\t%.9g\t%.9g\t%.9g\n", name,
                    band.grid.first[0], band.grid.first[1], size[0], size[1], spread.least,
                    spread.most, sqrt(spread.squares / count));
    }
    return give(&text, "the bands");
}

// ---- pictures ----

// Room for what is seen of planes of such a size, {0} where there is none.
static struct paint begin_picture(const float *samples_of, int width, int height, ptrdiff_t step)
{
    struct paint picture = {
        .samples = samples_of,
        .planes = page.image->planes,
        .step = step,
        .plane = (ptrdiff_t)width * height * step,
        .width = width,
        .picture = page_picture(width, height),
    };
    return picture;
}

static const unsigned char *draw_plain(const float *from)
{
    const struct paint picture = begin_picture(from, page_width(), page_height(), 1);
    if (picture.picture)
        paint(&picture, 0, 0, page_width(), page_height(), (struct paint_range){0, 1});
    return picture.picture;
}

const unsigned char *page_draw_image(void)
{
    return page.image ? draw_plain(page.image->plane[0]) : NULL;
}

const unsigned char *page_draw_inverse(int number)
{
    const struct way *way = find_way(number, 1);
    if (!way || (!way->is_there && !page_inverse(number)))
        return NULL;
    return draw_plain(way->result);
}

const unsigned char *page_draw_bands(int number, double gain)
{
    const float *from = coefficients(number);
    if (!from)
        return NULL;
    const struct paint picture = begin_picture(from, page_width(), page_height(), 1);
    const struct paint_range details = {(float)(-.5 / gain), (float)(.5 / gain)};
    const struct wp_band_place low =
        wp_place_band_describe(&page.side[number].way[0].description, 0);
    const int width = low.grid.size[0], height = low.grid.size[1];
    if (!picture.picture)
        return NULL;
    paint(&picture, 0, 0, width, height, (struct paint_range){0, 1});
    paint(&picture, width, 0, page_width() - width, height, details);
    paint(&picture, 0, height, page_width(), page_height() - height, details);
    return picture.picture;
}

// ---- passes ----

static const struct wp_plan *plan_of(struct way *way)
{
    if (!way->plan)
        way->plan = wp_plan_passes(&way->description);
    return way->plan;
}

int page_stages(int number, int inverse)
{
    struct way *way = find_way(number, inverse);
    return way && plan_of(way) ? 1 + way->plan->op_count : 0;
}

static const struct wp_op *op_of(int number, int inverse, int stage)
{
    struct way *way = find_way(number, inverse);
    const struct wp_plan *plan = way ? plan_of(way) : NULL;
    return plan && stage > 0 && stage <= plan->op_count ? &plan->op[stage - 1] : NULL;
}

const char *page_stage_name(int number, int inverse, int stage)
{
    static struct wp_text text;
    const struct wp_op *op = op_of(number, inverse, stage);
    wp_text_clear(&text);
    if (!op)
        wp_text_add(&text, "0\t0\t0\tloaded");
    else if (op->kind == WP_OP_PASS)
        wp_text_add(&text, "%d\t%d\t%d\t%s", op->level, op->pass + 1, op->scheme->pass_count,
                    op->scheme->pass[op->pass].label);
    else
        wp_text_add(&text, "%d\t0\t0\t%s", op->level,
                    op->kind == WP_OP_GATHER ? "gather: quads of the low band"
                                             : "spread: samples of the low band");
    return give(&text, "a name");
}

struct texels {
    int wanted, now; // stages
    int plane;       // of the image
    struct wp_rect domain;
    float *quads;    // planes one behind the other
};

static struct texels shown;

static size_t plane_floats(void)
{
    return (size_t)shown.domain.width * (size_t)shown.domain.height * 4;
}

// For all planes, once the domain is known.
static bool make_room(struct wp_rect domain)
{
    if (shown.quads)
        return true;
    shown.domain = domain;
    shown.quads = wp_allocate(plane_floats() * (size_t)page.image->planes, sizeof *shown.quads,
                              "texels");
    return shown.quads != NULL;
}

static float *room_of(int plane)
{
    return shown.quads + (size_t)plane * plane_floats();
}

// The interpreter's, which stops where it was shown what is wanted.
static bool keep(void *user, const struct wp_stage *stage)
{
    (void)user;
    if (shown.now++ < shown.wanted)
        return true;
    if (make_room(stage->domain))
        memcpy(room_of(shown.plane), stage->quads, plane_floats() * sizeof *shown.quads);
    return false;
}

static bool interpret(const struct wp_plan *plan, const float *from)
{
    for (shown.plane = 0; shown.plane < page.image->planes; shown.plane++) {
        shown.now = 0;
        wp_reference_watch(plan, from + (size_t)shown.plane * samples(), keep, NULL);
    }
    return shown.quads != NULL;
}

// The texture's, of the planes that go through together from `plane` on.
static bool read_back(struct way *way, const float *from, int plane, int stage)
{
    const struct wp_plan *plan;
    const struct wp_surfaces *surfaces = page.backend->gl->surfaces(way->exec, &plan);
    const struct wp_place in =
        wp_place_const(&way->description, from + (size_t)plane * samples());
    page.timed = NULL;
    if (!surfaces || !page.backend->load(way->exec, &in))
        return false;
    for (int op = 0; op < stage; op++)
        if (!page.backend->gl->step(way->exec, op, NULL))
            return false;
    const struct wp_op *op = stage ? &plan->op[stage - 1] : NULL;
    const struct wp_port *port = &plan->load[0];
    const struct wp_rect domain = op ? op->domain : port->domain;
    const int surface = op ? op->destination : port->surface;
    const int x = op ? op->destination_x : port->x, y = op ? op->destination_y : port->y;
    if (!make_room(domain))
        return false;
    for (int p = 0; p < wp_description_planes(&way->description); p++)
        wp_texture_read(&surfaces->texture[surface], x + domain.x,
                        y + domain.y + p * plan->surface[surface].height, domain.width,
                        domain.height, room_of(plane + p));
    return true;
}

float *page_stage(int number, int inverse, int stage)
{
    struct way *way = find_way(number, inverse);
    free(shown.quads);
    shown = (struct texels){.wanted = stage};
    if (!way || stage < 0 || stage >= page_stages(number, inverse))
        return NULL;
    const float *from = input(number, inverse);
    if (!from)
        return NULL;
    if (!page.gl)
        return interpret(way->plan, from) ? shown.quads : NULL;
    bool ok = prepare(way);
    for (int p = 0; p < page.image->planes && ok; p += wp_description_planes(&way->description))
        ok = read_back(way, from, p, stage);
    return ok ? shown.quads : NULL;
}

double page_stage_end(int component, int most)
{
    double least = 0, greatest = 0;
    const size_t count = plane_floats() * (size_t)page.image->planes;
    for (size_t i = (size_t)component; shown.quads && i < count; i += 4) {
        least = fmin(least, shown.quads[i]);
        greatest = fmax(greatest, shown.quads[i]);
    }
    return most ? greatest : least;
}

const unsigned char *page_draw_stage(int component, double black, double white)
{
    if (!shown.quads)
        return NULL;
    const int width = shown.domain.width, height = shown.domain.height;
    const struct paint picture = begin_picture(shown.quads + component, width, height, 4);
    if (picture.picture)
        paint(&picture, 0, 0, width, height, (struct paint_range){(float)black, (float)white});
    return picture.picture;
}

const int *page_stage_place(void)
{
    static int place[4];
    place[0] = shown.domain.width;
    place[1] = shown.domain.height;
    place[2] = shown.domain.x;
    place[3] = shown.domain.y;
    return place;
}

struct shader_search {
    int wanted, now;
    struct wp_text *out;
};

static void add_shader(void *user, const char *text)
{
    struct shader_search *search = user;
    if (search->now++ == search->wanted)
        wp_text_add(search->out, "%s", text);
}

const char *page_shader(int number, int inverse, int stage)
{
    static struct wp_text text;
    const struct wp_op *op = op_of(number, inverse, stage);
    struct way *way = find_way(number, inverse);
    wp_text_clear(&text);
    if (!op)
        return "";
    if (!page.gl) {
        if (op->kind == WP_OP_PASS)
            wp_emit_fragment_pass(op->scheme, op->pass, &text);
        return give(&text, "a shader");
    }
    if (!prepare(way))
        return NULL;
    // What gathers or spreads has a second one, for the borders.
    struct shader_search search = {.wanted = stage - 1, .out = &text};
    for (int i = 1; i < stage; i++)
        search.wanted += way->plan->op[i - 1].kind != WP_OP_PASS;
    page.backend->bench->shaders(way->exec, add_shader, &search);
    return give(&text, "a shader");
}

// ---- for the other files ----

bool page_find_way(int number, int inverse, struct page_way *found)
{
    struct way *way = find_way(number, inverse);
    const float *from = way && plan_of(way) ? input(number, inverse) : NULL;
    if (!from)
        return false;
    *found = (struct page_way){
        .description = &way->description,
        .plan = way->plan,
        .input = from,
        .result = way->is_there ? way->result : NULL,
    };
    return true;
}

const struct wp_wavelet *page_own_wavelet(void)
{
    return &page.own;
}

const float *page_stage_quads(struct wp_rect *domain)
{
    *domain = shown.domain;
    return shown.quads;
}

// ---- explanations ----

const char *page_explain(int number, int inverse, const char *what, const char *format,
                         int numbers)
{
    static struct wp_text text;
    const struct way *way = find_way(number, inverse);
    struct wp_explain_params params = {
        .wavelet = &page.wavelet,
        .direction = inverse ? WP_INVERSE : WP_FORWARD,
        .numbers = numbers,
        .what = WP_EXPLAIN_WHAT_COUNT,
        .format = WP_EXPLAIN_FORMAT_COUNT,
    };
    for (int i = 0; i < WP_EXPLAIN_WHAT_COUNT; i++)
        if (strcmp(wp_explain_what_names[i], what) == 0)
            params.what = (enum wp_explain_what)i;
    for (int i = 0; i < WP_EXPLAIN_FORMAT_COUNT; i++)
        if (strcmp(wp_explain_format_names[i], format) == 0)
            params.format = (enum wp_explain_format)i;
    wp_text_clear(&text);
    if (!way || params.what == WP_EXPLAIN_WHAT_COUNT || params.format == WP_EXPLAIN_FORMAT_COUNT)
        return NULL;
    params.kind = way->description.kind;
    return wp_explain(&params, &text) ? give(&text, "an explanation") : NULL;
}
