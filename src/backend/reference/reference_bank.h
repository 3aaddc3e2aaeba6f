// Redundant filter banks in double precision, as redundant.h defines them.
#ifndef WP_REFERENCE_BANK_H
#define WP_REFERENCE_BANK_H

#include "operand.h"

struct wp_reference_bank;

// NULL after WP_ERROR_TOO_LARGE.
struct wp_reference_bank *wp_reference_bank_create(const struct wp_description *description);
void wp_reference_bank_destroy(struct wp_reference_bank *bank); // accepts NULL

void wp_reference_bank_load(struct wp_reference_bank *bank, const struct wp_operand *from);
void wp_reference_bank_run(struct wp_reference_bank *bank);
void wp_reference_bank_store(const struct wp_reference_bank *bank, const struct wp_operand *to);

#endif
