// The subcommands of wavepass. To add one, write its file and add its two lines here.
#include "command.h"

extern const struct wp_command wp_command_forward, wp_command_inverse, wp_command_edit,
    wp_command_denoise, wp_command_verify, wp_command_bench, wp_command_compare, wp_command_explain, wp_command_view,
    wp_command_info, wp_command_undersample, wp_command_reconstruct, wp_command_manual;

static const struct wp_command *const commands[] = {
    &wp_command_forward,
    &wp_command_inverse,
    &wp_command_edit,
    &wp_command_denoise,
    &wp_command_verify,
    &wp_command_bench,
    &wp_command_compare,
    &wp_command_explain,
    &wp_command_undersample,
    &wp_command_reconstruct,
    &wp_command_view,
    &wp_command_info,
    &wp_command_manual,
    NULL,
};

static const char *const examples[] = {
    "wavepass forward pattern:zone-plate:512x512 -o c.npy --picture bands.png",
    "wavepass inverse c.npy -o again.png",
    "wavepass info",
    NULL,
};

const struct wp_program wp_program = {
    .name = "wavepass",
    .title = "two-dimensional wavelet transforms with shaders, CUDA and the CPU",
    .commands = commands,
    .opens = "view",
    .examples = examples,
};
