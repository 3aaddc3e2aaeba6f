// stb_image_write, an encoder independent of the code under test. It shifts bits out of signed
// numbers, so only this file is built without UndefinedBehaviorSanitizer.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
