#include "reconstruction.h"

#include "log.h"
#include "metrics.h"
#include "output.h"
#include "text.h"
#include "words.h"
#include "xmemory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wp_curve_add(struct wp_curve *curve, const struct wp_curve_point *point)
{
    if (curve->count == curve->capacity) {
        curve->capacity = curve->capacity ? 2 * curve->capacity : 64;
        curve->point = wp_xrealloc(curve->point, (size_t)curve->capacity, sizeof *curve->point);
    }
    curve->point[curve->count++] = *point;
}

void wp_curve_free(struct wp_curve *curve)
{
    free(curve->point);
    *curve = (struct wp_curve){0};
}

bool wp_volume_size_equals(const int a[3], const int b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

bool wp_volume_size_fail(const char *name, const int size[3], const int of_kspace[3])
{
    char a[WP_SIZE_TEXT], b[WP_SIZE_TEXT];
    return wp_fail(WP_ERROR_USAGE, "%s is %s, and the k-space %s", name,
                   wp_size_text(a, size), wp_size_text(b, of_kspace));
}

static int or_default(int requested, int default_)
{
    return requested > 0 ? requested : default_;
}

static double or_default_weight(double requested, double default_)
{
    return requested > 0 ? requested : default_;
}

bool wp_reconstruction_begin(struct wp_reconstruction *r,
                             const struct wp_reconstruction_options *options)
{
    *r = (struct wp_reconstruction){.options = *options, .peak = 1, .psnr = NAN, .ssim = NAN};
    struct wp_reconstruction_options *o = &r->options;
    struct wp_weights *w = &o->weights;
    if (w->tv == 0 && w->wav == 0) {
        w->tv = 1;
        w->wav = 0.1;
    }
    w->mu = or_default_weight(w->mu, 100);
    w->lambda = or_default_weight(w->lambda, 100);
    o->wavelet = o->wavelet ? o->wavelet : "haar";
    o->backend = o->backend ? o->backend : "cpu";
    o->levels = or_default(o->levels, 4);
    o->outer = or_default(o->outer, 16);
    o->inner = or_default(o->inner, 32);
    if (o->exact && o->spin)
        return wp_fail(WP_ERROR_USAGE, "the exact solution and cycle spinning exclude each other "
                                       "(random shifts have no single solution)");
    return !o->seed || o->spin || wp_fail(WP_ERROR_USAGE, "the seed is for cycle spinning");
}

static bool read_kspace(struct wp_reconstruction *r, const char *path)
{
    const struct wp_reconstruction_options *o = &r->options;
    r->kspace = wp_complex_read(path);
    if (!r->kspace)
        return false;
    if (o->centred)
        wp_complex_uncentre(r->kspace);
    r->mask = o->mask ? wp_mask_read(o->mask, r->kspace->size, o->centred) : wp_mask_of(r->kspace);
    if (!r->mask)
        return false;
    if (wp_mask_count(r->mask) == 0)
        return wp_fail(WP_ERROR_FILE, "%s: all samples are 0", path);
    if (wp_mask_count(r->mask) == wp_complex_samples(r->kspace))
        wp_log(WP_LOG_WARNING, "k-space is fully sampled: there is nothing to reconstruct");
    return true;
}

static bool read_maps(struct wp_reconstruction *r, const char *kspace)
{
    const char *path = r->options.maps;
    if (!path)
        return r->kspace->coils == 1 ||
               wp_fail(WP_ERROR_USAGE,
                       "%s has %d coils and requires their sensitivity maps", kspace,
                       r->kspace->coils);
    r->maps = wp_complex_read(path);
    if (!r->maps)
        return false;
    if (!wp_volume_size_equals(r->maps->size, r->kspace->size))
        return wp_volume_size_fail(path, r->maps->size, r->kspace->size);
    return r->maps->coils == r->kspace->coils ||
           wp_fail(WP_ERROR_USAGE, "%s has %d coil%s, and the k-space %d", path, r->maps->coils,
                   WP_PLURAL(r->maps->coils), r->kspace->coils);
}

static struct wp_image *create_like(const struct wp_complex_array *array)
{
    return wp_image_create_volume(array->size[0], array->size[1], array->size[2], 1, false);
}

static void compute_magnitude(const struct wp_complex_array *array, double scale,
                              struct wp_image *image)
{
    const float *value = (const float *)array->value;
    for (size_t i = 0; i < wp_complex_samples(array); i++) {
        const double re = (double)value[2 * i], im = (double)value[2 * i + 1];
        image->plane[0][i] = (float)(scale * sqrt(re * re + im * im));
    }
}

static struct wp_image *magnitude_of(const struct wp_complex_array *array)
{
    struct wp_image *image = create_like(array);
    if (image)
        compute_magnitude(array, 1, image);
    return image;
}

// Reads a real image, or the magnitude of a complex one.
static struct wp_image *read_truth(const char *path, const int size[3])
{
    wp_begin_attempt();
    struct wp_complex_array *complex_truth = wp_complex_read(path);
    wp_end_attempt();
    if (complex_truth) {
        struct wp_image *image = complex_truth->coils == 1 ? magnitude_of(complex_truth) : NULL;
        if (complex_truth->coils > 1)
            wp_fail(WP_ERROR_USAGE, "%s has %d coils and must be an image", path,
                    complex_truth->coils);
        wp_complex_destroy(&complex_truth);
        return image;
    }
    size_t nonfinite;
    const struct wp_read_params params = {.volume = size[2] > 1 ? WP_VOLUME_YES
                                                                : WP_VOLUME_EITHER};
    return wp_image_read_with(path, &params, &nonfinite);
}

static bool load_truth(struct wp_reconstruction *r)
{
    const char *path = r->options.truth;
    if (!path)
        return true;
    r->truth = read_truth(path, r->kspace->size);
    if (!r->truth)
        return false;
    wp_image_to_gray(r->truth);
    const int size[3] = {r->truth->width, r->truth->height, r->truth->depth};
    if (!wp_volume_size_equals(size, r->kspace->size))
        return wp_volume_size_fail(path, size, r->kspace->size);
    if (wp_image_colour_planes(r->truth) != 1)
        return wp_fail(WP_ERROR_USAGE, "%s has %d channels and must have one", path,
                       r->truth->planes);
    return true;
}

bool wp_reconstruction_read(struct wp_reconstruction *r, const char *kspace)
{
    return read_kspace(r, kspace) && read_maps(r, kspace) && load_truth(r);
}

// Determines the peak: weights are for images with a peak of about 1.
static bool find_peak(struct wp_reconstruction *r)
{
    const struct wp_reconstruct_model *model = wp_cartesian_model(r->model);
    float *image = (float *)r->image->value;
    if (!model->adjoint(model->user, (const float *)r->kspace->value, image))
        return false;
    compute_magnitude(r->image, 1, r->magnitude);
    double peak = 0;
    for (size_t i = 0; i < wp_image_samples(r->magnitude); i++)
        peak = fmax(peak, (double)r->magnitude->plane[0][i]);
    r->peak = r->options.peak > 0 ? r->options.peak : 1;
    if (r->options.peak == 0 && peak > 0 && (peak < 0.1 || peak > 10)) {
        char number[WP_NUMBER_SIZE];
        r->peak = peak;
        wp_log(WP_LOG_INFO, "weights are multiplied by %s, the largest value of the zero-filled "
                            "image",
               wp_format_number(number, peak, 3));
    }
    if (r->truth)
        r->truth->origin.peak = 1;
    for (size_t i = 0; r->truth && i < wp_image_samples(r->truth); i++)
        r->truth->plane[0][i] /= (float)r->peak;
    for (size_t i = 0; i < wp_image_samples(r->magnitude); i++)
        r->magnitude->plane[0][i] /= (float)r->peak;
    return true;
}

bool wp_reconstruction_prepare(struct wp_reconstruction *r)
{
    const struct wp_complex_array *k = r->kspace;
    r->image = wp_complex_create(k->size, 1);
    r->magnitude = r->image ? create_like(r->image) : NULL;
    if (!r->magnitude)
        return false;
    r->model = wp_cartesian_create(k->size, r->mask->sampled,
                                   r->maps ? (const float *)r->maps->value : NULL, k->coils,
                                   r->options.threads);
    return r->model && find_peak(r);
}

static struct wp_reconstruct_params make_params(const struct wp_reconstruction *r)
{
    const struct wp_reconstruction_options *o = &r->options;
    const struct wp_weights *w = &o->weights;
    return (struct wp_reconstruct_params)WP_RECONSTRUCT_PARAMS(
        .width = r->kspace->size[0], .height = r->kspace->size[1], .depth = r->kspace->size[2],
        .tv = r->peak * w->tv, .wav = r->peak * w->wav, .mu = w->mu, .lambda = w->lambda,
        .gamma = w->gamma > 0 ? w->gamma : 100 * w->wav, .wavelet = o->wavelet,
        .levels = o->levels, .outer = o->outer, .inner = o->inner, .sigma = o->sigma,
        .spin = o->spin, .seed = (unsigned long long)o->seed, .exact = o->exact,
        .threads = o->threads, .backend = o->backend);
}

bool wp_reconstruction_create(struct wp_reconstruction *r, int report)
{
    struct wp_reconstruct_params params = make_params(r);
    params.report = r->options.iterations ? 1 : report;
    struct wp_reconstruct *created = wp_reconstruct_create(&params, wp_cartesian_model(r->model),
                                                           (const float *)r->kspace->value);
    if (!created)
        return false;
    wp_reconstruct_destroy(&r->reconstruct);
    r->reconstruct = created;
    return true;
}

void wp_reconstruction_free(struct wp_reconstruction *r)
{
    wp_reconstruct_destroy(&r->reconstruct);
    wp_cartesian_destroy(&r->model);
    wp_complex_destroy(&r->kspace);
    wp_complex_destroy(&r->maps);
    wp_complex_destroy(&r->image);
    wp_mask_destroy(&r->mask);
    wp_image_destroy(&r->truth);
    wp_image_destroy(&r->magnitude);
    wp_curve_free(&r->curve);
}

int wp_reconstruction_most(const struct wp_reconstruction *r)
{
    const int all = wp_reconstruct_get_info(r->reconstruct)->most;
    const int requested = r->options.iterations;
    return requested > 0 && requested < all ? requested : all;
}

bool wp_reconstruction_is_finished(const struct wp_reconstruction *r)
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    return info->finished || info->iterations >= wp_reconstruction_most(r);
}

bool wp_reconstruction_fetch(struct wp_reconstruction *r)
{
    if (!wp_reconstruct_image(r->reconstruct, (float *)r->image->value))
        return false;
    compute_magnitude(r->image, 1 / r->peak, r->magnitude);
    return true;
}

bool wp_reconstruction_measure(struct wp_reconstruction *r, bool with_ssim)
{
    r->ssim = NAN;
    if (!r->truth)
        return true;
    if (!wp_reconstruction_fetch(r))
        return false;
    r->psnr = wp_metrics_psnr(r->magnitude, r->truth);
    struct wp_metrics metrics;
    if (with_ssim && !wp_metrics_compare(r->magnitude, r->truth, &metrics))
        return false;
    r->ssim = with_ssim ? metrics.value[WP_METRIC_SSIM] : NAN;
    return true;
}

bool wp_reconstruction_record(struct wp_reconstruction *r, bool with_ssim)
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    const bool ends_outer = info->iterations % r->options.inner == 0;
    const bool ok = wp_reconstruction_measure(r, with_ssim || ends_outer);
    wp_curve_add(&r->curve, &(struct wp_curve_point){info->iterations, info->residual,
                                                     info->seconds, r->psnr, r->ssim});
    return ok;
}

// Whether the file stores complex numbers.
static bool is_complex(const struct wp_reconstruction_output *o)
{
    return !o->magnitude && (wp_has_suffix(o->path, ".npy") || wp_has_suffix(o->path, ".cfl"));
}

static struct wp_write_params write_params(const struct wp_reconstruction_output *o)
{
    return (struct wp_write_params){.overwrite = o->overwrite, .content = WP_CONTENT_PICTURE};
}

bool wp_reconstruction_check_output(const struct wp_reconstruction_output *o, int depth)
{
    if (is_complex(o))
        return wp_output_check(o->path, o->overwrite);
    const struct wp_write_params params = write_params(o);
    return wp_image_write_check_volume(o->path, 1, wp_has_suffix(o->path, ".png") ? 1 : depth,
                                       &params);
}

static bool write_slice(const struct wp_reconstruction *r,
                        const struct wp_reconstruction_output *o,
                        const struct wp_write_params *params)
{
    const int depth = r->magnitude->depth;
    const int z = o->slice >= 0 ? o->slice : depth / 2;
    if (z >= depth)
        return wp_fail(WP_ERROR_USAGE, "slice %d is out of range (0 to %d)", z, depth - 1);
    const struct wp_image slice = wp_image_slice(r->magnitude, z);
    return wp_image_write(&slice, o->path, params);
}

// Adds a comment on the iterations to the file, if its format supports that.
static void set_note(const struct wp_reconstruction *r, struct wp_write_params *params,
                     char text[96])
{
    const struct wp_reconstruct_info *info = wp_reconstruct_get_info(r->reconstruct);
    snprintf(text, 96, "reconstruct, %s after %d of %d iterations",
             wp_reconstruction_is_finished(r) ? "ended" : "interrupted", info->iterations,
             info->most);
    params->key = "Comment";
    params->note = text;
}

bool wp_reconstruction_write(struct wp_reconstruction *r, const struct wp_reconstruction_output *o)
{
    if (is_complex(o))
        return wp_output_check(o->path, o->overwrite) && wp_complex_write(o->path, r->image);
    const bool png = wp_has_suffix(o->path, ".png");
    char note[96];
    struct wp_write_params params = write_params(o);
    compute_magnitude(r->image, png ? 1 / r->peak : 1, r->magnitude);
    if (o->geometry)
        r->magnitude->geometry = *o->geometry;
    set_note(r, &params, note);
    return png ? write_slice(r, o, &params) : wp_image_write(r->magnitude, o->path, &params);
}
