// The headers of NIfTI-1 and NIfTI-2 files, decoded. Internal to this layer.
#ifndef WP_NIFTI_HEADER_H
#define WP_NIFTI_HEADER_H

#include "nifti.h"
#include "stream.h"

struct wp_nifti_header {
    int version;  // 1 or 2
    bool big;     // byte order of header and samples
    bool is_pair; // the samples are in a separate file, FILE.img
    size_t bytes;
    long long dim[WP_NIFTI_LENGTHS]; // number of axes, then samples along each (unused: 1)
    int type;
    double pixdim[WP_NIFTI_LENGTHS];
    double start;            // offset of the samples in bytes
    double slope, intercept; // value = slope * stored + intercept; slope 0: not scaled
    int units, qform, sform;
    double quaternion[3], offset[3], rows[12];
};

// True if the first four bytes of a file are the size of a header, in either byte order.
bool wp_nifti_is_size(const unsigned char *data);

// Reads the header at the start of a stream, and nothing after it. False after WP_ERROR_FILE.
bool wp_nifti_read_header(struct wp_stream *stream, struct wp_nifti_header *header);

#endif
