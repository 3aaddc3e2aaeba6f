// The viewer's coefficient edits as options of `wavepass edit`.
#ifndef WP_VIEW_EDITS_H
#define WP_VIEW_EDITS_H

#include "instance.h"
#include "text.h"

enum { WP_VIEW_EDITS_MAX = 3 };

// Options in order: name[i] with value text[i].
struct wp_view_edits {
    int count;
    const char *name[WP_VIEW_EDITS_MAX];
    struct wp_text text[WP_VIEW_EDITS_MAX];
};

// Converts edits of coefficients with the given description. Free with wp_view_edits_free().
void wp_view_edits_make(const struct wp_view_edit *edit, const struct wp_description *description,
                        struct wp_view_edits *edits);
void wp_view_edits_free(struct wp_view_edits *edits);

#endif
