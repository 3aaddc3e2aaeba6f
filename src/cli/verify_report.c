#include "verify_parts.h"

#include "wavelet_growth.h"
#include "words.h"

#include <stdio.h>

bool wp_verify_is_volume(const struct wp_verify_job *j)
{
    return j->extent.size[WP_Z] > 1;
}

enum wp_bank wp_verify_bank(const struct wp_verify_job *j)
{
    return (enum wp_bank)j->options->bank;
}

bool wp_verify_has_bank(const struct wp_verify_job *j)
{
    return wp_verify_bank(j) != WP_BANK_DECIMATED;
}

// Formats "3.1e-06". The program does not set a locale.
static const char *format_error(char number[WP_NUMBER_SIZE], double error)
{
    snprintf(number, WP_NUMBER_SIZE, "%.1e", error);
    return number;
}

// Adds the position of an error: " at HL1 (17,0)", " at HLL1 (17,0,3)", " at HL1.H2 (17,0,3)".
// Products have none.
static void add_position(const struct wp_verify_job *j, struct wp_text *text,
                         const struct wp_verify_row *row)
{
    const struct wp_subband *band = &row->band;
    char name[WP_BAND_NAME_SIZE];
    if (row->check == WP_VERIFY_PRODUCTS)
        return;
    if (band->letters)
        wp_subband_name(band, name);
    wp_text_add(text, " at %s (%d,%d",
                band->letters            ? name
                : wp_verify_is_volume(j) ? "voxel"
                                         : "pixel",
                row->at[WP_X], row->at[WP_Y]);
    if (wp_verify_is_volume(j))
        wp_text_add(text, ",%d", row->at[WP_Z]);
    wp_text_add(text, ")");
}

// The name of the row's scheme. Reversible transforms have one scheme, also on schemeless backends.
static const char *scheme_name(const struct wp_verify_job *j, const struct wp_verify_row *row)
{
    if (row->kind)
        return row->kind->name;
    return j->options->transform.reversible ? wp_scheme_kinds[WP_SCHEME_SEP_LIFTING].name
                                            : "any scheme";
}

static bool is_temporal(const struct wp_verify_job *j)
{
    return j->decomposition == WP_DECOMPOSITION_SPATIAL_TEMPORAL;
}

static void add_failure(struct wp_verify_job *j, const struct wp_verify_row *row)
{
    char error[WP_NUMBER_SIZE], tolerance[WP_NUMBER_SIZE];
    wp_text_add(&j->failures, "FAIL %s %s %s: max|err| %s > %s", j->current->name,
                row->kind ? row->kind->alias : scheme_name(j, row), j->backend_name,
                format_error(error, row->error), format_error(tolerance, row->tolerance));
    add_position(j, &j->failures, row);
    wp_text_add(&j->failures, " (%s%s%s%s, %s%s)\n", wp_verify_check_names[row->check],
                row->kind ? ", " : "", row->kind ? wp_form_names[row->form] : "",
                is_temporal(j) ? ", t+2D" : "", wp_border_names[row->border],
                row->adjoint ? ", adjoint" : "");
}

static void add_json_row(struct wp_verify_job *j, const struct wp_verify_row *row)
{
    json_t *json = json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:s, s:s, s:s, s:o}", "backend", j->backend->name, "variant",
        wp_json_text(j->variant ? j->variant->name : NULL), "wavelet",
        j->current->name, "scheme", wp_json_text(row->kind ? row->kind->name : NULL), "form",
        wp_json_text(row->kind ? wp_form_names[row->form] : NULL), "border",
        wp_border_names[row->border], "check", wp_verify_check_names[row->check], "status",
        wp_verify_status_names[row->status], "reason", wp_json_text(row->reason));
    if (wp_verify_is_volume(j))
        json_object_set_new(json, "decomposition",
                            json_string(wp_decomposition_names[j->decomposition]));
    if (row->adjoint)
        json_object_set_new(json, "adjoint", json_true());
    if (row->status != WP_VERIFY_SKIPPED) {
        struct wp_text position = {0};
        add_position(j, &position, row);
        json_object_set_new(json, "max_error", wp_json_number(row->error));
        json_object_set_new(json, "tolerance", wp_json_number(row->tolerance));
        json_object_set_new(json, "place", wp_json_text(position.length
                                                               ? wp_text_get(&position) + 1
                                                               : NULL));
        wp_text_free(&position);
    }
    json_array_append_new(j->rows, json);
}

static bool is_schemeless(const struct wp_verify_job *j)
{
    const struct wp_description any = {.bank = wp_verify_bank(j),
                                       .size = {1, 1, j->extent.size[WP_Z]}};
    return wp_backend_is_schemeless(j->backend, &any);
}

// The number of forms; reversible transforms have one.
static int form_count(const struct wp_verify_job *j)
{
    const bool one = is_schemeless(j) || wp_verify_has_bank(j) || j->one_form ||
                     j->options->transform.reversible;
    return one ? 1 : WP_VERIFY_FORMS;
}

// The number of cells of a line.
static int cell_count(const struct wp_verify_job *j)
{
    return (j->one_border ? 1 : WP_BORDER_NATIVE) * form_count(j);
}

// Prints the line of a scheme, with the worst check of each cell.
static void print_line(const struct wp_verify_job *j, const struct wp_verify_row *row)
{
    char scheme[32], border[32];
    snprintf(scheme, sizeof scheme, "%s%s",
             row->kind && is_temporal(j) ? row->kind->alias : scheme_name(j, row),
             is_temporal(j) ? ", t+2D" : "");
    snprintf(border, sizeof border, "%s%s", wp_border_names[row->border],
             row->adjoint ? ", adjoint" : "");
    wp_progress_clear();
    printf("%-10s %-22s", j->current->name, scheme);
    if (j->one_border)
        printf("  %-27s", border);
    for (int c = 0; c < cell_count(j); c++) {
        char number[WP_NUMBER_SIZE] = "";
        if (j->worst[c].status != WP_VERIFY_SKIPPED)
            format_error(number, j->worst[c].error);
        printf("  %s %-9s", wp_verify_status_names[j->worst[c].status], number);
    }
    printf("\n");
}

void wp_verify_report_row(void *user, const struct wp_verify_row *row)
{
    struct wp_verify_job *j = user;
    j->count[row->status]++;
    wp_progress("%s: %s/%s", j->backend_name, j->current->name, scheme_name(j, row));
    if (row->status == WP_VERIFY_FAILED)
        add_failure(j, row);
    const int forms = form_count(j);
    const int cell =
        (j->one_border ? 0 : (int)row->border * forms) + (forms > 1 && row->form == WP_FORM_PLAIN);
    struct wp_verify_row *worst = &j->worst[cell];
    if (row->check == WP_VERIFY_FORWARD || wp_verify_excess(row) > wp_verify_excess(worst))
        *worst = *row;
    if (j->call->common.json)
        add_json_row(j, row);
    else if (cell == cell_count(j) - 1 && row->is_last)
        print_line(j, row);
}

static void add_levels(const struct wp_verify_job *j, struct wp_text *text,
                       const struct wp_verify_extent *extent)
{
    wp_text_add(text, ", %d levels", extent->levels);
    if (wp_verify_is_volume(j))
        wp_text_add(text, ", %d along z", extent->levels_z);
}

// Adds a description of sizes, levels and tolerances.
static void add_terms(const struct wp_verify_job *j, struct wp_text *text)
{
    const struct wp_verify_extent symmetric = wp_verify_extent(&j->extent, WP_BORDER_SYMMETRIC);
    const struct wp_verify_extent periodic = wp_verify_extent(&j->extent, WP_BORDER_PERIODIC);
    const bool half = j->options->precision == WP_PRECISION_F16;
    const double tolerance = WP_WAVELET_EXACT * (half ? WP_VERIFY_HALF : 1);
    char size[WP_SIZE_TEXT];
    wp_text_add(text, "%s %s", wp_verify_is_volume(j) ? "Volume" : "Image",
                wp_size_text(size, symmetric.size));
    add_levels(j, text, &symmetric);
    if (wp_bank_is_redundant(wp_verify_bank(j))) {
        wp_text_add(text, ". Bank %s, norm %s.\nTolerance %.1e per level and one more, times the "
                    "largest magnitude of all bands,\nfor samples of the image.\n",
                    wp_bank_names[wp_verify_bank(j)], wp_norm_names[j->options->norm],
                    WP_VERIFY_REDUNDANT);
        return;
    }
    wp_text_add(text, "; for periodic borders %s of it", wp_size_text(size, periodic.size));
    add_levels(j, text, &periodic);
    if (j->options->transform.reversible) {
        wp_text_add(text, ". Steps round\nto integers, which must be identical.\n");
        return;
    }
    if (wp_verify_has_bank(j))
        wp_text_add(text, ". Bank %s, norm %s.\nTolerance %.1e%s, times the largest magnitude of all "
                    "bands; more if\nrounding errors grow in the steps or levels of a wavelet.\n",
                    wp_bank_names[wp_verify_bank(j)], wp_norm_names[j->options->norm], tolerance,
                    half ? " (samples of 16 bits)" : "");
    else
        wp_text_add(
                text,
                ". Norm %s.\nTolerance %.1e%s, times the gain of the subband over norm\njpeg2000; "
                "more if rounding errors grow in the steps or levels of a wavelet.\n",
                wp_norm_names[j->options->norm], tolerance, half ? " (samples of 16 bits)" : "");
    if (wp_verify_is_volume(j))
        wp_text_add(text,
                    "%.1e for schemes of two lifting pairs or more (cdf97), whose passes process\n"
                    "all three axes before the next pair: these lose digits. %.1e for their plain "
                    "form.\nOne slice must equal the image transform exactly. t+2D is "
                    "spatial-temporal.\n",
                    WP_VERIFY_LOST * tolerance, WP_VERIFY_LOST_PLAIN * tolerance);
}

static void print_task(const struct wp_verify_job *j)
{
    struct wp_text terms = {0};
    add_terms(j, &terms);
    printf("Every scheme against plain separable lifting in double precision: coefficients,\n"
           "inverse and round trip. Each cell shows the largest of the three errors%s.\n%s\n",
           j->options->transform.reversible
               ? ""
               : ", for adjoints\nalso of the products <W x, y> and <x, W^T y>",
           wp_text_get(&terms));
    wp_text_free(&terms);
}

void wp_verify_report_backend(struct wp_verify_job *j, const struct wp_device_info *info,
                              const char *skipped)
{
    wp_progress_clear();
    if (!j->call->common.json && json_array_size(j->backends) == 0)
        print_task(j);
    json_t *json = json_pack("{s:s, s:o, s:o}", "name", j->backend->name, "variant",
                             wp_json_text(j->variant ? j->variant->name : NULL), "device",
                             wp_json_text(skipped ? NULL : info->name));
    if (skipped) {
        json_object_set_new(json, "reason", wp_json_text(skipped));
    } else {
        json_object_set_new(json, "software", json_boolean(info->software));
        json_object_set_new(json, "any_scheme", json_boolean(is_schemeless(j)));
    }
    json_array_append_new(j->backends, json);
    if (j->call->common.json)
        return;
    if (skipped)
        printf("%s: skip (%s)\n\n", j->backend_name, skipped);
    else
        printf("%s: %s%s\n", j->backend_name, info->name, info->software ? " (SOFTWARE)" : "");
}

void wp_verify_report_header(const struct wp_verify_job *j)
{
    if (j->call->common.json)
        return;
    wp_progress_clear();
    printf("\n%-10s %-22s", "wavelet", "scheme");
    if (j->one_border)
        printf("  %-27s", "border");
    for (int c = 0; c < cell_count(j); c++)
        printf("  %-14s", c % form_count(j) ? "plain"
                          : j->one_border   ? "error"
                                            : wp_border_names[c / form_count(j)]);
    printf("\n");
}

static void print_json(const struct wp_verify_job *j)
{
    const struct wp_verify_extent extent = wp_verify_extent(&j->extent, WP_BORDER_SYMMETRIC);
    json_t *result = json_pack(
        "{s:s, s:i, s:i, s:i, s:s, s:s, s:O, s:O, s:i, s:i, s:i}", "command", "verify", "width",
        j->image->width, "height", j->image->height, "levels", extent.levels, "norm",
        wp_norm_names[j->options->norm], "precision", wp_precision_names[j->options->precision],
        "backends", j->backends, "rows", j->rows, "passed", j->count[WP_VERIFY_PASSED], "failed",
        j->count[WP_VERIFY_FAILED], "skipped", j->count[WP_VERIFY_SKIPPED]);
    if (j->options->transform.reversible)
        json_object_set_new(result, "reversible", json_true());
    if (wp_verify_is_volume(j)) {
        json_object_set_new(result, "depth", json_integer(j->image->depth));
        json_object_set_new(result, "levels_z", json_integer(extent.levels_z));
    }
    wp_print_json(result);
}

void wp_verify_report_result(const struct wp_verify_job *j)
{
    wp_progress_clear();
    if (j->call->common.json) {
        print_json(j);
        return;
    }
    fputs(wp_text_get(&j->failures), stdout);
    for (int i = 0; i < j->wavelet_count; i++)
        if (j->wavelet[i].symmetry == WP_SYMMETRY_NONE)
            printf("skip %s with symmetric borders: the wavelet is not symmetric\n",
                   j->wavelet[i].name);
    for (int i = 0; i < j->wavelet_count; i++) {
        struct wp_text error = {0};
        wp_wavelet_write_error(&j->wavelet[i], &error);
        if (error.length)
            printf("%s: %s\n", j->wavelet[i].name, wp_text_get(&error));
        wp_text_free(&error);
    }
    printf("%d passed, %d failed, %d skipped\n", j->count[WP_VERIFY_PASSED],
           j->count[WP_VERIFY_FAILED], j->count[WP_VERIFY_SKIPPED]);
}
