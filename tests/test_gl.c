// Contexts, debug messages, programs, textures and buffers of the OpenGL layer.
#include <GL/glew.h>

#include "buffer.h"
#include "context.h"
#include "log.h"
#include "program.h"
#include "screen.h"
#include "texture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct wp_gl *gl;

static struct {
    int count;
    pthread_t thread; // thread of the last message
    char latest[256];
} received;

static void receive(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    if (level != WP_LOG_WARNING)
        return;
    received.count++;
    received.thread = pthread_self();
    snprintf(received.latest, sizeof received.latest, "%s", message);
}

// The debug callback that the driver calls.
static struct {
    GLDEBUGPROC callback;
    void *user;
} driver;

static int open_context(void **state)
{
    (void)state;
    char reason[512];
    gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (!gl)
        fprintf(stderr, "%s\n", reason);
    if (!gl)
        return -1;
    wp_log_set_handler(receive, NULL);
    glGetPointerv(GL_DEBUG_CALLBACK_FUNCTION, (void **)&driver.callback);
    glGetPointerv(GL_DEBUG_CALLBACK_USER_PARAM, &driver.user);
    return driver.callback ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    wp_gl_destroy(&gl);
    return 0;
}

static void *send_message(void *message)
{
    driver.callback(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, 1, GL_DEBUG_SEVERITY_HIGH, -1,
                    message, driver.user);
    return NULL;
}

// Drivers may call back from any thread; the message is delayed to the context's thread.
static void test_message_of_another_thread(void **state)
{
    (void)state;
    received.count = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_message, "out of luck"), 0);
    pthread_join(thread, NULL);
    assert_int_equal(received.count, 0);
    assert_true(wp_gl_make_current(gl));
    assert_int_equal(received.count, 1);
    assert_true(pthread_equal(received.thread, pthread_self()));
    assert_string_equal(received.latest, "GL: out of luck");
    assert_true(wp_gl_finish(gl));
    assert_int_equal(received.count, 1);
}

static void test_message_overflow(void **state)
{
    (void)state;
    enum { MESSAGES = 1000 };
    received.count = 0;
    for (int i = 0; i < MESSAGES; i++)
        send_message("a message of 32 characters, more");
    assert_true(wp_gl_finish(gl));
    int lost = 0;
    assert_int_equal(sscanf(received.latest, "GL: %d more messages", &lost), 1);
    assert_true(lost > 0);
    assert_int_equal(received.count - 1 + lost, MESSAGES);
}

// A message of the driver itself, for an invalid call.
static void test_message_of_the_driver(void **state)
{
    (void)state;
    received.count = 0;
    glBindTexture(GL_TEXTURE_2D, 123456789);
    glEnable(0);
    assert_int_not_equal(glGetError(), GL_NO_ERROR);
    assert_true(wp_gl_make_current(gl));
    assert_true(received.count > 0);
    assert_memory_equal(received.latest, "GL: ", 4);
}

// The same fragment shader with another vertex or geometry shader is another program.
static void test_kinds_of_programs(void **state)
{
    (void)state;
    static const char text[] = "#version 330 core\nout vec4 colour;\n"
                               "void main() { colour = vec4(1.0); }\n";
    struct wp_program *plain = wp_program_get(gl, text);
    struct wp_program *stacked = wp_program_get_stacked(gl, text);
    struct wp_program *layered = wp_program_get_layered(gl, text);
    assert_non_null(plain);
    assert_non_null(stacked);
    assert_non_null(layered);
    assert_ptr_not_equal(plain, stacked);
    assert_ptr_not_equal(plain, layered);
    assert_ptr_not_equal(stacked, layered);
    assert_ptr_equal(wp_program_get(gl, text), plain);
    assert_ptr_equal(wp_program_get_stacked(gl, text), stacked);
    assert_ptr_equal(wp_program_get_layered(gl, text), layered);
}

enum { SIDE = 3, LAYERS = 14 };

static struct wp_texture make_deep(void)
{
    static const float zeros[SIDE * SIDE * 4];
    const struct wp_texture_params params = {
        .width = SIDE, .height = SIDE, .layers = LAYERS, .deep = true};
    struct wp_texture texture;
    assert_true(wp_texture_create_from(gl, &params, &texture));
    for (int layer = 0; layer < LAYERS; layer++)
        assert_true(wp_texture_write_layer(&texture, layer, 0, 0, SIDE, SIDE, zeros));
    return texture;
}

// Checks texel (1, 1) of a layer.
static void assert_layer(const struct wp_texture *texture, int layer, float first, float second,
                         float third)
{
    float texels[SIDE * SIDE * 4];
    const float *texel = texels + 4 * (SIDE + 1);
    wp_texture_read_layer(texture, layer, 0, 0, SIDE, SIDE, texels);
    assert_true(texel[0] == first && texel[1] == second && texel[2] == third);
}

// Two groups of two layers, with a stride of four layers between the groups, starting at layer 1 of
// one texture and layer 4 of another.
static void test_layers(void **state)
{
    (void)state;
    static const char text[] =
        "#version 330 core\nflat in ivec2 drawn;\nlayout(location = 0) out vec4 result[2];\n"
        "void main() { result[0] = vec4(drawn, 1.0, 0.0); result[1] = vec4(drawn, 2.0, 0.0); }\n";
    struct wp_texture texture[2] = {make_deep(), make_deep()};
    struct wp_program *program = wp_program_get_layered(gl, text);
    struct wp_targets *targets = wp_targets_create();
    assert_non_null(program);
    assert_non_null(targets);
    if (!wp_gl_get_info(gl)->texture_views)
        printf("texture views are not supported: both start at layer 1\n");
    const int second = wp_gl_get_info(gl)->texture_views ? 4 : 1;
    const struct wp_layer first[] = {{&texture[0], 1}, {&texture[1], second}};
    wp_targets_set(targets, first, 2);
    wp_program_layers(program, 2, 4, 2);
    wp_program_draw_targets(program, targets, 0, 0, SIDE, SIDE, WP_DRAW_ALL);
    for (int i = 0; i < 2; i++)
        for (int layer = 0; layer < LAYERS; layer++) {
            const int at = layer - first[i].layer, group = at / 4;
            const bool drawn = at >= 0 && group < 2 && at % 4 < 2;
            assert_layer(&texture[i], layer, drawn ? (float)group : 0,
                         drawn ? (float)(at % 4) : 0, drawn ? (float)(1 + i) : 0);
        }
    wp_targets_destroy(&targets);
    for (int i = 0; i < 2; i++)
        wp_texture_destroy(&texture[i]);
    assert_true(wp_gl_finish(gl));
}

// Checks the OpenGL state that all functions of this layer require and restore.
static void assert_state(const char *after)
{
    static const struct {
        GLenum name;
        GLint value[4];
    } expected[] = {
        {GL_PIXEL_PACK_BUFFER_BINDING, {0}}, {GL_PIXEL_UNPACK_BUFFER_BINDING, {0}},
        {GL_PACK_ALIGNMENT, {4}},            {GL_UNPACK_ALIGNMENT, {4}},
        {GL_PACK_ROW_LENGTH, {0}},           {GL_UNPACK_ROW_LENGTH, {0}},
        {GL_PACK_SKIP_ROWS, {0}},            {GL_UNPACK_SKIP_ROWS, {0}},
        {GL_PACK_SKIP_PIXELS, {0}},          {GL_UNPACK_SKIP_PIXELS, {0}},
        {GL_COLOR_WRITEMASK, {1, 1, 1, 1}},  {GL_ACTIVE_TEXTURE, {GL_TEXTURE0}},
        {GL_RASTERIZER_DISCARD, {0}},        {GL_SCISSOR_TEST, {0}},
        {GL_BLEND, {0}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        GLint value[4] = {0};
        glGetIntegerv(expected[i].name, value);
        if (memcmp(value, expected[i].value, sizeof value) != 0)
            fail_msg("after %s state 0x%x is %d %d %d %d", after, expected[i].name, value[0],
                     value[1], value[2], value[3]);
    }
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void copy_texels(const struct wp_texture *texture, float first)
{
    struct wp_texture_copy copy = {0};
    for (int again = 0; again < 2; again++) {
        wp_texture_copy_begin(&copy, texture, 0, 0, 0, SIDE, SIDE);
        assert_state("a copy begun");
        const float *texels = wp_texture_copy_wait(&copy);
        assert_state("a copy waited for");
        assert_non_null(texels);
        assert_true(texels[0] == first);
        wp_texture_copy_return(&copy);
        assert_state("a copy returned");
    }
    wp_texture_copy_destroy(&copy);
    assert_state("a copy destroyed");
}

static void write_and_read(struct wp_texture *texture)
{
    float texels[SIDE * SIDE * 4] = {0.5F}, got[SIDE * SIDE * 4];
    assert_true(wp_texture_write(texture, 0, 0, SIDE, SIDE, texels));
    assert_state("texels written");
    wp_texture_read(texture, 0, 0, SIDE, SIDE, got);
    assert_state("texels read");
    assert_memory_equal(got, texels, sizeof got);
    copy_texels(texture, 0.5F);
}

static void draw_on(const struct wp_texture *source, const struct wp_texture *target)
{
    static const char text[] = "#version 330 core\nout vec4 colour;\nuniform sampler2D source;\n"
                               "void main() { colour = texelFetch(source, ivec2(0), 0); }\n";
    struct wp_program *program = wp_program_get(gl, text);
    assert_non_null(program);
    for (unsigned channels = 0; channels <= WP_DRAW_ALL; channels++) {
        wp_program_draw(program, source, target, 0, 0, SIDE, SIDE, channels);
        assert_state("a draw");
    }
    wp_program_read(program, "source", 1, source);
    assert_state("a texture to be read");
}

static void show_screen(void)
{
    unsigned char rgb[2 * SIDE * 3];
    struct wp_screen screen;
    assert_true(wp_screen_create(gl, SIDE, SIDE, &screen));
    assert_state("a screen");
    wp_screen_show(false);
    wp_screen_show(true);
    wp_screen_begin(&screen, (const float[]){1, 0, 1});
    assert_state("a screen filled");
    wp_screen_read(&screen, 0, 0, SIDE, 2, rgb);
    assert_state("pixels read");
    for (int i = 0; i < 2 * SIDE * 3; i++)
        assert_int_equal(rgb[i], i % 3 == 1 ? 0 : 255);
    wp_screen_destroy(&screen);
}

static void test_state_is_restored(void **state)
{
    (void)state;
    static const struct wp_texture_params kinds[] = {
        {.width = SIDE, .height = SIDE},
        {.width = SIDE, .height = SIDE, .half = true},
        {.width = SIDE, .height = SIDE, .layers = 2},
        {.width = SIDE, .height = SIDE, .layers = 2, .deep = true},
    };
    assert_state("the start");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct wp_texture texture;
        assert_true(wp_texture_create_from(gl, &kinds[i], &texture));
        assert_state("a texture");
        write_and_read(&texture);
        wp_texture_destroy(&texture);
    }
    struct wp_texture words;
    const struct wp_texture_params of_words = {.width = SIDE, .height = SIDE, .words = true};
    assert_true(wp_texture_create_from(gl, &of_words, &words));
    wp_texture_write_words(&words, 0, 0, SIDE, SIDE, (const unsigned[SIDE * SIDE]){1});
    assert_state("words written");
    wp_texture_destroy(&words);
    struct wp_texture flat[2];
    for (int i = 0; i < 2; i++)
        assert_true(wp_texture_create(gl, SIDE, SIDE, &flat[i]));
    draw_on(&flat[0], &flat[1]);
    for (int i = 0; i < 2; i++)
        wp_texture_destroy(&flat[i]);
    show_screen();
    assert_true(wp_gl_finish(gl));
}

// Writes and reads ranges of a buffer, also of a buffer with an offset, and nothing outside of
// them.
static void test_buffer_ranges(void **state)
{
    (void)state;
    enum { FIRST = WP_BUFFER_ALIGN, COUNT = FIRST + 12, AT = 3, PART = 5 };
    float values[COUNT], part[PART], got[COUNT + 2];
    struct wp_buffer buffer;
    if (wp_gl_get_info(gl)->max_invocations == 0)
        skip(); // no such buffers before OpenGL 4.3
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    for (int i = 0; i < PART; i++)
        part[i] = -1 - (float)i;
    assert_true(wp_buffer_create(COUNT, &buffer));
    wp_buffer_write(&buffer, 0, COUNT, values);
    struct wp_buffer shifted = buffer;
    shifted.first = FIRST;
    wp_buffer_write(&shifted, AT, PART, part);
    assert_true(wp_buffer_read(&buffer, 0, COUNT, got));
    for (int i = 0; i < COUNT; i++) {
        const int k = i - FIRST - AT;
        assert_true(got[i] == (k >= 0 && k < PART ? part[k] : values[i]));
    }
    memset(got, 0, sizeof got);
    assert_true(wp_buffer_read(&shifted, AT + 1, 2, got + 1));
    assert_true(got[0] == 0 && got[1] == part[1] && got[2] == part[2] && got[3] == 0);
    wp_buffer_destroy(&buffer);
    assert_true(buffer.id == 0 && wp_gl_finish(gl));
}

// Detects failed reads: marker values at the end of the memory that the driver did not overwrite.
static void test_failed_reads(void **state)
{
    (void)state;
    static const uint32_t of_buffers = 0xffc5a1d3,
                          of_copies[4] = {0x7fd3a5c1, 0xffc1b35a, 0x7fe95c3d, 0xffd8a6e7};
    float texels[SIDE * SIDE * 4] = {0}, *const last = &texels[4 * (SIDE * SIDE - 1)];
    struct wp_texture texture;
    struct wp_texture_copy copy = {0};
    assert_true(wp_texture_create(gl, SIDE, SIDE, &texture));
    // All four marker values must be present, not only three.
    for (int alike = 3; alike <= 4; alike++) {
        memcpy(last, of_copies, (size_t)alike * sizeof *of_copies);
        assert_true(wp_texture_write(&texture, 0, 0, SIDE, SIDE, texels));
        wp_texture_copy_begin(&copy, &texture, 0, 0, 0, SIDE, SIDE);
        const bool read = wp_texture_copy_wait(&copy) != NULL;
        assert_int_equal(read, alike == 3);
        if (read)
            wp_texture_copy_return(&copy);
        assert_state("a copy that may have failed");
    }
    assert_int_equal(wp_last_error(), WP_ERROR_INTERNAL);
    wp_texture_copy_destroy(&copy);
    wp_texture_destroy(&texture);
    if (wp_gl_get_info(gl)->max_invocations > 0) {
        struct wp_buffer buffer;
        wp_clear_error();
        memcpy(&texels[2], &of_buffers, sizeof of_buffers);
        assert_true(wp_buffer_create(4, &buffer));
        wp_buffer_write(&buffer, 0, 4, texels);
        assert_true(wp_buffer_read(&buffer, 0, 4, last));
        assert_false(wp_buffer_read(&buffer, 0, 3, last));
        assert_int_equal(wp_last_error(), WP_ERROR_INTERNAL);
        wp_buffer_destroy(&buffer);
    }
    wp_clear_error();
}

// Each device of the list has a unique name, and numbers outside the list are rejected.
static void test_devices(void **state)
{
    (void)state;
    const int count = wp_gl_device_count();
    char name[2][96], reason[256];
    int surfaceless = -1, display = -1;
    for (int index = 0; index < count; index++) {
        wp_gl_device_name(index, name[0], sizeof name[0]);
        assert_string_not_equal(name[0], "no such device");
        for (int other = 0; other < index; other++) {
            wp_gl_device_name(other, name[1], sizeof name[1]);
            assert_string_not_equal(name[0], name[1]);
        }
        if (strcmp(name[0], "EGL surfaceless platform") == 0)
            surfaceless = index;
        if (strcmp(name[0], "EGL default display") == 0)
            display = index;
        char device[32];
        snprintf(device, sizeof device, "EGL device %d", index);
        assert_int_equal(strncmp(name[0], "EGL device", 10) == 0, surfaceless < 0);
        struct wp_gl *device_gl =
            surfaceless < 0 ? wp_gl_create(index, reason, sizeof reason) : NULL;
        if (device_gl)
            assert_int_equal(strstr(name[0], " (software)") != NULL,
                             wp_gl_get_info(device_gl)->software);
        wp_gl_destroy(&device_gl);
        if (surfaceless < 0)
            assert_memory_equal(name[0], device, strlen(device));
    }
    // After these two, the list has a hidden window if the build supports it.
    assert_in_range(surfaceless, 0, count - 1);
    assert_int_equal(display, surfaceless + 1);
    assert_in_range(count - display - 1, 0, 1);
    static const int invalid[] = {-2, 0, 1, 1000};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        const int index = i == 0 ? invalid[i] : count + invalid[i];
        wp_gl_device_name(index, name[0], sizeof name[0]);
        assert_string_equal(name[0], "no such device");
        assert_null(wp_gl_create(index, reason, sizeof reason));
        snprintf(name[1], sizeof name[1], "there is no device %d, the last one is %d", index,
                 count - 1);
        assert_string_equal(reason, name[1]);
    }
    assert_true(wp_gl_make_current(gl));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_of_another_thread),
        cmocka_unit_test(test_message_overflow),
        cmocka_unit_test(test_message_of_the_driver),
        cmocka_unit_test(test_kinds_of_programs),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_state_is_restored),
        cmocka_unit_test(test_buffer_ranges),
        cmocka_unit_test(test_failed_reads),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
