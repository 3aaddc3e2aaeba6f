// Writes every kind of shader to files, which shaders_test.sh compiles:
//
//   dump_shaders DIRECTORY
#include "every_shader.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    const struct wp_dialect *dialect;
} dialects[] = {{"330", &wp_glsl_330},
                {"es300", &wp_glsl_es_300},
                {"400", &wp_glsl_400},
                {"430", &wp_glsl_430},
                {"cuda", &wp_cuda_c}};

// Files are numbered; the first lines of a shader describe it.
static void write_file(void *user, const struct shader *shader)
{
    static int number;
    const char *directory = user;
    int dialect = 0;
    while (dialects[dialect].dialect != shader->dialect)
        dialect++;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%05d.%s", directory, dialects[dialect].name, number++,
             shader->stage);
    FILE *file = fopen(path, "w");
    if (!file || fputs(shader->text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return EXIT_FAILURE;
    every_shader(write_file, argv[1]);
    return EXIT_SUCCESS;
}
