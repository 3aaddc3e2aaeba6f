// Contexts and programs: what the driver says, and which program a text becomes.
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
    pthread_t thread; // of the latest
    char latest[256];
} said;

static void keep(void *user, enum wp_log_level level, const char *message)
{
    (void)user;
    if (level != WP_LOG_WARNING)
        return;
    said.count++;
    said.thread = pthread_self();
    snprintf(said.latest, sizeof said.latest, "%s", message);
}

// The driver's way to us.
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
    wp_log_set_handler(keep, NULL);
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

static void *say(void *message)
{
    driver.callback(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, 1, GL_DEBUG_SEVERITY_HIGH, -1,
                    message, driver.user);
    return NULL;
}

// As drivers may: from a thread where no handler expects to be called.
static void test_message_of_another_thread(void **state)
{
    (void)state;
    said.count = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, say, "out of luck"), 0);
    pthread_join(thread, NULL);
    assert_int_equal(said.count, 0);
    assert_true(wp_gl_make_current(gl));
    assert_int_equal(said.count, 1);
    assert_true(pthread_equal(said.thread, pthread_self()));
    assert_string_equal(said.latest, "GL: out of luck");
    assert_true(wp_gl_finish(gl));
    assert_int_equal(said.count, 1);
}

static void test_more_messages_than_are_kept(void **state)
{
    (void)state;
    enum { MESSAGES = 1000 };
    said.count = 0;
    for (int i = 0; i < MESSAGES; i++)
        say("a message of 32 characters, more");
    assert_true(wp_gl_finish(gl));
    int lost = 0;
    assert_int_equal(sscanf(said.latest, "GL: %d more messages", &lost), 1);
    assert_true(lost > 0);
    assert_int_equal(said.count - 1 + lost, MESSAGES);
}

// The driver's own, of a call that is wrong.
static void test_message_of_the_driver(void **state)
{
    (void)state;
    said.count = 0;
    glBindTexture(GL_TEXTURE_2D, 123456789);
    glEnable(0);
    assert_int_not_equal(glGetError(), GL_NO_ERROR);
    assert_true(wp_gl_make_current(gl));
    assert_true(said.count > 0);
    assert_memory_equal(said.latest, "GL: ", 4);
}

// One text behind other shaders is another program.
static void test_kinds_of_programs(void **state)
{
    (void)state;
    static const char text[] = "#version 330 core\nout vec4 colour;\n"
                               "void main() { colour = vec4(1.0); }\n";
    struct wp_program *alone = wp_program_get(gl, text);
    struct wp_program *stacked = wp_program_get_stacked(gl, text);
    struct wp_program *layered = wp_program_get_layered(gl, text);
    assert_non_null(alone);
    assert_non_null(stacked);
    assert_non_null(layered);
    assert_ptr_not_equal(alone, stacked);
    assert_ptr_not_equal(alone, layered);
    assert_ptr_not_equal(stacked, layered);
    assert_ptr_equal(wp_program_get(gl, text), alone);
    assert_ptr_equal(wp_program_get_stacked(gl, text), stacked);
    assert_ptr_equal(wp_program_get_layered(gl, text), layered);
}

enum { SIDE = 3, LAYERS = 14 };

static struct wp_texture make_deep(void)
{
    static const float nothing[SIDE * SIDE * 4];
    const struct wp_texture_params params = {
        .width = SIDE, .height = SIDE, .layers = LAYERS, .deep = true};
    struct wp_texture texture;
    assert_true(wp_texture_create_from(gl, &params, &texture));
    for (int layer = 0; layer < LAYERS; layer++)
        assert_true(wp_texture_write_layer(&texture, layer, 0, 0, SIDE, SIDE, nothing));
    return texture;
}

// Texel (1, 1) of a layer.
static void assert_layer(const struct wp_texture *texture, int layer, float first, float second,
                         float third)
{
    float texels[SIDE * SIDE * 4];
    const float *texel = texels + 4 * (SIDE + 1);
    wp_texture_read_layer(texture, layer, 0, 0, SIDE, SIDE, texels);
    assert_true(texel[0] == first && texel[1] == second && texel[2] == third);
}

// Two groups of two layers, the groups four apart, from layer 1 of one texture and layer 4 of
// another on.
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
        printf("no views of textures here: both from layer 1 on\n");
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

// What every function of this layer takes for granted of the state, and so leaves.
static void assert_granted(const char *after)
{
    static const struct {
        GLenum name;
        GLint value[4];
    } granted[] = {
        {GL_PIXEL_PACK_BUFFER_BINDING, {0}}, {GL_PIXEL_UNPACK_BUFFER_BINDING, {0}},
        {GL_PACK_ALIGNMENT, {4}},            {GL_UNPACK_ALIGNMENT, {4}},
        {GL_PACK_ROW_LENGTH, {0}},           {GL_UNPACK_ROW_LENGTH, {0}},
        {GL_PACK_SKIP_ROWS, {0}},            {GL_UNPACK_SKIP_ROWS, {0}},
        {GL_PACK_SKIP_PIXELS, {0}},          {GL_UNPACK_SKIP_PIXELS, {0}},
        {GL_COLOR_WRITEMASK, {1, 1, 1, 1}},  {GL_ACTIVE_TEXTURE, {GL_TEXTURE0}},
        {GL_RASTERIZER_DISCARD, {0}},        {GL_SCISSOR_TEST, {0}},
        {GL_BLEND, {0}},
    };
    for (size_t i = 0; i < sizeof granted / sizeof *granted; i++) {
        GLint value[4] = {0};
        glGetIntegerv(granted[i].name, value);
        if (memcmp(value, granted[i].value, sizeof value) != 0)
            fail_msg("after %s state 0x%x is %d %d %d %d", after, granted[i].name, value[0],
                     value[1], value[2], value[3]);
    }
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

static void copy_texels(const struct wp_texture *texture, float first)
{
    struct wp_texture_copy copy = {0};
    for (int again = 0; again < 2; again++) {
        wp_texture_copy_begin(&copy, texture, 0, 0, 0, SIDE, SIDE);
        assert_granted("a copy begun");
        const float *texels = wp_texture_copy_wait(&copy);
        assert_granted("a copy waited for");
        assert_non_null(texels);
        assert_true(texels[0] == first);
        wp_texture_copy_return(&copy);
        assert_granted("a copy returned");
    }
    wp_texture_copy_destroy(&copy);
    assert_granted("a copy destroyed");
}

static void write_and_read(struct wp_texture *texture)
{
    float texels[SIDE * SIDE * 4] = {0.5F}, got[SIDE * SIDE * 4];
    assert_true(wp_texture_write(texture, 0, 0, SIDE, SIDE, texels));
    assert_granted("texels written");
    wp_texture_read(texture, 0, 0, SIDE, SIDE, got);
    assert_granted("texels read");
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
        assert_granted("a draw");
    }
    wp_program_read(program, "source", 1, source);
    assert_granted("a texture to be read");
}

static void show_screen(void)
{
    unsigned char rgb[2 * SIDE * 3];
    struct wp_screen screen;
    assert_true(wp_screen_create(gl, SIDE, SIDE, &screen));
    assert_granted("a screen");
    wp_screen_show(false);
    wp_screen_show(true);
    wp_screen_begin(&screen, (const float[]){1, 0, 1});
    assert_granted("a screen filled");
    wp_screen_read(&screen, 0, 0, SIDE, 2, rgb);
    assert_granted("pixels read");
    for (int i = 0; i < 2 * SIDE * 3; i++)
        assert_int_equal(rgb[i], i % 3 == 1 ? 0 : 255);
    wp_screen_destroy(&screen);
}

static void test_state_is_left_as_it_is_taken_for_granted(void **state)
{
    (void)state;
    static const struct wp_texture_params kinds[] = {
        {.width = SIDE, .height = SIDE},
        {.width = SIDE, .height = SIDE, .half = true},
        {.width = SIDE, .height = SIDE, .layers = 2},
        {.width = SIDE, .height = SIDE, .layers = 2, .deep = true},
    };
    assert_granted("the start");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct wp_texture texture;
        assert_true(wp_texture_create_from(gl, &kinds[i], &texture));
        assert_granted("a texture");
        write_and_read(&texture);
        wp_texture_destroy(&texture);
    }
    struct wp_texture words;
    const struct wp_texture_params of_words = {.width = SIDE, .height = SIDE, .words = true};
    assert_true(wp_texture_create_from(gl, &of_words, &words));
    wp_texture_write_words(&words, 0, 0, SIDE, SIDE, (const unsigned[SIDE * SIDE]){1});
    assert_granted("words written");
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

// Parts of a buffer, also of one that is a part itself, and nothing beside them.
static void test_parts_of_buffers(void **state)
{
    (void)state;
    enum { FIRST = WP_BUFFER_ALIGN, COUNT = FIRST + 12, AT = 3, PART = 5 };
    float values[COUNT], part[PART], got[COUNT + 2];
    struct wp_buffer whole;
    if (wp_gl_get_info(gl)->max_invocations == 0)
        skip(); // no such buffers before OpenGL 4.3
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    for (int i = 0; i < PART; i++)
        part[i] = -1 - (float)i;
    assert_true(wp_buffer_create(COUNT, &whole));
    wp_buffer_write(&whole, 0, COUNT, values);
    struct wp_buffer behind = whole;
    behind.first = FIRST;
    wp_buffer_write(&behind, AT, PART, part);
    assert_true(wp_buffer_read(&whole, 0, COUNT, got));
    for (int i = 0; i < COUNT; i++) {
        const int k = i - FIRST - AT;
        assert_true(got[i] == (k >= 0 && k < PART ? part[k] : values[i]));
    }
    memset(got, 0, sizeof got);
    assert_true(wp_buffer_read(&behind, AT + 1, 2, got + 1));
    assert_true(got[0] == 0 && got[1] == part[1] && got[2] == part[2] && got[3] == 0);
    wp_buffer_destroy(&whole);
    assert_true(whole.id == 0 && wp_gl_finish(gl));
}

// What stands at the end of memory that a driver did not fill is no result.
static void test_what_was_not_read_back(void **state)
{
    (void)state;
    static const uint32_t of_buffers = 0xffc5a1d3,
                          of_copies[4] = {0x7fd3a5c1, 0xffc1b35a, 0x7fe95c3d, 0xffd8a6e7};
    float texels[SIDE * SIDE * 4] = {0}, *const last = &texels[4 * (SIDE * SIDE - 1)];
    struct wp_texture texture;
    struct wp_texture_copy copy = {0};
    assert_true(wp_texture_create(gl, SIDE, SIDE, &texture));
    // Four numbers tell of it, and not three of them.
    for (int alike = 3; alike <= 4; alike++) {
        memcpy(last, of_copies, (size_t)alike * sizeof *of_copies);
        assert_true(wp_texture_write(&texture, 0, 0, SIDE, SIDE, texels));
        wp_texture_copy_begin(&copy, &texture, 0, 0, 0, SIDE, SIDE);
        const bool read = wp_texture_copy_wait(&copy) != NULL;
        assert_int_equal(read, alike == 3);
        if (read)
            wp_texture_copy_return(&copy);
        assert_granted("a copy that may have failed");
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

// A place has a name of its own, whichever of the ways to a context it belongs to, and nothing lies
// before the first or beyond the last.
static void test_places(void **state)
{
    (void)state;
    const int places = wp_gl_device_count();
    char name[2][96], reason[256];
    int surfaceless = -1, display = -1;
    for (int place = 0; place < places; place++) {
        wp_gl_device_name(place, name[0], sizeof name[0]);
        assert_string_not_equal(name[0], "no such device");
        for (int other = 0; other < place; other++) {
            wp_gl_device_name(other, name[1], sizeof name[1]);
            assert_string_not_equal(name[0], name[1]);
        }
        if (strcmp(name[0], "EGL surfaceless platform") == 0)
            surfaceless = place;
        if (strcmp(name[0], "EGL default display") == 0)
            display = place;
        char device[32];
        snprintf(device, sizeof device, "EGL device %d", place);
        assert_int_equal(strncmp(name[0], "EGL device", 10) == 0, surfaceless < 0);
        struct wp_gl *there = surfaceless < 0 ? wp_gl_create(place, reason, sizeof reason) : NULL;
        if (there)
            assert_int_equal(strstr(name[0], " (software)") != NULL,
                             wp_gl_get_info(there)->software);
        wp_gl_destroy(&there);
        if (surfaceless < 0)
            assert_memory_equal(name[0], device, strlen(device));
    }
    // Behind those two there is a hidden window, where the build has that.
    assert_in_range(surfaceless, 0, places - 1);
    assert_int_equal(display, surfaceless + 1);
    assert_in_range(places - display - 1, 0, 1);
    static const int none[] = {-2, 0, 1, 1000};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const int place = i == 0 ? none[i] : places + none[i];
        wp_gl_device_name(place, name[0], sizeof name[0]);
        assert_string_equal(name[0], "no such device");
        assert_null(wp_gl_create(place, reason, sizeof reason));
        snprintf(name[1], sizeof name[1], "there is no device %d", place);
        assert_string_equal(reason, name[1]);
    }
    assert_true(wp_gl_make_current(gl));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_of_another_thread),
        cmocka_unit_test(test_more_messages_than_are_kept),
        cmocka_unit_test(test_message_of_the_driver),
        cmocka_unit_test(test_kinds_of_programs),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_state_is_left_as_it_is_taken_for_granted),
        cmocka_unit_test(test_parts_of_buffers),
        cmocka_unit_test(test_what_was_not_read_back),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
