#define REAL double
#define TRANSFER(name) wp_transfer_##name##_f64
#include "transfer_rows.h"
