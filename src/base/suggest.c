#include "suggest.h"

#include "text.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// The largest edit distance of a suggestion for a word of this length.
static int edits_allowed(size_t length)
{
    return length <= 4 ? 1 : length <= 8 ? 2 : 3;
}

// Edit distance with insertions, deletions, substitutions and swaps of neighbors (optimal string
// alignment), ignoring case. INT_MAX if it exceeds `most` or if a word is longer than MAX; stops as
// early as possible.
static int edit_distance(const char *a, int n, const char *b, int most)
{
    enum { MAX = 40 };
    const int m = (int)strlen(b);
    if (n > MAX || m > MAX || abs(n - m) > most)
        return INT_MAX;
    int d[MAX + 1][MAX + 1], row_min = 0, previous_min;
    for (int j = 0; j <= m; j++)
        d[0][j] = j;
    for (int i = 1; i <= n; i++) {
        d[i][0] = i;
        previous_min = row_min;
        row_min = i;
        for (int j = 1; j <= m; j++) {
            const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int best = d[i - 1][j - 1] + (ca != cb);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
            row_min = best < row_min ? best : row_min;
        }
        // A swap depends on the two previous rows, no operation on more.
        if (row_min > most && previous_min > most)
            return INT_MAX;
    }
    return d[n][m] <= most ? d[n][m] : INT_MAX;
}

bool wp_lookup_is(struct wp_lookup *lookup, const char *candidate)
{
    if (strcmp(lookup->name, candidate) == 0)
        return true;
    const size_t length = strlen(lookup->name);
    const int most = edits_allowed(length);
    const int distance =
        length < INT_MAX ? edit_distance(lookup->name, (int)length, candidate, most) : INT_MAX;
    if (distance <= most && (!lookup->nearest || distance < lookup->distance)) {
        lookup->nearest = candidate;
        lookup->distance = distance;
    }
    return false;
}

bool wp_lookup_fail(const struct wp_lookup *lookup, const char *where, const char *format, ...)
{
    struct wp_text text = {0};
    va_list args;
    va_start(args, format);
    wp_text_add_list(&text, format, args);
    va_end(args);
    if (lookup->nearest || where)
        wp_text_add(&text, "\nhint: ");
    if (lookup->nearest)
        wp_text_add(&text, "did you mean '%s'?%s", lookup->nearest, where ? "  " : "");
    if (wp_text_is_complete(&text, "the message on a name"))
        wp_fail(WP_ERROR_USAGE, "%s%s", wp_text_get(&text), where ? where : "");
    wp_text_free(&text);
    return false;
}

int wp_name_index(const char *name, const char *const names[], int count)
{
    for (int i = 0; name && i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int wp_name_find(const char *kind, const char *name, const char *const names[], int count,
                 const char *prefix)
{
    struct wp_lookup lookup = {.name = name};
    for (int i = 0; i < count; i++)
        if (wp_lookup_is(&lookup, names[i]))
            return i;
    struct wp_text list = {0};
    for (int i = 0; i < count; i++)
        wp_text_add(&list, "%s%s", i ? ", " : prefix, names[i]);
    wp_lookup_fail(&lookup, wp_text_get(&list), "unknown %s '%s'", kind, name);
    wp_text_free(&list);
    return -1;
}
