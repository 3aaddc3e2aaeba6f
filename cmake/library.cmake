# libwavepass, shared and static, of the same objects, and what finds it once it is installed.
set(WP_PUBLIC_HEADERS ${PROJECT_SOURCE_DIR}/src/api/wavepass.h
    ${PROJECT_SOURCE_DIR}/src/api/wavepass_stream.h
    ${PROJECT_SOURCE_DIR}/src/transform/wavepass_view.h
    ${PROJECT_SOURCE_DIR}/src/base/wavepass_log.h)
# Counts up whenever programs have to be built anew for the next libwavepass.
set(WP_ABI_VERSION 0)

wp_get_layers(WP_TARGETS targets INSIDE)
wp_objects_of(objects ${targets})
wp_get_layers(WP_LINK libraries INSIDE)

# Names that are hidden stay so in an archive of one object; linkers mind visibility in shared
# libraries only.
set(archived ${objects})
if(CMAKE_OBJCOPY AND NOT EMSCRIPTEN)
    set(archived ${PROJECT_BINARY_DIR}/wavepass-$<CONFIG>.o)
    add_custom_command(OUTPUT ${archived}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${objects} -o ${archived}
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${archived}
        DEPENDS ${targets} ${objects} COMMAND_EXPAND_LISTS VERBATIM)
endif()
add_library(wavepass_static STATIC ${archived})
set_target_properties(wavepass_static PROPERTIES EXPORT_NAME static)
set(kinds static)

get_property(has_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(has_shared)
    add_library(wavepass_shared SHARED ${objects})
    set_target_properties(wavepass_shared PROPERTIES EXPORT_NAME wavepass
        VERSION ${PROJECT_VERSION} SOVERSION ${WP_ABI_VERSION})
    # CUDA's runtime is an archive, and its names are not hidden.
    target_link_options(wavepass_shared PRIVATE LINKER:--exclude-libs,ALL)
    list(APPEND kinds shared)
endif()

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/wavepass)
set(header_directory ${CMAKE_INSTALL_INCLUDEDIR}/wavepass)
foreach(kind ${kinds})
    target_link_libraries(wavepass_${kind} PRIVATE ${libraries})
    target_link_options(wavepass_${kind} PUBLIC ${WP_SANITIZE_FLAGS})
    target_include_directories(wavepass_${kind} INTERFACE
        $<INSTALL_INTERFACE:${header_directory}>)
    set_target_properties(wavepass_${kind} PROPERTIES OUTPUT_NAME wavepass LINKER_LANGUAGE C)
    install(TARGETS wavepass_${kind} EXPORT wavepass-${kind} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT wavepass-${kind} NAMESPACE wavepass:: DESTINATION ${package_directory})
endforeach()
install(FILES ${WP_PUBLIC_HEADERS} DESTINATION ${header_directory})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What a program links with beside the static library: in pkg-config's words, and the commands
# that find it for CMake.
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
        get_target_property(file ${library} IMPORTED_LOCATION)
        list(APPEND WP_PC_LIBS ${file} -lrt -ldl -lpthread)
        list(APPEND WP_FIND "find_package(CUDAToolkit QUIET)")
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
set(WP_FIND_TARGETS ${libraries})

set(pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH WP_PREFIX_FROM_PC /prefix/${pc_directory} /prefix)
configure_file(cmake/wavepass.pc.in wavepass.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wavepass.pc DESTINATION ${pc_directory})

include(CMakePackageConfigHelpers)
configure_file(cmake/wavepass-config.cmake.in wavepass-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wavepass-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wavepass-config.cmake
        ${PROJECT_BINARY_DIR}/wavepass-config-version.cmake
    DESTINATION ${package_directory})
