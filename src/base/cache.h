// Files in the user's cache directory, which are made again if they are missing.
#ifndef WP_CACHE_H
#define WP_CACHE_H

struct wp_output; // output.h

// Returns $XDG_CACHE_HOME/wavepass/NAME or ~/.cache/wavepass/NAME; free() it. Relative paths in
// these variables are ignored. NULL if neither variable is set, or if memory is exhausted.
char *wp_cache_path(const char *name);
// The same for another directory of a user: the variable "XDG_STATE_HOME" with its default,
// "/.local/state" in the home directory.
char *wp_user_path(const char *variable, const char *in_home, const char *name);

// Opens such a file for writing and makes its directories. NULL after WP_ERROR_FILE.
struct wp_output *wp_cache_open(const char *path);

#endif
