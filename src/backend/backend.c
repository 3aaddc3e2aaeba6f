#include "backend.h"

bool wp_backend_is_schemeless(const struct wp_backend *backend,
                              const struct wp_description *description)
{
    return backend->schemeless ||
           (backend->schemeless_volumes && wp_description_depth(description) > 1);
}
