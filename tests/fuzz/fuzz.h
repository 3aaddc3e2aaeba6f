// Shared code of the fuzz targets. A target is a file with the function fuzz(); main.c calls it
// with inputs of libFuzzer, or with the files of its corpus.
#ifndef WP_FUZZ_H
#define WP_FUZZ_H

#include "log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Processes an input as the program processes external data, for any input. Failed properties abort
// with FUZZ_CHECK().
void fuzz(const uint8_t *data, size_t size);

// Called once before the first input; a target may define it.
void fuzz_set_up(void);

#define FUZZ_CHECK(condition) \
    ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

// Checks that a call returned a result and no error, or no result and one error, and resets the
// count of errors, which also each input resets.
void fuzz_check_result(bool result);
void fuzz_forget_errors(void);

// The input as a string, up to its first zero byte; the caller frees it.
char *fuzz_text(const uint8_t *data, size_t size);

// Removes the next line from the string `*rest`; NULL at the end.
char *fuzz_next_line(char **rest);

// Reads numbers from the front of an input; zeros after its end.
struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
};
unsigned fuzz_next(struct fuzz_bytes *bytes, int count);          // of `count` bytes, 1 to 4
int fuzz_next_int(struct fuzz_bytes *bytes, int least, int most); // of two bytes
float fuzz_next_float(struct fuzz_bytes *bytes);                  // of four bytes, -4 to 4
double fuzz_next_any(struct fuzz_bytes *bytes);                   // of eight bytes, any value

// The path of a file in memory with these bytes, valid until the next call with this slot.
enum { FUZZ_SLOTS = 3 };
const char *fuzz_file(int slot, const void *data, size_t size);

// The path of a file in a directory that is removed at exit; valid until the fourth call from now.
const char *fuzz_path(const char *name);
void fuzz_save(const char *path, const void *data, size_t size);

// The contents of a file, in memory of exactly this size, which the caller frees.
unsigned char *fuzz_load(const char *path, size_t *size);

#endif
