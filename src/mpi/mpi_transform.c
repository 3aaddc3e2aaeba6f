// Transforms slabs level by level, with the sweeps of the CPU backend or as tiles on another
// backend, and exchanges the rows that they read of each other.
#include "wavepass_mpi.h"

#include "cpu_level.h"
#include "log.h"
#include "memory.h"
#include "mpi_slabs.h"
#include "transform.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 16, TAG = 1 };

// Rows of a plane of samples, or of the four bands of a level, interleaved.
struct store {
    struct wp_slab_rows rows;
    struct wp_cpu_row_ring row_ring[2]; // of even and odd rows; for samples [0], of all rows
    struct wp_cpu_quads quads;
};

// A part of a slab, with stores for the rows that are not in the caller's memory: input, the result
// of the first sweep, and output.
struct part {
    struct wp_slab_part slab;
    struct store in, between, out;
};

// Rows that are sent to or received from another process.
struct message {
    int peer, floats;
    float *data;
    int runs;
    struct {
        int part;
        struct wp_slab_rows rows;
    } run[WP_SLAB_PARTS * WP_SLAB_RUNS];
};

struct exchange {
    int count;
    struct message *message;
};

struct level {
    int width, height;
    struct wp_slabs slabs;
    struct wp_cpu_level sweeps;
    struct wp_transform *tile; // transforms the only part, on backends other than the CPU; or NULL
    struct part part[WP_SLAB_PARTS];
    struct exchange send, receive;
};

struct direction {
    struct wp_cpu_program program;
    struct level level[WP_MAX_LEVELS];
};

struct wp_mpi {
    MPI_Comm communicator;
    int rank, ranks, planes;
    struct wp_wavelet wavelet;
    struct wp_description description;
    const struct wp_cpu_rows *rows;
    int *start; // [levels + 1][ranks + 1]: starts of the slabs of each level
    float *low[WP_MAX_LEVELS]; // this process's LL rows of each level except the last
    struct direction direction[WP_DIRECTION_COUNT];
    float *memory; // for stores and messages
    float *ring;   // row buffers of the sweeps
    struct wp_mpi_device device;
    bool failed;         // the device failed in this run
    float *tile_memory;  // input and output of a tile, of one level at a time
    size_t tile_floats;
    MPI_Request *request;
};

static int levels_of(const struct wp_mpi *t)
{
    return t->description.levels;
}

static const int *starts_of(const struct wp_mpi *t, int level)
{
    return t->start + (size_t)level * (size_t)(t->ranks + 1);
}

static int rows_of(const struct wp_mpi *t, int level)
{
    const int *start = starts_of(t, level);
    return start[t->rank + 1] - start[t->rank];
}

// An arena. If `base` is NULL, allocations only count the required floats.
struct arena {
    float *base;
    size_t used;
};

static float *arena_alloc(struct arena *arena, size_t floats)
{
    float *at = arena->base ? arena->base + arena->used : NULL;
    arena->used += (floats + LINE - 1) / LINE * LINE;
    return at;
}

// The number of even (0) or odd (1) rows.
static int half_of(int count, int parity)
{
    return wp_cpu_extent(count, parity);
}

static void set_row_ring(struct store *store, int parity, int height, int first, int count)
{
    store->row_ring[parity] =
        (struct wp_cpu_row_ring){.rows = height, .first = first, .fixed = count, .ring = 1};
}

// Set the rows and pitches of a store, without its memory.
static void shape_samples(struct store *store, const struct level *level, struct wp_slab_rows rows,
                          int pitch)
{
    *store = (struct store){.rows = rows, .quads = {.samples = true, .pitch = {pitch}}};
    set_row_ring(store, 0, level->height, rows.first, rows.count);
}

static void shape_bands(struct store *store, const struct level *level, struct wp_slab_rows rows)
{
    *store = (struct store){.rows = rows};
    for (int cy = 0; cy < 2; cy++)
        set_row_ring(store, cy, wp_cpu_extent(level->height, cy), rows.first / 2,
                   half_of(rows.count, cy));
    for (int c = 0; c < WP_BAND_COUNT; c++)
        store->quads.pitch[c] = wp_cpu_extent(level->width, c & 1);
}

// Sets pointers into the store, which must not be moved afterwards.
static void bind_row_rings(struct store *store)
{
    for (int c = 0; c < (store->quads.samples ? 1 : WP_BAND_COUNT); c++)
        store->quads.rows_ring[c] = &store->row_ring[store->quads.samples ? 0 : c >> 1];
}

static void allocate_store(struct arena *arena, struct store *store)
{
    bind_row_rings(store);
    if (store->quads.samples) {
        store->quads.data[0] =
            arena_alloc(arena, (size_t)store->rows.count * (size_t)store->quads.pitch[0]);
        return;
    }
    for (int c = 0; c < WP_BAND_COUNT; c++)
        store->quads.data[c] = arena_alloc(arena, (size_t)half_of(store->rows.count, c >> 1) *
                                               (size_t)store->quads.pitch[c]);
}

static bool is_forward(const struct level *level)
{
    return level->slabs.direction == WP_FORWARD;
}

// The rows of quads, two per quad, within the level.
static struct wp_slab_rows output_rows(const struct level *level, const struct wp_slab_rows *quads)
{
    const int first = 2 * quads->first, end = first + 2 * quads->count;
    const int last = end < level->height ? end : level->height;
    return (struct wp_slab_rows){first, last > first ? last - first : 0};
}

// Lays out the input and output of a tile in t->tile_memory.
static void layout_tile(struct wp_mpi *t, struct level *level, struct part *part)
{
    struct arena arena = {.base = t->tile_memory};
    const struct wp_slab_rows *rows = &part->slab.rows;
    if (is_forward(level)) {
        shape_samples(&part->in, level, *rows, level->width);
        shape_bands(&part->out, level, *rows);
    } else {
        shape_bands(&part->in, level, *rows);
        shape_samples(&part->out, level, *rows, level->width);
    }
    allocate_store(&arena, &part->in);
    allocate_store(&arena, &part->out);
    if (arena.used > t->tile_floats)
        t->tile_floats = arena.used;
}

// Lays out the stores of a part. The part inside of the slab reads and writes the caller's rows and
// needs none, except between two sweeps.
static void layout_part(struct wp_mpi *t, struct arena *arena, struct level *level, int number)
{
    struct part *part = &level->part[number];
    part->slab = wp_slabs_part(&level->slabs, t->rank, number);
    if (!part->slab.quads.count)
        return;
    if (level->slabs.single_part) {
        layout_tile(t, level, part);
        return;
    }
    const bool forward = is_forward(level), two = level->sweeps.sweeps > 1;
    const struct wp_slab_rows output = output_rows(level, &part->slab.quads);
    if (number != WP_SLAB_INSIDE) {
        if (forward) {
            shape_samples(&part->in, level, part->slab.padded, level->width);
        } else {
            shape_bands(&part->in, level, part->slab.padded);
            shape_samples(&part->out, level, output, level->width);
            allocate_store(arena, &part->out);
        }
        allocate_store(arena, &part->in);
    }
    // The sweep along x needs no additional rows: it is the second one of the forward transform,
    // and the first one of the inverse.
    if (two) {
        shape_bands(&part->between, level, forward ? output : part->slab.padded);
        allocate_store(arena, &part->between);
    }
}

static void add_runs(struct message *message, const struct level *level, int reader, int owner)
{
    for (int p = 0; p < WP_SLAB_INSIDE; p++) {
        struct wp_slab_rows run[WP_SLAB_RUNS];
        const int runs = wp_slabs_runs(&level->slabs, reader, p, owner, run);
        for (int i = 0; i < runs; i++) {
            message->run[message->runs].part = p;
            message->run[message->runs++].rows = run[i];
            message->floats += run[i].count * level->width;
        }
    }
}

static void layout_messages(struct wp_mpi *t, struct arena *arena, const struct level *level,
                           struct exchange *exchange, bool sends)
{
    int count = 0;
    for (int peer = 0; peer < t->ranks; peer++) {
        struct message message = {.peer = peer};
        add_runs(&message, level, sends ? peer : t->rank, sends ? t->rank : peer);
        if (!message.runs)
            continue;
        message.data = arena_alloc(arena, (size_t)message.floats);
        if (exchange->message)
            exchange->message[count] = message;
        count++;
    }
    exchange->count = count;
}

static void layout_all(struct wp_mpi *t, struct arena *arena)
{
    for (int l = 0; l + 1 < levels_of(t); l++)
        t->low[l] = arena_alloc(arena, (size_t)rows_of(t, l + 1) *
                                    (size_t)wp_level_size(t->description.size[WP_X], l + 1));
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int l = 0; l < levels_of(t); l++) {
            struct level *level = &t->direction[d].level[l];
            for (int p = 0; p < WP_SLAB_PARTS; p++)
                layout_part(t, arena, level, p);
            layout_messages(t, arena, level, &level->send, true);
            layout_messages(t, arena, level, &level->receive, false);
        }
}

// The number of pairs that sweeps access beyond those that the steps need. One more, because a
// chain reads odd samples one row of quads after even ones.
static int margin_of(const struct wp_cpu_level *sweeps, const struct wp_lifting *lifting)
{
    int most = 0;
    for (int s = 0; s < sweeps->sweeps; s++) {
        const int above = sweeps->sweep[s].low[WP_Y] - lifting->before;
        const int below = sweeps->sweep[s].high[WP_Y] - lifting->after;
        most = above > most ? above : most;
        most = below > most ? below : most;
    }
    return most + 1;
}

static bool set_direction(struct wp_mpi *t, enum wp_direction direction, size_t *ring)
{
    static const struct wp_cpu_method fused = {.rows = false};
    struct direction *set = &t->direction[direction];
    struct wp_description d = t->description;
    d.direction = direction;
    const struct wp_lifting lifting = wp_description_lifting(&d);
    wp_cpu_program_set(&set->program, &lifting);
    for (int l = 0; l < levels_of(t); l++) {
        struct level *level = &set->level[l];
        level->width = wp_description_size(&d, WP_X, l);
        level->height = wp_description_size(&d, WP_Y, l);
        const bool single_part = t->device.is_used;
        if (!single_part && !wp_cpu_level_set(&level->sweeps, &d, l, &fused, &set->program))
            return false;
        level->slabs = wp_slabs_of(&lifting, level->height > 1,
                                   single_part ? 0 : margin_of(&level->sweeps, &lifting),
                                   level->height, t->ranks, starts_of(t, l));
        level->slabs.single_part = single_part;
        for (int s = 0; s < level->sweeps.sweeps; s++) {
            const size_t floats = wp_cpu_sweep_ring(&level->sweeps.sweep[s]);
            *ring = floats > *ring ? floats : *ring;
        }
    }
    return true;
}

static bool allocate_exchanges(struct wp_mpi *t)
{
    int most = 0;
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int l = 0; l < levels_of(t); l++) {
            struct level *level = &t->direction[d].level[l];
            struct exchange *both[] = {&level->send, &level->receive};
            for (int i = 0; i < 2; i++) {
                both[i]->message = wp_allocate((size_t)both[i]->count + 1,
                                               sizeof *both[i]->message, "messages");
                if (!both[i]->message)
                    return false;
            }
            const int count = level->send.count + level->receive.count;
            most = count > most ? count : most;
        }
    t->request = wp_allocate((size_t)most + 1, sizeof(MPI_Request), "messages");
    return t->request;
}

// Allocates zeroed memory, since sweeps also read rows around those that a part needs.
static bool allocate_memory(struct wp_mpi *t, size_t ring)
{
    struct arena arena = {0};
    layout_all(t, &arena);
    if (!allocate_exchanges(t))
        return false;
    const size_t line = LINE * sizeof(float);
    t->memory =
        wp_allocate(arena.used + ring + 2 * LINE, sizeof(float), "rows of other processes");
    if (!t->memory)
        return false;
    t->tile_memory = t->tile_floats
                    ? wp_allocate_pages(t->tile_floats, sizeof(float), "a slab to transfer")
                    : NULL;
    if (t->tile_floats && !t->tile_memory)
        return false;
    arena = (struct arena){.base = t->memory + (line - (size_t)t->memory % line) % line /
                                                   sizeof(float)};
    layout_all(t, &arena);
    t->ring = arena_alloc(&arena, ring);
    return true;
}

// Creates the transforms of tiles on another backend, each of one level.
static bool create_tiles(struct wp_mpi *t)
{
    bool ok = true;
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int l = 0; l < levels_of(t) && t->device.is_used && ok; l++) {
            struct level *level = &t->direction[d].level[l];
            const struct wp_slab_part *slab = &level->part[WP_SLAB_ABOVE].slab;
            if (!slab->quads.count)
                continue;
            level->tile = wp_mpi_device_tile(&t->device, level->width, slab->rows.count);
            ok = level->tile;
        }
    return ok;
}

// True if `ok` is true in all processes. Collective.
static bool all_agree(const struct wp_mpi *t, bool ok)
{
    int mine = ok, all = 0;
    return MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, t->communicator) == MPI_SUCCESS && all;
}

static bool fail_mpi(int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (error == MPI_SUCCESS)
        return true;
    MPI_Error_string(error, text, &length);
    return wp_fail(WP_ERROR_INTERNAL, "MPI failed (%.*s)", length, text);
}

static bool check_params(const struct wp_transform_params *params)
{
    if (params->depth > 1)
        return wp_fail(WP_ERROR_USAGE, "slabs of rows are for images, not for volumes");
    if (params->layout && strcmp(params->layout, "mallat") != 0)
        return wp_fail(WP_ERROR_USAGE,
                       "layout '%s' is not supported: each subband has a separate array",
                       params->layout);
    if (params->precision && strcmp(params->precision, "f32") != 0)
        return wp_fail(WP_ERROR_USAGE, "slabs do not support precision '%s' between levels",
                       params->precision);
    if (params->current_context)
        return wp_fail(WP_ERROR_USAGE, "slabs of rows do not support an OpenGL context of the "
                                       "caller");
    return true;
}

// Gets the starts of all slabs. Collective.
static bool share_starts(struct wp_mpi *t, int rows, int height)
{
    int error = MPI_Allgather(&rows, 1, MPI_INT, t->start + 1, 1, MPI_INT, t->communicator);
    if (error != MPI_SUCCESS)
        return fail_mpi(error);
    long long sum = 0;
    for (int r = 0; r < t->ranks; r++) {
        if (t->start[r + 1] < 0)
            return wp_fail(WP_ERROR_USAGE, "process %d has %d rows", r, t->start[r + 1]);
        sum += t->start[r + 1];
        t->start[r + 1] = sum > INT_MAX ? INT_MAX : (int)sum;
    }
    return sum == height ||
           wp_fail(WP_ERROR_USAGE, "the processes have %lld rows of an image of %d", sum, height);
}

static bool set_up(struct wp_mpi *t, const struct wp_transform_params *params, int rows)
{
    bool ok = check_params(params) &&
              wp_transform_resolve(params, &t->wavelet, &t->description) &&
              wp_description_check_native(&t->description, "a transform of several processes");
    const size_t starts = (size_t)(t->ranks + 1) * (size_t)(levels_of(t) + 1);
    if (ok) {
        t->description.wavelet = &t->wavelet;
        t->planes = params->planes > 1 ? params->planes : 1;
        t->start = wp_allocate(starts, sizeof *t->start, "slabs");
        ok = t->start != NULL;
    }
    // Collective: a process that has failed must take part, too.
    if (!wp_mpi_device_set(&t->device, ok ? params : NULL, t->communicator))
        ok = false;
    if (!all_agree(t, ok) || !share_starts(t, rows, t->description.size[WP_Y]))
        return false;
    for (int l = 0; l < levels_of(t); l++) {
        const struct wp_slabs slabs = {.ranks = t->ranks, .start = starts_of(t, l)};
        wp_slabs_next(&slabs, t->start + (size_t)(l + 1) * (size_t)(t->ranks + 1));
    }
    size_t ring = 0;
    t->rows = wp_cpu_rows_get(0);
    ok = set_direction(t, WP_FORWARD, &ring) && set_direction(t, WP_INVERSE, &ring) &&
         allocate_memory(t, ring) && create_tiles(t);
    return all_agree(t, ok);
}

struct wp_mpi *wp_mpi_create(const struct wp_transform_params *params, MPI_Comm communicator,
                             int rows)
{
    struct wp_mpi *t = wp_allocate(1, sizeof *t, "a transform");
    struct wp_mpi none = {0}, *at = t ? t : &none;
    int error = MPI_Comm_dup(communicator, &at->communicator);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_errhandler(at->communicator, MPI_ERRORS_RETURN);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_rank(at->communicator, &at->rank);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_size(at->communicator, &at->ranks);
    if (!fail_mpi(error)) {
        free(t);
        return NULL;
    }
    if (all_agree(at, t) && set_up(t, params, rows))
        return t;
    if (t)
        wp_mpi_destroy(&t);
    else
        MPI_Comm_free(&none.communicator);
    return NULL;
}

void wp_mpi_destroy(struct wp_mpi **transform)
{
    struct wp_mpi *t = *transform;
    if (!t)
        return;
    for (int d = 0; d < WP_DIRECTION_COUNT; d++)
        for (int l = 0; l < levels_of(t); l++) {
            wp_cpu_level_free(&t->direction[d].level[l].sweeps);
            wp_transform_destroy(&t->direction[d].level[l].tile);
            free(t->direction[d].level[l].send.message);
            free(t->direction[d].level[l].receive.message);
        }
    MPI_Comm_free(&t->communicator);
    free(t->request);
    free(t->tile_memory);
    free(t->memory);
    free(t->start);
    free(t);
    *transform = NULL;
}

int wp_mpi_band_count(const struct wp_mpi *t)
{
    return 3 * levels_of(t) + 1;
}

// The index of a band of level l, from 0.
static int band_number(const struct wp_mpi *t, int l, int component)
{
    return component == WP_BAND_LL ? 0 : 3 * (levels_of(t) - 1 - l) + component;
}

bool wp_mpi_get_band(const struct wp_mpi *t, int index, struct wp_mpi_band *band)
{
    if (index < 0 || index >= wp_mpi_band_count(t))
        return wp_fail(WP_ERROR_USAGE, "band %d is out of range (0 to %d)", index,
                       wp_mpi_band_count(t) - 1);
    const int component = index ? (index - 1) % 3 + 1 : 0;
    const int l = levels_of(t) - 1 - (index ? (index - 1) / 3 : 0);
    const struct level *level = &t->direction[WP_FORWARD].level[l];
    const struct wp_slab_rows quads = wp_slabs_quads(&level->slabs, t->rank);
    const int height = wp_cpu_extent(level->height, component >> 1);
    const int end = quads.first + quads.count < height ? quads.first + quads.count : height;
    *band = (struct wp_mpi_band){
        .name = wp_band_names[component],
        .level = l + 1,
        .width = wp_cpu_extent(level->width, component & 1),
        .height = height,
        .first_row = quads.first < height ? quads.first : height,
        .rows = end > quads.first ? end - quads.first : 0,
    };
    return true;
}

// Sets a store to this process's samples of a level, in the caller's memory or in t->low.
static void bind_samples(const struct wp_mpi *t, const struct level *level, int l, float *data,
                        struct store *store)
{
    const int *start = starts_of(t, l);
    const struct wp_slab_rows rows = {start[t->rank], rows_of(t, l)};
    shape_samples(store, level, rows, level->width);
    store->quads.data[0] = data;
    bind_row_rings(store);
}

// Sets a store to this process's bands of a level.
static void bind_bands(const struct wp_mpi *t, const struct level *level, int l,
                      float *const bands[], int plane, struct store *store)
{
    const struct wp_slab_rows quads = wp_slabs_quads(&level->slabs, t->rank);
    shape_bands(store, level, output_rows(level, &quads));
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        if (c == WP_BAND_LL && l + 1 < levels_of(t)) {
            store->quads.data[c] = t->low[l];
            continue;
        }
        float *band = bands[band_number(t, l, c)];
        const size_t floats = (size_t)half_of(store->rows.count, c >> 1) *
                              (size_t)store->quads.pitch[c];
        store->quads.data[c] = band ? band + (size_t)plane * floats : NULL;
    }
    bind_row_rings(store);
}

// Gets the one or two pieces of a row: samples, or coefficients of two bands. Returns their number.
static int pieces_of(const struct store *store, const struct level *level, int row, float *piece[2],
                     int floats[2])
{
    if (store->quads.samples) {
        piece[0] = wp_cpu_quads_row(&store->quads, 0, row);
        floats[0] = level->width;
        return 1;
    }
    for (int cx = 0; cx < 2; cx++) {
        piece[cx] = wp_cpu_quads_row(&store->quads, 2 * (row & 1) + cx, row >> 1);
        floats[cx] = wp_cpu_extent(level->width, cx);
    }
    return 2;
}

// Copies floats. Bands of an image one sample wide have none, and no memory.
static void copy_floats(float *to, const float *from, int count)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
}

// Copies a row of a store to (`pack`) or from contiguous floats.
static void copy_row(const struct store *store, const struct level *level, int row, float *packed,
                     bool pack)
{
    float *piece[2];
    int floats[2];
    const int pieces = pieces_of(store, level, row, piece, floats);
    for (int i = 0; i < pieces; i++) {
        copy_floats(pack ? packed : piece[i], pack ? piece[i] : packed, floats[i]);
        packed += floats[i];
    }
}

static void pack(const struct message *message, const struct level *level,
                 const struct store *local)
{
    float *to = message->data;
    for (int i = 0; i < message->runs; i++)
        for (int n = 0; n < message->run[i].rows.count; n++, to += level->width)
            copy_row(local, level, message->run[i].rows.first + n, to, true);
}

static void unpack(const struct message *message, struct level *level)
{
    float *from = message->data;
    for (int i = 0; i < message->runs; i++)
        for (int n = 0; n < message->run[i].rows.count; n++, from += level->width)
            copy_row(&level->part[message->run[i].part].in, level,
                     message->run[i].rows.first + n, from, false);
}

static bool start_messages(struct wp_mpi *t, struct level *level, const struct store *local)
{
    int count = 0, error = MPI_SUCCESS;
    for (int i = 0; i < level->receive.count && error == MPI_SUCCESS; i++) {
        struct message *m = &level->receive.message[i];
        error = MPI_Irecv(m->data, m->floats, MPI_FLOAT, m->peer, TAG, t->communicator,
                          &t->request[count++]);
    }
    for (int i = 0; i < level->send.count && error == MPI_SUCCESS; i++) {
        struct message *m = &level->send.message[i];
        pack(m, level, local);
        error = MPI_Isend(m->data, m->floats, MPI_FLOAT, m->peer, TAG, t->communicator,
                          &t->request[count++]);
    }
    return fail_mpi(error);
}

static bool end_messages(struct wp_mpi *t, struct level *level)
{
    const int error = MPI_Waitall(level->receive.count + level->send.count, t->request,
                                  MPI_STATUSES_IGNORE);
    for (int i = 0; i < level->receive.count && error == MPI_SUCCESS; i++)
        unpack(&level->receive.message[i], level);
    return fail_mpi(error);
}

// Copies the rows that a part reads from the slab of this process.
static void copy_local(const struct wp_mpi *t, const struct level *level,
                       const struct store *local, struct part *part)
{
    const struct wp_slab_rows mine = wp_slabs_rows_of_rank(&level->slabs, t->rank);
    float *piece[2], *to[2];
    int floats[2];
    for (int n = 0; n < part->slab.rows.count; n++) {
        const int row = (part->slab.rows.first + n) % level->height;
        if (row < mine.first || row >= mine.first + mine.count)
            continue;
        const int pieces = pieces_of(local, level, row, piece, floats);
        pieces_of(&part->in, level, row, to, floats);
        for (int i = 0; i < pieces; i++)
            copy_floats(to[i], piece[i], floats[i]);
    }
}

static void run_part(const struct wp_mpi *t, struct level *level, struct part *part,
                     const struct store *in, const struct store *out)
{
    const struct wp_slab_rows *quads = &part->slab.quads;
    wp_cpu_level_bind(&level->sweeps, &in->quads, &out->quads, &part->between.quads);
    for (int s = 0; s < level->sweeps.sweeps; s++) {
        const struct wp_cpu_sweep *sweep = &level->sweeps.sweep[s];
        const bool all = s + 1 < level->sweeps.sweeps && !is_forward(level);
        const struct wp_slab_rows *padded = &part->slab.padded;
        wp_cpu_sweep_run(sweep, t->rows, all ? padded->first / 2 : quads->first,
                         all ? (padded->count + 1) / 2 : quads->count, t->ring);
    }
}

// Copies the output rows of a part that belong to the slab of this process.
static void copy_output(const struct wp_mpi *t, int l, const struct level *level,
                      const struct part *part, const struct store *local)
{
    const int *start = starts_of(t, l);
    const struct wp_slab_rows output = output_rows(level, &part->slab.quads);
    const bool forward = is_forward(level);
    float *piece[2], *to[2];
    int floats[2];
    for (int row = output.first; row < output.first + output.count; row++) {
        if (!forward && (row < start[t->rank] || row >= start[t->rank + 1]))
            continue;
        const int pieces = pieces_of(&part->out, level, row, piece, floats);
        pieces_of(local, level, row, to, floats);
        for (int i = 0; i < pieces; i++)
            copy_floats(to[i], piece[i], floats[i]);
    }
}

// Describes a store: samples, or the four bands of a level in `band`.
static struct wp_operand memory_of(const struct store *store, struct wp_operand band[WP_BAND_COUNT])
{
    if (store->quads.samples)
        return (struct wp_operand){.data = store->quads.data[0]};
    for (int c = 0; c < WP_BAND_COUNT; c++)
        band[c] = (struct wp_operand){.data = store->quads.data[c],
                                   .stride = {1, store->quads.pitch[c]}};
    return (struct wp_operand){.band = band, .bands = WP_BAND_COUNT};
}

static bool run_tile(struct level *level, const struct part *part)
{
    struct wp_operand band[WP_BAND_COUNT];
    const struct wp_operand in = memory_of(&part->in, band), out = memory_of(&part->out, band);
    return is_forward(level) ? wp_transform_forward(level->tile, &in, &out)
                             : wp_transform_inverse(level->tile, &in, &out);
}

// Transforms level l from `from` to `to`, which are this process's rows.
static bool run_level(struct wp_mpi *t, int l, struct level *level, const struct store *from,
                      const struct store *to)
{
    if (!start_messages(t, level, from))
        return false;
    struct part *inside = &level->part[WP_SLAB_INSIDE];
    if (inside->slab.quads.count)
        run_part(t, level, inside, from, to);
    if (!end_messages(t, level))
        return false;
    for (int p = 0; p < WP_SLAB_INSIDE; p++) {
        struct part *part = &level->part[p];
        if (!part->slab.quads.count)
            continue;
        copy_local(t, level, from, part);
        // A process that fails here continues, since others wait for its messages of later levels.
        if (level->tile)
            t->failed = !run_tile(level, part) || t->failed;
        else
            run_part(t, level, part, &part->in, is_forward(level) ? to : &part->out);
        if (level->tile || !is_forward(level))
            copy_output(t, l, level, part, to);
    }
    return true;
}

static bool run_plane(struct wp_mpi *t, enum wp_direction direction, float *samples,
                      float *const bands[], int plane)
{
    const bool forward = direction == WP_FORWARD;
    const int levels = levels_of(t);
    bool ok = true;
    for (int i = 0; i < levels && ok; i++) {
        const int l = forward ? i : levels - 1 - i;
        struct level *level = &t->direction[direction].level[l];
        struct store outer, inner;
        bind_samples(t, level, l, l ? t->low[l - 1] : samples, &outer);
        bind_bands(t, level, l, bands, plane, &inner);
        ok = run_level(t, l, level, forward ? &outer : &inner, forward ? &inner : &outer);
    }
    return ok;
}

static bool run(struct wp_mpi *t, enum wp_direction direction, float *samples,
                float *const bands[])
{
    const size_t plane = (size_t)rows_of(t, 0) * (size_t)t->description.size[WP_X];
    bool ok = true;
    t->failed = false;
    for (int p = 0; p < t->planes && ok; p++)
        ok = run_plane(t, direction, samples + (size_t)p * plane, bands, p);
    return t->device.is_used ? all_agree(t, ok && !t->failed) : ok;
}

bool wp_mpi_forward(struct wp_mpi *t, const float *samples, float *const bands[])
{
    return run(t, WP_FORWARD, (float *)samples, bands);
}

bool wp_mpi_inverse(struct wp_mpi *t, const float *const bands[], float *samples)
{
    return run(t, WP_INVERSE, samples, (float *const *)bands);
}
