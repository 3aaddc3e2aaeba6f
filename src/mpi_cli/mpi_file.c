#include "mpi_file.h"

#include "log.h"
#include "mpi_world.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 30 }; // bytes, which MPI counts as int

// What MPI calls it says little of a disk that is full; errno does where files are the system's.
static bool judge(const struct wp_mpi_file *f, int error, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (error == MPI_SUCCESS)
        return true;
    const int why = errno;
    MPI_Error_string(error, text, &length);
    return wp_fail(WP_ERROR_FILE, "cannot %s %s (%s%.*s)", what, f->path,
                   why ? strerror(why) : "MPI-IO: ", why ? 0 : length, text);
}

bool wp_mpi_file_open(struct wp_mpi_file *f, const char *path,
                      const char *const temporary[WP_MPI_FILES])
{
    *f = (struct wp_mpi_file){.path = path};
    char *name = NULL;
    bool ok = true;
    for (int i = 0; i < WP_MPI_FILES; i++) {
        char *text = wp_world_share_text(temporary[i]);
        if (text && wp_world_rank() > 0)
            f->of_other[i] = wp_output_adopt(text);
        ok = ok && (!text || wp_world_rank() == 0 || f->of_other[i]);
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
        ok = judge(f, error, "write");
    }
    free(name);
    if (wp_world_agree(ok))
        return true;
    // To close it is for all, and some have none.
    f->open = false;
    return false;
}

bool wp_mpi_file_write(void *own, unsigned long long at, const void *bytes, size_t count)
{
    const struct wp_mpi_file *f = own;
    const char *from = bytes;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, now = left < AT_ONCE ? left : AT_ONCE;
        MPI_Status status;
        int written = 0;
        errno = 0;
        const int error = MPI_File_write_at(f->file, (MPI_Offset)(at + done), from + done, (int)now,
                                            MPI_BYTE, &status);
        if (!judge(f, error, "write"))
            return false;
        MPI_Get_count(&status, MPI_BYTE, &written);
        if (written <= 0)
            return wp_fail(WP_ERROR_FILE, "cannot write %s (%s)", f->path,
                           errno ? strerror(errno) : "nothing was written");
        done += (size_t)written;
    }
    return true;
}

bool wp_mpi_file_read(void *own, unsigned long long at, void *bytes, size_t count)
{
    const struct wp_mpi_file *f = own;
    char *to = bytes;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, now = left < AT_ONCE ? left : AT_ONCE;
        MPI_Status status;
        int got = 0;
        errno = 0;
        const int error =
            MPI_File_read_at(f->file, (MPI_Offset)(at + done), to + done, (int)now, MPI_BYTE,
                             &status);
        if (!judge(f, error, "read"))
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
    const bool ok = judge(f, MPI_File_sync(f->file), "write");
    MPI_Barrier(MPI_COMM_WORLD);
    return wp_world_agree(ok);
}

void wp_mpi_file_close(struct wp_mpi_file *f)
{
    if (f->open)
        MPI_File_close(&f->file);
    f->open = false;
    for (int i = 0; i < WP_MPI_FILES; i++)
        wp_output_discard(&f->of_other[i]);
}
