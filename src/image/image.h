// Images and volumes: float planes in memory, and reading and writing them as files.
#ifndef WP_IMAGE_H
#define WP_IMAGE_H

#include "wavepass_operand.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_output;

#define WP_IMAGE_MAX_PLANES 4

// File formats, for messages and help texts.
#define WP_IMAGE_READS "PNG, JPEG, BMP, TGA, PBM, PGM, PPM, PAM, HDR, PFM, TIFF, NPY, EXR, FITS"
#define WP_IMAGE_WRITES ".png, .npy, .pfm, .tiff or .exr"
#define WP_IMAGE_WRITES_COEFFICIENTS ".npy, .npz, .tiff, .pfm or .exr"
#define WP_VOLUME_READS "NPY, NIfTI, TIFF, Y4M, FITS"
#define WP_VOLUME_WRITES ".npy, .nii, .nii.gz, .tiff or .y4m"
#define WP_VOLUME_WRITES_COEFFICIENTS ".npy, .npz, .nii, .nii.gz or .tiff"

// The position of samples in space or time, as given in a file; zero where it is unknown. File
// formats without metadata for a member drop it.
struct wp_geometry {
    bool has_size;
    double size[3]; // of a voxel along x, y, z, in mm
    bool frames;    // slices are frames of a video
    int rate[2];    // frames per second, as a fraction; {0, 0}: unknown

    // The fields of a NIfTI-1 header, lengths in mm. A form with code 0 is absent.
    int qform_code, sform_code;
    float qfac;          // 1 or -1: direction of z
    float quaternion[3]; // b, c, d
    float offset[3];
    float sform[3][4];
};

// Properties of the file that the samples come from. Writers and displays use them.
struct wp_origin {
    int bits;   // 8 or 16: integers scaled to 0..1; 32: values of the file; 64: values of the file,
                // which float may have rounded
    float peak; // the value of white, and the peak of PSNR: 1, or the largest value of unsigned
                // 8- or 16-bit integers that are not scaled
    // The NPY shape has an axis of length 1 for slices or for planes, which is written back to NPY
    // files.
    bool slice_axis, plane_axis;
    bool wide; // 32- or 64-bit integers: float32 may have rounded those above 2^24
};

// Planes of depth*height*width floats, x fastest, without padding. Row 0 of an image is the top; of
// a volume it is the first row of the file, regardless of its geometry. An image has depth 1.
// enum wp_values describes the values of samples.
struct wp_image {
    int width, height;
    int depth;            // slices; 1 for an image
    int planes;           // 1 gray, 2 gray+alpha, 3 RGB, 4 RGB+alpha
    bool alpha;           // the last plane is alpha and is not transformed
    struct wp_origin origin;
    struct wp_geometry geometry;
    float *plane[WP_IMAGE_MAX_PLANES]; // consecutive, in one allocation
    struct wp_operand pixels; // if its data is not NULL, the samples; `plane` is then unused. Only
                             // wp_image_read_pixels() (pixels.h) and wp_image_create_pixels() set
                             // it
};

// Creates an image or a volume with samples of 0. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_create(int width, int height, int planes, bool alpha);
struct wp_image *wp_image_create_volume(int width, int height, int depth, int planes, bool alpha);
// Creates an image with `pixels` of integers, in consecutive planes; `maximum` is white.
struct wp_image *wp_image_create_pixels(int width, int height, int planes, bool alpha,
                                        enum wp_element type, float maximum);
void wp_image_destroy(struct wp_image **image); // accepts NULL, clears the pointer

// A slice of a volume as an image that shares its samples. Do not destroy it.
struct wp_image wp_image_slice(const struct wp_image *volume, int z);

// The number of samples in a plane, all slices included.
size_t wp_image_samples(const struct wp_image *image);

// The address of sample `at` of a plane: a float or, if the image has pixels, one of these.
void *wp_image_at(const struct wp_image *image, int plane, size_t at);

// A row of a plane as floats; rows are counted through all slices. Points into the plane or, if the
// image has pixels, to `scratch` (one row). With `integers`, pixels are not scaled.
const float *wp_image_row(const struct wp_image *image, int plane, size_t row, bool integers,
                          float *scratch);

// Frees all planes but the first `planes`. If the image has alpha, the last of these must be alpha.
void wp_image_shrink(struct wp_image *image, int planes);

// Destroys the image and returns its planes without alpha, consecutive; free() them.
float *wp_image_move_planes(struct wp_image **image);

// The number of planes that are transformed: all but alpha.
int wp_image_colour_planes(const struct wp_image *image);

// Replaces red, green, blue by luma (ITU-R BT.601 weights 0.299, 0.587, 0.114); keeps alpha.
// Does nothing unless there are three color planes.
void wp_image_to_gray(struct wp_image *image);

// Reads a file, "-" for stdin, "FILE.npz:NAME" for one array of an archive, or
// "pattern:NAME[:WxH]" (pattern.h). The format is detected from the content, except NPZ: PNG, JPEG,
// BMP, TGA, PBM, PGM, PPM, PAM, HDR, PFM, TIFF, NPY, and EXR and FITS if the build has their
// libraries. JPEG, PNG and TIFF with an orientation tag are rotated so that row 0 is the top. An
// image with 2 or 4 planes has alpha, except in NPY, NPZ and TIFF that says otherwise. Values that
// are not finite are kept. Volumes are rejected, except TIFF, of which the first page is read. NULL
// after WP_ERROR_FILE, WP_ERROR_USAGE (unknown pattern) or WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_read(const char *path);

// Like wp_image_read(). Also logs the file's properties at level verbose, warns of values that are
// not finite, and counts them.
struct wp_image *wp_image_read_counted(const char *path, size_t *nonfinite);

// How to handle files with more than one slice.
enum wp_volume {
    WP_VOLUME_NO,     // reject them, but read the first page of a TIFF
    WP_VOLUME_EITHER, // images and volumes; an NPY of three axes is an image with planes where
                      // its last axis has 1 to 4 samples
    WP_VOLUME_YES,    // an NPY of three axes is a volume; an image has one slice
};

// How integers of a file are converted to samples. Floats, booleans (0 and 1) and integers of a
// file with a slope or an intercept always keep their values.
enum wp_values {
    WP_VALUES_AUTO, // unit for unsigned integers of up to 16 bits in picture formats (PNG, JPEG,
                    // BMP, TGA, PNM, TIFF, Y4M); raw for all others
    WP_VALUES_RAW,  // the stored numbers
    WP_VALUES_UNIT, // the stored numbers over the largest of their type, or of the file if it
                    // gives one
    WP_VALUES_COUNT
};

extern const char *const wp_values_names[WP_VALUES_COUNT]; // "auto", "raw", "unit"

// Properties of a file other than its samples.
struct wp_file_facts {
    const char *format;      // "NIfTI-1", "pattern"
    bool zipped;
    char type[32];           // of stored samples: "u8", "i16 big-endian"
    double maximum;          // divisor of stored samples; 0: not scaled
    double slope, intercept; // of NIfTI: value = slope * stored + intercept; slope 0: unused
};

struct wp_read_params {
    enum wp_volume volume;
    enum wp_values values;
    int volume_number; // for NIfTI files with several volumes, from 1; 0: not selected
    struct wp_file_facts *facts; // receives the file's properties; NULL: not requested
    // NULL, or receives the samples as doubles that are not scaled to 1: of FITS, and of TIFF with
    // one channel of 64-bit floats. Other files leave it as it is. The caller frees it, also after
    // an error.
    double **wide;
    // NULL, or the format of a file without a header, "WxHxD:TYPE[:OFFSET]" or
    // "WxH:TYPE[:OFFSET]". TYPE is u8, i8, or one of u16, i16, f16, f32, f64 followed by le or be.
    // OFFSET bytes are skipped; the size of the file must match exactly.
    const char *raw;
};

// Reads an image or a volume. Reads all that wp_image_read() reads and, unless `volume` is
// WP_VOLUME_NO:
//   NPY    of shape (depth, height, width) or, with planes, (…, 1..4); also booleans and signed
//          integers of 8 to 32 bits
//   NIfTI  single-file NIfTI-1 and NIfTI-2, also gzipped, both byte orders, with geometry; a file
//          with one slice may have a time axis
//   TIFF   all pages, which must have the same format; reduced copies and masks are skipped
//   Y4M    the luma of all frames, black 0 and white 1, with the frame rate
//   FITS   the first image; if it has three axes longer than 1, as a volume; values are not scaled
//   "pattern:NAME:WxHxD"
//   "frame-%04d.png" and similar, if no file has that name: the luma of a sequence of images that
//          starts at number 0 or 1
// `nonfinite` as in wp_image_read_counted(), or NULL. NULL after the errors of wp_image_read(), and
// after WP_ERROR_USAGE if `raw` is invalid.
struct wp_image *wp_image_read_with(const char *path, const struct wp_read_params *params,
                                    size_t *nonfinite);

// The content of an output file: a picture to look at, or exact coefficients.
enum wp_content { WP_CONTENT_PICTURE, WP_CONTENT_COEFFICIENTS };

// The type of samples in a file.
enum wp_stored {
    WP_STORED_FLOAT,
    WP_STORED_U8,
    WP_STORED_U16,
    WP_STORED_I8,
    WP_STORED_I16,
    WP_STORED_I32,
    WP_STORED_F16, // only coefficients in .npy and .exr
    WP_STORED_COUNT
};

extern const char *const wp_stored_names[WP_STORED_COUNT]; // "f32", "u8", "u16", "i8", …

struct wp_write_params {
    bool overwrite;
    enum wp_content content; // coefficients: only .npy, .pfm, .tiff, .exr, .nii
    int depth;               // bits of a .png: 8 (or 0) or 16
    enum wp_stored stored;   // in .npy and .tiff; ignored if slices are written one by one
    const char *note;        // ASCII text to store in a .png or .nii, or NULL
    const char *key;         // keyword of the note in a .png
    struct wp_output **first; // NULL, or an output to commit immediately before (output.h)
};

// Writes a file. The format depends on the suffix: .png (values clamped to 0..1 and rounded), .npy
// (float32, H x W or H x W x C), .pfm (1 or 3 planes), .tiff or .tif (32-bit float), .exr (32-bit
// or, with WP_STORED_F16, 16-bit float; Y or RGB, and alpha). "-" writes NPY to stdout.
// Volumes: .npy (D x H x W, or D x H x W x C), .tiff (one page per slice), and with one plane also
// .nii and .nii.gz (float32, with the geometry) and .y4m (8-bit luma, black 0 and white 1, with the
// frame rate), which also support images. "frame-%04d.png" and similar write one file per slice,
// from number 1 on; all appear at once.
// The file appears complete or not at all. The metadata of a file that is replaced is removed
// (sidecar_path.h). False after WP_ERROR_FILE or WP_ERROR_USAGE.
bool wp_image_write(const struct wp_image *image, const char *path,
                    const struct wp_write_params *params);

// Reads the text under a keyword of a PNG file; the caller frees it. NULL if there is no such text
// or file.
char *wp_image_read_note(const char *path, const char *key);

// Encodes the 8-bit PNG that wp_image_write() would write; free() it. NULL after
// WP_ERROR_TOO_LARGE or WP_ERROR_FILE.
unsigned char *wp_image_encode_png(const struct wp_image *image, size_t *size);

// Rejects files with a side that wp_image_read() rejects. Coefficients may have more rows than images.
bool wp_image_write_check_size(const char *path, int width, int height, int depth);

// Checks whether an image can be written to `path` with these params: the format is known and
// supports the content, and the file does not exist or `overwrite` is set. wp_image_write() does
// the same check. False after WP_ERROR_FILE or WP_ERROR_USAGE.
bool wp_image_write_check(const char *path, int planes, const struct wp_write_params *params);
bool wp_image_write_check_volume(const char *path, int planes, int depth,
                                 const struct wp_write_params *params);

// 64-bit XXH3 of all samples, plane by plane, each as float32 in the host's byte order.
unsigned long long wp_image_hash(const struct wp_image *image);

// Restores the integers of the file described by `facts`: multiplies samples, alpha included, by
// the divisor that was applied. Gets the type in which they were stored. False after WP_ERROR_FILE
// that names the first sample that is not an integer or too large for a float; `path` is for the
// message.
bool wp_image_read_integers(struct wp_image *image, const struct wp_file_facts *facts,
                            const char *path, enum wp_stored *stored);

// The type in which the integers of a file are stored.
enum wp_stored wp_image_stored(const struct wp_file_facts *facts);

// False after WP_ERROR_FILE that names the first sample that is not an integer, does not fit the
// type or is not exact as a float.
bool wp_image_check_integers(const struct wp_image *image, const char *path,
                             enum wp_stored stored);

// Rounds each sample to the nearest binary16, as WP_STORED_F16 does. Returns how many finite values
// became infinite.
size_t wp_image_round_halves(struct wp_image *image);

// Counts values that are not finite, and those of `origin.wide` samples that are 2^24 or more.
struct wp_value_counts {
    size_t nonfinite, rounded;
    bool doubles; // nonfinite values may be finite in the file, which has doubles
};
void wp_count_values(struct wp_value_counts *counts, const struct wp_origin *origin,
                     const float *samples, size_t count);
// Warns about these values; `path` is for the message.
void wp_warn_of_values(const struct wp_value_counts *counts, const char *path);

// Counts values that are not finite.
size_t wp_image_count_nonfinite(const struct wp_image *image);

// Logs the properties of an image read from `path` at level verbose, warns of values that are not
// finite and of integers that float32 may have rounded, and counts the former.
void wp_image_fill_facts(const struct wp_image *image, const char *path, size_t *nonfinite);

#endif
