#include "measure.h"

#include "memory.h"
#include "view_shaders.h"

#include <math.h>
#include <stdlib.h>

// Each request has a square of SQUARE x SQUARE partial sums, computed by measure.frag in two
// passes. The first pass draws up to PARTS x PARTS fragments, to occupy the GPU; in small bands
// each fragment sums about SAMPLES x SAMPLES samples.
enum { SQUARE = 16, PARTS = 256, SAMPLES = 4,
       COLUMNS = 8, ROWS = (WP_MEASURES_MAX + COLUMNS - 1) / COLUMNS };

// Number of fragments along an axis, a multiple of SQUARE.
static int parts_of(int samples)
{
    const int parts = (samples / SAMPLES / SQUARE + 1) * SQUARE;
    return parts < PARTS ? parts : PARTS;
}

static void draw(struct wp_meter *meter, struct wp_program *program[2],
                 const struct wp_measure_request *r, int number, bool counting)
{
    const int x = number % COLUMNS * SQUARE, y = number / COLUMNS * SQUARE;
    const int width = parts_of(r->width), height = parts_of(r->height);
    const struct wp_quads other = r->b.texture ? r->b : r->a;
    struct wp_program *parts = program[0], *totals = program[1];
    wp_program_read(parts, "other", 1, other.texture);
    wp_program_set4(parts, "origin", (const int[]){r->a.x, r->a.y, other.x, other.y});
    wp_program_set2(parts, "size", r->width, r->height);
    wp_program_set(parts, "component", r->component);
    wp_program_set(parts, "difference", r->b.texture != NULL);
    wp_program_set2(parts, "other_size", r->to_b[WP_X].size, r->to_b[WP_Y].size);
    wp_program_set_floats(parts, "to_other", 4,
                          (const float[]){r->to_b[WP_X].scale, r->to_b[WP_Y].scale,
                                          r->to_b[WP_X].shift, r->to_b[WP_Y].shift});
    wp_program_set(parts, "counting", counting);
    wp_program_set2(parts, "stride", width, height);
    wp_program_draw(parts, r->a.texture, &meter->parts, 0, 0, width, height, WP_DRAW_ALL);
    wp_program_set(totals, "counting", counting);
    wp_program_set2(totals, "block", width / SQUARE, height / SQUARE);
    wp_program_set2(totals, "corner", x, y);
    wp_program_draw(totals, &meter->parts, &meter->totals, x, y, SQUARE, SQUARE, WP_DRAW_ALL);
}

// Returns the partial sums of the requests. The caller frees them.
static float *sum(struct wp_meter *meter, const struct wp_measure_request *request, int count,
                  bool counting)
{
    if (!meter->parts.id && !wp_texture_create(meter->gl, PARTS, PARTS, &meter->parts))
        return NULL;
    if (!meter->totals.id &&
        !wp_texture_create(meter->gl, COLUMNS * SQUARE, ROWS * SQUARE, &meter->totals))
        return NULL;
    struct wp_program *program[2];
    for (int i = 0; i < 2; i++)
        if (!(program[i] = wp_view_program(meter->gl, WP_SHADER_MEASURE, i)))
            return NULL;
    const int rows = (count + COLUMNS - 1) / COLUMNS * SQUARE;
    float *texels = wp_allocate((size_t)(rows * COLUMNS * SQUARE), 4 * sizeof *texels, "sums");
    for (int i = 0; i < count && texels; i++)
        draw(meter, program, &request[i], i, counting);
    if (texels)
        wp_texture_read(&meter->totals, 0, 0, COLUMNS * SQUARE, rows, texels);
    return texels;
}

// Partial sum i of a request.
static const float *texel(const float *texels, int number, int i)
{
    const int x = number % COLUMNS * SQUARE + i % SQUARE;
    const int y = number / COLUMNS * SQUARE + i / SQUARE;
    return texels + 4 * ((size_t)y * COLUMNS * SQUARE + (size_t)x);
}

int wp_sample_map(const struct wp_sample_map *map, int x)
{
    const int at = (int)floorf((float)x * map->scale + map->shift);
    return at < 0 ? 0 : at < map->size ? at : map->size - 1;
}

void wp_measure_add(struct wp_measure *sum, struct wp_measure more)
{
    if (more.samples == 0)
        return;
    sum->least = sum->samples > 0 ? fmin(sum->least, more.least) : more.least;
    sum->most = sum->samples > 0 ? fmax(sum->most, more.most) : more.most;
    sum->total += more.total;
    sum->squares += more.squares;
    sum->samples += more.samples;
    sum->nonzero += more.nonzero;
}

static double mean_of(const struct wp_measure *m, double sum)
{
    return m->samples > 0 ? sum / (double)m->samples : 0;
}

double wp_measure_mean(const struct wp_measure *m)
{
    return mean_of(m, m->total);
}

double wp_measure_deviation(const struct wp_measure *m)
{
    const double mean = wp_measure_mean(m), variance = mean_of(m, m->squares) - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

static struct wp_measure finish(const float *texels, int number,
                                const struct wp_measure_request *request)
{
    struct wp_measure m = {.least = INFINITY, .most = -INFINITY,
                           .samples = (long long)request->width * request->height};
    if (m.samples == 0)
        return (struct wp_measure){0};
    for (int i = 0; i < SQUARE * SQUARE; i++) {
        const float *t = texel(texels, number, i);
        m.least = t[0] < m.least ? (double)t[0] : m.least;
        m.most = t[1] > m.most ? (double)t[1] : m.most;
        m.total += (double)t[2];
        m.squares += (double)t[3];
    }
    return m;
}

bool wp_meter_read(struct wp_meter *meter, const struct wp_measure_request *request, int count,
                   struct wp_measure *measure)
{
    float *texels = sum(meter, request, count, false);
    for (int i = 0; i < count && texels; i++)
        measure[i] = finish(texels, i, &request[i]);
    free(texels);
    return texels != NULL;
}

long long wp_meter_count_nonzero(struct wp_meter *meter,
                                 const struct wp_measure_request *request, int count)
{
    float *texels = sum(meter, request, count, true);
    if (!texels)
        return -1;
    long long nonzero = 0;
    for (int i = 0; i < count; i++)
        for (int t = 0; t < SQUARE * SQUARE; t++)
            nonzero += (long long)texel(texels, i, t)[0];
    free(texels);
    return nonzero;
}

double wp_measure_largest(const struct wp_measure *measure)
{
    return fmax(fabs(measure->least), fabs(measure->most));
}

double wp_measure_spread(const struct wp_measure *measure, bool single)
{
    static const double SPREAD = 4;
    return fmax(single ? wp_measure_largest(measure) : SPREAD * wp_measure_deviation(measure),
                WP_RANGE_LEAST);
}

double wp_measure_psnr(const struct wp_measure *difference, float peak)
{
    return 10 * log10((double)peak * (double)peak / mean_of(difference, difference->squares));
}

static void count_value(struct wp_histogram *histogram, float value)
{
    const float width = histogram->high - histogram->low;
    const float at = (value - histogram->low) / width * WP_HISTOGRAM_BINS;
    // NaN counts in the first bin.
    const int bin = at >= WP_HISTOGRAM_BINS ? WP_HISTOGRAM_BINS - 1 : at >= 0 ? (int)at : 0;
    histogram->most = ++histogram->bin[bin] > histogram->most ? histogram->bin[bin]
                                                              : histogram->most;
}

bool wp_meter_histogram(const struct wp_measure_request *r, float low, float high,
                        int step, struct wp_histogram *histogram)
{
    *histogram = (struct wp_histogram){.low = low, .high = high > low ? high : low + 1};
    const bool all = r->component == 4;
    const int width = all ? (r->width + 1) / 2 : r->width;
    const int height = all ? (r->height + 1) / 2 : r->height;
    float *row = wp_allocate((size_t)width, 4 * sizeof *row, "a row of quads");
    for (int y = 0; y < height && row; y += step) {
        wp_texture_read(r->a.texture, r->a.x, r->a.y + y, width, 1, row);
        for (int x = 0; x < width; x++) {
            for (int c = all ? 0 : r->component; c <= (all ? 3 : r->component); c++) {
                const bool inside = !all || (2 * x + c % 2 < r->width && 2 * y + c / 2 < r->height);
                if (inside)
                    count_value(histogram, row[4 * x + c]);
            }
        }
    }
    free(row);
    return row != NULL;
}
