# libwavepass-reconstruct, shared and static: the solver and its FFT, whose license is thus kept out
# of libwavepass. Uses the public interface of libwavepass, and contains the lower layers that it
# needs with hidden names.
get_target_property(targets wp_solver WP_TARGETS)
wp_objects_of(objects wp_factor wp_wavelet wp_fft wp_gl wp_gl_fft ${targets})
list(PREPEND objects $<FILTER:$<TARGET_OBJECTS:wp_base>,EXCLUDE,/log\\.c\\.o$>)
set(libraries)
set(WP_PC_REQUIRES)
set(WP_PC_LIBS)
foreach(layer base wavelet fft gl gl_fft solver)
    get_target_property(linked wp_${layer} WP_LINK)
    list(APPEND libraries ${linked})
endforeach()
list(REMOVE_DUPLICATES libraries)
foreach(library ${libraries})
    if(library STREQUAL PkgConfig::FFTW)
        set(WP_PC_REQUIRES fftw3f)
    elseif(library STREQUAL PkgConfig::KISSFFT)
        set(WP_PC_REQUIRES kissfft-float)
    endif()
endforeach()

wp_archived_object(archived wavepass-reconstruct OBJECTS ${objects}
    DEPENDS wp_base wp_factor wp_wavelet wp_fft wp_gl wp_gl_fft ${targets})
add_library(wavepass_reconstruct_static STATIC ${archived})
add_library(wavepass_reconstruct_shared SHARED ${objects})
# Both libraries are in the same folder, built and installed; CMake's own path in the build tree
# ends in a colon, which means the current directory.
set_target_properties(wavepass_reconstruct_shared PROPERTIES EXPORT_NAME reconstruct
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON VERSION ${PROJECT_VERSION} SOVERSION ${WP_ABI_VERSION})
# CUDA's static runtime has no hidden names.
target_link_options(wavepass_reconstruct_shared PRIVATE LINKER:--exclude-libs,ALL)
target_link_libraries(wavepass_reconstruct_shared PUBLIC wavepass_shared PRIVATE ${libraries})
target_link_libraries(wavepass_reconstruct_static PRIVATE wavepass_static ${libraries})
foreach(kind shared static)
    set(target wavepass_reconstruct_${kind})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME wavepass-reconstruct LINKER_LANGUAGE C)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${header_directory}>)
    target_link_options(${target} PUBLIC ${WP_SANITIZE_FLAGS})
endforeach()
set(WP_RECONSTRUCT_HEADERS ${PROJECT_SOURCE_DIR}/src/solver/wavepass_reconstruct.h)

# Only pkg-config finds the static library.
install(TARGETS wavepass_reconstruct_shared EXPORT wavepass-shared
    DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS wavepass_reconstruct_static DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${WP_RECONSTRUCT_HEADERS} DESTINATION ${header_directory})
foreach(module wavepass-reconstruct wavepass-reconstruct-static)
    configure_file(cmake/${module}.pc.in ${module}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${pc_directory})
endforeach()
