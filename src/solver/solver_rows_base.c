#define NAME "base"
#define TABLE wp_solver_rows_base
#include "solver_rows_impl.h"
