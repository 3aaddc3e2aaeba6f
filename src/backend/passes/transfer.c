#define REAL float
#define TRANSFER(name) wp_transfer_##name
#include "transfer_rows.h"
