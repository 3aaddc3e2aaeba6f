#include "polyphase_state.h"

const char *const wp_polyphase_names[WP_COMPONENTS] = {
    "even x, even y", "odd x, even y", "even x, odd y", "odd x, odd y",
};
const char *const wp_polyphase_columns[WP_COMPONENTS] = {
    "even even", "odd even", "even odd", "odd odd",
};

// The number of parts of each lifting step: optimized schemes split a step into constant and rest.
struct parts {
    int of[2][WP_STEPS_MAX]; // axis, step of the lifting program
};

static void add_part(enum wp_axis axis, bool update, int pair, struct parts *parts)
{
    parts->of[axis == WP_AXIS_H ? WP_X : WP_Y][2 * pair + update]++;
}

static void add_constants(const struct wp_constant *constant, int count, struct parts *parts)
{
    for (int i = 0; i < count; i++)
        add_part(constant[i].axis, constant[i].update, constant[i].pair, parts);
}

static void add_passes(const struct wp_scheme *scheme, int count, struct parts *parts)
{
    for (int p = 0; p < count; p++) {
        const struct wp_pass *pass = &scheme->pass[p];
        add_constants(pass->before, pass->before_count, parts);
        add_constants(pass->after, pass->after_count, parts);
        for (int i = 0; i < pass->factor_count; i++)
            add_part(pass->factor[i].axis, pass->factor[i].update, pass->factor[i].pair, parts);
    }
}

static void count_steps(const struct wp_scheme *scheme, int passes, struct wp_polyphase_state *h)
{
    struct parts done = {0}, all = {0};
    add_passes(scheme, passes, &done);
    add_passes(scheme, scheme->pass_count, &all);
    for (int a = WP_X; a <= WP_Y; a++) {
        const bool odd = h->component >> a & 1;
        h->axis[a].split = scheme->axes >> a & 1;
        for (int i = 0; i < WP_STEPS_MAX; i++) {
            const int parts = done.of[a][i], of = all.of[a][i];
            if (scheme->lifting.step[i].odd != odd)
                continue; // modifies the other samples
            h->axis[a].all += of > 0;
            h->axis[a].done += of > 0 && parts == of;
            h->axis[a].part = h->axis[a].part || (parts > 0 && parts < of);
        }
    }
}

struct wp_polyphase_state wp_polyphase_state_after(const struct wp_schedule *schedule,
                                                   enum wp_direction direction, int ops,
                                                   int component)
{
    const struct wp_op *op = ops > 0 ? &schedule->op[ops - 1] : &schedule->op[0];
    struct wp_polyphase_state h = {
        .direction = direction, .level = op->level, .component = component};
    const struct wp_scheme *scheme = NULL;
    for (int i = 0; i < schedule->op_count && !scheme; i++)
        if (schedule->op[i].kind == WP_OP_PASS && schedule->op[i].level == op->level)
            scheme = schedule->op[i].scheme;
    const int passes = ops > 0 && op->kind == WP_OP_PASS ? op->pass + 1 : 0;
    if (!scheme)
        return h;
    count_steps(scheme, passes, &h);
    h.begins = passes == 0;
    h.ends = passes == scheme->pass_count;
    for (int a = WP_X; a <= WP_Y; a++) {
        const bool touched = h.axis[a].done > 0 || h.axis[a].part;
        const bool left = h.axis[a].done < h.axis[a].all;
        if (h.axis[a].split && component >> a & 1)
            h.details = h.details || (direction == WP_FORWARD ? touched : left);
    }
    return h;
}

static void describe_axis(const struct wp_polyphase_state *h, int axis, struct wp_text *text)
{
    const bool odd = h->component >> axis & 1, inverse = h->direction == WP_INVERSE;
    const int done = h->axis[axis].done, all = h->axis[axis].all;
    const bool part = h->axis[axis].part;
    if (done == 0 && !part)
        wp_text_add(text, inverse ? "still %s" : "not yet %s", odd ? "predicted" : "updated");
    else if (inverse)
        wp_text_add(text, "%s undone", odd ? "prediction" : "update");
    else
        wp_text_add(text, "%s", odd ? "predicted" : "updated");
    if (done > 0 && all > 1)
        wp_text_add(text, " %d of %d", done, all);
    if (part)
        wp_text_add(text, done > 0 ? ", next in part" : " in part");
}

static void abbreviate_axis(const struct wp_polyphase_state *h, int axis, struct wp_text *text)
{
    const bool odd = h->component >> axis & 1, inverse = h->direction == WP_INVERSE;
    if (h->axis[axis].done == 0 && !h->axis[axis].part)
        wp_text_add(text, inverse ? "as it was" : "untouched");
    else
        wp_text_add(text, "%s%s %d/%d%s", inverse ? "un-" : "", odd ? "pred." : "upd.",
                    h->axis[axis].done, h->axis[axis].all, h->axis[axis].part ? "+" : "");
}

void wp_polyphase_state_describe(const struct wp_polyphase_state *h, bool brief,
                                 struct wp_text *text)
{
    const bool band = h->direction == WP_FORWARD ? h->ends : h->begins;
    if (!brief || !band)
        wp_text_add(text, "%s",
                    (brief ? wp_polyphase_columns : wp_polyphase_names)[h->component]);
    if (band)
        wp_text_add(text, "%s%s%d", brief ? "" : ": ", wp_band_names[h->component], h->level);
    for (int a = WP_X; a <= WP_Y; a++) {
        if (!h->axis[a].split || h->axis[a].all == 0)
            continue;
        wp_text_add(text, "\n%c ", "xy"[a]);
        (brief ? abbreviate_axis : describe_axis)(h, a, text);
    }
}
