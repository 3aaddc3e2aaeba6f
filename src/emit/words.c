#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wp_half_of(int c)
{
    return c < WP_COMPONENTS ? "even" : "odd";
}

bool wp_has_octets(const struct wp_writer *w)
{
    return w->kernel->scheme->dims == 3;
}

const struct wp_kernel_term *wp_kernel_terms_of(const struct wp_writer *w,
                                                const struct wp_instruction *i)
{
    return &w->kernel->operand[i->first];
}

const char *wp_texel_name(const struct wp_writer *w, char name[WP_NAME], const struct wp_value *v)
{
    const int x = v->at[0], y = v->at[1];
    if (w->kernel->shape == WP_SHAPE_DEPTH) {
        int n = snprintf(name, WP_NAME, "s%d", v->at[WP_Z]);
        if (v->step != WP_LOADED)
            snprintf(name + n, WP_NAME - (size_t)n, "_%d", v->step);
    } else if (w->kernel->shape == WP_SHAPE_STRIP) {
        snprintf(name, WP_NAME, "q%d_%d", x, y);
    } else if (w->kernel->loads_bands) {
        snprintf(name, WP_NAME, "s%d_%d_%d", v->layer, x, y);
    } else if (w->kernel->shape != WP_SHAPE_PASS) {
        snprintf(name, WP_NAME, "q%d_%d", x, y);
    } else {
        int n = snprintf(name, WP_NAME, "%s", wp_has_octets(w) ? wp_half_of(v->component) : "q");
        for (int a = 0; a < w->kernel->scheme->dims && v->step == WP_LOADED; a++)
            n += snprintf(name + n, WP_NAME - (size_t)n, "_%s%d", v->at[a] < 0 ? "m" : "",
                          abs(v->at[a]));
    }
    return name;
}

const char *wp_value_name(const struct wp_writer *w, char name[WP_NAME], const struct wp_value *v)
{
    const char letter = w->dialect->component[v->component];
    if (w->kernel->shape == WP_SHAPE_DEPTH)
        return wp_texel_name(w, name, v);
    if (v->step != WP_LOADED && w->kernel->shape != WP_SHAPE_PASS) {
        snprintf(name, WP_NAME, "%c%d_%d_%d", letter, v->at[0], v->at[1], v->step);
    } else {
        wp_texel_name(w, name, v);
        snprintf(name + strlen(name), WP_NAME - strlen(name), ".%c", letter);
    }
    return name;
}

// The name of the tile's shared memory.
static const char *cell_name(const struct wp_writer *w)
{
    return w->kernel->tile.tiers ? w->dialect->cell_of_tier : "cell";
}

void wp_write_factor(const struct wp_writer *w, double c, const char *plus, const char *minus)
{
    char number[WP_NUMBER_SIZE];
    wp_format_number(number, fabs(c), 9);
    wp_text_add(w->out, "%s", c < 0 ? minus : plus);
    if (strcmp(number, "1.0") != 0)
        wp_text_add(w->out, "%s%s * ", number, w->dialect->number_end);
}

void wp_write_product(const struct wp_writer *w, const struct wp_kernel_term *o, const char *plus,
                          const char *minus)
{
    char name[WP_NAME];
    if (o->lane_offset)
        snprintf(name, WP_NAME, "%s[lane + %d]", cell_name(w),
                 o->slot * w->kernel->tile.lanes + o->lane_offset);
    else
        wp_value_name(w, name, &o->value);
    wp_write_factor(w, o->c, plus, minus);
    wp_text_add(w->out, "%s", name);
}

void wp_write_note(const struct wp_writer *w, const struct wp_instruction *i)
{
    const struct wp_constant *c = i->constant;
    if (c)
        wp_text_add(w->out, "    // %s^%c_%s0(%d)\n", c->update ? "S" : "T",
                    wp_axis_letter(c->axis), c->update ? "U" : "P", c->pair + 1);
    else
        wp_text_add(w->out, "    // %s\n", i->note);
}

void wp_open_floor(const struct wp_writer *w, const struct wp_instruction *i)
{
    wp_text_add(w->out, "%s", i->rounded ? w->dialect->floor : "");
}

void wp_close_floor(const struct wp_writer *w, const struct wp_instruction *i)
{
    char number[WP_NUMBER_SIZE];
    if (i->rounded && i->round > 0)
        wp_text_add(w->out, " + %s%s", wp_format_number(number, i->round, 9),
                    w->dialect->number_end);
    wp_text_add(w->out, "%s", i->rounded ? ")" : "");
}

void wp_write_products(const struct wp_writer *w, const struct wp_instruction *i)
{
    for (int n = 0; n < i->count; n++)
        wp_write_product(w, wp_kernel_terms_of(w, i) + n, n ? " + " : "", n ? " - " : "-");
}

void wp_write_sum(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    float %s = ", wp_value_name(w, name, &i->value));
    wp_open_floor(w, i);
    wp_write_products(w, i);
    wp_close_floor(w, i);
    wp_text_add(w->out, ";\n");
}

void wp_write_texel(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    for (int c = 0; c < WP_COMPONENTS; c++)
        wp_text_add(w->out, "%s%s", c ? ", " : w->dialect->make_vector,
                    wp_value_name(w, name, &wp_kernel_terms_of(w, i)[c].value));
    wp_text_add(w->out, ")");
}

void wp_write_send(const struct wp_writer *w, const struct wp_instruction *i)
{
    char name[WP_NAME];
    wp_text_add(w->out, "    %s[lane + %d] = %s;\n", cell_name(w), i->index * w->kernel->tile.lanes,
                wp_value_name(w, name, &i->value));
}

int wp_first_writer(const struct wp_kernel *kernel)
{
    return kernel->padding - kernel->load_first[0];
}

void wp_write_retire(const struct wp_writer *w, const struct wp_instruction *i)
{
    const int first = wp_first_writer(w->kernel);
    (void)i;
    wp_text_add(w->out, "    if (lane < %d || lane >= %d)\n        return;\n", first,
                first + w->kernel->write_step[0]);
}
