# wp_layer(NAME SOURCES file... [USES layer...] [LINK target...] [OUTSIDE])
#
# One object library a layer. A layer sees the headers of the layers it USES and of no
# others, so that the include direction in src/ is enforced by the build. Every layer's
# objects go into libwavepass but those of a layer that is OUTSIDE: programs take these by
# $<TARGET_OBJECTS:wp_NAME>.

set(WP_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Wvla)
if(WAVEPASS_WERROR)
    list(APPEND WP_WARNINGS -Werror)
endif()
set(WP_SANITIZE_FLAGS)
if(WAVEPASS_SANITIZE)
    set(WP_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined
        -fno-omit-frame-pointer)
endif()

function(wp_target_flags target)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:C>:${WP_WARNINGS}> ${WP_SANITIZE_FLAGS})
    target_link_options(${target} PUBLIC ${WP_SANITIZE_FLAGS})
endfunction()

function(wp_layer name)
    cmake_parse_arguments(L "OUTSIDE" "" "SOURCES;USES;LINK" ${ARGN})
    add_library(wp_${name} OBJECT ${L_SOURCES})
    target_include_directories(wp_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(used ${L_USES})
        target_link_libraries(wp_${name} PUBLIC wp_${used})
    endforeach()
    target_link_libraries(wp_${name} PRIVATE ${L_LINK})
    set_target_properties(wp_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    wp_target_flags(wp_${name})
    if(NOT L_OUTSIDE)
        set_property(GLOBAL APPEND PROPERTY WP_LAYERS wp_${name})
    endif()
endfunction()
