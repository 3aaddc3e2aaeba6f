// The wavelet files of assets/wavelets, which the build puts into the page.
#ifndef WP_PAGE_FILES_H
#define WP_PAGE_FILES_H

extern const struct page_file {
    const char *name; // "cdf93.wavelet"
    const char *text;
} page_files[]; // ended by a name NULL

#endif
