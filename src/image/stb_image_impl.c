// stb_image, for the kinds of files that have no library of their own here.
#define STB_IMAGE_IMPLEMENTATION
#include "stb_config.h"
