// The tab with sliders of the levels, and denoising.
#include "actions.h"
#include "denoise.h"
#include "edits.h"
#include "packet_view.h"
#include "panels.h"

#include <stdio.h>

static const float NAME = 3.2F, GAP = 0.6F; // width of the names of rows, in lines of text

static void slide(struct wp_viewer *v, enum wp_slider slider, const char *name, float width,
                  int level, int band)
{
    static const char *const columns[] = {"gain", "threshold"};
    char id[64];
    float value = (float)wp_slider_get(v, slider, level, band);
    snprintf(id, sizeof id, "%s %s", columns[slider], name);
    switch (wp_ui_slide_cell(id, width, &value, 0, (float)wp_slider_most(v, slider),
                             slider == WP_SLIDER_LIMIT, slider == WP_SLIDER_GAIN ? "%.2f" : "%.3g")) {
    case WP_UI_SAME: break;
    case WP_UI_CHANGED: wp_slider_set(v, slider, level, band, (double)value); break;
    case WP_UI_RESET: wp_slider_reset(v, slider, level, band); break;
    }
}

// A row of a subband, or with WP_SLIDER_LEVEL of a level. The lowest subband has no threshold.
static void show_row(struct wp_viewer *v, const char *name, enum wp_ui_colour colour, int level,
                     int band)
{
    const float em = wp_ui_em(), width = 0.5F * (wp_ui_width_left() - (NAME + GAP) * em);
    wp_ui_cell_text(colour, name);
    wp_ui_at(NAME * em);
    slide(v, WP_SLIDER_GAIN, name, width, level, band);
    if (band == WP_BAND_LL)
        return;
    wp_ui_at((NAME + GAP) * em + width);
    slide(v, WP_SLIDER_LIMIT, name, width, level, band);
}

// The rows of a level: subbands first..end-1, of which the last has the most directions.
static void show_level(struct wp_viewer *v, int level, int first, int end)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    const bool several = end - first > 1;
    char name[WP_BAND_NAME_SIZE];
    if (several) {
        snprintf(name, sizeof name, "%d", level);
        show_row(v, name, WP_UI_TEXT, level, WP_SLIDER_LEVEL);
    }
    for (int i = first; i < end && (v->state.directions || !several); i++) {
        const struct wp_subband subband = wp_subband_describe(d, i);
        wp_subband_name(&subband, name);
        show_row(v, name, several ? WP_UI_DIM : WP_UI_TEXT, level, (int)subband.band);
    }
}

static void show_sliders(struct wp_viewer *v)
{
    const struct wp_description *d = &v->instance[WP_A]->description;
    const float em = wp_ui_em(), width = 0.5F * (wp_ui_width_left() - (NAME + GAP) * em);
    const int count = wp_subband_count(d);
    if (count > wp_description_levels(d) + 1) {
        wp_ui_check("Directions", &v->state.directions);
        wp_ui_tooltip("A row for each subband of a level.");
    }
    wp_ui_text(WP_UI_DIM, "Level");
    wp_ui_at(NAME * em);
    wp_ui_text(WP_UI_DIM, "Gain");
    wp_ui_at((NAME + GAP) * em + width);
    wp_ui_text(WP_UI_DIM, "Threshold");
    // From the finest level to the coarsest one.
    for (int end = count; end > 1;) {
        enum wp_band band;
        const int level = wp_subband_at(d, end - 1, &band);
        int first = end - 1;
        while (first > 1 && wp_subband_at(d, first - 1, &band) == level)
            first--;
        show_level(v, level, first, end);
        end = first;
    }
    const struct wp_subband lowest = wp_subband_describe(d, 0);
    char name[WP_BAND_NAME_SIZE];
    wp_subband_name(&lowest, name);
    show_row(v, name, WP_UI_TEXT, lowest.level, WP_BAND_LL);
}

static void show_denoising(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    wp_ui_combo("Method", &s->method, wp_denoise_methods, WP_DENOISE_METHODS);
    wp_ui_tooltip("bayes: BayesShrink, a threshold for the noise and the details of each subband. "
                  "sure: SureShrink. visu: VisuShrink, one threshold, which removes more.");
    wp_ui_combo("Rule", &s->threshold, wp_threshold_names, WP_THRESHOLDS);
    wp_ui_tooltip("Coefficients up to the threshold T become 0; soft reduces others by T, garrote "
                  "by T^2/|c|, and hard keeps them.");
    wp_panel_slide("Noise", &s->sigma, 0, wp_viewer_peak(v), true,
                   s->sigma > 0 ? "%.3g" : "auto");
    wp_ui_tooltip("Its standard deviation; 0: estimated.");
    wp_panel_button(v, "Denoise", "denoise");
    wp_ui_tooltip("Sets the thresholds (Shift+Q).");
    wp_ui_same_line();
    wp_panel_button(v, "Undo all", "restore");
    if (v->noise > 0) {
        wp_ui_same_line();
        wp_ui_text(WP_UI_DIM, "noise %.3g", v->noise);
    }
}

void wp_panel_scales(struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    if (!a->backend || wp_description_levels(&a->description) == 0) {
        wp_ui_text(WP_UI_DIM, a->backend ? "There are no levels." : "No image is open.");
        return;
    }
    if (wp_ui_section(a->packets ? "Nodes" : "Levels", true))
        (a->packets ? wp_panel_node_scales : show_sliders)(v);
    if (wp_ui_section("Denoise", true))
        show_denoising(v);
    if (!v->ready[WP_A] || !v->edit[WP_A].any)
        return;
    const bool known = v->results.has_loss;
    if (v->edit[WP_A].threshold != WP_THRESHOLD_NONE)
        wp_ui_label("Coefficients", known ? "%.2f %% kept" : "?", 100 * v->results.nonzero_share);
    wp_ui_label("PSNR", !known ? "?" : v->results.loss.squares > 0 ? "%.1f dB" : "infinite",
                wp_measure_psnr(&v->results.loss, wp_viewer_peak(v)));
}
