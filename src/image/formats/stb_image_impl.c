// stb_image, which decodes BMP and TGA.
#include <stdlib.h>

// Memory is zeroed, since for damaged files stb_image reads tables that it has not initialized.
#define STBI_MALLOC(size) calloc(1, size)
#define STBI_REALLOC(memory, size) realloc(memory, size)
#define STBI_FREE(memory) free(memory)
#define STB_IMAGE_IMPLEMENTATION
#include "stb_config.h"
