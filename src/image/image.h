// Images and volumes: float planes in memory, and the files they come from and go to.
#ifndef WP_IMAGE_H
#define WP_IMAGE_H

#include "wavepass_view.h"

#include <stdbool.h>
#include <stddef.h>

struct wp_output;

#define WP_IMAGE_MAX_PLANES 4

// Kinds of files, for people to read.
#define WP_IMAGE_READS "PNG, JPEG, BMP, TGA, PBM, PGM, PPM, PAM, HDR, PFM, TIFF, NPY, EXR, FITS"
#define WP_IMAGE_WRITES ".png, .npy, .pfm, .tiff or .exr"
#define WP_IMAGE_WRITES_COEFFICIENTS ".npy, .npz, .tiff, .pfm or .exr"
#define WP_VOLUME_READS "NPY, NIfTI, TIFF, Y4M, FITS"
#define WP_VOLUME_WRITES ".npy, .nii, .nii.gz, .tiff or .y4m"
#define WP_VOLUME_WRITES_COEFFICIENTS ".npy, .npz, .nii, .nii.gz or .tiff"

// Where samples lie in the world, as far as a file says it; all zero where it says nothing. Files
// without a member for it lose it.
struct wp_geometry {
    bool has_size;
    double size[3]; // of a voxel along x, y, z, in mm
    bool frames;    // slices follow each other in time, not in space
    int rate[2];    // frames a second, as a fraction; 0 over 0 where it is not known

    // What NIfTI-1 calls these, lengths in mm. A code of 0: there is none.
    int qform_code, sform_code;
    float qfac;          // 1 or -1: which way z goes
    float quaternion[3]; // b, c, d
    float offset[3];
    float sform[3][4];
};

// Properties of the file that the samples come from. Writers and displays use them.
struct wp_origin {
    int bits;   // 8 or 16: integers scaled to 0..1; 32: values that were kept; 64: those that
                // float may have rounded
    float peak; // the value that is white in a picture, and the peak of PSNR: 1, or the largest
                // one of unsigned integers of 8 or 16 bits that keep their values
    // The shape of an NPY has an axis of length 1 for slices, or for planes, that NPY files made
    // of these samples keep.
    bool slice_axis, plane_axis;
    bool wide; // integers of 32 or 64 bits: float32 may have rounded those above 2^24
};

// Planes of depth*height*width floats, x fastest, no padding. Row 0 of an image is at the top; of
// a volume it is the file's first row, whatever its geometry says is up. A volume of depth 1 is an
// image.
//
// Samples have the values of enum wp_values.
struct wp_image {
    int width, height;
    int depth;            // slices; 1 of an image
    int planes;           // 1 gray, 2 gray+alpha, 3 RGB, 4 RGB+alpha
    bool alpha;           // the last plane is alpha and is not transformed
    struct wp_origin origin;
    struct wp_geometry geometry;
    float *plane[WP_IMAGE_MAX_PLANES]; // one behind the other, in one allocation
    struct wp_pixels pixels; // where it has data, the samples in place of `plane`: of images that
                             // whoever asked for it has of wp_image_read_pixels() (pixels.h)
};

// Planes filled with zeros. NULL after WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_create(int width, int height, int planes, bool alpha);
struct wp_image *wp_image_create_volume(int width, int height, int depth, int planes, bool alpha);
// With `pixels` of integers, planes one behind the other, of which `maximum` is 1.
struct wp_image *wp_image_create_pixels(int width, int height, int planes, bool alpha,
                                        enum wp_element type, float maximum);
void wp_image_destroy(struct wp_image **image); // accepts NULL, clears the pointer

// A slice of a volume as an image that shares its samples; not to be destroyed.
struct wp_image wp_image_slice(const struct wp_image *volume, int z);

// Samples of a plane: of all its slices.
size_t wp_image_samples(const struct wp_image *image);

// Row `row` of a plane, counted through all slices, as floats: where they lie, or of pixels in
// `room`, which has place for a row; `whole`: as the integers that are stored.
const float *wp_image_row(const struct wp_image *image, int plane, size_t row, bool whole,
                          float *room);

// Gives back the memory of all but the first planes, of which alpha, where there is any, is to be
// the last.
void wp_image_shrink(struct wp_image *image, int planes);

// Ends the image, but for its planes without alpha, one behind the other; free() them.
float *wp_image_move_planes(struct wp_image **image);

// How many planes a transform works on: all but alpha.
int wp_image_colour_planes(const struct wp_image *image);

// Replaces red, green, blue by luma (ITU-R BT.601 weights 0.299, 0.587, 0.114); keeps alpha.
// Images of another number of colour planes stay as they are.
void wp_image_to_gray(struct wp_image *image);

// Reads a file, "-" for stdin, "FILE.npz:NAME" for one array of an archive, or
// "pattern:NAME[:WxH]" (pattern.h). The format is detected from the content, except NPZ: PNG, JPEG,
// BMP, TGA, PBM, PGM, PPM, PAM, HDR, PFM, TIFF, NPY, and EXR and FITS if the build has their
// libraries. JPEG, PNG and TIFF with an orientation tag are rotated so that row 0 is the top. An
// image with 2 or 4 planes has alpha, except in NPY, NPZ and TIFF that says otherwise. Values that
// are not finite are kept. Volumes are rejected, except TIFF, of which the first page is read. NULL
// after WP_ERROR_FILE, WP_ERROR_USAGE (unknown pattern) or WP_ERROR_TOO_LARGE.
struct wp_image *wp_image_read(const char *path);

// The same, which also says at level verbose what was read, and warns of values that are not
// finite and counts them.
struct wp_image *wp_image_read_counted(const char *path, size_t *nonfinite);

// What to do with what has more than one slice.
enum wp_volume {
    WP_VOLUME_NO,     // refuse it, or take it for an image, as wp_image_read()
    WP_VOLUME_EITHER, // images and volumes; an NPY of three axes is an image with planes where
                      // its last axis has 1 to 4 samples
    WP_VOLUME_YES,    // an NPY of three axes is a volume; images have one slice
};

// The samples that integers of a file become. Floats and truth values (0 and 1) keep their values
// in any case, as do integers for which the file has a slope or an intercept.
enum wp_values {
    WP_VALUES_AUTO, // unsigned integers of up to 16 bits of a picture (PNG, JPEG, BMP, TGA, PNM,
                     // TIFF, Y4M) are unit; all other integers are raw
    WP_VALUES_RAW,   // the numbers that are stored
    WP_VALUES_UNIT,  // these over the largest one of their type, or of the file where it says so
    WP_VALUES_COUNT
};

extern const char *const wp_values_names[WP_VALUES_COUNT]; // "auto", "raw", "unit"

// What a file says of itself beside its samples.
struct wp_file_facts {
    const char *format;      // "NIfTI-1", "pattern"
    bool zipped;
    char type[32];           // of a stored sample: "u8", "i16 big-endian"
    double maximum;          // that stored samples were divided by; 0: they were not
    double slope, intercept; // what NIfTI makes of stored samples; slope 0: nothing
};

struct wp_read_params {
    enum wp_volume volume;
    enum wp_values values;
    int volume_number; // which volume of a NIfTI with several, from 1 on; 0: not selected
    struct wp_file_facts *facts; // NULL, or what gets them
    // NULL, or what a file without a header holds, "WxHxD:TYPE[:OFFSET]" or "WxH:TYPE[:OFFSET]":
    // u8, i8, and u16, i16, f16, f32, f64 with le or be behind them; OFFSET bytes are passed over. The
    // file must have exactly these bytes.
    const char *raw;
};

// Reads an image or a volume: what wp_image_read() does and, where volumes are asked for,
//   NPY    of (depth, height, width) or, with planes, (…, 1..4); also truth values and signed
//          integers of 8 to 32 bits
//   NIfTI  NIfTI-1 of one piece, gzip or not, both byte orders, with its geometry; an axis of time
//          where there is one slice
//   TIFF   all pages, which must be of one kind; those that say they are a smaller copy or a mask
//          are passed over
//   Y4M    the luma of all frames, 0 black and 1 white, with their rate
//   FITS   the first image where it has three axes longer than 1; values are kept
// and "pattern:NAME:WxHxD", and "frame-%04d.png" and the like, where there is no file of that name:
// the luma of all images from number 0 or 1 on. With `nonfinite`, which may be NULL, as
// wp_image_read_counted(). NULL after the same errors; WP_ERROR_USAGE where `raw` makes no sense.
struct wp_image *wp_image_read_with(const char *path, const struct wp_read_params *params,
                                    size_t *nonfinite);

// What kinds of values an output holds: an image for people, or exact coefficients.
enum wp_content { WP_CONTENT_PICTURE, WP_CONTENT_COEFFICIENTS };

// What samples are in a file.
enum wp_stored {
    WP_STORED_FLOAT,
    WP_STORED_U8,
    WP_STORED_U16,
    WP_STORED_I8,
    WP_STORED_I16,
    WP_STORED_I32,
    WP_STORED_F16, // of coefficients in .npy and .exr
    WP_STORED_COUNT
};

extern const char *const wp_stored_names[WP_STORED_COUNT]; // "f32", "u8", "u16", "i8", …

struct wp_write_params {
    bool overwrite;
    enum wp_content content; // coefficients go to .npy, .pfm, .tiff, .exr, .nii only
    int depth;               // bits of a .png: 8 (also for 0) or 16
    enum wp_stored stored;   // in .npy and .tiff; not of what is written slice after slice
    const char *note;        // text in ASCII that a .png and a .nii hold, or NULL,
    const char *key;         // in a .png under a keyword
    struct wp_output **first; // NULL, or what is committed with it, right before (output.h)
};

// Writes by the suffix: .png (values clamped to 0..1 and rounded), .npy (float32, H x W or
// H x W x C), .pfm (1 or 3 planes), .tiff or .tif (32-bit float), .exr (32-bit or, of
// WP_STORED_F16, 16-bit float; Y or RGB, and alpha). "-" writes NPY to stdout.
// Volumes: .npy (D x H x W, or D x H x W x C), .tiff (a page a slice), and, of one plane, .nii and
// .nii.gz (float32, with the geometry) and .y4m (8-bit luma, black at 0 and white at 1, with the
// frame rate), which take images too. "frame-%04d.png" and the like are as many files as the volume
// has slices, from number 1 on, which appear together.
// The file appears whole or not at all, and what described the one that it replaces goes
// (sidecar_path.h). False after WP_ERROR_FILE or WP_ERROR_USAGE.
bool wp_image_write(const struct wp_image *image, const char *path,
                    const struct wp_write_params *params);

// The text that a PNG file holds under a keyword, or NULL where there is none (or no such file).
// The caller frees it.
char *wp_image_read_note(const char *path, const char *key);

// The bytes of the 8-bit PNG that wp_image_write() would write; free() them. NULL after
// WP_ERROR_TOO_LARGE or WP_ERROR_FILE.
unsigned char *wp_image_encode_png(const struct wp_image *image, size_t *size);

// True where an image can be written to `path` with these params as far as can be told beforehand:
// suffix known and able to hold the content, and the file absent or `overwrite`. Logs.
// wp_image_write() asks the same first.
bool wp_image_write_check(const char *path, int planes, const struct wp_write_params *params);
bool wp_image_write_check_volume(const char *path, int planes, int depth,
                                 const struct wp_write_params *params);

// XXH3 of 64 bits of all samples, plane after plane, each as float32 as it lies in memory.
unsigned long long wp_image_hash(const struct wp_image *image);

// Takes integers for what they are in the file, of which `facts` tell: those that were divided are
// multiplied again. Also of alpha. False after WP_ERROR_FILE that names the first sample that is not
// whole, or too large for a float; `path` is for that. What they were stored as is in `*stored`.
bool wp_image_read_integers(struct wp_image *image, const struct wp_file_facts *facts,
                            const char *path, enum wp_stored *stored);

// What integers of that file are stored as.
enum wp_stored wp_image_stored(const struct wp_file_facts *facts);

// False after WP_ERROR_FILE that names the first sample that is not whole or does not fit that type;
// all that are whole fit floats.
bool wp_image_check_integers(const struct wp_image *image, const char *path,
                             enum wp_stored stored);

// Rounds to what WP_STORED_F16 keeps, the nearest number of binary16. Returns how many finite values
// are infinite now.
size_t wp_image_round_halves(struct wp_image *image);

// Counts values that are not finite, and those of `origin.wide` samples that are 2^24 or more.
struct wp_value_counts {
    size_t nonfinite, rounded;
    bool doubles; // some of the former may be finite in the file
};
void wp_count_values(struct wp_value_counts *counts, const struct wp_origin *origin,
                     const float *samples, size_t count);
// Warns about them; `path` is for the message.
void wp_warn_of_values(const struct wp_value_counts *counts, const char *path);

// Counts values that are not finite.
size_t wp_image_count_nonfinite(const struct wp_image *image);

// Reports at level verbose what was read from `path`, counts values that are not finite, and warns
// of them and of integers that float32 may have rounded.
void wp_image_fill_facts(const struct wp_image *image, const char *path, size_t *nonfinite);

#endif
