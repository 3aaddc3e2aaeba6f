// The program wavepass-mpi, whose commands run in all processes of MPI_COMM_WORLD.
#include "command.h"
#include "mpi_job.h"

extern const struct wp_command wp_command_mpi_forward, wp_command_mpi_inverse, wp_command_manual;

static const struct wp_command *const commands[] = {
    &wp_command_mpi_forward,
    &wp_command_mpi_inverse,
    &wp_command_manual,
    NULL,
};

static const char *const examples[] = {
    "mpiexec -n 4 wavepass-mpi forward mosaic.tif -o c.tiff -l 5",
    "mpiexec -n 4 wavepass-mpi inverse c.tiff -o again.tiff",
    NULL,
};

static const struct wp_program program = {
    .name = "wavepass-mpi",
    .title = "wavelet transforms of images that are distributed over processes",
    .commands = commands,
    .examples = examples,
    .agree = wp_world_resolve,
};

int main(int argc, char *argv[])
{
    wp_world_begin(&argc, &argv);
    const int code = wp_program_run(&program, argc, argv);
    wp_world_end();
    return code;
}
