// stb_image, for the kinds of files that have no library of their own here.
#include <stdlib.h>

// Its memory is zeroed, because it decodes damaged files with tables that these never set.
#define STBI_MALLOC(size) calloc(1, size)
#define STBI_REALLOC(memory, size) realloc(memory, size)
#define STBI_FREE(memory) free(memory)
#define STB_IMAGE_IMPLEMENTATION
#include "stb_config.h"
