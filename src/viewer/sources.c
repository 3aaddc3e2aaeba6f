#include "sources.h"

#include "memory.h"
#include "view_shaders.h"
#include "viewer_struct.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

int wp_viewer_planes(const struct wp_viewer *v, enum wp_view_ab ab)
{
    return v->instance[ab][1].backend ? WP_COLOURS : 1;
}

const char *wp_viewer_plane_name(const struct wp_viewer *v, int plane)
{
    const int colours = v->source[WP_A].colours;
    const enum wp_channel channel =
        wp_channel_or_first((enum wp_channel)v->source[WP_A].channel, colours);
    if (wp_viewer_planes(v, WP_A) > 1)
        return wp_channel_names[WP_CHANNEL_FIRST + plane];
    if (colours <= 1)
        return wp_channel_names[WP_CHANNEL_LUMA];
    return colours == WP_COLOURS && channel != WP_CHANNEL_LUMA ? wp_channel_names[channel]
                                                               : wp_channel_words[channel];
}

void wp_viewer_destroy_instances(struct wp_viewer *v, enum wp_view_ab ab)
{
    for (int p = 0; p < WP_COLOURS; p++)
        wp_instance_destroy(&v->instance[ab][p]);
}

const struct wp_schedule *wp_viewer_schedule(struct wp_viewer *v)
{
    return v->ready[WP_A] ? wp_instance_schedule(v->instance[WP_A],
                                                 (enum wp_direction)v->state.direction)
                          : NULL;
}

float *wp_viewer_read_coefficients(struct wp_viewer *v)
{
    const struct wp_instance *a = v->instance[WP_A];
    const size_t samples = wp_instance_coefficients(a);
    const int count = wp_viewer_planes(v, WP_A);
    float *planes = wp_allocate(samples * (size_t)count, sizeof *planes, "coefficients");
    bool ok = planes;
    for (int p = 0; p < count && ok; p++)
        ok = wp_instance_read_coefficients(&v->instance[WP_A][p], planes + (size_t)p * samples);
    if (ok)
        return planes;
    free(planes);
    return NULL;
}

const char *wp_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int wp_viewer_add_file(struct wp_viewer *v, const char *path)
{
    for (int i = 0; i < v->file_count; i++)
        if (strcmp(v->file[i].path, path) == 0)
            return i;
    v->file = wp_xrealloc(v->file, (size_t)v->file_count + 1, sizeof *v->file);
    v->file[v->file_count] = (struct wp_view_file){.path = wp_xstrdup(path)};
    return v->file_count++;
}

// Removes a file from the list, which neither A nor B shows, and renumbers the others. B falls back
// to A's file.
static void remove_file(struct wp_viewer *v, int file)
{
    if (v->state.b.file == file)
        v->state.b.file = v->state.a.file;
    if (v->video_file == file)
        wp_y4m_destroy(&v->video);
    free(v->file[file].path);
    v->file_count--;
    memmove(v->file + file, v->file + file + 1, (size_t)(v->file_count - file) * sizeof *v->file);
    int *const numbers[] = {&v->state.a.file, &v->state.b.file, &v->source[WP_A].file,
                            &v->source[WP_B].file, &v->video_file};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] -= *numbers[i] > file;
}

static void destroy_quads(struct wp_view_source *source)
{
    for (int p = 0; p < WP_COLOURS; p++)
        wp_texture_destroy(&source->quads[p]);
}

void wp_viewer_free_source(struct wp_view_source *source)
{
    free(source->samples);
    destroy_quads(source);
    *source = (struct wp_view_source){.file = -1};
}

static const float *samples_of(const struct wp_view_source *source, int plane)
{
    return source->samples + (size_t)plane * (size_t)source->width * (size_t)source->height *
                                 (size_t)source->depth;
}

bool wp_quads_upload(const float *samples, int width, int height, const struct wp_texture *texture)
{
    const int columns = (width + 1) / 2, lines = (height + 1) / 2, rows = (1 << 18) / columns + 1;
    const struct wp_description plain = {.size = {width, height}};
    const struct wp_transfer transfer = wp_transfer_of_level(&plain, 0);
    const struct wp_operand from = wp_operand_const(&plain, samples);
    float *quads = wp_allocate((size_t)columns * (size_t)(rows < lines ? rows : lines),
                               4 * sizeof *quads, "rows of quads");
    bool ok = quads;
    for (int y = 0; y < lines && ok; y += rows) {
        const int count = y + rows < lines ? rows : lines - y;
        wp_transfer_load(&plain, &transfer, &from, 0, y, count, quads);
        ok = wp_texture_write(texture, 0, y, columns, count, quads);
    }
    free(quads);
    return ok;
}

static bool upload(struct wp_viewer *v, struct wp_view_source *source)
{
    bool ok = true;
    for (int p = 0; p < source->planes && ok; p++)
        ok = (source->quads[p].id ||
              wp_texture_create(v->gl, (source->width + 1) / 2, (source->height + 1) / 2,
                                &source->quads[p])) &&
             wp_quads_upload(samples_of(source, p), source->width, source->height,
                             &source->quads[p]);
    return ok;
}

// Moves the planes of a channel from an image to a source.
static bool select_planes(struct wp_image **slot, enum wp_channel requested,
                          struct wp_view_source *source)
{
    struct wp_image *image = *slot;
    source->colours = wp_image_colour_planes(image);
    const enum wp_channel channel = wp_channel_or_first(requested, source->colours);
    if (!wp_image_select_channel(image, channel, "the image"))
        return false;
    source->width = image->width;
    source->height = image->height;
    source->depth = image->depth;
    source->geometry = image->geometry;
    source->origin = image->origin;
    source->planes = wp_image_colour_planes(image);
    source->samples = wp_image_move_planes(slot);
    return true;
}

// Reads the next frame. After the last frame it reopens the file, if that is possible.
static struct wp_image *read_frame(struct wp_viewer *v, int file)
{
    bool end = false;
    struct wp_image *image = NULL;
    for (int tries = 0; tries < 2 && !image; tries++) {
        const bool opened = !v->video || v->video_file != file;
        if (opened) {
            wp_y4m_destroy(&v->video);
            v->video = wp_y4m_open(v->file[file].path);
            v->video_file = file;
        }
        image = v->video ? wp_y4m_next(v->video, &end) : NULL;
        if (image || !end || opened)
            break;
        if (strcmp(v->file[file].path, "y4m:-") == 0) {
            wp_fail(WP_ERROR_FILE, "standard input has no more frames");
            return NULL;
        }
        wp_y4m_destroy(&v->video);
    }
    if (!image && end)
        wp_fail(WP_ERROR_FILE, "%s: no frames", v->file[file].path);
    return image;
}

// Reads the samples into host memory.
static bool read_source(struct wp_viewer *v, int file, int channel, struct wp_view_source *source)
{
    *source = (struct wp_view_source){.file = -1, .channel = channel};
    struct wp_view_file *f = &v->file[file];
    const bool volume = v->params->read.volume == WP_VOLUME_YES;
    const bool frames = wp_is_y4m(f->path) && !volume;
    struct wp_read_params params = v->params->read;
    params.facts = &source->facts;
    f->modified = frames ? (struct timespec){0} : wp_file_modified(f->path);
    const char *path = volume ? wp_y4m_file(f->path) : f->path;
    struct wp_image *image = frames ? read_frame(v, file) : wp_image_read_with(path, &params, NULL);
    const bool ok = image && select_planes(&image, (enum wp_channel)channel, source);
    wp_image_destroy(&image);
    source->file = ok ? file : -1;
    return ok;
}

bool wp_viewer_read_first(struct wp_viewer *v)
{
    struct wp_view_state *s = &v->state;
    s->a.file = s->a.file < v->file_count ? s->a.file : v->file_count - 1;
    return read_source(v, s->a.file, s->channel, &v->first);
}

// Replaces a source with `next`, reusing the textures if the size is equal. On failure the source
// is unchanged, and the function returns false.
static bool replace_source(struct wp_viewer *v, struct wp_view_source *source,
                           struct wp_view_source *next)
{
    const bool same_size = source->quads[0].id && next->depth == 1 &&
                           source->width == next->width && source->height == next->height &&
                           source->planes == next->planes;
    if (same_size)
        memcpy(next->quads, source->quads, sizeof next->quads);
    if (next->depth == 1 && !upload(v, next)) {
        free(next->samples);
        if (!same_size)
            destroy_quads(next);
        return false;
    }
    for (int ab = WP_A; ab <= WP_B && !same_size; ab++)
        if (v->instance[ab]->plane.quads == &source->quads[0])
            for (int p = 0; p < wp_viewer_planes(v, (enum wp_view_ab)ab); p++)
                wp_instance_unbind(&v->instance[ab][p]);
    if (same_size)
        memset(source->quads, 0, sizeof source->quads);
    wp_viewer_free_source(source);
    *source = *next;
    const float unit = next->facts.maximum > 0 ? (float)next->facts.maximum : 1;
    v->versions++;
    for (int p = 0; p < next->planes; p++)
        source->plane[p] = (struct wp_plane){.width = next->width, .height = next->height,
                                             .depth = next->depth, .samples = samples_of(source, p),
                                             .quads = next->depth == 1 ? &source->quads[p] : NULL,
                                             .unit = unit, .version = v->versions};
    return true;
}

void wp_viewer_update_source(struct wp_viewer *v, enum wp_view_ab ab)
{
    struct wp_instance_view *view = &v->state.view[ab];
    struct wp_view_source *source = &v->source[ab];
    if (v->file_count == 0)
        return;
    view->file = view->file < v->file_count ? view->file : v->file_count - 1;
    if (!source->stale && source->file == view->file && source->channel == v->state.channel)
        return;
    if (!source->stale && source->file < 0 && source->failed == view->file + 1)
        return;
    source->stale = false;
    struct wp_view_source next = v->first; // if it has samples, else read from the file
    v->first.samples = NULL;
    if ((next.samples || read_source(v, view->file, v->state.channel, &next)) &&
        replace_source(v, source, &next))
        return;
    v->state.playing = false;
    const int file = view->file;
    // Files that are not images are removed from the list.
    const bool bad = next.colours == 0 && file != v->source[WP_A].file &&
                     file != v->source[WP_B].file;
    if (source->file >= 0) {
        view->file = source->file;
        v->state.channel = source->channel;
    } else if (!bad) {
        source->failed = file + 1;
    }
    if (bad)
        remove_file(v, file);
}

float wp_viewer_peak(const struct wp_viewer *v)
{
    const float peak = v->source[WP_A].origin.peak;
    return peak > 0 ? peak : 1;
}

struct wp_view_source *wp_viewer_source(struct wp_viewer *v, enum wp_view_ab ab)
{
    return ab == WP_B && v->state.b.file == v->state.a.file ? &v->source[WP_A] : &v->source[ab];
}

void wp_viewer_next(struct wp_viewer *v, int step)
{
    struct wp_view_state *s = &v->state;
    if (v->file_count == 0)
        return;
    if (v->video && v->video_file == s->a.file && step > 0 && v->source[WP_A].file >= 0)
        v->source[WP_A].stale = true;
    else
        s->a.file = s->b.file = (s->a.file + step + v->file_count) % v->file_count;
}
