// Declarations shared by the readers and writers of image files. Internal to this layer.
#ifndef WP_IMAGE_IO_H
#define WP_IMAGE_IO_H

#include "image.h"
#include "log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A complete file in memory. `name` is for messages.
struct wp_source {
    const char *name;
    const unsigned char *data;
    size_t size;
    enum wp_volume volume; // whether to read volumes
    enum wp_values values;
    int volume_number; // as in struct wp_read_params
    struct wp_file_facts *facts; // receives the file's properties, or NULL
    double **wide;               // as in struct wp_read_params
    unsigned long long *needs;   // receives the bytes a reader needs (wp_source_needs()), or NULL
};

// A source without data, with the options of `params`.
struct wp_source wp_source_of(const char *name, const struct wp_read_params *params);

// Reads an image or volume of any supported format from memory. The caller keeps the data.
struct wp_image *wp_image_parse(const struct wp_source *source);

// True if the data begin with `magic`.
bool wp_source_begins(const struct wp_source *source, const char *magic);

// Fails with WP_ERROR_FILE and "NAME: ...". Returns false.
bool wp_source_fail(const struct wp_source *source, const char *format, ...) WP_PRINTF(2, 3);

// Fails with "truncated (needs N bytes, has M)" if the file is shorter than `bytes`. If
// source->needs is not NULL, stores `bytes` there instead of logging a message.
bool wp_source_needs(const struct wp_source *source, unsigned long long bytes);

// Fails if a side is 0 or longer than WP_IMAGE_MAX_SIDE. Products of accepted sizes, planes and
// bytes per sample fit 64 bits. Call this before wp_source_needs(), and both before allocating
// memory for sizes from a header.
#define WP_IMAGE_MAX_SIDE 131072
bool wp_source_check_size(const struct wp_source *source, unsigned long long width,
                          unsigned long long height);

// Like wp_source_check_size(), for a volume; also fails if it has more than one slice but only
// images are requested. The number of samples fits 51 bits.
bool wp_source_check_volume(const struct wp_source *source, unsigned long long width,
                            unsigned long long height, unsigned long long depth);

// Skips white space and comments that start with '#'.
void wp_source_space(const struct wp_source *source, size_t *at);

// Parses the next word of a text header (PNM, PFM, HDR) as a number, after white space and
// comments, and advances `*at` past it. False, without a message, if there is no number or it
// exceeds `most`.
bool wp_source_number(const struct wp_source *source, size_t *at, unsigned long long most,
                      unsigned long long *value);

// Types of stored samples.
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
    float maximum; // divisor of integers; 0: not scaled
    float peak;    // the value of white, as in struct wp_origin; 0: 1
    int bits;      // significant bits of integers, if fewer than the type has; else 0
};

// A sample type with the scaling of source->values. For WP_VALUES_AUTO, `picture` says whether the
// format is a picture format. `largest` is the value that is scaled to 1; 0: the largest of the
// type.
struct wp_samples wp_samples_of(const struct wp_source *source, enum wp_sample_type type,
                                bool big_endian, bool picture, float largest);

// Stores the type of the file's samples and their divisor in source->facts.
void wp_source_fill_facts(const struct wp_source *source, const struct wp_samples *samples);

// Like wp_source_fill_facts(); also sets the origin of the image.
void wp_image_set_samples(struct wp_image *image, const struct wp_source *source,
                          const struct wp_samples *samples);

size_t wp_samples_bytes(enum wp_sample_type type); // of one sample
struct wp_origin wp_samples_origin(const struct wp_samples *samples);
bool wp_host_big_endian(void);

// Converts `count` samples at a distance of `step` bytes to floats.
void wp_samples_convert(const struct wp_samples *samples, const unsigned char *from, size_t step,
                        float *to, size_t count);
// Likewise to doubles, which do not round floats and integers of up to 32 bits.
void wp_samples_convert_f64(const struct wp_samples *samples, const unsigned char *from, size_t step,
                            double *to, size_t count);

// Like wp_samples_convert(), but computes slope * stored + intercept in double precision, without
// scaling.
void wp_samples_convert_scaled(const struct wp_samples *samples, double slope, double intercept,
                               const unsigned char *from, size_t step, float *to, size_t count);

// Copies `count` integers of 8 or 16 bits, at a distance of `step` bytes, to consecutive ones in
// the byte order of the host.
void wp_samples_copy(const struct wp_samples *samples, const unsigned char *from, size_t step,
                     void *to, size_t count);

// Converts row `row` of every plane from interleaved samples, or copies integers if the image has
// pixels, of their type. Rows are counted through all slices: slice z begins at row z * height.
void wp_samples_convert_row(const struct wp_samples *samples, const unsigned char *from,
                            const struct wp_image *image, size_t row);

// Readers, one per format, of those that have no layout (rows_io.h). `matches` checks the magic
// number; `read` returns NULL after one error.
struct wp_image *wp_read_png(const struct wp_source *source);
struct wp_image *wp_read_jpeg(const struct wp_source *source);
struct wp_image *wp_read_bmp(const struct wp_source *source);
struct wp_image *wp_read_tga(const struct wp_source *source);
struct wp_image *wp_read_pnm(const struct wp_source *source); // P1 to P4
struct wp_image *wp_read_hdr(const struct wp_source *source);
struct wp_image *wp_read_tiff(const struct wp_source *source);
struct wp_image *wp_read_nifti(const struct wp_source *source);
struct wp_image *wp_read_fits(const struct wp_source *source);
struct wp_image *wp_read_exr(const struct wp_source *source);
struct wp_image *wp_read_y4m(const struct wp_source *source);
bool wp_match_bmp(const struct wp_source *source);
bool wp_match_tga(const struct wp_source *source);
bool wp_match_tiff(const struct wp_source *source);
#define WP_FITS_MAGIC "SIMPLE  =" // also after decompression: wp_stream_begins()
bool wp_match_nifti(const struct wp_source *source); // any gzip, too

// Reads the array of an NPZ archive that the path names or, if it names none, the only one. `path`
// must satisfy wp_npz_names_array(). NULL after an error.
struct wp_image *wp_read_npz(const char *path, const struct wp_read_params *params);

// The header's path for the path of an image of a NIfTI pair: "a.img" -> "a.hdr". NULL for other
// names. The caller frees it.
char *wp_nifti_header_path(const char *image);

// Interleaves the planes of a row.
void wp_image_interleave_row(const struct wp_image *image, size_t row, float *to);

// Formats of output files.
enum wp_format {
    WP_FORMAT_NONE,
    WP_FORMAT_PNG,
    WP_FORMAT_NPY,
    WP_FORMAT_PFM,
    WP_FORMAT_TIFF,
    WP_FORMAT_EXR,
    WP_FORMAT_NIFTI,
    WP_FORMAT_NIFTI_ZIPPED,
    WP_FORMAT_Y4M
};

// The format by the suffix; WP_FORMAT_NONE for others, also "-".
enum wp_format wp_format_of(const char *path);

// Writers, one per format. Write errors of the stream are not reported: the caller checks
// ferror(). False after other errors.
bool wp_write_png(const struct wp_image *image, const char *path, FILE *stream,
                  const struct wp_write_params *params);
// PFM and TIFF by the suffix of the path; NPY for all others.
bool wp_write_rows(const struct wp_image *image, const char *path, FILE *stream,
                   enum wp_stored stored);
bool wp_write_exr(const struct wp_image *image, const char *path, FILE *stream,
                  enum wp_stored stored);

// Converts a row, whose values fit the type, in place to the host's byte order. Returns the bytes
// per sample.
size_t wp_stored_pack(float *row, size_t count, enum wp_stored stored);
bool wp_write_nifti(const struct wp_image *image, const char *path, const char *note, FILE *stream,
                    bool zipped);
bool wp_write_y4m(const struct wp_image *image, FILE *stream);

// Y4M in parts, for slices that arrive one by one. A frame has width*height floats; `peak` is the
// value of white.
void wp_write_y4m_header(FILE *stream, int width, int height, const int rate[2]);
bool wp_write_y4m_frames(FILE *stream, const float *from, int width, int height, int count,
                         float peak);
// `shape` is an image or volume whose samples are not used.
void wp_write_npy_header(FILE *stream, const struct wp_image *shape, enum wp_stored stored);
bool wp_write_nifti_header(const struct wp_image *shape, const char *path, FILE *stream);

// wp_image_write() and wp_image_write_check() for a single file.
bool wp_write_file(const struct wp_image *image, const char *path,
                   const struct wp_write_params *params);
bool wp_write_file_check(const char *path, int planes, int depth,
                         const struct wp_write_params *params);

#endif
