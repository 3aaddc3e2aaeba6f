// What the fuzz targets share. A target is a file with one function, fuzz(); main.c gives it what
// libFuzzer makes up, or the files of its corpus.
#ifndef WP_FUZZ_H
#define WP_FUZZ_H

#include "log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Does with an input what the program does with one from outside. Whatever the input is, the
// program goes on; a property that does not hold ends it, by FUZZ_CHECK().
void fuzz(const uint8_t *data, size_t size);

// Before the first input, where a target wants to.
void fuzz_set_up(void);

#define FUZZ_CHECK(condition) \
    ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

// A call is answered by a result and no error, or by no result and one error. The count of errors
// begins anew with every input and every call of this.
void fuzz_check_result(bool result);
void fuzz_forget_errors(void);

// The input as a string, up to its first zero byte; the caller frees it.
char *fuzz_text(const uint8_t *data, size_t size);

// Takes the next line off `*rest`, a string; NULL at the end.
char *fuzz_next_line(char **rest);

// Numbers from the front of an input; zeros behind its end.
struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
};
unsigned fuzz_next(struct fuzz_bytes *bytes, int count);           // of so many bytes, 1 to 4
int fuzz_next_int(struct fuzz_bytes *bytes, int least, int most);  // of two bytes
float fuzz_next_float(struct fuzz_bytes *bytes);                   // of four, -4 to 4
double fuzz_next_any(struct fuzz_bytes *bytes);                    // of eight, any number at all

// A file in memory with these bytes, and its path until the next call with this slot.
enum { FUZZ_SLOTS = 3 };
const char *fuzz_file(int slot, const void *data, size_t size);

// The path of a file in a directory that goes with the program, in memory where that can be; valid
// until the fourth call from now.
const char *fuzz_path(const char *name);
void fuzz_save(const char *path, const void *data, size_t size);

// What was read, or written, into one piece of memory, which the caller frees.
unsigned char *fuzz_load(const char *path, size_t *size);

#endif
