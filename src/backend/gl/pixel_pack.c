#include "surfaces.h"

#include "memory.h"
#include "threads.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

extern const unsigned char wp_shader_pixel_pack[]; // shaders/pixel_pack.glsl, embedded

enum {
    WORD = 4,            // bytes
    COUNTED_WORDS = 64,  // per texel of counts
    ROW_BITS = 10,       // log2 of the texture's width, increased if it would be too high
    STRIP_WORDS = 1 << 20,
    TABLE_ROW = 256,
    PART_ROWS = 32, // rows of the image per job of a thread
    GROUP_SAMPLES = 1 << 20, // of the largest planes that are packed together
    GROUP_PLANES = 8,        // fewer planes, such as colors, are not worth a division per sample
};

static int divide_up(size_t a, size_t b)
{
    return (int)((a + b - 1) / b);
}

static size_t bytes_of(const struct wp_pixel_pack *pack)
{
    return wp_elements[pack->pixels.type].bytes;
}

static size_t words_in(const struct wp_pixel_pack *pack)
{
    return (size_t)pack->row * (size_t)pack->size[1] * (size_t)pack->group;
}

static bool create(struct wp_gl *gl, int width, int height, struct wp_texture *texture)
{
    if (texture->id && texture->width == width && texture->height >= height)
        return true;
    wp_texture_destroy(texture);
    return wp_texture_create_from(
        gl, &(struct wp_texture_params){.width = width, .height = height, .words = true}, texture);
}

// Fills the table with the value of each number.
static bool create_table(struct wp_pixel_pack *pack, struct wp_gl *gl, bool reversible)
{
    static_assert(sizeof(float) == WORD, "a float's bits are a word");
    const int count = 1 << 8 * bytes_of(pack);
    if (!create(gl, TABLE_ROW, count / TABLE_ROW, &pack->table))
        return false;
    uint16_t *number = wp_allocate((size_t)count, sizeof *number + sizeof(float), "a table");
    if (!number)
        return false;
    float *value = (float *)(void *)(number + count);
    for (int i = 0; i < count; i++)
        if (bytes_of(pack) == 1)
            ((uint8_t *)number)[i] = (uint8_t)i;
        else
            number[i] = (uint16_t)i;
    struct wp_operand numbers = pack->pixels;
    numbers.data = number;
    numbers.stride[0] = 1;
    wp_operand_read(&wp_element_rows, value, &numbers, 0, reversible, count);
    wp_texture_write_words(&pack->table, 0, 0, TABLE_ROW, count / TABLE_ROW, value);
    free(number);
    return true;
}

bool wp_pixel_pack_prepare(struct wp_pixel_pack *pack, struct wp_gl *gl,
                           const struct wp_description *d, const struct wp_operand *pixels)
{
    const struct wp_element_scale scale = wp_operand_scale(pixels, d->reversible);
    const bool same = pack->table.id && pack->pixels.type == pixels->type &&
                      pack->scale.one == scale.one;
    const int planes = wp_description_planes(d), limit = wp_gl_get_info(gl)->max_texture;
    pack->pixels = *pixels;
    pack->scale = scale;
    pack->size[0] = d->size[WP_X];
    pack->size[1] = d->size[WP_Y];
    pack->channels = pixels->stride[WP_PLANE] == 1 && pixels->stride[0] == planes ? planes : 1;
    const bool grouped = pack->channels == 1 && planes >= GROUP_PLANES &&
                         wp_description_depth(d) == 1 &&
                         wp_description_samples(d) <= GROUP_SAMPLES;
    pack->group = grouped ? planes : 1;
    pack->row = divide_up((size_t)d->size[WP_X] * (size_t)pack->channels * bytes_of(pack), WORD);
    const size_t count = words_in(pack);
    pack->bits = ROW_BITS;
    while (divide_up(count, (size_t)1 << pack->bits) > limit && 2 << pack->bits <= limit)
        pack->bits++;
    const int width = 1 << pack->bits, height = divide_up(count, (size_t)width);
    if (!pack->strip)
        pack->strip = wp_allocate(STRIP_WORDS, WORD, "a strip");
    return pack->strip && create(gl, width, height, &pack->texture) &&
           (!wp_pixel_pack_counts(pack) ||
            create(gl, width, divide_up((size_t)height, COUNTED_WORDS), &pack->counts)) &&
           (d->direction == WP_INVERSE || same || create_table(pack, gl, d->reversible));
}

bool wp_pixel_pack_create(struct wp_pixel_pack *pack, struct wp_gl *gl,
                          const struct wp_description *d)
{
    return d->samples == WP_ELEMENT_F32 ||
           wp_pixel_pack_prepare(pack, gl, d,
                                 &(struct wp_operand){.type = d->samples, .stride = {1}});
}

void wp_pixel_pack_destroy(struct wp_pixel_pack *pack)
{
    wp_texture_destroy(&pack->texture);
    wp_texture_destroy(&pack->counts);
    wp_texture_destroy(&pack->table);
    free(pack->strip);
    *pack = (struct wp_pixel_pack){0};
}

int wp_pixel_pack_planes(const struct wp_pixel_pack *pack)
{
    return pack->channels * pack->group;
}

void wp_pixel_pack_emit(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act,
                        struct wp_text *source)
{
    const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    wp_text_add(source, "%s%s%s#define COUNTED_WORDS %d\n%s",
                big_endian ? "#define BIG_ENDIAN\n" : "", pack->group > 1 ? "#define GROUP\n" : "",
                act == WP_PIXEL_PACK_READ    ? "#define READ_WORDS\n"
                : act == WP_PIXEL_PACK_COUNT ? "#define LOST\n"
                                        : "",
                COUNTED_WORDS, (const char *)wp_shader_pixel_pack);
}

void wp_pixel_pack_set(const struct wp_pixel_pack *pack, enum wp_pixel_pack_act act,
                       struct wp_program *program)
{
    float range[2];
    wp_program_set4(program, "words",
                    (const int[]){pack->bits, pack->row, bytes_of(pack) == 1 ? 2 : 1,
                                  pack->channels});
    wp_program_set2(program, "image", pack->size[0], pack->size[1]);
    wp_program_set(program, "group", pack->group);
    if (act == WP_PIXEL_PACK_READ) {
        wp_program_read(program, "table", 1, &pack->table);
        return;
    }
    wp_element_range(pack->scale, range);
    wp_program_set_floats(
        program, "scale", 4,
        (const float[]){pack->scale.one, pack->scale.largest, range[0], range[1]});
}

const struct wp_texture *wp_pixel_pack_target(const struct wp_pixel_pack *pack,
                                              enum wp_pixel_pack_act act)
{
    return act == WP_PIXEL_PACK_COUNT ? &pack->counts : &pack->texture;
}

bool wp_pixel_pack_counts(const struct wp_pixel_pack *pack)
{
    return pack->pixels.lost && pack->scale.largest > 0;
}

// Copies words first..end-1 between a strip and the rows of a slice.
struct transfer {
    const struct wp_pixel_pack *pack;
    ptrdiff_t slice; // offset of its first sample
    char *strip;
    size_t first, end;
    bool load;
};

// Copies the part of row `y` that is in the strip.
static void transfer_row(const struct transfer *t, int y)
{
    const struct wp_pixel_pack *pack = t->pack;
    const struct wp_operand *pixels = &pack->pixels;
    const size_t bytes = bytes_of(pack), row = (size_t)pack->row, begin = (size_t)y * row;
    const size_t first = begin > t->first ? begin : t->first;
    const size_t end = begin + row < t->end ? begin + row : t->end;
    const size_t samples = (size_t)pack->size[0] * (size_t)pack->channels;
    const size_t from = (first - begin) * WORD / bytes, last = (end - begin) * WORD / bytes;
    const size_t count = (last < samples ? last : samples) - from;
    const ptrdiff_t step = pack->channels > 1 ? 1 : pixels->stride[0];
    char *packed = t->strip + (first - t->first) * WORD;
    const int height = pack->size[1];
    char *unpacked = wp_operand_at(pixels, t->slice + y / height * pixels->stride[WP_PLANE] +
                                               y % height * pixels->stride[1] +
                                               (ptrdiff_t)from * step);
    if (t->load)
        wp_elements_copy(bytes, packed, 1, unpacked, step, count);
    else
        wp_elements_copy(bytes, unpacked, step, packed, 1, count);
}

static void transfer_rows(void *user, int part, int thread)
{
    (void)thread;
    const struct transfer *t = user;
    const size_t row = (size_t)t->pack->row;
    const int end = divide_up(t->end, row);
    const int first = (int)(t->first / row) + part * PART_ROWS;
    for (int y = first; y < first + PART_ROWS && y < end; y++)
        transfer_row(t, y);
}

// Copies `rows` rows of texels from `row` on.
static void transfer(const struct wp_pixel_pack *pack, int plane, int z, void *strip, int row,
                     int rows, bool load)
{
    const struct wp_operand *pixels = &pack->pixels;
    const size_t first = (size_t)row << pack->bits, end = first + ((size_t)rows << pack->bits);
    struct transfer t = {
        .pack = pack,
        .slice = plane * pixels->stride[WP_PLANE] + z * pixels->stride[2],
        .strip = strip,
        .first = first,
        .end = end < words_in(pack) ? end : words_in(pack),
        .load = load,
    };
    const int lines = divide_up(t.end, (size_t)pack->row) - (int)(first / (size_t)pack->row);
    wp_threads_share(wp_threads_count(), divide_up((size_t)lines, PART_ROWS), transfer_rows, &t);
}

static int strip_rows(const struct wp_pixel_pack *pack)
{
    return STRIP_WORDS >> pack->bits;
}

static int rows_in(const struct wp_pixel_pack *pack)
{
    return divide_up(words_in(pack), (size_t)1 << pack->bits);
}

void wp_pixel_pack_load(const struct wp_pixel_pack *pack, int plane, int z)
{
    const int max_rows = strip_rows(pack), rows = rows_in(pack);
    for (int y = 0; y < rows; y += max_rows) {
        const int count = rows - y < max_rows ? rows - y : max_rows;
        transfer(pack, plane, z, pack->strip, y, count, true);
        wp_texture_write_words(&pack->texture, 0, y, 1 << pack->bits, count, pack->strip);
    }
}

static bool add_lost(const struct wp_pixel_pack *pack)
{
    const int rows = divide_up((size_t)rows_in(pack), COUNTED_WORDS);
    struct wp_texture_copy copy = {0};
    wp_texture_copy_begin(&copy, &pack->counts, 0, 0, 0, 1 << pack->bits, rows);
    const uint32_t *lost = wp_texture_copy_wait(&copy);
    const size_t count = (size_t)divide_up(words_in(pack), COUNTED_WORDS);
    size_t outside = 0, no_number = 0;
    for (size_t i = 0; lost && i < count; i++) {
        outside += lost[i] & 0xFFFF;
        no_number += lost[i] >> 16;
    }
    wp_lost_add(pack->pixels.lost, outside, no_number);
    if (lost)
        wp_texture_copy_return(&copy);
    wp_texture_copy_destroy(&copy);
    return lost;
}

// The host unpacks a strip while the GPU copies the next one.
bool wp_pixel_pack_store(const struct wp_pixel_pack *pack, int plane, int z)
{
    const int max_rows = strip_rows(pack), rows = rows_in(pack);
    const int strips = (rows + max_rows - 1) / max_rows;
    struct wp_texture_copy copy[2] = {0};
    bool ok = true;
    for (int i = 0; i <= strips && ok; i++) {
        if (i < strips)
            wp_texture_copy_begin(&copy[i % 2], &pack->texture, 0, 0, i * max_rows, 1 << pack->bits,
                                  rows - i * max_rows < max_rows ? rows - i * max_rows : max_rows);
        if (i == 0)
            continue;
        const int y = (i - 1) * max_rows, count = rows - y < max_rows ? rows - y : max_rows;
        const void *strip = wp_texture_copy_wait(&copy[(i - 1) % 2]);
        ok = strip;
        if (!ok)
            break;
        transfer(pack, plane, z, (void *)strip, y, count, false);
        wp_texture_copy_return(&copy[(i - 1) % 2]);
    }
    for (int i = 0; i < 2; i++)
        wp_texture_copy_destroy(&copy[i]);
    return ok && (!wp_pixel_pack_counts(pack) || add_lost(pack));
}
