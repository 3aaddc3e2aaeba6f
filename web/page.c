// Device, lists and explanations.
#include "page.h"
#include "page_internal.h"

#include "backend_gl.h"
#include "cpu_backend.h"
#include "explain.h"
#include "fragment.h"
#include "log.h"
#include "pattern.h"

#include <string.h>

// ---- strings ----

const char *page_get_text(struct wp_text *text, const char *purpose)
{
    return wp_text_is_complete(text, purpose) ? wp_text_get(text) : NULL;
}

const char *page_error(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    wp_text_add(&text, "%.*s", (int)strcspn(wp_last_error_text(), "\n"), wp_last_error_text());
    return wp_text_get(&text);
}

static void ignore_message(void *user, enum wp_log_level level, const char *message)
{
    (void)user, (void)level, (void)message;
}

// ---- lists ----

const char *page_schemes(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < WP_SCHEME_KINDS; i++)
        wp_text_add(&text, "%s\t%s\n", wp_scheme_kinds[i].name, wp_scheme_kinds[i].summary);
    return page_get_text(&text, "the schemes");
}

const char *page_patterns(void)
{
    static struct wp_text text;
    wp_text_clear(&text);
    for (int i = 0; i < wp_pattern_count(); i++)
        wp_text_add(&text, "%s\t%s\n", wp_pattern_get(i)->name, wp_pattern_get(i)->description);
    return page_get_text(&text, "the patterns");
}

// ---- device ----

static struct page_machine machine;

const struct page_machine *page_machine(void)
{
    return &machine;
}

static void close_device(void)
{
    page_release_views();
    if (machine.device)
        machine.backend->close(machine.device);
    machine.device = NULL;
    wp_gl_destroy(&machine.gl);
}

int page_open(int cpu)
{
    char reason[512] = "";
    wp_log_set_handler(ignore_message, NULL);
    close_device();
    if (cpu) {
        machine.backend = &wp_backend_cpu;
        machine.device = machine.backend->open(-1, false, reason, sizeof reason);
        return machine.device != NULL;
    }
    machine.backend = &wp_backend_fragment;
    machine.gl = wp_gl_create(WP_GL_ANY, reason, sizeof reason);
    if (machine.gl)
        machine.device = machine.backend->gl->borrow(machine.gl, reason, sizeof reason);
    if (machine.device)
        return 1;
    wp_gl_destroy(&machine.gl);
    return wp_fail(WP_ERROR_UNAVAILABLE, "%s", reason);
}

const char *page_device(void)
{
    static struct wp_text text;
    struct wp_device_info info;
    machine.backend->describe(machine.device, &info);
    wp_text_clear(&text);
    const struct wp_gl_info *gl = machine.gl ? wp_gl_get_info(machine.gl) : NULL;
    wp_text_add(&text, "%s\t%s\t%d\t%d", machine.backend->name, info.name,
                gl && gl->half_only ? 16 : 32, gl && gl->late_timer);
    return page_get_text(&text, "the device");
}

// ---- explanations ----

const char *page_explain(int number, int inverse, const char *topic, const char *format,
                         int numbers)
{
    static struct wp_text text;
    const struct page_transform *transform = page_find_transform(number, inverse);
    struct wp_explain_params params = {
        .wavelet = page_changed_wavelet(),
        .direction = inverse ? WP_INVERSE : WP_FORWARD,
        .numbers = numbers,
        .topic = WP_EXPLAIN_TOPIC_COUNT,
        .format = WP_EXPLAIN_FORMAT_COUNT,
    };
    for (int i = 0; i < WP_EXPLAIN_TOPIC_COUNT; i++)
        if (strcmp(wp_explain_topic_names[i], topic) == 0)
            params.topic = (enum wp_explain_topic)i;
    for (int i = 0; i < WP_EXPLAIN_FORMAT_COUNT; i++)
        if (strcmp(wp_explain_format_names[i], format) == 0)
            params.format = (enum wp_explain_format)i;
    wp_text_clear(&text);
    if (!transform || params.topic == WP_EXPLAIN_TOPIC_COUNT ||
        params.format == WP_EXPLAIN_FORMAT_COUNT)
        return NULL;
    params.kind = transform->description.kind;
    return wp_explain(&params, &text) ? page_get_text(&text, "an explanation") : NULL;
}
