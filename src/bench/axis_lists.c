#include "axis_lists.h"

#include "description.h"
#include "image.h"
#include "log.h"
#include "pattern.h"
#include "suggest.h"
#include "text.h"
#include "words.h"
#include "xmemory.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 16, SIDE_MAX = WP_PATTERN_SIDE_MAX };

static void add_size(struct wp_axis_numbers *numbers, int width, int height, int depth)
{
    numbers->value =
        wp_xrealloc(numbers->value, (size_t)numbers->count + 1, sizeof *numbers->value);
    int *value = numbers->value[numbers->count++];
    value[WP_X] = width;
    value[WP_Y] = height;
    value[WP_Z] = depth;
}

void wp_axis_add(struct wp_axis_numbers *numbers, int number)
{
    add_size(numbers, number, number, 1);
}

// Reads a range "A..B", "A..B:xF" or "A..B:+S". False if it is not one.
static bool read_range(const char *word, bool geometric, struct wp_axis_numbers *numbers)
{
    char first[16], last[16];
    const char *dots = strstr(word, "..");
    const char *colon = dots ? strchr(dots, ':') : NULL;
    const size_t length = dots ? colon ? (size_t)(colon - dots - 2) : strlen(dots + 2) : 0;
    if (!dots || (size_t)(dots - word) >= sizeof first || length >= sizeof last)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(dots - word), word);
    snprintf(last, sizeof last, "%.*s", (int)length, dots + 2);
    int a, b, step = geometric ? 2 : 1;
    if (colon) {
        geometric = colon[1] == 'x';
        if ((colon[1] != 'x' && colon[1] != '+') || !wp_parse_int(colon + 2, &step))
            return false;
    }
    if (!wp_parse_int(first, &a) || !wp_parse_int(last, &b) || a < 1 || b < a || b > SIDE_MAX ||
        step < (geometric ? 2 : 1) || step > SIDE_MAX)
        return false;
    for (int n = a; n <= b; n = geometric ? n * step : n + step) {
        wp_axis_add(numbers, n);
        if (geometric && n > SIDE_MAX / step)
            break;
    }
    return true;
}

// "N", "WxH" or "WxHxD".
static bool read_sides(const char *word, struct wp_axis_numbers *numbers)
{
    int side[WP_DIMS_MAX];
    const int count = wp_parse_size(word, SIDE_MAX, side);
    if (count)
        add_size(numbers, side[WP_X], side[count == 1 ? WP_X : WP_Y], side[WP_Z]);
    return count > 0;
}

static bool read_size(const char *option, const char *word, struct wp_axis_numbers *numbers)
{
    if (read_range(word, true, numbers) || read_sides(word, numbers))
        return true;
    if (strspn(word, "0123456789x.+:-") == strlen(word))
        return wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not a size (1 to %d a side)\nhint: 4096, "
                                       "1920x1080, 256x256x256, 256..8192:x2, 256..1024:+256 or an "
                                       "image",
                       option, word, SIDE_MAX);
    const struct wp_read_params either = {.volume = WP_VOLUME_EITHER};
    struct wp_image *image = wp_image_read_with(word, &either, NULL);
    if (!image)
        return false;
    const int width = image->width, height = image->height, depth = image->depth;
    wp_image_destroy(&image);
    if (width > SIDE_MAX || height > SIDE_MAX || depth > SIDE_MAX)
        return wp_fail(WP_ERROR_USAGE, "--%s: %s has %dx%d pixels (%d a side at most)", option,
                       word, width, height, SIDE_MAX);
    add_size(numbers, width, height, depth);
    return true;
}

// Options whose values are numbers.
static const struct row {
    const char *option, *what, *hint;
    int least, most;
    enum { NO_RANGE, LINEAR, GEOMETRIC } range;
    bool max; // "max", too
} rows[] = {
    {"levels", "levels", "1, 5, 1..5 or max", 0, WP_MAX_LEVELS, LINEAR, true},
    {"levels-z", "levels", "1, 5, 1..5 or max", 0, WP_MAX_LEVELS, LINEAR, true},
    {"threads", "threads", "1, 2 or 1..4", 1, 1 << 12, LINEAR, false},
    {"planes", "planes", "1 or 3", 1, 64, NO_RANGE, false},
    {"batch", "images", "64, or 1..256:x4", 1, SIDE_MAX, GEOMETRIC, false},
};

static bool read_number(const struct row *row, const char *word, struct wp_axis_numbers *numbers)
{
    int number;
    if (row->max && strcmp(word, "max") == 0)
        wp_axis_add(numbers, WP_AXIS_LEVELS_MOST);
    else if (wp_parse_int(word, &number) && number >= row->least && number <= row->most)
        wp_axis_add(numbers, number);
    else if (row->range == NO_RANGE || !read_range(word, row->range == GEOMETRIC, numbers))
        return wp_fail(WP_ERROR_USAGE, "--%s: '%s' is not a number of %s from %d to %d\nhint: %s",
                       row->option, word, row->what, row->least, row->most, row->hint);
    return true;
}

bool wp_axis_read(const char *option, const char *list, struct wp_axis_numbers *numbers)
{
    const struct row *row = rows;
    const bool size = strcmp(option, "size") == 0;
    while (!size && strcmp(row->option, option) != 0)
        row++;
    bool ok = true;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words))
        ok = ok && (size ? read_size(option, words.word, numbers)
                         : read_number(row, words.word, numbers));
    return ok;
}

bool wp_axis_read_names(const char *option, const char *list, const char *const names[], int count,
                        unsigned *bits)
{
    const char *known[NAMES_MAX];
    char before[32];
    assert(count < NAMES_MAX);
    memcpy(known, names, (size_t)count * sizeof *known);
    known[count] = "all";
    snprintf(before, sizeof before, "--%s supports ", option);
    bool ok = true;
    struct wp_words words = wp_words_of(list);
    while (wp_words_next(&words)) {
        const int i = ok ? wp_name_find(option, words.word, known, count + 1, before) : -1;
        ok = i >= 0;
        if (ok)
            *bits |= i < count ? 1U << i : (1U << count) - 1;
    }
    return ok;
}
