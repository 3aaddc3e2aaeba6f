// Files that can be made again, kept for later runs in the user's cache directory.
#ifndef WP_CACHE_H
#define WP_CACHE_H

struct wp_output; // output.h

// $XDG_CACHE_HOME/wavepass/NAME or ~/.cache/wavepass/NAME, which the caller frees; a relative path
// in the environment does not count. NULL where it names neither directory or memory is short.
char *wp_cache_path(const char *name);

// Opens such a file to be written, with its directories. NULL after WP_ERROR_FILE.
struct wp_output *wp_cache_open(const char *path);

#endif
