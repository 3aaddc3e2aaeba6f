// Contexts and programs: what the driver says, and which program a text becomes.
#include <GL/glew.h>

#include "context.h"
#include "log.h"
#include "program.h"
#include "texture.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_of_another_thread),
        cmocka_unit_test(test_more_messages_than_are_kept),
        cmocka_unit_test(test_message_of_the_driver),
        cmocka_unit_test(test_kinds_of_programs),
        cmocka_unit_test(test_layers),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
