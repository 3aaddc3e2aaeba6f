#include "pass_bands.h"

static unsigned rows_of(const struct wp_pass *pass)
{
    unsigned rows = 0;
    for (int r = 0; r < WP_COMPONENTS; r++)
        for (int c = 0; c < WP_COMPONENTS; c++)
            rows |= pass->core.at[r][c].count > 0 ? 1U << r : 0U;
    return rows;
}

static const struct wp_op *op_of(const struct wp_pass_point *p)
{
    return p->ops > 0 ? &p->schedule->op[p->ops - 1] : NULL;
}

unsigned wp_pass_bands(const struct wp_pass_point *p)
{
    const struct wp_op *op = op_of(p);
    unsigned loaded = 0;
    for (int c = 0; c < WP_COMPONENTS; c++)
        loaded |= p->schedule->load[0].used[c] ? 1U << c : 0U;
    if (!op)
        return loaded;
    if (!p->before)
        return rows_of(&op->scheme->pass[op->pass]);
    if (op->pass > 0)
        return rows_of(&op->scheme->pass[op->pass - 1]);
    return p->direction == WP_FORWARD ? 1U << WP_BAND_LL : op->scheme->components;
}

// A band of a level; the low band of level 0 are the samples.
static void add_band(const char *name, int level, struct wp_text *text)
{
    if (level > 0)
        wp_text_add(text, "%s%d", name, level);
    else
        wp_text_add(text, "samples");
}

void wp_pass_band_describe(const struct wp_pass_point *p, const char *const *names, int component,
                           struct wp_text *text)
{
    const struct wp_op *op = op_of(p);
    const bool forward = p->direction == WP_FORWARD;
    const int level = op ? op->level : forward ? 0 : p->schedule->load[0].band[component].level;
    const int done = !op ? 0 : op->pass + !p->before, all = op ? op->scheme->pass_count : 0;
    const bool bands = op && done == (forward ? all : 0);
    if (!op || bands) {
        add_band(names[component], level, text);
    } else if (done == 0 || done == all) {
        add_band(names[WP_BAND_LL], level - 1, text);
    } else {
        wp_text_add(text, "%s%d, pass %d of %d", names[component], level, done, all);
    }
}
