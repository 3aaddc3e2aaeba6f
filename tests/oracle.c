#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Taps of a wavelet as printed in the literature: numbers over a common divisor.
struct entry {
    const char *name;
    double zeta;
    double divisor_low, divisor_high;
    int low_first, low_count;
    int high_first, high_count; // count 0: orthogonal, g_k = 2 (-1)^k h_(-k)
    double low[17], high[7];
};

// Sources:
//   cdf53, bior: Cohen, Daubechies, Feauveau, "Biorthogonal bases of compactly supported
//       wavelets", 1992, the spline filters with N = 2
//   cdf97: ISO/IEC 15444-1 (JPEG 2000 part 1), analysis filters of the irreversible transform
//   dd97, dd137: Sweldens, "The lifting scheme: a custom-design construction of
//       biorthogonal wavelets", 1996, interpolating filters (4, 2) and (4, 4)
//   db: Daubechies, "Ten lectures on wavelets", 1992, here from the closed forms
//       (1+s, 3+s, 3-s, 1-s) / 8 with s = sqrt(3), and
//       (1+a+b, 5+a+3b, 10-2a+2b, 10-2a-2b, 5+a-3b, 1+a-b) / 32 with a = sqrt(10),
//       b = sqrt(5 + 2a)
static const struct entry table[] = {
    {
        .name = "haar", .zeta = 1, .divisor_low = 2, .divisor_high = 1,
        .low_first = 0, .low_count = 2, .low = {1, 1},
        .high_first = -1, .high_count = 2, .high = {-1, 1},
    },
    {
        .name = "cdf53", .zeta = 1, .divisor_low = 8, .divisor_high = 2,
        .low_first = -2, .low_count = 5, .low = {-1, 2, 6, 2, -1},
        .high_first = -1, .high_count = 3, .high = {-1, 2, -1},
    },
    {
        .name = "cdf97", .zeta = 1.230174104914001, .divisor_low = 1, .divisor_high = 1,
        .low_first = -4, .low_count = 9,
        .low = {0.02674875741080976, -0.01686411844287495, -0.07822326652898785,
                0.2668641184428723, 0.6029490182363579, 0.2668641184428723,
                -0.07822326652898785, -0.01686411844287495, 0.02674875741080976},
        .high_first = -3, .high_count = 7,
        .high = {0.09127176311424948, -0.05754352622849957, -0.5912717631142470,
                 1.115087052456994, -0.5912717631142470, -0.05754352622849957,
                 0.09127176311424948},
    },
    {
        .name = "dd137", .zeta = 1, .divisor_low = 512, .divisor_high = 16,
        .low_first = -6, .low_count = 13,
        .low = {-1, 0, 18, -16, -63, 144, 348, 144, -63, -16, 18, 0, -1},
        .high_first = -3, .high_count = 7, .high = {1, 0, -9, 16, -9, 0, 1},
    },
    {
        .name = "dd97", .zeta = 1, .divisor_low = 64, .divisor_high = 16,
        .low_first = -4, .low_count = 9, .low = {1, 0, -8, 16, 46, 16, -8, 0, 1},
        .high_first = -3, .high_count = 7, .high = {1, 0, -9, 16, -9, 0, 1},
    },
    {
        .name = "bior2.4", .zeta = 1, .divisor_low = 128, .divisor_high = 2,
        .low_first = -4, .low_count = 9, .low = {3, -6, -16, 38, 90, 38, -16, -6, 3},
        .high_first = -1, .high_count = 3, .high = {-1, 2, -1},
    },
    {
        .name = "bior2.6", .zeta = 1, .divisor_low = 1024, .divisor_high = 2,
        .low_first = -6, .low_count = 13,
        .low = {-5, 10, 34, -78, -123, 324, 700, 324, -123, -78, 34, 10, -5},
        .high_first = -1, .high_count = 3, .high = {-1, 2, -1},
    },
    {
        .name = "bior2.8", .zeta = 1, .divisor_low = 32768, .divisor_high = 2,
        .low_first = -8, .low_count = 17,
        .low = {35, -70, -300, 670, 1228, -3126, -3796, 10718, 22050,
                10718, -3796, -3126, 1228, 670, -300, -70, 35},
        .high_first = -1, .high_count = 3, .high = {-1, 2, -1},
    },
    {
        .name = "d4", .zeta = 2.7320508075688773, .divisor_low = 8, // zeta: 1 + sqrt(3)
        .low_first = 0, .low_count = 4,
        .low = {2.7320508075688773, 4.7320508075688773, 1.2679491924311227,
                -0.73205080756887729},
    },
    {
        .name = "d6", .zeta = 0.61761884831599020, .divisor_low = 32,
        .low_first = 0, .low_count = 6,
        .low = {7.5274753245466189, 18.257870653303098, 10.405840008419720, -3.0549506490932378,
                -1.9333153329663393, 0.79707999579013977},
    },
};

enum { ENTRIES = sizeof table / sizeof table[0] };

const char *const oracle_names[ENTRIES + 1] = {
    "haar", "cdf53", "cdf97", "dd137", "dd97", "bior2.4", "bior2.6", "bior2.8", "d4", "d6",
};

static double sign_of(int k)
{
    return k % 2 == 0 ? 1 : -1;
}

static int last_of(const struct oracle_filter *filter)
{
    return filter->first + filter->count - 1;
}

static double tap_at(const struct oracle_filter *filter, int k)
{
    const int i = k - filter->first;
    return i >= 0 && i < filter->count ? filter->tap[i] : 0;
}

// scale * (-1)^k f_(-k)
static struct oracle_filter alternate(const struct oracle_filter *filter, double scale)
{
    struct oracle_filter result = {.first = -last_of(filter), .count = filter->count};
    for (int i = 0; i < filter->count; i++) {
        const int k = result.first + i;
        result.tap[i] = scale * sign_of(k) * tap_at(filter, -k);
    }
    return result;
}

static bool fits(const struct oracle_filter *filter)
{
    return filter->count >= 1 && filter->first >= -ORACLE_REACH && filter->count <= ORACLE_MAX_TAPS
           && last_of(filter) <= ORACLE_REACH;
}

static bool is_even(const struct oracle_filter *filter)
{
    for (int k = 1; k <= ORACLE_REACH; k++) {
        if (fabs(tap_at(filter, k) - tap_at(filter, -k)) > 1e-12) {
            return false;
        }
    }
    return true;
}

static enum oracle_symmetry symmetry_of(const struct oracle_filter *low,
                                        const struct oracle_filter *high)
{
    if (is_even(low) && is_even(high)) {
        return ORACLE_WHOLE_SAMPLE;
    }
    const bool local = low->first >= 0 && last_of(low) <= 1 && high->first >= -1
                       && last_of(high) <= 0;
    return local ? ORACLE_LOCAL : ORACLE_ASYMMETRIC;
}

bool oracle_filters_from_taps(const struct oracle_filter *low, const struct oracle_filter *high,
                              double zeta, struct oracle_filters *filters)
{
    if (!fits(low) || !fits(high)) {
        return false;
    }
    // Coefficients of the determinant of the polyphase matrix.
    for (int m = -ORACLE_REACH; m <= ORACLE_REACH; m++) {
        double sum = 0;
        for (int k = low->first; k <= last_of(low); k++) {
            sum += sign_of(k) * tap_at(low, k) * tap_at(high, 2 * m - k);
        }
        if (fabs(sum - (m == 0 ? 1 : 0)) > 1e-9) {
            return false;
        }
    }
    *filters = (struct oracle_filters){
        .low = *low,
        .high = *high,
        .low_synthesis = alternate(high, 1),
        .high_synthesis = alternate(low, 1),
        .zeta = zeta,
        .symmetry = symmetry_of(low, high),
    };
    return true;
}

bool oracle_filters_find(const char *name, struct oracle_filters *filters)
{
    for (int i = 0; i < ENTRIES; i++) {
        const struct entry *entry = &table[i];
        if (strcmp(entry->name, name) != 0) {
            continue;
        }
        struct oracle_filter low = {.first = entry->low_first, .count = entry->low_count};
        for (int t = 0; t < low.count; t++) {
            low.tap[t] = entry->low[t] / entry->divisor_low;
        }
        struct oracle_filter high = {.first = entry->high_first, .count = entry->high_count};
        for (int t = 0; t < high.count; t++) {
            high.tap[t] = entry->high[t] / entry->divisor_high;
        }
        if (high.count == 0) {
            high = alternate(&low, 2);
        }
        return oracle_filters_from_taps(&low, &high, entry->zeta, filters);
    }
    return false;
}

// The signal for impulse responses, in pairs of samples with the impulse in the middle pair. Twice
// the maximum filter length, so that no filter is truncated.
enum { PAIRS = 4 * ORACLE_REACH, MIDDLE = PAIRS / 2 };

static void lift(double target[PAIRS], const double source[PAIRS],
                 const struct oracle_filter *step)
{
    for (int n = 0; n < PAIRS; n++) {
        for (int i = 0; i < step->count; i++) {
            const int from = n + step->first + i;
            if (from >= 0 && from < PAIRS) {
                target[n] += step->tap[i] * source[from];
            }
        }
    }
}

// Converts a response centered at index PAIRS to a filter, without the zeros at both ends.
static bool trim(const double response[2 * PAIRS], struct oracle_filter *filter)
{
    int begin = 0, end = 2 * PAIRS;
    while (begin < end && fabs(response[begin]) < 1e-12) {
        begin++;
    }
    while (end > begin && fabs(response[end - 1]) < 1e-12) {
        end--;
    }
    *filter = (struct oracle_filter){.first = begin - PAIRS, .count = end - begin};
    if (!fits(filter)) {
        return false;
    }
    memcpy(filter->tap, response + begin, (size_t)filter->count * sizeof response[0]);
    return true;
}

bool oracle_filters_from_lifting(int steps, const struct oracle_filter step[], double zeta,
                                 struct oracle_filters *filters)
{
    double low_response[2 * PAIRS] = {0}, high_response[2 * PAIRS] = {0};
    for (int odd = 0; odd < 2; odd++) {
        double channel[2][PAIRS] = {{0}};
        channel[odd][MIDDLE] = 1;
        for (int s = 0; s < steps; s++) {
            lift(channel[s % 2 == 0], channel[s % 2], &step[s]);
        }
        // The impulse is at sample 2 * MIDDLE + odd, which low[n] reads with index 2 * (MIDDLE - n)
        // + odd and high[n] with that index minus 1; PAIRS is 2 * MIDDLE.
        for (int n = 1; n < PAIRS; n++) {
            const int k = 2 * (MIDDLE - n) + odd;
            low_response[PAIRS + k] = channel[0][n] / zeta;
            high_response[PAIRS + k - 1] = channel[1][n] * zeta;
        }
    }
    struct oracle_filter low, high;
    return trim(low_response, &low) && trim(high_response, &high)
           && oracle_filters_from_taps(&low, &high, zeta, filters);
}

static int half_up(int n)
{
    return (n + 1) / 2;
}

bool oracle_defined(const struct oracle_filters *filters, enum oracle_border border, int levels,
                    int w, int h)
{
    if (w < 1 || h < 1 || levels < 0) {
        return false;
    }
    if (border == ORACLE_SYMMETRIC) {
        return filters->symmetry != ORACLE_ASYMMETRIC;
    }
    for (int l = 0; l < levels; l++) {
        if ((w > 1 && w % 2 != 0) || (h > 1 && h % 2 != 0)) {
            return false;
        }
        w = half_up(w);
        h = half_up(h);
    }
    return true;
}

void oracle_gains(const struct oracle_filters *filters, enum oracle_norm norm, int levels,
                  int w, int h, double *mallat)
{
    const double low_gains[] = {
        [ORACLE_NONE] = filters->zeta, [ORACLE_JPEG2000] = 1, [ORACLE_ORTHONORMAL] = sqrt(2)};
    const double gain[2] = {low_gains[norm], 1 / low_gains[norm]};
    for (int i = 0; i < w * h; i++) {
        mallat[i] = 1;
    }
    int level_w = w, level_h = h;
    for (int l = 0; l < levels; l++) {
        const int low_w = half_up(level_w), low_h = half_up(level_h);
        for (int y = 0; y < level_h; y++) {
            const double gain_y = level_h > 1 ? gain[y >= low_h] : 1;
            for (int x = 0; x < level_w; x++) {
                mallat[y * w + x] *= gain_y * (level_w > 1 ? gain[x >= low_w] : 1);
            }
        }
        level_w = low_w;
        level_h = low_h;
    }
}

// A line of n samples with a stride inside an image.
struct line {
    double *data;
    int n, stride;
};

struct context {
    const struct oracle_filters *filters;
    enum oracle_border border;
    int reach;    // samples that the filters read beyond either end of a line
    double *buffer; // the longest line, extended at both ends
};

static int wrap(int i, int period)
{
    const int rest = i % period;
    return rest < 0 ? rest + period : rest;
}

// Extends a signal of n > 1 samples at both ends. `beyond` is the value after an unpaired last
// sample for ORACLE_LOCAL wavelets.
static void extend(const struct context *context, int n, double *x, double beyond)
{
    const bool mirror = context->border == ORACLE_SYMMETRIC;
    const int period = mirror ? 2 * (n - 1) : n;
    for (int i = -context->reach; i < n + context->reach; i++) {
        if (i < 0 || i >= n) {
            const int j = wrap(i, period);
            x[i] = x[j < n ? j : period - j];
        }
    }
    if (mirror && context->filters->symmetry == ORACLE_LOCAL) {
        x[n] = beyond;
    }
}

static double correlate(const struct oracle_filter *filter, const double *x)
{
    double sum = 0;
    for (int i = 0; i < filter->count; i++) {
        sum += filter->tap[i] * x[filter->first + i];
    }
    return sum;
}

// Transforms a line of samples to low | high.
static void analyze(const struct context *context, struct line line)
{
    double *x = context->buffer + context->reach;
    const int n = line.n, low_n = half_up(n);
    for (int i = 0; i < n; i++) {
        x[i] = line.data[i * line.stride];
    }
    extend(context, n, x, x[n - 1]);
    for (int i = 0; i < low_n; i++) {
        line.data[i * line.stride] = correlate(&context->filters->low, x + 2 * i);
    }
    for (int i = 0; i < n - low_n; i++) {
        line.data[(low_n + i) * line.stride] =
            correlate(&context->filters->high, x + 2 * i + 1);
    }
}

// Convolution with the odd or even taps, which read every second sample of s.
static double convolve_half(const struct oracle_filter *filter, const double *s, bool odd_taps)
{
    double sum = 0;
    for (int i = (filter->first % 2 != 0) != odd_taps; i < filter->count; i += 2) {
        sum += filter->tap[i] * s[-(filter->first + i)];
    }
    return sum;
}

// Transforms low | high to a line of samples. The subbands are interleaved first, because
// whole-sample symmetric extension of x is the same for the interleaved signal.
static void synthesize(const struct context *context, struct line line)
{
    double *s = context->buffer + context->reach;
    const int n = line.n, low_n = half_up(n);
    for (int i = 0; i < n; i++) {
        const int from = i % 2 == 0 ? i / 2 : low_n + i / 2;
        s[i] = line.data[from * line.stride];
    }
    extend(context, n, s, 0);
    for (int i = 0; i < n; i++) {
        line.data[i * line.stride] =
            convolve_half(&context->filters->low_synthesis, s + i, i % 2 != 0)
            + convolve_half(&context->filters->high_synthesis, s + i, i % 2 == 0);
    }
}

static void filter_axes(const struct context *context, int level_w, int level_h, int w,
                        double *data, void (*apply)(const struct context *, struct line))
{
    for (int y = 0; y < level_h && level_w > 1; y++) {
        apply(context, (struct line){data + y * w, level_w, 1});
    }
    for (int x = 0; x < level_w && level_h > 1; x++) {
        apply(context, (struct line){data + x, level_h, w});
    }
}

static double *allocate(int count)
{
    double *numbers = malloc((size_t)count * sizeof *numbers);
    if (numbers == NULL) {
        fprintf(stderr, "oracle: out of memory\n");
        abort();
    }
    return numbers;
}

static struct context begin(const struct oracle_filters *filters, enum oracle_border border,
                            int w, int h)
{
    // The synthesis filters are mirrored analysis filters, so these determine both supports.
    int reach = 1;
    for (int i = 0; i < 2; i++) {
        const struct oracle_filter *filter = i == 0 ? &filters->low : &filters->high;
        reach = abs(filter->first) > reach ? abs(filter->first) : reach;
        reach = abs(last_of(filter)) > reach ? abs(last_of(filter)) : reach;
    }
    return (struct context){filters, border, reach, allocate((w > h ? w : h) + 2 * reach)};
}

bool oracle_forward(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, int levels, int w, int h,
                    const double *image, double *mallat)
{
    if (!oracle_defined(filters, border, levels, w, h)) {
        return false;
    }
    memmove(mallat, image, (size_t)w * (size_t)h * sizeof *mallat);
    const struct context context = begin(filters, border, w, h);
    int level_w = w, level_h = h;
    for (int l = 0; l < levels; l++) {
        filter_axes(&context, level_w, level_h, w, mallat, analyze);
        level_w = half_up(level_w);
        level_h = half_up(level_h);
    }
    free(context.buffer);

    double *gains = allocate(w * h);
    oracle_gains(filters, norm, levels, w, h, gains);
    for (int i = 0; i < w * h; i++) {
        mallat[i] *= gains[i];
    }
    free(gains);
    return true;
}

bool oracle_inverse(const struct oracle_filters *filters, enum oracle_border border,
                    enum oracle_norm norm, int levels, int w, int h,
                    const double *mallat, double *image)
{
    if (!oracle_defined(filters, border, levels, w, h)) {
        return false;
    }
    double *gains = allocate(w * h);
    oracle_gains(filters, norm, levels, w, h, gains);
    for (int i = 0; i < w * h; i++) {
        image[i] = mallat[i] / gains[i];
    }
    free(gains);

    const struct context context = begin(filters, border, w, h);
    for (int l = levels - 1; l >= 0; l--) {
        int level_w = w, level_h = h;
        for (int i = 0; i < l; i++) {
            level_w = half_up(level_w);
            level_h = half_up(level_h);
        }
        filter_axes(&context, level_w, level_h, w, image, synthesize);
    }
    free(context.buffer);
    return true;
}

void oracle_to_mixed(int w, int h, int levels, const double *mallat, double *mixed)
{
    int level_w = w, level_h = h, step = 1;
    for (int l = 1; l <= levels; l++) {
        const int low_w = half_up(level_w), low_h = half_up(level_h);
        // Writes the low quarter too, which the next level overwrites.
        for (int y = 0; y < level_h; y++) {
            const int to_y = y < low_h ? 2 * y : 2 * (y - low_h) + 1;
            for (int x = 0; x < level_w; x++) {
                const int to_x = x < low_w ? 2 * x : 2 * (x - low_w) + 1;
                mixed[to_y * step * w + to_x * step] = mallat[y * w + x];
            }
        }
        level_w = low_w;
        level_h = low_h;
        step *= 2;
    }
    if (levels == 0) {
        memcpy(mixed, mallat, (size_t)w * (size_t)h * sizeof *mixed);
    }
}
