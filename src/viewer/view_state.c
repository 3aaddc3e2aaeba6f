#include "view_state.h"

#include "cache.h"
#include "channel.h"
#include "denoise.h"
#include "image.h"
#include "output.h"
#include "schedule.h"
#include "scheme.h"
#include "suggest.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const wp_slice_pane_names[WP_SLICE_PANES] = {"z", "fourth", "y", "x"};
const char *const wp_fourth_names[WP_FOURTHS] = {"bands", "mip", "cube"};
const char *const wp_axis_words[WP_DIMS_MAX] = {"x", "y", "z"};
// 0: the same as `mode`.
static const char *const shown_names[1 + WP_VIEW_MODES] = {
    "same", "mosaic", "tree", "band", "mixed", "original", "reconstruction", "pass",
};
const char *const *const wp_view_mode_names = shown_names + 1;
// Images have the first four; for volumes these are LLL, HLL, LHL and HHL.
static const char *const selected_names[WP_OCTET_BANDS] = {
    "LL", "HL", "LH", "HH", "LLH", "HLH", "LHH", "HHH",
};
const char *const wp_view_scale_names[WP_SCALES] = {"signed", "absolute", "log"};
const char *const wp_view_map_names[WP_MAPS] = {"blue-white-orange", "viridis", "cividis", "gray"};
const char *const wp_view_range_names[WP_RANGES] = {"band", "all", "fixed"};
const char *const wp_compare_names[WP_COMPARES] = {
    "off", "wipe", "side", "flip", "difference", "checker",
};
const char *const wp_view_metric_names[WP_VIEW_METRICS] = {"E", "AE", "SE", "RAE", "RSE"};
const char *const wp_quads_view_names[WP_QUADS_VIEWS] = {"both", "interleaved", "planes"};
const char *const wp_threshold_names[WP_THRESHOLDS] = {"none", "hard", "soft", "garrote"};
const char *const wp_basis_names[WP_BASES] = {"full", "best", "wavelet", "edited"};
const char *const wp_inspector_names[WP_INSPECTORS] = {"Pixel", "Pass", "Matrix", "Shader",
                                                       "Diagram", "Scales"};

enum kind { KIND_BOOL, KIND_INT, KIND_NUMBER, KIND_CHOICE, KIND_TEXT, KIND_BANDS, KIND_NODES };

struct field {
    const char *name;
    enum kind kind;
    size_t offset;
    // INT and NUMBER; `most` is the size of a TEXT; for BANDS and NODES `least` is the default of each
    // of them, and numbers are from 0 to `most`.
    double least, most;
    const char *const *words; // CHOICE; NULL: the schemes
    const char *help;
    const char *const *aliases; // NULL, or other names of the words
};

#define AT(member) offsetof(struct wp_view_state, member)
#define FIELD_BOOL(n, member, text) {n, KIND_BOOL, AT(member), 0, 1, NULL, text, NULL}
#define FIELD_INT(n, member, least, most, text) \
    {n, KIND_INT, AT(member), least, most, NULL, text, NULL}
#define FIELD_NUMBER(n, member, least, most, text) \
    {n, KIND_NUMBER, AT(member), least, most, NULL, text, NULL}
#define FIELD_CHOICE(n, member, words, count, text) \
    {n, KIND_CHOICE, AT(member), 0, (count) - 1, words, text, NULL}
#define FIELD_TEXT(n, member, text) \
    {n, KIND_TEXT, AT(member), 0, sizeof ((struct wp_view_state *)0)->member, NULL, text, NULL}
#define FIELD_BANDS(n, member, standard, text) \
    {n, KIND_BANDS, AT(member), standard, 1e6, NULL, text, NULL}
#define FIELD_NODES(n, member, standard, text) \
    {n, KIND_NODES, AT(member), standard, 1e6, NULL, text, NULL}
// A row of fields.h.
#define FIELD_WORD(member, NAME, word, text) \
    FIELD_CHOICE(#member, member, wp_##member##_names, WP_##NAME##_COUNT, text),
#define FIELDS_INSTANCE(side) \
    FIELD_TEXT(#side ".wavelet", side.wavelet, "wavelet: a name or a file"), \
    FIELD_CHOICE(#side ".scheme", side.scheme, NULL, WP_SCHEME_VOLUME_KINDS, "scheme"), \
    FIELD_BOOL(#side ".plain", side.plain, "without optimization"), \
    FIELD_TEXT(#side ".backend", side.backend, "backend"), \
    FIELD_TEXT(#side ".variant", side.variant, "variant of the backend"), \
    FIELD_CHOICE(#side ".precision", side.precision, wp_precision_names, WP_PRECISION_COUNT, \
                 "sample storage format"), \
    FIELD_BOOL(#side ".reversible", side.reversible, "steps round to integers"), \
    FIELD_CHOICE(#side ".bank", side.bank, wp_bank_names, WP_BANK_COUNT, "filter bank"), \
    FIELD_INT(#side ".file", side.file, 0, INT_MAX, "file, from 0")

static const struct field fields[] = {
    FIELD_CHOICE("mode", mode, shown_names + 1, WP_VIEW_MODES, "view mode of the canvas"),
    FIELD_INT("level", level, 1, WP_MAX_LEVELS, "level of the selected band"),
    {"band", KIND_CHOICE, AT(band), 0, WP_OCTET_BANDS - 1, selected_names, "selected band",
     wp_octet_band_names},
    FIELD_TEXT("node", node, "selected node of packets, such as ahv; empty: the image"),
    FIELD_NUMBER("x", x, -1e6, 1e6, "view coordinate in the middle"),
    FIELD_NUMBER("y", y, -1e6, 1e6, "view coordinate in the middle"),
    FIELD_NUMBER("z", z, -1e6, 1e6, "view coordinate in the middle of a volume"),
    FIELD_NUMBER("zoom", zoom, 1e-4, 1024, "screen pixels for one pixel"),
    FIELD_BOOL("fit", fit, "the view follows the window"),
    FIELD_CHOICE("scale", scale, wp_view_scale_names, WP_SCALES, "how details are shown"),
    FIELD_CHOICE("map", map, wp_view_map_names, WP_MAPS, "color map"),
    FIELD_CHOICE("range", range, wp_view_range_names, WP_RANGES, "range of normalization"),
    FIELD_NUMBER("gain", gain, 1e-4, 1e6, "brightness: factor"),
    FIELD_NUMBER("offset", offset, -10, 10, "brightness: added"),
    FIELD_BOOL("grid", grid, "lines between large pixels"),
    FIELD_BOOL("values", values, "numbers in large pixels"),
    FIELD_INT("cross.x", cross[WP_X], -1, INT_MAX, "column that all slices go through"),
    FIELD_INT("cross.y", cross[WP_Y], -1, INT_MAX, "row that all slices go through"),
    FIELD_INT("cross.z", cross[WP_Z], -1, INT_MAX, "slice or frame; -1: in the middle"),
    FIELD_CHOICE("pane", pane, wp_slice_pane_names, WP_SLICE_PANES, "active view of the canvas"),
    FIELD_BOOL("single", single, "only the active view"),
    FIELD_BOOL("crosshair", crosshair, "lines where the other slices are"),
    FIELD_BOOL("radiological", radiological, "the patient's right is on the left"),
    FIELD_CHOICE("fourth", fourth, wp_fourth_names, WP_FOURTHS, "content of the fourth view"),
    FIELD_CHOICE("mip", mip, wp_axis_words, WP_DIMS_MAX, "axis of the maximum projection"),
    FIELD_BOOL("behind", behind, "the cube of subbands is shown from its far corner"),
    FIELD_INT("slab", slab, 0, INT_MAX, "slices of the maximum projection; 0: all"),
    FIELD_NUMBER("rate", rate, 0.1, 1000, "slices per second while playing"),
    FIELD_CHOICE("show.x", shows[WP_X], shown_names, 1 + WP_VIEW_MODES, "slices along x show"),
    FIELD_CHOICE("show.y", shows[WP_Y], shown_names, 1 + WP_VIEW_MODES, "slices along y show"),
    FIELD_CHOICE("show.z", shows[WP_Z], shown_names, 1 + WP_VIEW_MODES, "slices along z show"),
    FIELD_INT("levels", levels, 0, WP_MAX_LEVELS, "levels of the transform"),
    FIELD_INT("levels_z", levels_z, -1, WP_MAX_LEVELS, "levels along z; -1: same as levels, or "
                                                       "fewer"),
    FIELD_INT("gop", gop, 0, INT_MAX, "slices per separate group; 0: all"),
    WP_FIELDS_LEVELS(FIELD_WORD)
    FIELD_CHOICE("basis", packets.basis, wp_basis_names, WP_BASES, "tree of packets"),
    FIELD_TEXT("cost", packets.cost, "cost of nodes for the best basis, as --cost"),
    FIELD_TEXT("tree", packets.tree, "edited tree of packets, as --tree"),
    FIELD_BOOL("adjoint", adjoint, "the transposed transform"),
    FIELD_CHOICE("direction", direction, wp_direction_names, 2, "passes of the timeline"),
    {"channel", KIND_CHOICE, AT(channel), 0, WP_CHANNELS - 1, wp_channel_words,
     "channel of a color image: all three, luma, or one", wp_channel_names},
    FIELDS_INSTANCE(a),
    FIELDS_INSTANCE(b),
    FIELD_CHOICE("compare", compare, wp_compare_names, WP_COMPARES, "comparison of A and B"),
    FIELD_CHOICE("metric", metric, wp_view_metric_names, WP_VIEW_METRICS, "metric of the "
                                                                          "difference"),
    FIELD_NUMBER("split", split, 0, 1, "position of the wipe"),
    FIELD_BOOL("live", live, "both transforms run in every frame"),
    FIELD_BOOL("flipped", flipped, "B is shown"),
    FIELD_TEXT("zeroed", zeroed, "zeroed subbands: \"HL1 HH2\""),
    FIELD_INT("kept", kept, -1, WP_OCTET_BANDS * WP_MAX_LEVELS, "subbands kept, coarsest first; "
                                                                "-1: all"),
    FIELD_CHOICE("threshold", threshold, wp_threshold_names, WP_THRESHOLDS, "threshold of details"),
    FIELD_NUMBER("limit", limit, 0, 1e6, "value of the threshold, in the orthonormal norm"),
    FIELD_BANDS("gains", gains, 1, "factors of subbands: \"HL1=2 HH1=0.5\""),
    FIELD_BANDS("limits", limits, -1, "thresholds of subbands, in place of limit: \"HL1=0.1\""),
    FIELD_NODES("node_gains", node_gains, 1, "factors of nodes of packets: \"ahv=2 d=0\""),
    FIELD_NODES("node_limits", node_limits, -1, "thresholds of nodes, in place of limit: \"d=0.1\""),
    FIELD_BOOL("directions", directions, "sliders for each direction of a level"),
    FIELD_CHOICE("method", method, wp_denoise_methods, WP_DENOISE_METHODS, "method of denoising"),
    FIELD_NUMBER("sigma", sigma, 0, 1e6, "standard deviation of the noise; 0: estimated"),
    FIELD_BOOL("impulse", impulse, "show one coefficient of the selected subband"),
    FIELD_INT("impulse_x", impulse_x, 0, INT_MAX, "its column in the band"),
    FIELD_INT("impulse_y", impulse_y, 0, INT_MAX, "its row in the band"),
    FIELD_INT("impulse_z", impulse_z, 0, INT_MAX, "its slice in the band"),
    FIELD_NUMBER("solver.tv", weights.tv, 0, 1e6, "weight of total variation"),
    FIELD_NUMBER("solver.wav", weights.wav, 0, 1e6, "weight of the wavelet in a reconstruction"),
    FIELD_NUMBER("solver.mu", weights.mu, 0, 1e9, "penalty of the data"),
    FIELD_NUMBER("solver.lambda", weights.lambda, 0, 1e9, "penalty of total variation"),
    FIELD_NUMBER("solver.gamma", weights.gamma, 0, 1e9, "penalty of that wavelet; 0: 100 wav"),
    FIELD_BOOL("solver.keep", keep, "new weights continue from the current image"),
    FIELD_BOOL("signal", signal, "a row of the image and its subbands along x"),
    FIELD_INT("signal.row", signal_row, -1, INT_MAX, "the row, which follows the pointer"),
    FIELD_INT("signal.shift", signal_shift, -1000000, 1000000, "samples by which the row is moved"),
    FIELD_INT("op", op, 0, INT_MAX, "operations done in the timeline"),
    FIELD_BOOL("before", before, "show the input of the operation, not its output"),
    FIELD_CHOICE("quads", quads, wp_quads_view_names, WP_QUADS_VIEWS, "how a pass is shown"),
    FIELD_BOOL("playing", playing, "the timeline, or frames, advance"),
    FIELD_BOOL("panels", panels, "show the panels"),
    FIELD_BOOL("times", times, "measured times are shown"),
    FIELD_INT("inspector", inspector, 0, WP_INSPECTORS - 1, "tab of the inspector"),
    FIELD_NUMBER("left", side[0], WP_NARROWEST, WP_WIDEST, "width of the left panel, in ems"),
    FIELD_NUMBER("right", side[1], WP_NARROWEST, WP_WIDEST, "width of the right panel"),
    FIELD_BOOL("fold_left", fold[0], "the left panel is a strip"),
    FIELD_BOOL("fold_right", fold[1], "the right panel is a strip"),
    FIELD_BOOL("large", large, "the right panel replaces the canvas"),
    FIELD_CHOICE("theme", theme, wp_theme_names, WP_THEME_COUNT, "colors of the interface"),
    FIELD_NUMBER("ui_scale", ui_scale, 0.5, 4, "size of the interface"),
};

enum { FIELDS = sizeof fields / sizeof *fields };

void wp_view_state_reset(struct wp_view_state *state)
{
    *state = (struct wp_view_state){
        .a = {.wavelet = "cdf97",
              .scheme = WP_SCHEME_NONSEP_POLYCONVOLUTION,
              .backend = "fragment"},
        .b = {.wavelet = "cdf97", .scheme = WP_SCHEME_NONSEP_POLYCONVOLUTION},
        .weights = {.tv = 1, .wav = 0.1, .mu = 100, .lambda = 100},
        .levels = 3, .levels_z = -1, .level = 1, .band = WP_BAND_HL, .zoom = 1, .fit = true,
        .gain = 1, .values = true,
        .cross = {-1, -1, -1},
        .crosshair = true, .radiological = true, .mip = WP_Z, .rate = 10, .split = 0.5, .kept = -1,
        .packets = {.cost = "shannon"}, .limit = 0.02, .signal_row = -1, .panels = true, .times = true,
        .side = {WP_LEFT_WIDTH, WP_RIGHT_WIDTH},
        .ui_scale = 1,
    };
    wp_view_reset_gains(state);
    wp_view_reset_limits(state);
}

enum { BANDS = (WP_MAX_LEVELS + 1) * WP_OCTET_BANDS };

static void set_all(double *number, int count, double value)
{
    for (int i = 0; i < count; i++)
        number[i] = value;
}

void wp_view_reset_gains(struct wp_view_state *state)
{
    set_all(state->gains[0], BANDS, 1);
    set_all(state->node_gains, WP_NODES_MAX, 1);
}

void wp_view_reset_limits(struct wp_view_state *state)
{
    set_all(state->limits[0], BANDS, -1);
    set_all(state->node_limits, WP_NODES_MAX, -1);
}

// Includes schemes of volumes, because the kind of image is not known here.
static const char *const *scheme_names(void)
{
    static const char *names[WP_SCHEME_VOLUME_KINDS];
    for (int i = 0; i < WP_SCHEME_VOLUME_KINDS; i++)
        names[i] = wp_scheme_kinds[i].name;
    return names;
}

static const char *const *words_of(const struct field *field)
{
    return field->words ? field->words : scheme_names();
}

static const struct field *find(const char *name)
{
    struct wp_lookup lookup = {.name = name};
    for (int i = 0; i < FIELDS; i++)
        if (wp_lookup_is(&lookup, fields[i].name))
            return &fields[i];
    wp_lookup_fail(&lookup, NULL, "unknown setting '%s'", name);
    return NULL;
}

static bool bad(const struct field *field, const char *value)
{
    struct wp_text wanted = {0};
    switch (field->kind) {
    case KIND_BOOL: wp_text_add(&wanted, "true or false"); break;
    case KIND_INT:
    case KIND_NUMBER:
        wp_text_add(&wanted, "a %snumber from %g to %g", field->kind == KIND_INT ? "whole " : "",
                    field->least, field->most);
        break;
    case KIND_CHOICE:
        for (int i = 0; i <= (int)field->most; i++)
            wp_text_add(&wanted, "%s%s", i ? ", " : "", words_of(field)[i]);
        break;
    case KIND_TEXT: wp_text_add(&wanted, "a text of less than %g bytes", field->most); break;
    case KIND_BANDS:
        wp_text_add(&wanted, "subbands with numbers of at most %g, such as HL1=2 HH1=0.5",
                    field->most);
        break;
    case KIND_NODES:
        wp_text_add(&wanted, "nodes of at most %d letters a, v, h, d with numbers of at most %g, such "
                    "as ahv=2 d=0", WP_NODE_LEVELS, field->most);
        break;
    }
    wp_fail(WP_ERROR_USAGE, "%s: invalid value '%s'\nhint: use %s", field->name, value,
            wp_text_get(&wanted));
    wp_text_free(&wanted);
    return false;
}

// Parses "HL1", of `length` bytes. Returns NULL if there is no such subband.
static double *find_band(double *number, const char *name, size_t length)
{
    const size_t letters = strcspn(name, "0123456789");
    char word[8], digits[8];
    int level;
    if (letters >= sizeof word || length <= letters || length - letters >= sizeof digits)
        return NULL;
    snprintf(word, sizeof word, "%.*s", (int)letters, name);
    snprintf(digits, sizeof digits, "%.*s", (int)(length - letters), name + letters);
    int band = wp_name_index(word, selected_names, WP_OCTET_BANDS);
    band = band < 0 ? wp_name_index(word, wp_octet_band_names, WP_OCTET_BANDS) : band;
    band = band < 0 && strcmp(word, wp_starlet_band_names[1]) == 0 ? WP_BAND_HH : band;
    return band >= 0 && wp_parse_int(digits, &level) && level > 0 && level <= WP_MAX_LEVELS
               ? &number[level * WP_OCTET_BANDS + band] : NULL;
}

static double *find_node(double *number, const char *name, size_t length)
{
    const int node = length > 0 ? wp_node_find(name, length) : -1;
    return node > 0 ? &number[node] : NULL;
}

// Numbers of subbands or nodes; others have the default.
static bool set_numbers(double *number, const struct field *field, const char *value)
{
    const bool nodes = field->kind == KIND_NODES;
    const int count = nodes ? WP_NODES_MAX : BANDS;
    double next[WP_NODES_MAX];
    _Static_assert((int)WP_NODES_MAX >= (int)BANDS, "the numbers of subbands fit");
    set_all(next, count, field->least);
    for (const char *item = value + strspn(value, " "); *item; item += strspn(item, " ")) {
        const size_t length = strcspn(item, " "), name = strcspn(item, "= ");
        double *at = (nodes ? find_node : find_band)(next, item, name), parsed;
        char text[WP_NUMBER_SIZE];
        if (!at || name >= length || length - name > sizeof text)
            return false;
        snprintf(text, sizeof text, "%.*s", (int)(length - name - 1), item + name + 1);
        if (!wp_parse_double(text, &parsed) || parsed < 0 || parsed > field->most)
            return false;
        *at = parsed;
        item += length;
    }
    memcpy(number, next, (size_t)count * sizeof *next);
    return true;
}

static void get_numbers(const void *at, const struct field *field, struct wp_text *value)
{
    const double *number = at;
    const bool nodes = field->kind == KIND_NODES;
    char name[16], text[WP_NUMBER_SIZE];
    for (int i = nodes ? 1 : WP_OCTET_BANDS; i < (nodes ? WP_NODES_MAX : BANDS); i++) {
        if (number[i] == field->least)
            continue;
        if (nodes)
            wp_node_name(i, name);
        else
            snprintf(name, sizeof name, "%s%d", selected_names[i % WP_OCTET_BANDS],
                     i / WP_OCTET_BANDS);
        wp_text_add(value, "%s%s=%s", value->length > 0 ? " " : "", name,
                    wp_format_number(text, number[i], 9));
    }
}

static bool set(struct wp_view_state *state, const struct field *field, const char *value)
{
    void *at = (char *)state + field->offset;
    int integer = -1;
    double number;
    bool ok = false;
    switch (field->kind) {
    case KIND_BOOL:
        ok = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
        if (ok)
            *(bool *)at = value[0] == 't';
        break;
    case KIND_NUMBER:
        ok = wp_parse_double(value, &number) && number >= field->least && number <= field->most;
        if (ok)
            *(double *)at = number;
        break;
    case KIND_INT:
    case KIND_CHOICE:
        if (field->kind == KIND_CHOICE)
            integer = wp_name_index(value, words_of(field), (int)field->most + 1);
        if (integer < 0 && field->aliases)
            integer = wp_name_index(value, field->aliases, (int)field->most + 1);
        ok = (field->kind == KIND_CHOICE || wp_parse_int(value, &integer)) &&
             integer >= field->least && integer <= field->most;
        if (ok)
            *(int *)at = integer;
        break;
    case KIND_TEXT:
        ok = strlen(value) < (size_t)field->most;
        if (ok)
            memmove(at, value, strlen(value) + 1);
        break;
    case KIND_BANDS:
    case KIND_NODES: ok = set_numbers(at, field, value); break;
    }
    return ok || bad(field, value);
}

static void get(const struct wp_view_state *state, const struct field *field, struct wp_text *value)
{
    const void *at = (const char *)state + field->offset;
    char number[WP_NUMBER_SIZE];
    switch (field->kind) {
    case KIND_BOOL: wp_text_add(value, "%s", *(const bool *)at ? "true" : "false"); break;
    case KIND_INT: wp_text_add(value, "%d", *(const int *)at); break;
    case KIND_NUMBER:
        wp_text_add(value, "%s", wp_format_number(number, *(const double *)at, 9));
        break;
    case KIND_CHOICE: wp_text_add(value, "%s", words_of(field)[*(const int *)at]); break;
    case KIND_TEXT: wp_text_add(value, "%s", (const char *)at); break;
    case KIND_BANDS:
    case KIND_NODES: get_numbers(at, field, value); break;
    }
}

bool wp_view_state_set(struct wp_view_state *state, const char *name, const char *value)
{
    const struct field *field = find(name);
    return field && set(state, field, value);
}

bool wp_view_state_get(const struct wp_view_state *state, const char *name, struct wp_text *value)
{
    const struct field *field = find(name);
    if (field)
        get(state, field, value);
    return field != NULL;
}

const char *wp_view_field(int number, const char **help)
{
    if (number < FIELDS && help)
        *help = fields[number].help;
    return number < FIELDS ? fields[number].name : NULL;
}

const char wp_view_state_key[] = "wavepass view";

// NULL after WP_ERROR_FILE.
static json_t *load(const char *path)
{
    json_error_t error;
    json_t *object;
    char *note = wp_image_read_note(path, wp_view_state_key);
    FILE *file = note ? NULL : fopen(path, "r");
    if (note)
        object = json_loads(note, 0, &error);
    else if (file)
        object = json_loadf(file, 0, &error);
    else {
        wp_fail(wp_error_of_errno(), "%s: %s", path, strerror(errno));
        return NULL;
    }
    free(note);
    if (file)
        fclose(file);
    if (json_is_object(object))
        return object;
    wp_fail(WP_ERROR_FILE, "%s: not a state (%s)", path,
            object ? "not a JSON object" : error.text);
    json_decref(object);
    return NULL;
}

bool wp_view_state_read(const char *path, struct wp_view_state *state)
{
    json_t *object = load(path);
    if (!object)
        return false;
    struct wp_view_state next = *state;
    bool ok = true;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        if (ok && !json_is_string(value) && !json_is_boolean(value) && !json_is_number(value))
            ok = wp_fail(WP_ERROR_FILE, "%s: '%s' is not a text, number or Boolean", path, name);
        ok = ok && wp_view_state_set(&next, name,
                                     json_is_string(value) ? json_string_value(value) : text);
        free(text);
    }
    json_decref(object);
    if (ok)
        *state = next;
    return ok;
}

static json_t *make_object(const struct wp_view_state *state)
{
    json_t *object = json_object();
    for (int i = 0; i < FIELDS; i++) {
        const void *at = (const char *)state + fields[i].offset;
        struct wp_text text = {0};
        get(state, &fields[i], &text);
        json_t *value = fields[i].kind == KIND_BOOL     ? json_boolean(*(const bool *)at)
                        : fields[i].kind == KIND_INT    ? json_integer(*(const int *)at)
                        : fields[i].kind == KIND_NUMBER ? json_real(*(const double *)at)
                                                        : json_string(wp_text_get(&text));
        json_object_set_new(object, fields[i].name, value ? value : json_null());
        wp_text_free(&text);
    }
    return object;
}

bool wp_write_json(const char *path, json_t *value, int digits)
{
    struct wp_output *output = wp_output_open(path, true);
    if (output) {
        json_dumpf(value, wp_output_stream(output),
                   JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits));
        fputc('\n', wp_output_stream(output));
    }
    json_decref(value);
    return output && wp_output_commit(&output);
}

bool wp_view_state_write(const char *path, const struct wp_view_state *state)
{
    return wp_write_json(path, make_object(state), 9);
}

char *wp_view_state_note(const struct wp_view_state *state)
{
    json_t *object = make_object(state);
    char *note = json_dumps(object, JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    json_decref(object);
    return note;
}

static void band_name(const char *const *names, int level, enum wp_band band, char name[8])
{
    snprintf(name, 8, "%s%d", names[band], level % 100);
}

// The position of the word `name` in a list, or NULL.
static char *find_word(char *list, const char *name)
{
    const size_t length = strlen(name);
    for (char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return at;
    return NULL;
}

bool wp_view_is_zeroed(const struct wp_view_state *state, const char *const *names, int level,
                       enum wp_band band)
{
    char name[8], list[sizeof state->zeroed];
    band_name(names, level, band, name);
    memcpy(list, state->zeroed, sizeof list);
    return find_word(list, name) != NULL;
}

void wp_view_set_zeroed(struct wp_view_state *state, const char *const *names, int level,
                        enum wp_band band, bool zeroed)
{
    char name[8];
    band_name(names, level, band, name);
    char *at = find_word(state->zeroed, name);
    const size_t used = strlen(state->zeroed);
    if (zeroed && !at && used + strlen(name) + 2 <= sizeof state->zeroed) {
        snprintf(state->zeroed + used, sizeof state->zeroed - used, "%s%s", used ? " " : "", name);
    } else if (!zeroed && at) {
        const char *rest = at + strlen(name);
        rest += *rest == ' ';
        memmove(at, rest, strlen(rest) + 1);
        const size_t left = strlen(state->zeroed);
        if (left && state->zeroed[left - 1] == ' ')
            state->zeroed[left - 1] = '\0';
    }
}

static const char *const preference_names[] = {"left", "right", "fold_left", "fold_right"};
enum { PREFERENCES = sizeof preference_names / sizeof *preference_names };

// $XDG_STATE_HOME/wavepass/view.json; free() it. NULL if there is no such directory.
static char *preferences_path(void)
{
    return wp_user_path("XDG_STATE_HOME", "/.local/state", "view.json");
}

void wp_preferences_read(struct wp_view_state *state)
{
    char *path = preferences_path();
    wp_begin_attempt();
    if (path && access(path, F_OK) == 0)
        wp_view_state_read(path, state);
    wp_end_attempt();
    free(path);
}

// Appends the settings as JSON.
static void add_settings(const struct wp_view_state *state, struct wp_text *text)
{
    for (int i = 0; i < PREFERENCES; i++) {
        wp_text_add(text, "%s\"%s\": ", i ? ",\n" : "{\n", preference_names[i]);
        wp_view_state_get(state, preference_names[i], text);
    }
    wp_text_add(text, "\n}\n");
}

void wp_preferences_write(const struct wp_view_state *state)
{
    struct wp_view_state before;
    struct wp_text old = {0}, now = {0};
    wp_view_state_reset(&before);
    wp_preferences_read(&before);
    add_settings(&before, &old);
    add_settings(state, &now);
    if (strcmp(wp_text_get(&old), wp_text_get(&now)) != 0) {
        char *path = preferences_path();
        wp_begin_attempt();
        struct wp_output *output = path ? wp_cache_open(path) : NULL;
        if (output) {
            fputs(wp_text_get(&now), wp_output_stream(output));
            wp_output_commit(&output);
        }
        wp_end_attempt();
        free(path);
    }
    wp_text_free(&old);
    wp_text_free(&now);
}
