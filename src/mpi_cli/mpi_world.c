#include "mpi_job.h"

#include "messages.h"
#include "output.h"
#include "xmemory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static struct wp_text errors;
static char stop_message[96];

void wp_world_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    wp_messages_capture(&errors);
    // One thread per process.
    setenv("OMP_NUM_THREADS", "1", 1);
    snprintf(stop_message, sizeof stop_message,
             "wavepass-mpi: process %d of %d: interrupted; no files remain\n", rank, ranks);
    if (rank == 0)
        return;
    wp_messages_mute();
    if (!freopen("/dev/null", "w", stdout))
        fclose(stdout);
}

void wp_world_end(void)
{
    wp_messages_capture(NULL);
    wp_text_free(&errors);
    MPI_Finalize();
}

int wp_world_rank(void)
{
    return rank;
}

int wp_world_size(void)
{
    return ranks;
}

static int reduce_min(int mine)
{
    int all = mine;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

// The first process in which `condition` is true, or INT_MAX.
static int first_of(bool condition)
{
    return reduce_min(condition ? rank : INT_MAX);
}

static int share_of(int root, int mine)
{
    MPI_Bcast(&mine, 1, MPI_INT, root, MPI_COMM_WORLD);
    return mine;
}

// Sends a text from process `root` to all processes; the caller frees it.
static char *text_of(int root, const char *text)
{
    const int size = share_of(root, rank == root ? (int)strlen(text) + 1 : 0);
    char *all = wp_xcalloc((size_t)size, 1);
    if (rank == root)
        memcpy(all, text, (size_t)size);
    MPI_Bcast(all, size, MPI_CHAR, root, MPI_COMM_WORLD);
    return all;
}

enum wp_error wp_world_resolve(enum wp_error code)
{
    const int failed = first_of(code != WP_ERROR_NONE);
    const int speaker = first_of(code != WP_ERROR_NONE && errors.length > 0);
    wp_messages_capture(NULL);
    if (failed == INT_MAX)
        return WP_ERROR_NONE;
    if (speaker == INT_MAX)
        return (enum wp_error)share_of(failed, (int)code);
    char *text = text_of(speaker, wp_text_get(&errors));
    if (rank == 0 && speaker == 0)
        wp_log(WP_LOG_ERROR, "%s", text);
    else if (rank == 0)
        wp_log(WP_LOG_ERROR, "process %d of %d: %s", speaker, ranks, text);
    free(text);
    return (enum wp_error)share_of(speaker, (int)code);
}

bool wp_world_agree(bool ok)
{
    if (first_of(!ok) == INT_MAX)
        return true;
    // Processes without an error get the error code of another process.
    const int mine = ok ? WP_ERROR_NONE : (int)wp_last_error();
    const int code = -reduce_min(-mine);
    return mine == WP_ERROR_NONE
               ? wp_fail_silently(code ? (enum wp_error)code : WP_ERROR_INTERNAL)
               : false;
}

unsigned long long wp_world_sum(unsigned long long mine)
{
    unsigned long long all = mine;
    MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

double wp_world_max(double mine)
{
    double all = mine;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

void wp_world_share(void *bytes, size_t count)
{
    MPI_Bcast(bytes, (int)count, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static char *world_share_text(const char *text)
{
    return share_of(0, text != NULL) ? text_of(0, text) : NULL;
}

static void stop(int number)
{
    if (!wp_output_discard_all_on_signal(number))
        return;
    if (write(STDERR_FILENO, stop_message, strlen(stop_message)) < 0)
        _exit(WP_ERROR_INTERNAL);
    _exit(number == SIGINT ? WP_ERROR_INTERRUPTED : 128 + number);
}

void wp_world_catch_signals(void)
{
    wp_interrupt_handle(stop);
}

// ---- files that all processes write ----

enum { AT_ONCE = 1 << 30 }; // bytes per call; MPI counts them in an int

// Reports an error of MPI-IO. Prefers errno, since MPI's text does not name causes such as a full
// disk.
static bool check_mpi(const struct wp_mpi_file *f, int error, const char *action)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (error == MPI_SUCCESS)
        return true;
    const int why = errno;
    MPI_Error_string(error, text, &length);
    return wp_fail(WP_ERROR_FILE, "cannot %s %s (%s%.*s)", action, f->path,
                   why ? strerror(why) : "MPI-IO: ", why ? 0 : length, text);
}

bool wp_mpi_file_open(struct wp_mpi_file *f, const char *path,
                      const char *const temporary[WP_MPI_FILES])
{
    *f = (struct wp_mpi_file){.path = path};
    char *name = NULL;
    bool ok = true;
    for (int i = 0; i < WP_MPI_FILES; i++) {
        char *text = world_share_text(temporary[i]);
        if (text && wp_world_rank() > 0)
            f->remote[i] = wp_output_adopt(text);
        ok = ok && (!text || wp_world_rank() == 0 || f->remote[i]);
        if (i == 0)
            name = text;
        else
            free(text);
    }
    if (wp_world_agree(ok)) {
        errno = 0;
        const int error =
            MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &f->file);
        f->open = error == MPI_SUCCESS;
        ok = check_mpi(f, error, "write");
    }
    free(name);
    if (wp_world_agree(ok))
        return true;
    // Closing is collective, and some processes have not opened it.
    f->open = false;
    return false;
}

bool wp_mpi_file_write(void *user, unsigned long long at, const void *bytes, size_t count)
{
    const struct wp_mpi_file *f = user;
    const char *from = bytes;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, now = left < AT_ONCE ? left : AT_ONCE;
        MPI_Status status;
        int written = 0;
        errno = 0;
        const int error = MPI_File_write_at(f->file, (MPI_Offset)(at + done), from + done, (int)now,
                                            MPI_BYTE, &status);
        if (!check_mpi(f, error, "write"))
            return false;
        MPI_Get_count(&status, MPI_BYTE, &written);
        if (written <= 0)
            return wp_fail(WP_ERROR_FILE, "cannot write %s (%s)", f->path,
                           errno ? strerror(errno) : "nothing was written");
        done += (size_t)written;
    }
    return true;
}

bool wp_mpi_file_read(void *user, unsigned long long at, void *bytes, size_t count)
{
    const struct wp_mpi_file *f = user;
    char *to = bytes;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, now = left < AT_ONCE ? left : AT_ONCE;
        MPI_Status status;
        int got = 0;
        errno = 0;
        const int error =
            MPI_File_read_at(f->file, (MPI_Offset)(at + done), to + done, (int)now, MPI_BYTE,
                             &status);
        if (!check_mpi(f, error, "read"))
            return false;
        MPI_Get_count(&status, MPI_BYTE, &got);
        if (got <= 0)
            return wp_fail(WP_ERROR_FILE, "cannot read %s (it ends at byte %llu)", f->path,
                           at + done);
        done += (size_t)got;
    }
    return true;
}

bool wp_mpi_file_agree(struct wp_mpi_file *f)
{
    errno = 0;
    const bool ok = check_mpi(f, MPI_File_sync(f->file), "write");
    MPI_Barrier(MPI_COMM_WORLD);
    return wp_world_agree(ok);
}

void wp_mpi_file_close(struct wp_mpi_file *f)
{
    if (f->open)
        MPI_File_close(&f->file);
    f->open = false;
    for (int i = 0; i < WP_MPI_FILES; i++)
        wp_output_discard(&f->remote[i]);
}
