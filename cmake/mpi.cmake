# libwavepass_mpi: transforms of images that are distributed over processes in slabs, with MPI. Uses
# the public interface of libwavepass, and contains the lower layers that it needs with hidden
# names.
wp_get_layers(WP_TARGETS targets INSIDE)
wp_objects_of(objects ${targets})
list(FILTER objects EXCLUDE REGEX "wp_base>")
list(PREPEND objects $<FILTER:$<TARGET_OBJECTS:wp_base>,EXCLUDE,/log\\.c\\.o$>)
wp_get_layers(WP_LINK libraries INSIDE)
add_library(wp_inside STATIC EXCLUDE_FROM_ALL ${objects})
set_target_properties(wp_inside PROPERTIES LINKER_LANGUAGE C)

add_library(wavepass_mpi SHARED $<TARGET_OBJECTS:wp_mpi>)
target_link_libraries(wavepass_mpi PUBLIC wavepass_shared MPI::MPI_C
    PRIVATE wp_inside ${libraries})
target_link_options(wavepass_mpi PRIVATE LINKER:--exclude-libs,ALL PUBLIC ${WP_SANITIZE_FLAGS})
target_include_directories(wavepass_mpi INTERFACE $<INSTALL_INTERFACE:${header_directory}>)
# Both libraries are in the same folder, built and installed.
set_target_properties(wavepass_mpi PROPERTIES EXPORT_NAME mpi LINKER_LANGUAGE C
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON
    VERSION ${PROJECT_VERSION} SOVERSION ${WP_ABI_VERSION})
install(TARGETS wavepass_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/src/mpi/wavepass_mpi.h DESTINATION ${header_directory})
