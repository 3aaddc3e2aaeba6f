#include "lesson.h"
#include "memory.h"
#include "plan.h"
#include "reference.h"
#include "subbands.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>

static const enum wp_bank banks[WP_SHIFT_BANKS] = {WP_BANK_DECIMATED, WP_BANK_UNDECIMATED};

// The details of a level, at the samples of their coefficients: those of both banks are equal where
// both have one, since the norm has the same gains.
static bool find_details(const struct wp_wavelet *wavelet, enum wp_bank bank, int level,
                         const float *pulse, struct wp_shift_details *details)
{
    const struct wp_description d = {
        .wavelet = wavelet,
        .border = WP_BORDER_PERIODIC,
        .bank = bank,
        .size = {WP_SHIFT_SAMPLES, 1},
        .levels = level,
    };
    const struct wp_execute on = {.backend = &wp_backend_reference};
    const int step = bank == WP_BANK_DECIMATED ? 1 << level : 1;
    float *all = wp_allocate(wp_description_coefficients(&d), sizeof *all, "coefficients");
    const bool ok = all && wp_execute(&on, &d, 1, &pulse, &all);
    const struct wp_band_grid grid = wp_description_band(&d, level, WP_BAND_HL);
    details->count = grid.size[WP_X];
    for (int i = 0; i < details->count && ok; i++) {
        const double value = (double)all[grid.first[WP_X] + i];
        details->at[i] = (i * step + (1 << (level - 1))) % WP_SHIFT_SAMPLES;
        details->value[i] = value;
        details->energy += value * value;
    }
    free(all);
    return ok;
}

bool wp_shift_make(const struct wp_wavelet *wavelet, int level, int edge, struct wp_shift *shift)
{
    const int inside = (edge % WP_SHIFT_SAMPLES + WP_SHIFT_SAMPLES) % WP_SHIFT_SAMPLES;
    bool ok = true;
    *shift = (struct wp_shift){
        .level = level < 1 ? 1 : level > WP_SHIFT_LEVELS ? WP_SHIFT_LEVELS : level,
        .edge = inside,
    };
    for (int s = 0; s < 2 && ok; s++) {
        for (int i = 0; i < WP_SHIFT_SAMPLES; i++)
            shift->pulse[s][(i + inside + s) % WP_SHIFT_SAMPLES] = i < WP_SHIFT_SAMPLES / 2;
        for (int b = 0; b < WP_SHIFT_BANKS && ok; b++)
            ok = find_details(wavelet, banks[b], shift->level, shift->pulse[s],
                              &shift->details[b][s]);
    }
    return ok;
}

// ---- the picture: a column for each bank, a row for each position of the pulse

enum { MARGIN = 16, WIDTH = 340, HEIGHT = 120, GAP = 26, TOP = 74, HALF = HEIGHT / 2 };

static double largest(const struct wp_shift *shift)
{
    double most = 1e-9;
    for (int b = 0; b < WP_SHIFT_BANKS; b++)
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < shift->details[b][s].count; i++)
                most = fmax(most, fabs(shift->details[b][s].value[i]));
    return most;
}

static double column(int sample)
{
    return WIDTH * (sample + 0.5) / WP_SHIFT_SAMPLES;
}

static void draw_plot(const struct wp_shift *shift, int bank, int s, double most,
                      struct wp_text *out)
{
    const double left = MARGIN + bank * (WIDTH + GAP), zero = TOP + s * (HEIGHT + GAP) + HALF;
    const struct wp_shift_details *details = &shift->details[bank][s];
    wp_svg_add(out, "<path fill=\"#eef1f6\" d=\"M@ @", left, zero);
    for (int i = 0; i < WP_SHIFT_SAMPLES; i++)
        wp_svg_add(out, "V@H@", zero - 0.9 * HALF * (double)shift->pulse[s][i],
                   left + WIDTH * (i + 1.0) / WP_SHIFT_SAMPLES);
    wp_svg_add(out, "V@Z\"/>\n<path stroke=\"#8a93a3\" d=\"M@ @H@\"/>\n", zero, left, zero,
               left + WIDTH);
    for (int i = 0; i < details->count; i++) {
        const double x = left + column(details->at[i]);
        const double y = zero - 0.9 * HALF * details->value[i] / most;
        wp_svg_add(out, "<path stroke=\"#12355b\" stroke-width=\"2\" d=\"M@ @V@\"/><circle ", x,
                   zero, y);
        wp_svg_add(out, "cx=\"@\" cy=\"@\" r=\"2\" fill=\"#12355b\"/>\n", x, y);
    }
    char number[WP_NUMBER_SIZE];
    wp_svg_text(out, left, zero + HALF + 8, WP_SVG_SIZE, NULL, "edge at sample %d: energy %s",
                (shift->edge + s) % WP_SHIFT_SAMPLES,
                wp_format_number(number, details->energy, 4));
}

void wp_shift_draw(const struct wp_shift *shift, const struct wp_wavelet *wavelet,
                   struct wp_text *out)
{
    char before[WP_NUMBER_SIZE], after[WP_NUMBER_SIZE], same[WP_NUMBER_SIZE];
    struct wp_text title = {0}, words = {0}, body = {0};
    const struct wp_shift_details *decimated = shift->details[0], *undecimated = shift->details[1];
    const double width = 2 * MARGIN + 2 * WIDTH + GAP, most = largest(shift);
    wp_text_add(&title, "%s, details of level %d, periodic", wavelet->name, shift->level);
    wp_text_add(&words,
                "The pulse (gray) moves by one sample. The %d decimated coefficients become others, "
                "and their energy %s becomes %s. The %d undecimated ones move along: their energy "
                "stays %s.", decimated->count, wp_format_number(before, decimated[0].energy, 4),
                wp_format_number(after, decimated[1].energy, 4), undecimated->count,
                wp_format_number(same, undecimated[1].energy, 4));
    wp_svg_text(&body, MARGIN, MARGIN + 10, 16, NULL, "%s", wp_text_get(&title));
    wp_svg_text(&body, MARGIN, TOP - 18, WP_SVG_SIZE, WP_SVG_BOLD, "decimated: %d coefficients",
                decimated->count);
    wp_svg_text(&body, MARGIN + WIDTH + GAP, TOP - 18, WP_SVG_SIZE, WP_SVG_BOLD,
                "undecimated: %d coefficients", undecimated->count);
    for (int b = 0; b < WP_SHIFT_BANKS; b++)
        for (int s = 0; s < 2; s++)
            draw_plot(shift, b, s, most, &body);
    wp_svg_wrap(out, width, TOP + 2 * (HEIGHT + GAP), wp_text_get(&title), wp_text_get(&words),
                wp_text_get(&body));
    wp_text_free(&title);
    wp_text_free(&words);
    wp_text_free(&body);
}
