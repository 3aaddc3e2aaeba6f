// Every pair of locations and element types of two operands, in the current OpenGL context: the
// call gives what a conversion of arrays of floats gives, or is rejected with a reason.
#include <GL/glew.h>

#include "context.h"
#include "elements.h"
#include "wavepass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 20, HEIGHT = 12, SAMPLES = WIDTH * HEIGHT };

static struct wp_gl *context;
static float floats[2][SAMPLES]; // image, coefficients

// An operand of one plane, with memory for any type.
struct place {
    struct wp_operand operand;
    uint64_t memory[SAMPLES];
};

static void create_place(struct place *place, enum wp_location location, enum wp_element type,
                         unsigned buffer)
{
    *place = (struct place){.operand = {.location = location, .type = type, .name = buffer}};
    if (location == WP_LOCATION_HOST || location == WP_LOCATION_CUDA)
        place->operand.data = place->memory;
    if (location != WP_LOCATION_TEXTURE)
        return;
    glGenTextures(1, &place->operand.name);
    glBindTexture(GL_TEXTURE_2D, place->operand.name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, WIDTH, HEIGHT, 0, GL_RED, GL_FLOAT, NULL);
}

static void destroy_place(struct place *place)
{
    if (place->operand.location == WP_LOCATION_TEXTURE)
        glDeleteTextures(1, &place->operand.name);
}

static struct wp_operand array_of(struct place *place)
{
    return (struct wp_operand){.data = place->memory, .type = place->operand.type, .stride = {1}};
}

static void write_place(struct place *place, const float *from)
{
    const struct wp_operand array = array_of(place);
    wp_operand_write(&wp_element_rows, &array, 0, from, false, SAMPLES);
    if (place->operand.location != WP_LOCATION_TEXTURE)
        return;
    glBindTexture(GL_TEXTURE_2D, place->operand.name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RED, GL_FLOAT, from);
}

static void read_place(struct place *place, float *to)
{
    const struct wp_operand array = array_of(place);
    if (place->operand.location == WP_LOCATION_TEXTURE) {
        glBindTexture(GL_TEXTURE_2D, place->operand.name);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, to);
    } else {
        wp_operand_read(&wp_element_rows, to, &array, 0, false, SAMPLES);
    }
}

// NULL, or a part of the message.
static const char *reason_for(const char *backend, const struct wp_operand *from,
                              const struct wp_operand *to, enum wp_element bands)
{
    const struct wp_operand *const both[] = {from, to}; // in the order in which they are checked
    for (int i = 0; i < 2; i++) {
        if (both[i]->location != WP_LOCATION_HOST && both[i]->location != WP_LOCATION_CUDA &&
            both[i]->type != WP_ELEMENT_F32)
            return "with samples of type";
        if (both[i]->location == WP_LOCATION_CUDA)
            return "requires the backend 'cuda'";
        if (both[i]->location == WP_LOCATION_BUFFER && strcmp(backend, "compute") != 0)
            return "buffers are for the backend 'compute'";
    }
    if ((from->location == WP_LOCATION_BUFFER) != (to->location == WP_LOCATION_BUFFER))
        return "requires both operands in it";
    return wp_elements[bands].largest > 0 ? "coefficients that are not floats" : NULL;
}

struct counts {
    int worked, rejected;
};

static void check_pair(struct wp_transform *t, const char *backend, struct place *image,
                       struct place *bands, bool inverse, struct counts *counts)
{
    struct place *from = inverse ? bands : image, *to = inverse ? image : bands;
    static float in[SAMPLES], expected[SAMPLES], got[SAMPLES];
    const char *reason = reason_for(backend, &from->operand, &to->operand, bands->operand.type);
    write_place(from, floats[inverse]);
    wp_clear_error();
    wp_begin_attempt();
    const bool ok = (inverse ? wp_transform_inverse : wp_transform_forward)(t, &from->operand,
                                                                            &to->operand);
    const char *plan = wp_transform_describe(t, inverse, &from->operand, &to->operand);
    wp_end_attempt();
    counts->worked += ok;
    counts->rejected += !ok;
    if (ok != !reason || (plan != NULL) != ok ||
        (reason && (wp_last_error() != WP_ERROR_USAGE || !strstr(wp_last_error_text(), reason))))
        fail_msg("%s, %s: locations %d and %d, types %d and %d: '%s' instead of '%s'", backend,
                 inverse ? "inverse" : "forward", (int)image->operand.location,
                 (int)bands->operand.location, (int)image->operand.type,
                 (int)bands->operand.type, wp_last_error_text(), reason ? reason : "");
    if (!ok || image->operand.location == WP_LOCATION_BUFFER) // test_textures.c has those
        return;
    // The same with arrays of floats, converted before and after.
    struct place converted;
    read_place(from, in);
    assert_true((inverse ? wp_transform_inverse : wp_transform_forward)(t, WP_ARRAY(in),
                                                                        WP_ARRAY(expected)));
    create_place(&converted, WP_LOCATION_HOST, to->operand.type, 0);
    write_place(&converted, expected);
    read_place(&converted, expected);
    read_place(to, got);
    assert_memory_equal(got, expected, sizeof got);
}

static void check_backend(const char *backend)
{
    const struct wp_transform_params params = WP_TRANSFORM_PARAMS(
        .width = WIDTH, .height = HEIGHT, .levels = 2, .backend = backend,
        .current_context = true);
    struct wp_transform *t = wp_transform_create(&params);
    struct counts counts = {0, 0};
    unsigned buffer = 0;
    assert_non_null(t);
    if (strcmp(backend, "compute") == 0) {
        struct wp_buffer_layout layout;
        assert_true(wp_transform_get_buffer_layout(t, false, &layout, NULL));
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
        glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(layout.plane * sizeof(float)), NULL,
                     GL_DYNAMIC_COPY);
    }
    for (int i = 0; i < SAMPLES; i++)
        floats[0][i] = (float)(i * 37 % 101) / 100;
    assert_true(wp_transform_forward(t, WP_ARRAY(floats[0]), WP_ARRAY(floats[1])));
    for (int p = 0; p < WP_LOCATION_COUNT * WP_LOCATION_COUNT; p++) {
        for (int e = 0; e < WP_ELEMENT_COUNT * WP_ELEMENT_COUNT * 2; e++) {
            struct place image, bands;
            create_place(&image, (enum wp_location)(p % WP_LOCATION_COUNT),
                         (enum wp_element)(e / 2 % WP_ELEMENT_COUNT), buffer);
            create_place(&bands, (enum wp_location)(p / WP_LOCATION_COUNT),
                         (enum wp_element)(e / 2 / WP_ELEMENT_COUNT), buffer);
            check_pair(t, backend, &image, &bands, e % 2, &counts);
            destroy_place(&image);
            destroy_place(&bands);
        }
    }
    print_message("%s: %d combinations worked, %d were rejected\n", backend, counts.worked,
                  counts.rejected);
    assert_true(counts.worked > 20 && counts.rejected > 100);
    wp_transform_destroy(&t);
    glDeleteBuffers(1, &buffer);
}

static void test_fragment(void **state)
{
    (void)state;
    check_backend("fragment");
}

static void test_compute(void **state)
{
    (void)state;
    if (wp_gl_get_info(context)->max_invocations == 0)
        skip();
    check_backend("compute");
}

int main(void)
{
    char reason[512];
    context = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (!context) {
        fprintf(stderr, "%s\n", reason);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fragment),
        cmocka_unit_test(test_compute),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wp_gl_destroy(&context);
    return failed;
}
