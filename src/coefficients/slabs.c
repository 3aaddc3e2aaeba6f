#include "slabs.h"

#include "log.h"
#include "memory.h"
#include "place.h"
#include "transform.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

// Pairs of rows that go through a level at once. Around them as many go again as the steps reach:
// more at once is less work and more memory.
enum { SLAB = 16 };

// The input of level `index` + 1, or forward what comes out of the last one.
struct level {
    int index, width, height;
    bool whole;    // it is so low that it goes at once, with all levels behind it
    int capacity;  // rows of the buffers
    float *rows;   // of samples, plane after plane
    float *bands;  // Mallat's layout of these; inverse, four bands
    int first;     // row of the level that `rows` begins with
    int count;     // rows that are there
    int next;      // pair of rows to go, or inverse, row
    int low;       // inverse: the pair that the bands begin with
    int lows;      // and how many there are
    struct wp_transform *transform;
    int of_rows;   // what it is for
};

struct wp_slabs {
    struct wp_transform_params params;
    struct wp_description description;
    struct wp_lifting lifting;
    int levels, planes;
    int before, after; // pairs around a slab
    struct level level[WP_MAX_LEVELS + 1];
    wp_slabs_take take;
    wp_slabs_give give;
    void *user;
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int pairs_of(const struct level *l)
{
    return (l->height + 1) / 2;
}

static size_t plane_of(const struct level *l)
{
    return (size_t)l->capacity * (size_t)l->width;
}

// All but the memory. False after an error.
static bool set(struct wp_slabs *s, const struct wp_transform_params *given)
{
    struct wp_transform_params *p = &s->params;
    *p = *given;
    p->struct_size = sizeof *p;
    p->backend = "cpu";
    p->layout = p->decomposition = NULL;
    p->depth = p->gop = p->levels_z = 0;
    // Tells how many levels there are, what lifting, and what is wrong.
    struct wp_transform *all = wp_transform_create(p);
    if (!all)
        return false;
    s->description = *wp_transform_description(all);
    s->lifting = wp_description_lifting(&s->description);
    struct wp_description inverse = s->description;
    inverse.direction = WP_INVERSE;
    const struct wp_lifting back = wp_description_lifting(&inverse);
    wp_transform_destroy(&all);
    s->levels = s->description.levels;
    s->planes = p->planes > 0 ? p->planes : 1;
    s->before = larger(s->lifting.before, back.before) + 1;
    s->after = larger(s->lifting.after, back.after) + 1;
    if (s->description.border == WP_BORDER_PERIODIC)
        return wp_fail(WP_ERROR_USAGE, "periodic borders do not go in strips");
    const int most = 2 * (SLAB + s->before + s->after);
    for (int i = 0; i <= s->levels; i++) {
        struct level *l = &s->level[i];
        l->index = i;
        l->width = wp_level_size(p->width, i);
        l->height = wp_level_size(p->height, i);
        l->whole = l->height <= most;
        l->capacity = i == s->levels ? 1 : l->whole ? l->height : most;
        if (l->whole)
            break;
    }
    return true;
}

static bool is_last(const struct wp_slabs *s, const struct level *l)
{
    return l->index == s->levels || l->whole;
}

size_t wp_slabs_memory(const struct wp_transform_params *params)
{
    struct wp_slabs *s = wp_xcalloc(1, sizeof *s);
    size_t floats = 0;
    const bool ok = set(s, params);
    for (const struct level *l = s->level; ok; l++) {
        floats += 2 * plane_of(l) * (size_t)s->planes;
        if (is_last(s, l))
            break;
    }
    free(s);
    return ok ? floats * sizeof(float) : 0;
}

static struct wp_slabs *create(const struct wp_transform_params *params, wp_slabs_take take,
                               wp_slabs_give give, void *user)
{
    struct wp_slabs *s = wp_xcalloc(1, sizeof *s);
    s->take = take;
    s->give = give;
    s->user = user;
    bool ok = set(s, params);
    for (struct level *l = s->level; ok; l++) {
        const size_t size = plane_of(l) * (size_t)s->planes;
        l->rows = wp_allocate(size, sizeof *l->rows, "rows of a level");
        l->bands = l->rows ? wp_allocate(size, sizeof *l->bands, "rows of a level") : NULL;
        ok = l->bands;
        if (is_last(s, l))
            break;
    }
    if (!ok)
        wp_slabs_destroy(&s);
    return s;
}

struct wp_slabs *wp_slabs_create_forward(const struct wp_transform_params *params,
                                         wp_slabs_take take, void *user)
{
    return create(params, take, NULL, user);
}

struct wp_slabs *wp_slabs_create_inverse(const struct wp_transform_params *params,
                                         wp_slabs_give give, void *user)
{
    return create(params, NULL, give, user);
}

void wp_slabs_destroy(struct wp_slabs **slot)
{
    struct wp_slabs *s = *slot;
    *slot = NULL;
    for (int i = 0; s && i <= WP_MAX_LEVELS; i++) {
        wp_transform_destroy(&s->level[i].transform);
        free(s->level[i].rows);
        free(s->level[i].bands);
    }
    free(s);
}

// Of so many rows of a level, and one level or all that are left. NULL after an error.
static struct wp_transform *transform_of(const struct wp_slabs *s, struct level *l, int rows)
{
    struct wp_transform_params p = s->params;
    if (l->transform && l->of_rows == rows)
        return l->transform;
    wp_transform_destroy(&l->transform);
    p.width = l->width;
    p.height = rows;
    p.planes = s->planes;
    p.levels = l->whole ? s->levels - l->index : 1;
    l->of_rows = rows;
    return l->transform = wp_transform_create(&p);
}

static struct wp_memory rows_at(const struct level *l, float *data)
{
    return (struct wp_memory){.array = {.data = data,
                                        .step = {1, l->width},
                                        .plane = (ptrdiff_t)plane_of(l)}};
}

// A band of the level that this is the input of, and its rows `from` to `to` - 1, which begin at
// `data`.
static bool emit(const struct wp_slabs *s, int level, enum wp_band band, int from, int to,
                 const float *data, size_t step, size_t plane)
{
    const int number = wp_place_band_number(&s->description, level, band);
    bool ok = true;
    for (int y = from; y < to && ok; y++)
        for (int p = 0; p < s->planes && ok; p++)
            ok = s->take(s->user, number, p, y,
                         data + (size_t)p * plane + (size_t)(y - from) * step);
    return ok;
}

// All levels that are left. Their bands lie as in the whole of that size.
static bool walk_whole(const struct wp_slabs *s, const struct level *l,
                       bool (*move)(const struct wp_slabs *s, int number, int plane, int row,
                                    float *data))
{
    bool ok = true;
    for (int k = s->levels; k > l->index; k--) {
        for (int b = k == s->levels ? WP_BAND_LL : WP_BAND_HL; b < WP_BAND_COUNT && ok; b++) {
            const struct wp_band_view view = wp_band_view(l->width, l->height, k - l->index,
                                                          (enum wp_band)b, WP_LAYOUT_MALLAT);
            const int number = wp_place_band_number(&s->description, k, (enum wp_band)b);
            for (int y = 0; y < view.height && view.width > 0 && ok; y++)
                for (int p = 0; p < s->planes && ok; p++)
                    ok = move(s, number, p, y, l->bands + (size_t)p * plane_of(l) + view.offset +
                                                   (ptrdiff_t)y * view.step_y);
        }
    }
    return ok;
}

static bool take_from(const struct wp_slabs *s, int number, int plane, int row, float *data)
{
    return s->take(s->user, number, plane, row, data);
}

static bool give_to(const struct wp_slabs *s, int number, int plane, int row, float *data)
{
    return s->give(s->user, number, plane, row, data);
}

// Which pairs of rows go along with `from` to `to` - 1, and which rows these are.
struct window {
    int low, high, top, bottom;
};

static struct window window_of(const struct wp_slabs *s, const struct level *l, int from, int to)
{
    struct window w = {.low = larger(0, from - s->before),
                       .high = smaller(pairs_of(l), to + s->after)};
    w.top = 2 * w.low;
    w.bottom = smaller(2 * w.high, l->height);
    return w;
}

static bool push(struct wp_slabs *s, int index, const float *row, size_t plane);

static bool forward_slab(struct wp_slabs *s, struct level *l, int to)
{
    const struct window w = window_of(s, l, l->next, to);
    const size_t width = (size_t)l->width, low = (size_t)(l->width + 1) / 2;
    struct wp_transform *t = transform_of(s, l, w.bottom - w.top);
    const struct wp_memory in = rows_at(l, l->rows + (size_t)(w.top - l->first) * width);
    const struct wp_memory out = rows_at(l, l->bands);
    if (!t || !wp_transform_forward_at(t, &in, &out))
        return false;
    const int level = l->index + 1, high_to = smaller(to, l->height / 2);
    const float *upper = l->bands + (size_t)(l->next - w.low) * width;
    const float *lower = upper + (size_t)((w.bottom - w.top + 1) / 2) * width;
    bool ok = (l->width == 1 || emit(s, level, WP_BAND_HL, l->next, to, upper + low, width,
                                     plane_of(l))) &&
              emit(s, level, WP_BAND_LH, l->next, high_to, lower, width, plane_of(l)) &&
              (l->width == 1 || emit(s, level, WP_BAND_HH, l->next, high_to, lower + low, width,
                                     plane_of(l)));
    for (int y = l->next; y < to && ok; y++)
        ok = push(s, level, upper + (size_t)(y - l->next) * width, plane_of(l));
    l->next = to;
    // What the next slab does not need any more goes.
    const int first = 2 * larger(0, to - s->before), gone = first - l->first;
    for (int p = 0; p < s->planes && gone > 0 && gone < l->count; p++)
        memmove(l->rows + (size_t)p * plane_of(l),
                l->rows + (size_t)p * plane_of(l) + (size_t)gone * width,
                (size_t)(l->count - gone) * width * sizeof(float));
    l->count = larger(0, l->count - gone);
    l->first = first;
    return ok;
}

static bool forward_whole(struct wp_slabs *s, struct level *l)
{
    struct wp_transform *t = transform_of(s, l, l->height);
    const struct wp_memory in = rows_at(l, l->rows), out = rows_at(l, l->bands);
    return t && wp_transform_forward_at(t, &in, &out) && walk_whole(s, l, take_from);
}

// A row of the input of level `index` + 1.
static bool push(struct wp_slabs *s, int index, const float *row, size_t plane)
{
    struct level *l = &s->level[index];
    if (index == s->levels)
        return emit(s, index, WP_BAND_LL, l->next, l->next + 1, row, 0, plane) && ++l->next;
    for (int p = 0; p < s->planes; p++)
        memcpy(l->rows + (size_t)p * plane_of(l) + (size_t)l->count * (size_t)l->width,
               row + (size_t)p * plane, (size_t)l->width * sizeof *row);
    l->count++;
    const int there = l->first + l->count;
    if (l->whole)
        return there < l->height || forward_whole(s, l);
    bool ok = true;
    while (ok && l->next < pairs_of(l)) {
        const int to = smaller(l->next + SLAB, pairs_of(l));
        if (there < window_of(s, l, l->next, to).bottom)
            break;
        ok = forward_slab(s, l, to);
    }
    return ok;
}

bool wp_slabs_push(struct wp_slabs *s, const float *row, size_t plane)
{
    return push(s, 0, row, plane);
}

static bool pull(struct wp_slabs *s, int index, float *row, size_t plane);

// Where a band's rows are kept, by the pair that the first one is of.
struct place {
    float *data;
    int width;
};

static struct place place_of(const struct level *l, int band)
{
    const size_t half = (size_t)l->capacity / 2, low = (size_t)(l->width + 1) / 2;
    const size_t high = (size_t)l->width / 2;
    const struct place places[WP_BAND_COUNT] = {
        {l->bands, (int)low},
        {l->bands + half * low, (int)high},
        {l->bands + half * (low + high), (int)low},
        {l->bands + half * (2 * low + high), (int)high},
    };
    return places[band];
}

// Brings in the rows of a band up to those of pair `to` - 1; before `from` none is needed.
static bool fill_band(struct wp_slabs *s, struct level *l, int band, int from, int to)
{
    const struct place place = place_of(l, band);
    const size_t width = (size_t)place.width;
    const int most = band & 2 ? l->height / 2 : pairs_of(l);
    const int have = smaller(l->low + l->lows, most), end = smaller(to, most);
    const int number = band == WP_BAND_LL
                           ? 0
                           : wp_place_band_number(&s->description, l->index + 1,
                                                  (enum wp_band)band);
    bool ok = true;
    if (width == 0)
        return true;
    for (int p = 0; p < s->planes && have > from; p++)
        memmove(place.data + (size_t)p * plane_of(l),
                place.data + (size_t)p * plane_of(l) + (size_t)(from - l->low) * width,
                (size_t)(have - from) * width * sizeof(float));
    for (int y = larger(have, from); y < end && ok; y++) {
        float *row = place.data + (size_t)(y - from) * width;
        if (band == WP_BAND_LL)
            ok = pull(s, l->index + 1, row, plane_of(l));
        for (int p = 0; p < s->planes && ok && band != WP_BAND_LL; p++)
            ok = s->give(s->user, number, p, y, row + (size_t)p * plane_of(l));
    }
    return ok;
}

static bool inverse_slab(struct wp_slabs *s, struct level *l)
{
    const int from = l->next / 2, to = smaller(from + SLAB, pairs_of(l));
    const struct window w = window_of(s, l, from, to);
    struct wp_view band[WP_BAND_COUNT];
    bool ok = true;
    for (int b = 0; b < WP_BAND_COUNT && ok; b++) {
        const struct place place = place_of(l, b);
        ok = fill_band(s, l, b, w.low, w.high);
        band[b] = (struct wp_view){.data = place.data,
                                   .step = {1, place.width},
                                   .plane = (ptrdiff_t)plane_of(l)};
    }
    l->low = w.low;
    l->lows = w.high - w.low;
    struct wp_transform *t = ok ? transform_of(s, l, w.bottom - w.top) : NULL;
    const struct wp_memory in = {.band = band, .bands = WP_BAND_COUNT};
    const struct wp_memory out = rows_at(l, l->rows);
    l->first = w.top;
    l->count = smaller(2 * to, l->height) - w.top;
    return t && wp_transform_inverse_at(t, &in, &out);
}

static bool inverse_whole(struct wp_slabs *s, struct level *l)
{
    struct wp_transform *t = transform_of(s, l, l->height);
    const struct wp_memory in = rows_at(l, l->bands), out = rows_at(l, l->rows);
    l->count = l->height;
    return t && walk_whole(s, l, give_to) && wp_transform_inverse_at(t, &in, &out);
}

static bool pull(struct wp_slabs *s, int index, float *row, size_t plane)
{
    struct level *l = &s->level[index];
    const int y = l->next;
    if (index == s->levels) {
        const int number = wp_place_band_number(&s->description, index, WP_BAND_LL);
        bool ok = true;
        for (int p = 0; p < s->planes && ok; p++)
            ok = s->give(s->user, number, p, y, row + (size_t)p * plane);
        l->next++;
        return ok;
    }
    if (y >= l->first + l->count && !(l->whole ? inverse_whole : inverse_slab)(s, l))
        return false;
    for (int p = 0; p < s->planes; p++)
        memcpy(row + (size_t)p * plane,
               l->rows + (size_t)p * plane_of(l) + (size_t)(y - l->first) * (size_t)l->width,
               (size_t)l->width * sizeof *row);
    l->next++;
    return true;
}

bool wp_slabs_pull(struct wp_slabs *s, float *row, size_t plane)
{
    return pull(s, 0, row, plane);
}
