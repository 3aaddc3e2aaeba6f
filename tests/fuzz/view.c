// States of the viewer, in JSON or in the note of a screenshot.
#include "fuzz.h"

#include "view_state.h"

#include <stdlib.h>
#include <string.h>

// A band can be zeroed and restored.
static void zero_bands(struct wp_view_state *state)
{
    const size_t length = strlen(state->zeroed);
    wp_view_set_zeroed(state, wp_band_names, 2, WP_BAND_HL, true);
    if (length + 8 < sizeof state->zeroed)
        FUZZ_CHECK(wp_view_is_zeroed(state, wp_band_names, 2, WP_BAND_HL));
    for (int i = 0; i < 200 && wp_view_is_zeroed(state, wp_band_names, 2, WP_BAND_HL); i++)
        wp_view_set_zeroed(state, wp_band_names, 2, WP_BAND_HL, false);
    FUZZ_CHECK(!wp_view_is_zeroed(state, wp_band_names, 2, WP_BAND_HL));
}

// A written state is restored.
static void write_and_read(const struct wp_view_state *state)
{
    static struct wp_view_state again;
    wp_view_state_reset(&again);
    char *note = wp_view_state_note(state);
    if (note) {
        FUZZ_CHECK(wp_view_state_read(fuzz_file(1, note, strlen(note)), &again));
        char *twice = wp_view_state_note(&again);
        FUZZ_CHECK(twice && strcmp(note, twice) == 0);
        free(twice);
    }
    free(note);
}

void fuzz(const uint8_t *data, size_t size)
{
    static struct wp_view_state state, before;
    wp_view_state_reset(&state);
    before = state;
    const bool ok = wp_view_state_read(fuzz_file(0, data, size), &state);
    fuzz_check_result(ok);
    if (ok) {
        write_and_read(&state);
        zero_bands(&state);
    } else {
        FUZZ_CHECK(memcmp(&state, &before, sizeof state) == 0);
    }
}
