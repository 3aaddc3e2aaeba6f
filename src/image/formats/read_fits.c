// Reads FITS with CFITSIO: the first image, in the primary HDU or an extension.
// https://fits.gsfc.nasa.gov/fits_standard.html
#include "image_io.h"
#include "memory.h"
#include "stream.h"

#include <dlfcn.h>
#include <fitsio.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// CFITSIO is loaded when the first FITS file is read, since it depends on libcurl and a dozen other
// libraries that would be loaded with the program.

// The functions that are used, by their linker names (fitsio.h defines macros for them).
#define FUNCTIONS(function) \
    function(ffclos) function(ffcmsg) function(ffgerr) function(ffghadll) function(ffgidm) \
    function(ffgidt) function(ffgiszll) function(ffgky) function(ffgmsg) function(ffgpxvll) \
    function(ffmahd) function(ffomem)

#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256]; // why loading failed, or ""

static void find(void *handle, const char *name, void *function)
{
    *(void **)function = handle ? dlsym(handle, name) : NULL;
    if (!*(void **)function && !problem[0])
        snprintf(problem, sizeof problem, "%s", dlerror());
}

static void load(void)
{
    void *handle = dlopen(WP_FITS_SONAME, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) find(handle, #name, &library.name);
    FUNCTIONS(FIND)
}

// Loads the library. False after WP_ERROR_UNAVAILABLE; `file` is for the message.
static bool load_library(const char *file)
{
    pthread_once(&once, load);
    return !problem[0] ||
           wp_fail(WP_ERROR_UNAVAILABLE,
                   "%s is a FITS file, and CFITSIO cannot be loaded (%s)\nhint: install %s", file,
                   problem, WP_FITS_SONAME);
}

#define ffclos library.ffclos
#define ffcmsg library.ffcmsg
#define ffgerr library.ffgerr
#define ffghadll library.ffghadll
#define ffgidm library.ffgidm
#define ffgidt library.ffgidt
#define ffgiszll library.ffgiszll
#define ffgky library.ffgky
#define ffgmsg library.ffgmsg
#define ffgpxvll library.ffgpxvll
#define ffmahd library.ffmahd
#define ffomem library.ffomem

enum { MAX_AXES = 16, CARD = 80, BLOCK = 2880, CARDS = BLOCK / CARD };

struct job {
    struct wp_source source; // uncompressed
    fitsfile *file;
    int status;
    int type; // BITPIX
    int axes, third; // number of axes; index of the axis of slices, 0 if there is none
    LONGLONG side[MAX_AXES];
    unsigned long long width, height, depth;
    double divisor; // divisor of values
    double *row;
};

// Reports CFITSIO's status and its latest message.
static bool fail(struct job *job)
{
    char text[FLEN_STATUS] = "", message[FLEN_ERRMSG] = "", line[FLEN_ERRMSG];
    fits_get_errstatus(job->status, text);
    while (fits_read_errmsg(line))
        snprintf(message, sizeof message, "%s", line);
    if (job->status == MEMORY_ALLOCATION)
        return wp_fail(WP_ERROR_TOO_LARGE, "%s: not enough memory to read a FITS",
                       job->source.name);
    return wp_source_fail(&job->source, "damaged FITS (%s%s%s)", text, message[0] ? ": " : "",
                          message);
}

// True if the current HDU has an image; gets its number of axes.
static bool is_image(struct job *job, int kind)
{
    job->axes = 0;
    return kind == IMAGE_HDU && fits_get_img_dim(job->file, &job->axes, &job->status) == 0 &&
           job->axes > 0;
}

// Opens the first HDU with an image, and warns if there are others.
static bool find_image(struct job *job)
{
    int found = 0, images = 0, kind;
    for (int hdu = 1; fits_movabs_hdu(job->file, hdu, &kind, &job->status) == 0; hdu++) {
        if (is_image(job, kind)) {
            found = found ? found : hdu;
            images++;
        }
        if (job->status)
            break;
    }
    if (!found && job->status != END_OF_FILE)
        return fail(job);
    if (!found)
        return wp_source_fail(&job->source, "not supported (FITS without an image)");
    job->status = 0; // HDUs after the image may be damaged
    fits_clear_errmsg();
    if (images > 1)
        wp_log(WP_LOG_WARNING, "%s: a FITS with %d images; only the first (HDU %d) is read",
               job->source.name, images, found);
    else if (found > 1)
        wp_log(WP_LOG_VERBOSE, "%s: reading the image of HDU %d", job->source.name, found);
    return (fits_movabs_hdu(job->file, found, &kind, &job->status) == 0 && is_image(job, kind)) ||
           fail(job);
}

// Gets the shape. Axes of length 1 after the second are dropped.
static bool read_shape(struct job *job)
{
    int more = 0;
    if (job->axes > MAX_AXES || job->axes < 2)
        return wp_source_fail(&job->source, "not supported (FITS with %d ax%ss)", job->axes,
                              job->axes == 1 ? "i" : "e");
    if (fits_get_img_sizell(job->file, MAX_AXES, job->side, &job->status) ||
        fits_get_img_type(job->file, &job->type, &job->status))
        return fail(job);
    for (int i = 0; i < job->axes; i++) {
        if (job->side[i] < 0)
            return wp_source_fail(&job->source, "damaged FITS (a negative size)");
        if (i >= 2 && job->side[i] != 1) {
            job->third = i;
            more++;
        }
    }
    job->width = (unsigned long long)job->side[0];
    job->height = (unsigned long long)job->side[1];
    job->depth = job->third ? (unsigned long long)job->side[job->third] : 1;
    return more <= 1 ||
           wp_source_fail(&job->source, "not supported (FITS with %d axes longer than 1)",
                          2 + more);
}

static bool check_size(struct job *job)
{
    LONGLONG header, data, end;
    if (!wp_source_check_volume(&job->source, job->width, job->height, job->depth))
        return false;
    if (fits_get_hduaddrll(job->file, &header, &data, &end, &job->status))
        return fail(job);
    return wp_source_needs(&job->source,
                           (unsigned long long)data +
                               job->width * job->height * job->depth *
                                   (unsigned)(abs(job->type) / 8));
}

// A number in the header, or `default_` if the header does not have it.
static double read_number(struct job *job, const char *key, double default_)
{
    int status = 0;
    double value = default_;
    fits_read_key(job->file, TDOUBLE, key, &value, NULL, &status);
    if (status)
        fits_clear_errmsg();
    return status ? default_ : value;
}

// With BSCALE 1, one value of BZERO is the convention for the opposite signedness of integers.
static int effective_type(int type, double slope, double zero)
{
    static const struct {
        int stored, effective;
        double zero;
    } types[] = {{BYTE_IMG, SBYTE_IMG, -0x1p7},
                 {SHORT_IMG, USHORT_IMG, 0x1p15},
                 {LONG_IMG, ULONG_IMG, 0x1p31},
                 {LONGLONG_IMG, ULONGLONG_IMG, 0x1p63}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (type == types[i].stored && slope == 1.0 && zero == types[i].zero)
            return types[i].effective;
    return type;
}

static enum wp_sample_type sample_type(int type)
{
    switch (type) {
    case BYTE_IMG: return WP_SAMPLE_U8;
    case SBYTE_IMG: return WP_SAMPLE_I8;
    case SHORT_IMG: return WP_SAMPLE_I16;
    case USHORT_IMG: return WP_SAMPLE_U16;
    case LONG_IMG: return WP_SAMPLE_I32;
    case ULONG_IMG: return WP_SAMPLE_U32;
    case LONGLONG_IMG: return WP_SAMPLE_I64;
    case ULONGLONG_IMG: return WP_SAMPLE_U64;
    case FLOAT_IMG: return WP_SAMPLE_F32;
    default: return WP_SAMPLE_F64;
    }
}

// Sets the sample type. If the file scales values, wp_read_params.values does not apply.
static void set_samples(struct job *job, struct wp_image *image)
{
    struct wp_file_facts *facts = job->source.facts;
    const double slope = read_number(job, "BSCALE", 1.0), zero = read_number(job, "BZERO", 0.0);
    const int type = effective_type(job->type, slope, zero);
    const bool scaled = (slope != 1.0 || zero != 0.0) && type == job->type;
    struct wp_samples samples = wp_samples_of(&job->source, sample_type(type), true, false, 0);
    if (scaled) {
        samples.maximum = 0;
        samples.peak = 1;
    }
    wp_image_set_samples(image, &job->source, &samples);
    job->divisor = samples.maximum > 0 ? (double)samples.maximum : 1;
    if (facts && scaled) {
        facts->slope = slope;
        facts->intercept = zero;
    }
}

// Reads all rows; the first row of an image is the bottom one. BLANK of integers becomes NaN.
static bool read_rows(struct job *job, struct wp_image *image)
{
    double *const wide = job->source.wide ? *job->source.wide : NULL;
    double blank = NAN;
    const size_t width = (size_t)job->width, height = (size_t)job->height;
    LONGLONG first[MAX_AXES];
    for (int i = 0; i < MAX_AXES; i++)
        first[i] = 1;
    for (size_t z = 0; z < job->depth; z++) {
        for (size_t y = 0; y < height; y++) {
            int any;
            first[1] = (LONGLONG)y + 1;
            if (job->third)
                first[job->third] = (LONGLONG)z + 1;
            if (fits_read_pixll(job->file, TDOUBLE, first, (LONGLONG)width,
                                job->type > 0 ? &blank : NULL, job->row, &any,
                                &job->status))
                return fail(job);
            const size_t row = job->depth > 1 ? z * height + y : height - 1 - y;
            float *to = image->plane[0] + row * width;
            if (wide)
                memcpy(wide + row * width, job->row, width * sizeof *wide);
            for (size_t x = 0; x < width; x++)
                to[x] = (float)(job->row[x] / job->divisor);
        }
    }
    return true;
}

static struct wp_image *read_image(struct job *job)
{
    if (!find_image(job) || !read_shape(job) || !check_size(job))
        return NULL;
    struct wp_image *image =
        wp_image_create_volume((int)job->width, (int)job->height, (int)job->depth, 1, false);
    job->row = image ? wp_allocate((size_t)job->width, sizeof *job->row, "a row of a FITS") : NULL;
    if (image)
        set_samples(job, image);
    double **const wide = job->source.wide;
    if (job->row && wide)
        *wide = wp_allocate_pages(wp_image_samples(image), sizeof **wide, job->source.name);
    if (!job->row || (wide && !*wide) || !read_rows(job, image))
        wp_image_destroy(&image);
    return image;
}

// CFITSIO 4.2 writes out of bounds if a number in a header is far too long or a card has bytes that
// FITS does not allow.
static bool is_valid_card(const unsigned char *card)
{
    enum { VALUE = 10, LONGEST = 25 };
    for (int i = 0; i < CARD; i++)
        if (card[i] < ' ' || card[i] > '~')
            return false;
    if (card[VALUE - 2] != '=')
        return true;
    int at = VALUE;
    while (at + 1 < CARD && card[at] == ' ')
        at++;
    const int first = at;
    while (at < CARD && card[at] != ' ' && card[at] != '/')
        at++;
    return at - first <= LONGEST || card[first] == '\'';
}

// Checks all blocks that CFITSIO may read as headers, and rejects compressed tiles: CFITSIO's
// decoders read and write out of bounds if a file is damaged.
static bool check_headers(const struct wp_source *source)
{
    for (size_t at = 0; at + BLOCK <= source->size;) {
        if (at > 0 && memcmp(source->data + at, "XTENSION", 8) != 0) {
            at += BLOCK;
            continue;
        }
        bool end = false;
        for (int i = 0; at + CARD <= source->size && (!end || i % CARDS); i++, at += CARD) {
            const unsigned char *card = source->data + at;
            if (!is_valid_card(card))
                return wp_source_fail(source, "damaged FITS (a bad header card at byte %zu)", at);
            if (memcmp(card, "ZIMAGE  =", 9) == 0)
                return wp_source_fail(source, "not supported (FITS with compressed tiles)\n"
                                              "hint: decompress it with 'funpack FILE'");
            end = end || memcmp(card, "END     ", 8) == 0;
        }
    }
    return true;
}

// CFITSIO reads complete blocks from memory: copies the file padded with zeros if its last block is
// incomplete, else *copy is NULL. False after an error.
static bool copy_blocks(const struct wp_source *source, unsigned char **copy, size_t *size)
{
    const size_t rest = source->size % BLOCK;
    *copy = NULL;
    *size = source->size;
    if (rest == 0)
        return true;
    *size += BLOCK - rest;
    *copy = wp_allocate(*size, 1, "a FITS");
    if (!*copy)
        return false;
    memcpy(*copy, source->data, source->size);
    memset(*copy + source->size, 0, *size - source->size);
    return true;
}

// Reads from memory; "FITS" is a name without CFITSIO's extended syntax.
static struct wp_image *read_plain(const struct wp_source *source)
{
    struct job job = {.source = *source};
    unsigned char *copy;
    size_t size;
    struct wp_image *image = NULL;
    if (!check_headers(source) || !copy_blocks(source, &copy, &size))
        return NULL;
    void *data = copy ? copy : (void *)(uintptr_t)source->data; // read only

    fits_clear_errmsg();
    if (fits_open_memfile(&job.file, "FITS", READONLY, &data, &size, 0, NULL, &job.status))
        fail(&job);
    else
        image = read_image(&job);
    int status = 0;
    if (job.file)
        fits_close_file(job.file, &status);
    free(job.row);
    free(copy);
    return image;
}

struct wp_image *wp_read_fits(const struct wp_source *source)
{
    if (!load_library(source->name))
        return NULL;
    if (!wp_stream_is_zipped(source))
        return read_plain(source);
    struct wp_source plain = *source;
    unsigned char *data = wp_stream_unpack(source, &plain.size);
    plain.data = data;
    if (source->facts)
        source->facts->zipped = true;
    struct wp_image *image = data ? read_plain(&plain) : NULL;
    free(data);
    return image;
}
