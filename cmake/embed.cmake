# wp_embed(OUTPUT SYMBOL INPUT)
#
# Generates the C source OUTPUT from the file INPUT during the build. It defines
#
#     const unsigned char SYMBOL[];       // the bytes, followed by a 0 byte
#     const unsigned long SYMBOL_size;    // without the 0 byte
#
# so that a text file can be used as a C string. Add OUTPUT to the sources of a target. Relative
# paths: OUTPUT is below CMAKE_CURRENT_BINARY_DIR, INPUT below CMAKE_CURRENT_SOURCE_DIR.

# This file is also the script that runs during the build.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    file(READ "${INPUT}" bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR size "${digits} / 2")
    # Split into lines of 32 bytes first: the pattern for one line is fast, and compilers and
    # editors do not handle very long lines well.
    string(REPEAT "." 64 line)
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    get_filename_component(name "${INPUT}" NAME)
    file(WRITE "${OUTPUT}" "// Generated from ${name} by cmake/embed.cmake.\n"
        "extern const unsigned char ${SYMBOL}[];\n"
        "extern const unsigned long ${SYMBOL}_size;\n"
        "const unsigned char ${SYMBOL}[] = {\n${bytes}0};\n"
        "const unsigned long ${SYMBOL}_size = ${size};\n")
    return()
endif()

set(WP_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(wp_embed output symbol input)
    cmake_path(ABSOLUTE_PATH output BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    cmake_path(ABSOLUTE_PATH input)
    get_filename_component(name "${input}" NAME)
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DINPUT=${input}" "-DOUTPUT=${output}" "-DSYMBOL=${symbol}"
            -P "${WP_EMBED_SCRIPT}"
        DEPENDS "${input}" "${WP_EMBED_SCRIPT}"
        COMMENT "Embedding ${name}" VERBATIM)
endfunction()

# wp_embed_shaders(RESULT file...): embeds files of shaders/ ("level.glsl" as wp_shader_level) and
# sets RESULT to the sources.
function(wp_embed_shaders result)
    set(sources)
    foreach(shader ${ARGN})
        cmake_path(GET shader STEM stem)
        wp_embed(shader_${stem}.c wp_shader_${stem} ${PROJECT_SOURCE_DIR}/shaders/${shader})
        list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/shader_${stem}.c)
    endforeach()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()
