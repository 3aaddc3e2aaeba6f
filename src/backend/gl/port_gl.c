#include "port_gl.h"

#include "emit.h"
#include "program.h"
#include "text.h"

extern const unsigned char wp_shader_extend[], wp_shader_port_load[], wp_shader_port_store[];

// The components of a port in the array, as the shaders take them.
struct components {
    int band[WP_BAND_COUNT][4];
    int count[WP_BAND_COUNT][2];
};

static struct components find_components(const struct wp_description *d,
                                         const struct wp_port *port)
{
    struct components of = {0};
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        const struct wp_port_band *band = &port->band[c];
        if (!port->used[c])
            continue;
        const struct wp_band_grid grid = wp_description_band(d, band->level, band->band);
        for (int a = WP_X; a <= WP_Y; a++) {
            of.band[c][a] = grid.first[a] + grid.every[a] * band->first[a];
            of.count[c][a] = (grid.size[a] - band->first[a] + band->every[a] - 1) /
                             band->every[a];
        }
        of.band[c][2] = grid.every[WP_X] * band->every[WP_X]; // the same along both axes
    }
    return of;
}

// The rectangle of the array where their samples lie.
static struct wp_rect rectangle_of(const struct components *of)
{
    int first[2] = {0, 0}, end[2] = {0, 0};
    bool any = false;
    for (int c = 0; c < WP_BAND_COUNT; c++) {
        if (of->band[c][2] == 0 || of->count[c][WP_X] <= 0 || of->count[c][WP_Y] <= 0)
            continue;
        for (int a = WP_X; a <= WP_Y; a++) {
            const int last = of->band[c][a] + (of->count[c][a] - 1) * of->band[c][2];
            first[a] = !any || of->band[c][a] < first[a] ? of->band[c][a] : first[a];
            end[a] = !any || last + 1 > end[a] ? last + 1 : end[a];
        }
        any = true;
    }
    return (struct wp_rect){first[WP_X], first[WP_Y], end[WP_X] - first[WP_X],
                            end[WP_Y] - first[WP_Y]};
}

static struct wp_program *get_program(struct wp_gl *gl, bool load, bool half, bool layers)
{
    struct wp_text source = {0};
    wp_emit_head(wp_glsl_fragments, 0, &source);
    if (load)
        wp_text_add(&source, "%s%s%s", (const char *)wp_shader_extend, wp_emit_stored(half),
                    (const char *)wp_shader_port_load);
    else
        wp_text_add(&source, "%s%s", layers ? "#define LAYERS\n" : "",
                    (const char *)wp_shader_port_store);
    struct wp_program *program = wp_program_get(gl, wp_text_get(&source));
    wp_text_free(&source);
    return program;
}

bool wp_port_load_texture(struct wp_gl *gl, const struct wp_description *d,
                          const struct wp_port *port, const struct wp_texture *from, int channel,
                          const struct wp_texture *to)
{
    const struct components of = find_components(d, port);
    struct wp_program *program =
        get_program(gl, true, d->precision == WP_PRECISION_F16, false);
    struct wp_texture target = *to;
    if (!program || (to->layers && !wp_texture_of_layer(to, port->layer, &target)))
        return false;
    wp_program_set(program, "channel", channel);
    wp_program_set2(program, "offset", -port->x, -port->y);
    wp_program_set2(program, "size", port->width, port->height);
    wp_program_set(program, "extension", (int)port->extension);
    wp_program_set_array(program, "band", 4, WP_BAND_COUNT, &of.band[0][0]);
    const struct wp_rect *domain = &port->domain;
    wp_program_draw(program, from, &target, port->x + domain->x, port->y + domain->y,
                    domain->width, domain->height, WP_DRAW_ALL);
    if (to->layers)
        wp_texture_let_go(&target);
    return true;
}

bool wp_port_store_texture(struct wp_gl *gl, const struct wp_description *d,
                           const struct wp_port *port, const struct wp_texture *from,
                           const struct wp_texture *to, int channel)
{
    const struct components of = find_components(d, port);
    const struct wp_rect rectangle = rectangle_of(&of);
    struct wp_program *program = get_program(gl, false, false, from->layers > 0);
    if (!program)
        return false;
    wp_program_set(program, "layer", port->layer);
    wp_program_set2(program, "place", port->x, port->y);
    wp_program_set_array(program, "band", 4, WP_BAND_COUNT, &of.band[0][0]);
    wp_program_set_array(program, "count", 2, WP_BAND_COUNT, &of.count[0][0]);
    wp_program_draw(program, from, to, rectangle.x, rectangle.y, rectangle.width,
                    rectangle.height, 1U << channel);
    return true;
}
