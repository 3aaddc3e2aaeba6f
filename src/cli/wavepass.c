// The program wavepass.
#include "command.h"

int main(int argc, char *argv[])
{
    return wp_program_run(&wp_program, argc, argv);
}
