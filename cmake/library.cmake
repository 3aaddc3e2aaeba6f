# libwavepass, shared and static from the same objects, and the files with which pkg-config and
# CMake find an installed library.
set(WP_PUBLIC_HEADERS ${PROJECT_SOURCE_DIR}/src/api/wavepass.h
    ${PROJECT_SOURCE_DIR}/src/api/wavepass_query.h
    ${PROJECT_SOURCE_DIR}/src/api/wavepass_packets.h
    ${PROJECT_SOURCE_DIR}/src/api/wavepass_stream.h
    ${PROJECT_SOURCE_DIR}/src/denoise/wavepass_denoise.h
    ${PROJECT_SOURCE_DIR}/src/transform/wavepass_operand.h
    ${PROJECT_SOURCE_DIR}/src/base/wavepass_log.h)
# Increase this if programs must be rebuilt for the next libwavepass.
set(WP_ABI_VERSION 0)

wp_get_layers(WP_TARGETS targets INSIDE)
wp_objects_of(objects ${targets})
wp_get_layers(WP_LINK libraries INSIDE)

# wp_archived_object(RESULT NAME OBJECTS file... DEPENDS target...): links the single object of a
# static library. Only its public names are global, since linkers ignore visibility in archives. It
# includes CUDA's static runtime, so that programs link without the CUDA Toolkit; it has no section
# groups, since another archive may include the runtime, too.
function(wp_archived_object result name)
    cmake_parse_arguments(A "" "" "OBJECTS;DEPENDS" ${ARGN})
    set(${result} ${A_OBJECTS} PARENT_SCOPE)
    if(EMSCRIPTEN)
        return()
    endif()
    if(NOT CMAKE_OBJCOPY)
        message(FATAL_ERROR "objcopy (Debian: binutils) is required for the static libraries")
    endif()
    set(archived ${PROJECT_BINARY_DIR}/${name}-$<CONFIG>.o)
    set(runtime)
    if(TARGET CUDA::cudart_static)
        get_target_property(runtime CUDA::cudart_static IMPORTED_LOCATION)
    endif()
    add_custom_command(OUTPUT ${archived}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -Wl,--force-group-allocation ${A_OBJECTS} ${runtime}
            -o ${archived}
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard "--keep-global-symbol=wp_*" ${archived}
        DEPENDS ${A_DEPENDS} ${A_OBJECTS} COMMAND_EXPAND_LISTS VERBATIM)
    set(${result} ${archived} PARENT_SCOPE)
endfunction()
wp_archived_object(archived wavepass OBJECTS ${objects} DEPENDS ${targets})
add_library(wavepass_static STATIC ${archived})
set_target_properties(wavepass_static PROPERTIES EXPORT_NAME static)
set(kinds static)

get_property(has_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(has_shared)
    add_library(wavepass_shared SHARED ${objects})
    set_target_properties(wavepass_shared PROPERTIES EXPORT_NAME wavepass
        VERSION ${PROJECT_VERSION} SOVERSION ${WP_ABI_VERSION})
    # CUDA's static runtime has no hidden names.
    target_link_options(wavepass_shared PRIVATE LINKER:--exclude-libs,ALL)
    list(APPEND kinds shared)
endif()

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/wavepass)
set(header_directory ${CMAKE_INSTALL_INCLUDEDIR}/wavepass)
foreach(kind ${kinds})
    set(linked ${libraries})
    if(kind STREQUAL static AND TARGET CUDA::cudart_static)
        list(TRANSFORM linked REPLACE "^CUDA::cudart_static$" rt)
    endif()
    target_link_libraries(wavepass_${kind} PRIVATE ${linked})
    target_link_options(wavepass_${kind} PUBLIC ${WP_SANITIZE_FLAGS})
    target_include_directories(wavepass_${kind} INTERFACE
        $<INSTALL_INTERFACE:${header_directory}>)
    set_target_properties(wavepass_${kind} PROPERTIES OUTPUT_NAME wavepass LINKER_LANGUAGE C)
    install(TARGETS wavepass_${kind} EXPORT wavepass-${kind} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT wavepass-${kind} NAMESPACE wavepass:: DESTINATION ${package_directory})
endforeach()
install(FILES ${WP_PUBLIC_HEADERS} DESTINATION ${header_directory})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The libraries that the static library requires, for pkg-config, and the commands with which CMake
# finds them.
set(module_GLEW glew)
set(module_EGL egl)
set(module_GL gl)
set(module_GLFW glfw3)
set(WP_PC_REQUIRES)
set(WP_PC_LIBS)
set(WP_FIND)
foreach(library ${libraries})
    if(library MATCHES "^PkgConfig::(.*)")
        set(module ${module_${CMAKE_MATCH_1}})
        list(APPEND WP_PC_REQUIRES ${module})
        list(APPEND WP_FIND "pkg_check_modules(${CMAKE_MATCH_1} QUIET IMPORTED_TARGET ${module})")
    elseif(library STREQUAL CUDA::cudart_static)
        list(APPEND WP_PC_LIBS -lrt -ldl)
    elseif(library STREQUAL Threads::Threads)
        list(APPEND WP_PC_LIBS -pthread)
        list(APPEND WP_FIND "find_package(Threads QUIET)")
    else()
        list(APPEND WP_PC_LIBS -l${library})
    endif()
endforeach()
list(JOIN WP_PC_REQUIRES " " WP_PC_REQUIRES)
list(JOIN WP_PC_LIBS " " WP_PC_LIBS)
list(JOIN WP_SANITIZE_FLAGS " " WP_PC_SANITIZE)
list(JOIN WP_FIND "\n" WP_FIND)
list(FILTER libraries INCLUDE REGEX ::)
list(REMOVE_ITEM libraries CUDA::cudart_static)
set(WP_FIND_TARGETS ${libraries})

set(pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH WP_PREFIX_FROM_PC /prefix/${pc_directory} /prefix)
foreach(module wavepass wavepass-static)
    configure_file(cmake/${module}.pc.in ${module}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${pc_directory})
endforeach()

include(CMakePackageConfigHelpers)
configure_file(cmake/wavepass-config.cmake.in wavepass-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wavepass-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wavepass-config.cmake
        ${PROJECT_BINARY_DIR}/wavepass-config-version.cmake
    DESTINATION ${package_directory})
