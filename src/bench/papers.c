#include "papers.h"
#include "log.h"
const struct wp_paper wp_papers[] = {{0}};
const struct wp_paper *wp_paper_find(const char *name)
{
    wp_fail(WP_ERROR_USAGE, "unknown paper '%s'", name);
    return NULL;
}
void wp_paper_compare(const struct wp_paper *paper, const struct wp_results *results,
                      struct wp_text *text)
{
    (void)paper, (void)results, (void)text;
}
