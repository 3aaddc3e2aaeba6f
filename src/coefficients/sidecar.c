#include "sidecar.h"

#include "elements.h"
#include "field_table.h"
#include "image.h"
#include "json_value.h"
#include "text.h"
#include "wavepass.h"
#include "xmemory.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { EXACT_DIGITS = 17 }; // identify each double

const char *const wp_naming_names[WP_NAMING_COUNT] = {"wavepass", "pywt"};

bool wp_sidecar_is_inside(const char *coefficients)
{
    static const char suffix[] = ".npz";
    const size_t length = strlen(coefficients), suffix_length = sizeof suffix - 1;
    return length >= suffix_length &&
           strcasecmp(coefficients + length - suffix_length, suffix) == 0;
}

char *wp_sidecar_path(const char *coefficients)
{
    if (strcmp(coefficients, "-") == 0 || wp_sidecar_is_inside(coefficients))
        return NULL;
    const size_t size = strlen(coefficients) + sizeof ".json";
    char *path = wp_xcalloc(size, 1);
    snprintf(path, size, "%s.json", coefficients);
    return path;
}

bool wp_sidecar_mismatch(const char *coefficients)
{
    return wp_fail(WP_ERROR_FILE,
                   wp_sidecar_is_inside(coefficients)
                       ? "the metadata in %s describes other coefficients of the same size"
                       : "%s.json describes other coefficients of the same size",
                   coefficients);
}

static void add_line(json_t *lines, const char *step, const struct wp_filter *filter)
{
    if (filter->count == 0)
        return;
    struct wp_text line = {0};
    char number[WP_NUMBER_SIZE];
    wp_text_add(&line, "%s", step);
    for (int i = 0; i < filter->count; i++)
        wp_text_add(&line, " %d %s", filter->tap[i].k,
                    wp_format_number(number, filter->tap[i].c, EXACT_DIGITS));
    json_array_append_new(lines, json_string(wp_text_get(&line)));
    wp_text_free(&line);
}

// The lines of a wavelet file (docs/wavelet-files.md).
static json_t *pack_steps(const struct wp_wavelet *wavelet)
{
    json_t *lines = json_array();
    for (int i = 0; i < 2 * wavelet->pairs; i++)
        add_line(lines, i % 2 ? "update" : "predict", wp_wavelet_step(wavelet, i));
    char number[WP_NUMBER_SIZE];
    json_array_append_new(lines, json_sprintf("zeta %s", wp_format_number(number, wavelet->zeta,
                                                                          EXACT_DIGITS)));
    return lines;
}

struct wp_sidecar wp_sidecar_of(const struct wp_description *d, const char *given,
                                const char *backend, const char *variant)
{
    struct wp_sidecar s = {
        .wavelet = *d->wavelet,
        .description = *d,
        .gop = wp_description_depth(d),
        .scheme = d->kind->name,
        .form = wp_form_names[d->form],
        .backend = backend,
        .variant = variant,
        .precision = wp_precision_names[d->precision],
    };
    s.description.wavelet = NULL;
    s.description.kind = NULL;
    s.description.tree = NULL;
    snprintf(s.tree, sizeof s.tree, "%s", d->tree ? d->tree : "");
    s.description.planes = 0;
    s.description.size[WP_Z] = wp_description_depth(d);
    snprintf(s.wavelet_name, sizeof s.wavelet_name, "%s",
             given && !wp_wavelet_is_known(given) ? given : s.wavelet.name);
    return s;
}

struct wp_description wp_sidecar_description(const struct wp_sidecar *s)
{
    struct wp_description d = s->description;
    d.wavelet = &s->wavelet;
    d.tree = s->tree[0] ? s->tree : NULL;
    return d;
}

struct wp_image wp_sidecar_shape(const struct wp_sidecar *s)
{
    return (struct wp_image){.width = s->description.size[WP_X],
                             .height = s->description.size[WP_Y],
                             .depth = s->description.size[WP_Z],
                             .planes = s->planes,
                             .alpha = s->alpha,
                             .origin = s->origin};
}

// A path in the metadata is only informative: files that it names are not opened.
static bool is_here(const struct wp_sidecar *s)
{
    return wp_wavelet_is_known(s->wavelet_name);
}

bool wp_sidecar_lost_wavelet(const struct wp_sidecar *s, struct wp_wavelet_steps *lost)
{
    const char *slash = strrchr(s->wavelet_name, '/');
    if (!s->has_steps || is_here(s))
        return false;
    wp_wavelet_list_steps(&s->wavelet, slash ? slash + 1 : s->wavelet_name, lost);
    return true;
}

bool wp_sidecar_find_wavelet(const struct wp_sidecar *s, const char *path,
                             struct wp_wavelet *wavelet)
{
    if (!is_here(s))
        return wp_fail(WP_ERROR_FILE, "%s: wavelet '%s' is not known here", path, s->wavelet_name);
    if (!wp_wavelet_find(s->wavelet_name, wavelet))
        return false;
    return !s->has_steps || wp_wavelet_same_steps(wavelet, &s->wavelet) ||
           wp_fail(WP_ERROR_FILE,
                   "%s: the lifting steps differ from those of the wavelet '%s' here",
                   path, s->wavelet_name);
}

bool wp_sidecar_check_image(const struct wp_sidecar *s, const char *coefficients)
{
    struct wp_text array = {0};
    if (s->array.rank == 0)
        return true;
    wp_array_shape_add(&s->array, &array);
    wp_fail(WP_ERROR_FILE, "%s: coefficients of %s, not of an image or volume"
                           "\nhint: 'inverse' and 'info' read them", coefficients,
            wp_text_get(&array));
    wp_text_free(&array);
    return false;
}

static json_t *pack_numbers(const float *number, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_real((double)number[i]));
    return array;
}

void wp_sidecar_add_fields(json_t *object, const struct wp_description *d, unsigned set)
{
    for (int f = 0; f < WP_FIELD_COUNT; f++)
        if (set >> f & 1 &&
            !(WP_FIELD_SET_OPTIONAL >> f & 1 && wp_field_get(d, (enum wp_field)f) == 0))
            json_object_set_new(object, wp_fields[f].name,
                                json_string(wp_field_word(d, (enum wp_field)f)));
}

// Members of volumes. Readers that only support images reject the schema.
static void add_volume(json_t *root, const struct wp_sidecar *s)
{
    const struct wp_geometry *g = &s->geometry;
    json_object_set_new(root, "schema", json_integer(WP_SIDECAR_SCHEMA_VOLUME));
    json_object_set_new(root, "depth", json_integer(s->description.size[WP_Z]));
    json_object_set_new(root, "levels_z", json_integer(s->description.levels_z));
    wp_sidecar_add_fields(root, &s->description, WP_FIELD_SET_VOLUME);
    if (s->gop)
        json_object_set_new(root, "gop", json_integer(s->gop));
    if (g->frames && g->rate[1] > 0)
        json_object_set_new(root, "frame_rate", json_pack("[i, i]", g->rate[0], g->rate[1]));
    if (g->has_size)
        json_object_set_new(root, "voxel_size",
                            json_pack("[f, f, f]", g->size[0], g->size[1], g->size[2]));
    if (g->qform_code || g->sform_code)
        json_object_set_new(
            root, "nifti",
            json_pack("{s:i, s:i, s:f, s:o, s:o, s:o}", "qform_code", g->qform_code, "sform_code",
                      g->sform_code, "qfac", (double)g->qfac, "quaternion",
                      pack_numbers(g->quaternion, 3), "offset", pack_numbers(g->offset, 3),
                      "sform", pack_numbers(g->sform[0], 12)));
}

// How integers of the image file were converted to samples, and the data that writers of the
// inverse need.
static void add_origin(json_t *root, const struct wp_origin *origin)
{
    json_object_set_new(root, "values", json_string(wp_values_names[origin->bits <= 16
                                                                        ? WP_VALUES_UNIT
                                                                        : WP_VALUES_RAW]));
    if (origin->peak > 1)
        json_object_set_new(root, "peak", json_integer((json_int_t)origin->peak));
    if (origin->slice_axis || origin->plane_axis)
        json_object_set_new(root, "kept_axes", json_string(origin->slice_axis && origin->plane_axis
                                                               ? "slices, planes"
                                                           : origin->slice_axis ? "slices"
                                                                                : "planes"));
}

static json_t *pack(const struct wp_sidecar *s)
{
    json_t *root = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "schema", WP_SIDECAR_SCHEMA,                                                   //
        "created_by", "wavepass " WAVEPASS_VERSION,                                    //
        "wavelet", wp_json_text(s->wavelet_name),                                      //
        "lifting", pack_steps(&s->wavelet),                                            //
        "scheme", wp_json_text(s->scheme),                                             //
        "form", wp_json_text(s->form),                                                 //
        "backend", wp_json_text(s->backend),                                           //
        "variant", wp_json_text(s->variant),                                           //
        "precision", wp_json_text(s->precision));
    const struct wp_description *d = &s->description;
    wp_sidecar_add_fields(root, d, WP_FIELD_SET_COEFFICIENTS);
    json_object_update_new(
        root, json_pack("{s:i, s:i, s:i, s:i, s:b, s:i}",
                        "levels", d->levels,       //
                        "width", d->size[WP_X],    //
                        "height", d->size[WP_Y],   //
                        "planes", s->planes,       //
                        "alpha", s->alpha,         //
                        "source_bits", s->origin.bits));
    if (s->tree[0])
        json_object_set_new(root, "tree", json_string(s->tree));
    if (s->scheme_named)
        json_object_set_new(root, "scheme_named", json_true());
    add_origin(root, &s->origin);
    // Readers that do not support integer lifting reject the schema.
    if (s->description.reversible) {
        json_object_set_new(root, "schema", json_integer(WP_SIDECAR_SCHEMA_REVERSIBLE));
        json_object_set_new(root, "reversible", json_true());
        json_object_set_new(root, "stored", json_string(wp_stored_names[s->stored]));
    }
    if (s->has_hash)
        json_object_set_new(root, "samples", json_sprintf("xxh3:%016llx", s->hash));
    if (s->has_rows_hash)
        json_object_set_new(root, "rows", json_sprintf("xxh3:%016llx", s->rows_hash));
    if (s->tile > 0) {
        json_object_set_new(root, "tile", json_integer(s->tile));
        json_object_set_new(root, "deflate", json_boolean(s->deflate));
    }
    if (s->description.size[WP_Z] > 1)
        add_volume(root, s);
    // Readers that only support images and volumes reject the schema.
    if (s->array.rank > 0) {
        json_object_set_new(root, "schema", json_integer(WP_SIDECAR_SCHEMA_ARRAY));
        wp_array_shape_pack(&s->array, root);
    }
    if (s->description.adjoint) {
        json_object_set_new(root, "schema", json_integer(WP_SIDECAR_SCHEMA_ADJOINT));
        json_object_set_new(root, "adjoint", json_true());
    }
    if (s->wide) {
        json_object_set_new(root, "schema", json_integer(WP_SIDECAR_SCHEMA_F64));
        json_object_set_new(root, "type", json_string(wp_elements[WP_ELEMENT_F64].name));
    }
    return root;
}

char *wp_sidecar_text(const struct wp_sidecar *s)
{
    json_t *root = pack(s);
    char *text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    return text;
}

bool wp_sidecar_write(const struct wp_sidecar *s, const char *path, struct wp_output *output)
{
    json_t *root = pack(s);
    FILE *stream = wp_output_stream(output);
    errno = 0;
    const bool ok = root && json_dumpf(root, stream, JSON_INDENT(2)) == 0 &&
                    fputc('\n', stream) != EOF && fflush(stream) == 0;
    json_decref(root);
    return ok || wp_fail(wp_error_of_errno(), "cannot write %s (%s)", path,
                         errno ? strerror(errno) : "write error");
}
