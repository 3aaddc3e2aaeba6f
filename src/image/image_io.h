// What the readers and writers of image files share. Internal to this layer.
#ifndef WP_IMAGE_IO_H
#define WP_IMAGE_IO_H

#include "image.h"
#include "log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A whole file in memory. `name` is for messages.
struct wp_source {
    const char *name;
    const unsigned char *data;
    size_t size;
    enum wp_volume volume; // whether a volume may come of it
    enum wp_values values;
    int volume_number; // as struct wp_read_params has it
    struct wp_file_facts *facts; // NULL, or what readers tell of the file
    unsigned long long *needs;   // NULL, or what gets the bytes that a reader asks for
};

// A source without bytes yet, to be read with these params.
struct wp_source wp_source_of(const char *name, const struct wp_read_params *params);

// Reads an image or volume of any known kind from memory. What `source` points to stays the
// caller's.
struct wp_image *wp_image_parse(const struct wp_source *source);

// WP_ERROR_FILE "NAME: …". Always false.
bool wp_source_fail(const struct wp_source *source, const char *format, ...) WP_PRINTF(2, 3);

// Fails with "truncated (needs N bytes, has M)" where the file is shorter than `bytes`; without a
// message where somebody wants to know how many these are.
bool wp_source_needs(const struct wp_source *source, unsigned long long bytes);

// Fails where a side is 0 or longer than WP_IMAGE_MAX_SIDE. Products of what passes, with
// planes and bytes a sample, fit 64 bits. Call it before wp_source_needs(), and both before
// memory is allocated for what a header says.
#define WP_IMAGE_MAX_SIDE 131072
bool wp_source_check_size(const struct wp_source *source, unsigned long long width,
                          unsigned long long height);

// The same of a volume, and fails with what it is where it has more than one slice and images are
// asked for. All three sides together fit 51 bits.
bool wp_source_check_volume(const struct wp_source *source, unsigned long long width,
                            unsigned long long height, unsigned long long depth);

// Passes over white space and comments that start with '#'.
void wp_source_space(const struct wp_source *source, size_t *at);

// The next word of a text header (PNM, PFM, HDR) as a number: passes over
// white space and comments. Leaves `*at` behind the number. False without a message where there is
// none, or where it exceeds `most`.
bool wp_source_number(const struct wp_source *source, size_t *at, unsigned long long most,
                      unsigned long long *value);

// Types of samples in files.
enum wp_sample_type {
    WP_SAMPLE_U8,
    WP_SAMPLE_U16,
    WP_SAMPLE_U32,
    WP_SAMPLE_U64,
    WP_SAMPLE_I8,
    WP_SAMPLE_I16,
    WP_SAMPLE_I32,
    WP_SAMPLE_I64,
    WP_SAMPLE_F16,
    WP_SAMPLE_F32,
    WP_SAMPLE_F64,
    WP_SAMPLE_BOOL,
    WP_SAMPLE_TYPES
};

struct wp_samples {
    enum wp_sample_type type;
    bool big_endian;
    float maximum; // integers are divided by it; 0: they keep their values
    float peak;    // the value that is white, as struct wp_origin has it; 0 is 1
    int bits;      // that integers use where the type has more; else 0
};

// Samples of that type whose values are raw or unit: as the caller of the reader asked, else of
// integers of 8 and 16 bits without a sign in a picture unit, else raw. `largest`: the value that
// is 1 in unit; 0: the type's.
struct wp_samples wp_samples_of(const struct wp_source *source, enum wp_sample_type type,
                                bool big_endian, bool picture, float largest);

// Reports to the caller of the reader the type of the file's samples, and their divisor.
void wp_source_fill_facts(const struct wp_source *source, const struct wp_samples *samples);

// The same, and gives an image their origin.
void wp_image_set_samples(struct wp_image *image, const struct wp_source *source,
                          const struct wp_samples *samples);

size_t wp_samples_bytes(enum wp_sample_type type); // of one sample
struct wp_origin wp_samples_origin(const struct wp_samples *samples);
bool wp_host_big_endian(void);

// Converts `count` samples that lie `step` bytes apart.
void wp_samples_convert(const struct wp_samples *samples, const unsigned char *from, size_t step,
                        float *to, size_t count);

// The same, but converts stored values times `slope` plus `intercept`, in double precision and not
// divided.
void wp_samples_convert_scaled(const struct wp_samples *samples, double slope, double intercept,
                               const unsigned char *from, size_t step, float *to, size_t count);

// What convert() does for row `row` of every plane, from pixels of samples one after another. Rows
// are counted through all slices: slice z begins at z * height.
void wp_samples_convert_row(const struct wp_samples *samples, const unsigned char *from,
                            struct wp_image *image, size_t row);

// One reader a kind of file. `matches` looks at the first bytes and may be wrong about damaged
// files; `read` says what is wrong with those. NULL from `read` after one error.
struct wp_image *wp_read_png(const struct wp_source *source);
struct wp_image *wp_read_jpeg(const struct wp_source *source);
struct wp_image *wp_read_bmp(const struct wp_source *source);
struct wp_image *wp_read_tga(const struct wp_source *source);
struct wp_image *wp_read_pnm(const struct wp_source *source);
struct wp_image *wp_read_pam(const struct wp_source *source);
struct wp_image *wp_read_hdr(const struct wp_source *source);
struct wp_image *wp_read_pfm(const struct wp_source *source);
struct wp_image *wp_read_tiff(const struct wp_source *source);
struct wp_image *wp_read_npy(const struct wp_source *source);
struct wp_image *wp_read_nifti(const struct wp_source *source);
struct wp_image *wp_read_fits(const struct wp_source *source);
struct wp_image *wp_read_exr(const struct wp_source *source);
struct wp_image *wp_read_y4m(const struct wp_source *source);
bool wp_match_bmp(const struct wp_source *source);
bool wp_match_tga(const struct wp_source *source);
bool wp_match_tiff(const struct wp_source *source);
#define WP_FITS_MAGIC "SIMPLE  =" // also in a gzip: wp_stream_begins()
bool wp_match_nifti(const struct wp_source *source); // any gzip, too

// The header's name for an image's of a pair: "a.img" -> "a.hdr". The caller frees it; NULL for other
// names.
char *wp_nifti_header_path(const char *image);

// Decodes through stb_image, which takes missing bytes for zeros: check the file before.
struct wp_image *wp_read_with_stb(const struct wp_source *source);

// Pixels of a row, plane after plane within each, in the host's byte order.
void wp_image_interleave_row(const struct wp_image *image, size_t row, float *to);

// One writer a kind of file. Write errors of the stream are left to the caller to find in
// ferror(); false after wp_fail() for anything else.
bool wp_write_png(const struct wp_image *image, const char *path, FILE *stream,
                  const struct wp_write_params *params);
bool wp_write_npy(const struct wp_image *image, FILE *stream, enum wp_stored stored);
bool wp_write_pfm(const struct wp_image *image, FILE *stream);
bool wp_write_tiff(const struct wp_image *image, const char *path, FILE *stream,
                   enum wp_stored stored);
bool wp_write_exr(const struct wp_image *image, const char *path, FILE *stream,
                  enum wp_stored stored);

// A row of these, of values that fit, in place and in the host's byte order. Returns the bytes of one.
size_t wp_stored_pack(float *row, size_t count, enum wp_stored stored);
bool wp_write_nifti(const struct wp_image *image, const char *path, const char *note, FILE *stream,
                    bool zipped);
bool wp_write_y4m(const struct wp_image *image, FILE *stream);

// Its parts, for what comes slice after slice. Frames are width*height floats each, and
// `peak` is white.
void wp_write_y4m_header(FILE *stream, int width, int height, const int rate[2]);
bool wp_write_y4m_frames(FILE *stream, const float *from, int width, int height, int count,
                         float peak);
// `shape`: an image or volume, whose samples are not used.
void wp_write_npy_header(FILE *stream, const char *type, const struct wp_image *shape);
void wp_write_npy_header_of(const struct wp_image *shape, FILE *stream, enum wp_stored stored);
void wp_write_pfm_header(FILE *stream, int width, int height, int planes);
bool wp_write_nifti_header(const struct wp_image *shape, const char *path, FILE *stream);

// wp_image_write() and its check, to one file.
bool wp_write_file(const struct wp_image *image, const char *path,
                   const struct wp_write_params *params);
bool wp_write_file_check(const char *path, int planes, int depth,
                         const struct wp_write_params *params);

#endif
