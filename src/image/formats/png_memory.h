// Allocation functions for libpng that end the program if memory is exhausted; libpng would report
// a damaged file. Internal to this layer.
#ifndef WP_PNG_MEMORY_H
#define WP_PNG_MEMORY_H

#include "xmemory.h"

#include <png.h>
#include <stdlib.h>

static inline png_voidp wp_png_allocate(png_structp png, png_alloc_size_t size)
{
    (void)png;
    return wp_xmalloc(size);
}

static inline void wp_png_free(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

#endif
