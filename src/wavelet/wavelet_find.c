// Finds wavelets by name: the table, the user's files, embedded files, families.
#include "wavelet_internal.h"

#include "log.h"
#include "memory.h"
#include "suggest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// A growing list of strings; terminated by NULL once it is not empty.
struct list {
    char **item;
    int count;
    bool failed; // incomplete because memory was exhausted
};

static void add(struct list *list, const char *text, size_t length)
{
    char *copy = list->failed ? NULL : wp_try_allocate(length + 1, 1);
    char **item =
        copy ? wp_try_resize(list->item, (size_t)list->count + 2, sizeof *list->item) : NULL;
    if (!item) {
        free(copy);
        list->failed = true;
        return;
    }
    memcpy(copy, text, length);
    list->item = item;
    list->item[list->count++] = copy;
    list->item[list->count] = NULL;
}

// False after WP_ERROR_TOO_LARGE if the list is incomplete; it is then freed.
static bool is_complete(struct list *list)
{
    if (!list->failed)
        return true;
    wp_wavelet_free_names(list->item);
    *list = (struct list){0};
    return wp_fail(WP_ERROR_TOO_LARGE, "not enough memory for the names of wavelets");
}

static void add_new(struct list *list, const char *text, size_t length)
{
    for (int i = 0; i < list->count; i++)
        if (strlen(list->item[i]) == length && memcmp(list->item[i], text, length) == 0)
            return;
    add(list, text, length);
}

void wp_wavelet_free_names(char **names)
{
    for (int i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

static int is_wavelet_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && dot != entry->d_name && strcmp(dot, WP_WAVELET_SUFFIX) == 0;
}

// Unlike alphasort(), does not depend on the locale.
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// Reading anything but a regular file, such as a pipe, could block.
static bool can_block(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static void add_files(struct list *files, const char *directory)
{
    struct dirent **entry = NULL;
    const int count = scandir(directory, &entry, is_wavelet_file, by_bytes);
    struct wp_text path = {0};
    // Directories that cannot be read are ignored.
    if (count < 0 && errno == ENOMEM) {
        wp_memory_failed();
        files->failed = true;
    }
    for (int i = 0; i < count; i++) {
        wp_text_clear(&path);
        wp_text_add(&path, "%s/%s", directory, entry[i]->d_name);
        files->failed = files->failed || path.failed;
        if (path.failed || !can_block(wp_text_get(&path)))
            add(files, wp_text_get(&path), path.length);
        free(entry[i]);
    }
    wp_text_free(&path);
    free(entry);
}

// The paths of all wavelet files in the directories of $WAVEPASS_WAVELETS, in the order of search.
static struct list list_files(void)
{
    struct list files = {0};
    struct wp_text directories = {0};
    const char *given = getenv("WAVEPASS_WAVELETS");
    wp_text_add(&directories, "%s", given ? given : "");
    files.failed = directories.failed;
    char *rest = NULL, *d = directories.data ? strtok_r(directories.data, ":", &rest) : NULL;
    for (; d && !files.failed; d = strtok_r(NULL, ":", &rest))
        add_files(&files, d);
    wp_text_free(&directories);
    return files;
}

static bool has_stem(const char *path, const char *name)
{
    int length;
    const char *stem = wp_wavelet_stem(path, &length);
    return (int)strlen(name) == length && memcmp(stem, name, (size_t)length) == 0;
}

// The path of the file with this name, or NULL. File names take precedence over names and aliases
// inside files, for which all files are read. files->failed if memory was exhausted.
static const char *find_file(struct list *files, const char *name)
{
    for (int i = 0; i < files->count; i++)
        if (has_stem(files->item[i], name))
            return files->item[i];
    const char *found = NULL;
    struct wp_text error = {0};
    for (int i = 0; i < files->count && !found; i++) {
        struct wp_wavelet wavelet;
        if (wp_wavelet_load(files->item[i], &wavelet, &error) &&
            wp_wavelet_has_name(&wavelet, name))
            found = files->item[i];
        files->failed = files->failed || error.failed;
    }
    wp_text_free(&error);
    return found;
}

// Reads an embedded file. A test checks that all are valid, and they have lifting steps, so that
// nothing is allocated.
static bool read_built_in(int i, struct wp_wavelet *wavelet)
{
    struct wp_text error = {0};
    const bool done = wp_wavelet_load_text(wp_wavelet_files[i].name, wp_wavelet_files[i].text,
                                           wavelet, &error);
    wp_text_free(&error);
    return done;
}

// Finds an embedded file, with the same precedence.
static bool find_built_in(const char *name, struct wp_wavelet *wavelet)
{
    for (int i = 0; wp_wavelet_files[i].name; i++)
        if (has_stem(wp_wavelet_files[i].name, name))
            return read_built_in(i, wavelet);
    for (int i = 0; wp_wavelet_files[i].name; i++)
        if (read_built_in(i, wavelet) && wp_wavelet_has_name(wavelet, name))
            return true;
    return false;
}

static void add_wavelet(struct list *names, const struct wp_wavelet *wavelet)
{
    add_new(names, wavelet->name, strlen(wavelet->name));
    for (const char *alias = wavelet->aliases; *alias;) {
        const size_t length = strcspn(alias, " ");
        add_new(names, alias, length);
        alias += length + (alias[length] == ' ');
    }
}

char **wp_wavelet_names(void)
{
    struct list names = {0}, files = list_files();
    if (!is_complete(&files))
        return NULL;
    for (int i = 0; wp_wavelet_table[i]; i++)
        add_wavelet(&names, wp_wavelet_table[i]);
    struct wp_text error = {0};
    for (int i = 0; i < files.count; i++) {
        struct wp_wavelet wavelet;
        if (wp_wavelet_load(files.item[i], &wavelet, &error)) {
            add_wavelet(&names, &wavelet);
        } else if (error.failed) {
            names.failed = true;
        } else {
            int length;
            const char *stem = wp_wavelet_stem(files.item[i], &length);
            add_new(&names, stem, (size_t)length);
        }
    }
    wp_text_free(&error);
    wp_wavelet_free_names(files.item);
    struct wp_wavelet wavelet;
    for (int i = 0; wp_wavelet_files[i].name; i++)
        if (read_built_in(i, &wavelet))
            add_wavelet(&names, &wavelet);
    return is_complete(&names) ? names.item : NULL;
}

bool wp_wavelet_is_known(const char *name)
{
    bool found = wp_wavelet_is_of_family(name);
    char **names = wp_wavelet_names();
    for (int i = 0; names && names[i] && !found; i++)
        found = strcmp(name, names[i]) == 0;
    wp_wavelet_free_names(names);
    return found;
}

static size_t family_length(const char *name)
{
    return strcspn(name, "0123456789");
}

// Do two names have the same digits? "bior44" is similar to bior4.4 and "cdf79" to cdf97, but
// "db21" is not similar to db1.
static bool same_digits(const char *a, const char *b)
{
    int more[10] = {0};
    for (; *a; a++)
        if (*a >= '0' && *a <= '9')
            more[*a - '0']++;
    for (; *b; b++)
        if (*b >= '0' && *b <= '9')
            more[*b - '0']--;
    for (int digit = 0; digit < 10; digit++)
        if (more[digit] != 0)
            return false;
    return true;
}

static void add_number(struct wp_text *text, size_t letters, const char *name, const char *of)
{
    if (family_length(of) == letters && of[letters] && strncasecmp(name, of, letters) == 0)
        wp_text_add(text, " %s", of + letters);
}

// Lists the numbers of a family if the name consists of its letters and a number.
static void list_family(struct wp_text *text, const char *name, char *const *names)
{
    const size_t letters = family_length(name);
    if (letters == 0 || name[letters + strspn(name + letters, "0123456789./")])
        return;
    for (int i = 0; wp_wavelet_family_names[i]; i++)
        add_number(text, letters, name, wp_wavelet_family_names[i]);
    for (int i = 0; names[i]; i++)
        if (!wp_wavelet_is_of_family(names[i]))
            add_number(text, letters, name, names[i]);
}

static void fail_name(const struct wp_lookup *lookup, char *const *names)
{
    struct wp_text family = {0};
    list_family(&family, lookup->name, names);
    if (family.length && !(lookup->nearest && same_digits(lookup->name, lookup->nearest)))
        wp_fail(WP_ERROR_USAGE, "unknown wavelet '%s'\nhint: %.*s has%s; 'wavepass info' lists all",
                lookup->name, (int)family_length(lookup->name), lookup->name, wp_text_get(&family));
    else
        wp_lookup_fail(lookup, "'wavepass info' lists all", "unknown wavelet '%s'", lookup->name);
    wp_text_free(&family);
}

static bool fail_unknown(const char *name)
{
    char **names = wp_wavelet_names();
    if (!names)
        return false;
    struct wp_lookup lookup = {.name = name};
    for (int i = 0; names[i]; i++)
        wp_lookup_is(&lookup, names[i]);
    for (int i = 0; wp_wavelet_family_names[i]; i++)
        wp_lookup_is(&lookup, wp_wavelet_family_names[i]);
    int length;
    const bool has_suffix = wp_wavelet_stem(name, &length)[length] != '\0';
    // "9/8" is a misspelled name, "my/filter.wavelet" a path.
    if (name[strspn(name, "0123456789.,+-*/()sqrte ")] == '\0' && strpbrk(name, " ,"))
        wp_fail(WP_ERROR_USAGE, "'%s' is not a wavelet"
                                "\nhint: taps have a ';': 'LOW;HIGH', or 'LOW;' for an orthogonal "
                                "low-pass", name);
    else if (has_suffix || (strchr(name, '/') && !lookup.nearest))
        wp_fail(WP_ERROR_FILE, "%s: no such file", name);
    else
        fail_name(&lookup, names);
    wp_wavelet_free_names(names);
    return false;
}

static bool compute(const char *name, bool make(const char *, struct wp_wavelet *),
                    struct wp_wavelet *wavelet)
{
    if (wp_wavelet_recall(name, wavelet))
        return true;
    if (!make(name, wavelet))
        return false;
    wp_wavelet_remember(name, wavelet);
    return true;
}

bool wp_wavelet_find(const char *name, struct wp_wavelet *wavelet)
{
    if (wp_wavelet_is_taps(name))
        return compute(name, wp_wavelet_from_text, wavelet);
    const struct wp_wavelet *built_in = wp_wavelet_built_in(name);
    if (built_in) {
        *wavelet = *built_in;
        return true;
    }
    struct list files = list_files();
    if (!is_complete(&files))
        return false;
    const char *path = find_file(&files, name);
    if (!path && !is_complete(&files))
        return false;
    bool done;
    if (path)
        done = wp_wavelet_read(path, wavelet);
    else if (compute(name, find_built_in, wavelet))
        done = true;
    else if (wp_wavelet_is_of_family(name))
        done = compute(name, wp_wavelet_from_family, wavelet);
    else if (access(name, F_OK) == 0)
        done = wp_wavelet_read(name, wavelet);
    else
        done = fail_unknown(name);
    wp_wavelet_free_names(files.item);
    return done;
}

char *wp_wavelet_path(const char *name)
{
    struct list files = {0};
    if (!wp_wavelet_built_in(name))
        files = list_files();
    const char *found = find_file(&files, name);
    char *path = found ? strdup(found) : NULL;
    wp_wavelet_free_names(files.item);
    return path;
}
