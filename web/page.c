#include "page.h"
#include "page_way.h"

#include "backend_gl.h"
#include "cpu_backend.h"
#include "edit.h"
#include "emit.h"
#include "explain.h"
#include "fragment.h"
#include "log.h"
#include "memory.h"
#include "metrics.h"
#include "once.h"
#include "pattern.h"
#include "plan.h"
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
    float *result;        // of the latest run, NULL before
    struct wp_exec_seconds seconds;
};

// One of the two that stand beside each other.
struct side {
    struct way way[2]; // by direction
    float *edited;     // coefficients that go into the inverse
};

static struct page {
    const struct wp_backend *backend;
    struct wp_gl *gl; // NULL on the CPU
    struct wp_device *device;
    struct wp_wavelet own; // as it was taken
    struct wp_wavelet wavelet;
    const char *loss; // why it is none of wavepass's, or NULL
    struct wp_image *image;
    struct side side[SIDES];
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
    wp_text_add(&text, "%s\t%s\t%d", page.backend->name, info.name,
                page.gl && wp_gl_get_info(page.gl)->half_only ? 16 : 32);
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

static float *take_image(struct wp_image *image)
{
    if (!image)
        return NULL;
    for (int s = 0; s < SIDES; s++)
        forget(&page.side[s]);
    wp_image_to_gray(image);
    wp_image_destroy(&page.image);
    page.image = image;
    return image->plane[0];
}

float *page_image(int width, int height)
{
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX) {
        wp_fail(WP_ERROR_TOO_LARGE, "%dx%d pixels are too many (at most %d a side)", width, height,
                SIDE_MAX);
        return NULL;
    }
    return take_image(wp_image_create(width, height, 1, false));
}

float *page_pattern(const char *text)
{
    return take_image(wp_pattern_create(text));
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
    }
    return wp_description_check(&side->way[0].description);
}

static size_t samples(void)
{
    return (size_t)page.image->width * (size_t)page.image->height;
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

static bool prepare(struct way *way)
{
    if (!way->exec)
        way->exec = page.backend->prepare(page.device, &way->description, NULL);
    return way->exec != NULL;
}

// Leaves the result where it is whole.
static bool compute(struct way *way, const float *from)
{
    float *result = way->result ? way->result
                                : wp_allocate(samples(), sizeof *result, "a result");
    const struct wp_place in = wp_place_const(&way->description, from);
    const struct wp_place out = wp_place_dense(&way->description, result);
    way->seconds = (struct wp_exec_seconds){0};
    way->result = NULL;
    if (result && prepare(way) &&
        wp_exec_transform(page.backend, way->exec, &in, &out, &way->seconds))
        way->result = result;
    else
        free(result);
    return way->result != NULL;
}

float *page_forward(int number)
{
    struct way *way = find_way(number, 0);
    return way && compute(way, page.image->plane[0]) ? way->result : NULL;
}

double page_keep(int number, double percent)
{
    struct way *way = find_way(number, 0);
    if (!way || (!way->result && !page_forward(number)))
        return -1;
    struct side *side = &page.side[number];
    if (!side->edited)
        side->edited = wp_allocate(samples(), sizeof *side->edited, "coefficients");
    if (!side->edited)
        return -1;
    memcpy(side->edited, way->result, samples() * sizeof *side->edited);
    const struct wp_edit edit = {.kind = WP_EDIT_KEEP, .number = percent};
    const struct wp_edit_target target = {&way->description, 1, 1, side->edited};
    struct wp_edit_amount amount;
    if ((percent < 100 && !wp_edit_apply(&edit, 0, &target, NULL)) ||
        !wp_edit_measure(&target, &amount))
        return -1;
    return amount.nonzero / amount.samples;
}

float *page_inverse(int number)
{
    struct way *way = find_way(number, 1);
    if (!way || (!page.side[number].edited && page_keep(number, 100) < 0))
        return NULL;
    return compute(way, page.side[number].edited) ? way->result : NULL;
}

double page_seconds(int number, int inverse)
{
    const struct way *way = find_way(number, inverse);
    return way ? way->seconds.run : 0;
}

double page_psnr(int number)
{
    const struct way *way = find_way(number, 1);
    if (!way || !way->result)
        return NAN;
    struct wp_image restored = *page.image;
    restored.plane[0] = way->result;
    return wp_metrics_psnr(page.image, &restored);
}

static double difference(const float *a, const float *b)
{
    double most = 0;
    for (size_t i = 0; i < samples(); i++) {
        const double apart = fabs((double)a[i] - (double)b[i]);
        // Negated, so that it notices a NaN.
        most = apart <= most ? most : apart;
    }
    return most;
}

double page_difference(void)
{
    const float *a = page.side[0].way[0].result, *b = page.side[1].way[0].result;
    return a && b ? difference(a, b) : NAN;
}

double page_check(int number, int inverse)
{
    struct way *way = find_way(number, inverse);
    const struct wp_once on = {.backend = &wp_backend_reference};
    if (!way || !way->result)
        return -1;
    float *wanted = wp_allocate(samples(), sizeof *wanted, "a result");
    struct wp_description exact = way->description;
    exact.precision = WP_PRECISION_F32;
    const float *from = inverse ? page.side[number].edited : page.image->plane[0];
    double most = -1;
    if (wanted && wp_once(&on, &exact, 1, &from, &wanted))
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

const char *page_bands(int number)
{
    static struct wp_text text;
    const struct way *way = find_way(number, 0);
    if (!way)
        return NULL;
    wp_text_clear(&text);
    for (int i = 0; i < wp_place_bands(&way->description); i++) {
        const struct wp_band_place band = wp_place_band_describe(&way->description, i);
        char name[WP_BAND_NAME_SIZE];
        wp_place_band_name(&band, name);
        wp_text_add(&text, "%s\t%d\t%d\t%d\t%d\n", name, band.grid.first[0], band.grid.first[1],
                    band.grid.size[0], band.grid.size[1]);
    }
    return give(&text, "the bands");
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
    struct wp_rect domain;
    float *quads;
};

static struct texels shown;

static bool make_room(struct wp_rect domain)
{
    const size_t count = (size_t)domain.width * (size_t)domain.height * 4;
    free(shown.quads);
    shown.domain = domain;
    shown.quads = wp_allocate(count, sizeof *shown.quads, "texels");
    return shown.quads != NULL;
}

// The interpreter's, which stops where it was shown what is wanted.
static bool keep(void *user, const struct wp_stage *stage)
{
    (void)user;
    if (shown.now++ < shown.wanted)
        return true;
    if (make_room(stage->domain))
        memcpy(shown.quads, stage->quads, (size_t)stage->domain.width *
               (size_t)stage->domain.height * 4 * sizeof *shown.quads);
    return false;
}

// The texture's.
static bool read_back(struct way *way, const float *from, int stage)
{
    const struct wp_plan *plan;
    if (!prepare(way))
        return false;
    const struct wp_surfaces *surfaces = page.backend->gl->surfaces(way->exec, &plan);
    const struct wp_place in = wp_place_const(&way->description, from);
    if (!surfaces || !page.backend->load(way->exec, &in))
        return false;
    for (int op = 0; op < stage; op++)
        if (!page.backend->gl->step(way->exec, op, NULL))
            return false;
    const struct wp_op *op = stage ? &plan->op[stage - 1] : NULL;
    const struct wp_port *port = &plan->load[0];
    const struct wp_rect domain = op ? op->domain : port->domain;
    if (!make_room(domain))
        return false;
    wp_texture_read(&surfaces->texture[op ? op->destination : port->surface],
                    (op ? op->destination_x : port->x) + domain.x,
                    (op ? op->destination_y : port->y) + domain.y, domain.width, domain.height,
                    shown.quads);
    return true;
}

float *page_stage(int number, int inverse, int stage)
{
    struct way *way = find_way(number, inverse);
    free(shown.quads);
    shown = (struct texels){.wanted = stage};
    if (!way || stage < 0 || stage >= page_stages(number, inverse) ||
        (inverse && !page.side[number].edited && page_keep(number, 100) < 0))
        return NULL;
    const float *from = inverse ? page.side[number].edited : page.image->plane[0];
    if (page.gl)
        return read_back(way, from, stage) ? shown.quads : NULL;
    wp_reference_watch(way->plan, from, keep, NULL);
    return shown.quads;
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
    if (!way || !plan_of(way) ||
        (inverse && !page.side[number].edited && page_keep(number, 100) < 0))
        return false;
    *found = (struct page_way){
        .description = &way->description,
        .plan = way->plan,
        .input = inverse ? page.side[number].edited : page.image->plane[0],
        .result = way->result,
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
