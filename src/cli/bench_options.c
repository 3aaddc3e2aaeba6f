#include "bench_options.h"

#include "field_table.h"
#include "messages.h"
#include "words.h"
#include "xmemory.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const order_words[] = {"random", "given"};
static const char *const timer_words[] = {"auto", "gpu", "wall"};
enum { ORDER_GIVEN = 1 };

#define AXIS(member) offsetof(struct wp_bench_options, axes.member)

#define OPTION(...) WP_OPTION(struct wp_bench_options, __VA_ARGS__)

// The option of a row of fields.h: a list of its words.
#define FIELD(member, NAME, word, text) \
    OPTION(TEXT, #member, "LIST", axes.field[WP_FIELD_##NAME], text " (default " word ")", \
           WP_WORDS(wp_##member##_names)),

const struct wp_option wp_bench_options[] = {
    OPTION(TEXT, "wavelet", "LIST", axes.wavelet,
           "names or files, separated by commas, or all (default cdf97)", .letter = 'w'),
    OPTION(TEXT, "scheme", "LIST", axes.scheme, "schemes (default all)", .letter = 's'),
    OPTION(TEXT, "form", "LIST", axes.form, "optimized, block, plain (default optimized)"),
    OPTION(FLAG, "no-optimize", NULL, plain, "the same as --form plain", .old = "plain"),
    OPTION(TEXT, "backend", "LIST", axes.backend,
           "backends, or all that are available except the reference (default auto: the rule of "
           "'forward')", .letter = 'b'),
    OPTION(TEXT, "variant", "LIST", axes.variant,
           "implementation variants of the backends, or all (default: the default of each)"),
    OPTION(DEVICE, "device", "N", device,
           "device number as in 'wavepass info', for one -b (default any)", .letter = 'd'),
    OPTION(TEXT, "size", "LIST", axes.size,
           "N, WxH, WxHxD, A..B:xF, A..B:+S or an image file, whose size is used (default 2048)"),
    OPTION(TEXT, "levels", "LIST", axes.levels,
           "levels: N, A..B or max (default 1)", .letter = 'l'),
    OPTION(TEXT, "levels-z", "LIST", axes.levels_z,
           "levels along the third axis of volumes (default: same as -l, or fewer if the volume "
           "is too thin)"),
    OPTION(TEXT, "direction", "LIST", axes.direction, "forward, inverse (default forward)"),
    WP_FIELDS_DYADIC(FIELD)
    OPTION(TEXT, "planes", "LIST", axes.planes,
           "planes (channels) of an image at once, 3 for RGB; fragment and compute support "
           "several (default 1)"),
    OPTION(TEXT, "batch", "LIST", axes.batch,
           "images of each size that one call transforms: N or A..B:xF (default: one image)"),
    OPTION(TEXT, "reversible", "LIST", axes.reversible,
           "integer lifting (rounding), for wavelets that support it: no, yes (default no)"),
    OPTION(TEXT, "adjoint", "LIST", axes.adjoint, "the transposed transform: no, yes (default no)"),
    OPTION(TEXT, "include", "LIST", axes.include,
           "upload, download: timed with the transform; overlapped: one image is uploaded while "
           "others are transformed and downloaded; windows: likewise, tiles of one image; map, "
           "compile: separate rows"),
    OPTION(TEXT, "threads", "LIST", axes.threads,
           "threads of the cpu backend: N or A..B (default: one per processor)"),
    OPTION(TEXT, "reconstruct", "LIST", reconstruct.methods,
           "measure compressed-sensing reconstructions instead of transforms, with -w, -b "
           "(default cpu), --size, -l and --threads: zero-filled, or weights and :spin or "
           ":exact, for example tv+0.1wav"),
    OPTION(TEXT, "rate", "LIST", reconstruct.rates,
           "with --reconstruct: keep one of N samples (default 4)"),
    OPTION(TEXT, "loops", "OUTERxINNER", reconstruct.loops, "of --reconstruct (default 16x32)"),
    OPTION(TEXT, "image", "FILE", reconstruct.image,
           "with --reconstruct: the measured image, or head, of Debian's mricron-data (default a "
           "phantom)"),
    OPTION(TEXT, "paper", "NAME", paper,
           "run the sweep of a published table or figure and compare with its values (--list)"),
    OPTION(TEXT, "warmup", "SECONDS", warm_up,
           "warm-up time before the first sample (default 0.3)"),
    OPTION(TEXT, "min-time", "SECONDS", min_time, "minimum total sampling time (default 0.5)"),
    OPTION(INT, "min-samples", "N", min_samples,
           "minimum number of samples (default 10)", .minimum = 1, .maximum = 100000),
    OPTION(TEXT, "max-noise", "PERCENT", max_noise,
           "sample until the median is known to this precision (default 0.5)"),
    OPTION(TEXT, "timeout", "SECONDS", timeout, "time limit per configuration (default 15)"),
    OPTION(INT, "runs", "N", runs, "exactly N samples", .minimum = 1, .maximum = 100000),
    OPTION(CHOICE, "order", "KIND", order,
           "interleave the samples of configurations, or measure one configuration after the "
           "other (default random)", WP_WORDS(order_words)),
    OPTION(INT, "seed", "N", seed,
           "seed of the random order (default 1)", .minimum = 1, .maximum = 2147483647),
    OPTION(CHOICE, "timer", "KIND", timer,
           "clock of the device or of the computer (default auto: the device's if it has one)",
           WP_WORDS(timer_words)),
    OPTION(TEXT, "json", "FILE", json,
           "write everything, with samples and environment; - writes to stdout instead of the "
           "table"),
    OPTION(TEXT, "csv", "FILE", csv, "write one line per row"),
    OPTION(TEXT, "markdown", "FILE", markdown, "write the printed tables with every column"),
    OPTION(TEXT, "svg", "FILE", svg, "plot GB/s over Mpixel"),
    WP_OPTIONS(struct wp_bench_options, force, wp_options_force),
    OPTION(TEXT, "context", "KEY=VALUE,…", context, "add verbatim to the JSON environment"),
    OPTION(FLAG, "no-host", NULL, no_host, "leave the computer out of the JSON"),
    OPTION(FLAG, "no-samples", NULL, no_samples, "leave the samples out of the JSON"),
    OPTION(FLAG, "no-verify", NULL, no_verify,
           "do not verify the results first; rows are marked UNVERIFIED"),
    OPTION(FLAG, "no-ceilings", NULL, no_ceilings, "do not measure copies and fills"),
    OPTION(FLAG, "no-transfers", NULL, no_transfers,
           "do not measure upload, download, packing and layout"),
    OPTION(FLAG, "allow-software", NULL, allow_software, "do not warn when rendering in software"),
    OPTION(TEXT, "baseline", "FILE", baseline, "compare with the results of an earlier run"),
    WP_OPTIONS(struct wp_bench_options, compare, wp_compare_bench_table),
    OPTION(FLAG, "dry-run", NULL, dry_run, "print the configurations and the estimated duration"),
    OPTION(FLAG, "list", NULL, list, "list the values of the axes, and the papers"),
    OPTION(FLAG, "profile", NULL, profile,
           "run everything once without measuring, for a profiler"),
    OPTION(FLAG, "tune", NULL, tune,
           "probe again for the fastest scheme and variant, which 'forward' and 'inverse' use"),
    {0},
};

// Parses a number of at least 0 with or without its unit, "0.5s", "0.5%". NULL: `default_`.
static bool read_quantity(const char *name, const char *text, const char *unit, double default_,
                          double *value)
{
    *value = default_;
    if (!text)
        return true;
    char number[64];
    const size_t length = strlen(text) - (wp_ends_with(text, unit) ? strlen(unit) : 0);
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    return (wp_parse_double(number, value) && *value >= 0) ||
           wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not a number of %s", name, text,
                   strcmp(unit, "%") == 0 ? "percent" : "seconds");
}

bool wp_bench_options_context(const struct wp_bench_options *o, json_t **user)
{
    *user = json_object();
    char *text = wp_xstrdup(o->context ? o->context : "");
    bool ok = true;
    for (char *pair = text; ok && *pair;) {
        char *end = pair + strcspn(pair, ",");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        char *equals = strchr(pair, '=');
        if (!equals || equals == pair) {
            ok = wp_fail(WP_ERROR_USAGE, "--context: '%s' is not KEY=VALUE", pair);
        } else {
            *equals = '\0';
            json_object_set_new(*user, pair, wp_json_text(equals + 1));
        }
        pair = next;
    }
    free(text);
    return ok;
}

bool wp_bench_options_params(const struct wp_bench_options *o, struct wp_bench_params *p)
{
    enum { DEFAULT_SAMPLES = 10, MAX_SAMPLES = 500 };
    double percent;
    *p = (struct wp_bench_params){
        .sampling = {.runs = o->runs,
                     .min_samples = o->min_samples ? o->min_samples : DEFAULT_SAMPLES,
                     .max_samples = MAX_SAMPLES},
        .no_verify = o->no_verify,
        .given_order = o->order == ORDER_GIVEN,
        .seed = o->seed ? (unsigned)o->seed : 1,
        .no_ceilings = o->no_ceilings,
        .no_transfers = o->no_transfers,
        .stop = &wp_interrupted,
        .capture = wp_messages_capture,
    };
    if (p->sampling.min_samples > p->sampling.max_samples)
        p->sampling.max_samples = p->sampling.min_samples;
    if (!read_quantity("warmup", o->warm_up, "s", 0.3, &p->warm_up) ||
        !read_quantity("min-time", o->min_time, "s", 0.5, &p->sampling.min_time) ||
        !read_quantity("max-noise", o->max_noise, "%", 0.5, &percent) ||
        !read_quantity("timeout", o->timeout, "s", 15, &p->sampling.timeout))
        return false;
    p->sampling.max_noise = percent / 100;
    return true;
}

#define FIELD_NAME(member, NAME, word, text) #member,

// Options that exclude each other. A mode is an option that rejects the others.
static const struct mode {
    const char *name, *hint;
    const char *others[32]; // ended by NULL
} modes[] = {
    {"tune", "--tune supports -w, -b, -d, --size, --direction and --timeout",
     {"scheme", "form", "no-optimize", "variant", "levels", "levels-z", "include", "threads",
      "planes", "batch", "reversible", "adjoint", "paper", "baseline", "json", "csv", "markdown",
      "svg", "dry-run", "profile", "runs", "reconstruct", WP_FIELDS_DYADIC(FIELD_NAME)}},
    {"paper", "the paper defines the sweep; only --size can be changed",
     {"wavelet", "scheme", "backend", "reconstruct"}},
    {"reconstruct",
     "--reconstruct supports -w, -b, --size, -l, --threads, --rate, --loops and --image",
     {"scheme", "form", "no-optimize", "variant", "include", "planes", "batch", "levels-z",
      "direction",
      "profile", "svg", "runs", "reversible", "adjoint", WP_FIELDS_DYADIC(FIELD_NAME)}},
#define NOTHING_MEASURED "nothing is measured, so there is nothing to write"
    {"list", NOTHING_MEASURED, {"json", "csv", "markdown", "svg", "baseline"}},
    {"dry-run", NOTHING_MEASURED, {"json", "csv", "markdown", "svg", "baseline"}},
    {"profile", NOTHING_MEASURED, {"json", "csv", "markdown", "svg", "baseline"}},
};

static bool check_mode(const struct wp_bench_options *o, const struct mode *mode)
{
    if (!wp_option_is_given(wp_bench_options, mode->name, o))
        return true;
    for (const char *const *other = mode->others; *other; other++)
        if (wp_option_is_given(wp_bench_options, *other, o))
            return wp_fail(WP_ERROR_USAGE, "--%s cannot be combined with --%s\nhint: %s", *other,
                           mode->name, mode->hint);
    return true;
}

bool wp_bench_options_check(const struct wp_bench_options *o)
{
    const struct wp_bench_reconstruct_axes *r = &o->reconstruct;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!check_mode(o, &modes[i]))
            return false;
    return r->methods || (!r->rates && !r->loops && !r->image) ||
           wp_fail(WP_ERROR_USAGE, "--%s needs --reconstruct",
                   r->rates ? "rate" : r->loops ? "loops" : "image");
}
