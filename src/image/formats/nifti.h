// The layout of NIfTI-1 and NIfTI-2 files (nifti.nimh.nih.gov): a header in the byte order of the
// writer, four bytes that announce extensions, the extensions, and from an offset on the samples,
// x fastest. Internal to this layer.
#ifndef WP_NIFTI_H
#define WP_NIFTI_H

enum {
    WP_NIFTI_HEADER = 348,
    WP_NIFTI_EXTENSIONS = 4,
    WP_NIFTI_LENGTHS = 8, // entries of `dim` and `pixdim`: the number of axes or qfac, then 7 axes
    WP_NIFTI_MOST_SIDE = 32767,
    WP_NIFTI_MOST_AXES = 7
};

// Byte offsets of the header's members that are used.
enum {
    WP_NIFTI_SIZE = 0,      // 4 bytes
    WP_NIFTI_DIM = 40,      // 2 bytes each
    WP_NIFTI_TYPE = 70,     // 2 bytes
    WP_NIFTI_BITS = 72,     // 2 bytes
    WP_NIFTI_PIXDIM = 76,   // floats
    WP_NIFTI_OFFSET = 108,  // float
    WP_NIFTI_SLOPE = 112,   // float
    WP_NIFTI_INTER = 116,   // float
    WP_NIFTI_UNITS = 123,   // of length in the low 3 bits, of time in the next 3
    WP_NIFTI_ABOUT = 148,   // text, null-terminated
    WP_NIFTI_ABOUT_SIZE = 80,
    WP_NIFTI_QFORM = 252,   // 2 bytes
    WP_NIFTI_SFORM = 254,   // 2 bytes
    WP_NIFTI_QUATERN = 256, // 3 floats
    WP_NIFTI_QOFFSET = 268, // 3 floats
    WP_NIFTI_SROW = 280,    // 3 rows of 4 floats
    WP_NIFTI_MAGIC = 344    // "n+1", or "ni1" if the samples are in another file
};

// NIfTI-2: a header of 540 bytes. Members have 8 bytes, except TYPE (2) and UNITS, QFORM and
// SFORM (4).
enum {
    WP_NIFTI2_HEADER = 540,
    WP_NIFTI2_MAGIC = 4,
    WP_NIFTI2_TYPE = 12,
    WP_NIFTI2_DIM = 16,
    WP_NIFTI2_PIXDIM = 104,
    WP_NIFTI2_OFFSET = 168,
    WP_NIFTI2_SLOPE = 176,
    WP_NIFTI2_INTER = 184,
    WP_NIFTI2_QFORM = 344,
    WP_NIFTI2_SFORM = 348,
    WP_NIFTI2_QUATERN = 352,
    WP_NIFTI2_QOFFSET = 376,
    WP_NIFTI2_SROW = 400,
    WP_NIFTI2_UNITS = 500
};

enum wp_nifti_unit {
    WP_NIFTI_METRE = 1,
    WP_NIFTI_MM = 2,
    WP_NIFTI_MICRON = 3,
    WP_NIFTI_SECOND = 8,
    WP_NIFTI_MSEC = 16,
    WP_NIFTI_USEC = 24
};

enum { WP_NIFTI_FLOAT32 = 16 };

#endif
