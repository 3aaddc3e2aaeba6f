// Parameters of instances: equality, and what the viewer supports.
#include "instance.h"

#include <stdio.h>
#include <string.h>

bool wp_instance_params_equal(const struct wp_instance_params *a,
                              const struct wp_instance_params *b)
{
    const struct wp_instance_view *x = &a->view, *y = &b->view;
    return strcmp(x->wavelet, y->wavelet) == 0 && strcmp(x->backend, y->backend) == 0 &&
           strcmp(x->variant, y->variant) == 0 && x->scheme == y->scheme && x->plain == y->plain &&
           x->precision == y->precision && x->reversible == y->reversible && x->bank == y->bank &&
           a->levels == b->levels && a->border == b->border && a->norm == b->norm &&
           a->adjoint == b->adjoint &&
           a->levels_z == b->levels_z && a->gop == b->gop &&
           a->packets.basis == b->packets.basis && a->packets.measured == b->packets.measured &&
           strcmp(a->packets.cost, b->packets.cost) == 0 &&
           strcmp(a->packets.tree, b->packets.tree) == 0;
}

int wp_instance_levels_most(const struct wp_wavelet *wavelet, int bank, int border,
                            const int size[WP_DIMS_MAX])
{
    const struct wp_description d = {.wavelet = wavelet, .bank = (enum wp_bank)bank,
                                     .border = (enum wp_border)border,
                                     .size = {size[WP_X], size[WP_Y], size[WP_Z]}};
    const int plane = wp_description_levels_fit(&d, WP_X);
    const int along_z = wp_description_is_redundant(&d) ? wp_description_levels_fit(&d, WP_Z) : 0;
    const int most = plane > along_z ? plane : along_z;
    return bank == WP_BANK_PACKETS && most > WP_NODE_LEVELS ? WP_NODE_LEVELS : most;
}

bool wp_instance_check_volume(int bank)
{
    return bank != WP_BANK_PACKETS ||
           wp_fail(WP_ERROR_USAGE, "the viewer does not support bank '%s' for volumes\nhint: bank "
                   "'%s', '%s' or '%s'", wp_bank_names[bank], wp_bank_names[WP_BANK_DECIMATED],
                   wp_bank_names[WP_BANK_UNDECIMATED], wp_bank_names[WP_BANK_STARLET]);
}

bool wp_instance_check_memory(const struct wp_description *d, int planes, double bytes,
                              double limit)
{
    const int levels = wp_description_levels(d), depth = wp_description_depth(d);
    char needed[WP_NUMBER_SIZE], most[WP_NUMBER_SIZE], along_z[16] = " pixels";
    if (depth > 1)
        snprintf(along_z, sizeof along_z, "x%d", depth);
    return limit <= 0 || bytes <= limit ||
           wp_fail(WP_ERROR_TOO_LARGE,
                   "bank '%s' needs %s for %d level%s of %dx%d%s in %d channel%s, more than the "
                   "limit of %s\nhint: %sone channel, or --memory",
                   wp_bank_names[d->bank], wp_format_bytes(needed, bytes), levels,
                   WP_PLURAL(levels), d->size[WP_X], d->size[WP_Y], along_z, planes,
                   WP_PLURAL(planes), wp_format_bytes(most, limit),
                   wp_description_is_redundant(d) ? "fewer levels, " : "");
}
