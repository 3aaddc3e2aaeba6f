#include "command.h"
#include "context.h"
#include "fft.h"
#include "field_table.h"
#include "image.h"
#include "flow.h"
#include "info_file.h"
#include "run.h"
#include "pattern.h"
#include "schedule.h"
#include "registry.h"
#include "wavelet.h"
#include "wavelet_growth.h"
#include "wavepass.h"
#include "xmemory.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An OpenGL device, and whether a context could be created on it.
struct device {
    char name[96];
    char reason[512]; // why there is no context
    bool works;
    struct wp_gl_info info;
};

struct known_wavelet {
    struct wp_wavelet wavelet; // only the name is set if its file cannot be read
    char *file;                // path of the file, or NULL if it is built in
    char *error;               // why the file cannot be read, or NULL
};

struct facts {
    struct device any; // the device that is used without --device
    struct device *device;
    int device_count;
    struct known_wavelet *wavelet;
    int wavelet_count;
};

// Ends the program if an attempt failed without a reason: memory is exhausted then.
static void check_reason(bool works, const char *reason)
{
    if (!works && !reason[0])
        wp_xmemory_end();
}

static void try_device(int number, struct device *device)
{
    struct wp_gl *gl = wp_gl_create(number, device->reason, sizeof device->reason);
    device->works = gl != NULL;
    check_reason(device->works, device->reason);
    if (gl)
        device->info = *wp_gl_get_info(gl);
    wp_gl_destroy(&gl);
}

static void find_devices(struct facts *facts)
{
    facts->device_count = wp_gl_device_count();
    facts->device = wp_xcalloc((size_t)facts->device_count, sizeof *facts->device);
    for (int i = 0; i < facts->device_count; i++) {
        wp_gl_device_name(i, facts->device[i].name, sizeof facts->device[i].name);
        wp_progress("probing %s", facts->device[i].name);
        try_device(i, &facts->device[i]);
    }
    try_device(WP_GL_ANY, &facts->any);
}

static bool is_alias(const struct facts *facts, const char *name)
{
    for (int i = 0; i < facts->wavelet_count; i++) {
        const char *aliases = facts->wavelet[i].wavelet.aliases;
        const char *at = strstr(aliases, name);
        const size_t length = strlen(name);
        for (; at; at = strstr(at + 1, name))
            if ((at == aliases || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
                return true;
    }
    return false;
}

// True if an earlier wavelet has the name of the last one: a file of the user, which has priority.
static bool is_hidden(const struct facts *facts)
{
    const int last = facts->wavelet_count - 1;
    for (int i = 0; i < last; i++)
        if (strcmp(facts->wavelet[i].wavelet.name, facts->wavelet[last].wavelet.name) == 0)
            return true;
    return false;
}

static void find_wavelets(struct facts *facts)
{
    char **names = wp_wavelet_names();
    int count = 0;
    while (names[count])
        count++;
    facts->wavelet = wp_xcalloc((size_t)count, sizeof *facts->wavelet);
    for (int i = 0; i < count; i++) {
        // Names are listed before their aliases.
        if (is_alias(facts, names[i]))
            continue;
        struct known_wavelet *known = &facts->wavelet[facts->wavelet_count++];
        known->file = wp_wavelet_path(names[i]);
        struct wp_text error = {0};
        wp_messages_capture(&error);
        if (!wp_wavelet_find(names[i], &known->wavelet)) {
            known->wavelet = (struct wp_wavelet){0};
            snprintf(known->wavelet.name, sizeof known->wavelet.name, "%s", names[i]);
            known->error = wp_xstrdup(wp_text_get(&error));
        }
        wp_messages_capture(NULL);
        wp_text_free(&error);
        if (is_hidden(facts)) {
            free(known->file);
            free(known->error);
            *known = (struct known_wavelet){0};
            facts->wavelet_count--;
        }
    }
    wp_wavelet_free_names(names);
}

static void release(struct facts *facts)
{
    for (int i = 0; i < facts->wavelet_count; i++) {
        free(facts->wavelet[i].file);
        free(facts->wavelet[i].error);
    }
    free(facts->wavelet);
    free(facts->device);
}

struct options {
    struct wp_volume_options volume;
    const char *memory, *axes;
    bool plan;
    struct wp_transform_params transform;
};

static const struct wp_option plan_options[] = {
    WP_OPTIONS(struct options, axes, wp_options_axes),
    WP_OPTIONS(struct options, transform, wp_options_scheme),
    WP_OPTIONS(struct options, transform, wp_options_reversible),
    WP_OPTIONS(struct options, transform, wp_options_layout),
    WP_OPTIONS(struct options, transform, wp_options_slices),
    WP_OPTIONS(struct options, transform, wp_options_backend),
    WP_OPTIONS(struct options, transform, wp_options_precision),
    {0},
};

static const struct wp_option options[] = {
    WP_OPTIONS(struct options, volume, wp_options_volume),
    WP_OPTIONS(struct options, memory, wp_options_memory),
    {"plan", .kind = WP_OPTION_FLAG, .offset = offsetof(struct options, plan),
     .help = "describe how forward and inverse would be executed for FILE, with the options below"},
    {.kind = WP_OPTION_TABLE, .table = plan_options},
    {0},
};

enum { VARIANTS_MAX = 64, WHY_SIZE = 256 };

// The result of opening a backend as `auto` does.
struct attempt {
    bool works;
    struct wp_device_info info;
    char reason[512];                  // why it does not work
    char why[VARIANTS_MAX][WHY_SIZE];  // for each variant, why the device does not run it, or ""
    json_t *choice;                    // from wp_info_choice()
};

static void try_backend(const struct wp_backend *backend, json_t *files, struct attempt *attempt)
{
    *attempt = (struct attempt){0};
    struct wp_backend_choice on = {.backend = backend};
    on.device = backend->open(WP_DEVICE_ANY, true, attempt->reason, sizeof attempt->reason);
    attempt->works = on.device != NULL;
    check_reason(attempt->works, attempt->reason);
    if (!attempt->works) {
        attempt->choice = json_null();
        return;
    }
    backend->describe(on.device, &on.info);
    attempt->info = on.info;
    const struct wp_variant *v = backend->variants;
    for (int i = 0; i < VARIANTS_MAX && v && v[i].name; i++)
        if (v[i].runs_on)
            v[i].runs_on(&v[i], on.device, attempt->why[i], WHY_SIZE);
    attempt->choice = wp_info_choice(&on, files);
    wp_backend_close(&on);
}

static void print_gl(const struct facts *facts)
{
    const struct wp_gl_info *info = &facts->any.info;
    if (!facts->any.works)
        printf("gl: no (%s)\n", facts->any.reason);
    else if (info->software)
        printf("gl: yes, SOFTWARE (%s) - fine for correctness, not for benchmarks\n",
               info->renderer);
    else
        printf("gl: yes, hardware (%s, OpenGL %s)\n", info->renderer, info->version);
    printf("\ndevices (--device N):\n");
    for (int i = 0; i < facts->device_count; i++) {
        const struct device *p = &facts->device[i];
        printf("  %2d  %s\n        ", i, p->name);
        if (p->works)
            printf("%s%s, OpenGL %s, textures up to %d\n", p->info.renderer,
                   p->info.software ? " SOFTWARE" : "", p->info.version, p->info.max_texture);
        else
            printf("not available (%s)\n", p->reason);
    }
}

static void print_variants(const struct wp_backend *backend, const struct attempt *a, bool all)
{
    const struct wp_variant *v = backend->variants;
    int count = 0;
    while (v && v[count].name)
        count++;
    if (!a->works && !all && count) {
        printf("             %d variants, which -v lists\n", count);
        return;
    }
    for (int k = 0; k < count; k++)
        printf("             --variant %-20s %s%s%s%s\n", v[k].name, v[k].summary,
               a->why[k][0] ? " - not available (" : "", a->why[k], a->why[k][0] ? ")" : "");
}

// `all`: lists the variants of backends that do not work, too.
static void print_backends(bool all)
{
    json_t *files = json_object();
    printf("\nbackends (--backend NAME):\n  %-10s the first of these that has a GPU, else cpu "
           "('wavepass forward --help')\n", "auto");
    for (int i = 0; wp_backends[i]; i++) {
        struct attempt a;
        try_backend(wp_backends[i], files, &a);
        printf("  %-10s %s\n             %s%s%s\n", wp_backends[i]->name, wp_backends[i]->summary,
               a.works ? "available: " : "not available (", a.works ? a.info.name : a.reason,
               a.works ? "" : ")");
        print_variants(wp_backends[i], &a, all);
        wp_info_choice_print(a.choice, "             ");
        json_decref(a.choice);
    }
    json_decref(files);
    for (const struct wp_build_feature *part = wp_build_features; part->name; part++)
        if (part->missing)
            printf("  not in this build: %s (%s)\n", part->name, part->missing);
}

static void print_error_of(const struct wp_wavelet *wavelet)
{
    struct wp_text error = {0};
    wp_wavelet_write_error(wavelet, &error);
    if (error.length)
        printf("             %s\n", wp_text_get(&error));
    wp_text_free(&error);
}

static void print_wavelets(const struct facts *facts)
{
    printf("\nwavelets (--wavelet NAME, or a file of lifting steps), built in unless a file is "
           "shown:\n");
    for (int i = 0; i < facts->wavelet_count; i++) {
        const struct wp_wavelet *w = &facts->wavelet[i].wavelet;
        if (facts->wavelet[i].error)
            printf("  %-10s cannot be read: %s\n", w->name, facts->wavelet[i].error);
        else
            printf("  %-10s %s\n             borders: %s%s%s\n", w->name, w->title,
                   w->symmetry == WP_SYMMETRY_NONE ? "periodic only" : "symmetric, periodic",
                   w->aliases[0] ? "; also called " : "", w->aliases);
        if (!facts->wavelet[i].error && facts->wavelet[i].file)
            printf("             file: %s\n", facts->wavelet[i].file);
        if (!facts->wavelet[i].error)
            print_error_of(w);
    }
    for (const struct wp_wavelet_family *family = wp_wavelet_families; family->name; family++)
        printf("  %-18s %s\n", family->name, family->title);
    printf("  Rounding errors of float32: 'wavepass explain NAME --show factoring'.\n");
}

static void print_words(const char *label, const char *const words[], int count)
{
    printf("%s: ", label);
    for (int i = 0; i < count; i++)
        printf("%s%s", words[i], i + 1 < count ? ", " : "\n");
}

static void print_rest(void)
{
    printf("\nschemes (--scheme NAME), the planar ones for volumes:\n");
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS; i++)
        printf("  %s (%s)\n             %s\n", wp_scheme_kinds[i].name, wp_scheme_kinds[i].alias,
               wp_scheme_kinds[i].summary);
    printf("\n");
    for (int f = 0; f < WP_FIELD_COUNT; f++) {
        char title[64];
        snprintf(title, sizeof title, "%ss (--%s)", wp_fields[f].name, wp_fields[f].name);
        if (WP_FIELD_SET_COEFFICIENTS >> f & 1)
            print_words(title, wp_fields[f].words, wp_fields[f].count);
    }
    printf("\nreads: %s\nwrites images: %s\nwrites coefficients: %s\n", WP_IMAGE_READS,
           WP_IMAGE_WRITES, WP_IMAGE_WRITES_COEFFICIENTS);
    printf("reads volumes: %s\nwrites volumes: %s\nwrites coefficients of volumes: %s\n",
           WP_VOLUME_READS, WP_VOLUME_WRITES, WP_VOLUME_WRITES_COEFFICIENTS);
    printf("k-space: NPY of complex64, .cfl with .hdr; Fourier transforms by %s (%s)\n",
           wp_fft_library(), wp_fft_licence());
    printf("\nbuilt-in images and volumes (pattern:NAME[:WxH[xD]]):\n");
    for (int i = 0; i < wp_pattern_count(); i++)
        printf("  %-17s %s\n", wp_pattern_get(i)->name, wp_pattern_get(i)->description);
}

static json_t *json_device(const struct device *device)
{
    const struct wp_gl_info *info = &device->info;
    if (!device->works)
        return json_pack("{s:b, s:o}", "available", 0, "reason", wp_json_text(device->reason));
    return json_pack("{s:b, s:b, s:o, s:o, s:o, s:o, s:i, s:b}", //
                     "available", 1,                             //
                     "software", info->software,                 //
                     "vendor", wp_json_text(info->vendor),       //
                     "renderer", wp_json_text(info->renderer),   //
                     "version", wp_json_text(info->version),     //
                     "glsl", wp_json_text(info->glsl),           //
                     "max_texture", info->max_texture,           //
                     "gpu_timer", info->gpu_timer);
}

static json_t *json_devices(const struct facts *facts)
{
    json_t *list = json_array();
    for (int i = 0; i < facts->device_count; i++) {
        json_t *device = json_device(&facts->device[i]);
        json_object_set_new(device, "device", json_integer(i));
        json_object_set_new(device, "name", wp_json_text(facts->device[i].name));
        json_array_append_new(list, device);
    }
    return list;
}

static json_t *json_variants(const struct wp_backend *backend, char why[VARIANTS_MAX][WHY_SIZE])
{
    json_t *list = json_array();
    const struct wp_variant *v = backend->variants;
    for (int k = 0; v && v[k].name; k++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o}", "name", v[k].name, //
                                        "summary", v[k].summary,              //
                                        "reason", wp_json_text(why[k][0] ? why[k] : NULL)));
    return list;
}

static json_t *json_backends(void)
{
    json_t *list = json_array(), *files = json_object();
    for (int i = 0; wp_backends[i]; i++) {
        struct attempt a;
        try_backend(wp_backends[i], files, &a);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:b, s:o, s:b, s:o, s:o}",             //
                            "name", wp_backends[i]->name,                           //
                            "summary", wp_backends[i]->summary,                     //
                            "variants", json_variants(wp_backends[i], a.why),       //
                            "available", a.works,                                   //
                            "device", wp_json_text(a.works ? a.info.name : NULL),   //
                            "software", a.info.software,                            //
                            "reason", wp_json_text(a.works ? NULL : a.reason),      //
                            "choice", a.choice));
    }
    json_decref(files);
    return list;
}

static json_t *json_wavelets(const struct facts *facts)
{
    json_t *list = json_array();
    for (int i = 0; i < facts->wavelet_count; i++) {
        const struct known_wavelet *known = &facts->wavelet[i];
        const struct wp_wavelet *w = &known->wavelet;
        const double error = known->error ? 0 : wp_wavelet_error(w, 2, false, WP_WAVELET_EXACT);
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:i, s:f, s:o}",   //
                                              "name", wp_json_text(w->name),                     //
                                              "file", wp_json_text(known->file),                 //
                                              "title", wp_json_text(w->title),                   //
                                              "aliases", wp_json_text(w->aliases),               //
                                              "source", wp_json_text(w->source),                 //
                                              "symmetric", w->symmetry != WP_SYMMETRY_NONE,      //
                                              "pairs", w->pairs,                                 //
                                              "error_of_float32", fmax(error, WP_WAVELET_EXACT), //
                                              "error", wp_json_text(known->error)));
    }
    return list;
}

static json_t *json_words(const char *const words[], int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

static json_t *json_schemes(void)
{
    json_t *list = json_array();
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}",                    //
                                              "name", wp_scheme_kinds[i].name,      //
                                              "alias", wp_scheme_kinds[i].alias,    //
                                              "summary", wp_scheme_kinds[i].summary));
    return list;
}

static json_t *json_patterns(void)
{
    json_t *list = json_array();
    for (int i = 0; i < wp_pattern_count(); i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", wp_pattern_get(i)->name,
                                              "description", wp_pattern_get(i)->description));
    return list;
}

static json_t *json_build(void)
{
    json_t *build = json_object(), *missing = json_object();
    for (int i = 0; wp_build_facts[i][0]; i++)
        json_object_set_new(build, wp_build_facts[i][0], wp_json_text(wp_build_facts[i][1]));
    for (const struct wp_build_feature *part = wp_build_features; part->name; part++)
        if (part->missing)
            json_object_set_new(missing, part->name, json_string(part->missing));
    json_object_set_new(build, "missing", missing);
    json_object_set_new(build, "fft", json_pack("{s:s, s:s}", "library", wp_fft_library(),
                                                "licence", wp_fft_licence()));
    return build;
}

static void print_json(const struct facts *facts)
{
    json_t *result = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}",    //
                               "version", WAVEPASS_VERSION,         //
                               "gl", json_device(&facts->any),      //
                               "devices", json_devices(facts),      //
                               "backends", json_backends(),         //
                               "wavelets", json_wavelets(facts),    //
                               "schemes", json_schemes());
    for (int f = 0; f < WP_FIELD_COUNT; f++) {
        char key[64];
        snprintf(key, sizeof key, "%ss", wp_fields[f].name);
        if (WP_FIELD_SET_COEFFICIENTS >> f & 1)
            json_object_set_new(result, key, json_words(wp_fields[f].words, wp_fields[f].count));
    }
    json_object_update_new(result, json_pack(
        "{s:{s:s, s:s, s:s, s:s, s:s, s:s}, s:o, s:o}",                               //
        "formats",                                                                    //
        "read", WP_IMAGE_READS,                                                       //
        "write_images", WP_IMAGE_WRITES,                                              //
        "write_coefficients", WP_IMAGE_WRITES_COEFFICIENTS,                           //
        "read_volumes", WP_VOLUME_READS,                                              //
        "write_volumes", WP_VOLUME_WRITES,                                            //
        "write_volume_coefficients", WP_VOLUME_WRITES_COEFFICIENTS,                   //
        "patterns", json_patterns(),                                                  //
        "build", json_build()));
    wp_print_json(result);
}

static enum wp_error run(const struct wp_call *call)
{
    const struct options *o = call->options;
    struct facts facts = {0};
    static const char *const none[] = {NULL};
    const struct wp_option *given = wp_options_given(plan_options, o, none);
    if (given && !o->plan) {
        wp_fail(WP_ERROR_USAGE, "--%s requires --plan\nhint: wavepass info --plan FILE",
                given->name);
        return wp_last_error();
    }
    if (call->argument_count > 0)
        return o->axes   ? wp_info_array_plan(call, o->axes, &o->transform)
               : o->plan ? wp_info_plan(call, &o->volume, &o->transform)
                         : wp_info_file(call, &o->volume, o->memory);
    if (wp_options_given(options, o, none)) {
        wp_fail(WP_ERROR_USAGE,
                "--volume, --raw, --memory and --plan are for a file\nhint: wavepass info FILE");
        return wp_last_error();
    }
    find_devices(&facts);
    find_wavelets(&facts);
    wp_progress_clear();
    if (call->common.json) {
        print_json(&facts);
    } else {
        print_gl(&facts);
        print_backends(call->common.verbose > 0);
        print_wavelets(&facts);
        print_rest();
    }
    release(&facts);
    return WP_ERROR_NONE;
}

const struct wp_command wp_command_info = {
    .name = "info",
    .summary = "list available backends, wavelets and devices, or describe a file",
    .arguments = "[FILE]",
    .description = "Probes every OpenGL context type and backend and reports which work. Lists "
                   "wavelets, schemes, borders, norms, layouts, formats and built-in images.\n\n"
                   "With FILE, describes an image, a volume or coefficients instead: format, "
                   "size, slices, channels, type and range of samples, size and position of "
                   "voxels, frame rate, and the transform parameters of coefficients. Files are "
                   "read to the end, so damage is found. Files larger than --memory (default: a "
                   "quarter of RAM) are read row by row if their format supports it.\n\n"
                   "With --plan, prints the plans of a transform of FILE, one node per line: loops "
                   "over slices and planes, conversions, tiles and the backend. With --axes, of "
                   "these axes of an NPY.",
    .examples = "wavepass info\nwavepass info --json\nLIBGL_ALWAYS_SOFTWARE=1 wavepass info\n"
                "wavepass info head.nii.gz\nwavepass info --plan photo.png --backend cpu\nwavepass "
                "info scan.raw --raw 512x512x128:u16le",
    .arguments_max = 1,
    .options = options,
    .options_size = sizeof(struct options),
    .run = run,
};
