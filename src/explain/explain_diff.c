// Unified diff of two texts.
#include "explain.h"
#include "xmemory.h"

#include <stdlib.h>
#include <string.h>

struct lines {
    int count;
    const char **start;
    int *length; // without the newline
};

static struct lines split(const char *text)
{
    struct lines lines = {0};
    for (; *text; lines.count++) {
        const size_t length = strcspn(text, "\n");
        lines.start = wp_xrealloc(lines.start, (size_t)lines.count + 1, sizeof *lines.start);
        lines.length = wp_xrealloc(lines.length, (size_t)lines.count + 1, sizeof *lines.length);
        lines.start[lines.count] = text;
        lines.length[lines.count] = (int)length;
        text += length + (text[length] == '\n');
    }
    return lines;
}

static void free_lines(struct lines *lines)
{
    free(lines->start);
    free(lines->length);
}

static bool is_same(const struct lines *a, int i, const struct lines *b, int j)
{
    return a->length[i] == b->length[j] &&
           strncmp(a->start[i], b->start[j], (size_t)a->length[i]) == 0;
}

static void add_line(struct wp_text *out, char mark, const struct lines *lines, int i)
{
    wp_text_add(out, "%c%.*s\n", mark, lines->length[i], lines->start[i]);
}

void wp_explain_diff(const char *a_text, const char *b_text, struct wp_text *out)
{
    struct lines a = split(a_text), b = split(b_text);
    const size_t width = (size_t)b.count + 1;
    // common[i][j]: length of the longest common subsequence of the lines from i in a and from j in
    // b.
    int *common = wp_xcalloc(((size_t)a.count + 1) * width, sizeof *common);
    for (int i = a.count - 1; i >= 0; i--) {
        int *row = common + (size_t)i * width, *below = row + width;
        for (int j = b.count - 1; j >= 0; j--)
            row[j] = is_same(&a, i, &b, j) ? below[j + 1] + 1
                     : below[j] > row[j + 1] ? below[j]
                                             : row[j + 1];
    }
    wp_text_add(out, "@@ -1,%d +1,%d @@\n", a.count, b.count);
    for (int i = 0, j = 0; i < a.count || j < b.count;) {
        const int *row = common + (size_t)i * width + j;
        if (i < a.count && j < b.count && is_same(&a, i, &b, j)) {
            add_line(out, ' ', &a, i);
            i++, j++;
        } else if (j == b.count || (i < a.count && row[width] >= row[1])) {
            add_line(out, '-', &a, i++);
        } else {
            add_line(out, '+', &b, j++);
        }
    }
    free(common);
    free_lines(&a);
    free_lines(&b);
}
