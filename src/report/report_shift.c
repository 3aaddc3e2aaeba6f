// The topic `shift`: the details of a pulse, and of the same pulse moved by one sample.
#include "report_internal.h"

#include "log.h"
#include "wavepass.h"

#include <math.h>

// The first sample of the pulse. Symmetric wavelets have mirrored decimated coefficients, with the
// same energy, for a pulse at a multiple of 2^level and one further, and for any in level 1.
enum { EDGE = 17, LEVEL = 2 };

static const char *const banks[WP_SHIFT_BANKS] = {"decimated", "undecimated"};

static double relative(double value, double largest)
{
    return fabs(value) > 1e-6 * largest ? value : 0; // else a rounding error
}

// The heading of two columns for each bank, below `first`.
static void add_heading(const char *first, struct wp_text *out)
{
    wp_text_add(out, "%s      %-27s%s\n      ", first, banks[0], banks[1]);
    for (int b = 0; b < WP_SHIFT_BANKS; b++)
        wp_text_add(out, "%s    edge %2d    edge %2d", b ? "       " : "", EDGE, EDGE + 1);
    wp_text_add(out, "\n");
}

// The energies of the details of all levels.
static void add_energies(const struct wp_shift level[WP_SHIFT_LEVELS], struct wp_text *out)
{
    wp_text_add(out, "Energy (sum of squares) of the details:\n\n");
    add_heading("level ", out);
    for (int l = 0; l < WP_SHIFT_LEVELS; l++) {
        const double largest = level[l].details[1][0].energy;
        wp_text_add(out, "%5d ", l + 1);
        for (int b = 0; b < WP_SHIFT_BANKS; b++)
            wp_text_add(out, "%s%11.4g%11.4g", b ? "       " : "",
                        relative(level[l].details[b][0].energy, largest),
                        relative(level[l].details[b][1].energy, largest));
        wp_text_add(out, "\n");
    }
    wp_text_add(out, "\n");
}

// The value of the coefficient at a sample; NULL: there is none.
static const double *value_at(const struct wp_shift_details *details, int sample)
{
    for (int i = 0; i < details->count; i++)
        if (details->at[i] == sample)
            return &details->value[i];
    return NULL;
}

static double largest_of(const struct wp_shift *shift)
{
    double largest = 0;
    for (int i = 0; i < shift->details[1][0].count; i++)
        largest = fmax(largest, fabs(shift->details[1][0].value[i]));
    return largest;
}

static bool is_zero(const struct wp_shift *shift, int sample, double largest)
{
    bool zero = true;
    for (int b = 0; b < WP_SHIFT_BANKS; b++)
        for (int s = 0; s < 2; s++) {
            const double *value = value_at(&shift->details[b][s], sample);
            zero = zero && (!value || relative(*value, largest) == 0);
        }
    return zero;
}

// The coefficients about the first edge of the pulse.
static void add_details(const struct wp_shift *shift, struct wp_text *out)
{
    const double largest = largest_of(shift);
    wp_text_add(out, "Details of level %d at the first edge, at the samples of their "
                     "coefficients:\n\n", shift->level);
    add_heading("sample", out);
    for (int n = 0; n <= EDGE + WP_SHIFT_SAMPLES / 4; n++) {
        if (is_zero(shift, n, largest))
            continue;
        wp_text_add(out, "%6d", n);
        for (int b = 0; b < WP_SHIFT_BANKS; b++) {
            wp_text_add(out, "%s", b ? "       " : "");
            for (int s = 0; s < 2; s++) {
                const double *value = value_at(&shift->details[b][s], n);
                char number[WP_NUMBER_SIZE] = "";
                if (value)
                    wp_format_number(number, relative(*value, largest), 4);
                wp_text_add(out, "%11s", number);
            }
        }
        wp_text_add(out, "\n");
    }
    wp_text_add(out, "\n");
}

// How far the undecimated details are from those of the first pulse, moved by a sample.
static double moved_error(const struct wp_shift *shift)
{
    const struct wp_shift_details *before = &shift->details[1][0], *after = &shift->details[1][1];
    double error = 0;
    for (int i = 0; i < before->count; i++)
        error = fmax(error, fabs(after->value[(i + 1) % after->count] - before->value[i]));
    return error;
}

// The largest change of the energy of decimated details, relative to the larger one, and its level.
static double largest_change(const struct wp_shift level[WP_SHIFT_LEVELS], int *most)
{
    double change = 0;
    *most = 0;
    for (int l = 0; l < WP_SHIFT_LEVELS; l++) {
        const double before = level[l].details[0][0].energy, after = level[l].details[0][1].energy;
        const double of = fabs(after - before) / fmax(fmax(before, after), 1e-30);
        *most = of > change ? l : *most;
        change = fmax(change, of);
    }
    return change;
}

static void add_text(const struct wp_shift level[WP_SHIFT_LEVELS], const struct wp_shift *shown,
                     const struct wp_wavelet *wavelet, struct wp_text *out)
{
    wp_text_add(out, "%s, a pulse of %d of %d samples, and the same pulse moved by one sample\n\n",
                wavelet->name, WP_SHIFT_SAMPLES / 2, WP_SHIFT_SAMPLES);
    add_energies(level, out);
    add_details(shown, out);
    int most;
    const double change = largest_change(level, &most);
    wp_explain_paragraph(out, 0,
                         "Undecimated details move by one sample with the pulse (largest "
                         "difference %.1g), and their energy stays the same. Decimated details "
                         "are one in 2^level of them, and change when the pulse moves: the energy "
                         "of level %d changes by %.3g %%. Borders are periodic, the norm is "
                         "jpeg2000.", relative(moved_error(shown), largest_of(shown)), most + 1,
                         100 * change);
}

static void add_csv(const struct wp_shift level[WP_SHIFT_LEVELS], struct wp_text *out)
{
    wp_text_add(out, "level,edge,bank,sample,value\n");
    for (int l = 0; l < WP_SHIFT_LEVELS; l++)
        for (int b = 0; b < WP_SHIFT_BANKS; b++)
            for (int s = 0; s < 2; s++) {
                const struct wp_shift_details *details = &level[l].details[b][s];
                for (int i = 0; i < details->count; i++) {
                    char number[WP_NUMBER_SIZE];
                    wp_text_add(out, "%d,%d,%s,%d,%s\n", l + 1, EDGE + s, banks[b], details->at[i],
                                wp_format_number(number, details->value[i], 9));
                }
            }
}

bool wp_report_shift(const struct wp_explain_params *params, int level, struct wp_text *out)
{
    struct wp_shift shift[WP_SHIFT_LEVELS];
    const int shown = level == WP_LEVELS_MOST ? WP_SHIFT_LEVELS : level > 0 ? level : LEVEL;
    if (shown > WP_SHIFT_LEVELS)
        return wp_fail(WP_ERROR_USAGE, "--show %s has levels 1 to %d, not %d",
                       wp_explain_topic_names[WP_EXPLAIN_SHIFT], WP_SHIFT_LEVELS, level);
    for (int l = 0; l < WP_SHIFT_LEVELS; l++)
        if (!wp_shift_make(params->wavelet, l + 1, EDGE, &shift[l]))
            return false;
    if (params->format == WP_EXPLAIN_SVG)
        wp_shift_draw(&shift[shown - 1], params->wavelet, out);
    else if (params->format == WP_EXPLAIN_CSV)
        add_csv(shift, out);
    else
        add_text(shift, &shift[shown - 1], params->wavelet, out);
    return true;
}
