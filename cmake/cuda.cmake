# Finds CUDA if it is enabled; otherwise WP_CUDA_MISSING is the reason.
#
# Included by the top directory, since a language is enabled for a directory and those below it, and
# targets that link CUDA objects need the language and its architectures.
set(reason "")
if(NOT WP_CUDA_MISSING)
    include(CheckLanguage)
    check_language(CUDA)
    find_package(CUDAToolkit QUIET)
    if(NOT CMAKE_CUDA_COMPILER OR NOT CUDAToolkit_FOUND)
        set(reason "the CUDA toolkit was not found")
    elseif(CUDAToolkit_VERSION VERSION_LESS 11.8)
        set(reason "CUDA ${CUDAToolkit_VERSION} is older than 11.8")
    endif()
endif()
wp_optional(CUDA "${reason}" nvidia-cuda-toolkit "there is no backend cuda")
set(reason "")
if(NOT WP_CUDA_MISSING AND NOT WP_NVTX_MISSING)
    find_path(WP_NVTX_DIR nvtx3/nvToolsExt.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE)
    if(NOT WP_NVTX_DIR)
        set(reason "nvtx3/nvToolsExt.h was not found")
    endif()
endif()
wp_optional(NVTX "${reason}" nvidia-cuda-dev "profilers show no ranges of the backend cuda")

if(NOT WP_CUDA_MISSING)
    # Machine code for the newest architecture and PTX for the oldest, which drivers compile for
    # other architectures when a kernel is first used. CUDAARCHS, CMake's own default, has
    # precedence.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
        set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real CACHE STRING
            "CUDA architectures: machine code (NN-real), PTX (NN-virtual), both (NN)")
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    # Builds of the same sources can share one set of kernels, which have no sanitizer.
    set(WAVEPASS_CUDA_KERNELS "" CACHE PATH
        "Build folder whose compiled CUDA kernels are linked; empty: compile them here")
    if(WAVEPASS_CUDA_KERNELS)
        if(NOT EXISTS ${WAVEPASS_CUDA_KERNELS}/cuda_kernels.cmake)
            message(FATAL_ERROR "WAVEPASS_CUDA_KERNELS: ${WAVEPASS_CUDA_KERNELS} has no CUDA kernels. "
                "Configure it and build its target cuda_kernels, or set WAVEPASS_CUDA_KERNELS= .")
        endif()
        include(${WAVEPASS_CUDA_KERNELS}/cuda_kernels.cmake)
    else()
        enable_language(CUDA)
        file(WRITE ${PROJECT_BINARY_DIR}/cuda_kernels.cmake "")
    endif()
endif()

add_custom_target(cuda_kernels) # for another build's WAVEPASS_CUDA_KERNELS

# wp_cuda_library(LAYER NAME file...): adds CUDA kernels to a layer. They are separate targets
# because the flags of wp_layer() are for C, and CUDA has no sanitizers. gcc makes static variables
# of templates global in the whole program, even if hidden; clang does not, and lacks the option.
function(wp_cuda_library layer name)
    if(WAVEPASS_CUDA_KERNELS)
        add_library(${name} OBJECT IMPORTED GLOBAL)
        set_target_properties(${name} PROPERTIES IMPORTED_OBJECTS "${${name}_OBJECTS}")
        set_property(TARGET wp_${layer} APPEND PROPERTY WP_TARGETS ${name})
        return()
    endif()
    set(unique)
    if(NOT CMAKE_CUDA_HOST_COMPILER MATCHES clang)
        set(unique -Xcompiler=-fno-gnu-unique)
    endif()
    add_library(${name} OBJECT ${ARGN})
    set(folders ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(source ${ARGN})
        get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${source} DIRECTORY)
        list(APPEND folders ${folder})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    target_include_directories(${name} PRIVATE ${folders}
        $<TARGET_PROPERTY:wp_transform,INTERFACE_INCLUDE_DIRECTORIES>
        $<TARGET_PROPERTY:wp_lifting,INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(${name} PRIVATE --expt-relaxed-constexpr
        "SHELL:-Xcompiler -fno-exceptions,-fno-threadsafe-statics,-Wall,-Wextra" ${unique}
        $<$<BOOL:${WAVEPASS_WERROR}>:--Werror=all-warnings>)
    wp_add_to_layer(${layer} ${name})
    add_dependencies(cuda_kernels ${name})
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cmake
        CONTENT "set(${name}_OBJECTS $<TARGET_OBJECTS:${name}>)\n")
    file(APPEND ${PROJECT_BINARY_DIR}/cuda_kernels.cmake
        "include(${PROJECT_BINARY_DIR}/${name}.cmake)\n")
endfunction()
