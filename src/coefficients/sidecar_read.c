// Reads the metadata of a coefficient file.
#include "sidecar.h"

#include "elements.h"
#include "field_table.h"
#include "image.h"
#include "suggest.h"
#include "text.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_SIDE = 1 << 24 };

static bool get_int(const json_t *root, const char *path, const char *key, int least, int most,
                    int *value)
{
    const json_t *item = json_object_get(root, key);
    const json_int_t given = json_integer_value(item);
    if (!json_is_integer(item) || given < least || given > most)
        return wp_fail(WP_ERROR_FILE, "%s: \"%s\" is %s (a whole number from %d to %d)", path, key,
                       item ? "invalid" : "missing", least, most);
    *value = (int)given;
    return true;
}

static bool get_text(const json_t *root, const char *path, const char *key, const char **text)
{
    const json_t *item = json_object_get(root, key);
    *text = json_string_value(item);
    return *text ||
           wp_fail(WP_ERROR_FILE, "%s: \"%s\" is %s", path, key, item ? "not a text" : "missing");
}

// A missing member is false.
static bool get_flag(const json_t *root, const char *path, const char *key, bool *value)
{
    const json_t *item = json_object_get(root, key);
    *value = json_is_true(item);
    return !item || json_is_boolean(item) ||
           wp_fail(WP_ERROR_FILE, "%s: \"%s\" is invalid (true or false)", path, key);
}

// The index of a word, or -1 after an error.
static int get_word(const json_t *root, const char *path, const char *key,
                    const char *const names[], int count)
{
    const char *text;
    if (!get_text(root, path, key, &text))
        return -1;
    const int found = wp_name_index(text, names, count);
    if (found < 0)
        wp_fail(WP_ERROR_FILE, "%s: unknown %s '%s'", path, key, text);
    return found;
}

static bool get_fields(const json_t *root, const char *path, unsigned set, struct wp_sidecar *s)
{
    for (int f = 0; f < WP_FIELD_COUNT; f++) {
        const struct wp_field_row *row = &wp_fields[f];
        if (!(set >> f & 1) ||
            (WP_FIELD_SET_OPTIONAL >> f & 1 && !json_object_get(root, row->name)))
            continue;
        const int value = get_word(root, path, row->name, row->words, row->count);
        if (value < 0)
            return false;
        wp_field_set(&s->description, (enum wp_field)f, value);
    }
    return true;
}

static bool unpack_steps(const json_t *lines, const char *path, struct wp_wavelet *wavelet)
{
    struct wp_text name = {0}, text = {0};
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const char *line = json_string_value(json_array_get(lines, i));
        wp_text_add(&text, "%s\n", line ? line : "");
    }
    // Required lines, at the end, so that line numbers are right.
    wp_text_add(&text, "name lifting\nsource COEFFS.json\n");
    wp_text_add(&name, "%s: lifting", path);
    const bool ok = wp_wavelet_parse(wp_text_get(&name), wp_text_get(&text), wavelet);
    wp_text_free(&name);
    wp_text_free(&text);
    return ok;
}

static bool unpack_wavelet(const json_t *root, const char *path, struct wp_sidecar *s)
{
    const char *name;
    if (!get_text(root, path, "wavelet", &name))
        return false;
    if (!name[0] || strlen(name) >= sizeof s->wavelet_name)
        return wp_fail(WP_ERROR_FILE, "%s: \"wavelet\" is empty or too long", path);
    strcpy(s->wavelet_name, name);
    const json_t *lifting = json_object_get(root, "lifting");
    s->has_steps = lifting != NULL;
    return !lifting || unpack_steps(lifting, path, &s->wavelet);
}

// False if the member exists and is not `count` numbers.
static bool get_numbers(const json_t *root, const char *path, const char *key, size_t count,
                        double *number, bool *found)
{
    const json_t *array = json_object_get(root, key);
    *found = array != NULL;
    if (array && json_array_size(array) != count)
        return wp_fail(WP_ERROR_FILE, "%s: \"%s\" is invalid (%zu numbers)", path, key, count);
    for (size_t i = 0; array && i < count; i++) {
        const json_t *item = json_array_get(array, i);
        number[i] = json_number_value(item);
        if (!json_is_number(item))
            return wp_fail(WP_ERROR_FILE, "%s: \"%s\" is invalid (%zu numbers)", path, key, count);
    }
    return true;
}

static void to_floats(float *to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static bool unpack_nifti(const json_t *root, const char *path, struct wp_geometry *g)
{
    const json_t *nifti = json_object_get(root, "nifti");
    double number[12] = {0};
    bool found;
    if (!nifti)
        return true;
    if (!get_int(nifti, path, "qform_code", 0, 1 << 15, &g->qform_code) ||
        !get_int(nifti, path, "sform_code", 0, 1 << 15, &g->sform_code))
        return false;
    g->qfac = json_number_value(json_object_get(nifti, "qfac")) < 0 ? -1.0F : 1.0F;
    if (!get_numbers(nifti, path, "quaternion", 3, number, &found))
        return false;
    to_floats(g->quaternion, number, 3);
    if (!get_numbers(nifti, path, "offset", 3, number, &found))
        return false;
    to_floats(g->offset, number, 3);
    if (!get_numbers(nifti, path, "sform", 12, number, &found))
        return false;
    to_floats(g->sform[0], number, 12);
    return true;
}

static bool unpack_geometry(const json_t *root, const char *path, struct wp_geometry *g)
{
    double rate[2] = {0};
    if (!get_numbers(root, path, "voxel_size", 3, g->size, &g->has_size) ||
        !get_numbers(root, path, "frame_rate", 2, rate, &g->frames))
        return false;
    for (int i = 0; i < 2 && g->frames; i++) {
        if (!(rate[i] >= 1 && rate[i] <= 1e9))
            return wp_fail(WP_ERROR_FILE, "%s: \"frame_rate\" is invalid (two whole numbers)",
                           path);
        g->rate[i] = (int)rate[i];
    }
    return unpack_nifti(root, path, g);
}

// The number of levels is checked when a transform is created. That of packets is checked here,
// because their nodes are listed without a transform.
static bool unpack_volume(const json_t *root, const char *path, struct wp_sidecar *s)
{
    if (!get_int(root, path, "depth", 2, MAX_SIDE, &s->description.size[WP_Z]) ||
        !get_int(root, path, "levels_z", 0, WP_MAX_LEVELS, &s->description.levels_z) ||
        (json_object_get(root, "gop") && !get_int(root, path, "gop", 1, MAX_SIDE, &s->gop)))
        return false;
    if (!get_fields(root, path, WP_FIELD_SET_VOLUME, s))
        return false;
    if (s->description.levels == 0 && s->description.levels_z == 0)
        return wp_fail(WP_ERROR_FILE, "%s: no levels", path);
    const struct wp_description d = wp_sidecar_description(s);
    const int levels = wp_description_levels(&d);
    const int most = wp_packet_levels_limit(&d, wp_packet_axes(&d));
    if (d.bank == WP_BANK_PACKETS && levels > most)
        return wp_fail(WP_ERROR_FILE, "%s: %d levels of packets are impossible for %dx%dx%d, %s "
                       "(at most %d)", path, levels, d.size[WP_X], d.size[WP_Y], d.size[WP_Z],
                       wp_border_names[d.border], most);
    if (s->alpha)
        return wp_fail(WP_ERROR_FILE, "%s: a volume has no alpha", path);
    return unpack_geometry(root, path, &s->geometry);
}

// Its digits are checked when a transform is created.
static bool unpack_tree(const json_t *root, const char *path, struct wp_sidecar *s)
{
    const char *tree;
    if (!json_object_get(root, "tree"))
        return true;
    if (!get_text(root, path, "tree", &tree))
        return false;
    if (s->description.bank != WP_BANK_PACKETS || strlen(tree) >= sizeof s->tree)
        return wp_fail(WP_ERROR_FILE, "%s: \"tree\" is only for the bank %s, up to %d digits", path,
                       wp_bank_names[WP_BANK_PACKETS], (int)WP_PACKET_TREE_MOST);
    strcpy(s->tree, tree);
    return true;
}

// Schemes that autotuning selected are ignored: the inverse has its own fastest one.
static bool unpack_scheme(const json_t *root, const char *path, struct wp_sidecar *s)
{
    const char *name;
    if (!get_flag(root, path, "scheme_named", &s->scheme_named))
        return false;
    if (!s->scheme_named)
        return true;
    if (!get_text(root, path, "scheme", &name))
        return false;
    const struct wp_scheme_kind *kind = wp_scheme_kind_named(name);
    if (!kind || (s->description.size[WP_Z] == 1 && kind != wp_scheme_kind_of_slices(kind)))
        return wp_fail(WP_ERROR_FILE, "%s: unknown scheme '%s'", path, name);
    const int form = get_word(root, path, "form", wp_form_names, WP_FORM_COUNT);
    s->scheme = kind->name;
    s->form = form < 0 ? NULL : wp_form_names[form];
    return form >= 0;
}

static bool unpack_hash(const json_t *root, const char *path, const char *key, bool *found,
                        unsigned long long *hash)
{
    static const char kind[] = "xxh3:";
    enum { KIND = sizeof kind - 1, DIGITS = 16, BASE = 16 };
    const char *text;
    *found = json_object_get(root, key) != NULL;
    if (!*found)
        return true;
    if (!get_text(root, path, key, &text))
        return false;
    if (strncmp(text, kind, KIND) != 0 || strlen(text) != KIND + DIGITS ||
        strspn(text + KIND, "0123456789abcdef") != DIGITS)
        return wp_fail(WP_ERROR_FILE, "%s: \"%s\" is invalid (%s and %d digits)", path, key,
                       kind, DIGITS);
    *hash = strtoull(text + KIND, NULL, BASE);
    return true;
}

// Members that are missing get their defaults: 32 bits, a peak of 1, no kept axes.
static bool unpack_origin(const json_t *root, const char *path, struct wp_origin *origin)
{
    int peak = 1;
    *origin = (struct wp_origin){.bits = 32};
    if ((json_object_get(root, "source_bits") &&
         !get_int(root, path, "source_bits", 1, 64, &origin->bits)) ||
        (json_object_get(root, "peak") && !get_int(root, path, "peak", 1, 65535, &peak)))
        return false;
    origin->peak = (float)peak;
    const char *axes = json_string_value(json_object_get(root, "kept_axes"));
    origin->slice_axis = axes && strstr(axes, "slices");
    origin->plane_axis = axes && strstr(axes, "planes");
    return true;
}

// The size of an array's transform is that of its axes.
static bool check_array(const json_t *root, const char *path, const struct wp_sidecar *s)
{
    struct wp_transform_params size = {0};
    const json_t *depth = json_object_get(root, "depth");
    wp_array_shape_size(&s->array, &size);
    return (size.width == s->description.size[WP_X] && size.height == s->description.size[WP_Y] &&
            size.depth == (depth ? json_integer_value(depth) : 1) &&
            s->planes == 1 && !s->alpha && s->tile == 0) ||
           wp_fail(WP_ERROR_FILE, "%s: \"shape\" and \"axes\" contradict the size", path);
}

static bool unpack(const json_t *root, const char *path, struct wp_sidecar *s)
{
    int schema = 0;
    if (!json_is_object(root))
        return wp_fail(WP_ERROR_FILE, "%s: no JSON object", path);
    if (!get_int(root, path, "schema", 1, 1 << 30, &schema))
        return false;
    if (schema > WP_SIDECAR_SCHEMA_F64)
        return wp_fail(WP_ERROR_FILE,
                       "%s: schema %d is newer than this program's (%d)"
                       "\nhint: use the wavepass that wrote it, or a later one",
                       path, schema, WP_SIDECAR_SCHEMA_F64);
    if ((schema == WP_SIDECAR_SCHEMA_ARRAY || schema == WP_SIDECAR_SCHEMA_F64 ||
         (schema == WP_SIDECAR_SCHEMA_ADJOINT && json_object_get(root, "axes"))) &&
        !wp_array_shape_unpack(root, path, &s->array))
        return false;
    const char *type = json_string_value(json_object_get(root, "type"));
    s->wide = schema == WP_SIDECAR_SCHEMA_F64;
    if (s->wide && (!type || strcmp(type, wp_elements[WP_ELEMENT_F64].name) != 0))
        return wp_fail(WP_ERROR_FILE, "%s: \"type\" is not \"%s\"", path,
                       wp_elements[WP_ELEMENT_F64].name);
    if (!get_flag(root, path, "reversible", &s->description.reversible) ||
        !get_flag(root, path, "adjoint", &s->description.adjoint))
        return false;
    const int stored = !s->description.reversible ? WP_STORED_FLOAT
                                      : get_word(root, path, "stored", wp_stored_names,
                                                 WP_STORED_F16); // the types before it are integers
    if (stored < 0)
        return false;
    s->stored = (enum wp_stored)stored;
    if (!unpack_hash(root, path, "samples", &s->has_hash, &s->hash) ||
        !unpack_hash(root, path, "rows", &s->has_rows_hash, &s->rows_hash) ||
        (json_object_get(root, "tile") && !get_int(root, path, "tile", 16, MAX_SIDE, &s->tile)) ||
        !get_flag(root, path, "deflate", &s->deflate) || !unpack_wavelet(root, path, s))
        return false;
    if (!get_fields(root, path, WP_FIELD_SET_COEFFICIENTS, s) || !unpack_tree(root, path, s))
        return false;
    if (!get_int(root, path, "width", 1, MAX_SIDE, &s->description.size[WP_X]) ||
        !get_int(root, path, "height", 1, MAX_SIDE, &s->description.size[WP_Y]) ||
        !get_int(root, path, "planes", 1, WP_IMAGE_MAX_PLANES, &s->planes) ||
        !get_int(root, path, "levels", 0, WP_MAX_LEVELS, &s->description.levels) ||
        !get_flag(root, path, "alpha", &s->alpha))
        return false;
    if (!unpack_origin(root, path, &s->origin))
        return false;
    s->description.size[WP_Z] = 1;
    if (s->array.rank > 0 && !check_array(root, path, s))
        return false;
    if (s->description.border >= WP_BORDER_NATIVE && !s->has_steps)
        return wp_fail(WP_ERROR_FILE, "%s: border '%s' needs \"lifting\", for the sizes of the "
                       "subbands", path, wp_border_names[s->description.border]);
    if (schema == WP_SIDECAR_SCHEMA_VOLUME ||
        ((s->array.rank > 0 || schema == WP_SIDECAR_SCHEMA_ADJOINT) &&
         json_object_get(root, "depth")))
        return s->tile == 0 ? unpack_volume(root, path, s)
                         : wp_fail(WP_ERROR_FILE, "%s: a volume has no tiles", path);
    const struct wp_description d = wp_sidecar_description(s);
    const int most = wp_description_levels_most(&d, WP_X);
    if (s->description.levels > most)
        return wp_fail(WP_ERROR_FILE, "%s: %d levels are impossible for %dx%d, %s (at most %d)",
                       path, s->description.levels, s->description.size[WP_X],
                       s->description.size[WP_Y], wp_border_names[s->description.border], most);
    if (s->description.levels == 0 && most > 0)
        return wp_fail(WP_ERROR_FILE, "%s: no levels, but %dx%d, %s, has up to %d", path,
                       s->description.size[WP_X], s->description.size[WP_Y],
                       wp_border_names[s->description.border], most);
    if ((s->tile > 0 || s->has_rows_hash) && s->description.layout != WP_LAYOUT_MALLAT)
        return wp_fail(WP_ERROR_FILE, "%s: files in tiles have the layout mallat", path);
    if (s->alpha && s->planes % 2 != 0)
        return wp_fail(WP_ERROR_FILE, "%s: %d plane%s cannot have alpha", path, s->planes,
                       WP_PLURAL(s->planes));
    return true;
}

// Unpacks `root` and releases it; NULL: `error` is the reason.
static bool unpack_root(json_t *root, const json_error_t *error, const char *path,
                 struct wp_sidecar *sidecar)
{
    if (!root)
        return wp_fail(WP_ERROR_FILE, "%s: no valid JSON (line %d: %s)", path, error->line,
                       error->text);
    const bool ok = unpack(root, path, sidecar) && unpack_scheme(root, path, sidecar);
    json_decref(root);
    return ok;
}

bool wp_sidecar_parse(const char *path, const char *text, size_t length,
                      struct wp_sidecar *sidecar)
{
    json_error_t error;
    *sidecar = (struct wp_sidecar){0};
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    return unpack_root(root, &error, path, sidecar);
}

bool wp_sidecar_read(const char *path, struct wp_sidecar *sidecar, bool *found)
{
    *sidecar = (struct wp_sidecar){0};
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return wp_fail(WP_ERROR_FILE, "%s: not a regular file", path);
    FILE *stream = fopen(path, "rb");
    *found = stream || errno != ENOENT;
    if (!stream)
        return !*found ||
               wp_fail(wp_error_of_errno(), "cannot read %s (%s)", path, strerror(errno));
    json_error_t error;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    fclose(stream);
    return unpack_root(root, &error, path, sidecar);
}
