#include "lifting.h"

#include "log.h"
#include "min_max.h"

#include <math.h>
#include <string.h>

const char *const wp_direction_names[WP_DIRECTION_COUNT] = {
    [WP_FORWARD] = "forward",
    [WP_INVERSE] = "inverse",
};

const char *const wp_norm_names[WP_NORM_COUNT] = {
    [WP_NORM_JPEG2000] = "jpeg2000",
    [WP_NORM_ORTHONORMAL] = "orthonormal",
    [WP_NORM_NONE] = "none",
    [WP_NORM_PYWT] = "pywt",
};

const char *const wp_border_names[WP_BORDER_COUNT] = {
    [WP_BORDER_SYMMETRIC] = "symmetric",
    [WP_BORDER_PERIODIC] = "periodic",
    [WP_BORDER_PYWT_ZERO] = "pywt-zero",
    [WP_BORDER_PYWT_CONSTANT] = "pywt-constant",
    [WP_BORDER_PYWT_SYMMETRIC] = "pywt-symmetric",
    [WP_BORDER_PYWT_REFLECT] = "pywt-reflect",
    [WP_BORDER_PYWT_PERIODIC] = "pywt-periodic",
    [WP_BORDER_PYWT_SMOOTH] = "pywt-smooth",
    [WP_BORDER_PYWT_ANTISYMMETRIC] = "pywt-antisymmetric",
    [WP_BORDER_PYWT_ANTIREFLECT] = "pywt-antireflect",
    [WP_BORDER_PYWT_PERIODIZATION] = "pywt-periodization",
};

int wp_extend(enum wp_extension extension, int i, int n)
{
    if (i >= 0 && i < n)
        return i;
    switch (extension) {
    case WP_EXTEND_MIRROR: {
        const int period = n > 1 ? 2 * (n - 1) : 1;
        i = (i % period + period) % period;
        return i < n ? i : period - i;
    }
    case WP_EXTEND_WRAP: return (i % n + n) % n;
    case WP_EXTEND_CLAMP: return i < 0 ? 0 : n - 1;
    case WP_EXTEND_ZERO: break;
    }
    return -1;
}

static enum wp_extension extension_of(const struct wp_wavelet *wavelet,
                                      enum wp_direction direction, enum wp_border border)
{
    if (border != WP_BORDER_SYMMETRIC)
        return WP_EXTEND_WRAP;
    if (wavelet->symmetry == WP_SYMMETRY_WHOLE)
        return WP_EXTEND_MIRROR;
    return direction == WP_FORWARD ? WP_EXTEND_CLAMP : WP_EXTEND_ZERO;
}

static void add_step(struct wp_lifting *lifting, const struct wp_filter *filter, bool odd,
                     double sign)
{
    struct wp_lifting_step *step = &lifting->step[lifting->steps++];
    *step = (struct wp_lifting_step){.odd = odd, .filter = *filter};
    for (int t = 0; t < filter->count; t++)
        step->filter.tap[t].c *= sign;
    if (filter->count > 0) {
        step->low = filter->tap[0].k;
        step->high = filter->tap[filter->count - 1].k;
    }
}

// Adds predict and update of each pair; the inverse undoes them in reverse order.
static void add_steps(struct wp_lifting *lifting, const struct wp_wavelet *wavelet)
{
    for (int p = 0; p < wavelet->pairs; p++) {
        const bool forward = lifting->direction == WP_FORWARD;
        const struct wp_pair *pair = &wavelet->pair[forward ? p : wavelet->pairs - 1 - p];
        const double sign = forward ? 1 : -1;
        add_step(lifting, forward ? &pair->predict : &pair->update, forward, sign);
        add_step(lifting, forward ? &pair->update : &pair->predict, !forward, sign);
    }
}

// Derives the ranges where results are needed, and the range that is read, from the later steps.
static void set_extents(struct wp_lifting *lifting)
{
    int before[2] = {0, 0}, after[2] = {0, 0}; // of even and odd samples
    for (int s = lifting->steps - 1; s >= 0; s--) {
        struct wp_lifting_step *step = &lifting->step[s];
        step->before = before[step->odd];
        step->after = after[step->odd];
        before[!step->odd] = wp_max(before[!step->odd], step->before - step->low);
        after[!step->odd] = wp_max(after[!step->odd], step->after + step->high);
    }
    lifting->before = wp_max(before[0], before[1]);
    lifting->after = wp_max(after[0], after[1]);
}

// A step can run at n once the previous step has computed all values that it reads, and no longer
// needs the values that it overwrites.
static void set_lags(struct wp_lifting *lifting)
{
    int lag = 0, low_before = 0;
    for (int s = 0; s < lifting->steps; s++) {
        struct wp_lifting_step *step = &lifting->step[s];
        lag += wp_max(0, wp_max(step->high, -low_before));
        low_before = step->low;
        step->lag = lag;
    }
}

// PyWavelets' high-pass filters are g[k] = -(-1)^k h[F-1-k], so that the determinant of the
// polyphase matrix is -1 if F/2 is odd. That of lifting steps is 1.
double wp_norm_high_sign(const struct wp_wavelet *wavelet, enum wp_norm norm)
{
    return norm == WP_NORM_PYWT && wavelet->window / 2 % 2 ? -1 : 1;
}

static void set_gains(struct wp_lifting *lifting, const struct wp_wavelet *wavelet,
                      enum wp_norm norm)
{
    const double low = (norm == WP_NORM_NONE ? 1.0 : 1.0 / wavelet->zeta) *
                       (wp_norm_is_orthonormal(norm) ? sqrt(2.0) : 1.0);
    const bool forward = lifting->direction == WP_FORWARD;
    lifting->gain[0] = forward ? low : 1 / low;
    lifting->gain[1] = (forward ? 1 / low : low) * wp_norm_high_sign(wavelet, norm);
}

static struct wp_filter transpose_inverse(const struct wp_filter *filter)
{
    struct wp_filter transposed = {.count = filter->count};
    for (int t = 0; t < filter->count; t++) {
        const struct wp_tap *tap = &filter->tap[filter->count - 1 - t];
        transposed.tap[t] = (struct wp_tap){.k = -tap->k, .c = -tap->c};
    }
    return transposed;
}

bool wp_lifting_dual(const struct wp_wavelet *wavelet, enum wp_norm norm, struct wp_wavelet *dual)
{
    const int last = wavelet->pairs - 1;
    const bool first_empty = wavelet->pair[0].predict.count == 0;
    const bool last_empty = wavelet->pair[last].update.count == 0;
    const int pairs = wavelet->pairs + 1 - first_empty - last_empty;
    if (pairs > WP_MAX_PAIRS)
        return wp_fail(WP_ERROR_USAGE,
                       "the adjoint of '%s' has %d pairs of lifting steps (at most %d)",
                       wavelet->name, pairs, (int)WP_MAX_PAIRS);
    *dual = *wavelet;
    dual->pairs = pairs;
    // Inverts the low-pass gain of set_gains().
    dual->zeta = (wp_norm_is_orthonormal(norm) ? 2 : 1) / wavelet->zeta;
    memset(dual->pair, 0, sizeof dual->pair);
    // Number p of the pairs with the transposed update p - 1 and predict p.
    for (int p = first_empty; p <= wavelet->pairs - last_empty; p++) {
        struct wp_pair *pair = &dual->pair[p - first_empty];
        if (p > 0)
            pair->predict = transpose_inverse(&wavelet->pair[p - 1].update);
        if (p <= last)
            pair->update = transpose_inverse(&wavelet->pair[p].predict);
    }
    return true;
}

struct wp_lifting wp_lifting_make(const struct wp_wavelet *wavelet, enum wp_direction direction,
                                  enum wp_norm norm, enum wp_border border)
{
    struct wp_lifting lifting = {
        .direction = direction,
        .extension = extension_of(wavelet, direction, border),
    };
    add_steps(&lifting, wavelet);
    set_extents(&lifting);
    set_lags(&lifting);
    set_gains(&lifting, wavelet, norm);
    return lifting;
}

int wp_lifting_bits(const struct wp_filter *filter)
{
    int bits = 0;
    for (int t = 0; t < filter->count; t++)
        while (bits <= WP_BITS_MOST && fmod(ldexp(filter->tap[t].c, bits), 1) != 0)
            bits++;
    return bits;
}

bool wp_lifting_is_reversible(const struct wp_wavelet *wavelet)
{
    bool reversible = wavelet->zeta == 1;
    for (int i = 0; i < wavelet->pairs; i++)
        reversible = reversible && wp_lifting_bits(&wavelet->pair[i].predict) <= WP_BITS_MOST &&
                     wp_lifting_bits(&wavelet->pair[i].update) <= WP_BITS_MOST;
    return reversible;
}

// In the inverse, whose taps are negated, x - floor(sum + o) is the smallest integer not less than
// x - sum - o. That is a multiple of 2^-bits, so the result is floor(x - sum - o + 1 - 2^-bits).
void wp_lifting_set_reversible(struct wp_lifting *lifting)
{
    lifting->reversible = true;
    for (int s = 0; s < lifting->steps; s++) {
        struct wp_lifting_step *step = &lifting->step[s];
        const int bits = wp_lifting_bits(&step->filter);
        const double half = bits > 0 && step->filter.count > 1 ? 0.5 : 0.0;
        step->round = lifting->direction == WP_FORWARD ? half : 1 - ldexp(1, -bits) - half;
    }
}

bool wp_lifting_y_first(const struct wp_lifting *lifting)
{
    return lifting->reversible && lifting->direction == WP_FORWARD;
}

double wp_lifting_gain(const struct wp_lifting *lifting, unsigned axes, unsigned component)
{
    double gain = 1;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        if (axes >> a & 1)
            gain *= lifting->gain[component >> a & 1];
    return gain;
}

unsigned wp_lifting_axes(const int size[], int dims)
{
    unsigned axes = 0;
    for (int a = 0; a < dims; a++)
        axes |= size[a] > 1 ? 1U << a : 0U;
    return axes;
}
