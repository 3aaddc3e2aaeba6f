#include "draw_check.h"

#include "gl_internal.h"
#include "log.h"

enum { BITS_OF_COUNTERS = 64 };

static const struct {
    GLenum target;
    const char *message;
} kinds[WP_GL_DRAW_CHECK_KINDS] = {
    [WP_GL_DRAW_CHECK_DRAWN] = {GL_SAMPLES_PASSED, "the device drew %.0f texels of %.0f"},
    [WP_GL_DRAW_CHECK_COMPUTED] = {GL_COMPUTE_SHADER_INVOCATIONS_ARB,
                             "the device ran %.0f invocations of a compute shader of %.0f"},
};

// Rejects hardware counters that could overflow during a run.
static bool has_counter(GLenum target)
{
    GLint bits = 0;
    glGetQueryiv(target, GL_QUERY_COUNTER_BITS, &bits);
    return bits >= BITS_OF_COUNTERS;
}

static bool can_count(const struct wp_gl *gl, int kind)
{
    if (gl->saved_state || !glGetQueryObjectui64v)
        return false;
    return (kind == WP_GL_DRAW_CHECK_DRAWN ||
            (gl->info.max_invocations > 0 && GLEW_ARB_pipeline_statistics_query)) &&
           has_counter(kinds[kind].target);
}

void wp_gl_draw_check_begin(struct wp_gl *gl)
{
    for (int k = 0; k < WP_GL_DRAW_CHECK_KINDS; k++) {
        struct wp_gl_draw_check *draw_check = &gl->draw_check[k];
        draw_check->expected = 0;
        if (!draw_check->query && can_count(gl, k))
            glGenQueries(1, &draw_check->query);
        if (draw_check->query)
            glBeginQuery(kinds[k].target, draw_check->query);
    }
}

bool wp_gl_draw_check_end(struct wp_gl *gl)
{
    bool ok = true;
    for (int k = 0; k < WP_GL_DRAW_CHECK_KINDS; k++) {
        const struct wp_gl_draw_check *draw_check = &gl->draw_check[k];
        GLuint64 done = 0;
        if (!draw_check->query)
            continue;
        glEndQuery(kinds[k].target);
        glGetQueryObjectui64v(draw_check->query, GL_QUERY_RESULT, &done);
        if (ok && (double)done < draw_check->expected)
            ok = wp_fail(WP_ERROR_INTERNAL, kinds[k].message, (double)done, draw_check->expected);
    }
    return ok;
}

void wp_gl_draw_check_free(struct wp_gl *gl)
{
    for (int k = 0; k < WP_GL_DRAW_CHECK_KINDS; k++)
        if (gl->draw_check[k].query)
            glDeleteQueries(1, &gl->draw_check[k].query);
}
