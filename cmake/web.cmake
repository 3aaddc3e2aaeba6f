# The target `web`: the web page, web/dist/index.html in the build folder, built with Emscripten. It
# is not part of `all`.
set(reason "")
if(NOT WP_WEB_MISSING)
    find_program(WAVEPASS_EM_CONFIG em-config DOC "Emscripten, for the page")
    if(WAVEPASS_EM_CONFIG)
        execute_process(COMMAND ${WAVEPASS_EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE root
            OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        set(toolchain ${root}/cmake/Modules/Platform/Emscripten.cmake)
        if(NOT EXISTS ${toolchain})
            set(reason "Emscripten's toolchain is not at '${toolchain}'")
        endif()
    else()
        set(reason "Emscripten was not found")
    endif()
endif()
wp_optional(WEB "${reason}" emscripten "there is no target web, the page for browsers")
set(WP_WEB_PAGE ${PROJECT_BINARY_DIR}/web/dist/index.html)
if(WP_WEB_MISSING)
    return()
endif()
include(ExternalProject)
ExternalProject_Add(web EXCLUDE_FROM_ALL TRUE
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    PREFIX ${PROJECT_BINARY_DIR}/web
    BINARY_DIR ${PROJECT_BINARY_DIR}/web
    CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_BUILD_TYPE=MinSizeRel
        -DWAVEPASS_WERROR=${WAVEPASS_WERROR}
    BUILD_ALWAYS TRUE
    INSTALL_COMMAND "")
