// The configuration of stb_image. Include this instead of stb_image.h.
#ifndef WP_STB_CONFIG_H
#define WP_STB_CONFIG_H

#include "image_io.h"

#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS WP_IMAGE_MAX_SIDE
#include <stb/stb_image.h>

#endif
