// Messages of the driver. The driver may report them in a thread of its own, where the log handler
// must not be called; they are stored until the thread of the context logs them.
#include "gl_internal.h"
#include "log.h"

#include <string.h>

// Stores a letter for the level, the text and a terminating zero; counts messages that do not fit.
static void GLAPIENTRY store_message(GLenum source, GLenum type, GLuint id, GLenum severity,
                                    GLsizei length, const GLchar *message, const void *user)
{
    (void)source, (void)id, (void)length;
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION)
        return;
    // GL returns the pointer that it was given, which was not const.
    struct wp_gl_messages *messages = (struct wp_gl_messages *)user;
    const size_t size = strlen(message) + 1;
    pthread_mutex_lock(&messages->lock);
    if (messages->used + 1 + size <= sizeof messages->text) {
        messages->text[messages->used] = type == GL_DEBUG_TYPE_ERROR ? 'w' : 'd';
        memcpy(messages->text + messages->used + 1, message, size);
        messages->used += 1 + size;
    } else {
        messages->lost++;
    }
    pthread_mutex_unlock(&messages->lock);
}

void wp_gl_messages_begin(struct wp_gl_messages *messages, bool listen)
{
    pthread_mutex_init(&messages->lock, NULL);
    messages->listens = listen && glDebugMessageCallback;
    if (!messages->listens)
        return;
    glEnable(GL_DEBUG_OUTPUT);
    glDebugMessageCallback(store_message, messages);
}

void wp_gl_messages_log(struct wp_gl_messages *messages)
{
    // The log handler may call GL, and the driver may then call store_message().
    char text[sizeof messages->text];
    pthread_mutex_lock(&messages->lock);
    const size_t used = messages->used;
    const int lost = messages->lost;
    memcpy(text, messages->text, used);
    messages->used = 0;
    messages->lost = 0;
    pthread_mutex_unlock(&messages->lock);
    for (size_t at = 0; at < used; at += strlen(text + at) + 1)
        wp_log(text[at] == 'w' ? WP_LOG_WARNING : WP_LOG_DEBUG, "GL: %s", text + at + 1);
    if (lost)
        wp_log(WP_LOG_WARNING, "GL: %d more messages", lost);
}

void wp_gl_messages_end(struct wp_gl_messages *messages)
{
    if (messages->listens)
        glDebugMessageCallback(NULL, NULL);
    wp_gl_messages_log(messages);
    pthread_mutex_destroy(&messages->lock);
}
