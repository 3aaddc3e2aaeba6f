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
    set(WP_CUDA_ARCHITECTURES_GIVEN ${CMAKE_CUDA_ARCHITECTURES})
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 90-virtual)
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    enable_language(CUDA)
endif()
