// Arguments and grids of the kernels in cuda_typed_kernel.c. Host code: no kernel is compiled here.
#include "cuda_geometry.h"
#include "cuda_internal.h"
#include "cuda_lifting_launch.cuh"
#include "cuda_patch_elements.cuh"

#include <cfloat>
#include <cstring>

namespace {

// The parameters of a call.
struct request {
    const wp_cuda_level &level;
    const wp_cuda_elements &elements;
    const wp_cuda_typed_tuning &tuning;
    wp_cuda_jit_call *call;
};

template <class ELEMENT, class SHAPE>
void set_call(const request &r)
{
    wp_element_args<SHAPE, ELEMENT> args = {};
    static_assert(sizeof args <= sizeof r.call->args, "the arguments fit");
    static_cast<wp_lifting_args<SHAPE> &>(args) = wp_make_lifting_args<SHAPE>(r.level);
    args.pitch = r.elements.pitch;
    args.elements = static_cast<typename ELEMENT::type *>(r.elements.data);
    args.by = wp_find_reciprocal(r.elements.scale, ELEMENT::shift);
    args.scale = r.elements.scale;
    memcpy(r.call->args, &args, sizeof args);
    const int strip = wp_patch_strip(SHAPE::inverse, SHAPE::reach_low, SHAPE::reach_high,
                                     r.tuning.columns, ELEMENT::bytes);
    const dim3 grid = wp_patch_grid(r.level, r.tuning.rows, strip);
    r.call->grid[0] = grid.x;
    r.call->grid[1] = grid.y;
    r.call->grid[2] = 1;
    r.call->block[0] = 32;
    r.call->block[1] = WP_PATCH_WARPS;
}

template <class ELEMENT, template <bool> class SHAPE>
void set_direction(const request &r)
{
    if (r.level.reversible && r.level.inverse)
        set_call<ELEMENT, wp_rounded<SHAPE<true>>>(r);
    else if (r.level.reversible)
        set_call<ELEMENT, wp_rounded<SHAPE<false>>>(r);
    else if (r.level.inverse)
        set_call<ELEMENT, SHAPE<true>>(r);
    else
        set_call<ELEMENT, SHAPE<false>>(r);
}

template <class ELEMENT>
void set_shape(const request &r)
{
    wp_cuda_shape shape = WP_CUDA_SHAPE_137;
    wp_cuda_find_shape(&r.level, &shape);
    switch (shape) {
    case WP_CUDA_SHAPE_HAAR: return set_direction<ELEMENT, wp_shape_haar>(r);
    case WP_CUDA_SHAPE_53: return set_direction<ELEMENT, wp_shape_53>(r);
    case WP_CUDA_SHAPE_97: return set_direction<ELEMENT, wp_shape_97>(r);
    default: return set_direction<ELEMENT, wp_shape_137>(r);
    }
}

} // namespace

bool wp_cuda_typed_scale_fits(const struct wp_cuda_level *level,
                              const struct wp_cuda_elements *elements)
{
    // u8 are divided with a reciprocal scaled by 2^133, which may exceed the range of floats.
    return elements->type != WP_ELEMENT_U8 || level->reversible ||
           wp_find_reciprocal(elements->scale, wp_u8::shift).high <= FLT_MAX;
}

void wp_cuda_prepare_typed_call(const struct wp_cuda_level *level,
                                const struct wp_cuda_elements *elements,
                                const struct wp_cuda_typed_tuning *tuning,
                                struct wp_cuda_jit_call *call)
{
    const request r = {*level, *elements, *tuning, call};
    switch (elements->type) {
    case WP_ELEMENT_U8: return set_shape<wp_u8>(r);
    case WP_ELEMENT_U16: return set_shape<wp_u16>(r);
    default: return set_shape<wp_f16>(r);
    }
}
