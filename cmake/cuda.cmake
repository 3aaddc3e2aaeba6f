# CUDA where it is wanted and found, else WP_CUDA_MISSING says why not.
#
# Included by the top directory: a language belongs to the directory that enables it and to those
# below, and whatever links objects of CUDA needs to know the language and its architectures.
set(WP_CUDA_MISSING "")
if(NOT WAVEPASS_CUDA)
    set(WP_CUDA_MISSING "it was turned off with WAVEPASS_CUDA=OFF")
else()
    include(CheckLanguage)
    check_language(CUDA)
    find_package(CUDAToolkit QUIET)
    if(NOT CMAKE_CUDA_COMPILER OR NOT CUDAToolkit_FOUND)
        set(WP_CUDA_MISSING "the CUDA toolkit was not found")
    elseif(CUDAToolkit_VERSION VERSION_LESS 11.8)
        set(WP_CUDA_MISSING "CUDA ${CUDAToolkit_VERSION} is older than 11.8")
    endif()
endif()

if(NOT WP_CUDA_MISSING)
    # Most of nvcc's time goes into the text of a virtual architecture, and nothing in the kernels
    # tells 8.0, 8.6 and 8.9 apart: one serves the three. CMAKE_CUDA_ARCHITECTURES can't say so.
    set(WP_CUDA_CODE)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS}) # as CMake itself would
    endif()
    if(NOT CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES OFF)
        set(WP_CUDA_CODE --generate-code=arch=compute_75,code=sm_75
            --generate-code=arch=compute_80,code=[sm_80,sm_86,sm_89]
            --generate-code=arch=compute_90,code=[sm_90,compute_90])
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    enable_language(CUDA)
endif()

# wp_cuda_library(LAYER NAME file...): kernels of a layer. CUDA's own language flags know no
# sanitizer; wp_layer's are for C, hence targets apart. gcc makes static variables of templates
# global to all of a program, hidden or not; clang has no such names, nor the option.
function(wp_cuda_library layer name)
    set(unique)
    if(NOT CMAKE_CUDA_HOST_COMPILER MATCHES clang)
        set(unique -Xcompiler=-fno-gnu-unique)
    endif()
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
        $<TARGET_PROPERTY:wp_transform,INTERFACE_INCLUDE_DIRECTORIES>
        $<TARGET_PROPERTY:wp_lifting,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(${name} PRIVATE ${WP_CUDA_CODE} --expt-relaxed-constexpr
        "SHELL:-Xcompiler -fno-exceptions,-fno-threadsafe-statics,-Wall,-Wextra" ${unique}
        $<$<BOOL:${WAVEPASS_WERROR}>:--Werror=all-warnings>)
    wp_add_to_layer(${layer} ${name})
endfunction()
